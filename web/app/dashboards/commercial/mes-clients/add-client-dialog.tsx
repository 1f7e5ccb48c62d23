import { clientInvitationForm } from '@parrain/domain/forms/client-invitation';
import { clientAddFailed } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { responseMessageOf } from '#api/transport/api-error';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteClient } from '#api/people/invite-client';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { InvitePersonDialog } from '../../parts/invite-person-dialog.tsx';
import { commercialTakenAdvice, takenAdvice } from '../../parts/taken-advice.ts';
import { useCredentialsWay, useInvitationAction } from '../../parts/use-sends-mail.ts';

/** « Ajouter un client » (CO-06): the form, then what became of the invitation (E-03). */
export function AddClientDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const credentialsWay = useCredentialsWay();
  const invitationAction = useInvitationAction();
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  return (
    <>
      <InvitePersonDialog
        open={open}
        onClose={onClose}
        title={t('Ajouter un client')}
        description={credentialsWay}
        action={invitationAction}
        schema={clientInvitationForm}
        empty={{ name: '', email: '', phone: '', company: '', notes: '' }}
        failure={(error) => (
          <Notice tone="error">
            {responseMessageOf(error, t(clientAddFailed))}
            {takenAdvice(error, t(commercialTakenAdvice))}
          </Notice>
        )}
        fields={({ register, formState: { errors } }) => (
          <>
            <Field label={t('Entreprise')} optional error={errors.company?.message}>
              <TextInput autoComplete="off" {...register('company')} />
            </Field>
            <Field label={t('Notes')} optional hint={t('Le client peut les lire.')} error={errors.notes?.message}>
              <Textarea rows={3} {...register('notes')} />
            </Field>
          </>
        )}
        invite={inviteClient}
        onInvited={(outcome, { name }) => setInvited({ name, outcome })}
      />
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
    </>
  );
}
