import { explainCommission, type CommissionSide } from '@parrain/domain/commission';
import { formatEuros, type Cents } from '@parrain/domain/money';
import { saleState, type Sale } from '@parrain/domain/sale';
import { useTranslation } from 'react-i18next';
import { Explain } from '#ui/explain';

export interface CommissionExplainProps {
  sale: Sale;
  /** Whose commission is questioned. */
  side: 'client' | 'commercial';
}

/** « Pourquoi ? » beside a commission: the scale as the sale keeps it (S-12), the contract, the result. Nothing where no scale is known yet. */
export function CommissionExplain({ sale, side }: CommissionExplainProps) {
  const { t } = useTranslation();
  const terms = sale.scale?.[side];
  const recorded = side === 'client' ? sale.clientCommissionAmount : sale.commercialCommissionAmount;
  if (terms === undefined || sale.contractAmount === null || recorded === null) return null;
  return (
    <Explain title={titleOf(sale, t)}>
      <CommissionSentence contractAmount={sale.contractAmount} terms={terms} />
      {saleState(sale) === 'correction' && sale.correctionReason && (
        <p className="mt-1.5">{t('Raison de l’annulation : {{reason}}', { reason: sale.correctionReason })}</p>
      )}
    </Explain>
  );
}

function CommissionSentence({ contractAmount, terms }: { contractAmount: Cents; terms: CommissionSide }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="figures text-encre">{explainCommission(contractAmount, terms)}</p>
      {terms.type === 'percentage' ? (
        <p className="mt-1.5">{t('Le montant est arrondi au centime le plus proche.')}</p>
      ) : (
        <p className="mt-1.5">
          {t('Ce montant ne dépend pas du contrat, de {{amount}}.', { amount: formatEuros(contractAmount) })}
        </p>
      )}
    </>
  );
}

function titleOf(sale: Sale, t: (key: string) => string): string {
  switch (saleState(sale)) {
    case 'validated':
      return t('Calcul retenu à la validation');
    case 'correction':
      return t('Reprise d’une validation annulée');
    default:
      return t('Prévision, selon le barème en vigueur');
  }
}
