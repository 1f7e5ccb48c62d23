import type { Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import clsx from 'clsx';
import { Amount } from '#ui/amount';
import { CommissionExplain } from './commission-explain.tsx';

export interface ExplainedCommissionProps {
  amount: Cents;
  /** The sale it comes from, where it is on screen; else its id. */
  sale?: Sale | null;
  saleId?: string | undefined;
  /** Tells the line from others where the sale is not on screen. */
  of?: string | undefined;
  /** A movement of an account: « + » before what comes in. */
  signed?: boolean | undefined;
  side: 'client' | 'commercial';
  className?: string | undefined;
}

/** A commission in a column of amounts: the amount at the edge, « Pourquoi ? » before it and at the same place in each row, or under it where there is no room. */
export function ExplainedCommission({
  amount,
  sale = null,
  saleId,
  of,
  side,
  signed,
  className,
}: ExplainedCommissionProps) {
  return (
    <span className="inline-flex flex-wrap-reverse items-center justify-end gap-x-2">
      {sale ? (
        <CommissionExplain sale={sale} side={side} />
      ) : (
        saleId !== undefined && <CommissionExplain saleId={saleId} of={of} side={side} />
      )}
      <Amount
        cents={amount}
        signed={signed}
        className={clsx('inline-block min-w-24 text-right font-medium', className)}
      />
    </span>
  );
}
