import { createECDH, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aSale,
  aScale,
  aValidatedSale,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import { readMessage, startPushService } from '../../testing/push-service.ts';
import type { BrowserSubscription, PushService } from '../../testing/push-service.ts';

// UI-16: who asks for it is told on their phone, through a push service of ours that speaks RFC 8030, 8291 and 8292.

let server: TestServer;
let other: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let service: PushService;
/** The key that browsers subscribe with. */
let key: string;

beforeAll(async () => {
  server = await startTestServer();
  other = await startTestServer({ database: server.database });
  admin = await anAdmin(server.database);
  await aScale(server.database, { isDefault: true });
  key = ((await phones(admin)) as { public_key: string }).public_key;
});
beforeEach(async () => {
  service = await startPushService();
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial, fullName: 'Léa Laurent' });
});
afterEach(async () => {
  await server.database.asOwner('delete from private.push_subscriptions');
  await service.close();
});
afterAll(async () => {
  await other.close();
  await server.close();
});

const PATIENCE = { timeout: 60_000, interval: 50 };
const phones = async (person: Person): Promise<unknown> =>
  (await callAs(server, person, 'notices?action=phones', undefined, { method: 'GET' })).body.data;
const devicesOf = async (person: Person) => ((await phones(person)) as { devices: unknown[] }).devices;
const call = async (person: Person | undefined, action: string, body: Record<string, unknown> = {}) => {
  const { status, body: reply } = await callAs(server, person, `notices?action=${action}`, body);
  return [status, reply.code ?? reply.success] as const;
};

/** A phone of theirs that rings for these topics. */
async function aPhone(person: Person, ...topics: readonly string[]): Promise<BrowserSubscription> {
  const subscription = service.subscribe(key);
  expect(await call(person, 'subscribe', subscription)).toEqual([200, true]);
  for (const topic of topics)
    expect(await call(person, 'choose_phone', { topic, on_phone: true })).toEqual([200, true]);
  return subscription;
}

async function invite(name = 'Marie Amie') {
  const reply = await callAs(server, client, 'send-invitation-email', {
    name,
    email: `ami-${randomUUID()}@example.fr`,
  });
  expect(reply.status).toBe(200);
}

/** News are asked of each of their referrals, in one transaction. */
const tell = (person: Person) =>
  server.database.asOwner(
    `with n as (insert into public.notices (recipient_id, kind, sale_id)
       select $1, 'news_asked', s.id from public.sales s where s.commercial_id = $1 returning id)
     insert into private.notice_mails (notice_id) select id from n`,
    [person.id],
  );

const look = (node = server) =>
  node.services.db.asService('test', (tx) => node.services.jobs.enqueue(tx, 'send_pushes', {}));
const outbox = async (person: Person) =>
  server.database.asOwner<{ attempts: number; wait: number }>(
    `select m.attempts, round(extract(epoch from m.run_at - now()))::float8 as wait from private.push_messages m
     join private.push_subscriptions s using (session_id) where s.profile_id = $1 and m.leased_until < now()`,
    [person.id],
  );
const sent = (count: number) => vi.waitFor(() => expect(service.taken).toHaveLength(count), PATIENCE);
const requested = (count: number) => vi.waitFor(() => expect(service.requests()).toBe(count), PATIENCE);
/** Nothing waits, and nothing is under way. */
const nothingLeft = () =>
  vi.waitFor(async () => {
    await look();
    expect(await server.database.asOwner('select from private.push_messages')).toEqual([]);
  }, PATIENCE);

test('[UI-16] the push service of these tests reads the example of RFC 8291', () => {
  const receiver = createECDH('prime256v1');
  receiver.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url');
  const message =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
  const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url');
  expect(readMessage(Buffer.from(message, 'base64url'), receiver, auth).toString()).toBe(
    'When I grow up, I want to be a watermelon',
  );
});

describe('what is told', () => {
  test('[UI-16] « Nouveau parrainage » comes to its commercial’s phone, without a name, and leads to the referral', async () => {
    const { endpoint } = await aPhone(commercial, 'referrals');
    await invite();
    await sent(1);
    const [message] = service.taken;
    expect(service.faults).toEqual([]);
    expect(message).toMatchObject({ endpoint, key, claims: { aud: new URL(endpoint).origin } });
    const { title, body, url, tag } = (message?.payload ?? {}) as Record<string, string>;
    expect([title, body]).toEqual(['Nouveau parrainage', 'Un contact vous est recommandé.']);
    expect(url).toMatch(/^\/commercial\/dashboard\?section=parrainages-recus&parrainage=[\da-f-]{36}$/u);
    expect(JSON.stringify(message?.payload)).not.toMatch(/Marie|Léa/u);
    // A second try would take the place of the first, at the push service and on the phone.
    expect(message?.headers['topic']).toBe(tag?.replaceAll('-', ''));
    expect(message?.headers['urgency']).toBe('normal');
    const ttl = Number(message?.headers['ttl']);
    expect(ttl).toBeGreaterThan(80_000);
    expect(ttl).toBeLessThanOrEqual(86_400);
    await nothingLeft();
    expect(service.requests()).toBe(1);
  });

  test('[UI-16] « Votre argent est parti » comes with the amount, when the request is paid', async () => {
    await aValidatedSale(server.database, { admin, commercial, friendReferrer: client });
    const asked = await callAs(server, client, 'payment-request?action=create', {
      amount: 37.5,
      payment_method: 'cheque_cadeau',
      payment_details: { gift_card_type: 'Librairie' },
    });
    expect([asked.status, asked.body]).toEqual([200, expect.objectContaining({ success: true })]);
    const { id } = asked.body.data as { id: string };
    await aPhone(client, 'payments');
    for (const status of ['approved', 'paid']) {
      const decided = await callAs(server, admin, 'payment-request', {
        action: 'update_status',
        ...(await asJustSeen(server.database, { request_id: id, status })),
      });
      expect(decided).toMatchObject({ status: 200 });
      await sent(status === 'paid' ? 2 : 1);
    }
    expect(service.taken[1]?.payload).toMatchObject({
      title: 'Votre argent est parti',
      body: '37,50\u00a0€ : l’entreprise a payé votre demande.',
      url: `/client/dashboard?section=demandes-de-paiement&demande=${id}`,
    });
  });

  test('[UI-16] nobody is told unasked: no topic is on at first, and one that is says nothing of the others', async () => {
    await aPhone(commercial);
    await invite();
    await nothingLeft();
    expect(await call(commercial, 'choose_phone', { topic: 'payments', on_phone: true })).toEqual([200, true]);
    await invite();
    await nothingLeft();
    // The choice for mails stays as it was.
    const rest = await server.client(commercial);
    expect((await rest.from('notice_preferences').select('topic,delivery,on_phone')).data).toEqual([
      { topic: 'payments', delivery: 'at_once', on_phone: true },
    ]);
    for (const onPhone of [true, false])
      await call(commercial, 'choose_phone', { topic: 'referrals', on_phone: onPhone });
    await invite();
    await nothingLeft();
    expect(service.requests()).toBe(0);
  });

  test('[UI-16] what is told in one go is one message, and what was read on screen is none', async () => {
    for (let index = 0; index < 5; index += 1) await aSale(server.database, { commercial, friendReferrer: client });
    await aPhone(commercial, 'referrals');
    // As an act that tells of many: written together.
    await tell(commercial);
    await server.database.asOwner(
      `update public.notices set read_at = now() where id in
         (select id from public.notices where recipient_id = $1 and kind = 'news_asked' limit 1)`,
      [commercial.id],
    );
    await nothingLeft();
    expect(service.taken.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({
        title: '4 nouvelles de votre programme de parrainage',
        body: 'Des nouvelles de votre contact ?',
        url: '/commercial/dashboard',
      }),
    ]);
  });

  test('[UI-16] [NV-09] of a move that can be taken back nothing is said before it cannot', async () => {
    await aPhone(client, 'referrals');
    const sale = await aSale(server.database, { commercial, friendReferrer: client });
    await callAs(server, commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale.id,
      status: 'contacted',
    });
    expect(await outbox(client)).toHaveLength(1);
    await look();
    await server.database.asOwner(
      `update public.notices set created_at = created_at - interval '5 minutes' where sale_id = $1`,
      [sale.id],
    );
    await nothingLeft();
    expect(service.taken.map(({ payload }) => payload.title)).toEqual(['Premier contact avec votre contact']);
  });
});

describe('what the push service answers', () => {
  test.for([404, 410])('[UI-16] a browser that is gone (%i) is forgotten', async (status) => {
    const subscription = await aPhone(commercial, 'referrals');
    if (status === 410) service.expire(subscription);
    else service.answerWith(() => ({ status }));
    await invite();
    await vi.waitFor(async () => expect(await devicesOf(commercial)).toEqual([]), PATIENCE);
    await invite();
    await nothingLeft();
    expect(service.requests()).toBe(1);
  });

  test('[UI-16] one that is busy is asked again after the time it names, and one that fails later and later', async () => {
    await aPhone(commercial, 'referrals');
    const answers = [{ status: 429, headers: { 'retry-after': '300' } }, { status: 503 }, { status: 500 }, undefined];
    service.answerWith(() => answers.shift());
    await invite();
    const waits: number[] = [];
    for (const attempts of [1, 2, 3]) {
      const [message] = await vi.waitFor(async () => {
        const found = await outbox(commercial);
        expect(found).toEqual([expect.objectContaining({ attempts })]);
        return found;
      }, PATIENCE);
      waits.push(Math.round((message?.wait ?? 0) / 10) * 10);
      await server.database.asOwner('update private.push_messages set run_at = now()');
      await look();
    }
    expect(waits).toEqual([300, 120, 600]);
    await sent(1);
    expect(service.requests()).toBe(4);
    await nothingLeft();
  });

  test('[UI-16] a message that is refused, or too long for it, is not sent again; the browser stays', async () => {
    await aPhone(commercial, 'referrals');
    for (const status of [413, 400, 403]) {
      service.answerWith(() => ({ status }));
      await invite();
      await nothingLeft();
    }
    expect(service.requests()).toBe(3);
    expect(await devicesOf(commercial)).toHaveLength(1);
  });

  test('[UI-16] one that nobody answers at is tried again, and what is a day old is told on screen alone', async () => {
    await aPhone(commercial, 'referrals');
    await service.close();
    await invite();
    await vi.waitFor(
      async () => expect(await outbox(commercial)).toEqual([{ attempts: 1, wait: expect.any(Number) as number }]),
      PATIENCE,
    );
    await server.database.asOwner(
      `update public.notices set created_at = now() - interval '25 hours' where recipient_id = $1`,
      [commercial.id],
    );
    await server.database.asOwner('update private.push_messages set run_at = now()');
    await nothingLeft();
    service = await startPushService();
  });

  test('[UI-16] of two nodes that look at once one sends; a node that died is taken over once its lease is over', async () => {
    await aPhone(commercial, 'referrals');
    service.answerWith(() => null);
    await invite();
    await requested(1);
    await Promise.all(Array.from({ length: 5 }, () => Promise.all([look(), look(other)])));
    // Its lease is over as if the node had died with it.
    expect(service.requests()).toBe(1);
    service.answerWith(() => undefined);
    await server.database.asOwner(`update private.push_messages set leased_until = now() - interval '1 second'`);
    await Promise.all(Array.from({ length: 5 }, () => Promise.all([look(), look(other)])));
    await sent(1);
    await nothingLeft();
    expect(service.requests()).toBe(2);
  });

  test('[UI-16] both nodes know one key, which a restart keeps', async () => {
    const keys = await Promise.all(
      [server, other].map(
        async (node) =>
          (await callAs(node, admin, 'notices?action=phones', undefined, { method: 'GET' })).body.data
            .public_key as string,
      ),
    );
    expect(keys).toEqual([key, key]);
    expect(Buffer.from(key, 'base64url')).toHaveLength(65);
  });
});

describe('whose a phone is', () => {
  test('[UI-16] it is its session’s: signing out, there or from elsewhere, forgets it', async () => {
    await aPhone(commercial, 'referrals');
    expect(await devicesOf(commercial)).toEqual([expect.objectContaining({ is_current: true })]);
    const out = await server.fetch('/auth/v1/logout?scope=local', { method: 'POST' }, commercial);
    expect(out.status).toBe(204);
    expect(await server.database.asOwner('select from private.push_subscriptions')).toEqual([]);
    await invite();
    await nothingLeft();
    expect(service.requests()).toBe(0);
  });

  test('[UI-16] a session that is over but still kept is told nothing', async () => {
    await aPhone(commercial, 'referrals');
    await server.database.asOwner('update auth.sessions set not_after = now() where id = $1', [commercial.sessionId]);
    await invite();
    await nothingLeft();
    expect(service.requests()).toBe(0);
  });

  test('[UI-16] nobody reads another’s or writes for another: an id in the payload is none, and a visitor has no phone', async () => {
    await aPhone(commercial);
    expect(await devicesOf(client)).toEqual([]);
    const forged = {
      ...service.subscribe(key),
      profile_id: commercial.id,
      user_id: commercial.id,
      session_id: commercial.sessionId,
    };
    await call(client, 'subscribe', forged);
    expect(
      await server.database.asOwner('select profile_id from private.push_subscriptions where endpoint = $1', [
        forged.endpoint,
      ]),
    ).toEqual([{ profile_id: client.id }]);
    await call(client, 'unsubscribe', { profile_id: commercial.id, session_id: commercial.sessionId });
    expect([await devicesOf(client), await devicesOf(commercial)]).toEqual([[], [expect.anything()]]);
    for (const action of ['subscribe', 'unsubscribe', 'choose_phone']) {
      expect(await call(undefined, action, service.subscribe(key))).toEqual([401, 'session_expired']);
    }
    for (const { role, id, sessionId } of [client, commercial]) {
      await expect(
        server.database.become({ role, id, sessionId } as Person, (run) =>
          run('select from private.push_subscriptions'),
        ),
      ).rejects.toThrow(/permission denied/u);
    }
    const rest = await server.client(commercial);
    expect((await rest.from('push_subscriptions').select('*')).status).toBe(404);
  });

  test('[UI-16] whoever signs in on a phone that another left takes it with its keys; its address alone is not enough', async () => {
    const subscription = await aPhone(commercial);
    const stolen = { endpoint: subscription.endpoint, keys: service.subscribe(key).keys };
    expect(await call(client, 'subscribe', stolen)).toEqual([400, 'invalid_input']);
    expect(await devicesOf(commercial)).toHaveLength(1);
    expect(await call(client, 'subscribe', subscription)).toEqual([200, true]);
    expect([await devicesOf(commercial), await devicesOf(client)]).toEqual([[], [expect.anything()]]);
  });

  test('[UI-16] a browser that got another address says so with its former secret, and without it nothing changes', async () => {
    const former = await aPhone(commercial, 'referrals');
    const subscription = service.subscribe(key);
    const renew = (auth: string) =>
      callAs(server, undefined, 'phone-renewal', {
        former: { endpoint: former.endpoint, keys: { auth } },
        subscription,
      });
    expect(await renew(service.subscribe(key).keys.auth)).toMatchObject({ status: 200, body: { success: true } });
    expect(await devicesOf(commercial)).toEqual([expect.objectContaining({ endpoint: former.endpoint })]);
    expect(await renew(former.keys.auth)).toMatchObject({ status: 200, body: { success: true } });
    await invite();
    await sent(1);
    expect(service.taken[0]?.endpoint).toBe(subscription.endpoint);
  });

  test('[UI-16] it is erased with its person', async () => {
    await aPhone(client, 'payments');
    await server.database.asOwner('delete from auth.users where id = $1', [client.id]);
    expect(await server.database.asOwner('select from private.push_subscriptions')).toEqual([]);
  });
});

describe('where a phone may be', () => {
  test('[UI-16] what is no subscription is refused', async () => {
    const good = service.subscribe(key);
    for (const bad of [
      {},
      { ...good, endpoint: 'ftp://push.example/1' },
      { ...good, endpoint: 'javascript:alert(1)' },
      { ...good, endpoint: 'https://nom:secret@push.example/1' },
      { ...good, endpoint: `https://push.example/${'a'.repeat(2000)}` },
      { ...good, endpoint: `https://push.example/${'é'.repeat(900)}` },
      { ...good, keys: { ...good.keys, auth: 'YQ' } },
      // Of the right length, and on no curve.
      { ...good, keys: { ...good.keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } },
      { ...good, keys: { ...good.keys, p256dh: 'YQ' } },
    ]) {
      expect(await call(commercial, 'subscribe', bad)).toEqual([400, 'invalid_input']);
    }
    expect(await devicesOf(commercial)).toEqual([]);
  });

  test('[UI-16] where others reach the installation it is https and never a private address, by name neither', async () => {
    const open = await startTestServer({
      database: server.database,
      environment: { PUBLIC_URL: 'https://parrain.example.fr' },
    });
    try {
      const { keys } = service.subscribe(key);
      for (const endpoint of [
        'http://push.example/1',
        'https://127.0.0.1/1',
        'https://169.254.169.254/latest',
        'https://10.0.0.8/1',
        'https://[::1]/1',
        'https://localhost/1',
        'https://base.localhost./1',
      ]) {
        const reply = await callAs(open, commercial, 'notices?action=subscribe', { endpoint, keys });
        expect([endpoint, reply.status]).toEqual([endpoint, 400]);
      }
      // One that was known before, or whose name leads there now: nothing is sent, and it is forgotten.
      const { endpoint } = await aPhone(commercial, 'referrals');
      await server.database.asOwner(`update private.push_subscriptions set endpoint = $1`, [
        endpoint.replace('http:', 'https:'),
      ]);
      await aSale(server.database, { commercial, friendReferrer: client });
      await server.services.jobs.stop();
      await other.services.jobs.stop();
      await tell(commercial);
      await look(open);
      await vi.waitFor(async () => expect(await devicesOf(commercial)).toEqual([]), PATIENCE);
      expect(service.requests()).toBe(0);
    } finally {
      await open.close();
    }
  });
});
