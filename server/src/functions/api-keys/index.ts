import { apiKeyForm, apiKeyRevocationForm } from '@parrain/domain/forms/api-key';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { randomBytes } from 'node:crypto';

import { COMPANY_KEY_PREFIX, companyKeyHash } from '#platform/identity';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** WH-01: the company's keys for other software; read over REST as `api_keys`. */
export default {
  create: { callers: ['admin'], run: createKey },
  revoke: { callers: ['admin'], run: revokeKey },
} satisfies ProductFunction;

const PREFIX_LENGTH = COMPANY_KEY_PREFIX.length + 8;

/**
 * The answer alone holds the key: its hash is kept. So it is not kept for a retry either: a second call makes a second key, and
 * its name is taken.
 */
async function createKey(call: UserCall): Promise<FunctionResponse> {
  const { name, scopes, expires_on: expiresOn } = parsePayload(apiKeyForm, call.body ?? {});
  const key = `${COMPANY_KEY_PREFIX}${randomBytes(32).toString('base64url')}`;
  const { rows } = await call.db.queryAs<{ key: unknown }>(call.identity, {
    text: 'select to_json(k) as key from private.create_api_key($1, $2, $3::date, $4, $5) k',
    values: [name, scopes, expiresOn, key.slice(0, PREFIX_LENGTH), companyKeyHash(key)],
  });
  return answer({ success: true, message: 'Clé créée', key, data: rows[0]?.key });
}

async function revokeKey(call: UserCall): Promise<FunctionResponse> {
  const { key_id: id } = parsePayload(apiKeyRevocationForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ key: unknown }>(call.identity, {
    text: 'select to_json(k) as key from private.revoke_api_key($1) k',
    values: [id],
  });
  return answer({ success: true, message: 'Clé révoquée', data: rows[0]?.key });
}
