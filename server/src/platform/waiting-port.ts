import { Failure } from '@parrain/domain/failure';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Config } from '../config.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Answers on the server's port while the database is brought to this version's schema: the process lives, and is not ready.
 * @returns ends it: the port is free then.
 */
export async function openWaitingPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<() => Promise<void>> {
  const server = createServer(reply);
  server.listen({ host, port });
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

function reply(request: IncomingMessage, response: ServerResponse): void {
  const [path] = (request.url ?? '/').split('?', 1);
  const isPage = request.headers.accept?.includes('text/html') === true;
  const [status, type, body] =
    path === '/health/live'
      ? [200, JSON_TYPE, { status: 'ok' }]
      : path === '/health' || path === '/health/ready'
        ? [503, JSON_TYPE, { status: 'migrating', message: 'Migration en cours.' }]
        : isPage
          ? [503, 'text/html; charset=utf-8', PAGE]
          : [503, JSON_TYPE, { error: new Failure('unavailable').message, code: 'unavailable' }];
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    // Its next request is for the server itself.
    connection: 'close',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
}

const JSON_TYPE = 'application/json; charset=utf-8';

const PAGE = `<!doctype html>
<html lang="fr">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}"><title>Mise à jour en cours</title></head>
<body><h1>Mise à jour en cours</h1><p>Migration en cours : le service revient dans un instant. Cette page se recharge d’elle-même.</p></body>
</html>
`;
