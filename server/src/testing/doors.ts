import type { TestServer } from './index.ts';
import { rawSocket } from './realtime.ts';

/** Each door's answer to an access token: open or closed. */
export type Doors = {
  readonly auth: boolean;
  readonly rest: boolean;
  readonly functions: boolean;
  readonly storage: boolean;
  readonly realtime: boolean;
};

export const ALL_OPEN: Doors = { auth: true, rest: true, functions: true, storage: true, realtime: true };
export const ALL_CLOSED: Doors = { auth: false, rest: false, functions: false, storage: false, realtime: false };

/** Knocks at the five doors with an admin's access token. */
export async function knock(server: TestServer, token: string): Promise<Doors> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const open = async (path: string, body?: string): Promise<boolean> => {
    const response = await server.fetch(path, body === undefined ? { headers } : { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status === 200) return true;
    if (response.status === 401 || response.status === 403) return false;
    throw new Error(`${path} answered ${response.status}: ${text}`);
  };
  const socket = await rawSocket(server);
  socket.send('1', '1', 'realtime:doors', 'phx_join', {
    config: { postgres_changes: [{ event: '*', schema: 'public', table: 'profiles' }] },
    access_token: token,
  });
  const [, , , , reply] = await socket.heard('phx_reply', 'realtime:doors');
  socket.close();
  return {
    auth: await open('/auth/v1/user'),
    rest: await open('/rest/v1/profiles?select=id'),
    functions: await open('/functions/v1/company-settings?action=get'),
    storage: await open('/storage/v1/object/list/logos', '{"prefix":""}'),
    realtime: reply['status'] === 'ok',
  };
}
