import { clientCommissionRecipient, explainCommission } from '@parrain/domain/commission';
import { commissionSteps, formatExact, ruledSteps } from '@parrain/domain/commission-steps';
import { formatEuros, sum, type Cents } from '@parrain/domain/money';
import { isEarned, saleState, type Sale } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { SideTerms } from '#api/sales/commission-terms';
import { commissionWhyQuery, type CommissionWhy } from '#api/sales/commission-why';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { Skeleton } from '#ui/skeleton';
import { SumLines } from './sum-explain.tsx';

export interface CommissionWhyProps {
  saleId: string;
  /** The sale on screen: a forecast is explained by it alone. */
  sale?: Sale | undefined;
  side: 'client' | 'commercial';
  /** Rules of a forecast and where its payee stands, of whoever may know it: the admin who validates (SC-02). */
  ruled?: SideTerms | undefined;
}

/** LG-05: what « Pourquoi ? » says of a commission, step by step. Its code, and what it reads, come when somebody asks. */
export default function CommissionWhyAnswer({ saleId, sale: shown, side, ruled }: CommissionWhyProps) {
  const { t } = useTranslation();
  const isForecast = shown !== undefined && !isEarned(shown);
  const why = useQuery({ ...commissionWhyQuery(saleId, side), enabled: !isForecast });
  const sale = isForecast ? shown : why.data?.sale;
  if (sale === undefined) {
    if (!why.isError) return <Skeleton className="h-24 w-60" />;
    return <p>{t('Le détail n’a pas pu être chargé. Fermez, puis posez la question de nouveau.')}</p>;
  }
  if (sale === null) {
    return (
      <p>
        {t('Ce parrainage est celui d’un autre client : sa commission est à vous, le détail du contrat ne l’est pas.')}
      </p>
    );
  }
  return <CommissionExplanation sale={sale} side={side} why={why.data} ruled={ruled ?? why.data?.terms ?? null} />;
}

/** A commission by rules that are not read here: those of a forecast, or of a side that is another's. */
function UnknownRules({ amount, sale }: { amount: Cents; sale: Sale }) {
  const { t } = useTranslation();
  return (
    <>
      <p>
        {isEarned(sale)
          ? t('Selon les paliers, plafonds et primes du barème retenu à la validation.')
          : t('Selon les paliers, plafonds et primes du barème ; la validation compte aussi les contrats d’avant.')}
      </p>
      <SumLines
        lines={[{ label: t('Contrat'), value: formatEuros(sale.contractAmount ?? 0n) }]}
        result={{ label: t('Commission'), value: <Amount cents={amount} /> }}
      />
    </>
  );
}

function CommissionExplanation({
  sale,
  side,
  why,
  ruled,
}: {
  sale: Sale;
  side: 'client' | 'commercial';
  why: CommissionWhy | undefined;
  ruled: SideTerms | null;
}) {
  const { t } = useTranslation();
  const terms = sale.scale?.[side];
  const { contractAmount } = sale;
  if (terms === undefined || contractAmount === null) return <p>{t('Aucun barème n’est encore retenu.')}</p>;
  const hasPayee = side === 'commercial' || clientCommissionRecipient(sale) !== null;
  const isCorrection = saleState(sale) === 'correction';
  const { corrections = [], hold = null, scaleName = null, version = null } = why ?? {};
  const facts = { contractAmount, contractLeft: sale.contractLeft ?? null };
  const { contract, steps, result } =
    ruled === null || !hasPayee ? commissionSteps({ ...facts, terms, hasPayee }) : ruledSteps(facts, ruled.earned);
  const recorded = side === 'client' ? sale.clientCommissionAmount : sale.commercialCommissionAmount;
  if (recorded !== null && recorded !== result.amount) return <UnknownRules amount={recorded} sale={sale} />;
  return (
    <>
      {isCorrection
        ? sale.correctionReason && <p>{t('Raison : {{reason}}', { reason: sale.correctionReason })}</p>
        : hasPayee && (
            <p className={ruled === null ? 'tabular-digits text-encre' : 'text-encre'}>
              {ruled === null ? explainCommission(contractAmount, terms) : ruled.sentence(contractAmount)}
            </p>
          )}
      <SumLines
        lines={[
          ...contract.map(({ label, amount }) => ({ label: t(label), value: formatEuros(amount) })),
          ...steps.map(({ label, amount }) => ({ label: t(label), value: formatExact(amount) })),
        ]}
        result={{ label: t(result.label), value: <Amount cents={result.amount} /> }}
      />
      {corrections.length > 0 && (
        <SumLines
          lines={corrections.map(({ id, contractLeft, amount }) => ({
            key: id,
            label:
              contractLeft === 0n
                ? t('Contrat annulé depuis')
                : t('Contrat corrigé à {{amount}} depuis', { amount: formatEuros(contractLeft) }),
            value: <Amount cents={amount} />,
          }))}
          result={{
            label: t('Ce qui en reste'),
            value: <Amount cents={result.amount + sum(corrections.map(({ amount }) => amount))} />,
          }}
        />
      )}
      {hold !== null && hold.left > 0n && !isCorrection && (
        <p className="mt-2">
          {hold.isUnderCheck ? (
            t('À venir : une vérification est en cours.')
          ) : (
            <>
              {hold.isOver
                ? t('Gardée par le délai du barème jusqu’au')
                : t('À venir : le délai du barème la garde jusqu’au')}{' '}
              <DateText value={hold.until} />
            </>
          )}
        </p>
      )}
      <p className="mt-2">
        {version !== null ? (
          <>
            {scaleName === null
              ? t('Version {{number}} du barème, du', { number: version.number })
              : t('Barème « {{name}} », version {{number}} du', { name: scaleName, number: version.number })}{' '}
            <DateText value={version.firstDay} />
          </>
        ) : isEarned(sale) ? (
          t('Selon le barème retenu à la validation : il ne change plus pour ce contrat.')
        ) : (
          t('Selon le barème en vigueur : la validation retient le sien.')
        )}
      </p>
      {version !== null && version.chosenReason !== null && (
        <p className="mt-2">
          {t('Version choisie par l’administrateur : {{reason}}', { reason: version.chosenReason })}
        </p>
      )}
    </>
  );
}
