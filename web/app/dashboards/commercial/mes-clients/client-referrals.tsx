import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { ChevronDown } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientReferralsQuery } from '#api/sales/client-referrals';
import type { Referral } from '#api/sales/referral';
import type { ReferringClient } from '#api/people/client-summaries';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Pagination } from '#ui/pagination';
import { Skeleton } from '#ui/skeleton';
import { countText } from '../../parts/count-text.ts';
import { ReferralStatus } from '../../parts/referral-status.tsx';

const isWide = () => matchMedia('(min-width: 64rem)').matches;

/** The detail block of a client with at least one referral (CO-05): its figures at once, its referrals open where they are few and the screen is wide. */
export function ClientReferrals({ client }: { client: ReferringClient }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(() => client.referrals !== null && isWide());
  const contentId = useId();
  return (
    <Card>
      <h4 className="font-sans text-base font-medium tracking-normal">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className="flex w-full items-center gap-3 rounded-card px-4 py-3 text-left hover:bg-papier sm:px-5"
        >
          <span className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-baseline">
            <span className="min-w-0 break-words">{client.fullName}</span>
            <span className="text-sm font-normal text-encre-soft">
              {countText(client.referralsCount, t('parrainage'), t('parrainages'))},{' '}
              {countText(client.signedContractsCount, t('contrat signé'), t('contrats signés'))}
              {' · '}
              <Amount cents={client.revenue} className="font-medium text-encre" />
            </span>
          </span>
          <ChevronDown
            aria-hidden
            className={clsx(
              'size-4.5 shrink-0 text-encre-faint transition-transform duration-160',
              isOpen && 'rotate-180',
            )}
          />
        </button>
      </h4>
      <div id={contentId}>
        {isOpen &&
          (client.referrals === null ? (
            <Referrals clientId={client.id} name={client.fullName} />
          ) : (
            <Lines name={client.fullName} referrals={client.referrals} />
          ))}
      </div>
    </Card>
  );
}

function Referrals({ clientId, name }: { clientId: string; name: string }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const referrals = useQuery(clientReferralsQuery(clientId, page));
  if (referrals.isLoadingError)
    return <ErrorState onRetry={() => void referrals.refetch()} pending={referrals.isFetching} />;
  if (referrals.data === undefined) {
    return (
      <div role="status" className="grid gap-4 border-t border-hairline px-5 py-4">
        <span className="sr-only">{t('Chargement des parrainages de {{name}}', { name })}</span>
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-full" />
      </div>
    );
  }
  return (
    <>
      <Lines name={name} referrals={referrals.data.rows} />
      <div className="border-t border-hairline empty:hidden">
        <Pagination label={t('Parrainages de {{name}}', { name })} page={referrals.data} onMove={setPage} />
      </div>
    </>
  );
}

function Lines({ name, referrals }: { name: string; referrals: readonly Referral[] }) {
  const { t } = useTranslation();
  return (
    <ul
      aria-label={t('Parrainages de {{name}}', { name })}
      className="divide-y divide-hairline border-t border-hairline"
    >
      {referrals.map((sale) => (
        <li
          key={sale.id}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto_8rem_7rem] sm:px-5"
        >
          <span className="min-w-0 break-words">{sale.referredContactName}</span>
          <span className="justify-self-end sm:order-none">
            <ReferralStatus referral={sale} audience="commercial" />
          </span>
          <DateText value={sale.createdAt} className="text-sm whitespace-nowrap text-encre-faint sm:text-right" />
          <span className="justify-self-end text-right">
            {sale.contractAmount === null ? (
              <span className="text-encre-faint">—</span>
            ) : (
              <Amount cents={sale.contractAmount} />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
