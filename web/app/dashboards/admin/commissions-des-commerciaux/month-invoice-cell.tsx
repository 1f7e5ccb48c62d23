import { monthInvoiceLabels } from '@parrain/domain/payee-invoice';
import { FileText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { CommissionPeriod } from '#api/payments/commission-periods';
import { Button } from '#ui/button';

/** AC-04: what a month's invoice waits for, with the way to read it. */
export default function MonthInvoiceCell({ period, onRead }: { period: CommissionPeriod; onRead: () => void }) {
  const { t } = useTranslation();
  const { invoice, fullName } = period;
  if (invoice === null) return null;
  const label = t(monthInvoiceLabels[invoice]);
  if (invoice === 'awaited') return <span className="text-sm text-encre-soft">{label}</span>;
  return (
    <Button
      size="sm"
      variant={invoice === 'sent' ? 'primary' : undefined}
      icon={<FileText aria-hidden />}
      aria-label={`${label} : ${fullName}`}
      onClick={onRead}
    >
      {label}
    </Button>
  );
}
