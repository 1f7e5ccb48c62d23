import { correctionLabel, type Sale } from '@parrain/domain/sale';
import { Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** Under a name: the contract was taken back, in whole or in part, or added to, and why (S-11, LG-04, UI-11); of a sale that is not the reader's, nothing more. */
export function CancelledLine({
  sale,
}: {
  sale: Pick<Sale, 'contractLeft' | 'contractAmount' | 'correctionReason'> | null;
}) {
  const { t } = useTranslation();
  const reason = sale?.correctionReason ?? null;
  return (
    <span title={reason ?? undefined}>
      <Undo2 aria-hidden className="mr-1 inline size-3.5 align-text-bottom" />
      {t(correctionLabel(sale ?? {}))}
      {reason !== null && ` · ${reason}`}
    </span>
  );
}
