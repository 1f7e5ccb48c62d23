import type { ApiKeyKind } from '#platform/keys';
import { networkOf } from '#platform/network';
import type { Services } from '#platform/services';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { ProtocolVersion } from './frames.ts';
import { SOCKETS_MAX, SOCKETS_PER_NETWORK_MAX } from './limits.ts';

/** An admitted socket: its key and its protocol. */
export type Connection = {
  readonly apiKey: ApiKeyKind;
  /** False once the key that opened the socket was replaced and its grace period is over. */
  readonly isKeyGood: () => boolean;
  readonly version: ProtocolVersion;
};

/** Numbers of open sockets: in all, and from one network. */
export type SocketCount = { readonly total: () => number; readonly of: (network: string) => number };

export type Refusal = { readonly status: 400 | 401 | 403 | 404 | 426 | 429 | 503; readonly error: string };

/** Refused browsers retry for ever, so a refusal is delayed, for so many at once. */
const REFUSAL_DELAY_MS = 1000;
const REFUSALS_WAITING_MAX = 200;
let refusalsWaiting = 0;

/** Admits or refuses an upgrade by its address and headers. */
export function admission(
  request: IncomingMessage,
  services: Pick<Services, 'config' | 'keys' | 'publicUrl'>,
  count: SocketCount,
): Connection | Refusal {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname !== '/realtime/v1/websocket') return { status: 404, error: 'There is no such address' };
  const version = versionOf(url.searchParams.get('vsn'));
  if (version === null) return { status: 400, error: 'The protocol version is not supported' };
  const key = url.searchParams.get('apikey') ?? headerOf(request, 'x-api-key') ?? '';
  const apiKey = services.keys.resolve(key);
  if (apiKey === null) return { status: 401, error: 'Invalid API key' };
  const { origin } = request.headers;
  if (origin !== undefined) {
    if (apiKey === 'secret') return { status: 403, error: 'Forbidden use of secret API key in browser' };
    if (!isAllowedOrigin(origin, request, services)) return { status: 403, error: 'This origin is not allowed' };
  }
  if (count.total() >= SOCKETS_MAX) return { status: 503, error: 'Too many connections' };
  if (count.of(networkOfUpgrade(request, services.config.trustProxy)) >= SOCKETS_PER_NETWORK_MAX) {
    return { status: 429, error: 'Too many connections' };
  }
  return { apiKey, isKeyGood: () => services.keys.resolve(key) === apiKey, version };
}

function versionOf(given: string | null): ProtocolVersion | null {
  if (given === null || given === '1.0.0') return '1.0.0';
  return given === '2.0.0' ? given : null;
}

/** CORS does not cover WebSockets, so its list is checked here. A page of this server is always allowed. */
function isAllowedOrigin(
  origin: string,
  request: IncomingMessage,
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
): boolean {
  if (config.corsOrigins.includes('*') || config.corsOrigins.includes(origin)) return true;
  return origin === publicUrl() || URL.parse(origin)?.host === request.headers.host;
}

/** The network of a request, past the trusted proxies. */
export function networkOfUpgrade(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = headerOf(request, 'x-forwarded-for')?.split(',') ?? [];
  const hops = [...forwarded.map((hop) => hop.trim()), request.socket.remoteAddress ?? ''];
  return networkOf(hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? '');
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

/** Answers an upgrade that is refused, as HTTP. */
export function refuseUpgrade(socket: Duplex, { status, error }: Refusal): void {
  socket.on('error', () => socket.destroy());
  const body = JSON.stringify({ error });
  const text = [
    `HTTP/1.1 ${status} ${STATUS_TEXT[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    ...(status === 429 || status === 503 ? ['retry-after: 10'] : []),
    '',
    body,
  ].join('\r\n');
  if (refusalsWaiting >= REFUSALS_WAITING_MAX) {
    socket.end(text);
    return;
  }
  refusalsWaiting += 1;
  setTimeout(() => {
    refusalsWaiting -= 1;
    socket.end(text);
  }, REFUSAL_DELAY_MS).unref();
}

const STATUS_TEXT: Readonly<Record<Refusal['status'], string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
