import { awaitingCompanyValidation } from '@parrain/domain/messages';
import { referrerName, type Sale } from '@parrain/domain/sale';
import { ofName } from '@parrain/domain/of-name';
import { useQuery } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { contractsAwaitingCompanyQuery, contractsPageSize } from '#api/sales/commercial-contracts';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Card, CardHeader } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { Pagination } from '#ui/pagination';
import { Skeleton } from '#ui/skeleton';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { CommissionExplain } from '../../parts/commission-explain.tsx';

/** « Contrats en attente de validation » (CO-10); nothing where none waits. */
export function AwaitingContracts({
  commercialId,
  expectedCount,
}: {
  commercialId: string;
  /** Number of contracts, where it is known: room for the first page is kept for them. */
  expectedCount: number | undefined;
}) {
  const { t } = useTranslation();
  const title = t('Contrats en attente de validation');
  const [page, setPage] = useState(firstPage);
  const contracts = useQuery(contractsAwaitingCompanyQuery(commercialId, page));
  if (contracts.data?.rowCount === 0) return null;
  if (contracts.data === undefined && !contracts.isLoadingError) return <AwaitingSkeleton count={expectedCount ?? 0} />;
  return (
    <Card className="mt-5">
      <CardHeader
        title={title}
        description={t('Les commissions sont des prévisions : la validation de la société les fixe.')}
        level={3}
        actions={contracts.data && <ExportMenu list="commercial-contracts" title={title} page={contracts.data} />}
      />
      {contracts.data === undefined ? (
        <ErrorState onRetry={() => void contracts.refetch()} pending={contracts.isFetching} />
      ) : (
        <>
          <ul aria-label={title} className="divide-y divide-hairline">
            {contracts.data.rows.map((sale) => (
              <li key={sale.id}>
                <AwaitingContract sale={sale} />
              </li>
            ))}
          </ul>
          <div className="border-t border-hairline empty:hidden">
            <Pagination label={title} page={contracts.data} onMove={setPage} />
          </div>
        </>
      )}
    </Card>
  );
}

function AwaitingSkeleton({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Card className="mt-5 divide-y divide-hairline">
      <div className="h-20 p-5">
        <Skeleton className="h-5 w-64" />
      </div>
      {Array.from({ length: Math.min(count, contractsPageSize) }, (_, row) => (
        <div key={row} className="h-31.5 p-5 max-lg:h-38.5 max-sm:h-76">
          <Skeleton className="h-5 w-40" />
        </div>
      ))}
    </Card>
  );
}

function AwaitingContract({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  const referrer = referrerName(sale);
  return (
    <article className="grid gap-x-6 gap-y-3 px-4 py-4 sm:px-5 lg:grid-cols-[minmax(0,1fr)_auto_auto] lg:items-center">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium wrap-anywhere">{sale.referredContactName}</span>
          <Badge tone="purple" icon={<Hourglass aria-hidden />}>
            {t(awaitingCompanyValidation)}
          </Badge>
        </p>
        <p className="mt-0.5 line-clamp-2 text-sm wrap-anywhere text-encre-soft">{sale.contractDescription}</p>
        {referrer !== null && (
          <p className="text-sm wrap-anywhere text-encre-faint">
            {t('Recommandation {{ofName}}', { ofName: ofName(referrer) })}
          </p>
        )}
      </div>
      <dl className="grid grid-cols-1 gap-x-8 gap-y-1.5 sm:grid-cols-3">
        <Forecast label={t('Montant')} cents={sale.contractAmount} />
        <Forecast
          label={t('Commission client prévue')}
          cents={sale.clientCommissionAmount}
          why={<CommissionExplain sale={sale} side="client" />}
        />
        <Forecast
          label={t('Votre commission prévue')}
          cents={sale.commercialCommissionAmount}
          why={<CommissionExplain sale={sale} side="commercial" />}
        />
      </dl>
    </article>
  );
}

function Forecast({ label, cents, why }: { label: string; cents: bigint | null; why?: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-x-3 sm:block sm:text-right">
      <dt className="text-sm text-encre-faint">{label}</dt>
      <dd className="flex flex-wrap-reverse items-center justify-end gap-x-2 font-medium">
        {why}
        {cents === null ? '—' : <Amount cents={cents} className="sm:inline-block sm:min-w-22" />}
      </dd>
    </div>
  );
}
