import type { Sale } from '@parrain/domain/sale';
import { useState } from 'react';
import { AskCorrectionDialog } from './ask-correction-dialog.tsx';
import { RefuseDialog } from './refuse-dialog.tsx';
import { ValidateDialog } from './validate-dialog.tsx';

export interface SaleDecision {
  kind: 'validate' | 'refuse' | 'ask';
  sale: Sale;
}

export interface DecisionDialogsProps {
  decision: SaleDecision;
  /** The same contract as the list or the panel knows it now. */
  latest: Sale | undefined;
  onClose: () => void;
  onDecided?: (() => void) | undefined;
}

/** The dialog of a decision on a contract, wherever it is taken: in the list of Validations or in a sale's panel (AD-09, AD-12, UI-11). */
export function DecisionDialogs({ decision: { kind, sale }, ...rest }: DecisionDialogsProps) {
  // What is wrong with a contract is often no reason to refuse it: one dialog leads to the other.
  const [isAskedInstead, setIsAskedInstead] = useState(false);
  const { onClose, onDecided } = rest;
  if (kind === 'ask' || isAskedInstead)
    return <AskCorrectionDialog sale={sale} onClose={onClose} onDecided={onDecided} />;
  if (kind === 'refuse')
    return (
      <RefuseDialog sale={sale} onAskInstead={() => setIsAskedInstead(true)} onClose={onClose} onDecided={onDecided} />
    );
  return <ValidateDialog key={sale.id} sale={sale} {...rest} />;
}
