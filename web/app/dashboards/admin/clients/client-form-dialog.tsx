import { zodResolver } from '@hookform/resolvers/zod';
import { clientInvitationForm, type ClientInvitation } from '@parrain/domain/forms/client-invitation';
import { clientCreationFailed, updateFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { ClientSummary } from '#api/people/client-summaries';
import { reasonOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteClient } from '#api/people/invite-client';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import { useEdit } from '#api/transport/use-edit';
import { updateClient } from '#api/people/update-client';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Textarea } from '#ui/textarea';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { adminTakenAdvice, takenAdvice } from '../../parts/taken-advice.ts';
import { useCredentialsWay, useInvitationAction } from '../../parts/use-sends-mail.ts';
import { CommercialPicker } from '../parts/commercial-picker.tsx';

export interface ClientFormDialogProps {
  /** The client to correct; null to add one. */
  client: ClientSummary | null;
  onClose: () => void;
  onInvited: (name: string, outcome: InvitationOutcome) => void;
}

/** « Ajouter un client », with the commercial to attach to, and its twin that corrects one (AD-06, V-11). */
export function ClientFormDialog({ client, onClose, onInvited }: ClientFormDialogProps) {
  const { t } = useTranslation();
  const credentialsWay = useCredentialsWay();
  const invitationAction = useInvitationAction();
  const toast = useToast();
  const [opened] = useState({
    name: client?.fullName ?? '',
    email: client?.email ?? '',
    phone: client?.phone ?? '',
    company: client?.company ?? '',
    notes: client?.notes ?? '',
    commercial_id: client?.commercialId ?? null,
  });
  const form = useForm({ resolver: zodResolver(clientInvitationForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  useDraft(form, `client/${client?.id ?? ''}`);
  const { errors } = form.formState;
  const onError = (error: unknown) =>
    edit.showChanged(error) ||
    setServerIssues(error, ['name', 'email', 'phone', 'company', 'notes', 'commercial_id'], form.setError);
  const invitation = useMutation({
    mutationFn: inviteClient,
    onSuccess: (outcome, { name }) => {
      refresh();
      onInvited(name, outcome);
    },
    onError,
  });
  const update = useMutation({
    mutationFn: ({ id }: { id: string; name: string }) => updateClient(id, edit.changes()),
    onSuccess: (_answer, { name }) => {
      toast.success(t('Client {{name}} mis à jour', { name }));
      onClose();
    },
    onError,
  });
  const send = (input: ClientInvitation) => {
    if (client === null) invitation.mutate(input);
    else update.mutate({ id: client.id, name: input.name });
  };
  const pending = invitation.isPending || update.isPending;
  const failure = invitation.error ?? update.error;
  return (
    <FormDialog
      title={client === null ? t('Ajouter un client') : t('Modifier {{name}}', { name: client.fullName })}
      description={client === null ? credentialsWay : undefined}
      onClose={onClose}
      action={client === null ? invitationAction : t('Enregistrer')}
      pending={pending}
      onSubmit={form.handleSubmit(send)}
      failure={failure === null ? undefined : `${reasonOf(failure)}${takenAdvice(failure, t(adminTakenAdvice))}`}
      failureTitle={t(client === null ? clientCreationFailed : updateFailed)}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('Nom')} error={errors.name?.message}>
          <TextInput autoComplete="off" {...form.register('name')} />
        </Field>
        <Field
          label={t('E-mail')}
          error={errors.email?.message}
          hint={client === null ? undefined : t('Il sert à se connecter : il ne se change pas ici.')}
        >
          <EmailInput
            autoComplete="off"
            readOnly={client !== null}
            className={client === null ? undefined : 'bg-well text-encre-soft'}
            {...form.register('email')}
          />
        </Field>
        <PhoneField label={t('Téléphone')} error={errors.phone?.message} {...form.register('phone')} />
        <Field label={t('Entreprise')} optional error={errors.company?.message}>
          <TextInput autoComplete="off" {...form.register('company')} />
        </Field>
        <Controller
          control={form.control}
          name="commercial_id"
          render={({ field }) => (
            <Field
              label={t('Commercial')}
              optional={client === null || client.commercialId === null}
              className="sm:col-span-2"
              error={errors.commercial_id?.message}
              hint={
                client === null
                  ? t('Celui qui suivra ses parrainages.')
                  : t('Ses parrainages en cours le suivent chez un autre commercial.')
              }
            >
              <CommercialPicker
                commercialId={field.value ?? null}
                onChange={field.onChange}
                activeOnly
                clearable={client === null}
                placeholder={t('Choisir un commercial…')}
              />
            </Field>
          )}
        />
        <Field
          label={t('Notes')}
          optional
          hint={t('Le client peut les lire.')}
          className="sm:col-span-2"
          error={errors.notes?.message}
        >
          <Textarea rows={3} {...form.register('notes')} />
        </Field>
      </div>
    </FormDialog>
  );
}
