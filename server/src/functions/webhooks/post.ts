import type { DeliveryError } from '@parrain/domain/webhook';
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

import { addressFault, isPublicAddress } from './public-address.ts';

export type PostOutcome = {
  /** Null where nothing answered. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly answer: string | null;
  readonly error: DeliveryError | null;
  readonly tookMs: number;
  /** Delay that the receiver asks for before the next attempt, in seconds. */
  readonly retryAfter: number | null;
};

export type PostOptions = {
  /** True when private networks and plain http may be reached: only where the installation is this machine's own. */
  readonly isPrivateAllowed: boolean;
  readonly timeoutMs: number;
  /** Aborted where the server stops. */
  readonly signal: AbortSignal;
  /** Resolver of names, if not the system's. */
  readonly resolve?: typeof lookup;
};

const ANSWER_BYTES = 1024;

class PrivateAddressError extends Error {}

/**
 * Posts JSON, or what the headers say that it is, to an address that a person gave. No redirect is followed, and a name is connected
 * to at the very addresses that were checked, all of which must be public: an answer of the name server that changes in between
 * changes nothing.
 * @throws where `signal` is aborted; any other trouble is in the outcome.
 */
export async function post(
  address: string,
  message: { readonly body: string | Buffer; readonly headers: Readonly<Record<string, string>> },
  { isPrivateAllowed, timeoutMs, signal, resolve = lookup }: PostOptions,
): Promise<PostOutcome> {
  const started = performance.now();
  const outcome = (found: Partial<PostOutcome>): PostOutcome => ({
    status: null,
    answer: null,
    error: null,
    retryAfter: null,
    tookMs: Math.round(performance.now() - started),
    ...found,
  });
  const url = new URL(address);
  if (!isPrivateAllowed) {
    // Of an address that is none to resolve, `lookup` is never asked.
    const fault = addressFault(url);
    if (fault !== null) return outcome({ error: fault });
  }
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await new Promise<IncomingMessage>((done, fail) => {
      const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(message.body),
          'accept-encoding': 'identity',
          'user-agent': 'Parrain-Webhooks/1',
          ...message.headers,
        },
        agent: false,
        lookup: isPrivateAllowed ? resolve : publicOnly(resolve),
        signal: over,
      });
      request.once('response', done);
      // An error after the start of the answer is reported by the answer.
      request.on('error', fail);
      request.end(message.body);
    });
    const answer = await beginningOf(response);
    return outcome({
      status: response.statusCode ?? null,
      answer,
      retryAfter: secondsIn(response.headers['retry-after']),
    });
  } catch (error) {
    signal.throwIfAborted();
    return outcome({ error: reasonOf(error) });
  }
}

/** Resolves a name to all of its addresses, and refuses it where one of them is not public. */
function publicOnly(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, '');
      else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new PrivateAddressError(), '');
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The first kilobyte of an answer; what it sends beyond, or too late, is not read. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= ANSWER_BYTES) break;
    }
  } catch {
    // Its status is known all the same.
  } finally {
    response.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8');
  // PostgreSQL keeps no zero, and a log shows no control sequence.
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\u{FFFD}');
}

function secondsIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/u.test(header) ? Number.parseInt(header, 10) : null;
}

function reasonOf(error: unknown): DeliveryError {
  if (error instanceof PrivateAddressError) return 'private_address';
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'unknown_host';
    case 'ECONNREFUSED':
      return 'refused';
    default:
      return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/u.test(code)
        ? 'certificate'
        : 'network';
  }
}
