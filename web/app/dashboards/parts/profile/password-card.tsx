import { zodResolver } from '@hookform/resolvers/zod';
import { passwordLengthMin } from '@parrain/domain/forms/limits';
import { newPasswordForm } from '@parrain/domain/forms/new-password';
import { updateFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { choosePassword } from '#api/choose-password';
import { useProfile } from '#api/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { useToast } from '#ui/toast';

/** A new password for the session that is open. */
export function PasswordCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const { register, handleSubmit, reset, formState } = useForm({
    resolver: zodResolver(newPasswordForm),
    mode: 'onTouched',
    defaultValues: { password: '', password_confirmation: '' },
  });
  const { errors } = formState;
  const change = useMutation({
    mutationFn: (password: string) => choosePassword(password),
    onSuccess: () => {
      reset();
      toast.success(t('Mot de passe modifié'));
    },
  });
  return (
    <Card>
      <CardHeader title={t('Mot de passe')} level={3} />
      <CardBody>
        <form
          noValidate
          onSubmit={(event) => void handleSubmit((form) => change.mutate(form.password))(event)}
          className="flex flex-col gap-5"
        >
          {change.isError && <Notice tone="error">{messageOf(change.error, updateFailed)}</Notice>}
          {/* Password managers file the new password under this account. */}
          <input type="email" name="username" autoComplete="username" value={profile.email} readOnly hidden />
          <Field
            label={t('Nouveau mot de passe')}
            hint={t('{{count}} caractères au moins.', { count: passwordLengthMin })}
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
