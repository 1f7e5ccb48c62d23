import type { DoubtCompared, DoubtDecision, DoubtfulCaseStatus, DoubtRule } from '@parrain/domain/doubt';
import { groupBy } from '@parrain/domain/group-by';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import type { ControlAnswer } from './controls.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { countOf, rowsOf } from '../transport/read.ts';
import { readAgain, refresh } from '../transport/refresh.ts';
import type { Changes } from '../transport/use-edit.ts';

/** Case that looks like a fraud, and its reasons (FD-01). */
export interface DoubtfulCase {
  id: string;
  createdAt: string;
  status: DoubtfulCaseStatus;
  version: number;
  reason: string | null;
  decidedAt: string | null;
  decidedBy: string | null;
  payee: { id: string; name: string };
  /** The referral it is about; null where it is about another thing. */
  sale: { id: string; contactName: string } | null;
  /** The payment request it is about. */
  request: { id: string; amount: Cents } | null;
  reasons: readonly DoubtReason[];
}

/** A rule, said once of a person, however much of theirs is alike. */
export interface DoubtReason {
  id: string;
  rule: DoubtRule;
  compared: readonly DoubtCompared[];
  /** Instant of the first of these. */
  foundAt: string;
  /** With whom; null where there is nobody else. */
  person: { id: string; name: string; role: Role } | null;
}

const pageSize = 25;
const columns =
  'id,created_at,status,version,reason,decided_at,decided_by,payee:profiles!payee_id(id,full_name),sale:sales(id,referred_contact_name),request:payment_requests(id,amount),reasons:doubt_reasons(id,rule,compared,found_at,person:profiles(id,full_name,role))';

// A case comes with a referral or a request, whose change is told: they are read anew together, as figures are.
const key = ['figures', 'doubtful-cases'] as const;

/** One page of cases, the newest first. */
export function doubtfulCasesQuery(asked: { status: DoubtfulCaseStatus | 'all'; page: PageMark }) {
  return queryOptions({
    queryKey: [...key, 'list', asked],
    queryFn: async (): Promise<Page<DoubtfulCase>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          const query = client.from('doubtful_cases').select(columns, options);
          return asked.status === 'all' ? query : query.eq('status', asked.status);
        },
        { mark: asked.page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
        toCase,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

export function doubtfulCaseQuery(id: string) {
  return queryOptions({
    queryKey: [...key, 'one', id],
    queryFn: async (): Promise<DoubtfulCase> => {
      const client = await supabase();
      return toCase(rowsOf(await client.from('doubtful_cases').select(columns).eq('id', id).single()));
    },
    ...live,
  });
}

/** The cases about a referral or a request, the newest first. */
export function doubtfulCasesOfQuery(about: 'sale_id' | 'request_id', id: string) {
  return queryOptions({
    queryKey: [...key, about, id],
    queryFn: async (): Promise<readonly { id: string; status: DoubtfulCaseStatus }[]> => {
      const client = await supabase();
      return rowsOf<{ id: string; status: DoubtfulCaseStatus }[]>(
        await client
          .from('doubtful_cases')
          .select('id,status')
          .eq(about, id)
          .order('created_at', { ascending: false })
          .limit(10),
      );
    },
    ...live,
  });
}

/** Number of cases that wait for a decision. */
export const openCasesCountQuery = queryOptions({
  queryKey: [...key, 'count'],
  queryFn: async (): Promise<number> => {
    const client = await supabase();
    return countOf(
      await client.from('doubtful_cases').select('id', { count: 'exact', head: true }).eq('status', 'open'),
    );
  },
  ...live,
});

/** A rule with what became of its cases in twelve months. */
export interface DoubtRuleFigures {
  code: DoubtRule;
  isOn: boolean;
  /** Of a burst: how many referrals within an hour are usual. */
  most: number | null;
  opened: number;
  confirmed: number;
  cleared: number;
}

export const doubtRulesQuery = queryOptions({
  queryKey: [...key, 'rules'],
  queryFn: async (): Promise<readonly DoubtRuleFigures[]> => {
    const client = await supabase();
    const rows = rowsOf<RuleRow[]>(
      await client.from('doubt_rule_figures').select('code,is_on,most,opened,confirmed,cleared'),
    );
    return rows.map(({ is_on: isOn, ...row }) => ({ ...row, isOn }));
  },
  ...live,
});

/** Decides a case as it is on screen; `isPairCleared` silences its rules for these people from now on. */
export async function decideDoubtfulCase(
  seen: DoubtfulCase,
  { decision, reason, isPairCleared }: { decision: DoubtDecision; reason: string; isPairCleared: boolean },
): Promise<void> {
  await callFunction('doubtful-cases', {
    body: {
      action: 'decide',
      case_id: seen.id,
      seen_version: seen.version,
      decision,
      reason,
      is_pair_cleared: isPairCleared,
    },
  });
  refresh();
}

/** True while a doubtful case holds the payout until it is decided. */
export const doubtHoldQuery = queryOptions({
  queryKey: ['company-settings', 'hold-doubtful'],
  queryFn: async (): Promise<boolean> => {
    const client = await supabase();
    const [row] = rowsOf<{ hold_doubtful: boolean }[]>(await client.from('company_settings').select('hold_doubtful'));
    return row?.hold_doubtful === true;
  },
  ...live,
});

/** Gives what became of it (DF-24). */
export async function setDoubtHold(isHeld: boolean): Promise<ControlAnswer> {
  const changed = await callFunction<ControlAnswer>('doubtful-cases', {
    body: { action: 'set_hold', hold_doubtful: isHeld },
  });
  refresh();
  return changed;
}

export async function setDoubtRule(rule: DoubtRule, changes: Changes): Promise<void> {
  await callFunction('doubtful-cases', {
    body: { action: 'set_rule', rule, ...changes },
  });
  await readAgain();
}

interface RuleRow {
  code: DoubtRule;
  is_on: boolean;
  most: number | null;
  opened: number;
  confirmed: number;
  cleared: number;
}

interface Row {
  id: string;
  created_at: string;
  status: DoubtfulCaseStatus;
  version: number;
  reason: string | null;
  decided_at: string | null;
  decided_by: string | null;
  payee: { id: string; full_name: string };
  sale: { id: string; referred_contact_name: string } | null;
  request: { id: string; amount: number | string } | null;
  reasons: readonly {
    id: string;
    rule: DoubtRule;
    compared: DoubtCompared;
    found_at: string;
    person: { id: string; full_name: string; role: Role } | null;
  }[];
}

function toCase(found: unknown): DoubtfulCase {
  const row = found as Row;
  return {
    id: row.id,
    createdAt: row.created_at,
    status: row.status,
    version: row.version,
    reason: row.reason,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    payee: { id: row.payee.id, name: row.payee.full_name },
    sale: row.sale && { id: row.sale.id, contactName: row.sale.referred_contact_name },
    request: row.request && { id: row.request.id, amount: fromWire(row.request.amount) },
    reasons: toReasons(row.reasons),
  };
}

function toReasons(found: Row['reasons']): readonly DoubtReason[] {
  const inTime = found.toSorted((one, other) => Date.parse(one.found_at) - Date.parse(other.found_at));
  return [...groupBy(inTime, ({ rule, person }) => `${rule} ${person?.id ?? ''}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { id, rule, found_at: foundAt, person } = first;
    const compared = same.map((one) => one.compared);
    return [
      { id, rule, compared, foundAt, person: person && { id: person.id, name: person.full_name, role: person.role } },
    ];
  });
}
