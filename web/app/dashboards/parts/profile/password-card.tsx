import { zodResolver } from '@hookform/resolvers/zod';
import { newPasswordForm } from '@parrain/domain/forms/new-password';
import { updateFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError, messageOf } from '#api/api-error';
import { choosePassword } from '#api/choose-password';
import { useProfile } from '#api/session';
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
  // Asked for only where the installation wants it, and in a session that is more than a day old.
  const [current, setCurrent] = useState<string>();
  const change = useMutation({
    mutationFn: (chosen: string) => choosePassword(chosen, current),
    onSuccess: () => {
      reset();
      setCurrent(undefined);
      toast.success(t('Mot de passe modifié'));
    },
    onError: (error) => {
      if (error instanceof ApiError && proofs.has(error.code)) setCurrent('');
    },
  });
  return (
    <Card>
      <CardHeader title={t('Mot de passe')} level={4} />
      <CardBody>
        <form
          noValidate
          onSubmit={(event) => void handleSubmit((form) => change.mutate(form.password))(event)}
          className="flex flex-col gap-5"
        >
          {change.isError && <Notice tone="error">{messageOf(change.error, updateFailed)}</Notice>}
          {/* Password managers file the new password under this account. */}
          <input type="email" name="username" autoComplete="username" value={profile.email} readOnly hidden />
          {current !== undefined && (
            <Field label={t('Mot de passe actuel')}>
              <PasswordInput
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the one thing that is missing, asked for just now
                autoFocus
                autoComplete="current-password"
                value={current}
                onChange={(event) => setCurrent(event.target.value)}
              />
            </Field>
          )}
          <Field
            label={t('Nouveau mot de passe')}
            hint={<PasswordStrength password={password ?? ''} />}
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

/** What the server says where the current password is wanted as well. */
const proofs: ReadonlySet<string> = new Set(['current_password_required', 'reauthentication_needed']);
