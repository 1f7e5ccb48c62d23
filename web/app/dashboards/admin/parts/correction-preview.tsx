import { availableBalance, debt, type Balance } from '@parrain/domain/balance';
import {
  clientCommissionRecipient,
  correctionOf,
  explainCommission,
  type Commissions,
  type ContractChange,
} from '@parrain/domain/commission';
import { correctedBalance } from '@parrain/domain/corrected-balance';
import { formatEuros, type Cents } from '@parrain/domain/money';
import { referrerName, type Sale } from '@parrain/domain/sale';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommissionTerms } from '#api/sales/commission-terms';
import type { CorrectionBasis } from '#api/sales/correction-basis';
import { Amount } from '#ui/amount';
import { Notice } from '#ui/notice';

export interface CorrectionPreviewProps {
  sale: Sale;
  /** Of the sides that have rules beyond a rate or an amount (SC-02). */
  terms: CommissionTerms;
  before: Cents;
  /** None as long as no amount is typed: what there is stands alone. */
  after: Cents | undefined;
  basis: CorrectionBasis;
}

/**
 * A contract before its correction and after it, side by side: its amount, both commissions, and what becomes of what each was paid.
 * The domain computes it as the database will write it (`database/tests/contract-corrections.test.ts`).
 */
export function CorrectionPreview({ sale, terms, before, after, basis }: CorrectionPreviewProps) {
  const { t } = useTranslation();
  const { scale } = sale;
  const commissions = correctedCommissions(sale, terms, { before, after: after ?? before });
  if (scale === null || commissions === null) return null;
  const sides = [
    { side: 'client', who: referrerName(sale), part: t('Commission client') },
    { side: 'commercial', who: sale.commercialName, part: t('Commission commercial') },
  ] as const;
  const payees = sides.flatMap(({ side, who, part }) => {
    const of = basis[side];
    // Nobody receives a side of which no balance was read.
    return of === undefined ? [] : [{ side, of, who: who ?? t('Compte supprimé'), part }];
  });
  const changed =
    after === undefined
      ? []
      : payees.map(({ side, of: { balance, kept }, who }) => {
          const change = commissions.after[side] - commissions.before[side];
          return { key: side, who, before: balance, after: correctedBalance(balance, change, kept) };
        });
  return (
    <div aria-live="polite" className="flex flex-col gap-3">
      <table className="w-full text-sm" aria-label={t('Avant et après')}>
        <thead>
          <tr className="border-b border-hairline text-encre-soft">
            <th scope="col" className="pb-1.5 text-left font-normal">
              <span className="sr-only">{t('Ligne')}</span>
            </th>
            <th scope="col" className="w-26 pb-1.5 pl-3 text-right font-normal">
              {t('Avant')}
            </th>
            <th scope="col" className="w-26 pb-1.5 pl-3 text-right font-normal">
              {t('Après')}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-hairline">
          <Row label={t('Contrat')} before={before} after={after} />
          {payees.map(({ side, who, part }) => (
            <Row
              key={side}
              label={part}
              who={who}
              why={
                terms[side] === undefined
                  ? explainCommission(after ?? before, scale[side])
                  : terms[side].stepsText(after ?? before)
              }
              before={commissions.before[side]}
              after={after === undefined ? undefined : commissions.after[side]}
            />
          ))}
          {changed.map(({ key, ...payee }) => (
            <Balances key={key} {...payee} />
          ))}
        </tbody>
      </table>
      {changed.map(({ key, ...payee }) => (
        <Consequence key={key} {...payee} />
      ))}
    </div>
  );
}

/** Commissions of a contract before a correction and after it, by its own terms; null of a sale without a scale. */
export function correctedCommissions(
  sale: Sale,
  terms: CommissionTerms,
  change: ContractChange,
): { readonly before: Commissions; readonly after: Commissions } | null {
  if (sale.scale === null) return null;
  const plain = correctionOf(sale, change, sale.scale);
  const end = (at: keyof ContractChange): Commissions => ({
    client:
      clientCommissionRecipient(sale) === null ? 0n : (terms.client?.earned(change[at]).amount ?? plain[at].client),
    commercial: terms.commercial?.earned(change[at]).amount ?? plain[at].commercial,
  });
  return { before: end('before'), after: end('after') };
}

interface PayeeProps {
  who: string;
  before: Balance;
  after: Balance;
}

/** Lines of a payee's balance that the correction changes; none of a balance that it leaves as it is. */
function Balances({ who, before, after }: PayeeProps) {
  const { t } = useTranslation();
  const lines = [
    { label: t('À venir'), of: (balance: Balance) => balance.held },
    { label: t('Disponible'), of: availableBalance },
    { label: t('Dette'), of: debt, isDebt: true },
  ];
  return lines
    .filter(({ of }) => of(before) !== of(after))
    .map(({ label, of, isDebt = false }) => (
      <Row
        key={label}
        label={label}
        who={who}
        why={before.paid > 0n ? t('Déjà payé : {{amount}}', { amount: formatEuros(before.paid) }) : undefined}
        before={of(before)}
        after={of(after)}
        isDebt={isDebt}
      />
    ));
}

/** In words, what was paid already and is to be earned back. */
function Consequence({ who, before, after }: PayeeProps) {
  const { t } = useTranslation();
  const owed = debt(after);
  const words = { who, paid: formatEuros(before.paid), debt: formatEuros(owed), asked: formatEuros(before.reserved) };
  if (owed > 0n && owed !== debt(before)) {
    return (
      <Notice tone="warning">
        {t(
          '{{who}} a déjà reçu {{paid}} en tout : {{debt}} deviennent une dette, que ses prochaines commissions remboursent.',
          words,
        )}
      </Notice>
    );
  }
  if (before.reserved > 0n && after.earned - after.reversed - after.held - after.paid < after.reserved) {
    return <Notice tone="warning">{t('{{who}} a demandé {{asked}} : plus que ce qui lui reste dû.', words)}</Notice>;
  }
  return null;
}

interface RowProps {
  label: string;
  who?: string;
  why?: string | undefined;
  before: Cents;
  after: Cents | undefined;
  isDebt?: boolean;
}

function Row({ label, who, why, before, after, isDebt = false }: RowProps) {
  const change = after === undefined ? 0n : after - before;
  return (
    <tr className="align-top">
      <th scope="row" className="min-w-0 py-2 text-left font-normal">
        <span className="font-medium">{label}</span>
        {who !== undefined && <Small>{who}</Small>}
        {why !== undefined && <Small>{why}</Small>}
      </th>
      <td className="py-2 pl-3 text-right whitespace-nowrap">
        <Amount cents={before} />
      </td>
      <td className="py-2 pl-3 text-right whitespace-nowrap">
        {after === undefined ? (
          '—'
        ) : (
          <Amount cents={after} className={clsx('font-medium', isDebt && after > 0n && 'text-danger')} />
        )}
        {change !== 0n && (
          <Small>
            {change > 0n && '+'}
            <Amount cents={change} />
          </Small>
        )}
      </td>
    </tr>
  );
}

function Small({ children }: { children: ReactNode }) {
  return <span className="block wrap-anywhere text-encre-soft">{children}</span>;
}
