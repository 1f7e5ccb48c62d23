import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { requestLineQuery } from '#api/payments/account-lines';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { Skeleton } from '#ui/skeleton';
import { SumLines } from './sum-explain.tsx';

/** LG-05: what « Pourquoi ? » says of a request: what was available when it was made, and what it left. */
export default function RequestWhy({ request }: { request: Pick<PaymentRequest, 'id' | 'clientId'> }) {
  const { t } = useTranslation();
  const { data: line, isError } = useQuery(requestLineQuery(request.clientId, request.id));
  if (line === undefined) {
    if (!isError) return <Skeleton className="h-20 w-60" />;
    return <p>{t('Le détail n’a pas pu être chargé. Fermez, puis posez la question de nouveau.')}</p>;
  }
  return (
    <>
      <p>
        {t('Réservé sur le compte le')} <DateText value={line.at} withTime />
      </p>
      <SumLines
        lines={[
          { label: t('Disponible avant la demande'), value: <Amount cents={line.available - line.change} /> },
          { label: t('Demandé'), value: <Amount cents={line.change} /> },
        ]}
        result={{ label: t('Disponible après'), value: <Amount cents={line.available} /> }}
      />
    </>
  );
}
