import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { readReferralsOf } from '../sales/client-referrals.ts';
import type { Referral } from '../sales/referral.ts';
import { alone } from './clients-alone.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import {
  inTerms,
  firstPage,
  readPage,
  selectableMax,
  previousPage,
  type Page,
  type PageMark,
} from '../transport/read-page.ts';
import { countOf, rowsOf } from '../transport/read.ts';
import { readNames } from './names.ts';

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
  deactivatedAt: string | null;
  referralsCount: number;
  signedContractsCount: number;
  revenue: Cents;
  /** Commissions credited, less what was taken back; null for who may not see it. */
  earned: Cents | null;
  /** Known of those who are asleep alone. */
  lastReferralAt: string | null;
}

/** A client as the admin's list shows them, with their commercial's name (AD-06). */
export interface ClientRow extends ClientSummary {
  commercialName: string | null;
}

/** A client who referred somebody (CO-05). */
export interface ReferringClient extends ClientSummary {
  /** All of them, newest first, where they are few; null where they are asked for once they are looked at. */
  referrals: readonly Referral[] | null;
}

export const clientSummarySorts = {
  fullName: 'full_name',
  referralsCount: 'total_referrals',
  signedContractsCount: 'signed_contracts',
  revenue: 'revenue_generated',
  earned: 'earned',
  createdAt: 'created_at',
} as const;
export type ClientSummarySort = keyof typeof clientSummarySorts;

/** All clients, those who referred somebody once and nobody in six months, those who never did (PI-03), or those whom no commercial follows. */
export const clientActivities = ['all', 'asleep', 'never', 'alone'] as const;
export type ClientActivity = (typeof clientActivities)[number];

export interface ClientSummariesAsked {
  /** Only the clients of this commercial; every client the reader may see where it is left out. */
  commercialId?: string | undefined;
  activity?: ClientActivity | undefined;
  search: string;
  sort: { id: ClientSummarySort; desc: boolean };
  page: PageMark;
}

const summariesPageSize = 20;
const allClientsPageSize = 25;

/** CO-05: how many clients have their referrals in detail on one page. */
const referringClientsPageSize = 10;
/** So many referrals are read at a glance: they come with their client. */
const fewReferralsMax = 5;

type ReferringClientsAsked = Pick<ClientSummariesAsked, 'commercialId' | 'search' | 'page'>;

/** CO-05: a commercial's clients with at least one referral, those with the most first, a page at a time. */
export function referringClientsQuery(asked: ReferringClientsAsked) {
  return queryOptions({
    queryKey: ['clients', 'referring', asked],
    queryFn: () => readReferringClients(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** CO-05: clients with their derived figures, a page at a time. */
export function clientSummariesQuery(asked: ClientSummariesAsked) {
  return queryOptions({
    queryKey: ['clients', 'summaries', asked],
    queryFn: () => readAsked(asked, summariesPageSize),
    placeholderData: previousPage,
    ...live,
  });
}

/** RE-03, AD-06: a page of all clients, with their commercials' names. */
export function allClientsQuery(asked: ClientSummariesAsked) {
  return queryOptions({
    queryKey: ['clients', 'all', asked],
    queryFn: () => readClientRows(asked, allClientsPageSize),
    placeholderData: previousPage,
    ...live,
  });
}

/** NV-04: the clients that the list's filters leave, from the first one, as they are now. */
export async function readSelectableClients(asked: ClientSummariesAsked): Promise<readonly ClientRow[]> {
  return (await readClientRows({ ...asked, page: firstPage }, selectableMax)).rows;
}

async function readClientRows(asked: ClientSummariesAsked, pageSize: number): Promise<Page<ClientRow>> {
  const page = await readAsked(asked, pageSize);
  const names = await readNames(page.rows.map((row) => row.commercialId));
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...row,
      commercialName: row.commercialId === null ? null : (names.get(row.commercialId) ?? null),
    })),
  };
}

/** PI-03: how many referrers are asleep, of one commercial or of all that the reader may see. */
export function sleepingCountQuery(commercialId: string | undefined) {
  return queryOptions({
    queryKey: ['clients', 'sleeping', commercialId],
    queryFn: () => countSleeping(commercialId),
    ...live,
  });
}

/** One client with their derived figures; null where the reader may not see them. */
export async function readClientSummary(id: string): Promise<ClientSummary | null> {
  const client = await supabase();
  const [row] = rowsOf<unknown[]>(await client.from('client_summaries').select(summaryColumns).eq('id', id));
  return row === undefined ? null : toDomain(row as Row);
}

async function readAsked(asked: ClientSummariesAsked, pageSize: number): Promise<Page<ClientSummary>> {
  return asked.activity === 'asleep' ? readSleeping(asked, pageSize) : readClientSummaries(asked, { pageSize });
}

const summaryColumns =
  'id,full_name,email,phone,company,notes,commercial_id,created_at,deactivated_at,total_referrals,signed_contracts,' +
  'revenue_generated,earned';

async function readClientSummaries(
  { commercialId, activity = 'all', search, sort, page }: ClientSummariesAsked,
  { pageSize, isReferring = false }: { pageSize: number; isReferring?: boolean },
): Promise<Page<ClientSummary>> {
  const client = await supabase();
  // All clients are compared by a figure: their sums are then made together.
  const relation = byFigure.has(sort.id) && commercialId === undefined ? 'client_rankings' : 'client_summaries';
  return readPage(
    (options) => {
      let query = client.from(relation).select(summaryColumns, options);
      if (commercialId !== undefined) query = query.eq('commercial_id', commercialId);
      if (isReferring) query = query.gt('total_referrals', 0);
      if (activity === 'never') query = query.eq('total_referrals', 0);
      if (activity === 'alone') query = alone(query);
      if (search.trim() !== '') query = query.or(inTerms(search));
      return query;
    },
    { mark: page, pageSize, order: [{ column: clientSummarySorts[sort.id], desc: sort.desc }, { column: 'id' }] },
    (row) => toDomain(row as Row),
  );
}

async function readReferringClients(asked: ReferringClientsAsked): Promise<Page<ReferringClient>> {
  const page = await readClientSummaries(
    { ...asked, sort: { id: 'referralsCount', desc: true } },
    { pageSize: referringClientsPageSize, isReferring: true },
  );
  const hasFew = ({ referralsCount }: ClientSummary) => referralsCount <= fewReferralsMax;
  const referrals = await readReferralsOf(page.rows.filter(hasFew).map(({ id }) => id));
  return {
    ...page,
    rows: page.rows.map((client) => ({
      ...client,
      referrals: hasFew(client) ? (referrals.get(client.id) ?? []) : null,
    })),
  };
}

const byFigure: ReadonlySet<ClientSummarySort> = new Set([
  'referralsCount',
  'signedContractsCount',
  'revenue',
  'earned',
] as const);

/** PI-03: who is asleep, those who slept longest first; then their figures, for the page alone. */
async function readSleeping(
  { commercialId, search, page }: Pick<ClientSummariesAsked, 'commercialId' | 'search' | 'page'>,
  pageSize: number,
): Promise<Page<ClientSummary>> {
  const client = await supabase();
  const found = await readPage(
    (options) => {
      let query = client.from('sleeping_referrers').select('id,last_referral_at', options);
      if (commercialId !== undefined) query = query.eq('commercial_id', commercialId);
      if (search.trim() !== '') query = query.or(inTerms(search));
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'last_referral_at' }, { column: 'id' }] },
    (row) => row as { id: string; last_referral_at: string },
  );
  const ids = found.rows.map((row) => row.id);
  const rows =
    ids.length === 0
      ? []
      : rowsOf<unknown[]>(await client.from('client_summaries').select(summaryColumns).in('id', ids));
  const summaries = new Map(rows.map((row) => [(row as Row).id, toDomain(row as Row)]));
  return {
    ...found,
    rows: found.rows.flatMap(({ id, last_referral_at: lastReferralAt }) => {
      const summary = summaries.get(id);
      return summary === undefined ? [] : [{ ...summary, lastReferralAt }];
    }),
  };
}

async function countSleeping(commercialId: string | undefined): Promise<number> {
  const client = await supabase();
  const query = client.from('sleeping_referrers').select('id', { count: 'exact', head: true });
  return countOf(await (commercialId === undefined ? query : query.eq('commercial_id', commercialId)));
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
  deactivated_at: string | null;
  total_referrals: number;
  signed_contracts: number;
  revenue_generated: number | string;
  earned: number | string | null;
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
    deactivatedAt: row.deactivated_at,
    referralsCount: row.total_referrals,
    signedContractsCount: row.signed_contracts,
    revenue: fromWire(row.revenue_generated),
    earned: row.earned === null ? null : fromWire(row.earned),
    lastReferralAt: null,
  };
}
