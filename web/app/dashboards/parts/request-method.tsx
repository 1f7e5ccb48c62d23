import { paymentDetailLines, paymentMethodLabel, type PaymentRequest } from '@parrain/domain/payment-request';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Cell } from '#ui/cell';

/** Means of payment of a request, with its details: an IBAN masked (V-18, DF-11). */
export function RequestMethod({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const lines = paymentDetailLines(request.paymentDetails).filter(({ value }) => value !== '');
  return (
    <Cell
      text={t(paymentMethodLabel(request.paymentMethod))}
      secondNode={
        lines.length > 0 && (
          <span title={lines.map(({ label, value }) => `${label} : ${value}`).join('\n')}>
            {lines.map(({ label, value }, index) => (
              <Fragment key={label}>
                {index > 0 && ' · '}
                <span className="sr-only">{label} : </span>
                {value}
              </Fragment>
            ))}
          </span>
        )
      }
    />
  );
}
