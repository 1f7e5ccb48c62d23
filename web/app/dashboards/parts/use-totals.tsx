import { isNetTotal, type ExportedListName } from '@parrain/domain/exports';
import { sum } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { listTotalsQuery } from '#api/company/list-totals';
import type { Page } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import type { DataColumn } from '#ui/data-table';
import { Skeleton } from '#ui/skeleton';
import { countText } from './count-text.ts';
import { SumExplain } from './sum-explain.tsx';

/**
 * A longer list is added up when it is asked for. The quickest of 40 readings of 50 000 sales took 44 ms from request to answer on two
 * busy cores, 61 without a filter: half as many stay under 50.
 */
const atOnceMax = 25_000;

/** The amounts of the file that stand in a column of the screen, by the column's id. */
export type TotalLabels = Readonly<Record<string, readonly string[]>>;

/**
 * The columns of a list with what they add up to over all the rows that its filters leave (NV-05): exact, at once where that
 * costs little, else behind « Calculer ». Nothing under a list of one row.
 */
export function useTotals<Row, ListRow>(
  list: ExportedListName,
  page: Page<ListRow> | undefined,
  columns: readonly DataColumn<Row>[],
  labels: TotalLabels,
): readonly DataColumn<Row>[] {
  const { t } = useTranslation();
  const [askedFor, setAskedFor] = useState<string>();
  const query = page?.query ?? '';
  const isAsked = page !== undefined && (page.rowCount <= atOnceMax || askedFor === query);
  const hasTotals = page !== undefined && page.rowCount > 1;
  if (!hasTotals) return columns;
  const [first] = Object.keys(labels);
  // Under the first column, beside « Total » and as wide as a name.
  const why = (
    <span className="flex flex-col">
      {t('Total')}
      <span className="text-xs font-normal text-encre-soft">
        {t('à la demande au-delà de {{count}} lignes', { count: atOnceMax.toLocaleString('fr-FR') })}
      </span>
    </span>
  );
  return columns.map((column, index) => {
    const ofColumn = labels[column.id];
    if (ofColumn) {
      const asked = { list, query, labels: ofColumn, rowCount: page.rowCount, isAsked };
      const total = <Total {...asked} onAsk={column.id === first ? () => setAskedFor(query) : undefined} />;
      return { ...column, total };
    }
    return index === 0 && !isAsked ? { ...column, total: why } : column;
  });
}

interface TotalProps {
  list: ExportedListName;
  query: string;
  /** The amounts that it is the sum of. */
  labels: readonly string[];
  rowCount: number;
  isAsked: boolean;
  /** Its cell has the button that asks for the totals of all columns. */
  onAsk: (() => void) | undefined;
}

/** A column's total reads for itself: what comes after the rows draws none of them again. */
function Total({ list, query, labels, rowCount, isAsked, onAsk }: TotalProps): ReactNode {
  const { t } = useTranslation();
  const totals = useQuery({ ...listTotalsQuery(list, query), enabled: isAsked });
  if (totals.data) {
    const found = labels.map((label) => totals.data.sums.get(label) ?? 0n);
    return (
      <span className="inline-flex flex-wrap-reverse items-center justify-end gap-x-2">
        <SumExplain
          title={t('Total')}
          of={labels.map((label) => t(label)).join(', ')}
          lines={labels.map((label, index) => ({ label: t(label), value: <Amount cents={found[index] ?? 0n} /> }))}
          result={{ label: t('Total'), value: <Amount cents={sum(found)} /> }}
        >
          {countText(rowCount, t('ligne, avec les filtres de la liste'), t('lignes, avec les filtres de la liste'))}
        </SumExplain>
        <Amount cents={sum(found)} />
        {labels.some(isNetTotal) && (
          <span className="w-full text-xs font-normal text-encre-soft">{t('net des annulations')}</span>
        )}
      </span>
    );
  }
  if (!totals.isError && isAsked) return <Skeleton className="ml-auto h-4 w-20" />;
  return (
    onAsk && (
      <Button size="sm" onClick={() => (isAsked ? void totals.refetch() : onAsk())}>
        {totals.isError ? t('Réessayer') : t('Calculer')}
      </Button>
    )
  );
}
