import { setTimeout as wait } from 'node:timers/promises';

import type { FormerRelease } from '@parrain/database/testing-releases';

import { referAndValidate, requestAndPay, signInAll } from './main-job.ts';
import type { Site } from './main-job.ts';

// People at work at a steady pace while nodes come and go, as a proxy that asks for their health sends them.

const HEALTH_EVERY_MS = 200;

/** Sends each request to a node that said it is ready when it was last asked. */
export function createBalancer(): {
  readonly use: (urls: readonly string[]) => void;
  readonly next: () => string;
  readonly close: () => void;
} {
  let nodes: { readonly url: string; isReady: boolean }[] = [];
  let turn = 0;
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      await Promise.all(
        nodes.map(async (node) => {
          const reply = await fetch(`${node.url}/health/ready`).catch(() => null);
          await reply?.arrayBuffer();
          node.isReady = reply?.status === 200;
        }),
      );
      await wait(HEALTH_EVERY_MS);
    }
  };
  void look();
  return {
    use(urls) {
      nodes = urls.map((url) => nodes.find((node) => node.url === url) ?? { url, isReady: false });
    },
    next() {
      const ready = nodes.filter(({ isReady }) => isReady);
      turn += 1;
      return (ready[turn % ready.length] ?? nodes[0])?.url ?? '';
    },
    close() {
      isOver = true;
    },
  };
}

export type Request = {
  readonly asked: string;
  readonly ms: number;
  /** Its status, or what happened to the connection. */
  readonly answer: number | string;
  readonly text: string;
};

type Ask = {
  readonly asked: string;
  readonly path: string;
  readonly token: string;
  readonly body?: object;
};

/**
 * So many requests a second, whether or not the ones before were answered: lists, figures and a company's key, notes and statuses,
 * and now and then the whole main job.
 */
export async function startTraffic(
  site: Site,
  { people, password, apiKey }: Pick<FormerRelease, 'people' | 'password' | 'apiKey'>,
  next: () => string,
  perSecond: number,
): Promise<{ readonly requests: readonly Request[]; readonly stop: () => Promise<void> }> {
  const tokens = await signInAll(site, people, password);
  const here = (): Site => ({ url: next(), publishableKey: site.publishableKey });
  const mine = await rowsOf<{ id: string; status: string }>(
    site,
    tokens.commercial,
    '/rest/v1/sales?select=id,status&status=in.(pending,contacted)&order=created_at.desc&limit=20',
  );
  const asks: readonly ((n: number) => Ask)[] = [
    () => ({
      asked: 'sales of all',
      path: '/rest/v1/sales?select=*&order=created_at.desc,id&limit=20',
      token: tokens.admin,
    }),
    () => ({
      asked: 'own sales',
      path: '/rest/v1/sales?select=*&order=created_at.desc,id&limit=20',
      token: tokens.commercial,
    }),
    (n) => ({
      asked: 'status',
      path: '/functions/v1/sales-management',
      token: tokens.commercial,
      body: {
        action: 'update_status',
        sale_id: mine[n % mine.length]?.id,
        status: n % 2 === 0 ? 'contacted' : 'in_negotiation',
      },
    }),
    () => ({ asked: 'requests', path: '/rest/v1/payment_requests?select=*&limit=20', token: tokens.admin }),
    () => ({ asked: 'key', path: '/rest/v1/sales?select=id&limit=5', token: apiKey }),
    () => ({ asked: 'balance', path: '/rest/v1/balances?select=*', token: tokens.client }),
    () => ({ asked: 'profile', path: `/rest/v1/profiles?select=*&email=eq.${people.client}`, token: tokens.client }),
    () => ({ asked: 'notices', path: '/rest/v1/notices?select=*&limit=20', token: tokens.admin }),
  ];
  const requests: Request[] = [];
  const under = new Set<Promise<void>>();
  const track = (asked: string, work: () => Promise<Pick<Request, 'answer' | 'text'>>): void => {
    const started = performance.now();
    const done = work()
      .catch((error: unknown) => ({ answer: describe(error), text: '' }))
      .then((result) => {
        requests.push({ asked, ms: Math.round(performance.now() - started), ...result });
        under.delete(done);
      });
    under.add(done);
  };
  let n = 0;
  const timer = setInterval(() => {
    n += 1;
    if (n % (perSecond * 4) === 0) {
      track('main job', async () => {
        await referAndValidate(here(), tokens);
        await requestAndPay(here(), tokens, '5.00');
        return { answer: 200, text: '' };
      });
      return;
    }
    const ask = asks[n % asks.length]?.(Math.floor(n / asks.length));
    if (ask !== undefined) track(ask.asked, () => send(here(), ask));
  }, 1000 / perSecond);
  return {
    requests,
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
    },
  };
}

async function send(site: Site, { path, token, body }: Ask): Promise<Pick<Request, 'answer' | 'text'>> {
  const reply = await fetch(`${site.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token.startsWith('prk_') ? {} : { apikey: site.publishableKey }),
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { answer: reply.status, text: reply.ok ? '' : text };
}

async function rowsOf<Row>(site: Site, token: string, path: string): Promise<readonly Row[]> {
  const reply = await fetch(`${site.url}${path}`, {
    headers: { apikey: site.publishableKey, authorization: `Bearer ${token}` },
  });
  return (await reply.json()) as readonly Row[];
}

const describe = (error: unknown): string =>
  error instanceof Error
    ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`
    : String(error);
