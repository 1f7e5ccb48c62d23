import {
  doubtfulCaseStatuses,
  doubtfulCaseStatusLabels,
  doubtRuleWords,
  type DoubtfulCaseStatus,
} from '@parrain/domain/doubt';
import { formatEuros } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { doubtfulCasesQuery, doubtRulesQuery, type DoubtfulCase } from '#api/company/doubtful-cases';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import { NothingFound } from '#ui/nothing-found';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { CasePanel } from './case-panel.tsx';
import { CaseStatus } from './case-status.tsx';
import { Rules } from './rules.tsx';

/** FD-01: what looks like a fraud, for an admin to decide, and the rules that look. */
export default function CasDouteux(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('cas-douteux', props, 'cas');
  const status = tabs.find((word) => word === list.get('statut')) ?? 'all';
  const cases = useQuery(doubtfulCasesQuery({ status, page: list.page }));
  // Read with the cases, though they stand under them.
  useQuery(doubtRulesQuery);
  const neighbours = useNeighbours(list, cases, cases.data?.rows.map(({ id }) => id) ?? []);
  const columns = useColumns();
  return (
    <>
      <SectionTabs
        {...props}
        of="validations"
        current="cas-douteux"
        title={t('Cas douteux')}
        description={t('Ce qui ressemble à une fraude. Rien n’est bloqué : vous examinez, puis vous décidez.')}
      />
      <StaleNotice query={cases} />
      <Card>
        <DataTable<DoubtfulCase>
          name="cas-douteux"
          caption={t('Cas douteux')}
          columns={columns}
          rows={cases.data?.rows}
          rowKey={(row) => row.id}
          failed={cases.isError && cases.data === undefined}
          onRetry={() => void cases.refetch()}
          refreshing={cases.isPlaceholderData}
          onRowOpen={(row) => list.openRow(row.id)}
          rowHref={(row) => list.hrefOf(row.id)}
          server={{ page: cases.data, onMove: list.setPage }}
          lead={
            <FilterChips<DoubtfulCaseStatus | 'all'>
              label={t('Cas par statut')}
              value={status}
              onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
              options={tabs.map((word) => ({
                value: word,
                label: word === 'all' ? t('Tous') : t(doubtfulCaseStatusLabels[word]),
              }))}
            />
          }
          empty={
            status === 'all' ? (
              <EmptyState
                icon={<ShieldCheck />}
                title={t('Aucun cas douteux')}
                description={t('Les règles ci-dessous regardent chaque parrainage et chaque demande de paiement.')}
              />
            ) : (
              <NothingFound
                description={t('Aucun cas n’a ce statut.')}
                onClear={() => list.set({ statut: undefined })}
              />
            )
          }
        />
      </Card>
      {/* Under a list of unknown length: they stand there once that is known, and never move. */}
      {!cases.isPending && <Rules />}
      <CasePanel caseId={list.openId} onClose={list.closeRow} neighbours={neighbours} />
    </>
  );
}

const tabs = ['all', ...doubtfulCaseStatuses] as const;

function useColumns(): readonly DataColumn<DoubtfulCase>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'sujet',
        header: t('Sujet'),
        width: 'wide',
        cell: ({ sale, request, payee }) => (
          <Cell
            text={payee.name}
            second={
              sale !== null
                ? t('recommande {{name}}', { name: sale.contactName })
                : request !== null
                  ? t('demande {{amount}}', { amount: formatEuros(request.amount) })
                  : t('tous ses parrainages')
            }
          />
        ),
      },
      {
        id: 'raisons',
        header: t('Raisons'),
        width: 'wide',
        cell: ({ reasons }) => (
          <span className="block min-w-0 break-words">
            {[...new Set(reasons.map(({ rule }) => t(doubtRuleWords[rule].label)))].join(' · ')}
          </span>
        ),
      },
      { id: 'statut', header: t('Statut'), cell: (row) => <CaseStatus status={row.status} /> },
      {
        id: 'date',
        header: t('Ouvert le'),
        cell: (row) => <DateText value={row.createdAt} withTime className="tabular-digits text-encre-soft" />,
      },
    ],
    [t],
  );
}
