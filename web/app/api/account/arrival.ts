import type { EmailOtpType } from '@supabase/supabase-js';
import { ApiError } from '../transport/api-error.ts';
import { authCall } from '../transport/auth-call.ts';
import { publicConfig } from '../transport/public-config.ts';
import { adoptSession, openedSession, type Tokens } from '../transport/session.ts';
import { startSession } from '../transport/session-events.ts';
import type { SessionState } from '../transport/session-store.ts';

/** The content of an address that leads back here from a mail or a provider. Only the callback page and that of a new password read it. */
export type Arrival =
  | { kind: 'nothing' }
  /** Something was refused, which `code` names. */
  | { kind: 'refused'; code: string }
  /** One of the two addresses of a change is confirmed. */
  | { kind: 'half' }
  | MailedLink
  /** A provider's answer, of use to the browser that left for it alone. */
  | { kind: 'code'; code: string }
  /** A whole session, of a provider or an application that knows no codes. */
  | { kind: 'tokens'; tokens: Tokens; type: string };

/** The link of a mail: good once, on any device. */
export interface MailedLink {
  kind: 'link';
  tokenHash: string;
  type: EmailOtpType;
}

/** Reads the page's address, and opens nothing. What opens a session stands in the fragment, which no server and no log sees. */
export function readArrival(): Arrival {
  if (typeof window === 'undefined') return { kind: 'nothing' };
  const query = new URLSearchParams(window.location.search);
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  const given = (name: string) => fragment.get(name) ?? query.get(name) ?? '';
  if (given('error') !== '' || given('error_code') !== '') return { kind: 'refused', code: given('error_code') };
  const type = fragment.get('type') ?? '';
  const tokenHash = fragment.get('token_hash') ?? '';
  if (tokenHash !== '') return { kind: 'link', tokenHash, type: isLinkType(type) ? type : 'email' };
  const [access, refresh] = [fragment.get('access_token') ?? '', fragment.get('refresh_token') ?? ''];
  if (access !== '' && refresh !== '') {
    return { kind: 'tokens', tokens: { access_token: access, refresh_token: refresh }, type };
  }
  if (given('message') !== '') return { kind: 'half' };
  const code = query.get('code') ?? '';
  return code === '' ? { kind: 'nothing' } : { kind: 'code', code };
}

const linkTypes: readonly EmailOtpType[] = ['signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email'];

function isLinkType(type: string): type is EmailOtpType {
  return linkTypes.some((known) => known === type);
}

/** The outcome: the session's state, one half of a change of address, or the code of a refusal. */
export type Landed = { kind: 'open'; state: SessionState } | { kind: 'half' } | { kind: 'refused'; code: string };

/** Uses up a mailed link; its session takes the place of whatever session there was. @throws ApiError where nothing answered */
export async function openLink({ tokenHash, type }: Pick<MailedLink, 'tokenHash' | 'type'>): Promise<Landed> {
  return refusalOf(async () => {
    await startSession();
    const { session } = await authCall((auth) => auth.verifyOtp({ type, token_hash: tokenHash }));
    if (session === null) return { kind: 'half' };
    // An invited person chooses a password too.
    const isPasswordDue = type === 'recovery' || type === 'invite';
    return { kind: 'open', state: await openedSession(isPasswordDue ? 'PASSWORD_RECOVERY' : 'SIGNED_IN') };
  });
}

/** Exchanges a provider's code, with the verifier that this browser kept. @throws ApiError where nothing answered */
export async function openCode(code: string): Promise<Landed> {
  return refusalOf(async () => {
    await startSession();
    await authCall((auth) => auth.exchangeCodeForSession(code));
    return { kind: 'open', state: await openedSession() };
  });
}

/** Puts the session of the address in place. @throws ApiError where nothing answered */
export async function openTokens(tokens: Tokens, type: string): Promise<Landed> {
  return refusalOf(async () => ({
    kind: 'open',
    state: await adoptSession(tokens, type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN'),
  }));
}

/**
 * Reads the e-mail of the person whose session the address holds; null where it holds none any more. Asks the server, not the client, which
 * would end the session that is open where this one is over.
 */
export async function ownerOf({ access_token: token }: Tokens): Promise<string | null> {
  const { publishableKey } = await publicConfig();
  const reply = await fetch('/auth/v1/user', { headers: { apikey: publishableKey, authorization: `Bearer ${token}` } });
  if (!reply.ok) return null;
  const { email } = (await reply.json()) as { email?: string };
  return email ?? '';
}

async function refusalOf(open: () => Promise<Landed>): Promise<Landed> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof ApiError && error.status !== 0 && error.status < 500)
      return { kind: 'refused', code: error.code };
    throw error;
  }
}
