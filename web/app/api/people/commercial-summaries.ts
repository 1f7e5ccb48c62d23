import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { late } from './late-commercials.ts';

/** A commercial with what they brought in: validated contracts, their corrections taken off (AD-04, M-04, M-09). */
export interface CommercialSummary {
  id: string;
  fullName: string;
  email: string;
  phone: string | null;
  createdAt: string;
  deactivatedAt: string | null;
  clientsCount: number;
  referralsCount: number;
  contractsCount: number;
  /** Validated contracts of referrals, between 0 and 1; null without a referral. */
  conversion: number | null;
  revenue: Cents;
  commissions: Cents;
  /** Instant of their last sign-in or change; null where neither is known (UI-09). */
  lastActivityAt: string | null;
  /** Referrals that nobody contacted yet, and when the oldest of them came that is not put off to a later day. */
  waitingCount: number;
  waitingSince: string | null;
  /** It waits for longer than the company allows. */
  isLate: boolean;
  /** Days from a referral to its first contact: the median of three months. */
  firstCallDays: number | null;
}

export const commercialSummarySorts = {
  fullName: 'full_name',
  clientsCount: 'clients',
  referralsCount: 'referrals',
  conversion: 'conversion',
  revenue: 'revenue',
  commissions: 'commissions',
  createdAt: 'created_at',
  lastActivityAt: 'last_activity_at',
  waitingSince: 'waiting_since',
  firstCallDays: 'first_call_days',
} as const;
export type CommercialSummarySort = keyof typeof commercialSummarySorts;

export interface CommercialSummariesAsked {
  search: string;
  /** Only those whose first calls are late. */
  isLate: boolean;
  sort: { id: CommercialSummarySort; desc: boolean };
  page: PageMark;
}

const pageSize = 25;

/** RE-03, AD-04: a page of the commercials, with what each brought in. */
export function commercialSummariesQuery(asked: CommercialSummariesAsked) {
  return queryOptions({
    queryKey: ['profiles', 'commercial-summaries', asked],
    queryFn: () => readCommercialSummaries(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One commercial with what they brought in; null where the reader may not see them. */
export async function readCommercialSummary(id: string): Promise<CommercialSummary | null> {
  const client = await supabase();
  const [row] = rowsOf<unknown[]>(await client.from('commercial_summaries').select(columns).eq('id', id));
  return row === undefined ? null : toDomain(row as Row);
}

const columns =
  'id,full_name,email,phone,created_at,deactivated_at,clients,referrals,contracts,conversion,revenue,commissions,' +
  'last_activity_at,waiting,waiting_since,is_late,first_call_days';

/** Columns that may have no value, and where those rows stand: whoever never did anything is the first of who did nothing for long. */
const nullsOf: Partial<Record<CommercialSummarySort, (desc: boolean) => 'first' | 'last'>> = {
  conversion: () => 'last',
  waitingSince: () => 'last',
  firstCallDays: () => 'last',
  lastActivityAt: (desc) => (desc ? 'last' : 'first'),
};

async function readCommercialSummaries({
  search,
  isLate,
  sort,
  page,
}: CommercialSummariesAsked): Promise<Page<CommercialSummary>> {
  const client = await supabase();
  const nulls = nullsOf[sort.id]?.(sort.desc);
  return readPage(
    (options) => {
      const all = client.from('commercial_summaries').select(columns, options);
      const query = isLate ? late(all) : all;
      return search.trim() === '' ? query : query.or(inTerms(search));
    },
    {
      mark: page,
      pageSize,
      order: [
        {
          column: commercialSummarySorts[sort.id],
          desc: sort.desc,
          ...(nulls === undefined ? {} : { nulls }),
        },
        { column: 'id' },
      ],
    },
    (row) => toDomain(row as Row),
  );
}

interface Row {
  id: string;
  full_name: string;
  email: string;
  phone: string | null;
  created_at: string;
  deactivated_at: string | null;
  clients: number;
  referrals: number;
  contracts: number;
  conversion: number | null;
  revenue: number | string;
  commissions: number | string;
  last_activity_at: string | null;
  waiting: number;
  waiting_since: string | null;
  is_late: boolean;
  first_call_days: number | null;
}

function toDomain(row: Row): CommercialSummary {
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    phone: row.phone,
    createdAt: row.created_at,
    deactivatedAt: row.deactivated_at,
    clientsCount: row.clients,
    referralsCount: row.referrals,
    contractsCount: row.contracts,
    conversion: row.conversion,
    revenue: fromWire(row.revenue),
    commissions: fromWire(row.commissions),
    lastActivityAt: row.last_activity_at,
    waitingCount: row.waiting,
    waitingSince: row.waiting_since,
    isLate: row.is_late,
    firstCallDays: row.first_call_days,
  };
}
