import { KeyRound, LogIn, MailOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { canUsePasskeys } from '#api/account/passkeys';
import { signInWithPasskey } from '#api/account/sign-in-with-passkey';
import { providerName, signInWithProvider } from '#api/account/providers';
import { Button, buttonClass } from '#ui/button';
import { Notice } from '#ui/notice';
import { useSignInWays } from './use-sign-in-ways.ts';

/** The ways in besides the password: a passkey where the browser can, a mailed link, the providers that are configured. */
export default function OtherWays() {
  const { t } = useTranslation();
  const ways = useSignInWays();
  const [pending, setPending] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const run = async (name: string, attempt: () => Promise<void>) => {
    setPending(name);
    setFailure(undefined);
    try {
      await attempt();
    } catch (error) {
      setFailure(messageOf(error, t('La connexion n’a pas abouti. Réessayez.')));
      setPending(undefined);
    }
  };
  return (
    <section aria-label={t('Autres moyens de se connecter')} className="mt-6">
      <p aria-hidden className="flex items-center gap-3 text-sm text-encre-faint">
        <span className="h-px grow bg-hairline" />
        {t('ou')}
        <span className="h-px grow bg-hairline" />
      </p>
      {failure && (
        <Notice tone="error" className="mt-4">
          {failure}
        </Notice>
      )}
      <div className="mt-4 flex flex-col gap-2">
        {ways.passkeys && canUsePasskeys() && (
          <Button
            size="lg"
            icon={<KeyRound aria-hidden />}
            pending={pending === 'passkey'}
            onClick={() => void run('passkey', signInWithPasskey)}
          >
            {t('Se connecter avec une clé d’accès')}
          </Button>
        )}
        {ways.providers.map((provider) => (
          <Button
            key={provider}
            size="lg"
            icon={<LogIn aria-hidden />}
            pending={pending === provider}
            onClick={() => void run(provider, () => signInWithProvider(provider))}
          >
            {t('Continuer avec {{name}}', { name: providerName(provider) })}
          </Button>
        ))}
        <Link to="/auth/login-link" className={buttonClass({ size: 'lg' })}>
          <MailOpen aria-hidden />
          {t('Recevoir un lien de connexion')}
        </Link>
      </div>
    </section>
  );
}
