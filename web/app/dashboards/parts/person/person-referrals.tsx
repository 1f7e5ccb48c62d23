import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { clientReferralsQuery } from '#api/sales/client-referrals';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Pagination } from '#ui/pagination';
import { Skeleton } from '#ui/skeleton';
import { ReferralStatus } from '../referral-status.tsx';

export interface PersonReferralsProps {
  clientId: string;
  audience: 'admin' | 'commercial';
  /** Leads to one of them. */
  link?: ((saleId: string, name: string) => ReactNode) | undefined;
}

/** The friends that a client referred, with their contracts, newest first. */
export function PersonReferrals({ clientId, audience, link }: PersonReferralsProps) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const referrals = useQuery(clientReferralsQuery(clientId, page));
  const label = t('Amis parrainés');
  if (referrals.data?.rowCount === 0) return null;
  return (
    <section>
      <h3 className="mb-3 text-lg">{label}</h3>
      {referrals.data === undefined ? (
        referrals.isError ? (
          <ErrorState onRetry={() => void referrals.refetch()} pending={referrals.isFetching} />
        ) : (
          <div role="status">
            <span className="sr-only">{t('Chargement : parrainages')}</span>
            <Skeleton className="h-24 w-full" />
          </div>
        )
      ) : (
        <>
          <ul aria-label={label} className="divide-y divide-hairline border-y border-hairline">
            {referrals.data.rows.map((sale) => (
              <li key={sale.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-0.5 py-2.5">
                <span className="min-w-0 font-medium break-words">
                  {link?.(sale.id, sale.referredContactName) ?? sale.referredContactName}
                </span>
                <span className="text-right">
                  {sale.contractAmount === null ? (
                    <span className="text-encre-faint">—</span>
                  ) : (
                    <Amount cents={sale.contractAmount} />
                  )}
                </span>
                <span className="min-w-0">
                  <ReferralStatus referral={sale} audience={audience} />
                </span>
                <DateText value={sale.createdAt} className="text-right text-sm text-encre-faint" />
              </li>
            ))}
          </ul>
          <Pagination label={label} page={referrals.data} onMove={setPage} />
        </>
      )}
    </section>
  );
}
