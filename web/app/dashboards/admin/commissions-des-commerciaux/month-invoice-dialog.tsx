import { formatEuros } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { monthName } from '@parrain/domain/statement';
import { useTranslation } from 'react-i18next';
import type { CommissionPeriod } from '#api/payments/commission-periods';
import { Dialog } from '#ui/dialog';
import PayeeInvoices from '../parts/payee-invoices.tsx';

/** AC-04: the invoices of a commercial's month, to read and to decide beside what is due. */
export default function MonthInvoiceDialog({ period, onClose }: { period: CommissionPeriod; onClose: () => void }) {
  const { t } = useTranslation();
  const { payeeId, month, fullName, due } = period;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={fullName}
      description={t('Commissions {{ofMonth}}, reports compris : {{amount}} hors taxe.', {
        ofMonth: ofName(monthName(month)),
        amount: formatEuros(due),
      })}
    >
      <PayeeInvoices payment={{ payeeId, month }} payeeId={payeeId} />
    </Dialog>
  );
}
