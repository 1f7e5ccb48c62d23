import type { Sale } from '@parrain/domain/sale';
import { RefuseDialog } from './refuse-dialog.tsx';
import { ValidateDialog } from './validate-dialog.tsx';

export interface SaleDecision {
  kind: 'validate' | 'refuse';
  sale: Sale;
}

export interface DecisionDialogsProps {
  decision: SaleDecision;
  /** The same contract as the list or the panel knows it now. */
  latest: Sale | undefined;
  onClose: () => void;
  onDecided?: (() => void) | undefined;
}

/** The dialog of a decision on a contract, wherever it is taken: in the list of Validations or in a sale's panel (AD-09, AD-12). */
export function DecisionDialogs({ decision: { kind, sale }, ...rest }: DecisionDialogsProps) {
  if (kind === 'refuse') return <RefuseDialog sale={sale} onClose={rest.onClose} onDecided={rest.onDecided} />;
  return <ValidateDialog key={sale.id} sale={sale} {...rest} />;
}
