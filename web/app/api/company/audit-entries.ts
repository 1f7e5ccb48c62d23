import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readNames } from '../people/names.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';

/** The tables that the audit trail covers. */
export const auditEntities = [
  'sales',
  'commission_payments',
  'commission_rates',
  'payment_requests',
  'profiles',
  'company_settings',
  'account_closure_requests',
] as const;
export type AuditEntity = (typeof auditEntities)[number];

/** An entry of the audit trail: actor, act, time, before, after and reason. Personal data stands masked: « ••• ». */
export interface AuditEntry {
  id: string;
  at: string;
  actorId: string | null;
  /** Null where the account is gone, or where the server acted by itself. */
  actorName: string | null;
  /** The acting person's role, or the reason the server gave. */
  actor: string;
  entity: string;
  entityId: string;
  action: string;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  reason: string | null;
}

export interface AuditAsked {
  entity: AuditEntity | 'all';
  entityId?: string | undefined;
  page: PageMark;
}

const pageSize = 30;

/** AD-01, X-03: one page of the trail, the newest first; of one thing where its id is given. */
export function auditQuery(asked: AuditAsked) {
  return queryOptions({
    queryKey: ['audit', asked],
    queryFn: () => readAudit(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readAudit({ entity, entityId, page }: AuditAsked): Promise<Page<AuditEntry>> {
  const client = await supabase();
  const found = await readPage(
    (options) => {
      let query = client
        .from('audit_entries')
        .select('id,at,actor_id,actor,entity,entity_id,action,before,after,reason', options);
      if (entity !== 'all') query = query.eq('entity', entity);
      if (entityId !== undefined) query = query.eq('entity_id', entityId);
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'id', desc: true }] },
    (row) => auditRow.parse(row),
  );
  const names = await readNames(found.rows.map((row) => row.actor_id));
  return {
    ...found,
    rows: found.rows.map((row) => ({
      id: String(row.id),
      at: row.at,
      actorId: row.actor_id,
      actorName: row.actor_id === null ? null : (names.get(row.actor_id) ?? null),
      actor: row.actor,
      entity: row.entity,
      entityId: row.entity_id,
      action: row.action,
      before: row.before,
      after: row.after,
      reason: row.reason,
    })),
  };
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
