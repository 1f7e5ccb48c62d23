import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { referringClientsQuery } from '#api/people/client-summaries';
import { firstPage } from '#api/transport/read-page';
import { ErrorState } from '#ui/error-state';
import { Pagination } from '#ui/pagination';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { ClientReferrals } from './client-referrals.tsx';

/** The referrals of every client with at least one (CO-05), whichever page of the table they are on; nothing where none has. */
export function ReferringClients({ commercialId, search }: { commercialId: string; search: string }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState({ search, page: firstPage });
  const page = asked.search === search ? asked.page : firstPage;
  const clients = useQuery(referringClientsQuery({ commercialId, search, page }));
  if (clients.data?.rowCount === 0 || (clients.data === undefined && !clients.isLoadingError)) return null;
  return (
    <section aria-labelledby="detail-parrainages" className="drawn-when-near mt-8">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 id="detail-parrainages" className="text-lg">
          {t('Détail des parrainages par client')}
        </h3>
        {clients.data && (
          <ExportMenu list="client-summaries" title={t('Détail des parrainages par client')} page={clients.data} />
        )}
      </div>
      {clients.data === undefined ? (
        <ErrorState onRetry={() => void clients.refetch()} pending={clients.isFetching} />
      ) : (
        <div className="grid gap-3">
          {clients.data.rows.map((client) => (
            <ClientReferrals key={client.id} client={client} />
          ))}
          <Pagination
            label={t('Détail des parrainages par client')}
            page={clients.data}
            onMove={(mark) => setAsked({ search, page: mark })}
          />
        </div>
      )}
    </section>
  );
}
