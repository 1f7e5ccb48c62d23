import { isApiKeyScope, type ApiKeyScope } from '@parrain/domain/api-key';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { queryClient } from '../transport/query-client.ts';
import { rowsOf } from '../transport/read.ts';

/** A key of the company, without the key: its first letters, what it may do, and when it was last used (WH-01). */
export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  scopes: readonly ApiKeyScope[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

interface Row {
  id: string;
  name: string;
  prefix: string;
  scopes: readonly string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const shownMax = 100;

/** The keys in use, the newest first, then the revoked ones. */
export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async (): Promise<readonly ApiKey[]> => {
    const client = await supabase();
    const rows = rowsOf(
      await client
        .from('api_keys')
        .select('id,name,prefix,scopes,created_at,expires_at,revoked_at,last_used_at')
        .order('revoked_at', { ascending: false, nullsFirst: true })
        .order('created_at', { ascending: false })
        .limit(shownMax)
        .overrideTypes<Row[], { merge: false }>(),
    );
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.prefix,
      scopes: row.scopes.filter(isApiKeyScope),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
    }));
  },
});

/** Makes a key, and gives it: the server keeps its hash alone. */
export async function createApiKey(asked: {
  name: string;
  scopes: readonly ApiKeyScope[];
  expires_on: string | null;
}): Promise<string> {
  const { key } = await callFunction<{ key: string }>('api-keys', { body: { action: 'create', ...asked } });
  await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  return key;
}

export async function revokeApiKey(id: string): Promise<void> {
  await callFunction('api-keys', { body: { action: 'revoke', key_id: id } });
  await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
}
