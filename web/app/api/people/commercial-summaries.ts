import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

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
}

export const commercialSummarySorts = {
  fullName: 'full_name',
  clientsCount: 'clients',
  referralsCount: 'referrals',
  conversion: 'conversion',
  revenue: 'revenue',
  commissions: 'commissions',
  createdAt: 'created_at',
} as const;
export type CommercialSummarySort = keyof typeof commercialSummarySorts;

export interface CommercialSummariesAsked {
  search: string;
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
  'id,full_name,email,phone,created_at,deactivated_at,clients,referrals,contracts,conversion,revenue,commissions';

async function readCommercialSummaries({
  search,
  sort,
  page,
}: CommercialSummariesAsked): Promise<Page<CommercialSummary>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client.from('commercial_summaries').select(columns, options);
      return search.trim() === '' ? query : query.or(inTerms(search));
    },
    {
      mark: page,
      pageSize,
      order: [
        {
          column: commercialSummarySorts[sort.id],
          desc: sort.desc,
          ...(sort.id === 'conversion' ? { nulls: 'last' as const } : {}),
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
  };
}
