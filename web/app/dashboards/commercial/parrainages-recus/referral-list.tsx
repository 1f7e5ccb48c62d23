import type { ContactChannel } from '@parrain/domain/call-consent';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Skeleton } from '#ui/skeleton';
import { useMedia } from '#ui/use-media';
import { ReferralLine } from './referral-line.tsx';
import { ReferralRow } from './referral-row.tsx';

export interface ReferralListProps {
  sales: readonly Referral[];
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
  isToday: boolean;
  onOpen: (sale: Referral) => void;
  onUpdate: (sale: Referral) => void;
  /** A friend is about to be called or written to. */
  onReach: (sale: Referral, way: ContactChannel) => void;
}

/** Under the breakpoint « lg »: a phone, a tablet. */
const touchQuery = '(max-width: 1023.98px)';

/** The referrals: one a line on a wide screen, with all that is known (CO-02); one a row of a phone, with why it is here and the call (UI-06). */
export function ReferralList({ sales, isToday, onOpen, onUpdate, onReach, ...company }: ReferralListProps) {
  const { t } = useTranslation();
  const isRow = useMedia(touchQuery);
  return (
    <ul aria-label={t('Parrainages reçus')} className="divide-y divide-hairline">
      {sales.map((sale) => (
        <li key={sale.id}>
          {isRow ? (
            <ReferralRow sale={sale} onOpen={() => onOpen(sale)} onReach={(way) => onReach(sale, way)} {...company} />
          ) : (
            <ReferralLine
              sale={sale}
              isToday={isToday}
              onOpen={() => onOpen(sale)}
              onUpdate={() => onUpdate(sale)}
              onReach={(way) => onReach(sale, way)}
              {...company}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The shape of the list while it comes. */
export function ReferralListSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className="divide-y divide-hairline">
      <span className="sr-only">{t('Chargement des parrainages reçus')}</span>
      {Array.from({ length: 6 }, (_, row) => (
        <div
          key={row}
          className="grid gap-3 px-4 py-2.5 max-lg:grid-cols-[1fr_2.75rem] sm:px-5 lg:grid-cols-[1.1fr_1.25fr_1fr_11rem] lg:py-4"
        >
          <div className="grid gap-2">
            <Skeleton className="h-4 w-40 lg:h-5" />
            <Skeleton className="h-4 w-56 max-w-full" />
          </div>
          <Skeleton className="max-lg:size-11 max-lg:rounded-full lg:h-5 lg:w-36" />
          <Skeleton className="h-5 w-24 max-lg:hidden" />
          <Skeleton className="h-8 w-32 max-lg:hidden lg:ml-auto" />
        </div>
      ))}
    </div>
  );
}
