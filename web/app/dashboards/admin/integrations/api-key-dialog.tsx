import { zodResolver } from '@hookform/resolvers/zod';
import { apiKeyScopeLabels, apiKeyScopes, apiKeyScopeSentences, type ApiKeyScope } from '@parrain/domain/api-key';
import { apiKeyForm } from '@parrain/domain/forms/api-key';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { signInAgain } from '#api/account/sign-in-again';
import { createApiKey } from '#api/company/api-keys';
import { ApiError, messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Checkbox } from '#ui/checkbox';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { PasswordAgain } from '../parts/password-again.tsx';

const chosen: ApiKeyScope[] = ['read'];

/** WH-01: a new key; then the key itself, once. The password is asked where the session is older than ten minutes. */
export default function ApiKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [password, setPassword] = useState('');
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(apiKeyForm),
    mode: 'onTouched',
    defaultValues: { name: '', scopes: chosen, expires_on: '' },
  });
  const { errors } = formState;
  const creation = useMutation({
    mutationFn: async (asked: Parameters<typeof createApiKey>[0]) => {
      // A second step comes first: its page takes over, and this begins again with a session that is young enough.
      if (password !== '' && (await signInAgain(profile.email, password)).status !== 'signed-in') return null;
      return createApiKey(asked);
    },
  });
  const isRefusedAsOld = creation.error instanceof ApiError && creation.error.code === 'reauthentication_required';
  const mustSignIn = isRefusedAsOld || password !== '';
  const key = creation.data ?? null;
  if (key !== null) return <NewKey secret={key} onClose={onClose} />;
  return (
    <FormDialog
      title={t('Créer une clé d’API')}
      description={t('Elle s’affiche une seule fois : gardez le logiciel ouvert à côté.')}
      onClose={onClose}
      action={t('Créer la clé')}
      pending={creation.isPending}
      onSubmit={handleSubmit((asked) => creation.mutate(asked))}
      failure={
        creation.isError && !isRefusedAsOld ? messageOf(creation.error, t('La clé n’a pas pu être créée.')) : undefined
      }
    >
      <Field label={t('Nom')} hint={t('Le logiciel qui s’en servira.')} error={errors.name?.message}>
        <TextInput autoComplete="off" placeholder={t('Logiciel de devis')} {...register('name')} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t('Ce qu’elle peut faire')}</legend>
        {apiKeyScopes.map((scope) => (
          <Checkbox
            key={scope}
            label={t(apiKeyScopeLabels[scope])}
            description={t(apiKeyScopeSentences[scope])}
            value={scope}
            {...register('scopes')}
          />
        ))}
        {errors.scopes?.message !== undefined && (
          <p role="alert" className="text-sm text-red">
            {errors.scopes.message}
          </p>
        )}
      </fieldset>
      <Field
        label={t('Dernier jour')}
        optional
        hint={t('Vide : elle vaut jusqu’à ce que vous la révoquiez.')}
        error={errors.expires_on?.message}
      >
        <TextInput type="date" className="max-w-52" {...register('expires_on')} />
      </Field>
      {mustSignIn && <PasswordAgain value={password} onChange={setPassword} />}
    </FormDialog>
  );
}

function NewKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Votre clé est prête')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('C’est copié')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warning" title={t('Copiez-la maintenant : elle ne s’affichera plus.')}>
          {t('Qui la tient agit au nom de l’entreprise. Ne l’envoyez ni par e-mail ni par messagerie.')}
        </Notice>
        <code className="rounded-field border border-hairline bg-papier p-3 text-sm break-all select-all">
          {secret}
        </code>
        <div>
          <CopyButton text={secret} label={t('Copier la clé')} />
        </div>
      </div>
    </Dialog>
  );
}
