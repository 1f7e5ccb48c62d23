import { zodResolver } from '@hookform/resolvers/zod';
import { newPasswordForm } from '@parrain/domain/forms/new-password';
import { updateFailed } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError, messageOf } from '#api/transport/api-error';
import { choosePassword } from '#api/account/choose-password';
import { ownAccountQuery } from '#api/account/own-account';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { useToast } from '#ui/toast';
import { PasswordStrength } from '../../../account/password-strength.tsx';

/** A new password for the session that is open. */
export function PasswordCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const { register, handleSubmit, reset, formState, control } = useForm({
    resolver: zodResolver(newPasswordForm),
    mode: 'onTouched',
    defaultValues: { password: '', password_confirmation: '' },
  });
  const { errors } = formState;
  const password = useWatch({ control, name: 'password' });
  const [current, setCurrent] = useState('');
  const currentField = useRef<HTMLInputElement>(null);
  const { data: account } = useQuery(ownAccountQuery);
  // An account that only ever came by a provider has no password to give.
  const mayHaveOne = account === undefined || account.identities.some(({ provider }) => provider === 'email');
  const change = useMutation({
    mutationFn: (chosen: string) => choosePassword(chosen, current),
    onSuccess: () => {
      reset();
      setCurrent('');
      toast.success(t('Mot de passe modifié'));
    },
    onError: (error) => {
      if (isAboutCurrent(error)) currentField.current?.focus();
    },
  });
  const refusal = change.isError ? messageOf(change.error, updateFailed) : undefined;
  const isCurrentRefused = isAboutCurrent(change.error);
  return (
    <Card>
      <CardHeader title={t('Mot de passe')} level={4} />
      <CardBody>
        <form
          method="post"
          noValidate
          onSubmit={(event) => void handleSubmit((form) => change.mutate(form.password))(event)}
          className="flex flex-col gap-5"
        >
          {refusal !== undefined && !isCurrentRefused && <Notice tone="error">{refusal}</Notice>}
          {/* Password managers file the new password under this account. */}
          <input type="email" name="username" autoComplete="username" value={profile.email} readOnly hidden />
          {mayHaveOne && (
            <Field label={t('Mot de passe actuel')} error={isCurrentRefused ? refusal : undefined}>
              <PasswordInput
                ref={currentField}
                autoComplete="current-password"
                value={current}
                onChange={(event) => setCurrent(event.target.value)}
              />
            </Field>
          )}
          <Field
            label={t('Nouveau mot de passe')}
            hint={<PasswordStrength password={password ?? ''} owner={profile} />}
            error={errors.password?.message}
          >
            <PasswordInput autoComplete="new-password" {...register('password')} />
          </Field>
          <Field label={t('Confirmer le mot de passe')} error={errors.password_confirmation?.message}>
            <PasswordInput autoComplete="new-password" {...register('password_confirmation')} />
          </Field>
          <Button type="submit" pending={change.isPending} className="self-start">
            {t('Changer le mot de passe')}
          </Button>
        </form>
      </CardBody>
    </Card>
  );
}

/** True where the current password was missing or wrong. */
function isAboutCurrent(error: unknown): boolean {
  return error instanceof ApiError && currentRefusals.has(error.code);
}

const currentRefusals: ReadonlySet<string> = new Set([
  'current_password_required',
  'current_password_invalid',
  'reauthentication_needed',
]);
