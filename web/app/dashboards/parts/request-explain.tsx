import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useTranslation } from 'react-i18next';
import { Explain } from '#ui/explain';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';

const RequestWhy = lazyPart(() => import('./request-why.tsx'), <Skeleton className="h-20 w-60" />);

/** « Pourquoi ? » beside the amount of a request (LG-05). */
export function RequestExplain({ request }: { request: Pick<PaymentRequest, 'id' | 'clientId'> }) {
  const { t } = useTranslation();
  return (
    <Explain title={t('Demande de paiement')}>
      <RequestWhy request={request} />
    </Explain>
  );
}
