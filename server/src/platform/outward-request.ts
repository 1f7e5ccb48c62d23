import type { DeliveryError } from '@parrain/domain/webhook';
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

import { addressFault, isPublicAddress } from './public-address.ts';

export type OutwardAnswer = {
  /** Null where nothing answered. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning, as long as was asked for. */
  readonly bytes: Buffer;
  /** True where all of it was read. */
  readonly isWhole: boolean;
  readonly error: DeliveryError | null;
  readonly tookMs: number;
  /** Delay that the other server asks for before the next attempt, in seconds. */
  readonly retryAfter: number | null;
};

export type OutwardMessage = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export type OutwardOptions = {
  /** True when private networks and plain http may be reached: only where the installation is this machine's own. */
  readonly isPrivateAllowed: boolean;
  readonly timeoutMs: number;
  /** Aborted where the server stops. */
  readonly signal: AbortSignal;
  /** Bytes of the answer that are read; what it sends beyond, or too late, is not. */
  readonly answerBytes: number;
  /** Resolver of names, if not the system's. */
  readonly resolve?: typeof lookup | undefined;
};

class PrivateAddressError extends Error {}

/**
 * Asks an address that a person gave. No redirect is followed, and a name is connected to at the very addresses that were checked, all of
 * which must be public: an answer of the name server that changes in between changes nothing.
 * @throws where `signal` is aborted; any other trouble is in the answer.
 */
export async function outwardRequest(
  address: string,
  { method, headers, body }: OutwardMessage,
  { isPrivateAllowed, timeoutMs, signal, answerBytes, resolve = lookup }: OutwardOptions,
): Promise<OutwardAnswer> {
  const started = performance.now();
  const answer = (found: Partial<OutwardAnswer>): OutwardAnswer => ({
    status: null,
    headers: {},
    bytes: Buffer.alloc(0),
    isWhole: false,
    error: null,
    retryAfter: null,
    tookMs: Math.round(performance.now() - started),
    ...found,
  });
  const url = new URL(address);
  if (!isPrivateAllowed) {
    // Of an address that is none to resolve, `lookup` is never asked.
    const fault = addressFault(url);
    if (fault !== null) return answer({ error: fault });
  }
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await new Promise<IncomingMessage>((done, fail) => {
      const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          'accept-encoding': 'identity',
          ...headers,
        },
        agent: false,
        lookup: isPrivateAllowed ? resolve : publicOnly(resolve),
        signal: over,
      });
      request.once('response', done);
      // An error after the start of the answer is reported by the answer.
      request.on('error', fail);
      request.end(body);
    });
    const bytes = await beginningOf(response, answerBytes);
    return answer({
      status: response.statusCode ?? null,
      headers: response.headers,
      bytes,
      isWhole: response.complete && bytes.length < answerBytes,
      retryAfter: secondsIn(response.headers['retry-after']),
    });
  } catch (error) {
    signal.throwIfAborted();
    return answer({ error: reasonOf(error) });
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

async function beginningOf(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= most) break;
    }
  } catch {
    // Its status is known all the same.
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, most);
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

/** Another server's words as they may be kept and shown: PostgreSQL keeps no zero, and a log shows no control sequence. */
export function plainWords(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\u{FFFD}');
}
