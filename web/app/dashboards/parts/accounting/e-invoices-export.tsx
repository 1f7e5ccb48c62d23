import { statementPeriods } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { FileArchive } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadEInvoices, hasInvoicesQuery } from '#api/payments/e-invoices';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Select } from '#ui/select';
import { useDownload } from '../use-download.ts';

/** EI-01: the invoices of a period that are still to be sent by hand, for an admin and the accountant. */
export function EInvoicesExport({ className }: { className?: string | undefined }) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const first = useQuery(firstAccountLineQuery(null)).data ?? now;
  const periods = [...statementPeriods('annee', first, now), ...statementPeriods('mois', first, now)];
  const [chosen, setChosen] = useState<string | null>(null);
  const period = chosen ?? periods[0]?.name ?? null;
  return (
    <div className={clsx('flex flex-wrap items-center gap-3', className)}>
      <p className="min-w-0 grow basis-60 text-sm text-encre-soft">
        {t(
          'Les factures d’une période qui restent à déposer, avec la marche à suivre. L’état de chacune est dans « Pièces de paiement ».',
        )}
      </p>
      <Select
        size="sm"
        className="max-w-64"
        label={t('Période des factures à exporter')}
        options={periods.map(({ name, label }) => ({ value: name, label: t(label) }))}
        value={period}
        onValueChange={setChosen}
      />
      <Button
        size="sm"
        icon={<FileArchive aria-hidden />}
        pending={pending === period}
        disabled={period === null}
        onClick={() => period !== null && void start(period, (signal) => downloadEInvoices(period, signal))}
      >
        {t('Exporter')}
      </Button>
    </div>
  );
}

/** The same on the accountant's screen (UI-12), once the company has made an invoice. */
export function AccountantEInvoices({ className }: { className?: string | undefined }) {
  const { t } = useTranslation();
  if (useQuery(hasInvoicesQuery).data !== true) return null;
  return (
    <Card className={clsx('p-5', className)}>
      <h3 className="text-lg">{t('Factures électroniques')}</h3>
      <EInvoicesExport className="mt-2" />
    </Card>
  );
}
