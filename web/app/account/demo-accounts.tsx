import { isRole, roleLabels } from '@parrain/domain/role';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { publicConfig, type PublicConfig } from '#api/transport/public-config';
import { Button } from '#ui/button';

/** the demo accounts that exist and their shared password, only where demo data is loaded. */
export function DemoAccounts({ onPick }: { onPick: (email: string, password: string) => void }) {
  const { t } = useTranslation();
  const demo = useDemo();
  if (!demo || demo.accounts.length === 0) return null;
  return (
    <section aria-labelledby="demo-accounts" className="mt-8 rounded-card border border-hairline bg-sheet">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-hairline px-4 py-3">
        <h2 id="demo-accounts" className="font-sans text-base font-medium tracking-normal">
          {t('Comptes de démonstration')}
        </h2>
        <p className="text-sm text-encre-soft">
          {t('Mot de passe :')}{' '}
          <code className="rounded-[4px] bg-well px-1.5 py-0.5 font-mono text-encre">{demo.password}</code>
        </p>
      </div>
      <ul className="divide-y divide-hairline">
        {demo.accounts.map((account) => (
          <li key={account.email} className="flex items-center justify-between gap-3 px-4 py-2">
            <div className="min-w-0">
              <p className="text-sm text-encre-faint">
                {isRole(account.role) ? t(roleLabels[account.role]) : account.role}
              </p>
              <p className="truncate">{account.email}</p>
            </div>
            <Button
              size="sm"
              variant="quiet"
              aria-label={`${t('Utiliser')} ${account.email}`}
              onClick={() => onPick(account.email, demo.password)}
            >
              {t('Utiliser')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useDemo(): PublicConfig['demo'] {
  const [demo, setDemo] = useState<PublicConfig['demo']>(null);
  // The server's configuration is outside React.
  useEffect(() => {
    let left = false;
    publicConfig().then(
      (config) => !left && setDemo(config.demo),
      // Without a configuration there is no hint; signing in will say that the server does not answer.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, []);
  return demo;
}
