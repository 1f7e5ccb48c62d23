import { useTranslation } from 'react-i18next';
import type { ClientCards } from '#api/payments/client-figures';
import { Amount } from '#ui/amount';
import { SumExplain } from '../parts/sum-explain.tsx';

/** Earned, adjusted, repaid − paid − in progress − held: what is available, or what is owed where it is below zero (M-08, S-11). */
export function balanceOf(cards: ClientCards): bigint {
  return (
    cards.validatedCommissions +
    cards.adjusted +
    cards.repaid -
    cards.held -
    cards.paymentsReceived -
    cards.requestsInProgress
  );
}

/** « Pourquoi ? » beside what is available. */
export function BalanceExplain({ cards }: { cards: ClientCards }) {
  const { t } = useTranslation();
  const balance = balanceOf(cards);
  return (
    <SumExplain
      title={t('Disponible pour paiement')}
      lines={[
        { label: t('Commissions validées'), value: <Amount cents={cards.validatedCommissions} /> },
        ...(cards.adjusted === 0n ? [] : [{ label: t('Ajustements'), value: <Amount cents={cards.adjusted} /> }]),
        ...(cards.repaid === 0n ? [] : [{ label: t('Remboursé'), value: <Amount cents={cards.repaid} /> }]),
        { label: t('Paiements reçus'), value: <Amount cents={-cards.paymentsReceived} /> },
        { label: t('Demandes en cours'), value: <Amount cents={-cards.requestsInProgress} /> },
        ...(cards.held > 0n ? [{ label: t('À venir, à la fin du délai'), value: <Amount cents={-cards.held} /> }] : []),
      ]}
      result={{ label: balance < 0n ? t('À rembourser') : t('Disponible'), value: <Amount cents={balance} /> }}
    >
      {balance < 0n
        ? t('Ce qui vous a été versé dépasse ce que vous avez gagné : vos prochaines commissions le rembourseront.')
        : t('Ce que la société a validé pour vous, moins ce qui vous a été versé et ce que vous avez déjà demandé.')}
    </SumExplain>
  );
}
