import { setTimeout as wait } from 'node:timers/promises';

import { freePort } from './free-port.ts';
import { SECRET_KEY } from './index.ts';
import type { Person, TestServer } from './index.ts';
import { startServerProcess } from './processes.ts';

/**
 * Calls a function on another node of the same installation, and kills that node while its statement runs.
 * @param writes how that statement is recognised
 * @returns « cut », or the answer that came all the same
 */
export async function cutWhileItWrites(
  server: TestServer,
  who: Person,
  { name, body, writes }: { readonly name: string; readonly body: unknown; readonly writes: string },
): Promise<string> {
  const { host, port, user, password, database } = server.database.owner;
  const itsPort = await freePort();
  const child = await startServerProcess({
    PORT: String(itsPort),
    HOST: '127.0.0.1',
    DATABASE_URL: `postgres://localhost/${database}?${new URLSearchParams({ host, port: String(port), user, password }).toString()}`,
    // The tokens are signed for the other server's address.
    PUBLIC_URL: server.url,
    SECRET_KEY,
  });
  const lost = fetch(`http://127.0.0.1:${itsPort}/functions/v1/${name}`, {
    method: 'POST',
    headers: {
      apikey: server.services.keys.publishableKey,
      authorization: `Bearer ${await server.tokenOf(who)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  }).then(
    async (reply) => `answered ${reply.status} ${await reply.text()}`,
    () => 'cut',
  );
  const isWriting = () =>
    server.database.asOwner(
      `select from pg_stat_activity where datname = current_database() and state = 'active' and strpos(query, $1) > 0
         and pid <> pg_backend_pid()`,
      [writes],
    );
  while ((await isWriting()).length === 0) await wait(5);
  child.kill();
  return lost;
}
