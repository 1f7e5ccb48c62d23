import { zodResolver } from '@hookform/resolvers/zod';
import { clientInvitationForm, type ClientInvitation } from '@parrain/domain/forms/client-invitation';
import { clientAddFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { responseMessageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteClient } from '#api/people/invite-client';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { InvitationResult } from '../../parts/invitation-result.tsx';

/** « Ajouter un client » (CO-06): the form, then what became of the invitation (E-03). */
export function AddClientDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const formId = useId();
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const invitation = useMutation({
    mutationFn: inviteClient,
    onSuccess: (outcome, { name }) => {
      setInvited({ name, outcome });
      close();
    },
    onSettled: refresh,
  });
  const close = () => {
    invitation.reset();
    onClose();
  };
  return (
    <>
      <Dialog
        open={open}
        onOpenChange={(next) => !next && !invitation.isPending && close()}
        title={t('Ajouter un client')}
        description={t('Il reçoit ses identifiants par e-mail et choisit son mot de passe à la première connexion.')}
        footer={
          <>
            <Button onClick={close} disabled={invitation.isPending}>
              {t('Annuler')}
            </Button>
            <Button type="submit" form={formId} variant="primary" pending={invitation.isPending}>
              {t('Inviter le client')}
            </Button>
          </>
        }
      >
        <AddClientForm
          id={formId}
          error={invitation.error}
          onSubmit={(form, onRefused) => invitation.mutate(form, { onError: onRefused })}
        />
      </Dialog>
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
    </>
  );
}

interface AddClientFormProps {
  id: string;
  error: Error | null;
  onSubmit: (form: ClientInvitation, onRefused: (error: Error) => void) => void;
}

function AddClientForm({ id, error, onSubmit }: AddClientFormProps) {
  const { t } = useTranslation();
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(clientInvitationForm),
    mode: 'onTouched',
    defaultValues: { name: '', email: '', phone: '', company: '', notes: '' },
  });
  const { errors } = formState;
  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) =>
        void handleSubmit((form) => onSubmit(form, (refused) => setServerIssues(refused, fields, setError)))(event)
      }
      className="flex flex-col gap-5"
    >
      {error && <Notice tone="error">{responseMessageOf(error, t(clientAddFailed))}</Notice>}
      <Field label={t('Nom')} error={errors.name?.message}>
        <TextInput autoComplete="off" autoCapitalize="words" {...register('name')} />
      </Field>
      <Field label={t('Email')} error={errors.email?.message}>
        <EmailInput autoComplete="off" {...register('email')} />
      </Field>
      <PhoneField label={t('Téléphone')} error={errors.phone?.message} {...register('phone')} />
      <Field label={t('Entreprise')} optional error={errors.company?.message}>
        <TextInput autoComplete="off" {...register('company')} />
      </Field>
      <Field label={t('Notes')} optional hint={t('Le client peut les lire.')} error={errors.notes?.message}>
        <Textarea rows={3} {...register('notes')} />
      </Field>
    </form>
  );
}

const fields = ['name', 'email', 'phone', 'company', 'notes'] as const;
