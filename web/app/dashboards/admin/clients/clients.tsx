import { sum } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { ArrowRightLeft, Pencil, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  allClientsQuery,
  readSelectableClients,
  clientActivities,
  clientSummarySorts,
  sleepingCountQuery,
  type ClientRow,
  type ClientSummary,
  type ClientSummarySort,
} from '#api/people/client-summaries';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { secondFactorsQuery } from '#api/people/second-factors';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { IconButton } from '#ui/icon-button';
import { pairedActionClass } from '#ui/page-header';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';
import { ActivityFilter } from '../../parts/activity-filter.tsx';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { useSelection } from '../../parts/use-selection.ts';
import { Views } from '../../parts/views.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { adminActions } from '../actions.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { PersonActions } from '../parts/person-actions.tsx';
import { personLines } from '../parts/person-lines.tsx';
import { SecondFactorDialog } from '../parts/second-factor-dialog.tsx';
import { ClientFormDialog } from './client-form-dialog.tsx';
import { DeleteClientDialog } from './delete-client-dialog.tsx';
import { deletionObstacle } from './deletion-obstacle.ts';

const AssignClientsDialog = lazyPart(() => import('./assign-clients-dialog.tsx'));
const ImportDialog = lazyPart(() => import('../../parts/imports/import-dialog.tsx'));
const ClientPanel = lazyPart(() => import('./client-panel.tsx'));

/** AD-06, PI-03: every client with what they brought in and earned; adding, correcting, removing one (V-13). */
export default function Clients(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('clients', props, 'client');
  const commercialId = list.get('commercial');
  const activity = clientActivities.find((word) => word === list.get('activite')) ?? 'all';
  const sort = { id: sortOf(list.get('tri')), desc: isDescending(list.get('sens')) };
  const asked = { search: list.search, commercialId, activity, sort, page: list.page };
  const clients = useQuery(allClientsQuery(asked));
  const ids = (clients.data?.rows ?? []).map((row) => row.id);
  const { data: withFactor } = useQuery(secondFactorsQuery(ids));
  const { data: sleeping } = useQuery(sleepingCountQuery(commercialId));
  const neighbours = useNeighbours(list, clients, ids);
  const [form, setForm] = useState<{ client: ClientSummary | null }>();
  const [isImporting, setIsImporting] = useState(false);
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const [leaving, setLeaving] = useState<ClientSummary>();
  const [unlocking, setUnlocking] = useState<ClientSummary>();
  const selection = useSelection<ClientRow>();
  const [assigned, setAssigned] = useState<readonly ClientRow[]>();
  const wasOpened = useOnce(list.openId !== undefined);
  const exported = activity === 'asleep' ? 'sleeping-referrers' : 'clients';
  const filtered = commercialId !== undefined || activity !== 'all';
  const filters = filtersOf(list, ['commercial', 'activite']);
  // One primary action at a time: an empty list has it in its middle.
  const isEmpty = clients.data?.rowCount === 0 && list.search === '' && !filtered;
  const addButton = (
    <ActionButton
      variant="primary"
      action={adminActions.addClient}
      onRun={() => setForm({ client: null })}
      className={pairedActionClass}
    />
  );
  const importButton = (
    <ActionButton
      action={adminActions.importClients}
      onRun={() => setIsImporting(true)}
      className={pairedActionClass}
    />
  );
  // Who sleeps stands by how long they have.
  const isSortable = activity !== 'asleep';
  const columns: readonly DataColumn<ClientRow>[] = [
    {
      id: 'fullName',
      header: t('Nom'),
      sortable: isSortable,
      width: 'wide',
      cell: (client) => (
        <Cell
          whole
          text={client.fullName}
          secondNode={
            <>
              <span className="group-data-density/table:max-roomy:hidden">{client.company}</span>
              {/* In the place of the column « Contact », where a table has no room for it. */}
              <span className="hidden group-data-density/table:max-roomy:inline">{client.email}</span>
            </>
          }
        />
      ),
    },
    {
      id: 'contact',
      header: t('Contact'),
      width: 'wide',
      from: '1400px',
      cell: (client) => (
        <Cell whole text={client.email || null} second={client.phone ?? t('Téléphone non renseigné')} />
      ),
    },
    {
      id: 'commercial',
      header: t('Commercial'),
      width: 'medium',
      cell: (client) => <Cell whole text={client.commercialName} />,
    },
    {
      id: 'referralsCount',
      header: t('Parrainages'),
      sortable: isSortable,
      align: 'right',
      cell: (client) => (
        <Cell
          text={client.referralsCount.toLocaleString('fr-FR')}
          second={
            client.signedContractsCount === 0 ? null : countText(client.signedContractsCount, t('signé'), t('signés'))
          }
          className="tabular-digits"
        />
      ),
    },
    {
      id: 'revenue',
      header: t('CA généré'),
      sortable: isSortable,
      align: 'right',
      cell: (client) => <Amount cents={client.revenue} />,
    },
    {
      id: 'earned',
      header: t('Gagné'),
      sortable: isSortable,
      align: 'right',
      cell: (client) => client.earned !== null && <Amount cents={client.earned} />,
    },
    activity === 'asleep'
      ? {
          id: 'lastReferralAt',
          header: t('Dernier parrainage'),
          cell: (client) => <DateText value={client.lastReferralAt} className="whitespace-nowrap" />,
        }
      : {
          id: 'createdAt',
          from: '1280px',
          header: t('Inscrit le'),
          sortable: isSortable,
          cell: (client) => <DateText value={client.createdAt} className="whitespace-nowrap" />,
        },
    {
      id: 'actions',
      header: t('Actions'),
      headerHidden: true,
      align: 'right',
      cell: (client) => (
        <PersonActions
          name={client.fullName}
          obstacle={deletionObstacle(client)}
          onDelete={() => setLeaving(client)}
          onResetSecondFactor={withFactor?.has(client.id) ? () => setUnlocking(client) : undefined}
        >
          <IconButton
            label={t('Modifier {{name}}', { name: client.fullName })}
            icon={<Pencil />}
            onClick={() => setForm({ client })}
          />
        </PersonActions>
      ),
    },
  ];
  const directory = (client: ClientRow) => ({
    name: client.fullName,
    note: [client.company, client.commercialName ?? t('Sans commercial')].filter(Boolean).join(' · '),
    lines: personLines(client, t),
    figures: (
      <>
        {countText(client.referralsCount, t('parrainage'), t('parrainages'))} · <Amount cents={client.revenue} />{' '}
        {t('de CA')}
        {activity === 'asleep' && (
          <>
            {' '}
            · {t('dernier le')} <DateText value={client.lastReferralAt} />
          </>
        )}
      </>
    ),
  });
  return (
    <>
      <SectionTabs
        {...props}
        of="clients"
        current="clients"
        title={t('Clients')}
        description={t('Ils parrainent leurs proches et demandent le paiement de leurs commissions.')}
        actions={
          isEmpty ? undefined : (
            <>
              {importButton}
              {addButton}
            </>
          )
        }
      />
      <StaleNotice query={clients} />
      <Card>
        <DataTable<ClientRow>
          name="clients"
          caption={t('Clients')}
          columns={columns}
          rows={clients.data?.rows}
          rowKey={(client) => client.id}
          failed={clients.isError && clients.data === undefined}
          onRetry={() => void clients.refetch()}
          refreshing={clients.isFetching}
          searchLabel={t('Rechercher un client')}
          onRowOpen={(client) => list.openRow(client.id)}
          rowHref={(client) => list.hrefOf(client.id)}
          directory={directory}
          hiddenColumns={list.hiddenColumns}
          selection={{
            ...selection,
            label: (client) => t('Sélectionner {{name}}', { name: client.fullName }),
            bar: (
              <BulkBar
                page={clients.data}
                selection={selection}
                read={() => readSelectableClients(asked)}
                exported={exported}
                summary={
                  <>
                    {countText(selection.count, t('sélectionné'), t('sélectionnés'))} ·{' '}
                    <Amount cents={sum(selection.rows.map(({ revenue }) => revenue))} /> {t('de CA généré')}
                  </>
                }
              >
                <Button
                  size="sm"
                  variant="primary"
                  icon={<ArrowRightLeft aria-hidden />}
                  onClick={() => setAssigned(selection.rows)}
                >
                  {t('Confier à un commercial')}
                </Button>
              </BulkBar>
            ),
          }}
          server={{
            page: clients.data,
            onMove: list.setPage,
            sort: isSortable ? sort : undefined,
            onSortChange: (next) => list.set(sortSettings(next)),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={{
            ...filters,
            controls: (
              <>
                <ActivityFilter seesAll list={list} activity={activity} sleepingCount={sleeping} />
                <CommercialPicker
                  size="sm"
                  label={t('Filtrer par commercial')}
                  placeholder={t('Tous les commerciaux')}
                  clearable
                  commercialId={commercialId ?? null}
                  onChange={(id) => list.set({ commercial: id ?? undefined })}
                  className="w-40"
                />
              </>
            ),
          }}
          exporting={<ExportMenu list={exported} page={clients.data} />}
          views={<Views list={list} label={t('Clients')} name="clients" brought={broughtViews} />}
          empty={
            activity === 'asleep' && commercialId === undefined ? (
              <NothingFound
                title={t('Aucun parrain endormi')}
                description={t('Chaque client qui a déjà parrainé l’a fait encore ces six derniers mois.')}
                onClear={filters.clear}
              />
            ) : activity === 'alone' && commercialId === undefined ? (
              <NothingFound
                title={t('Chaque client a son commercial')}
                description={t('Qui s’inscrit de lui-même apparaîtra ici, le temps de lui en confier un.')}
                onClear={filters.clear}
              />
            ) : filtered ? (
              <NothingFound description={t('Aucun client ne correspond à ces filtres.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<UserPlus />}
                title={t('Aucun client pour le moment')}
                description={t('Ajoutez un client et rattachez-le à un commercial : il pourra inviter ses proches.')}
                action={
                  <div className="flex flex-wrap justify-center gap-2">
                    {importButton}
                    {addButton}
                  </div>
                }
              />
            )
          }
        />
      </Card>
      {wasOpened && (
        <ClientPanel
          clientId={list.openId}
          onClose={list.closeRow}
          neighbours={neighbours}
          onEdit={(client) => setForm({ client })}
          onAssign={(client) => setAssigned([{ ...client, commercialName: null }])}
          onDelete={setLeaving}
          onResetSecondFactor={setUnlocking}
        />
      )}
      {form && (
        <ClientFormDialog
          client={form.client}
          onClose={() => setForm(undefined)}
          onInvited={(name, outcome) => {
            setForm(undefined);
            setInvited({ name, outcome });
          }}
        />
      )}
      {isImporting && (
        <ImportDialog
          kind="clients"
          isAdmin
          commercial={(chosen, onChange) => (
            <CommercialPicker
              commercialId={chosen}
              onChange={onChange}
              activeOnly
              clearable
              placeholder={t('Aucun commercial')}
            />
          )}
          onClose={() => setIsImporting(false)}
        />
      )}
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
      {leaving && (
        <DeleteClientDialog
          client={leaving}
          onDeleted={() => list.openId === leaving.id && list.closeRow()}
          onClose={() => setLeaving(undefined)}
        />
      )}
      {assigned && (
        <AssignClientsDialog
          clients={assigned}
          onDone={(done) => selection.set(done, false)}
          onClose={() => setAssigned(undefined)}
        />
      )}
      {unlocking && <SecondFactorDialog person={unlocking} onClose={() => setUnlocking(undefined)} />}
    </>
  );
}

const broughtViews = [
  { name: 'Endormis depuis six mois', settings: { activite: 'asleep' } },
  { name: 'Sans commercial', settings: { activite: 'alone' } },
  { name: 'N’ont jamais parrainé', settings: { activite: 'never' } },
  { name: 'Ceux qui ont le plus rapporté', settings: { tri: 'revenue' } },
];

function sortOf(value: string | undefined): ClientSummarySort {
  return value !== undefined && Object.hasOwn(clientSummarySorts, value) ? (value as ClientSummarySort) : 'createdAt';
}
