import type { AuditEntity } from '@parrain/domain/audit';
import { uuidPattern, type AuditFacts, type AuditSubject } from '@parrain/domain/audit-words';
import { queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type OrderColumn, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

/** An entry of the audit trail: actor, act, time, before, after and reason. Personal data stands masked: « ••• ». */
export interface AuditEntry extends AuditFacts {
  readonly id: string;
  readonly at: string;
  readonly reason: string | null;
  /** The people and things it is about, by today's names. */
  readonly subject: AuditSubject;
  /** Today's names of the ids in `before` and `after`: people, friends, scales. */
  readonly names: ReadonlyMap<string, string>;
}

export interface AuditAsked {
  entity: AuditEntity | 'all';
  /** One thing, or several that are one: a contract with its corrections. */
  entityId?: string | readonly string[] | undefined;
  /** Person who acted. */
  actorId?: string | undefined;
  /** The person or the sale that it happened to. */
  aboutId?: string | undefined;
  /** First day, and the first day after the last: « 2026-11-01 », days in France. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
  page: PageMark;
}

const pageSize = 30;

/** AD-01, X-03: one page of the trail, the newest first; of one thing where its id is given. */
export function auditQuery(asked: AuditAsked) {
  return queryOptions({
    queryKey: ['audit', asked],
    queryFn: () => readAudit(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One entry, or null where no such entry is. */
export function auditEntryQuery(id: string | undefined) {
  return queryOptions({
    queryKey: ['audit', 'entry', id],
    queryFn: async () => {
      const client = await supabase();
      const rows = /^\d{1,18}$/u.test(id ?? '')
        ? rowsOf(
            await client
              .from('audit_entries')
              .select(columns)
              .eq('id', id ?? ''),
          )
        : [];
      const [entry] = await withNames(rows.map((row) => auditRow.parse(row)));
      return entry ?? null;
    },
    enabled: id !== undefined,
  });
}

const columns = 'id,at,actor_id,actor,entity,entity_id,action,before,after,reason';

// The entries of one thing are in the order they were written, the trail in the order of time.
const written: readonly OrderColumn[] = [{ column: 'id', desc: true }];
const happened: readonly OrderColumn[] = [
  { column: 'at', desc: true },
  { column: 'id', desc: true },
];

async function readAudit(asked: AuditAsked): Promise<Page<AuditEntry>> {
  const { entity, entityId, actorId, aboutId, fromDay, toDay, page } = asked;
  const client = await supabase();
  const found = await readPage(
    (options) => {
      let query = client.from(aboutId === undefined ? 'audit_entries' : 'audit_entries_about').select(columns, options);
      if (aboutId !== undefined) query = query.eq('about_id', aboutId);
      if (entity !== 'all') query = query.eq('entity', entity);
      if (entityId !== undefined) query = query.in('entity_id', [entityId].flat());
      if (actorId !== undefined) query = query.eq('actor_id', actorId);
      if (fromDay !== undefined) query = query.gte('at', midnight(fromDay));
      if (toDay !== undefined) query = query.lt('at', midnight(toDay));
      return query;
    },
    { mark: page, pageSize, order: entityId === undefined ? happened : written },
    (row) => auditRow.parse(row),
  );
  return { ...found, rows: await withNames(found.rows) };
}

/** The beginning of a day in France, as PostgreSQL reads it. */
function midnight(day: string): string {
  return `${day} 00:00:00 Europe/Paris`;
}

type AuditRow = z.infer<typeof auditRow>;

/** The entries with what they are about: each table is asked once for all of them. */
async function withNames(rows: readonly AuditRow[]): Promise<readonly AuditEntry[]> {
  const client = await supabase();
  const idsOf = (entity: AuditEntity) =>
    unique(rows.filter((row) => row.entity === entity).map((row) => row.entity_id));
  const mentioned = unique(
    rows.flatMap((row) => [row.actor_id, row.entity_id, ...idsIn(row.before), ...idsIn(row.after)]),
  );
  const among = async <Row>(table: string, select: string, ids: readonly string[]): Promise<readonly Row[]> =>
    ids.length === 0
      ? []
      : rowsOf(await client.from(table).select(select).in('id', ids).overrideTypes<Row[], { merge: false }>());
  const [people, sales, scales, keys, requests, closures] = await Promise.all([
    among<{ id: string; full_name: string }>('profiles', 'id,full_name', mentioned),
    among<SaleRow>('sales', 'id,referred_contact_name,contract_amount', mentioned),
    among<{ id: string; name: string }>('commission_rates', 'id,name', mentioned),
    // Asked where a key is among them: their acts are few.
    among<{ id: string; name: string }>(
      'api_keys',
      'id,name',
      unique(
        rows.flatMap((row) => [
          row.actor === 'api_key' ? row.actor_id : null,
          row.entity === 'api_keys' ? row.entity_id : null,
        ]),
      ),
    ),
    among<RequestRow>('payment_requests', 'id,amount,client:profiles(full_name)', idsOf('payment_requests')),
    among<ClosureRow>('account_closure_requests', 'id,person:profiles(full_name)', idsOf('account_closure_requests')),
  ]);
  const names = new Map([
    ...people.map((row) => [row.id, row.full_name] as const),
    ...sales.map((row) => [row.id, row.referred_contact_name] as const),
    ...scales.map((row) => [row.id, row.name] as const),
    ...keys.map((row) => [row.id, `Clé « ${row.name} »`] as const),
  ]);
  const personOfId = new Map([
    ...requests.map((row) => [row.id, row.client?.full_name ?? null] as const),
    ...closures.map((row) => [row.id, row.person?.full_name ?? null] as const),
  ]);
  const amounts = new Map([
    ...sales.map((row) => [row.id, row.contract_amount] as const),
    ...requests.map((row) => [row.id, row.amount] as const),
  ]);
  const named = (value: unknown) => (typeof value === 'string' ? (names.get(value) ?? null) : null);
  return rows.map((row) => {
    const facts = { ...row.before, ...row.after };
    return {
      id: String(row.id),
      at: row.at,
      actorId: row.actor_id,
      actorName: named(row.actor_id),
      actor: row.actor,
      entity: row.entity,
      entityId: row.entity_id,
      action: row.action,
      before: row.before,
      after: row.after,
      reason: row.reason,
      names,
      subject: {
        contact: named(row.entity === 'sales' ? row.entity_id : facts['sale_id']),
        person:
          personOfId.get(row.entity_id) ?? named(row.entity_id) ?? named(facts['recipient_id'] ?? facts['client_id']),
        commercial: named(row.after?.['commercial_id']),
        referrer: named(row.after?.['friend_referrer_id'] ?? row.after?.['client_referrer_id']),
        scale: named(row.entity_id),
        amount: amounts.get(row.entity_id) ?? null,
      },
    };
  });
}

function unique(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids)].filter((id) => id !== null);
}

function idsIn(facts: AuditRow['before']): readonly string[] {
  return Object.values(facts ?? {}).filter((value) => typeof value === 'string' && uuidPattern.test(value)) as string[];
}

interface SaleRow {
  id: string;
  referred_contact_name: string;
  contract_amount: number | string | null;
}
interface RequestRow {
  id: string;
  amount: number | string;
  client: { full_name: string } | null;
}
interface ClosureRow {
  id: string;
  person: { full_name: string } | null;
}

const changes = z.nullable(z.record(z.string(), z.unknown()));
const auditRow = z.object({
  id: z.union([z.number(), z.string()]),
  at: z.string(),
  actor_id: z.nullable(z.string()),
  actor: z.string(),
  entity: z.string(),
  entity_id: z.string(),
  action: z.string(),
  before: changes,
  after: changes,
  reason: z.nullable(z.string()),
});
