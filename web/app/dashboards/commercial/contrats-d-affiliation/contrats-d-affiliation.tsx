import { awaitingCompanyValidation } from '@parrain/domain/messages';
import { isEarned, referrerName, saleState, type Sale } from '@parrain/domain/sale';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { FileSignature, Hourglass } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commissionHistoryQuery } from '#api/sales/commercial-contracts';
import { commercialFiguresQuery, type CommercialCards } from '#api/sales/commercial-figures';
import { refresh } from '#api/transport/refresh';
import { firstPage } from '#api/transport/read-page';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { countText } from '../../parts/count-text.ts';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { SaleStatus } from '../../parts/sale-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { AwaitingContracts } from './awaiting-contracts.tsx';

/** « Contrats d'affiliation » (CO-08 to CO-10): what is earned, what waits for the company, and why. */
export default function ContratsDAffiliation({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [page, setPage] = useState(firstPage);
  const figures = useQuery(commercialFiguresQuery(profile.id));
  const history = useQuery(commissionHistoryQuery(profile.id, page));
  const cards = figures.data;
  const columns: readonly DataColumn<Sale>[] = [
    { id: 'contract', header: t('Contrat'), cell: (sale) => <ContractName sale={sale} /> },
    {
      id: 'client',
      header: t('Client'),
      cell: (sale) => <span className="break-words">{referrerName(sale) ?? '—'}</span>,
    },
    {
      id: 'amount',
      header: t('Montant'),
      align: 'right',
      cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} />,
    },
    {
      id: 'commission',
      header: t('Commission'),
      align: 'right',
      cell: (sale) =>
        sale.commercialCommissionAmount !== null && (
          <ExplainedCommission amount={sale.commercialCommissionAmount} sale={sale} side="commercial" />
        ),
    },
    { id: 'status', header: t('Statut'), cell: (sale) => <ContractStatus sale={sale} /> },
    {
      id: 'date',
      header: t('Date'),
      cell: (sale) => <DateText value={sale.validatedAt ?? sale.createdAt} className="whitespace-nowrap" />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t("Contrats d'affiliation")}
        description={t('Vos contrats signés, ce qu’ils vous rapportent, et ce que votre société doit encore valider.')}
      />
      <StaleNotice query={history} />
      <FigureGrid>
        <FigureCard
          label={t('Contrats validés')}
          value={cards?.validatedContractsCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('CA généré')}
          value={cards && <Amount cents={cards.validatedRevenue} />}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions gagnées')}
          tone={cards && cards.commissionsEarned > 0n ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.commissionsEarned} />}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions en attente')}
          value={cards && <Amount cents={cards.commissionsPending} />}
          note={cards && <Forecast cards={cards} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <AwaitingContracts commercialId={profile.id} />
      <Card className="mt-5">
        <CardHeader title={t('Historique des commissions')} level={3} />
        <DataTable
          caption={t('Historique des commissions')}
          columns={columns}
          rows={history.data?.rows}
          rowKey={(sale) => sale.id}
          failed={history.isLoadingError}
          onRetry={refresh}
          refreshing={history.isPlaceholderData || (history.isLoadingError && history.isFetching)}
          server={{ page: history.data, onMove: setPage }}
          empty={
            <EmptyState
              icon={<FileSignature />}
              title={t('Aucun contrat signé pour le moment')}
              description={t(
                'Quand un parrainage aboutit, passez-le en « En attente validation finale » : le contrat et votre commission apparaissent ici.',
              )}
              action={<Button onClick={() => openSection('parrainages-recus')}>{t('Voir les parrainages')}</Button>}
            />
          }
        />
      </Card>
    </>
  );
}

/** Contracts transmitted and not yet signed are in no card: a line of their own, as CO-10 lists them (FX-64). */
function Forecast({ cards: { commissionsForecast, transmittedContractsCount } }: { cards: CommercialCards }) {
  const { t } = useTranslation();
  if (transmittedContractsCount === 0) return t('Contrats signés que la société doit encore valider');
  return (
    <>
      + <Amount cents={commissionsForecast} />{' '}
      {t('de prévision sur {{contracts}}', {
        contracts: countText(transmittedContractsCount, t('contrat transmis'), t('contrats transmis')),
      })}
    </>
  );
}

function ContractName({ sale }: { sale: Sale }) {
  return (
    <div className="min-w-0 lg:max-w-72">
      <p className="font-medium break-words">{sale.referredContactName}</p>
      <p className="line-clamp-2 text-sm font-normal break-words text-encre-faint">
        {sale.contractDescription ?? shortId(sale.id)}
      </p>
    </div>
  );
}

/** S-08: earned once the company has validated, pending before. */
function ContractStatus({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  if (isEarned(sale) || saleState(sale) === 'correction') return <SaleStatus sale={sale} audience="commercial" />;
  return (
    <Badge tone="purple" icon={<Hourglass aria-hidden />}>
      {t(awaitingCompanyValidation)}
    </Badge>
  );
}
