import { noClientInvited } from '@parrain/domain/messages';
import { formatEuros, groupThousands } from '@parrain/domain/money';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  clientActivities,
  clientSummariesQuery,
  clientSummarySorts,
  sleepingCountQuery,
  type ClientSummary,
  type ClientSummarySort,
} from '#api/people/client-summaries';
import { commercialFiguresQuery, type CommercialCards } from '#api/sales/commercial-figures';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { IconButton } from '#ui/icon-button';
import { PageHeader, pairedActionClass } from '#ui/page-header';
import { ActivityFilter } from '../../parts/activity-filter.tsx';
import { countText } from '../../parts/count-text.ts';
import { takenOff } from '../../parts/count-lines.ts';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { SumExplain } from '../../parts/sum-explain.tsx';
import { ContactLinks } from '../../parts/contact-links.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { commercialActions } from '../actions.tsx';
import { AddClientDialog } from './add-client-dialog.tsx';
import { DeleteClientDialog } from './delete-client-dialog.tsx';
import { ReferringClients } from './referring-clients.tsx';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';

const ImportDialog = lazyPart(() => import('../../parts/imports/import-dialog.tsx'));
const ClientPanel = lazyPart(() => import('./client-panel.tsx'));

const contactLook = {
  group: 'flex min-w-0 flex-col gap-2 max-wide:flex-1 wide:gap-0 [&_svg]:text-encre-faint wide:[&_svg]:hidden',
  link: 'min-w-0 max-wide:h-auto max-wide:min-h-11 max-wide:whitespace-normal! max-wide:px-3 max-wide:py-1.5 wide:h-6 wide:justify-start wide:border-0 wide:bg-transparent wide:px-0 wide:text-left wide:text-sm wide:font-normal wide:hover:bg-transparent wide:hover:text-sapin wide:hover:underline',
  soft: 'text-sm max-wide:font-normal wide:block wide:shrink wide:truncate wide:text-xs wide:leading-6 wide:text-encre-soft wide:[&_wbr]:hidden',
} as const;

/** « Mes Clients » (CO-04 to CO-07): what each client brought in, and a new one in three fields. */
export default function MesClients(props: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('mes-clients', props, 'client');
  const activity = clientActivities.find((word) => word === list.get('activite')) ?? 'all';
  const isSortable = activity !== 'asleep';
  const wasOpened = useOnce(list.openId !== undefined);
  const [adding, setAdding] = useState(false);
  const [isImporting, setIsImporting] = useState(false);
  const [leaving, setLeaving] = useState<ClientSummary>();
  const figures = useQuery(commercialFiguresQuery(profile.id));
  const sort = { id: sortOf(list.get('tri')), desc: isDescending(list.get('sens')) };
  const clients = useQuery(
    clientSummariesQuery({ commercialId: profile.id, activity, search: list.search, sort, page: list.page }),
  );
  const { data: sleeping } = useQuery(sleepingCountQuery(profile.id));
  const neighbours = useNeighbours(
    list,
    clients,
    (clients.data?.rows ?? []).map((client) => client.id),
  );
  const hasTools = Boolean(clients.data?.rowCount) || activity !== 'all';
  const filters = filtersOf(list, ['activite']);
  const cards = figures.data;
  const add = (
    <>
      <ActionButton
        action={commercialActions.importClients}
        onRun={() => setIsImporting(true)}
        className={pairedActionClass}
      />
      <ActionButton
        variant="primary"
        action={commercialActions.addClient}
        onRun={() => setAdding(true)}
        className={pairedActionClass}
      />
    </>
  );
  const columns: readonly DataColumn<ClientSummary>[] = [
    {
      id: 'fullName',
      header: t('Client'),
      sortable: isSortable,
      width: 'wide',
      cell: (client) => <ClientName client={client} />,
    },
    {
      id: 'contact',
      header: t('Contact'),
      width: 'address',
      card: 'foot',
      cell: (client) => (
        <ContactLinks name={client.fullName} email={client.email} phone={client.phone} look={contactLook} />
      ),
    },
    {
      id: 'company',
      header: t('Entreprise'),
      width: 'medium',
      from: '1400px',
      cell: (client) => <Cell text={client.company} />,
    },
    {
      id: 'referralsCount',
      header: t('Parrainages'),
      from: '1280px',
      sortable: isSortable,
      align: 'right',
      cell: (client) => <Count value={client.referralsCount} />,
    },
    {
      id: 'signedContractsCount',
      header: t('Contrats signés'),
      from: '1280px',
      sortable: isSortable,
      align: 'right',
      cell: (client) => <Count value={client.signedContractsCount} />,
    },
    {
      id: 'revenue',
      header: t('CA généré'),
      sortable: isSortable,
      align: 'right',
      cell: (client) => <Amount cents={client.revenue} />,
    },
    isSortable
      ? {
          id: 'createdAt',
          header: t('Invité le'),
          sortable: isSortable,
          cell: (client) => <DateText value={client.createdAt} className="whitespace-nowrap" />,
        }
      : {
          id: 'lastReferralAt',
          header: t('Dernier parrainage'),
          cell: (client) => <DateText value={client.lastReferralAt} className="whitespace-nowrap" />,
        },
    {
      id: 'actions',
      header: t('Actions'),
      headerHidden: true,
      align: 'right',
      // CO-07: only where the client's revenue is 0.
      cell: (client) =>
        client.revenue === 0n && (
          <IconButton
            className="max-wide:border-edge/60"
            tone="danger"
            label={t('Supprimer {{name}}', { name: client.fullName })}
            icon={<Trash2 aria-hidden />}
            onClick={() => setLeaving(client)}
          />
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('Mes Clients')}
        description={t('Les clients que vous avez invités, et ce que leurs parrainages ont apporté.')}
        actions={add}
      />
      <StaleNotice query={clients} />
      <FigureGrid>
        <FigureCard
          label={t('Clients invités')}
          value={cards?.clientsCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Total parrainages')}
          value={cards?.referralsCount.toLocaleString('fr-FR')}
          note={
            cards &&
            t('dont {{referrals}}', { referrals: countText(cards.toFollowUpCount, t('à suivre'), t('à suivre')) })
          }
          failed={figures.isLoadingError}
          action={{
            label: t('Voir les parrainages'),
            onClick: () => props.openSection('parrainages-recus', { statut: 'all' }),
          }}
        />
        <FigureCard
          label={t('Contrats signés')}
          value={cards?.signedContractsCount.toLocaleString('fr-FR')}
          note={cards && <SignedNote cards={cards} />}
          failed={figures.isLoadingError}
          action={{ label: t('Voir les contrats'), onClick: () => props.openSection('contrats-d-affiliation') }}
        />
        <FigureCard
          label={t('CA généré')}
          value={cards && <Amount cents={cards.revenue} />}
          note={cards && <RevenueNote cards={cards} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <Card className="mt-5">
        <DataTable
          name="mes-clients"
          caption={t('Clients invités')}
          columns={columns}
          rows={clients.data?.rows}
          rowKey={(client) => client.id}
          failed={clients.isLoadingError}
          onRetry={refresh}
          refreshing={clients.isPlaceholderData || (clients.isLoadingError && clients.isFetching)}
          searchLabel={
            clients.data?.rowCount === 0 && list.search === '' && activity === 'all'
              ? undefined
              : t('Rechercher un client')
          }
          onRowOpen={(client) => list.openRow(client.id)}
          rowHref={(client) => list.hrefOf(client.id)}
          server={{
            page: clients.data,
            onMove: list.setPage,
            sort: isSortable ? sort : undefined,
            onSortChange: (next) => list.set(sortSettings(next)),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={
            hasTools && {
              ...filters,
              controls: <ActivityFilter list={list} activity={activity} sleepingCount={sleeping} />,
            }
          }
          exporting={
            hasTools && (
              <ExportMenu
                list={activity === 'asleep' ? 'own-sleeping-referrers' : 'client-summaries'}
                page={clients.data}
              />
            )
          }
          empty={
            activity !== 'all' ? (
              <NothingFound
                title={activity === 'asleep' ? t('Aucun parrain endormi') : undefined}
                description={
                  activity === 'asleep'
                    ? t('Chacun de vos clients qui a déjà parrainé l’a fait encore ces six derniers mois.')
                    : t('Chacun de vos clients a déjà parrainé quelqu’un.')
                }
                onClear={filters.clear}
              />
            ) : (
              <EmptyState
                icon={<Users />}
                title={t(noClientInvited)}
                description={t('Invitez votre premier client : dès sa connexion, il pourra parrainer ses amis.')}
                action={<div className="flex flex-wrap justify-center gap-2">{add}</div>}
              />
            )
          }
        />
      </Card>
      {wasOpened && (
        <ClientPanel clientId={list.openId} onClose={list.closeRow} neighbours={neighbours} onDelete={setLeaving} />
      )}
      <ReferringClients commercialId={profile.id} search={list.search} />
      {isImporting && <ImportDialog kind="clients" isAdmin={false} onClose={() => setIsImporting(false)} />}
      <AddClientDialog open={adding} onClose={() => setAdding(false)} />
      <DeleteClientDialog
        client={leaving}
        onDeleted={(client) => list.openId === client.id && list.closeRow()}
        onClose={() => setLeaving(undefined)}
      />
    </>
  );
}

/** D-07: signed is validated by the company or still to be; each cancelled validation takes one back. */
function SignedNote({ cards }: { cards: CommercialCards }) {
  const { t } = useTranslation();
  const toValidate = cards.signedContractsCount - cards.validatedContractsCount;
  const cancelled = cards.cancelledValidationsCount;
  return (
    <>
      {toValidate === 0
        ? t('validés par la société')
        : t('dont {{contracts}}', { contracts: countText(toValidate, t('à valider'), t('à valider')) })}{' '}
      <SumExplain
        title={t('Contrats signés')}
        lines={[
          {
            label: t('Validés par la société'),
            value: groupThousands(String(cards.validatedContractsCount + cancelled)),
          },
          { label: t('Validations annulées'), value: takenOff(cancelled) },
          { label: t('À valider par la société'), value: groupThousands(String(toValidate)) },
        ]}
        result={{ label: t('Contrats signés'), value: groupThousands(String(cards.signedContractsCount)) }}
      >
        {t('Les contrats que vous avez signés, que la société les ait déjà validés ou non.')}
      </SumExplain>
    </>
  );
}

function RevenueNote({ cards }: { cards: CommercialCards }) {
  const { t } = useTranslation();
  const toValidate = cards.revenue - cards.validatedRevenue;
  return (
    <>
      {toValidate === 0n ? t('rien à valider') : t('dont {{amount}} à valider', { amount: formatEuros(toValidate) })}{' '}
      <SumExplain
        title={t('CA généré')}
        lines={[
          { label: t('Contrats validés par la société'), value: <Amount cents={cards.validatedRevenue} /> },
          { label: t('Contrats signés, à valider'), value: <Amount cents={toValidate} /> },
        ]}
        result={{ label: t('CA généré'), value: <Amount cents={cards.revenue} /> }}
      >
        {t('Le montant des contrats signés. « Contrats d’affiliation » ne compte que ceux que la société a validés.')}
      </SumExplain>
    </>
  );
}

function sortOf(value: string | undefined): ClientSummarySort {
  return value !== undefined && value in clientSummarySorts ? (value as ClientSummarySort) : 'createdAt';
}

function ClientName({ client }: { client: ClientSummary }) {
  const { t } = useTranslation();
  return (
    <Cell
      text={client.fullName}
      className="font-medium"
      secondNode={
        <>
          <span className="font-mono text-encre-faint">
            <span className="sr-only">{t('Identifiant')} </span>
            {shortId(client.id)}
          </span>
          {/* Where its column has no room. */}
          {client.company !== null && <span className="max-wide:hidden roomy:hidden"> · {client.company}</span>}
        </>
      }
    />
  );
}

function Count({ value }: { value: number }) {
  return <span className="tabular-digits">{value.toLocaleString('fr-FR')}</span>;
}
