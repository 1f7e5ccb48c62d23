import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { textOf } from '../testing/deployment.ts';
import { anAdmin, aCommercial, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { leastEnvironment } from '../testing/processes.ts';
import { startWebhookReceiver } from '../testing/webhook-receiver.ts';
import type { WebhookReceiver } from '../testing/webhook-receiver.ts';
import { evaluateAlarms } from '../functions/system-state/alarms.ts';

// The operator's tools: commands, samples of deployment, alarms sent elsewhere.

const TOKEN = 'un-jeton-de-mesure-0123456789';
const BACKUPS = path.join('/tmp', `parrain-doctor-${process.pid}`);

const PASSPHRASE = 'une phrase assez longue pour fermer';

let server: TestServer;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  server = await startTestServer({
    smtp: true,
    environment: {
      METRICS_TOKEN: TOKEN,
      ALARM_WEBHOOK_URL: receiver.url,
      BACKUP_TO: BACKUPS,
      BACKUP_PASSPHRASE: PASSPHRASE,
    },
  });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
  await rm(BACKUPS, { recursive: true, force: true });
});

type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** Runs a command on the server's database, as on another machine. */
async function run(name: string, parameters: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> {
  const { port, user, password, database } = server.database.owner;
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(import.meta.dirname, `${name}.ts`), ...parameters],
      { env: { ...leastEnvironment, DATABASE_URL, PATH: '/nowhere', LOG_LEVEL: 'silent', ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

describe('[DF-77] npm run doctor', () => {
  test('tries what is set, names what is not, and leaves nothing behind', async () => {
    const { code, out } = await run('doctor', [], {
      SMTP_URL: server.mailbox.url,
      BACKUP_TO: BACKUPS,
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^✓ Base de données : PostgreSQL 18\S*, au schéma de cette version$/mu),
    ]);
    expect(out).toMatch(/^✓ Horloge : à l’heure de la base$/mu);
    expect(out).toMatch(/^✓ E-mail : \S+ prend le compte$/mu);
    expect(out).toMatch(/^– Adresse publique : non réglé$/mu);
    expect(out).toMatch(/^– Fichiers envoyés \(S3\) : non réglé$/mu);
    expect(out).toMatch(/^✓ Sauvegardes : .* prend un fichier$/mu);
    expect(server.mailbox.mails).toEqual([]);
  });

  test('says of each thing that does not work what to do, and goes on', async () => {
    const { code, out } = await run('doctor', [], {
      SMTP_URL: 'smtp://127.0.0.1:1',
      PUBLIC_URL: 'http://127.0.0.1:1',
      BACKUP_TO: '/proc/nowhere',
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ E-mail : 127\.0\.0\.1 refuse ou ne répond pas .*corrigez SMTP_URL\.$/mu);
    expect(out).toMatch(/^✗ Adresse publique : http:\/\/127\.0\.0\.1:1 ne répond pas/mu);
    expect(out).toMatch(/^✗ Sauvegardes : le dossier \/proc\/nowhere ne reçoit pas/mu);
    expect(out).toMatch(/^✓ Base de données/mu);
  });

  test('without the database says so once, and tries the rest', async () => {
    const { code, out } = await run('doctor', [], { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(out).toMatch(
      /^✗ Base de données : La base de données indiquée par DATABASE_URL \(127\.0\.0\.1:1\) ne répond pas/mu,
    );
    expect(out).toMatch(/^– E-mail/mu);
    expect(out).not.toContain('secret');
  });
});

test(
  '[DF-77] npm run psql without psql on the machine passes a statement, and tells a refusal in PostgreSQL’s words',
  { tags: 'long' },
  async () => {
    expect(await run('psql', ['-c', "select 1 as one, null as none, 'é' as letter"])).toEqual({
      code: 0,
      out: 'one\tnone\tletter\n1\t\té\n',
      err: '',
    });
    expect(await run('psql', ['-c', 'select nothing'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('nothing'),
    });
    expect((await run('psql', ['--version'])).err).toContain('npm run psql -- -c "select 1"');
  },
);

test(
  '[DF-77] npm run migrate -- --dry-run says what it would do and about how long it would take, and changes nothing',
  { tags: 'long' },
  async () => {
    expect((await run('migrate', ['--dry-run'])).out).toBe('La base est déjà à jour.\n');
    const last = await server.database.asOwner<{ name: string; checksum: string }>(
      `delete from private.migrations where name >= '0813' returning name, checksum`,
    );
    try {
      const { code, out } = await run('migrate', ['--dry-run']);
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^${last.length} migrations à faire, moins d’une seconde en tout`, 'u'));
      for (const { name } of last) expect(out).toContain(`  ${name} : `);
      expect(out).toMatch(/0814-legal-notice-holds\.sql : .*lit public\.company_settings \(\d+ lignes\)/u);
      expect(await server.database.asOwner(`select from private.migrations where name >= '0813'`)).toEqual([]);
    } finally {
      for (const { name, checksum } of last) {
        await server.database.asOwner('insert into private.migrations (name, checksum) values ($1, $2)', [
          name,
          checksum,
        ]);
      }
    }
    expect((await run('migrate', ['--dry'])).code).toBe(1);
  },
);

test('[DF-77] an alarm is posted as it is raised and as it ends, once each, though the other end is away at first', async () => {
  await anAdmin(server.database);
  let isAway = true;
  receiver.answerWith(() => ({ status: isAway ? 503 : 204 }));
  await server.database.asOwner(
    `insert into private.mails (template, created_at) values ('x', now() - interval '31 minutes')`,
  );
  await evaluateAlarms(server.services);
  await evaluateAlarms(server.services);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  isAway = false;
  await server.database.asOwner(`update graphile_worker._private_jobs set run_at = now() where attempts > 0`);
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
  expect(receiver.received[1]?.payload).toEqual({
    text: expect.stringMatching(/^Des e-mails ne partent pas\. À faire : /u),
    alarm: 'mail_stuck',
    state: 'raised',
    installation: expect.stringMatching(/^http/u),
  });
  await server.database.asOwner(`delete from private.mails where template = 'x'`);
  await evaluateAlarms(server.services);
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(3);
  expect(receiver.received[2]?.payload).toMatchObject({
    alarm: 'mail_stuck',
    state: 'over',
    text: 'Terminé : Des e-mails ne partent pas',
  });
});

test('[DF-77][DF-47] an alarm that an admin ends is posted as over too', async () => {
  const admin = await anAdmin(server.database);
  const told = () =>
    receiver.received.flatMap(({ payload }) => (payload.alarm === 'legal_notice_missing' ? [payload.state] : []));
  await server.database.asOwner(`update private.migrations set applied_at = applied_at - interval '8 days'`);
  await evaluateAlarms(server.services);
  await expect.poll(told, { timeout: 30_000 }).toEqual(['raised']);
  const notice = {
    publisher: 'Lumeo Habitat, SARL',
    address: '12 rue des Lilas, 35000 Rennes',
    director: 'Claire Fontaine',
    email: 'bonjour@lumeo.example',
    phone: '02 99 00 00 00',
    host: 'Hébergeur',
    host_address: '1 place de l’Exemple, 75001 Paris',
    host_phone: '01 00 00 00 00',
  };
  expect((await callAs(server, admin, 'company-settings?action=update_legal_notice', notice)).status).toBe(200);
  await expect.poll(told, { timeout: 30_000 }).toEqual(['raised', 'over']);
  await evaluateAlarms(server.services);
  expect(told()).toEqual(['raised', 'over']);
});

describe('[DF-77] the samples of deployment', () => {
  const metricsOf = (expression: string) => expression.match(/\b(?:parrain|nodejs|process)_\w+/gu) ?? [];

  test('the rules and the board of Prometheus ask for metrics that are there', async () => {
    await aCommercial(server.database);
    const reply = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const told = await reply.text();
    const rules = parse(textOf('deploy', 'prometheus-alerts.yml')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const board = JSON.parse(textOf('deploy', 'grafana-board.json')) as { panels: { targets: { expr: string }[] }[] };
    const asked = [
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ].flatMap(metricsOf);
    expect(asked.length).toBeGreaterThan(20);
    for (const name of new Set(asked))
      expect(told).toMatch(new RegExp(`^# TYPE ${name.replace(/_bucket$/u, '')} `, 'mu'));
  });

  test('Kubernetes’ probes and settings are ours, and a start has the minutes of a migration', async () => {
    const [deployment] = textOf('deploy', 'kubernetes.yaml')
      .split('\n---\n')
      .map((part) => parse(part) as Deployment);
    const [container] = deployment?.spec.template.spec.containers ?? [];
    const settings = textOf('docs', 'operations', 'configuration.md');
    for (const { name } of container?.env ?? []) expect(settings).toContain(`\n| \`${name}\` |`);
    const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
    for (const probe of probes) expect((await fetch(`${server.url}${probe?.httpGet.path}`)).status).toBe(200);
    expect(
      (container?.startupProbe.periodSeconds ?? 0) * (container?.startupProbe.failureThreshold ?? 0),
    ).toBeGreaterThanOrEqual(600);
  });
});

type Probe = {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
};
type Deployment = {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string }[];
          readonly startupProbe: Probe;
          readonly readinessProbe: Probe;
          readonly livenessProbe: Probe;
        }[];
      };
    };
  };
};
