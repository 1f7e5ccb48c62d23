import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { percentile } from './median.ts';
import { responseReader } from './response-reader.ts';
import type { Response } from './response-reader.ts';

/** Load of one run. Requests are prebuilt bytes, so that building them is not measured. */
export type Requests =
  /** One after the other, again from the start. */
  | { readonly kind: 'cycle'; readonly requests: readonly Buffer[] }
  /** Each at most once; the run ends early where there are no more. */
  | { readonly kind: 'once'; readonly requests: readonly Buffer[] }
  /** Each connection exchanges its refresh token for the next one; `{token}` and `{length}` stand in the request. */
  | { readonly kind: 'refresh'; readonly head: string; readonly tokens: readonly string[] };

export type Job = {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly requests: Requests;
  /** No more requests than these leave in a second, of all connections; as fast as answers come otherwise. */
  readonly perSecond?: number;
  /** Answers that refuse are what is wanted: the load is a flood. */
  readonly isFlood?: boolean;
};

export type Outcome = {
  /** Answers received after the warm-up. */
  readonly answers: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers by status, the warm-up's included. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes of one answer's body, on average. */
  readonly bytes: number;
  /** Number of requests taken, warm-up included. */
  readonly taken: number;
  readonly lastFailure: string | null;
};

/** Minimum number of samples of a slow request. */
const ANSWERS_MIN = 5;

process.on('message', (job: Job) => {
  run(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

async function run(job: Job): Promise<Outcome> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let bytes = 0;
  let lastFailure: string | null = null;
  let taken = 0;
  let isOver = false;
  const begun = performance.now();
  const from = begun + job.warmUpSeconds * 1000;
  const until = from + job.seconds * 1000;

  async function one(socket: Socket, index: number): Promise<void> {
    const next = source(job.requests, index, () => (taken += 1) - 1);
    const reader = responseReader();
    let answer: (response: Response) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    socket.on('data', (chunk: Buffer) => {
      const response = reader.read(chunk);
      if (response !== null) answer(response);
    });
    socket.on('error', (error) => fail(error));
    socket.on('close', () => fail(new Error('The server closed a connection')));
    let previous: Response | null = null;
    while (!isOver) {
      const request = next(previous);
      if (request === null) break;
      if (job.perSecond !== undefined) {
        const early = begun + (taken / job.perSecond) * 1000 - performance.now();
        if (early > 0) await wait(early);
      }
      const started = performance.now();
      const response = await new Promise<Response>((resolve, reject) => {
        answer = resolve;
        fail = reject;
        socket.write(request);
      });
      const ended = performance.now();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (response.status >= 400 && job.isFlood !== true)
        lastFailure = `${response.status} ${response.body().toString().slice(0, 300)}`;
      if (started >= from) {
        latencies.push(ended - started);
        bytes += response.bytes;
      }
      if (ended >= until && latencies.length >= ANSWERS_MIN) isOver = true;
      previous = response;
    }
    fail = () => undefined;
    socket.destroy();
  }

  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job)));
  await Promise.all(sockets.map(one));
  const seconds = (performance.now() - from) / 1000;
  return {
    answers: latencies.length,
    seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    statuses,
    bytes: latencies.length === 0 ? 0 : Math.round(bytes / latencies.length),
    taken,
    lastFailure,
  };
}

async function open({ host, port }: Job): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** The next request of one connection, given the answer to its previous one; null where there is none. */
function source(requests: Requests, index: number, take: () => number): (previous: Response | null) => Buffer | null {
  switch (requests.kind) {
    case 'cycle':
      return () => requests.requests[take() % requests.requests.length] ?? null;
    case 'once':
      return () => requests.requests[take()] ?? null;
    case 'refresh':
      return (previous) => {
        take();
        const token =
          previous === null
            ? requests.tokens[index]
            : (JSON.parse(previous.body().toString()) as { refresh_token?: string }).refresh_token;
        if (token === undefined) return null;
        const body = JSON.stringify({ refresh_token: token });
        return Buffer.from(`${requests.head.replace('{length}', String(Buffer.byteLength(body)))}${body}`);
      };
  }
}
