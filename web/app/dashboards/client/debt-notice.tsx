import { formatEuros, type Cents } from '@parrain/domain/money';
import { useTranslation } from 'react-i18next';
import { Notice } from '#ui/notice';

/** S-11: a contract that was cancelled or reduced left less than what was already paid. Said plainly, with what follows. */
export function DebtNotice({ debt }: { debt: Cents | undefined }) {
  const { t } = useTranslation();
  if (debt === undefined || debt === 0n) return null;
  return (
    <Notice tone="warning" className="mb-4" title={t('Vous devez {{amount}}', { amount: formatEuros(debt) })}>
      {t(
        'Un contrat qui vous avait été payé a été annulé ou réduit. Vos prochaines commissions rembourseront ce montant ; d’ici là, aucune demande de paiement n’est possible.',
      )}
    </Notice>
  );
}
