import { networkOf } from '#platform/network';

import { AuthError } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { secondsUntilMessage } from '../protocol/send-limits.ts';
import type { AuthSettings } from '../protocol/settings.ts';

export type TextMessage = {
  /** E.164 without its +. */
  readonly to: string;
  readonly text: string;
};

/** A carrier of text messages: one request for one message. */
type SmsProvider = (message: TextMessage) => { readonly url: string; readonly init: RequestInit };

const TIMEOUT_MS = 5000;
const PER_NETWORK = { capacity: 10, perSeconds: 3600 };
const WHOLE_INSTANCE = { capacity: 300, perSeconds: 3600 };

/**
 * Sends a text message through the provider of `SMS_URL`, and waits for its answer. The number and the text enter no log.
 * @throws AuthError sms_send_failed, over_sms_send_rate_limit
 */
export async function sendSms(scope: Scope, message: TextMessage): Promise<void> {
  const provider = providerOf(scope.settings);
  if (provider === null) throw failed();
  await requireSmsToken(scope, message.to);
  const { url, init } = provider(message);
  try {
    const response = await fetch(url, { ...init, method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.ok) return;
    scope.services.log.warn({ status: response.status }, 'A text message was refused by its provider');
  } catch (error) {
    scope.services.log.warn(
      { reason: error instanceof Error ? error.name : 'unknown' },
      'A text message did not leave',
    );
  }
  throw failed();
}

/** Every text message costs the company money: each network, and all together, are limited. */
async function requireSmsToken(scope: Scope, to: string): Promise<void> {
  const { services, origin } = scope;
  const untilNext = await secondsUntilMessage(scope, to);
  if (untilNext > 0) throw tooMany(untilNext);
  for (const [key, bucket] of [
    [`auth:sms:${networkOf(origin.ip)}`, PER_NETWORK],
    ['auth:sms', WHOLE_INSTANCE],
  ] as const) {
    const wait = await services.rateLimit.takeToken(key, bucket);
    if (wait > 0) throw tooMany(wait);
  }
}

function tooMany(retryAfterSeconds: number): AuthError {
  return new AuthError(429, 'over_sms_send_rate_limit', 'SMS rate limit exceeded', { retryAfterSeconds });
}

function providerOf({ smsUrl }: AuthSettings): SmsProvider | null {
  if (smsUrl === null) return null;
  const url = new URL(smsUrl);
  return url.protocol === 'twilio:' ? twilio(url) : webhook(url);
}

/** `https://token@host/path`: JSON `{ to, text }` with the token as bearer, or `user:password@` as basic credentials. */
function webhook(address: URL): SmsProvider {
  const { username, password } = address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const authorization =
    password === ''
      ? `Bearer ${decodeURIComponent(username)}`
      : basic(decodeURIComponent(username), decodeURIComponent(password));
  return ({ to, text }) => ({
    url: url.href,
    init: {
      headers: { 'content-type': 'application/json', ...(username === '' ? {} : { authorization }) },
      body: JSON.stringify({ to: `+${to}`, text }),
    },
  });
}

/** `twilio://SID:TOKEN@api.twilio.com?from=+33…`: Twilio's form; plain HTTP to this machine alone. */
function twilio(address: URL): SmsProvider {
  const sid = decodeURIComponent(address.username);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname);
  const from = address.searchParams.get('from') ?? '';
  return ({ to, text }) => ({
    url: `${isLocal ? 'http' : 'https'}://${address.host}/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`,
    init: {
      headers: { authorization: basic(sid, decodeURIComponent(address.password)) },
      body: new URLSearchParams({ To: `+${to}`, From: from.startsWith(' ') ? `+${from.trim()}` : from, Body: text }),
    },
  });
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function failed(): AuthError {
  return new AuthError(422, 'sms_send_failed', 'Error sending the text message');
}
