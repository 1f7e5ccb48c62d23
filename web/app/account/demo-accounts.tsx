import { isRole, roleLabels } from '@parrain/domain/role';
import { useTranslation } from 'react-i18next';
import type { PublicConfig } from '#api/transport/public-config';
import { Button } from '#ui/button';

interface DemoAccountsProps {
  demo: NonNullable<PublicConfig['demo']>;
  onPick: (credentials: { email: string; password: string }) => void;
}

/** the demo accounts that exist and their shared password, only where demo data is loaded. */
export function DemoAccounts({ demo: { accounts, password }, onPick }: DemoAccountsProps) {
  const { t } = useTranslation();
  if (accounts.length === 0) return null;
  return (
    <section aria-labelledby="demo-accounts" className="mt-4 rounded-card border border-hairline bg-sheet">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 border-b border-hairline px-3 py-2">
        <h2 id="demo-accounts" className="font-sans text-sm font-medium tracking-normal">
          {t('Comptes de démonstration')}
        </h2>
        <p className="text-sm text-encre-soft">
          {t('Mot de passe :')}{' '}
          <code className="rounded-[4px] bg-well px-1 py-0.5 font-mono text-xs text-encre">{password}</code>
        </p>
      </div>
      <ul className="py-0.5">
        {accounts.map((account) => (
          <li key={account.email} className="flex items-center justify-between gap-3 px-3">
            <p className="min-w-0 truncate text-sm">
              <span className="inline-block w-28 text-encre-faint">
                {isRole(account.role) ? t(roleLabels[account.role]) : account.role}
              </span>
              {account.email}
            </p>
            <Button
              size="sm"
              variant="quiet"
              aria-label={`${t('Utiliser')} ${account.email}`}
              onClick={() => onPick({ email: account.email, password })}
            >
              {t('Utiliser')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
