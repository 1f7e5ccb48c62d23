import { zodResolver } from '@hookform/resolvers/zod';
import { eInvoicingConnected } from '@parrain/domain/e-invoice';
import { eInvoicingForm } from '@parrain/domain/forms/e-invoicing';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { signInAgain } from '#api/account/sign-in-again';
import { connectPlatform, type EInvoicingPlatform, type PlatformForm } from '#api/payments/e-invoices';
import { ApiError, issueOf, reasonOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { useProfile } from '#api/transport/session';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { PasswordAgain } from '../parts/password-again.tsx';

const fields = ['flow_url', 'directory_url', 'token_url', 'client_id', 'client_secret'] as const;

/** EI-01: a plateforme agréée, kept once it has answered. The password is asked where the session is older than ten minutes. */
export default function PlatformDialog({
  platform,
  onClose,
}: {
  platform: EInvoicingPlatform | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const [password, setPassword] = useState('');
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: zodResolver(eInvoicingForm),
    mode: 'onTouched',
    defaultValues: {
      flow_url: platform?.flowUrl ?? '',
      directory_url: platform?.directoryUrl ?? '',
      token_url: platform?.tokenUrl ?? '',
      client_id: platform?.clientId ?? '',
      client_secret: '',
    },
  });
  const { errors } = formState;
  const save = useMutation({
    mutationFn: async (form: PlatformForm) => {
      // A second step comes first: its page takes over, and this begins again with a session that is young enough.
      if (password !== '' && (await signInAgain(profile.email, password)).status !== 'signed-in') return;
      await connectPlatform(form);
      toast.success(t(eInvoicingConnected));
      onClose();
    },
    // What the platform says of an address stands beside it.
    onError: (error) => setServerIssues(error, fields, setError),
  });
  const isRefusedAsOld = save.error instanceof ApiError && save.error.code === 'reauthentication_required';
  const line = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <FormDialog
      title={platform === null ? t('Relier une plateforme agréée') : t('Changer la plateforme agréée')}
      description={t(
        'Votre plateforme donne ces adresses et cet accès (API AFNOR XP Z12-013). Elle est essayée avant d’être enregistrée ; rien n’est envoyé tant que le dépôt n’est pas activé.',
      )}
      onClose={onClose}
      action={t('Essayer et enregistrer')}
      pending={save.isPending}
      onSubmit={handleSubmit((form) => save.mutate(form))}
      failure={save.isError && !isRefusedAsOld && issueOf(save.error) === undefined ? reasonOf(save.error) : undefined}
    >
      <Field
        label={t('Adresse du service des flux')}
        hint={t('Sans le « /v1 » de la fin.')}
        error={errors.flow_url?.message}
      >
        <TextInput type="url" inputMode="url" placeholder="https://" {...line} {...register('flow_url')} />
      </Field>
      <Field label={t('Adresse du service de l’annuaire')} error={errors.directory_url?.message}>
        <TextInput type="url" inputMode="url" placeholder="https://" {...line} {...register('directory_url')} />
      </Field>
      <Field label={t('Adresse des jetons (OAuth2)')} error={errors.token_url?.message}>
        <TextInput type="url" inputMode="url" placeholder="https://" {...line} {...register('token_url')} />
      </Field>
      <Field label={t('Identifiant')} error={errors.client_id?.message}>
        <TextInput {...line} {...register('client_id')} />
      </Field>
      <Field
        label={t('Secret')}
        hint={platform === null ? undefined : t('Vide : celui qui est enregistré reste.')}
        error={errors.client_secret?.message}
      >
        <TextInput type="password" {...line} autoComplete="new-password" {...register('client_secret')} />
      </Field>
      {(isRefusedAsOld || password !== '') && <PasswordAgain value={password} onChange={setPassword} />}
    </FormDialog>
  );
}
