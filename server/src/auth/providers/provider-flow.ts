import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';

import { AuthError } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';

/** A sign-in in progress at its provider. */
export type ProviderFlow = {
  readonly provider: string;
  readonly redirectTo: string;
  /** The client's challenge: with one, it gets a code in place of the session. */
  readonly codeChallenge: string | null;
  readonly linking: { readonly userId: string; readonly sessionId: string } | null;
  readonly invitedUserId: string | null;
  /** The secrets of this server and the provider. */
  readonly secrets: Readonly<Record<string, string>>;
};

const PURPOSE = 'provider-flow';
const secretsSchema = z.record(z.string(), z.string());

/** Stores a flow before the browser leaves. @returns the state by which it is found at the return */
export async function beginProviderFlow(
  { services, settings, db }: Scope,
  flow: ProviderFlow,
  state: string = randomBytes(32).toString('base64url'),
): Promise<string> {
  const hash = stateHash(state);
  await db.queryAsService('auth: leave for a provider', {
    text: `insert into auth.provider_flows (state_hash, provider, sealed, redirect_to, code_challenge, linking_user_id,
        linking_session_id, invited_user_id, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
    values: [
      hash,
      flow.provider,
      services.secrets.seal(PURPOSE, JSON.stringify(flow.secrets), hash.toString('hex')),
      flow.redirectTo,
      flow.codeChallenge,
      flow.linking?.userId ?? null,
      flow.linking?.sessionId ?? null,
      flow.invitedUserId,
      settings.providerFlowSeconds,
    ],
  });
  return state;
}

export type Return =
  | { readonly kind: 'flow'; readonly flow: ProviderFlow }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'used' | 'expired'; readonly hasCodeChallenge: boolean };

/** Takes a flow at its return, once, before the provider is asked: of twenty returns with one state, one goes on. */
export async function takeProviderFlow({ services, db }: Scope, state: string): Promise<Return> {
  const hash = stateHash(state);
  const { rows } = await db.queryAsService<Row>('auth: back from a provider', {
    text: `with before as (
        select id, used_at, expires_at <= now() as is_expired from auth.provider_flows where state_hash = $1 for update
      ), taken as (
        update auth.provider_flows f set used_at = now() from before b
        where f.id = b.id and b.used_at is null and not b.is_expired returning f.id
      )
      select f.provider, f.sealed, f.redirect_to, f.code_challenge, f.linking_user_id, f.linking_session_id,
        f.invited_user_id, b.is_expired, exists (select from taken) as is_taken
      from before b join auth.provider_flows f on f.id = b.id`,
    values: [hash],
  });
  const [row] = rows;
  if (row === undefined) return { kind: 'unknown' };
  if (!row.is_taken)
    return { kind: row.is_expired ? 'expired' : 'used', hasCodeChallenge: row.code_challenge !== null };
  return {
    kind: 'flow',
    flow: {
      provider: row.provider,
      redirectTo: row.redirect_to,
      codeChallenge: row.code_challenge,
      linking:
        row.linking_user_id === null || row.linking_session_id === null
          ? null
          : { userId: row.linking_user_id, sessionId: row.linking_session_id },
      invitedUserId: row.invited_user_id,
      secrets: secretsSchema.parse(
        JSON.parse(services.secrets.open(PURPOSE, row.sealed, hash.toString('hex')).toString()),
      ),
    },
  };
}

type Row = {
  readonly provider: string;
  readonly sealed: Buffer;
  readonly redirect_to: string;
  readonly code_challenge: string | null;
  readonly linking_user_id: string | null;
  readonly linking_session_id: string | null;
  readonly invited_user_id: string | null;
  readonly is_expired: boolean;
  readonly is_taken: boolean;
};

/** A secret by its name. @throws Error where it is missing: every flow keeps all that its own return needs. */
export function flowSecret(flow: ProviderFlow, name: string): string {
  const value = flow.secrets[name];
  if (value === undefined) throw new AuthError(400, 'bad_oauth_state', 'OAuth state is not valid');
  return value;
}

function stateHash(state: string): Buffer {
  return createHash('sha256').update(`provider-flow:${state}`).digest();
}
