import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { anAdmin, only, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import type { Mail } from './mail.ts';

/** The end of a hang, in milliseconds: a mail that leaves is told as it leaves. */
const PATIENCE = 120_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ smtp: true, doors: [] });
});
afterAll(async () => server.close());
// What a test that failed asked of the mailbox is not for the next ones.
afterEach(() => {
  server.mailbox.refuseWith(null);
  server.mailbox.delay(0);
});

const MAIL = { to: 'zoé@example.fr', subject: 'Élodie vous invite', html: '<p>« Bonjour »</p>', text: '« Bonjour »' };

async function enqueue(of: TestServer, mail: Mail = MAIL): Promise<string | null> {
  return of.services.db.asService('test', (tx) => of.services.mail.enqueue(tx, mail));
}

async function recordOf(id: string | null): Promise<Record<string, unknown>> {
  return only(
    await server.database.asOwner(
      'select status, attempts, last_error, sealed is not null as has_text from private.mails where id = $1',
      [id],
    ),
  );
}

/** Jobs that would send this mail. */
const jobsOf = (id: string | null) =>
  server.database.asOwner(`select from graphile_worker._private_jobs where payload ->> 'id' = $1`, [id]);

/** Runs now the attempt that the queue makes after its back-off; once the attempt that is under way has ended. */
async function retryNow(id: string | null, attempts?: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const moved = await server.database.asOwner(
        `update graphile_worker._private_jobs set run_at = now(), attempts = coalesce($2, attempts)
         where payload ->> 'id' = $1 and locked_at is null returning id`,
        [id, attempts ?? null],
      );
      expect(moved).toHaveLength(1);
    },
    { timeout: 120_000, interval: 50 },
  );
}

describe('[X-05] a mail', () => {
  test('[E-03] leaves once its transaction has committed, and its acceptance is known at once', async () => {
    const id = await enqueue(server, { ...MAIL, to: 'zoe@example.fr' });
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
    const received = await server.mailbox.take('zoe@example.fr');
    expect(received).toMatchObject({
      recipients: ['zoe@example.fr'],
      subject: 'Élodie vous invite',
      to: 'zoe@example.fr',
    });
    expect(received.html).toContain('« Bonjour »');
    expect(received.text).toContain('« Bonjour »');
  });

  test('[E-03] does not leave where the transaction is rolled back', async () => {
    await server.services.db
      .asService('test', async (tx) => {
        await server.services.mail.enqueue(tx, { ...MAIL, to: 'never@example.fr' });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await expect(server.mailbox.take('never@example.fr', 500)).rejects.toThrow('No mail');
  });

  test('[V-19] its text is nowhere in the database in clear', async () => {
    server.mailbox.refuseWith(451);
    const id = await enqueue(server, { ...MAIL, to: 'sealed@example.fr', text: 'secret-mot-de-passe' });
    const kept = await server.database.asOwner(
      `select payload::text as text from graphile_worker._private_jobs
       union all select (to_jsonb(m) - 'recipient')::text || encode(m.sealed, 'escape') from private.mails m where m.sealed is not null`,
    );
    expect(kept.length).toBeGreaterThan(1);
    for (const { text } of kept) {
      expect(String(text)).not.toContain('secret-mot-de-passe');
      expect(String(text)).not.toContain('sealed@example.fr');
    }
    await vi.waitFor(async () => expect(await recordOf(id)).toMatchObject({ status: 'queued', attempts: 1 }), 120_000);
    server.mailbox.refuseWith(null);
    await retryNow(id);
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
  });

  test('[E-03] threat 94: a refusing server keeps the commit, says that the mail is under way, and the mail leaves later', async () => {
    server.mailbox.refuseWith(450);
    const id = await enqueue(server, { ...MAIL, to: 'later@example.fr' });
    expect(await server.services.mail.waitForFate(id, 800)).toBe('under_way');
    // A busy machine makes the first attempt later than the answer waits.
    await vi.waitFor(
      async () => expect(await recordOf(id)).toMatchObject({ status: 'queued', attempts: 1, last_error: '450 4.1.1' }),
      { timeout: PATIENCE, interval: 20 },
    );
    server.mailbox.refuseWith(null);
    expect((await server.mailbox.take('later@example.fr')).recipients).toEqual(['later@example.fr']);
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
  });

  test('[E-03] threat 94: a slow server is waited for no longer than asked', async () => {
    server.mailbox.delay(1500);
    const id = await enqueue(server, { ...MAIL, to: 'slow@example.fr' });
    expect(await server.services.mail.waitForFate(id, 400)).toBe('under_way');
    server.mailbox.delay(0);
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
  });

  test.each(['a@b.fr\r\nBcc: c@d.fr', 'a@b.fr, c@d.fr', '<a@b.fr>', 'a@b.fr;c@d.fr', 'a b@c.fr', ' '])(
    '[X-05] threat 65: %j is no recipient',
    async (to) => {
      await expect(enqueue(server, { ...MAIL, to })).rejects.toThrow();
    },
  );

  test('[X-05][AU-06] somebody without an address is written nothing', async () => {
    const [before] = await server.database.asOwner('select count(*) from private.mails');
    expect(await enqueue(server, { ...MAIL, to: '' })).toBeNull();
    expect((await server.database.asOwner('select count(*) from private.mails'))[0]).toEqual(before);
  });

  test('[X-05] threat 65: a subject adds no header and no recipient', async () => {
    const id = await enqueue(server, {
      ...MAIL,
      to: 'subject@example.fr',
      subject: 'Bonjour\r\nBcc: intrus@example.fr\r\n\r\nautre corps',
    });
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
    const received = await server.mailbox.take('subject@example.fr');
    expect(received.recipients).toEqual(['subject@example.fr']);
    expect(received.headers.some((header) => header.key === 'bcc')).toBe(false);
    expect(received.subject).toBe('Bonjour Bcc: intrus@example.fr autre corps');
  });
});

describe('a mail that is refused', () => {
  test.each(['recipient', 'text'] as const)(
    '[FX-29] for ever, for its %s: is known at once, never tried again, and leaves no job behind',
    async (stage) => {
      server.mailbox.refuseWith(550, stage);
      const id = await enqueue(server, { ...MAIL, to: 'nobody@example.fr' });
      expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('never');
      expect(await recordOf(id)).toMatchObject({ status: 'failed', attempts: 1, last_error: '550 5.1.1' });
      await vi.waitFor(async () => expect(await jobsOf(id)).toEqual([]), 120_000);
    },
  );

  test.each([
    [451, 'recipient', '451 4.1.1'],
    [553, 'sender', '553 5.1.1'],
    [554, 'connection', '554 5.1.1'],
  ] as const)(
    '[FX-29] for now (%i to the %s): is tried again, and leaves once the server takes it',
    async (code, stage, said) => {
      server.mailbox.refuseWith(code, stage);
      const id = await enqueue(server, { ...MAIL, to: `patient-${stage}@example.fr` });
      await vi.waitFor(
        async () => expect(await recordOf(id)).toMatchObject({ status: 'queued', last_error: said }),
        120_000,
      );
      server.mailbox.refuseWith(null);
      await retryNow(id);
      await server.mailbox.take(`patient-${stage}@example.fr`);
      expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
      expect(await recordOf(id)).toMatchObject({ has_text: false });
    },
  );

  test('[FX-29] by nobody, though another version of the program queued it with its text: leaves', async () => {
    const id = randomUUID();
    const { db, jobs, secrets } = server.services;
    const sealed = secrets.seal('mail', JSON.stringify({ ...MAIL, to: 'ancien@example.fr' }), id).toString('base64');
    await db.asService('test', async (tx) => {
      await tx.query('insert into private.mails (id) values ($1)', [id]);
      await jobs.enqueue(tx, 'send_mail', { id, sealed });
    });
    await server.mailbox.take('ancien@example.fr');
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
  });

  test('[TM-04] for ever: of a code, a password or a sign-in link no text is kept, whatever its template', async () => {
    server.mailbox.refuseWith(550, 'recipient');
    for (const [template, isKept] of [
      ['recovery', false],
      ['client-invitation', false],
      ['a template of nobody', false],
      ['friend-invitation', true],
    ] as const) {
      const id = await enqueue(server, { ...MAIL, to: 'Personne@example.fr', template });
      expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('never');
      expect([template, await recordOf(id)]).toMatchObject([template, { status: 'failed', has_text: isKept }]);
      // To whom stands in the list as accounts are told apart.
      expect(only(await server.database.asOwner('select recipient from private.mails where id = $1', [id]))).toEqual({
        recipient: 'personne@example.fr',
      });
    }
  });

  test('[FX-29] for now, twelve times: has failed, and can be tried again by hand', async () => {
    server.mailbox.refuseWith(450);
    const id = await enqueue(server, { ...MAIL, to: 'dernier@example.fr', template: 'friend-invitation' });
    await vi.waitFor(async () => expect(await recordOf(id)).toMatchObject({ status: 'queued', attempts: 1 }), 120_000);
    await retryNow(id, 11);
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('never');
    await vi.waitFor(async () => expect(await jobsOf(id)).toEqual([]), 120_000);
    server.mailbox.refuseWith(null);

    const admin = await anAdmin(server.database);
    const tryAgain = async (): Promise<unknown> =>
      server.database.become(admin, async (run) => only(await run('select private.try_mail_again($1) as taken', [id])));
    expect(await tryAgain()).toEqual({ taken: true });
    await server.mailbox.take('dernier@example.fr');
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
    expect(await tryAgain()).toEqual({ taken: false });
  });
});

describe('[FX-08] a mail that is withdrawn', () => {
  const withdraw = (id: string | null) =>
    server.services.db.asService('test', (tx) => server.services.mail.withdraw(tx, id));
  test('while it waits, or after it failed, never leaves, and its text is gone', async () => {
    server.mailbox.refuseWith(451);
    const waiting = await enqueue(server, { ...MAIL, to: 'retire@example.fr' });
    await vi.waitFor(
      async () => expect(await recordOf(waiting)).toMatchObject({ status: 'queued', attempts: 1 }),
      120_000,
    );
    server.mailbox.refuseWith(550);
    const failed = await enqueue(server, { ...MAIL, to: 'retire@example.fr' });
    expect(await server.services.mail.waitForFate(failed, PATIENCE)).toBe('never');

    for (const id of [waiting, failed]) {
      expect(await withdraw(id)).toBe(true);
      expect(await recordOf(id)).toMatchObject({ status: 'withdrawn', has_text: false });
      expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('never');
    }
    server.mailbox.refuseWith(null);
    await retryNow(waiting);
    await vi.waitFor(async () => expect(await jobsOf(waiting)).toEqual([]), 120_000);
    await expect(server.mailbox.take('retire@example.fr', 100)).rejects.toThrow('No mail');
  });

  test('while the server holds it, stays under way: it may have left', async () => {
    server.mailbox.delay(1500);
    const id = await enqueue(server, { ...MAIL, to: 'en-cours@example.fr' });
    await vi.waitFor(async () => expect(await recordOf(id)).toMatchObject({ status: 'sending' }), 120_000);
    expect(await withdraw(id)).toBe(false);
    expect(await server.services.mail.waitForFate(id, 0)).toBe('under_way');
    await server.mailbox.take('en-cours@example.fr');
    expect(await server.services.mail.waitForFate(id, PATIENCE)).toBe('accepted');
    expect(await withdraw(id)).toBe(false);
  });

  test('that never was one is certain not to leave', async () => {
    expect(await withdraw(null)).toBe(true);
  });
});

test('[E-03] without an SMTP server nothing is enqueued and nothing is claimed', async () => {
  const silent = await startTestServer({ doors: [] });
  try {
    expect(silent.services.mail.isConfigured).toBe(false);
    const id = await enqueue(silent);
    expect(id).toBeNull();
    expect(await silent.services.mail.waitForFate(id, PATIENCE)).toBe('never');
    expect(await silent.database.asOwner('select from private.mails')).toEqual([]);
  } finally {
    await silent.close();
  }
});

test('[E-03] threat 94: an SMTP server that is down costs no more than the wait', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const down = await startTestServer({ smtp: `smtp://127.0.0.1:${port}`, doors: [] });
  try {
    const id = await enqueue(down, { ...MAIL, to: 'down@example.fr' });
    expect(await down.services.mail.waitForFate(id, 600)).toBe('under_way');
    const [row] = await down.database.asOwner('select status from private.mails where id = $1', [id]);
    expect(row).toEqual({ status: 'queued' });
  } finally {
    await down.close();
  }
});
