import { noPaymentRequest } from '@parrain/domain/messages';
import { Landmark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { AllPaymentRequestsAsked } from '#api/payments/all-payment-requests';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { countText } from '../../parts/count-text.ts';

export interface NoRequestProps {
  status: AllPaymentRequestsAsked['status'];
  toPayCount: number | undefined;
  onToPay: () => void;
}

/** No request of a status; where all are decided and some wait to be paid, these come next. */
export function NoRequest({ status, toPayCount = 0, onToPay }: NoRequestProps) {
  const { t } = useTranslation();
  const isNextToPay = status === 'pending' && toPayCount > 0;
  return (
    <EmptyState
      icon={<Landmark />}
      title={isNextToPay ? t('Aucune demande à traiter') : t(noPaymentRequest)}
      description={
        isNextToPay
          ? countText(
              toPayCount,
              t('demande approuvée attend d’être payée.'),
              t('demandes approuvées attendent d’être payées.'),
            )
          : t(descriptions[status])
      }
      action={isNextToPay && <Button onClick={onToPay}>{t('Voir les demandes à payer')}</Button>}
    />
  );
}

const descriptions: Readonly<Record<NoRequestProps['status'], string>> = {
  all: 'Une demande arrive ici quand un client réclame ses commissions disponibles.',
  pending: 'Aucune demande n’attend votre décision.',
  approved: 'Aucune demande approuvée n’attend d’être payée.',
  rejected: 'Aucune demande n’a été refusée.',
  paid: 'Aucune demande n’a encore été payée.',
  returned: 'Aucun virement n’est revenu de la banque.',
};
