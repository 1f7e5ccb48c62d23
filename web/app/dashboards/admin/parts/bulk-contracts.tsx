import { isAwaitingValidation, type Sale } from '@parrain/domain/sale';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import type { BulkContractDecision } from './bulk-contract-dialog.tsx';

const BulkContractDialog = lazyPart(() => import('./bulk-contract-dialog.tsx'));

export interface BulkContractsProps {
  /** As they were seen when they were selected. */
  sales: readonly Sale[];
  /** These were decided: they leave the selection. */
  onDone: (sales: readonly Sale[]) => void;
}

/** NV-04: both decisions on the selected contracts, where some of them await one; how many, where others do not. */
export function BulkContracts({ sales, onDone }: BulkContractsProps) {
  const { t } = useTranslation();
  const [decision, setDecision] = useState<BulkContractDecision>();
  const awaitingCount = sales.filter(isAwaitingValidation).length;
  const count = awaitingCount < sales.length && <span className="tabular-digits">({awaitingCount})</span>;
  return (
    <>
      {awaitingCount > 0 && (
        <>
          <Button size="sm" variant="primary" onClick={() => setDecision({ kind: 'validate', sales })}>
            {t('Valider')}
            {count}
          </Button>
          <Button size="sm" onClick={() => setDecision({ kind: 'refuse', sales })}>
            {t('Refuser')}
            {count}
          </Button>
        </>
      )}
      {decision && <BulkContractDialog decision={decision} onDone={onDone} onClose={() => setDecision(undefined)} />}
    </>
  );
}
