import type { FastifyInstance } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Services } from './services.ts';
import { readDisk, readSystemFigures } from './system-figures.ts';
import type { SystemFigures } from './system-figures.ts';
import { programVersion } from './version.ts';

/** A gauge that a part of the program reads on demand. */
export type GaugeSource = { readonly help: string; readonly read: () => number };

/** The gauges of the parts of the program, by the name of the metric. */
export type Gauges = Map<string, GaugeSource>;

const DURATIONS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A scrape asks the database for no longer than this. */
const FIGURES_TIMEOUT_MS = 2000;
const UNMATCHED = '(none)';

/**
 * GET /metrics in the format of Prometheus, for who shows METRICS_TOKEN; without that setting nothing is loaded, counted or
 * answered. Requests are counted by the pattern of their route, of which there is a fixed number, never by their address.
 */
export async function serveMetrics(app: FastifyInstance, services: Services): Promise<void> {
  const { metricsToken } = services.config;
  if (metricsToken === null) return;
  const prometheus = await import('prom-client');
  const registry: Registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  const of = { registers: [registry] };

  const requests: Counter = new prometheus.Counter({
    ...of,
    name: 'parrain_http_requests_total',
    help: 'Requests answered, by method, pattern of the route and status',
    labelNames: ['method', 'route', 'status'],
  });
  const durations: Histogram = new prometheus.Histogram({
    ...of,
    name: 'parrain_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by method and pattern of the route',
    labelNames: ['method', 'route'],
    buckets: DURATIONS_SECONDS,
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? UNMATCHED : (request.routeOptions.url ?? UNMATCHED);
    const method = route === UNMATCHED ? UNMATCHED : request.method;
    requests.inc({ method, route, status: reply.statusCode });
    durations.observe({ method, route }, reply.elapsedTime / 1000);
  });

  // Once every part of the program has offered its own.
  app.addHook('onReady', async () => {
    for (const [name, { help, read }] of services.gauges) {
      const gauge: Gauge = new prometheus.Gauge({ ...of, name, help, collect: () => gauge.set(read()) });
    }
  });
  new prometheus.Gauge({ ...of, name: 'parrain_info', help: 'Version of the program', labelNames: ['version'] }).set(
    { version: programVersion },
    1,
  );
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new prometheus.Gauge({ ...of, name, help, labelNames: [...labelNames] });
  const isUp = gauge('parrain_database_up', 'Whether the database answered this scrape');
  const diskFree = gauge('parrain_disk_free_bytes', 'Room left on the disk under the embedded database');
  const ofDatabase = databaseGauges(gauge);

  app.get('/metrics', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    if (!isToken(request.headers.authorization, metricsToken)) {
      return reply
        .status(401)
        .header('www-authenticate', 'Bearer')
        .send({ message: 'Il faut le jeton METRICS_TOKEN.' });
    }
    const [figures, disk] = await Promise.all([
      readSystemFigures(services.db, FIGURES_TIMEOUT_MS).catch(() => null),
      readDisk(services),
    ]);
    isUp.set(figures === null ? 0 : 1);
    if (disk !== null) diskFree.set(disk.freeBytes);
    // An unknown value is left out: the old one would mislead.
    if (figures === null) for (const { metric } of ofDatabase) metric.reset();
    else for (const { update } of ofDatabase) update(figures);
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}

type FromFigures = { readonly metric: Gauge; readonly update: (figures: SystemFigures) => void };

function databaseGauges(
  gauge: (name: string, help: string, labelNames?: readonly string[]) => Gauge,
): readonly FromFigures[] {
  const mails = gauge('parrain_mails', 'Mails that are not accepted, by state', ['state']);
  const mailWait = gauge('parrain_mail_oldest_waiting_seconds', 'Age of the oldest mail that has not left');
  const jobs = gauge('parrain_jobs', 'Jobs, by state', ['state']);
  const jobWait = gauge('parrain_job_oldest_waiting_seconds', 'How long the job that is due first has been due');
  const size = gauge('parrain_database_bytes', 'All tables with their indexes');
  const success = gauge('parrain_last_success_timestamp_seconds', 'When a run last ended well, by kind', ['kind']);
  const broken = gauge('parrain_invariants_broken', 'Invariants that the last verification found broken');
  const seconds = (instant: string | null): number =>
    instant === null ? 0 : Math.max(0, (Date.now() - Date.parse(instant)) / 1000);
  return [
    {
      metric: mails,
      update(figures) {
        for (const state of ['queued', 'retried', 'sending', 'failed'] as const)
          mails.set({ state }, figures.mails[state]);
      },
    },
    { metric: mailWait, update: (figures) => mailWait.set(seconds(figures.mails.oldest_waiting_at)) },
    {
      metric: jobs,
      update(figures) {
        for (const state of ['waiting', 'retried', 'failed'] as const) jobs.set({ state }, figures.jobs[state]);
      },
    },
    { metric: jobWait, update: (figures) => jobWait.set(seconds(figures.jobs.oldest_waiting_at)) },
    { metric: size, update: (figures) => size.set(figures.database_bytes) },
    {
      metric: success,
      update(figures) {
        for (const kind of ['backup', 'verification'] as const) {
          const at = figures.runs[kind].last_success_at;
          if (at !== null) success.set({ kind }, Date.parse(at) / 1000);
        }
      },
    },
    {
      metric: broken,
      update(figures) {
        const found = figures.runs.verification.last?.details?.['broken'];
        broken.set(Array.isArray(found) ? found.length : 0);
      },
    },
  ];
}

/** Compares in constant time, against a timing attack. */
function isToken(authorization: string | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`));
}
