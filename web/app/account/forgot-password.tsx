import { zodResolver } from '@hookform/resolvers/zod';
import { forgotPasswordForm, type ForgotPassword as Request } from '@parrain/domain/forms/forgot-password';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { messageOf } from '#api/api-error';
import { requestPasswordLink } from '#api/request-password-link';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';

export const meta = () => [{ title: 'Mot de passe oublié – Parrain' }];

/** the same answer whether the account exists or not. */
export default function ForgotPassword() {
  const { t } = useTranslation();
  const [sentTo, setSentTo] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const form = useForm({ resolver: zodResolver(forgotPasswordForm), mode: 'onTouched', defaultValues: { email: '' } });
  const { errors, isSubmitting } = form.formState;

  const send = async ({ email }: Request) => {
    setFailure(undefined);
    try {
      await requestPasswordLink(email);
      setSentTo(email);
    } catch (error) {
      setFailure(messageOf(error, t('La demande n’a pas pu être envoyée. Réessayez.')));
    }
  };

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Mot de passe oublié ?')}
      </h1>
      <p className="mt-1 text-encre-soft">
        {t('Indiquez votre adresse : nous vous envoyons un lien pour en choisir un nouveau.')}
      </p>
      {sentTo && (
        <Notice tone="success" className="mt-6" title={t('Demande enregistrée')}>
          {t('Si un compte existe à l’adresse')} {sentTo}
          {t(', un e-mail vient de partir. Son lien est valable une heure ; pensez à regarder vos indésirables.')}
        </Notice>
      )}
      {failure && (
        <Notice tone="error" className="mt-6">
          {failure}
        </Notice>
      )}
      <form noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
        <Field label={t('Adresse e-mail')} error={errors.email?.message}>
          <TextInput
            type="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('email')}
          />
        </Field>
        <Button type="submit" variant={sentTo ? 'secondary' : 'primary'} size="lg" pending={isSubmitting}>
          {sentTo ? t('Envoyer à nouveau') : t('Recevoir le lien')}
        </Button>
      </form>
      <Link
        to="/auth/login"
        className="mt-8 inline-flex items-center gap-1.5 self-start text-sm font-medium text-sapin underline-offset-4 hover:underline"
      >
        <ArrowLeft aria-hidden className="size-4" />
        {t('Retour à la connexion')}
      </Link>
    </>
  );
}
