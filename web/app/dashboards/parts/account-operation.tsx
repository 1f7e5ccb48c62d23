import { repaymentMethodLabel } from '@parrain/domain/debt';
import { ledgerActLabels } from '@parrain/domain/ledger';
import { paymentMethodLabel } from '@parrain/domain/payment-request';
import { shortId } from '@parrain/domain/short-id';
import { useTranslation } from 'react-i18next';
import type { AccountLine } from '#api/payments/account-lines';
import { PaymentRequestStatus } from './payment-request-status.tsx';

/** Operation behind a line of an account: the contract of a commission, or the request and its status. */
export function AccountOperation({ line }: { line: AccountLine }) {
  const { t } = useTranslation();
  const reason = line.reason !== null && <span className="min-w-0 break-words">«&nbsp;{line.reason}&nbsp;»</span>;
  if (line.saleId === null) {
    return (
      <div className="min-w-0 wide:py-1.5 lg:max-w-96">
        <p className="font-medium">{t(ledgerActLabels[line.act])}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-sm font-normal text-encre-soft">
          {line.repaymentMethod !== null && t(repaymentMethodLabel(line.repaymentMethod))}
          {line.paymentMethod !== null && t(paymentMethodLabel(line.paymentMethod))}
          {line.act === 'request' && line.requestStatus !== null && (
            <PaymentRequestStatus status={line.requestStatus} />
          )}
          {reason}
        </p>
      </div>
    );
  }
  return (
    <div className="min-w-0 wide:py-1.5 lg:max-w-96">
      <p className="font-medium break-words">
        {line.contactName ?? t('Contrat n° {{id}}', { id: shortId(line.saleId) })}
      </p>
      <p className="text-sm font-normal text-encre-soft">
        {t(ledgerActLabels[line.act])} {reason}
      </p>
    </div>
  );
}
