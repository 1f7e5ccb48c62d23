import { formatDateTime } from '@parrain/domain/date';
import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useTranslation } from 'react-i18next';
import { Explain } from '#ui/explain';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';

const RequestWhy = lazyPart(() => import('./request-why.tsx'), <Skeleton className="h-20 w-60" />);

/** « Pourquoi ? » beside the amount of a request (LG-05). */
export function RequestExplain({ request }: { request: Pick<PaymentRequest, 'id' | 'clientId' | 'createdAt'> }) {
  const { t } = useTranslation();
  return (
    <Explain title={t('Demande de paiement')} of={formatDateTime(request.createdAt)}>
      <RequestWhy request={request} />
    </Explain>
  );
}
