import { noticeKinds } from '@parrain/domain/notice';
import type { NoticeKind } from '@parrain/domain/notice';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

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
import type { Person, ReceivedMail, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

// TM-01 to TM-03: what happens to a referral or a payment is told to those whom it concerns, once, on screen and by mail.

/** The server's clock, where a test sets it. */
let now: Date | undefined;
let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, clock: { now: () => now ?? new Date() } });
  const db = server.database;
  admin = await anAdmin(db, { fullName: 'Aline Admin' });
  commercial = await aCommercial(db, { fullName: 'Corentin Commercial' });
  client = await aClient(db, { fullName: 'Léa <i>Laurent</i>', commercial });
  await aScale(db, { isDefault: true });
});
afterAll(() => server.close());

/** Recipients and kinds of the notices of a sale or a request, with « known » where they are already read. */
async function toldOf(subject: string): Promise<string[]> {
  const rows = await server.database.asOwner<{ recipient_id: string; kind: NoticeKind; is_read: boolean }>(
    `select recipient_id, kind, read_at is not null as is_read from public.notices where $1 in (sale_id, request_id)`,
    [subject],
  );
  const names = new Map([admin, commercial, client].map(({ id, role }) => [id, role as string]));
  return rows
    .map(
      ({ recipient_id: id, kind, is_read: isRead }) =>
        `${names.get(id) ?? 'another'} ${kind}${isRead ? ', known' : ''}`,
    )
    .toSorted();
}

async function mailTo({ email }: Person): Promise<ReceivedMail> {
  return server.mailbox.take(email);
}

/** The next mail to a person that says this. */
async function mailAbout(person: Person, words: string): Promise<ReceivedMail> {
  for (;;) {
    const mail = await mailTo(person);
    if (mail.text.includes(words)) return mail;
  }
}
/** A move of the commercial, long enough ago to be mailed (NV-09). */
async function move(saleId: string, body: Record<string, unknown>): Promise<void> {
  const reply = await callAs(server, commercial, 'sales-management?action=update_status', { sale_id: saleId, ...body });
  expect(reply).toMatchObject({ status: 200 });
  await mailDue();
}
const CONTRACT = { contract_amount: 2000, contract_description: 'Escalier' };

/** A decision of the admin on what a screen just showed. */
async function decide(action: string, id: string, body: Record<string, unknown> = {}) {
  const reply = await callAs(server, admin, 'sales-management', {
    ...(await asJustSeen(server.database, { action, sale_id: id, ...body })),
  });
  expect(reply).toMatchObject({ status: 200 });
  return reply;
}

async function settle(requestId: string, status: string, body: Record<string, unknown> = {}) {
  const action = status === 'pending' ? 'annul_approval' : 'update_status';
  const reply = await callAs(server, admin, 'payment-request', {
    action,
    ...(await asJustSeen(server.database, {
      request_id: requestId,
      ...(status === 'pending' ? {} : { status }),
      ...body,
    })),
  });
  expect(reply).toMatchObject({ status: 200 });
}

describe('what is told', () => {
  test('[TM-01, DF-42] [UI-13] each step of a referral, from its arrival to the annulment of its validation; what was to do is read once done', async () => {
    const invited = await callAs(server, client, 'send-invitation-email', {
      name: 'Marie <b>Amie</b>',
      email: 'marie@example.fr',
    });
    const { id } = invited.body.data as { id: string };
    const arrival = await mailTo(commercial);
    expect(arrival.subject).toBe('Nouveau parrainage : Marie <b>Amie</b> – Mon Entreprise');
    expect(arrival.html).toContain('Marie &lt;b&gt;Amie&lt;/b&gt;');
    // To the record itself, which the commercial's dashboard opens.
    expect(arrival.text).toContain(`${server.url}/commercial/dashboard?section=parrainages-recus&parrainage=${id}`);
    expect(arrival.html).toContain('Recommandation de Léa &lt;i&gt;Laurent&lt;/i&gt;');

    await move(id, { status: 'contacted' });
    expect((await mailTo(client)).subject).toContain('Premier contact avec Marie');
    // To and fro, and told once.
    for (const status of ['pending', 'contacted', 'in_negotiation', 'contacted']) await move(id, { status });
    expect((await mailTo(client)).subject).toContain('Négociation en cours avec Marie');
    await move(id, { status: 'pending_validation', ...CONTRACT });
    expect((await mailTo(client)).subject).toContain('a signé');
    const toValidate = await mailTo(admin);
    expect(toValidate.text).toContain('Transmis par Corentin Commercial.');
    expect(toValidate.text).toContain(`${server.url}/admin/dashboard?section=validations&vente=${id}`);
    await decide('reject', id, { reason: 'Il manque une page' });
    for (const person of [client, commercial]) {
      const { subject, text } = await mailTo(person);
      expect(subject).toContain('Contrat refusé');
      expect(text).toContain('Raison : Il manque une page');
    }
    await move(id, { status: 'validated', ...CONTRACT });
    expect((await mailTo(client)).subject).toContain('a signé');
    await mailTo(admin);
    await decide('validate', id);
    // Each reads their own commission.
    expect((await mailTo(client)).text).toContain('Votre commission : 200,00\u00a0€');
    expect((await mailTo(commercial)).text).toContain('Votre commission : 50,00\u00a0€');
    const { body } = await decide('cancel_validation', id, { reason: 'Contrat rompu' });
    expect((await mailTo(client)).text).toMatch(/200,00\u00a0€ de commission sont repris\. Raison : Contrat rompu/u);
    await mailTo(commercial);

    expect(await toldOf(id)).toEqual([
      'admin contract_to_validate, known',
      'admin contract_to_validate, known',
      'client contract_refused',
      'client contract_validated',
      'client referral_contacted',
      'client referral_in_negotiation',
      'client referral_signed',
      'client referral_signed',
      'commercial contract_refused',
      'commercial contract_validated',
      'commercial referral_received, known',
    ]);
    expect(await toldOf((body.data as { id: string }).id)).toEqual([
      'client contract_annulled',
      'commercial contract_annulled',
    ]);
  });

  test('[NV-09] of a move that is taken back its referrer is told nothing; until then nobody is mailed', async () => {
    const db = server.database;
    const other = await aClient(db, { commercial });
    const sale = await aSale(db, { commercial, friendReferrer: other });
    const reply = await callAs(server, commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale.id,
      status: 'contacted',
    });
    const { version } = reply.body.data as { version: number };
    const due = async () => {
      const rows = await db.asOwner<{ kind: NoticeKind }>(
        'select kind from private.notice_mails join public.notices n on n.id = notice_id where n.sale_id = $1',
        [sale.id],
      );
      return rows.map(({ kind }) => kind);
    };
    // The work of each minute comes in between.
    await runTask('mail_notices');
    expect(await due()).toEqual(['referral_contacted']);
    const received = () =>
      db.asOwner("select from public.notices where sale_id = $1 and kind = 'referral_received' and read_at is null", [
        sale.id,
      ]);
    expect(await received()).toEqual([]);
    const undone = await callAs(server, commercial, 'sales-management', {
      action: 'undo_status',
      sale_id: sale.id,
      seen_version: version,
    });
    expect(undone).toMatchObject({ status: 200 });
    // The referral is to be called again (DF-42).
    expect(await received()).toHaveLength(1);
    expect(await due()).toEqual([]);
    expect(await toldOf(sale.id)).toEqual(['commercial referral_received']);
    // The next first contact is told as the first.
    await move(sale.id, { status: 'contacted' });
    expect((await mailTo(other)).subject).toContain('Premier contact');
    expect(server.mailbox.mails.filter(({ to }) => to === other.email)).toHaveLength(1);
  });

  test('[TM-01] [FX-10] [DF-42] [UI-13] each step of a payment request; one’s own act is no news, nor what is decided', async () => {
    const db = server.database;
    const payee = await aClient(db, { fullName: 'Paul <i>Payé</i>', commercial });
    await aValidatedSale(db, { commercial, friendReferrer: payee, admin });
    await db.asOwner('delete from private.notice_mails');
    const reply = await callAs(server, payee, 'payment-request?action=create', {
      amount: 20,
      payment_method: 'remise_societe',
    });
    expect(reply).toMatchObject({ status: 200 });
    const { id } = reply.body.data as { id: string };
    expect((await mailTo(payee)).text).toContain('Montant demandé : 20,00\u00a0€');
    expect((await mailTo(admin)).text).toContain('Demandée par Paul <i>Payé</i>.');
    await settle(id, 'approved');
    const approved = await mailTo(payee);
    expect(approved.subject).toContain('approuvée');
    expect(approved.text).toContain(`${server.url}/client/dashboard?section=demandes-de-paiement&demande=${id}`);
    await settle(id, 'pending', { reason: 'IBAN à vérifier' });
    const annulled = await mailTo(payee);
    expect(annulled.subject).toContain('Votre demande de paiement attend une nouvelle décision');
    expect(annulled.text).toContain('Raison : IBAN à vérifier');
    await settle(id, 'approved');
    await mailTo(payee);
    await settle(id, 'paid');
    expect((await mailTo(payee)).subject).toContain('payée');
    expect(await toldOf(id)).toEqual([
      'admin payment_to_decide, known',
      'another payment_annulled',
      'another payment_approved',
      'another payment_approved',
      'another payment_paid',
      'another payment_received, known',
    ]);
  });

  test('[TM-01] what happens to one person at once is one mail; a move that is taken back is told to nobody', async () => {
    const db = server.database;
    const other = await aClient(db, { commercial });
    const sales = await Promise.all([1, 2, 3].map(() => aSale(db, { commercial, friendReferrer: other })));
    await db.asOwner(`update public.sales set status = 'contacted' where id = any ($1)`, [sales.map(({ id }) => id)]);
    await expect(
      db.become(commercial, async (run) => {
        await run(`select from private.update_sale_status($1, 'in_negotiation', null, null, null)`, [sales[0]?.id]);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    await mailDue();
    const mail = await mailTo(other);
    expect(mail.subject).toBe('3 nouvelles de votre programme de parrainage – Mon Entreprise');
    expect(mail.text.match(/Premier contact avec Paul Contact/gu)).toHaveLength(3);
    expect(server.mailbox.mails.filter(({ to }) => to === other.email)).toHaveLength(1);
  });

  test('[TM-01] the past of the demo company is mailed to nobody, nor is a mailbox that never answered', async () => {
    const db = server.database;
    const unproven = await aClient(db, { commercial, isEmailProven: false });
    const sale = await aSale(db, { commercial, friendReferrer: unproven });
    const told = await aClient(db, { commercial });
    const past = await aSale(db, { commercial, friendReferrer: told });
    await db.asOwner(`update public.sales set status = 'contacted' where id = $1`, [sale.id]);
    await db.asOwner(
      `begin; set local app.at = '2026-01-05T10:00:00Z'; update public.sales set status = 'contacted' where id = '${past.id}'; commit`,
    );
    await mailDue();
    expect(await db.asOwner('select from private.notice_mails')).toEqual([]);
    expect(await toldOf(past.id)).toContain('another referral_contacted, known');
    expect(await toldOf(sale.id)).toContain('another referral_contacted');
    expect(server.mailbox.mails.filter(({ to }) => [unproven.email, told.email].includes(to))).toEqual([]);
  });

  test('[TM-01] one person gets twenty of these mails an hour; what comes then waits some minutes, in nobody’s way, and is told together', async () => {
    const db = server.database;
    const other = await aClient(db, { commercial });
    await db.asOwner(
      `insert into private.rate_limits (bucket, tokens, refilled_at) values ('notice-mails:' || $1, 0, now())`,
      [other.id],
    );
    for (const status of ['contacted', 'in_negotiation'] as const) await aSaleThatBecame(status, other);
    await mailDue();
    const waiting = () =>
      db.asOwner(
        'select from private.notice_mails join public.notices n on n.id = notice_id where n.recipient_id = $1',
        [other.id],
      );
    expect(await waiting()).toHaveLength(2);
    const held = await db.asOwner<{ minutes: number }>(
      `select extract(epoch from max(held_until) - now())::float8 / 60 as minutes from private.notice_mails`,
    );
    expect(held[0]?.minutes).toBeGreaterThan(1);
    expect(held[0]?.minutes).toBeLessThan(4);
    await mailDue();
    expect(await waiting()).toHaveLength(2);
    await db.asOwner(`update private.notice_mails set held_until = now()`);
    await db.asOwner(`delete from private.rate_limits where bucket = 'notice-mails:' || $1`, [other.id]);
    await mailDue();
    expect((await mailTo(other)).subject).toContain('2 nouvelles');
    expect(await waiting()).toHaveLength(0);
  });
});

async function aSaleThatBecame(status: 'contacted' | 'in_negotiation', friendReferrer: Person): Promise<void> {
  const { id } = await aSale(server.database, { commercial, friendReferrer });
  await server.database.asOwner('update public.sales set status = $2 where id = $1', [id, status]);
}

/** The work of each minute, a minute from now, and to its end. */
async function mailDue(task = 'mail_notices'): Promise<void> {
  await server.database.asOwner(
    `update public.notices n set created_at = n.created_at - interval '1 minute' from private.notice_mails m where m.notice_id = n.id`,
  );
  await runTask(task);
}

async function runTask(task: string): Promise<void> {
  await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, task, {}));
  await vi.waitFor(
    async () =>
      expect(
        await server.database.asOwner(
          `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
           where t.identifier = $1`,
          [task],
        ),
      ).toEqual([]),
    { timeout: 120_000, interval: 50 },
  );
  // A mailer that an act or the minute woke locks what it mails, and the task passes that over: it ends first.
  await server.database.asOwner('select from private.notice_mails for update');
}

describe('follow-ups', () => {
  const setDays = (days: number | null, adminDays: number | null) =>
    callAs(server, admin, 'company-settings?action=update_follow_ups', {
      follow_up_days: days,
      follow_up_admin_days: adminDays,
    });
  const follow = (who: Person, body: Record<string, unknown>) =>
    callAs(server, who, 'sales-management?action=follow_up', body);
  /** A referral that came so many days ago. */
  async function aReferral(days: number, details: Parameters<typeof aSale>[1] = {}) {
    const sale = await aSale(server.database, { commercial, friendReferrer: client, ...details });
    await server.database.asOwner(
      `begin; set local session_replication_role = replica;
       update public.sales set created_at = now() - interval '${days} days' where id = '${sale.id}'; commit`,
    );
    return sale;
  }
  const morning = async (hour = '06') => {
    now = new Date(`2026-12-01T${hour}:00:00Z`);
    // Two nodes at the same instant.
    await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'follow_ups', {}));
    await mailDue('follow_ups');
    now = undefined;
  };
  const reminders = (saleId: string) =>
    server.database.asOwner<{ kind: string; recipient_id: string }>(
      `select kind, recipient_id from public.notices where sale_id = $1 and kind in ('referral_late', 'referral_still_late', 'call_back_due')
       order by kind`,
      [saleId],
    );

  test('[TM-05] a referral that nobody contacted reminds its commercial, then the admins, each once; off by default', async () => {
    const late = await aReferral(8);
    const stillLate = await aReferral(12);
    const young = await aReferral(6);
    const contacted = await aReferral(8, { status: 'contacted' });
    const old = await aReferral(60);
    await morning();
    expect(await reminders(late.id)).toEqual([]);
    expect((await setDays(7, 3)).status).toBe(200);
    // Not in the night.
    await morning('05');
    expect(await reminders(late.id)).toEqual([]);
    for (let mornings = 0; mornings < 2; mornings += 1) await morning();
    expect(await reminders(late.id)).toEqual([{ kind: 'referral_late', recipient_id: commercial.id }]);
    expect(await reminders(stillLate.id)).toEqual([
      { kind: 'referral_late', recipient_id: commercial.id },
      { kind: 'referral_still_late', recipient_id: admin.id },
    ]);
    // A referral that was due long before the company turned reminders on gets none.
    for (const { id } of [young, contacted, old]) expect(await reminders(id)).toEqual([]);
    await mailDue();
    await mailAbout(commercial, 'attend votre appel');
    const told = await mailAbout(admin, 'attend toujours');
    expect(told.text).toContain('Suivi par Corentin Commercial');
    expect(told.text).toContain(`${server.url}/admin/dashboard?section=ventes&vente=${stillLate.id}`);
    for (const [days, adminDays] of [
      [0, null],
      [91, null],
      [null, 3],
      ['sept', null],
    ] as const) {
      expect((await setDays(days as number | null, adminDays)).status).toBe(400);
    }
    expect((await callAs(server, commercial, 'company-settings?action=update_follow_ups', {})).status).toBe(403);
    await setDays(null, null);
  });

  test('[TM-05] the day to call back and a note are the commercial’s; the referrer reads neither, and both go with the friend', async () => {
    const db = server.database;
    const sale = await aReferral(1, { contactEmail: 'suivi@exemple.fr' });
    const stranger = await aCommercial(db);
    const read = async (who: Person) =>
      (await (await server.client(who)).from('follow_ups').select('private_note,call_back_on').eq('sale_id', sale.id))
        .data;
    const body = { sale_id: sale.id, private_note: 'Rappeler après 18 h', call_back_on: '2099-01-01' };
    for (const who of [client, admin]) expect((await follow(who, body)).status).toBe(403);
    expect(await follow(stranger, body)).toMatchObject({ status: 404 });
    expect(await follow(commercial, { ...body, call_back_on: '2020-01-01' })).toMatchObject({
      status: 400,
      body: { code: 'call_back_is_past' },
    });
    expect(await follow(commercial, { ...body, call_back_on: 'demain' })).toMatchObject({ status: 400 });
    expect(await follow(commercial, body)).toMatchObject({ status: 200, body: { message: 'Suivi enregistré' } });
    const kept = [{ private_note: 'Rappeler après 18 h', call_back_on: '2099-01-01' }];
    for (const who of [commercial, admin]) expect(await read(who)).toEqual(kept);
    for (const who of [client, stranger]) expect(await read(who)).toEqual([]);
    await morning();
    expect(await reminders(sale.id)).toEqual([]);
    // The day has come; it is said once, and again for another day.
    for (const daysAgo of [1, 0]) {
      await db.asOwner(`update public.follow_ups set call_back_on = private.today() - $2::int where sale_id = $1`, [
        sale.id,
        daysAgo,
      ]);
      for (let mornings = 0; mornings < 2; mornings += 1) await morning();
      await db.asOwner(`update public.follow_ups set reminded_on = reminded_on - 1 where sale_id = $1`, [sale.id]);
    }
    expect((await reminders(sale.id)).map(({ kind }) => kind)).toEqual(['call_back_due', 'call_back_due']);
    await mailDue();
    await mailAbout(commercial, 'À relancer : Paul Contact');
    await db.asOwner(`update public.sales set status = 'rejected', referred_contact_email = null where id = $1`, [
      sale.id,
    ]);
    expect(await read(admin)).toEqual([]);
    expect(await follow(commercial, { ...body, private_note: null })).toMatchObject({
      status: 409,
      body: { code: 'sale_not_editable' },
    });
    expect((await follow(commercial, { ...body, call_back_on: null })).status).toBe(200);
    expect((await follow(commercial, { sale_id: sale.id, private_note: '', call_back_on: '' })).status).toBe(200);
    expect(await read(admin)).toEqual([]);
  });

  test('[TM-05] the referrer asks for news once in thirty days, while there may be some; the commercial is told', async () => {
    const db = server.database;
    const sale = await aReferral(1);
    const askNews = (who: Person) => callAs(server, who, 'sales-management?action=ask_news', { sale_id: sale.id });
    for (const who of [commercial, admin]) expect((await askNews(who)).status).toBe(403);
    expect((await askNews(await aClient(db, { commercial }))).status).toBe(404);
    const asked = await Promise.all([askNews(client), askNews(client)]);
    expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const mail = await mailAbout(commercial, 'Des nouvelles de Paul Contact');
    expect(mail.text).toContain('Léa <i>Laurent</i> vous en demande.');
    const seen = async (who: Person) =>
      (await (await server.client(who)).from('news_requests').select('asked_at').eq('sale_id', sale.id)).data;
    for (const who of [client, commercial, admin]) expect(await seen(who)).toHaveLength(1);
    expect(await askNews(client)).toMatchObject({ status: 409, body: { code: 'news_already_asked' } });
    await db.asOwner(`update public.news_requests set asked_at = now() - interval '30 days' where sale_id = $1`, [
      sale.id,
    ]);
    expect((await askNews(client)).status).toBe(200);
    await mailAbout(commercial, 'Des nouvelles de Paul Contact');
    await db.asOwner(`delete from public.news_requests`);
    await db.asOwner(`update public.sales set status = 'rejected' where id = $1`, [sale.id]);
    expect(await askNews(client)).toMatchObject({ status: 409, body: { code: 'news_not_expected' } });
  });
});

describe('what people choose', () => {
  const choose = (who: Person, topic: string, delivery: string) =>
    callAs(server, who, 'notices?action=choose', { topic, delivery });
  const mailsTo = ({ email }: Person) => server.mailbox.mails.filter(({ to }) => to === email);

  test('[TM-02] never: on screen alone; each morning: one mail at half past seven in France, of what is still new', async () => {
    const other = await aClient(server.database, { commercial });
    expect((await choose(other, 'referrals', 'never')).status).toBe(200);
    await aSaleThatBecame('contacted', other);
    await mailDue();
    expect((await choose(other, 'referrals', 'each_morning')).status).toBe(200);
    await aSaleThatBecame('in_negotiation', other);
    await aSaleThatBecame('contacted', other);
    await aSaleThatBecame('contacted', other);
    await mailDue();
    await server.database.asOwner(
      `update public.notices set read_at = now() where recipient_id = $1 and kind = 'referral_in_negotiation'`,
      [other.id],
    );
    // In summer the morning comes at 5.30 UTC, in winter at 6.30.
    for (const instant of ['2026-07-01T06:30:00Z', '2026-12-01T05:30:00Z']) {
      now = new Date(instant);
      await mailDue('mail_morning');
    }
    expect(mailsTo(other)).toEqual([]);
    now = new Date('2026-07-01T05:30:00Z');
    await mailDue('mail_morning');
    const mail = await mailTo(other);
    expect(mail.subject).toContain('2 nouvelles');
    expect(mail.text).not.toContain('Négociation');
    now = new Date('2026-12-02T06:30:00Z');
    await mailDue('mail_morning');
    expect(mailsTo(other)).toHaveLength(1);
    // One that the bound of the hour holds leaves as soon as it may, and not on the next morning.
    await aSaleThatBecame('contacted', other);
    await mailDue();
    await server.database.asOwner(
      `insert into private.rate_limits (bucket, tokens, refilled_at) values ('notice-mails:' || $1, 0, now())
       on conflict (bucket) do update set tokens = 0, refilled_at = now()`,
      [other.id],
    );
    await mailDue('mail_morning');
    await server.database.asOwner('delete from private.rate_limits');
    await server.database.asOwner('update private.notice_mails set held_until = now()');
    await mailDue();
    now = undefined;
    expect((await mailTo(other)).subject).toContain('Premier contact');
    for (const [topic, delivery] of [
      ['referrals', 'sometimes'],
      ['security', 'never'],
    ]) {
      expect((await choose(other, topic ?? '', delivery ?? '')).status).toBe(400);
    }
  });

  test('[TM-02] every mail that may be refused is, with one click and no session: that topic, and no other', async () => {
    const other = await aClient(server.database, { commercial });
    const delivery = async () => {
      const rest = await server.client(other);
      return (await rest.from('notice_preferences').select('topic,delivery')).data;
    };
    await aSaleThatBecame('contacted', other);
    await mailDue();
    const { headers, text } = await mailTo(other);
    const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const url = /^<(?<url>\S+)>$/u.exec(header('list-unsubscribe'))?.groups?.['url'] ?? '';
    const opened = await fetch(url, { redirect: 'manual' });
    const token = new URL(url).searchParams.get('token') ?? '';
    expect(opened.headers.get('location')).toBe(`${server.url}/se-desabonner#${token}`);
    expect(text).toContain(`${server.url}/se-desabonner#${token}`);
    expect(await delivery()).toEqual([]);
    const posted = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(posted.status).toBe(200);
    expect(await delivery()).toEqual([{ topic: 'referrals', delivery: 'never' }]);
    // The page's button, by whoever holds the link; another's token opens nothing.
    const said = await callAs(server, undefined, 'notice-refusal', { token });
    expect(said.body).toMatchObject({ success: true, topics: ['Parrainages'] });
    expect(await callAs(server, undefined, 'notice-refusal', { token: `${token.slice(0, -3)}abc` })).toMatchObject({
      status: 404,
    });
  });
});

describe('on screen', () => {
  const mine = async (person: Person) => {
    const rest = await server.client(person);
    const { data } = await rest.from('notices').select('id,kind,read_at,created_at').order('created_at');
    return data as { id: string; kind: NoticeKind; read_at: string | null; created_at: string }[];
  };

  test('[TM-03] [NV-09] a person reads their own notices, marks some read or new again, or all that they saw', async () => {
    const other = await aClient(server.database, { commercial });
    await aSaleThatBecame('contacted', other);
    await aSaleThatBecame('in_negotiation', other);
    const [first, second] = await mine(other);
    const mark = (who: Person, body: Record<string, unknown>) => callAs(server, who, 'notices?action=mark', body);
    expect((await mark(client, { ids: [first?.id], is_read: true })).body).toMatchObject({ changed: 0 });
    expect((await mark(other, { ids: [first?.id], is_read: true })).body).toMatchObject({ changed: 1 });
    expect((await mark(other, { ids: [first?.id], is_read: true })).body).toMatchObject({ changed: 0 });
    expect((await mine(other)).map(({ read_at: at }) => at !== null)).toEqual([true, false]);
    expect((await mark(other, { ids: [first?.id], is_read: false })).body).toMatchObject({ changed: 1 });
    // Notices that came after the list was read stay unread.
    const all = await callAs(server, other, 'notices?action=mark_all', { until: first?.created_at });
    expect(all.body).toMatchObject({ changed: 1 });
    expect((await mine(other)).map(({ id, read_at: at }) => [id, at !== null])).toEqual([
      [first?.id, true],
      [second?.id, false],
    ]);
    // NV-09: taken back, what was new is new again, and what was read before stays read.
    await mark(other, { ids: [second?.id], is_read: true });
    const undo = (who: Person) => callAs(server, who, 'notices?action=unmark_all', { read_at: all.body.read_at });
    expect((await undo(client)).body).toMatchObject({ changed: 0 });
    expect((await undo(other)).body).toMatchObject({ changed: 1 });
    expect((await mine(other)).map(({ read_at: at }) => at !== null)).toEqual([false, true]);
    expect((await callAs(server, other, 'notices?action=unmark_all', { read_at: 'hier' })).status).toBe(400);
    for (const body of [{}, { ids: [] }, { ids: ['x'], is_read: true }, { ids: [first?.id] }]) {
      expect((await mark(other, body)).status).toBe(400);
    }
  });

  test('[TM-03] a closed account keeps no notice', async () => {
    const leaving = await aClient(server.database, { commercial });
    await aSaleThatBecame('contacted', leaving);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [leaving.id]);
    expect(
      await server.database.asOwner('select from public.notices where recipient_id = $1', [leaving.id]),
    ).toHaveLength(0);
  });
});

test('[TM-01] each kind of event is one that the database knows, and no other', async () => {
  const [row] = await server.database.asOwner<{ kinds: string }>(
    `select substring(pg_get_constraintdef(oid) from '{(.*)}') as kinds from pg_constraint where conname = 'notices_kind_is_known'`,
  );
  // In no order: a kind is added by its own migration.
  expect(row?.kinds.split(',').toSorted()).toEqual(noticeKinds.toSorted());
});
