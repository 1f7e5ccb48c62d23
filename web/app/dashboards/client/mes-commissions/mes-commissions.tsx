import { formatEuros } from '@parrain/domain/money';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { HandCoins, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { ownCommissionsQuery, type OwnCommission } from '#api/payments/own-commissions';
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
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { DebtNotice } from '../debt-notice.tsx';

/** « Mes Commissions » (CL-06, CL-10): what is mine, line by line, and why. */
export default function MesCommissions({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [page, setPage] = useState(firstPage);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const commissions = useQuery(ownCommissionsQuery(profile.id, page));
  const cards = figures.data;
  const columns: readonly DataColumn<OwnCommission>[] = [
    { id: 'contact', header: t('Contact'), cell: (commission) => <Contact commission={commission} /> },
    {
      id: 'commercial',
      header: t('Commercial'),
      cell: (commission) => <span className="break-words">{commission.sale?.commercialName ?? '—'}</span>,
    },
    {
      id: 'date',
      header: t('Date de la vente'),
      cell: (commission) => (
        <DateText value={commission.sale?.validatedAt ?? commission.paidAt} className="whitespace-nowrap" />
      ),
    },
    {
      id: 'commission',
      header: t('Commission'),
      align: 'right',
      cell: (commission) => <ExplainedCommission amount={commission.amount} sale={commission.sale} side="client" />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('Mes Commissions')}
        description={t('Chaque commission validée, et comment elle a été calculée.')}
      />
      <StaleNotice query={commissions} />
      <DebtNotice debt={cards?.debt} />
      <FigureGrid>
        <FigureCard
          label={t('Total commissions')}
          value={cards && <Amount cents={cards.totalCommissions} />}
          note={
            cards &&
            cards.pendingCommissions !== 0n &&
            t('dont {{amount}} en attente de validation', { amount: formatEuros(cards.pendingCommissions) })
          }
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions validées')}
          value={cards && <Amount cents={cards.validatedCommissions} />}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Disponible pour paiement')}
          tone={cards && cards.available > 0n ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.available} />}
          failed={figures.isLoadingError}
          action={{
            label: cards && cards.available > 0n ? t('Demander un paiement') : t('Voir mes demandes'),
            onClick: () => openSection('demandes-de-paiement'),
          }}
        />
        <FigureCard
          label={t('Ventes générées')}
          value={cards && <Amount cents={cards.salesGenerated} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <Card className="mt-5">
        <CardHeader title={t('Détail des commissions')} level={3} />
        <DataTable
          caption={t('Détail des commissions')}
          columns={columns}
          rows={commissions.data?.rows}
          rowKey={(commission) => commission.id}
          failed={commissions.isLoadingError}
          onRetry={refresh}
          refreshing={commissions.isPlaceholderData || (commissions.isLoadingError && commissions.isFetching)}
          server={{ page: commissions.data, onMove: setPage }}
          empty={
            <EmptyState
              icon={<HandCoins />}
              title={t('Aucune commission pour le moment')}
              description={t(
                'Une commission apparaît dès que la société valide le contrat d’un ami que vous avez parrainé.',
              )}
              action={<Button onClick={() => openSection('mes-parrainages')}>{t('Voir mes parrainages')}</Button>}
            />
          }
        />
      </Card>
    </>
  );
}

/** A commission paid to the client referrer (M-02) is of a sale they may not read: its number names it. */
function Contact({ commission }: { commission: OwnCommission }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 lg:max-w-80">
      <p className="font-medium break-words">
        {commission.sale?.referredContactName ?? t('Contrat n° {{id}}', { id: shortId(commission.saleId) })}
      </p>
      {commission.amount < 0n && (
        <div className="mt-1">
          <Badge tone="neutral" icon={<Undo2 aria-hidden />}>
            {t('Validation annulée')}
          </Badge>
          {commission.sale?.correctionReason && (
            <p className="mt-1 text-sm font-normal break-words text-encre-soft">{commission.sale.correctionReason}</p>
          )}
        </div>
      )}
    </div>
  );
}
