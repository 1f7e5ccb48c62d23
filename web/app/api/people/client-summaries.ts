import { fromWire, type Cents } from '@parrain/domain/money';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { containing, readPage, type Page, type PageMark } from '../transport/read-page.ts';

/** A client with what they brought in (D-07), as far as the reader may see it. */
export interface ClientSummary {
  id: string;
  fullName: string;
  email: string;
  phone: string | null;
  company: string | null;
  notes: string | null;
  commercialId: string | null;
  createdAt: string;
  referralsCount: number;
  signedContractsCount: number;
  revenue: Cents;
}

export const clientSummarySorts = {
  fullName: 'full_name',
  referralsCount: 'total_referrals',
  signedContractsCount: 'signed_contracts',
  revenue: 'revenue_generated',
  createdAt: 'created_at',
} as const;
export type ClientSummarySort = keyof typeof clientSummarySorts;

export interface ClientSummariesAsked {
  /** Only the clients of this commercial; every client the reader may see where it is left out. */
  commercialId?: string | undefined;
  search: string;
  sort: { id: ClientSummarySort; desc: boolean };
  page: PageMark;
}

const summariesPageSize = 20;

/** CO-05: how many clients have their referrals in detail on one page. */
const referringClientsPageSize = 10;

/** CO-05: a commercial's clients with at least one referral, those with the most first, a page at a time. */
export function referringClientsQuery(asked: Pick<ClientSummariesAsked, 'commercialId' | 'search' | 'page'>) {
  const all = { ...asked, sort: { id: 'referralsCount', desc: true } } as const;
  return queryOptions({
    queryKey: ['clients', 'referring', asked],
    queryFn: () => readClientSummaries(all, { pageSize: referringClientsPageSize, isReferring: true }),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** CO-05: clients with their derived figures, a page at a time. */
export function clientSummariesQuery(asked: ClientSummariesAsked) {
  return queryOptions({
    queryKey: ['clients', 'summaries', asked],
    queryFn: () => readClientSummaries(asked, { pageSize: summariesPageSize, isReferring: false }),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readClientSummaries(
  { commercialId, search, sort, page }: ClientSummariesAsked,
  { pageSize, isReferring }: { pageSize: number; isReferring: boolean },
): Promise<Page<ClientSummary>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client.from('client_summaries').select('*', options);
      if (commercialId !== undefined) query = query.eq('commercial_id', commercialId);
      if (isReferring) query = query.gt('total_referrals', 0);
      if (search.trim() !== '') {
        const text = containing(search);
        query = query.or(
          ['full_name', 'email', 'company', 'phone'].map((column) => `${column}.ilike.${text}`).join(','),
        );
      }
      return query;
    },
    { mark: page, pageSize, order: [{ column: clientSummarySorts[sort.id], desc: sort.desc }, { column: 'id' }] },
    (row) => toDomain(row as Row),
  );
}

interface Row {
  id: string;
  full_name: string;
  email: string;
  phone: string | null;
  company: string | null;
  notes: string | null;
  commercial_id: string | null;
  created_at: string;
  total_referrals: number;
  signed_contracts: number;
  revenue_generated: number | string;
}

function toDomain(row: Row): ClientSummary {
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    phone: row.phone,
    company: row.company,
    notes: row.notes,
    commercialId: row.commercial_id,
    createdAt: row.created_at,
    referralsCount: row.total_referrals,
    signedContractsCount: row.signed_contracts,
    revenue: fromWire(row.revenue_generated),
  };
}
