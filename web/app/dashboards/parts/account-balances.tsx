import { useTranslation } from 'react-i18next';
import type { PayeeAccount } from '#api/payments/payee-accounts';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { SumExplain } from './sum-explain.tsx';

/** Terms of one person's balance, from what was earned to what is available or owed (LG-02). */
export function AccountBalances({ account }: { account: PayeeAccount }) {
  const { t } = useTranslation();
  const terms = [
    { label: t('Gagné'), cents: account.earned },
    { label: t('Repris'), cents: -account.reversed },
    ...(account.adjusted === 0n ? [] : [{ label: t('Ajusté'), cents: account.adjusted }]),
    ...(account.waived === 0n ? [] : [{ label: t('Dette abandonnée'), cents: account.waived }]),
    ...(account.repaid === 0n ? [] : [{ label: t('Remboursé'), cents: account.repaid }]),
    ...(account.held > 0n ? [{ label: t('À venir'), cents: -account.held }] : []),
    { label: t('Demandé, pas encore payé'), cents: -account.reserved },
    { label: t('Payé'), cents: -account.paid },
  ];
  const isDebt = account.available < 0n;
  return (
    <Card className="p-4 sm:p-5" aria-label={t('Solde')}>
      <dl className="flex flex-col gap-x-8 gap-y-1 sm:flex-row sm:flex-wrap">
        {terms.map(({ label, cents }) => (
          <Term key={label} label={label}>
            <Amount cents={cents} />
          </Term>
        ))}
        <Term
          label={isDebt ? t('À rembourser') : t('Disponible')}
          why={
            <SumExplain
              title={isDebt ? t('À rembourser') : t('Disponible')}
              lines={terms.map(({ label, cents }) => ({ label, value: <Amount cents={cents} /> }))}
              result={{
                label: isDebt ? t('À rembourser') : t('Disponible'),
                value: <Amount cents={account.available} />,
              }}
            >
              {t('Chaque ligne ci-dessous y entre une fois, de la première à la dernière.')}
            </SumExplain>
          }
        >
          <Amount cents={account.available} className={isDebt ? 'text-danger' : 'text-sapin'} />
        </Term>
        {/* Of no balance: it stands beside what was paid. */}
        {account.vatPaid !== 0n && (
          <Term label={t('TVA payée en plus')}>
            <Amount cents={account.vatPaid} />
          </Term>
        )}
      </dl>
    </Card>
  );
}

function Term({ label, why, children }: { label: string; why?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 sm:block">
      <dt className="flex items-center gap-x-2 text-sm text-encre-soft">
        {label}
        {why}
      </dt>
      <dd className="text-lg font-medium">{children}</dd>
    </div>
  );
}
