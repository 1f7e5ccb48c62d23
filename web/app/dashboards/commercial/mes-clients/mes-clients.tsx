import { noClientInvited } from '@parrain/domain/messages';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { Trash2, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  clientSummariesQuery,
  clientSummarySorts,
  type ClientSummary,
  type ClientSummarySort,
} from '#api/people/client-summaries';
import { commercialFiguresQuery } from '#api/sales/commercial-figures';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { IconButton } from '#ui/icon-button';
import { PageHeader } from '#ui/page-header';
import { ContactLinks } from '../../parts/contact-links.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { AddClientDialog } from './add-client-dialog.tsx';
import { DeleteClientDialog } from './delete-client-dialog.tsx';
import { ReferringClients } from './referring-clients.tsx';

/** « Mes Clients » (CO-04 to CO-07): what each client brought in, and a new one in three fields. */
export default function MesClients(props: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('mes-clients', props);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<ClientSummary>();
  const figures = useQuery(commercialFiguresQuery(profile.id));
  const sort = { id: sortOf(list.get('tri')), desc: list.get('sens') !== 'croissant' };
  const clients = useQuery(
    clientSummariesQuery({ commercialId: profile.id, search: list.search, sort, page: list.page }),
  );
  const cards = figures.data;
  const add = (
    <Button variant="primary" icon={<UserPlus aria-hidden />} onClick={() => setAdding(true)}>
      {t('Ajouter un client')}
    </Button>
  );
  const columns: readonly DataColumn<ClientSummary>[] = [
    { id: 'fullName', header: t('Client'), sortable: true, cell: (client) => <ClientName client={client} /> },
    {
      id: 'contact',
      header: t('Contact'),
      card: 'foot',
      cell: (client) => <ContactLinks name={client.fullName} email={client.email} phone={client.phone} textFrom="sm" />,
    },
    {
      id: 'company',
      header: t('Entreprise'),
      cell: (client) => <div className="min-w-20 wrap-anywhere">{client.company ?? '—'}</div>,
    },
    {
      id: 'referralsCount',
      header: t('Parrainages'),
      sortable: true,
      align: 'right',
      cell: (client) => <Count value={client.referralsCount} />,
    },
    {
      id: 'signedContractsCount',
      header: t('Contrats signés'),
      sortable: true,
      align: 'right',
      cell: (client) => <Count value={client.signedContractsCount} />,
    },
    {
      id: 'revenue',
      header: t('CA généré'),
      sortable: true,
      align: 'right',
      cell: (client) => <Amount cents={client.revenue} />,
    },
    {
      id: 'createdAt',
      header: t('Invité le'),
      sortable: true,
      cell: (client) => <DateText value={client.createdAt} className="whitespace-nowrap" />,
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
            className="max-sm:border-edge/60"
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
          failed={figures.isLoadingError}
          action={{ label: t('Voir les parrainages'), onClick: () => props.openSection('parrainages-recus') }}
        />
        <FigureCard
          label={t('Contrats signés')}
          value={cards?.signedContractsCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
          action={{ label: t('Voir les contrats'), onClick: () => props.openSection('contrats-d-affiliation') }}
        />
        <FigureCard
          label={t('CA généré')}
          value={cards && <Amount cents={cards.revenue} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <Card className="mt-5">
        <DataTable
          caption={t('Clients invités')}
          columns={columns}
          rows={clients.data?.rows}
          rowKey={(client) => client.id}
          failed={clients.isLoadingError}
          onRetry={refresh}
          refreshing={clients.isPlaceholderData || (clients.isLoadingError && clients.isFetching)}
          searchLabel={clients.data?.rowCount === 0 && list.search === '' ? undefined : t('Rechercher un client')}
          server={{
            page: clients.data,
            onMove: list.setPage,
            sort,
            onSortChange: (next) => list.set({ tri: next.id, sens: next.desc ? undefined : 'croissant' }),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          empty={
            <EmptyState
              icon={<Users />}
              title={t(noClientInvited)}
              description={t(
                'Invitez votre premier client : il recevra ses identifiants par e-mail et pourra parrainer ses amis.',
              )}
              action={add}
            />
          }
        />
      </Card>
      <ReferringClients commercialId={profile.id} search={list.search} />
      <AddClientDialog open={adding} onClose={() => setAdding(false)} />
      <DeleteClientDialog client={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function sortOf(value: string | undefined): ClientSummarySort {
  return value !== undefined && value in clientSummarySorts ? (value as ClientSummarySort) : 'createdAt';
}

function ClientName({ client }: { client: ClientSummary }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0">
      <p className="min-w-28 font-medium break-words">{client.fullName}</p>
      <p className="font-mono text-xs text-encre-faint">
        <span className="sr-only">{t('Identifiant')} </span>
        {shortId(client.id)}
      </p>
    </div>
  );
}

function Count({ value }: { value: number }) {
  return <span className="figures">{value.toLocaleString('fr-FR')}</span>;
}
