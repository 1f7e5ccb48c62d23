import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import { dueAlarms, evaluateAlarms } from './alarms.ts';
import type { SystemFigures } from '#platform/system-figures';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database, { email: 'admin@exemple.fr' });
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
});
afterAll(() => server.close());
beforeEach(() => server.mailbox.refuseWith(null));

const get = (who?: Person, action = 'get') =>
  callAs(server, who, `system-state?action=${action}`, undefined, { method: 'GET' });
const ask = (who: Person | undefined, action: string, body: Record<string, unknown> = {}) =>
  callAs(server, who, `system-state?action=${action}`, body);

async function aFailedMail(to: string, template = 'friend-invitation'): Promise<string> {
  server.mailbox.refuseWith(550, 'recipient');
  const { db, mail } = server.services;
  const id = await db.asService('test', (tx) =>
    mail.enqueue(tx, { to, subject: 'Bonjour', html: '<p>Bonjour</p>', text: 'Bonjour', template }),
  );
  expect(await mail.waitForFate(id, 10_000)).toBe('never');
  server.mailbox.refuseWith(null);
  return id ?? '';
}

describe('the state of the system', () => {
  test('[OP-03] tells the admin the versions, the queues, the disk, the runs and the biggest tables', async () => {
    const { status, body } = await get(admin);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+(?:-next)?$/u),
      postgres_version: expect.stringMatching(/^18/u),
      schema: { last: expect.stringMatching(/^\d{4}-.*\.sql$/u), count: expect.any(Number) },
      mails: { queued: 0, retried: 0, sending: 0, failed: 0, oldest_waiting_at: null },
      jobs: { waiting: expect.any(Number), retried: 0, failed: 0 },
      failed_jobs: [],
      alarms: [],
      runs: { backup: { last: null, last_success_at: null }, verification: { last: null } },
      is_mail_configured: true,
      is_database_external: false,
    });
    expect(body.data.database_bytes).toBeGreaterThan(1_000_000);
    expect(body.data.tables).toHaveLength(6);
    expect(body.data.tables[0].bytes).toBeGreaterThanOrEqual(body.data.tables[1].bytes);
  });

  test('[OP-03] is nobody else’s to read, neither at the door nor in the database', async () => {
    for (const action of ['get', 'alarms']) {
      expect((await get(undefined, action)).status).toBe(401);
      expect((await get(commercial, action)).status).toBe(403);
      expect((await get(client, action)).status).toBe(403);
    }
    const calls = ['system_state()', 'open_alarms()', 'try_mail_again(gen_random_uuid())'];
    for (const person of [commercial, client]) {
      for (const call of calls) {
        await expect(server.database.become(person, (run) => run(`select private.${call}`))).rejects.toThrow(
          'forbidden',
        );
      }
    }
    for (const call of [...calls, 'system_figures()']) {
      await expect(server.database.become('anon', (run) => run(`select private.${call}`))).rejects.toThrow(
        /permission denied/u,
      );
    }
    await expect(server.database.become(admin, (run) => run('select private.system_figures()'))).rejects.toThrow(
      /permission denied/u,
    );
  });

  test('[OP-03] [WH-01] [WH-02] what waits for other software, which addresses are off, and the keys in use', async () => {
    const state = async () => {
      const { webhooks, api_keys: keys } = (await get(admin, 'get')).body.data;
      return { webhooks, keys };
    };
    expect(await state()).toEqual({
      webhooks: { on: 0, off: [], waiting: 0, oldest_waiting_at: null },
      keys: { alive: 0, last_used_at: null },
    });
    const at = '2026-01-05T10:00:00+00:00';
    await server.database.asOwner(`
      insert into private.webhooks (id, url, events, secret_sealed, off_since, off_because)
        values (gen_random_uuid(), 'https://crm.exemple.fr/secret', '{sale.pending}', '\\x00', null, null),
          (gen_random_uuid(), 'https://n8n.exemple.fr/x', '{sale.pending}', '\\x00', now(), 'gone');
      insert into private.webhook_deliveries (webhook_id, type, stream_id, data, status, created_at, run_at)
        select w.id, 'sale.pending', w.id, '{}', k.status, k.at::timestamptz, 'infinity'
        from private.webhooks w, (values ('pending', '${at}'), ('pending', '2026-01-06'), ('delivered', '2026-01-01')) k (status, at)
        where w.off_since is null;
      insert into public.api_keys (name, prefix, scopes, last_used_at, revoked_at)
        values ('CRM', 'prk_12345678', '{read}', '${at}', null), ('Avant', 'prk_12345679', '{read}', '2026-02-01', now())`);
    try {
      expect(await state()).toEqual({
        webhooks: { on: 1, off: ['n8n.exemple.fr'], waiting: 2, oldest_waiting_at: at },
        keys: { alive: 1, last_used_at: at },
      });
    } finally {
      await server.database.asOwner('delete from private.webhooks; delete from public.api_keys');
    }
  });

  const sentMails = async (who: Person, filter: Record<string, string>) => {
    const rest = await server.client(who);
    return (await rest.from('sent_mails').select('*').match(filter)).data;
  };

  test('[FX-29] [TM-04] each mail is in the list: to whom, what, its state, and why it failed; sent again once it may be', async () => {
    const id = await aFailedMail(client.email);
    expect(await sentMails(admin, { id })).toMatchObject([
      {
        recipient: client.email,
        recipient_name: client.fullName,
        template: 'friend-invitation',
        status: 'failed',
        last_error: '550 5.1.1',
        may_be_sent_again: true,
      },
    ]);
    for (const person of [commercial, client]) expect(await sentMails(person, {})).toEqual([]);
    expect((await ask(commercial, 'try_mail_again', { mail_id: id })).status).toBe(403);
    expect((await ask(undefined, 'try_mail_again', { mail_id: id })).status).toBe(401);
    server.mailbox.refuseWith(550, 'recipient');
    expect((await ask(admin, 'try_mail_again', { mail_id: id })).body).toMatchObject({
      fate: 'never',
      message: 'L’adresse du destinataire n’existe pas ou n’accepte pas ce message (550 5.1.1)',
    });
    server.mailbox.refuseWith(null);
    expect((await ask(admin, 'try_mail_again', { mail_id: id })).body).toMatchObject({
      success: true,
      fate: 'accepted',
    });
    await server.mailbox.take(client.email);
    expect(await sentMails(admin, { id })).toMatchObject([{ status: 'accepted', may_be_sent_again: false }]);
    // Each time is in the trail, without its recipient.
    const trail = await server.database.asOwner(
      `select actor_id, after from public.audit_entries where entity = 'mails' and entity_id = $1`,
      [id],
    );
    expect(trail).toEqual([
      { actor_id: admin.id, after: { template: 'friend-invitation' } },
      { actor_id: admin.id, after: { template: 'friend-invitation' } },
    ]);
    expect(await ask(admin, 'try_mail_again', { mail_id: id })).toMatchObject({ status: 404 });
    expect(await ask(admin, 'try_mail_again', { mail_id: 'rien' })).toMatchObject({ status: 404 });
    // Five times a day, and no more.
    for (let tries = 0; tries < 2; tries += 1) await ask(admin, 'try_mail_again', { mail_id: id });
    expect(await ask(admin, 'try_mail_again', { mail_id: id })).toMatchObject({ status: 429 });
  });

  test('[FX-29] [TM-04] a code, a password or a sign-in link is never sent again', async () => {
    const id = await aFailedMail('code@exemple.fr', 'recovery');
    expect(await sentMails(admin, { id })).toMatchObject([{ is_secret: true, may_be_sent_again: false }]);
    expect(await ask(admin, 'try_mail_again', { mail_id: id })).toMatchObject({ status: 404 });
    await expect(
      server.database.asOwner(`update private.mails set sealed = '\\x00' where id = $1`, [id]),
    ).rejects.toThrow('mails_secret_goes_with_the_last_try');
  });

  test('[TM-04] whoever is forgotten stands in the list no more', async () => {
    const { database } = server;
    const leaving = await aClient(database, { commercial });
    const ids = [await aFailedMail(leaving.email), await aFailedMail('ami@exemple.fr')];
    const friend = await aSale(database, { commercial, contactEmail: 'ami@exemple.fr' });
    const named = () =>
      database.asOwner(
        'select id from private.mails where id = any ($1) and (recipient is not null or sealed is not null)',
        [ids],
      );
    expect(await named()).toHaveLength(2);
    await database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [leaving.id]);
    expect(await named()).toEqual([{ id: ids[1] }]);
    await database.asOwner('update public.sales set referred_contact_email = null where id = $1', [friend.id]);
    expect(await named()).toEqual([]);
    const deleted = await aClient(database, { commercial });
    ids.push(await aFailedMail(deleted.email));
    await database.asOwner('delete from auth.users where id = $1', [deleted.id]);
    expect(await named()).toEqual([]);
    await database.asOwner('delete from private.mails');
  });

  test('[OP-03] sends a message of trial to the admin who asks, and to nobody else', async () => {
    expect((await ask(admin, 'send_trial')).body).toMatchObject({ success: true, fate: 'accepted' });
    expect((await server.mailbox.take('admin@exemple.fr')).subject).toMatch(/^Message d’essai/u);
    server.mailbox.refuseWith(550, 'recipient');
    expect((await ask(admin, 'send_trial')).body).toMatchObject({
      fate: 'never',
      message: 'L’adresse du destinataire n’existe pas ou n’accepte pas ce message (550 5.1.1)',
    });
    // One that is refused for now is told so: it is tried once, and never comes later.
    server.mailbox.refuseWith(450, 'recipient');
    expect((await ask(admin, 'send_trial')).body).toMatchObject({
      fate: 'never',
      message: 'Refus provisoire du serveur d’e-mail (450 4.1.1)',
    });
    expect(
      await server.database.asOwner(`select status from private.mails where template = 'trial' order by created_at`),
    ).toEqual([{ status: 'accepted' }, { status: 'withdrawn' }, { status: 'withdrawn' }]);
    server.mailbox.refuseWith(null);
    expect((await ask(commercial, 'send_trial')).status).toBe(403);
    expect((await ask(undefined, 'send_trial')).status).toBe(401);
    await server.database.asOwner('delete from private.mails');
  });

  test('[OP-03] shows a job that no attempt is left for', async () => {
    await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'nobody_does_this', {}));
    await server.database.asOwner(
      `update graphile_worker._private_jobs j set attempts = max_attempts from graphile_worker._private_tasks t
       where t.id = j.task_id and t.identifier = 'nobody_does_this'`,
    );
    expect((await get(admin)).body.data).toMatchObject({
      jobs: { failed: 1 },
      failed_jobs: [{ task: 'nobody_does_this', number: 1 }],
    });
  });
});

describe('alarms', () => {
  const open = async () => (await get(admin, 'alarms')).body.data as { kind: string }[];
  const mailsOfAlarms = () => server.mailbox.mails.filter(({ text }) => text.includes('tant que cela dure'));

  test('[OP-03] a mail that waits for half an hour raises one, said once by mail to each admin; it ends with its cause', async () => {
    const other = await anAdmin(server.database, { email: 'autre-admin@exemple.fr' });
    await server.database.asOwner(
      `insert into private.mails (template, created_at, last_error) values ('x', now() - interval '29 minutes', 'ECONNREFUSED')`,
    );
    await evaluateAlarms(server.services);
    expect(await open()).toEqual([]);

    await server.database.asOwner(
      `update private.mails set created_at = now() - interval '31 minutes' where template = 'x'`,
    );
    await evaluateAlarms(server.services);
    await evaluateAlarms(server.services);
    expect(await open()).toMatchObject([{ kind: 'mail_stuck', details: { last_error: 'ECONNREFUSED' } }]);
    expect((await server.mailbox.take('admin@exemple.fr')).subject).toMatch(/^Des e-mails ne partent pas/u);
    await server.mailbox.take('autre-admin@exemple.fr');
    expect(mailsOfAlarms()).toHaveLength(2);

    await server.database.asOwner(`delete from private.mails where template = 'x'`);
    await evaluateAlarms(server.services);
    expect(await open()).toEqual([]);
    const [kept] = await server.database.asOwner('select cleared_at is not null as is_over from private.alarms');
    expect(kept).toEqual({ is_over: true });
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [other.id]);
  });

  test(
    '[OP-03] a sound verification is recorded; a broken invariant raises an alarm until the next sound one',
    { tags: 'long' },
    async () => {
      const { db, jobs } = server.services;
      const verifyNow = async (): Promise<Record<string, unknown>> => {
        const [{ n }] = (await server.database.asOwner('select count(*)::int as n from private.maintenance_runs')) as [
          { n: number },
        ];
        await db.asService('test', (tx) => jobs.enqueue(tx, 'verification', {}));
        return vi.waitFor(
          async () => {
            const runs = await server.database.asOwner(
              'select * from private.maintenance_runs where finished_at is not null order by id',
            );
            expect(runs).toHaveLength(n + 1);
            return runs.at(-1) ?? {};
          },
          { timeout: 120_000, interval: 100 },
        );
      };
      expect(await verifyNow()).toMatchObject({
        kind: 'verification',
        succeeded: true,
        details: { by: 'schedule', broken: [] },
      });

      const earned = (euros: number) =>
        server.database.asOwner(
          `insert into public.balances (profile_id, earned) values ($1, $2)
         on conflict (profile_id) do update set earned = excluded.earned`,
          [client.id, euros],
        );
      await earned(5);
      expect(await verifyNow()).toMatchObject({
        succeeded: false,
        details: { broken: [{ id: 'I2b' }, { id: 'I2c' }] },
      });
      await vi.waitFor(async () => expect(await open()).toMatchObject([{ kind: 'invariant_broken' }]), 120_000);
      expect((await server.mailbox.take('admin@exemple.fr')).subject).toMatch(/^La vérification des comptes/u);
      expect((await get(admin)).body.data.runs.verification.last).toMatchObject({
        succeeded: false,
        details: {
          broken: [
            {
              sentence:
                'chaque solde est la somme de ses commissions, de ses délais, de ses ajustements, de ses dettes remboursées ou abandonnées, de ses demandes et de ses mois payés',
            },
            { sentence: 'chaque solde est la somme de ses écritures au grand livre' },
          ],
        },
      });

      await earned(0);
      expect(await verifyNow()).toMatchObject({ succeeded: true });
      await vi.waitFor(async () => expect(await open()).toEqual([]), 120_000);
    },
  );
});

const NOW = new Date('2026-11-22T12:00:00Z');
const GIB = 2 ** 30;
const WELL: SystemFigures = {
  mails: { queued: 0, retried: 0, sending: 0, failed: 0, oldest_waiting_at: null, given_up_at: null, last_error: null },
  jobs: { waiting: 0, retried: 0, failed: 0, oldest_waiting_at: null },
  runs: {
    backup: { last: null, last_success_at: '2026-11-22T01:00:00Z' },
    verification: { last: null, last_success_at: null },
  },
  failing_webhooks: [],
  e_invoices: { failing_since: null, last_error: null },
  database_bytes: 1,
  installed_at: '2026-01-01T00:00:00Z',
};
const due = (
  change: Partial<SystemFigures>,
  {
    disk = null,
    days = 7,
    raised = [],
    notice = true,
  }: {
    disk?: [free: number, total: number] | null;
    days?: number | null;
    raised?: 'disk_nearly_full'[];
    notice?: boolean;
  } = {},
) =>
  dueAlarms(
    {
      figures: { ...WELL, ...change },
      disk: disk === null ? null : { freeBytes: disk[0] * GIB, totalBytes: disk[1] * GIB },
      now: NOW,
      backupDays: days,
      hasLegalNotice: notice,
    },
    new Set(raised),
  ).map(({ kind }) => kind);
const backedUpAt = (at: string | null): Partial<SystemFigures> => ({
  runs: { ...WELL.runs, backup: { last: null, last_success_at: at } },
});

describe('[OP-03] what is due', () => {
  test('nothing, where all is well', () => expect(due({})).toEqual([]));

  test.each([
    [[11, 1000], [], []],
    [[9, 1000], [], ['disk_nearly_full']],
    [[14, 1000], ['disk_nearly_full'], ['disk_nearly_full']],
    [[16, 1000], ['disk_nearly_full'], []],
    [[3, 20], [], []],
    [[1.9, 20], [], ['disk_nearly_full']],
    [[0.9, 5], [], ['disk_nearly_full']],
    [[1.1, 5], [], []],
  ] as const)('a disk with %j GiB free of all, raised before: %j → %j', ([free, total], raised, expected) => {
    expect(due({}, { disk: [free, total], raised: [...raised] })).toEqual(expected);
  });

  test('a backup of eight days ago, or none in eight days; not where another service makes them', () => {
    expect(due(backedUpAt('2026-11-15T13:00:00Z'))).toEqual([]);
    expect(due(backedUpAt('2026-11-14T12:00:00Z'))).toEqual(['backup_too_old']);
    expect(due(backedUpAt(null))).toEqual(['backup_too_old']);
    expect(due({ ...backedUpAt(null), installed_at: '2026-11-20T00:00:00Z' })).toEqual([]);
    expect(due(backedUpAt(null), { days: null })).toEqual([]);
    expect(due(backedUpAt('2026-11-20T11:00:00Z'), { days: 2 })).toEqual(['backup_too_old']);
  });

  test('[WH-02] an address of other software that fails', () => {
    expect(due({ failing_webhooks: ['crm.example'] })).toEqual(['webhook_failing']);
  });

  test('[EI-01] electronic invoices that the platform kept from leaving for a day', () => {
    const since = (failing_since: string) => ({ e_invoices: { failing_since, last_error: 'Maintenance' } });
    expect(due(since('2026-11-21T11:00:00Z'))).toEqual(['e_invoices_stuck']);
    expect(due(since('2026-11-21T13:00:00Z'))).toEqual([]);
  });

  test('[DF-47] a legal notice that nobody wrote in the first week', () => {
    expect(due({}, { notice: false })).toEqual(['legal_notice_missing']);
    expect(due({ installed_at: '2026-11-20T00:00:00Z' }, { notice: false })).toEqual([]);
  });

  test('a mail that was tried to the end, for a day', () => {
    expect(due({ mails: { ...WELL.mails, failed: 1, given_up_at: '2026-11-21T13:00:00Z' } })).toEqual(['mail_stuck']);
    expect(due({ mails: { ...WELL.mails, failed: 1, given_up_at: '2026-11-21T11:00:00Z' } })).toEqual([]);
    expect(due({ mails: { ...WELL.mails, failed: 1 } })).toEqual([]);
  });
});
