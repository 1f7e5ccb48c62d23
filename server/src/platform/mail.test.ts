import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ smtp: true, doors: [] });
});
afterAll(async () => server.close());

const MAIL = { to: 'zoé@example.fr', subject: 'Élodie vous invite', html: '<p>« Bonjour »</p>', text: '« Bonjour »' };

async function enqueue(of: TestServer, mail = MAIL): Promise<string | null> {
  return of.services.db.asService('test', (tx) => of.services.mail.enqueue(tx, mail));
}

describe('[X-05] a mail', () => {
  test('[E-03] leaves once its transaction has committed, and its acceptance is known at once', async () => {
    const id = await enqueue(server, { ...MAIL, to: 'zoe@example.fr' });
    expect(await server.services.mail.waitUntilAccepted(id)).toBe(true);
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
    const jobs = await server.database.asOwner(`select payload::text as text from graphile_worker._private_jobs`);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) {
      expect(String(job['text'])).not.toContain('secret-mot-de-passe');
      expect(String(job['text'])).not.toContain('sealed@example.fr');
    }
    server.mailbox.refuseWith(null);
    await server.database.asOwner(`update graphile_worker._private_jobs set run_at = now()`);
    expect(await server.services.mail.waitUntilAccepted(id)).toBe(true);
  });

  test('[E-03] threat 94: a refusing server keeps the commit, says false, and the mail leaves later', async () => {
    server.mailbox.refuseWith(450);
    const id = await enqueue(server, { ...MAIL, to: 'later@example.fr' });
    expect(await server.services.mail.waitUntilAccepted(id, 800)).toBe(false);
    const [row] = await server.database.asOwner(
      'select status, attempts, last_error from private.mails where id = $1',
      [id],
    );
    expect(row).toMatchObject({ status: 'queued', attempts: 1, last_error: '450' });
    server.mailbox.refuseWith(null);
    expect((await server.mailbox.take('later@example.fr', 8000)).recipients).toEqual(['later@example.fr']);
    expect(await server.services.mail.waitUntilAccepted(id)).toBe(true);
  });

  test('[E-03] threat 94: a slow server is waited for no longer than asked', async () => {
    server.mailbox.delay(1500);
    const id = await enqueue(server, { ...MAIL, to: 'slow@example.fr' });
    expect(await server.services.mail.waitUntilAccepted(id, 400)).toBe(false);
    server.mailbox.delay(0);
    expect(await server.services.mail.waitUntilAccepted(id)).toBe(true);
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
    expect(await server.services.mail.waitUntilAccepted(id)).toBe(true);
    const received = await server.mailbox.take('subject@example.fr');
    expect(received.recipients).toEqual(['subject@example.fr']);
    expect(received.headers.some((header) => header.key === 'bcc')).toBe(false);
    expect(received.subject).toBe('Bonjour Bcc: intrus@example.fr autre corps');
  });
});

test('[E-03] without an SMTP server nothing is enqueued and nothing is claimed', async () => {
  const silent = await startTestServer({ doors: [] });
  try {
    expect(silent.services.mail.isConfigured).toBe(false);
    const id = await enqueue(silent);
    expect(id).toBeNull();
    expect(await silent.services.mail.waitUntilAccepted(id)).toBe(false);
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
    expect(await down.services.mail.waitUntilAccepted(id, 600)).toBe(false);
    const [row] = await down.database.asOwner('select status from private.mails where id = $1', [id]);
    expect(row).toEqual({ status: 'queued' });
  } finally {
    await down.close();
  }
});
