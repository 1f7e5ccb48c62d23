import { fromWire, toWire, type Cents } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { countOf, rowsOf } from '../transport/read.ts';
import { refresh } from '../transport/refresh.ts';
import { queryOptions } from '@tanstack/react-query';

/** A line of an account that its payee questioned (LG-06). */
export interface Dispute {
  id: string;
  payeeId: string;
  payeeName: string | null;
  /** The line of the account; null of an adjustment that the company started (AC-05). */
  entryId: string | null;
  /** Amount of that adjustment, which another admin confirms while it is open. */
  proposed: Cents | null;
  /** Its admin. */
  openedBy: string | null;
  createdAt: string;
  closedAt: string | null;
  version: number;
  /** Amount that the company's last word gave, below zero where it took; null where it did neither. */
  adjustment: Cents | null;
  adjustmentAnnulledAt: string | null;
}

export interface DisputeThread extends Dispute {
  messages: readonly { id: string; authorId: string; body: string; at: string }[];
}

const columns =
  'id,payee_id,entry_id,created_at,closed_at,version,adjustment,adjustment_annulled_at,opened_by,proposed,payee:profiles!payee_id(full_name)';

// Each step of a dispute is told by a notice: whoever is told reads it again.

/** Disputes that wait for the company's last word, the oldest first. */
export const openDisputesQuery = queryOptions({
  queryKey: ['notices', 'disputes', 'open'],
  queryFn: async (): Promise<readonly Dispute[]> => {
    const client = await supabase();
    return rowsOf(
      await client
        .from('disputes')
        .select(columns)
        .is('closed_at', null)
        .order('created_at')
        .order('id')
        .limit(100)
        .overrideTypes<Row[], { merge: false }>(),
    ).map(toDispute);
  },
  ...live,
});

/** Number of open disputes. */
export const openDisputesCountQuery = queryOptions({
  queryKey: ['notices', 'disputes', 'count'],
  queryFn: async (): Promise<number> => {
    const client = await supabase();
    return countOf(
      await client
        .from('disputes')
        .select('id', { count: 'exact', head: true })
        .is('closed_at', null)
        .is('opened_by', null),
    );
  },
  ...live,
});

/** The disputes of one account, by the line they are of. */
export function disputesOfQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['notices', 'disputes', 'of', payeeId],
    queryFn: async (): Promise<ReadonlyMap<string, Dispute>> => {
      const client = await supabase();
      const rows = rowsOf(
        await client
          .from('disputes')
          .select(columns)
          .eq('payee_id', payeeId)
          .not('entry_id', 'is', null)
          .order('created_at', { ascending: false })
          .limit(500)
          .overrideTypes<Row[], { merge: false }>(),
      );
      return new Map(rows.map(toDispute).map((dispute) => [dispute.entryId ?? '', dispute]));
    },
    ...live,
  });
}

/** One dispute with what was said in it. */
export function disputeQuery(id: string) {
  return queryOptions({
    queryKey: ['notices', 'disputes', 'one', id],
    queryFn: async (): Promise<DisputeThread> => {
      const client = await supabase();
      const row = rowsOf(
        await client
          .from('disputes')
          .select(`${columns},messages:dispute_messages(id,author_id,body,created_at)`)
          .eq('id', id)
          .single<Row & { messages: { id: string; author_id: string; body: string; created_at: string }[] }>(),
      );
      const messages = row.messages
        .map((message) => ({
          id: message.id,
          authorId: message.author_id,
          body: message.body,
          at: message.created_at,
        }))
        .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
      return { ...toDispute(row), messages };
    },
    ...live,
  });
}

/** Questions a line of one's own account. */
export async function openDispute(entryId: string, message: string): Promise<void> {
  await callFunction('disputes', { body: { action: 'open', entry_id: entryId, message } });
  refresh();
}

/** One more message. */
export async function answerDispute(disputeId: string, message: string): Promise<void> {
  await callFunction('disputes', { body: { action: 'answer', dispute_id: disputeId, message } });
  refresh();
}

/** The company's last word, on the thread that was read, with an adjustment or null. */
export async function closeDispute(seen: Dispute, message: string, adjustment: Cents | null): Promise<void> {
  const sent =
    adjustment === null
      ? { direction: 'none' }
      : { direction: adjustment > 0n ? 'more' : 'less', amount: toWire(adjustment > 0n ? adjustment : -adjustment) };
  await callFunction('disputes', {
    body: { action: 'close', dispute_id: seen.id, seen_version: seen.version, message, ...sent },
  });
  refresh();
}

/** The opposite of an adjustment, with its reason. */
export async function annulAdjustment(seen: Dispute, message: string): Promise<void> {
  await callFunction('disputes', {
    body: { action: 'annul_adjustment', dispute_id: seen.id, seen_version: seen.version, message },
  });
  refresh();
}

interface Row {
  id: string;
  payee_id: string;
  entry_id: number | string | null;
  opened_by: string | null;
  proposed: number | string | null;
  created_at: string;
  closed_at: string | null;
  version: number;
  adjustment: number | string | null;
  adjustment_annulled_at: string | null;
  payee: { full_name: string } | null;
}

function toDispute(row: Row): Dispute {
  return {
    id: row.id,
    payeeId: row.payee_id,
    payeeName: row.payee?.full_name ?? null,
    entryId: row.entry_id === null ? null : String(row.entry_id),
    openedBy: row.opened_by,
    proposed: row.proposed === null ? null : fromWire(row.proposed),
    createdAt: row.created_at,
    closedAt: row.closed_at,
    version: row.version,
    adjustment: row.adjustment === null ? null : fromWire(row.adjustment),
    adjustmentAnnulledAt: row.adjustment_annulled_at,
  };
}
