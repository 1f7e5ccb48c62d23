import { batchLabels, batchStatuses, type BatchStatus } from '@parrain/domain/payment-batch';
import { useQuery } from '@tanstack/react-query';
import { HandCoins, Layers } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { batchesQuery, transfersQuery, type Batch } from '#api/payments/batches';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import { PageHeader } from '#ui/page-header';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { BatchPage } from './batch-page.tsx';
import { BatchStatusBadge } from './batch-status.tsx';

const MakeBatchDialog = lazyPart(() => import('./make-batch-dialog.tsx'));

/** « Virements groupés » (PO-01, PO-02): batches and what became of them; one of them at its own address. */
export default function Virements(props: SectionProps) {
  const batchId = props.detail['virement'];
  return batchId === undefined ? <Batches {...props} /> : <BatchPage {...props} batchId={batchId} />;
}

function Batches(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('virements', props, 'virement');
  const status = tabs.find((word) => word === list.get('statut')) ?? 'all';
  const batches = useQuery(batchesQuery({ status, page: list.page }));
  const waiting = useQuery(transfersQuery).data?.length;
  const [isMaking, setMaking] = useState(false);
  const columns = useColumns();
  const make = (
    <Button variant="primary" icon={<Layers />} disabled={!waiting} onClick={() => setMaking(true)}>
      {t('Préparer un virement groupé')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('Virements groupés')}
        description={
          // Not known yet, or not to be read: the line keeps its place.
          waiting === undefined
            ? '\u00a0'
            : waiting === 0
              ? t('Aucun virement approuvé n’attend.')
              : t('{{transfers}} à grouper.', {
                  transfers: countText(waiting, t('virement approuvé'), t('virements approuvés')),
                })
        }
        actions={make}
      />
      <StaleNotice query={batches} />
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
          server={{ page: batches.data, onMove: list.setPage }}
          lead={
            <FilterChips<BatchStatus | 'all'>
              label={t('Virements par statut')}
              value={status}
              onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
              options={tabs.map((word) => ({ value: word, label: word === 'all' ? t('Tous') : t(batchLabels[word]) }))}
            />
          }
          toolbar={Boolean(batches.data?.rowCount) && <ExportMenu list="payment-batches" page={batches.data} />}
          empty={
            status === 'all' ? (
              <EmptyState
                icon={<HandCoins />}
                title={t('Aucun virement groupé')}
                description={t(
                  'Réunissez les virements approuvés en un seul fichier, que votre banque exécute en une fois.',
                )}
              />
            ) : (
              <NothingFound
                description={t('Aucun virement groupé n’a ce statut.')}
                onClear={() => list.set({ statut: undefined })}
              />
            )
          }
        />
      </Card>
      {isMaking && (
        <MakeBatchDialog
          onMade={(id) => props.openSection('virements', { virement: id })}
          onClose={() => setMaking(false)}
        />
      )}
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
        id: 'lignes',
        header: t('Lignes'),
        align: 'right',
        cell: (batch) => <span className="figures">{batch.lineCount}</span>,
      },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: (batch) => <Amount cents={batch.total} className="font-medium" />,
      },
      { id: 'statut', header: t('Statut'), cell: (batch) => <BatchStatusBadge status={batch.status} /> },
      {
        id: 'rejets',
        header: t('Rejets'),
        align: 'right',
        cell: (batch) => (
          <span className={batch.rejectedCount > 0 ? 'figures text-danger' : 'figures text-encre-faint'}>
            {batch.rejectedCount}
          </span>
        ),
      },
      {
        id: 'execution',
        header: t('Exécution'),
        cell: (batch) =>
          batch.executionOn === null ? (
            <span className="text-encre-faint">—</span>
          ) : (
            <DateText value={batch.executionOn} className="whitespace-nowrap" />
          ),
      },
      {
        id: 'date',
        header: t('Préparé le'),
        cell: (batch) => <DateText value={batch.createdAt} className="whitespace-nowrap" />,
      },
    ],
    [t],
  );
}
