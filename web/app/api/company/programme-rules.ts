import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { inTerms } from '../transport/read-page.ts';
import type { Changes } from '../transport/use-edit.ts';
import { companySettings } from './company-settings.ts';

/** A published version of the programme's rules (CS-05). */
interface RulesVersion {
  version: number;
  body: string;
  publishedAt: string;
}

/** The version in force; null until something is published. */
export const rulesQuery = queryOptions({
  queryKey: ['programme-rules', 'in-force'],
  queryFn: async (): Promise<RulesVersion | null> => {
    const { data } = await callFunction<{ data: VersionRow | null }>('programme-rules', {
      method: 'GET',
      query: { action: 'get' },
    });
    return data === null ? null : toVersion(data);
  },
});

export interface RulesState {
  draft: string | null;
  /** Clients who may sign in. */
  clients: number;
  /** The one in force first. */
  versions: readonly (RulesVersion & { accepted: number })[];
}

/** The admin's view: the draft, and every version with how many accepted it. */
export const rulesStateQuery = queryOptions({
  queryKey: ['programme-rules', 'state'],
  queryFn: async (): Promise<RulesState> => {
    const { data } = await callFunction<{
      data: { draft: string | null; clients: number; versions: (VersionRow & { accepted: number })[] };
    }>('programme-rules', { method: 'GET', query: { action: 'state' } });
    return {
      draft: data.draft,
      clients: data.clients,
      versions: data.versions.map((row) => ({ ...toVersion(row), accepted: row.accepted })),
    };
  },
});

interface RulesAcceptance {
  clientId: string;
  name: string;
  /** The latest version that they accepted; null where there is none. */
  version: number | null;
  acceptedAt: string | null;
}

/** Clients and what each accepted, those who have still to accept the version in force first; and how many there are. */
export function rulesAcceptancesQuery(search: string) {
  return queryOptions({
    queryKey: ['programme-rules', 'acceptances', search],
    queryFn: async (): Promise<{ total: number; acceptances: readonly RulesAcceptance[] }> => {
      const { data } = await callFunction<{ data: AcceptanceRow[] }>('programme-rules', {
        body: { action: 'acceptances', search },
      });
      return {
        total: data[0]?.total ?? 0,
        acceptances: data.map((row) => ({
          clientId: row.client_id,
          name: row.full_name,
          version: row.version,
          acceptedAt: row.accepted_at,
        })),
      };
    },
  });
}

/** Query of « Exporter » beside that list: every acceptance of the clients found, the latest first (CS-05). */
export function acceptedRulesExport(search: string): { query: string } {
  const query = new URLSearchParams({ order: 'accepted_at.desc,client_id.asc' });
  if (search.trim() !== '') query.set('or', `(${inTerms(search)})`);
  return { query: query.toString() };
}

/** Saves the changed fields of the draft (DF-34). */
export async function saveRulesDraft(changes: Changes): Promise<void> {
  await callFunction('programme-rules', { body: { action: 'save_draft', ...changes } });
  await queryClient.invalidateQueries({ queryKey: ['programme-rules'] });
}

/** @param seenVersion the version that was on screen as in force; 0 where there was none. */
export async function publishRules(body: string, seenVersion: number): Promise<void> {
  await callFunction('programme-rules', { body: { action: 'publish', body, seen_version: seenVersion } });
  await queryClient.invalidateQueries({ queryKey: ['programme-rules'] });
}

export async function acceptRules(version: number): Promise<void> {
  await callFunction('programme-rules', { body: { action: 'accept', version } });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
}

interface VersionRow {
  version: number;
  body: string;
  published_at: string;
}

interface AcceptanceRow {
  client_id: string;
  full_name: string;
  version: number | null;
  accepted_at: string | null;
  total: number;
}

function toVersion({ version, body, published_at: publishedAt }: VersionRow): RulesVersion {
  return { version, body, publishedAt };
}
