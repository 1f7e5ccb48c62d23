import { formatEuros } from '@parrain/domain/money';
import { paymentMethodLabels, paymentMethods, type PaymentMethod } from '@parrain/domain/payment-request';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listTotalsQuery } from '#api/company/list-totals';
import { FilterChips } from '#ui/filter-chips';

export interface ToPayProps {
  method: PaymentMethod | null;
  onChoose: (method: PaymentMethod | null) => void;
}

/** « À payer »: what is approved and not paid yet, by means of payment, each with its number and its total. */
export default function ToPay({ method, onChoose }: ToPayProps) {
  const { t } = useTranslation();
  const totals = useQueries({
    queries: paymentMethods.map((word) =>
      listTotalsQuery('payment-requests', `status=eq.approved&payment_method=eq.${word}`),
    ),
  });
  const options = paymentMethods.flatMap((word, at) => {
    const found = totals[at]?.data;
    const amount = found?.sums.get('Total');
    if (found?.rowCount === 0 && word !== method) return [];
    const label = t(paymentMethodLabels[word]);
    return [
      {
        value: word,
        label: amount === undefined ? label : `${label} · ${formatEuros(amount)}`,
        count: found?.rowCount,
      },
    ];
  });
  return (
    <FilterChips<PaymentMethod | 'all'>
      label={t('À payer, par moyen de paiement')}
      value={method ?? 'all'}
      onValueChange={(word) => onChoose(word === 'all' ? null : word)}
      options={[{ value: 'all', label: t('Tous les moyens') }, ...options]}
    />
  );
}
