import {
  batchLabels,
  batchStatuses,
  isPaidOtherwise,
  transferObstacle,
  type BatchStatus,
} from '@parrain/domain/payment-batch';
import { daysOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { FileUp, HandCoins, Layers } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { batchesQuery, batchSorts, transfersQuery, type Batch } from '#api/payments/batches';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { FilterChips } from '#ui/filter-chips';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { PaymentTabs } from '../parts/payment-tabs.tsx';
import { BatchPage } from './batch-page.tsx';
import { BatchStatusBadge } from './batch-status.tsx';
import { BlockedTransfers } from './blocked-transfers.tsx';

const MakeBatchDialog = lazyPart(() => import('./make-batch-dialog.tsx'));
const BankFileDialog = lazyPart(() => import('./bank-file-dialog.tsx'));

/** « Virements groupés » (PO-01, PO-02): batches and what became of them; one of them at its own address. */
export default function Virements(props: SectionProps) {
  const batchId = props.detail['virement'];
  return batchId === undefined ? <Batches {...props} /> : <BatchPage {...props} batchId={batchId} />;
}

function Batches(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('virements', props, 'virement');
  const status = tabs.find((word) => word === list.get('statut')) ?? 'all';
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = batchSorts.find((column) => column === list.get('tri')) ?? 'created_at';
  const desc = isDescending(list.get('sens'));
  const batches = useQuery(batchesQuery({ status, days, sort, desc, page: list.page }));
  const isFiltered = status !== 'all' || days !== null;
  const hasTools = isFiltered || Boolean(batches.data?.rowCount);
  const read = useQuery(transfersQuery);
  const transfers = read.data;
  const ready = transfers?.filter((transfer) => transferObstacle(transfer) === null).length;
  const [asking, setAsking] = useState<'make' | 'bank-file'>();
  const close = () => setAsking(undefined);
  const columns = useColumns();
  const make = (
    <Button
      size="sm"
      variant="primary"
      icon={<Layers />}
      disabled={!transfers?.some(({ obstacle }) => !isPaidOtherwise(obstacle))}
      onClick={() => setAsking('make')}
    >
      {t('Préparer un virement groupé')}
    </Button>
  );
  return (
    <>
      <PaymentTabs
        {...props}
        current="virements"
        title={t('Virements groupés')}
        description={
          // Not known yet: the line keeps its place.
          ready === undefined
            ? read.isLoadingError
              ? t('Les virements à grouper n’ont pas pu être lus.')
              : '\u00a0'
            : ready === 0
              ? t('Aucun virement n’est prêt à être groupé.')
              : t('{{transfers}} à grouper.', {
                  transfers: countText(ready, t('virement prêt'), t('virements prêts')),
                })
        }
        actions={
          <>
            {/* On a phone the list begins higher: the page of a batch takes the file there. */}
            {hasTools && (
              <span className="max-sm:hidden">
                <Button size="sm" icon={<FileUp />} onClick={() => setAsking('bank-file')}>
                  {t('Importer le retour de la banque')}
                </Button>
              </span>
            )}
            {make}
          </>
        }
      />
      <StaleNotice query={batches} />
      {transfers && <BlockedTransfers {...props} transfers={transfers} />}
      {read.isLoadingError && (
        <Card className="mb-5">
          <ErrorState onRetry={() => void read.refetch()} pending={read.isFetching} />
        </Card>
      )}
      <Card>
        <DataTable<Batch>
          name="virements"
          caption={t('Virements groupés')}
          columns={columns}
          rows={batches.data?.rows}
          rowKey={(batch) => batch.id}
          failed={batches.isError && batches.data === undefined}
          onRetry={() => void batches.refetch()}
          refreshing={batches.isFetching}
          onRowOpen={(batch) => props.openSection('virements', { virement: batch.id })}
          rowHref={(batch) => props.hrefOf('virements', { virement: batch.id })}
          server={{
            page: batches.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next)),
          }}
          lead={
            <FilterChips<BatchStatus | 'all'>
              label={t('Virements par statut')}
              value={status}
              onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
              options={tabs.map((word) => ({ value: word, label: word === 'all' ? t('Tous') : t(batchLabels[word]) }))}
            />
          }
          filters={
            hasTools && {
              ...filtersOf(list, ['periode']),
              controls: <PeriodFilter list={list} label={t('Filtrer par date')} />,
            }
          }
          exporting={hasTools && <ExportMenu list="payment-batches" page={batches.data} />}
          empty={
            !isFiltered ? (
              <EmptyState
                icon={<HandCoins />}
                title={t('Aucun virement groupé')}
                description={t(
                  'Réunissez les demandes approuvées et les commissions mensuelles en un seul fichier, que votre banque exécute en une fois.',
                )}
              />
            ) : (
              <NothingFound
                description={t('Aucun virement groupé ne correspond à ces filtres.')}
                onClear={() => list.set({ statut: undefined, periode: undefined })}
              />
            )
          }
        />
      </Card>
      {asking === 'make' && (
        <MakeBatchDialog onMade={(id) => props.openSection('virements', { virement: id })} onClose={close} />
      )}
      {asking === 'bank-file' && <BankFileDialog onClose={close} />}
    </>
  );
}

const tabs = ['all', ...batchStatuses] as const;

function useColumns(): readonly DataColumn<Batch>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'numero',
        header: t('Virement'),
        width: 'wide',
        cell: (batch) => (
          <Cell
            text={t('Virement n° {{number}}', { number: batch.number })}
            second={batch.madeByName === null ? null : t('Préparé par {{name}}', { name: batch.madeByName })}
          />
        ),
      },
      {
        id: 'lines',
        header: t('Lignes'),
        sortable: true,
        align: 'right',
        cell: (batch) => <span className="tabular-digits">{batch.lineCount}</span>,
      },
      {
        id: 'total',
        header: t('Montant'),
        sortable: true,
        align: 'right',
        cell: (batch) => <Amount cents={batch.total} className="font-medium" />,
      },
      {
        id: 'status',
        header: t('Statut'),
        sortable: true,
        cell: (batch) => <BatchStatusBadge status={batch.status} />,
      },
      {
        id: 'rejected',
        header: t('Rejets'),
        sortable: true,
        align: 'right',
        cell: (batch) => (
          <span className={batch.rejectedCount > 0 ? 'tabular-digits text-danger' : 'tabular-digits text-encre-faint'}>
            {batch.rejectedCount}
          </span>
        ),
      },
      {
        id: 'execution_on',
        header: t('Exécution'),
        sortable: true,
        cell: (batch) =>
          batch.executionOn === null ? (
            <span className="text-encre-faint">—</span>
          ) : (
            <DateText value={batch.executionOn} className="whitespace-nowrap" />
          ),
      },
      {
        id: 'created_at',
        header: t('Préparé le'),
        sortable: true,
        cell: (batch) => <DateText value={batch.createdAt} className="whitespace-nowrap" />,
      },
    ],
    [t],
  );
}
