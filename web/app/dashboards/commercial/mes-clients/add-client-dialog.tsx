import { zodResolver } from '@hookform/resolvers/zod';
import { clientInvitationForm, type ClientInvitation } from '@parrain/domain/forms/client-invitation';
import { clientAddFailed, credentialsToPassOn, invitationEmailSent, responseFailed } from '@parrain/domain/messages';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#api/api-error';
import { setServerIssues } from '#api/form-issues';
import { inviteClient, type InvitationOutcome } from '#api/invite-client';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';

/** « Ajouter un client » (CO-06): the form, then what became of the invitation (E-03). */
export function AddClientDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const formId = useId();
  const queries = useQueryClient();
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const invitation = useMutation({
    mutationFn: inviteClient,
    onSuccess: (outcome, { name }) => setInvited({ name, outcome }),
    onSettled: () => {
      for (const about of ['clients', 'figures']) void queries.invalidateQueries({ queryKey: [about] });
    },
  });
  const close = () => {
    onClose();
    invitation.reset();
    // The result stays while the dialog closes.
    setTimeout(() => setInvited(undefined), 200);
  };
  if (invited) {
    return (
      <Dialog
        open={open}
        onOpenChange={(next) => !next && close()}
        title={t('Client ajouté')}
        size="sm"
        footer={
          <>
            <Button onClick={() => setInvited(undefined)}>{t('Ajouter un autre client')}</Button>
            <Button variant="primary" onClick={close}>
              {t('Terminé')}
            </Button>
          </>
        }
      >
        <Outcome {...invited} />
      </Dialog>
    );
  }
  return (
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
      <AddClientForm id={formId} error={invitation.error} onSubmit={(form, onRefused) => invitation.mutate(form, { onError: onRefused })} />
    </Dialog>
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
      onSubmit={(event) => void handleSubmit((form) => onSubmit(form, (refused) => setServerIssues(refused, fields, setError)))(event)}
      className="flex flex-col gap-5"
    >
      {error && <Notice tone="error">{refusal(error)}</Notice>}
      <Field label={t('Nom')} error={errors.name?.message}>
        <TextInput autoComplete="off" autoCapitalize="words" {...register('name')} />
      </Field>
      <Field label={t('Email')} error={errors.email?.message}>
        <TextInput type="email" inputMode="email" autoComplete="off" autoCapitalize="none" spellCheck={false} {...register('email')} />
      </Field>
      <Field label={t('Téléphone')} optional error={errors.phone?.message}>
        <TextInput type="tel" inputMode="tel" autoComplete="off" {...register('phone')} />
      </Field>
      <Field label={t('Entreprise')} optional error={errors.company?.message}>
        <TextInput autoComplete="off" {...register('company')} />
      </Field>
      <Field label={t('Notes')} optional error={errors.notes?.message}>
        <Textarea rows={3} {...register('notes')} />
      </Field>
    </form>
  );
}

const fields = ['name', 'email', 'phone', 'company', 'notes'] as const;

/** E-03: the mail left, or here is what to pass on by hand. */
function Outcome({ name, outcome }: { name: string; outcome: InvitationOutcome }) {
  const { t } = useTranslation();
  if (outcome.emailSent) {
    return (
      <Notice tone="success" title={name}>
        {t(invitationEmailSent)}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warning" title={t('L’e-mail n’a pas pu être envoyé')}>
        {t('Le compte de {{name}} est créé. Transmettez-lui ces identifiants vous-même : ils ne seront plus affichés, et ne servent qu’une fois, pendant 72 heures.', { name })}
      </Notice>
      <div className="rounded-card border border-hairline bg-papier px-4">
        <Facts
          items={[
            { label: t('Email de connexion'), value: <span className="break-all">{outcome.email}</span> },
            { label: t('Mot de passe temporaire'), value: <code className="font-mono break-all">{outcome.temporaryPassword}</code> },
          ]}
        />
      </div>
      <div>
        <CopyButton text={credentialsToPassOn(outcome.email, outcome.temporaryPassword)} label={t('Copier les identifiants')} />
      </div>
    </div>
  );
}

/** E-01: a refusal says its status and its sentence; what got no answer says so. */
function refusal(error: Error): string {
  if (!(error instanceof ApiError)) return clientAddFailed;
  // Status 200 is the answer that says « success: false »: its own sentence stands alone.
  return error.status < 400 ? error.message : responseFailed(error.status, error.message);
}
