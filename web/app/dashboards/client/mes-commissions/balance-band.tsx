import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientCards } from '#api/payments/client-figures';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { balanceOf, BalanceExplain } from '../balance-explain.tsx';

export interface BalanceBandProps {
  cards: ClientCards;
  onEarned: () => void;
  onRequests: () => void;
  onStatement: () => void;
}

/** « Combien ai-je, et pourquoi ? » in one look (M-08): earned, adjusted − paid − in progress − held = available, each leading to its rows. */
export function BalanceBand({ cards, onEarned, onRequests, onStatement }: BalanceBandProps) {
  const { t } = useTranslation();
  const balance = balanceOf(cards);
  return (
    <Card className="mt-4 p-4 sm:p-5" aria-label={t('Votre solde')}>
      <dl className="flex flex-col gap-x-3 gap-y-1 sm:flex-row sm:flex-wrap sm:items-end">
        <Term label={t('Gagné')} cents={cards.validatedCommissions} onOpen={onEarned} />
        {cards.adjusted !== 0n && (
          <Term
            sign={cards.adjusted < 0n ? '−' : '+'}
            label={t('Ajusté')}
            cents={cards.adjusted < 0n ? -cards.adjusted : cards.adjusted}
            onOpen={onStatement}
          />
        )}
        <Term sign="−" label={t('Versé')} cents={cards.paymentsReceived} onOpen={onRequests} />
        <Term sign="−" label={t('En cours')} cents={cards.requestsInProgress} onOpen={onRequests} />
        {cards.held > 0n && <Term sign="−" label={t('À venir')} cents={cards.held} onOpen={onEarned} />}
        <Term
          sign="="
          label={balance < 0n ? t('À rembourser') : t('Disponible')}
          cents={balance < 0n ? -balance : balance}
          onOpen={onStatement}
          isResult
          why={<BalanceExplain cards={cards} />}
        />
      </dl>
    </Card>
  );
}

interface TermProps {
  label: string;
  cents: bigint;
  onOpen: () => void;
  sign?: '−' | '+' | '=';
  isResult?: boolean;
  why?: ReactNode;
}

function Term({ label, cents, onOpen, sign, isResult = false, why }: TermProps) {
  return (
    <div
      className={clsx(
        'flex min-w-0 flex-wrap items-center justify-between gap-x-3 sm:block',
        isResult && 'border-t border-hairline pt-1 sm:border-0 sm:pt-0',
      )}
    >
      <dt className="flex items-center gap-x-2 text-sm text-encre-soft">
        {label}
        {why}
      </dt>
      <dd className="flex items-baseline gap-x-3 text-lg">
        {sign && (
          <span aria-hidden className="text-encre-faint">
            {sign}
          </span>
        )}
        <button
          type="button"
          onClick={onOpen}
          className={clsx(
            'tap-target rounded-field text-left underline decoration-hairline underline-offset-4 hover:decoration-current',
            isResult ? 'font-heading font-semibold text-sapin' : 'font-medium text-encre',
          )}
        >
          <span className="sr-only">{label} : </span>
          <Amount cents={cents} />
        </button>
      </dd>
    </div>
  );
}
