import clsx from 'clsx';
import { KeyRound, LogIn, MailOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { canUsePasskeys } from '#api/account/can-use-passkeys';
import { providerName } from '#api/account/provider-name';
import { Button, buttonClass } from '#ui/button';
import { Notice } from '#ui/notice';
import { useHydrated } from './use-hydrated.ts';
import { useSignInWays } from './use-sign-in-ways.ts';
import { WhereOffered } from './where-offered.tsx';

/** At 320 px some of these sentences take two lines. */
const mayWrap = 'h-auto min-h-12 py-2 whitespace-normal';

/** The ways in besides the password: a passkey where the browser can, a mailed link, the providers that are configured. */
export function OtherWays() {
  const { t } = useTranslation();
  const ways = useSignInWays();
  // The written picture shows the button that nearly every browser can use.
  const isHydrated = useHydrated();
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
    <section aria-label={t('Autres moyens de se connecter')} className="mt-3">
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
      <div className="mt-3 flex flex-col gap-2">
        {ways.passkeys && (!isHydrated || canUsePasskeys()) && (
          <Button
            size="lg"
            // A press before the script has arrived would be lost, as the form's would.
            disabled={!isHydrated}
            className={clsx(mayWrap, 'disabled:opacity-100')}
            icon={<KeyRound aria-hidden />}
            pending={pending === 'passkey'}
            onClick={() =>
              void run('passkey', async () => (await import('#api/account/sign-in-with-passkey')).signInWithPasskey())
            }
          >
            {t('Se connecter avec une clé d’accès')}
          </Button>
        )}
        {ways.providers.map((provider) => (
          <Button
            key={provider}
            size="lg"
            className={mayWrap}
            icon={<LogIn aria-hidden />}
            pending={pending === provider}
            onClick={() =>
              void run(provider, async () => (await import('#api/account/providers')).signInWithProvider(provider))
            }
          >
            {t('Continuer avec {{name}}', { name: providerName(provider) })}
          </Button>
        ))}
        <WhereOffered
          what="mails"
          otherwise={
            <p className="flex min-h-8 items-center justify-center text-center text-sm text-encre-faint">
              {t('Aucun lien de connexion : cette plateforme n’envoie pas d’e-mails.')}
            </p>
          }
        >
          <Link to="/auth/login-link" className={clsx(buttonClass({ size: 'lg' }), mayWrap)}>
            <MailOpen aria-hidden />
            {t('Recevoir un lien de connexion')}
          </Link>
        </WhereOffered>
      </div>
    </section>
  );
}
