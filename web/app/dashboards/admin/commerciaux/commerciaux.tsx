import { useQuery } from '@tanstack/react-query';
import { CircleSlash, RotateCcw, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  commercialSummariesQuery,
  commercialSummarySorts,
  type CommercialSummary,
  type CommercialSummarySort,
} from '#api/people/commercial-summaries';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { secondFactorsQuery } from '#api/people/second-factors';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { IconButton } from '#ui/icon-button';
import { NothingFound } from '#ui/nothing-found';
import { PageHeader } from '#ui/page-header';
import { lazyPart } from '#ui/lazy-part';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { percentText } from '../../parts/percent-text.ts';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { Views } from '../../parts/views.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { PersonActions } from '../parts/person-actions.tsx';
import { personLines } from '../parts/person-lines.tsx';
import { SecondFactorDialog } from '../parts/second-factor-dialog.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import { adminActions } from '../actions.tsx';
import { ActivityLine, activityColumns, LateFilter } from './activity-columns.tsx';
import { InviteCommercialDialog } from './invite-commercial-dialog.tsx';
import { ReactivateCommercialDialog } from './reactivate-commercial-dialog.tsx';
import { isRemovable, RemoveCommercialDialog } from './remove-commercial-dialog.tsx';

const CommercialPanel = lazyPart(() => import('./commercial-panel.tsx'));

/** AD-04, AD-05: the commercials with what each brought in; inviting one, and what becomes of one who leaves. */
export default function Commerciaux(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('commerciaux', props, 'commercial');
  const sort = { id: sortOf(list.get('tri')), desc: isDescending(list.get('sens')) };
  const isLate = list.get('activite') === 'late';
  const commercials = useQuery(commercialSummariesQuery({ search: list.search, isLate, sort, page: list.page }));
  const ids = (commercials.data?.rows ?? []).map((row) => row.id);
  const { data: withFactor } = useQuery(secondFactorsQuery(ids));
  const neighbours = useNeighbours(list, commercials, ids);
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const [leaving, setLeaving] = useState<CommercialSummary>();
  const [returning, setReturning] = useState<CommercialSummary>();
  const [unlocking, setUnlocking] = useState<CommercialSummary>();
  const wasOpened = useOnce(list.openId !== undefined);
  const hasRows = Boolean(commercials.data?.rowCount);
  const filters = filtersOf(list, ['activite']);
  // One primary action at a time: an empty list has it in its middle.
  const isEmpty = commercials.data?.rowCount === 0 && list.search === '' && !isLate;
  const inviteButton = (
    <ActionButton variant="primary" action={adminActions.addCommercial} onRun={() => setInviting(true)} />
  );
  const count = (id: CommercialSummarySort & `${string}Count`, header: string): DataColumn<CommercialSummary> => ({
    id,
    header,
    sortable: true,
    align: 'right',
    cell: (commercial) => <span className="tabular-digits">{commercial[id].toLocaleString('fr-FR')}</span>,
  });
  const columns: readonly DataColumn<CommercialSummary>[] = [
    {
      id: 'fullName',
      header: t('Nom'),
      sortable: true,
      width: 'wide',
      cell: (commercial) => (
        <Cell
          text={commercial.fullName}
          secondNode={
            commercial.deactivatedAt === null ? (
              <>
                {t('Inscrit le')} <DateText value={commercial.createdAt} />
              </>
            ) : (
              <Deactivated />
            )
          }
        />
      ),
    },
    {
      id: 'contact',
      header: t('Contact'),
      width: 'address',
      from: '1280px',
      cell: (commercial) => (
        <Cell
          text={commercial.email || null}
          className="text-sm"
          second={commercial.phone ?? t('Téléphone non renseigné')}
        />
      ),
    },
    ...activityColumns(t),
    { ...count('referralsCount', t('Parrainages')), from: '1700px' },
    {
      id: 'conversion',
      header: t('Conversion'),
      sortable: true,
      align: 'right',
      cell: (commercial) => (
        <Cell
          text={percentText(commercial.conversion)}
          second={countText(commercial.contractsCount, t('contrat'), t('contrats'))}
          className="tabular-digits"
        />
      ),
    },
    {
      id: 'revenue',
      header: t('CA'),
      sortable: true,
      align: 'right',
      cell: (commercial) => <Amount cents={commercial.revenue} />,
    },
    {
      id: 'commissions',
      header: t('Commissions'),
      sortable: true,
      align: 'right',
      from: '1700px',
      cell: (commercial) => <Amount cents={commercial.commissions} />,
    },
    { ...count('clientsCount', t('Clients')), from: '1700px' },
    {
      id: 'actions',
      header: t('Actions'),
      headerHidden: true,
      align: 'right',
      cell: (commercial) =>
        commercial.deactivatedAt === null ? (
          <PersonActions
            name={commercial.fullName}
            onDelete={() => setLeaving(commercial)}
            isKept={!isRemovable(commercial)}
            onResetSecondFactor={withFactor?.has(commercial.id) ? () => setUnlocking(commercial) : undefined}
          />
        ) : (
          <IconButton
            label={t('Réactiver {{name}}', { name: commercial.fullName })}
            icon={<RotateCcw />}
            onClick={() => setReturning(commercial)}
          />
        ),
    },
  ];
  const directory = (commercial: CommercialSummary) => ({
    name: commercial.fullName,
    note: commercial.deactivatedAt === null ? null : <Deactivated />,
    lines: personLines(commercial, t),
    figures: (
      <>
        {countText(commercial.clientsCount, t('client'), t('clients'))} ·{' '}
        {countText(commercial.contractsCount, t('contrat'), t('contrats'))} · <Amount cents={commercial.revenue} />{' '}
        {t('de CA')}
        <ActivityLine commercial={commercial} />
      </>
    ),
  });
  return (
    <>
      <PageHeader
        title={t('Commerciaux')}
        description={t('Ils invitent leurs clients, suivent les parrainages et préparent les contrats.')}
        actions={isEmpty ? undefined : inviteButton}
      />
      <StaleNotice query={commercials} />
      <Card>
        <DataTable<CommercialSummary>
          name="commerciaux"
          caption={t('Commerciaux')}
          columns={columns}
          rows={commercials.data?.rows}
          rowKey={(commercial) => commercial.id}
          failed={commercials.isError && commercials.data === undefined}
          onRetry={() => void commercials.refetch()}
          refreshing={commercials.isFetching}
          searchLabel={isEmpty ? undefined : t('Rechercher un commercial')}
          onRowOpen={(commercial) => list.openRow(commercial.id)}
          rowHref={(commercial) => list.hrefOf(commercial.id)}
          directory={directory}
          hiddenColumns={list.hiddenColumns}
          filters={(hasRows || isLate) && { ...filters, controls: <LateFilter list={list} isLate={isLate} /> }}
          server={{
            page: commercials.data,
            onMove: list.setPage,
            sort,
            onSortChange: (next) => list.set(sortSettings(next)),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          exporting={hasRows && <ExportMenu list="commercials" page={commercials.data} />}
          views={hasRows && <Views list={list} label={t('Commerciaux')} name="commerciaux" brought={broughtViews} />}
          empty={
            isLate ? (
              <NothingFound
                title={t('Aucun appel en retard')}
                description={t(
                  'Aucun parrainage n’attend son premier appel plus longtemps que vos réglages ne le permettent.',
                )}
                onClear={filters.clear}
              />
            ) : (
              <EmptyState
                icon={<UserPlus />}
                title={t('Aucun commercial pour le moment')}
                description={t('Invitez votre premier commercial : il suivra les parrainages de ses clients.')}
                action={inviteButton}
              />
            )
          }
        />
      </Card>
      {wasOpened && (
        <CommercialPanel
          commercialId={list.openId}
          onClose={list.closeRow}
          neighbours={neighbours}
          onRemove={setLeaving}
          onReactivate={setReturning}
          onResetSecondFactor={setUnlocking}
        />
      )}
      <InviteCommercialDialog
        open={inviting}
        onClose={() => setInviting(false)}
        onInvited={(name, outcome) => setInvited({ name, outcome })}
      />
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
      {leaving && (
        <RemoveCommercialDialog
          commercial={leaving}
          onRemoved={() => list.openId === leaving.id && list.closeRow()}
          onClose={() => setLeaving(undefined)}
        />
      )}
      {returning && <ReactivateCommercialDialog commercial={returning} onClose={() => setReturning(undefined)} />}
      {unlocking && <SecondFactorDialog person={unlocking} onClose={() => setUnlocking(undefined)} />}
    </>
  );
}

function Deactivated() {
  const { t } = useTranslation();
  return (
    <span className="inline-flex items-center gap-1">
      <CircleSlash aria-hidden className="size-3" />
      {t('Désactivé')}
    </span>
  );
}

const broughtViews = [
  { name: 'Meilleur chiffre d’affaires', settings: { tri: 'revenue' } },
  { name: 'Meilleure conversion', settings: { tri: 'conversion' } },
  { name: 'Premiers appels en retard', settings: { activite: 'late', tri: 'waitingSince', sens: 'asc' } },
  { name: 'Sans activité récente', settings: { tri: 'lastActivityAt', sens: 'asc' } },
];

function sortOf(value: string | undefined): CommercialSummarySort {
  return value !== undefined && Object.hasOwn(commercialSummarySorts, value)
    ? (value as CommercialSummarySort)
    : 'createdAt';
}
