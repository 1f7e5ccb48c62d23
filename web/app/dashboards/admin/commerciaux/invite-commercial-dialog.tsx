import { zodResolver } from '@hookform/resolvers/zod';
import { commercialInvitationForm, type CommercialInvitation } from '@parrain/domain/forms/commercial-invitation';
import { invitationFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteCommercial } from '#api/people/invite-commercial';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';

export interface InviteCommercialDialogProps {
  onClose: () => void;
  onInvited: (name: string, outcome: InvitationOutcome) => void;
}

/** « Ajouter un commercial » (AD-04, V-08). */
export function InviteCommercialDialog({ onClose, onInvited }: InviteCommercialDialogProps) {
  const { t } = useTranslation();
  const formId = useId();
  const form = useForm({
    resolver: zodResolver(commercialInvitationForm),
    mode: 'onTouched',
    defaultValues: { name: '', email: '', phone: '' },
  });
  const { errors } = form.formState;
  const invitation = useMutation({
    mutationFn: inviteCommercial,
    onSuccess: (outcome, { name }) => onInvited(name, outcome),
    onError: (error) => setServerIssues(error, ['name', 'email', 'phone'], form.setError),
  });
  const send = (input: CommercialInvitation) => invitation.mutate(input);
  return (
    <Dialog
      open
      onOpenChange={() => !invitation.isPending && onClose()}
      size="sm"
      title={t('Ajouter un commercial')}
      description={t('Il reçoit par email ses identifiants et un mot de passe temporaire.')}
      footer={
        <>
          <Button onClick={onClose} disabled={invitation.isPending}>
            {t('Annuler')}
          </Button>
          <Button type="submit" form={formId} variant="primary" pending={invitation.isPending}>
            {t("Envoyer l'invitation")}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={form.handleSubmit(send)} className="flex flex-col gap-5">
        {invitation.isError && (
          <Notice tone="error" title={t(invitationFailed)}>
            {reasonOf(invitation.error)}
          </Notice>
        )}
        <Field label={t('Nom')} error={errors.name?.message}>
          <TextInput autoComplete="off" {...form.register('name')} />
        </Field>
        <Field label={t('Email')} error={errors.email?.message}>
          <EmailInput autoComplete="off" {...form.register('email')} />
        </Field>
        <PhoneField label={t('Téléphone')} error={errors.phone?.message} {...form.register('phone')} />
      </form>
    </Dialog>
  );
}
