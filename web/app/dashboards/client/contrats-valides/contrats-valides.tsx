import { saleState, type Sale } from '@parrain/domain/sale';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FileCheck, Printer, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { readAllValidatedContracts, validatedContractsQuery } from '#api/sales/own-referrals';
import { firstPage } from '#api/transport/read-page';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { Notice } from '#ui/notice';
import { PageHeader } from '#ui/page-header';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { ContractsStatement } from './contracts-statement.tsx';

/** « Contrats Validés » (CL-05): what was signed thanks to me, and a statement to print or keep. */
export default function ContratsValides({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [page, setPage] = useState(firstPage);
  const contracts = useQuery(validatedContractsQuery(profile.id, page));
  // The statement holds every contract, whatever the page on screen: it is read when it is asked for.
  const statement = useMutation({
    mutationFn: async () => ({ contracts: await readAllValidatedContracts(profile.id), at: new Date().toISOString() }),
  });
  const columns: readonly DataColumn<Sale>[] = [
    { id: 'contact', header: t('Contact'), cell: (sale) => <Contact sale={sale} /> },
    {
      id: 'commercial',
      header: t('Commercial'),
      cell: (sale) => <span className="break-words">{sale.commercialName ?? '—'}</span>,
    },
    {
      id: 'amount',
      header: t('Montant'),
      align: 'right',
      cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} />,
    },
    {
      id: 'validated',
      header: t('Validé le'),
      cell: (sale) => <DateText value={sale.validatedAt} className="whitespace-nowrap" />,
    },
    {
      id: 'commission',
      header: t('Commission'),
      align: 'right',
      cell: (sale) =>
        sale.clientCommissionAmount !== null && (
          <ExplainedCommission amount={sale.clientCommissionAmount} sale={sale} side="client" />
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('Contrats Validés')}
        description={t('Les contrats signés grâce à vous et validés par la société.')}
        actions={
          contracts.data !== undefined &&
          contracts.data.rowCount > 0 && (
            <Button icon={<Printer aria-hidden />} pending={statement.isPending} onClick={() => statement.mutate()}>
              {t('Imprimer le relevé')}
            </Button>
          )
        }
      />
      <StaleNotice query={contracts} />
      {statement.isError && (
        <Notice tone="error" className="mb-4">
          {messageOf(statement.error, t('Le relevé n’a pas pu être préparé. Réessayez.'))}
        </Notice>
      )}
      <Card>
        <DataTable
          caption={t('Contrats Validés')}
          columns={columns}
          rows={contracts.data?.rows}
          rowKey={(sale) => sale.id}
          failed={contracts.isLoadingError}
          onRetry={() => void contracts.refetch()}
          refreshing={contracts.isPlaceholderData || (contracts.isLoadingError && contracts.isFetching)}
          server={{ page: contracts.data, onMove: setPage }}
          empty={
            <EmptyState
              icon={<FileCheck />}
              title={t('Aucun contrat validé pour le moment')}
              description={t(
                'Quand un ami signe et que la société valide, le contrat et votre commission apparaissent ici.',
              )}
              action={<Button onClick={() => openSection('mes-parrainages')}>{t('Voir mes parrainages')}</Button>}
            />
          }
        />
      </Card>
      {statement.data && (
        <ContractsStatement
          key={statement.data.at}
          {...statement.data}
          clientName={profile.fullName}
          onPrinted={statement.reset}
        />
      )}
    </>
  );
}

function Contact({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 lg:max-w-80">
      <p className="font-medium break-words">{sale.referredContactName}</p>
      {sale.contractDescription && (
        <p className="line-clamp-2 text-sm font-normal break-words text-encre-faint">{sale.contractDescription}</p>
      )}
      {saleState(sale) === 'correction' && (
        <div className="mt-1">
          <Badge tone="neutral" icon={<Undo2 aria-hidden />}>
            {t('Validation annulée')}
          </Badge>
          {sale.correctionReason && (
            <p className="mt-1 text-sm font-normal break-words text-encre-soft">{sale.correctionReason}</p>
          )}
        </div>
      )}
    </div>
  );
}
