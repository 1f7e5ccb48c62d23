import type { RealtimeChannel, RealtimePostgresChangesPayload, SupabaseClient } from '@supabase/supabase-js';
import { createClient, REALTIME_SUBSCRIBE_STATES } from '@supabase/supabase-js';
import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';

import type { Person, TestServer } from './index.ts';

export type Row = Readonly<Record<string, unknown>>;
export type ChangeEvent = RealtimePostgresChangesPayload<Row>;

/** The official client of a person, as their browser holds it: the token is there from the start. */
export async function signedIn(server: TestServer, person: Person, options: object = {}): Promise<SupabaseClient> {
  const token = await server.tokenOf(person);
  const client = createClient(server.url, server.services.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    accessToken: async () => token,
    realtime: options,
  });
  await client.realtime.setAuth();
  return client;
}

/** Waits until the channel is subscribed and its changes flow. */
export async function subscribed(channel: RealtimeChannel): Promise<RealtimeChannel> {
  const flows = new Promise<void>((resolve) => {
    channel.on('system', {}, (message: { readonly status: string }) => {
      if (message.status === 'ok') resolve();
    });
  });
  await joined(channel);
  await flows;
  return channel;
}

/** Waits until the channel is joined; fails where it is refused. */
export async function joined(channel: RealtimeChannel): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
      else if (status !== REALTIME_SUBSCRIBE_STATES.CLOSED) reject(error ?? new Error(status));
    });
  });
}

/** Collects what a channel is told of a table. */
export async function watching(
  client: SupabaseClient,
  table: string,
  options: { readonly event?: '*' | 'INSERT' | 'UPDATE' | 'DELETE'; readonly filter?: string } = {},
): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = [];
  const channel = client
    .channel(`test-${table}-${crypto.randomUUID()}`)
    .on('postgres_changes', { event: '*', schema: 'public', table, ...options }, (event: ChangeEvent) => {
      events.push(event);
    });
  await subscribed(channel);
  return events;
}

/** Waits for something to become true; fails with what it then is. */
export async function until<T>(read: () => T | undefined | false | null, within = 120_000): Promise<T> {
  const end = Date.now() + within;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false && value !== null) return value;
    if (Date.now() > end) throw new Error(`It did not come within ${within} ms`);
    await wait(10);
  }
}

/** Long enough for an event that must not come to have come. */
export const quiet = (): Promise<void> => wait(900);

export type ReceivedFrame = readonly [string | null, string | null, string, string, Readonly<Record<string, unknown>>];

export type RawSocket = {
  readonly said: ReceivedFrame[];
  readonly binaries: Buffer[];
  readonly send: (...frame: unknown[]) => void;
  readonly sendRaw: (data: string | Buffer) => void;
  /** The next message of that event, of that topic where one is given. */
  readonly heard: (event: string, topic?: string) => Promise<ReceivedFrame>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  readonly close: () => void;
};

/** A WebSocket without the client, for what the client never says. */
export async function rawSocket(
  server: TestServer,
  options: { readonly vsn?: string; readonly key?: string; readonly origin?: string } = {},
): Promise<RawSocket> {
  const key = options.key ?? server.services.keys.publishableKey;
  const vsn = options.vsn ?? '2.0.0';
  const address = `${server.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=${vsn}`;
  const socket = new WebSocket(address, options.origin === undefined ? {} : { origin: options.origin });
  const frames: ReceivedFrame[] = [];
  const binaries: Buffer[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) binaries.push(data);
    else frames.push(JSON.parse(data.toString()) as ReceivedFrame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return {
    said: frames,
    binaries,
    socket,
    closed,
    send: (...frame) => socket.send(JSON.stringify(frame)),
    sendRaw: (data) => socket.send(data),
    heard: (event, topic) =>
      until(() => {
        const index = frames.findIndex((frame) => frame[3] === event && (topic === undefined || frame[2] === topic));
        return index < 0 ? undefined : frames.splice(index, 1)[0];
      }),
    close: () => socket.terminate(),
  };
}
