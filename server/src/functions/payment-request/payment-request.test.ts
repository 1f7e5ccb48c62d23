import { dayOf } from '@parrain/domain/date';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

const IBAN = 'FR7630006000011234567890189';
const virement = { payment_method: 'virement', payment_details: { iban: IBAN, beneficiary_name: 'Clarisse Cliente' } };
const gift = { payment_method: 'cheque_cadeau', payment_details: { gift_card_type: 'Librairie' } };

let server: TestServer;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  scale = await aScale(server.database, { isDefault: true });
});
afterAll(() => server.close());

/** A client who earned 123,46 €. */
async function anEarner(): Promise<Person> {
  const client = await aClient(server.database, { commercial });
  await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
  return client;
}
const ask = (who: Person, body: Record<string, unknown>, key?: string): Promise<Reply> =>
  callAs(server, who, 'payment-request', { action: 'create', ...body }, key === undefined ? {} : { key });
const list = (who: Person): Promise<Reply> => callAs(server, who, 'payment-request', { action: 'list' });
/** A decision on what is there, as a screen that was just read sends it. */
const decide = async (body: Record<string, unknown>, who = admin, key?: string): Promise<Reply> =>
  decideSeen(await asJustSeen(server.database, body), who, key);
const decideSeen = (body: Record<string, unknown>, who = admin, key?: string): Promise<Reply> =>
  callAs(server, who, 'payment-request?action=update_status', body, key === undefined ? {} : { key });
const annul = (body: Record<string, unknown>, who = admin, key?: string): Promise<Reply> =>
  callAs(server, who, 'payment-request', { action: 'annul_approval', ...body }, key === undefined ? {} : { key });
const cancel = async (saleId: string): Promise<Reply> =>
  callAs(
    server,
    admin,
    'sales-management',
    await asJustSeen(server.database, { action: 'cancel_validation', sale_id: saleId, reason: 'Rétractation' }),
  );
const requestsOf = (client: Person) =>
  server.database.asOwner<{ id: string; amount: string; status: string }>(
    'select id, amount, status from public.payment_requests where client_id = $1 order by created_at',
    [client.id],
  );
const balanceOf = async (client: Person) =>
  only(
    await server.database.asOwner<Record<'earned' | 'reserved' | 'paid', string>>(
      'select earned, reserved, paid from public.balances where profile_id = $1',
      [client.id],
    ),
  );

describe('requesting a payment', () => {
  test('[DF-28] nobody has more than twenty requests wait at once, however many arrive together', async () => {
    const client = await anEarner();
    const replies = await Promise.all(Array.from({ length: 24 }, () => ask(client, { amount: 1, ...gift })));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(replies.length - refused.length).toBe(20);
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'too_many_open_requests' } });
      expect(reply.body.error).toContain('Vous avez déjà 20 demandes en attente');
    }
    // A decided one leaves its place.
    const [first] = await requestsOf(client);
    await decide({ request_id: first?.id, status: 'rejected', rejection_reason: 'Doublon' });
    expect((await ask(client, { amount: 1, ...gift })).status).toBe(200);
  });

  test('[F-10] [F-09] [S-09] 100 € requested out of 123,46 €: the request, the list, the rest', async () => {
    const client = await anEarner();
    const created = await ask(client, { amount: 100, ...virement });
    expect(created).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: 'Demande de paiement envoyée avec succès !',
        data: { client_id: client.id, amount: 100, status: 'pending', payment_method: 'virement' },
      },
    });
    const { body } = await list(client);
    expect(body.data).toMatchObject([
      {
        id: created.body.data.id,
        amount: 100,
        status: 'pending',
        payment_details: { iban: IBAN, beneficiary_name: 'Clarisse Cliente' },
      },
    ]);
    const over = await ask(client, { amount: 23.47, ...gift });
    expect(over).toMatchObject({
      status: 400,
      body: { code: 'amount_out_of_range', error: 'Le montant doit être compris entre 1€ et 23,46€' },
    });
    expect((await ask(client, { amount: 23.46, ...gift })).status).toBe(200);
  });

  test('[UI-10] a transfer goes to the account of an earlier request of the same client, and of nobody else', async () => {
    const [client, other] = [await anEarner(), await anEarner()];
    const first = await ask(client, { amount: 10, ...virement });
    const as = (earlier: unknown) => ({
      payment_method: 'virement',
      payment_details: { same_as: earlier, beneficiary_name: 'Clarisse C.' },
    });
    const again = await ask(client, { amount: 20, ...as(first.body.data.id) });
    expect(again).toMatchObject({
      status: 200,
      body: { data: { payment_details: { beneficiary_name: 'Clarisse C.' } } },
    });
    expect(JSON.stringify(again.body)).not.toContain(IBAN);
    // The same account, kept as the first time: an admin reads it, and nothing waits for it as for a new one (PO-04).
    const { body } = await list(client);
    expect(body.data).toMatchObject([{ payment_details: { iban: IBAN } }, { payment_details: { iban: IBAN } }]);
    expect(
      await server.database.asOwner('select from public.payee_ibans where client_id = $1', [client.id]),
    ).toHaveLength(1);
    // An account that is typed goes before.
    const typed = await ask(client, {
      amount: 1,
      payment_method: 'virement',
      payment_details: { ...as(first.body.data.id).payment_details, iban: 'FR1420041010050500013M02606' },
    });
    expect(typed.body.data.payment_details).toMatchObject({ iban: expect.stringMatching(/2606$/u) as unknown });
    const card = await ask(client, { amount: 1, ...gift });
    // One that was refused may have been for its account.
    await decide({ request_id: typed.body.data.id, status: 'rejected', rejection_reason: 'IBAN faux' });
    for (const [who, earlier] of [
      [other, first.body.data.id],
      [client, card.body.data.id],
      [client, typed.body.data.id],
      [client, randomUUID()],
    ] as const)
      expect(await ask(who, { amount: 10, ...as(earlier) })).toMatchObject({
        status: 400,
        body: { issues: [{ path: ['payment_details', 'iban'], message: 'L’IBAN est requis' }] },
      });
    expect((await ask(client, { amount: 10, ...as('hier') })).status).toBe(400);
    expect(await requestsOf(client)).toHaveLength(4);
    expect(await requestsOf(other)).toHaveLength(0);
  });

  test('[V-14] [V-17] threat 10: no amount that is out of bounds or badly written leaves a request', async () => {
    const client = await anEarner();
    for (const amount of [
      0,
      -5,
      0.001,
      0.99,
      '1e3',
      '12,345',
      'NaN',
      1e308,
      99_999_999_999,
      null,
      [],
      {},
      undefined,
      123.47,
      '',
    ]) {
      const reply = await ask(client, { amount, ...gift });
      expect({ amount, status: reply.status }).toEqual({ amount, status: 400 });
      expect(reply.body.error).toMatch(/^Le montant doit être/u);
    }
    expect(await requestsOf(client)).toEqual([]);
    expect((await ask(client, { amount: '12,34', ...gift })).body.data.amount).toBe(12.34);
  });

  test('[V-15] each means has its details; every error is said', async () => {
    const client = await anEarner();
    for (const [payment_method, payment_details, fields] of [
      ['virement', {}, ['payment_details.iban', 'payment_details.beneficiary_name']],
      ['virement', { iban: 'FR7630006000011234567890188', beneficiary_name: 'X' }, ['payment_details.iban']],
      ['virement', { iban: 'FR763000600001123456789018', beneficiary_name: 'X' }, ['payment_details.iban']],
      ['cheque_cadeau', {}, ['payment_details.gift_card_type']],
      ['association', { association_name: 'A' }, ['payment_details.association_details']],
      ['bitcoin', {}, ['payment_method']],
    ] as const) {
      const reply = await ask(client, { amount: 5, payment_method, payment_details });
      expect(reply.status).toBe(400);
      expect(reply.body.issues.map((issue: { path: string[] }) => issue.path.join('.'))).toEqual(fields);
    }
    expect((await ask(client, { amount: 1, payment_method: 'remise_societe' })).status).toBe(200);
    const byDefault = await ask(client, {
      amount: 2,
      payment_details: { iban: 'FR76 3000 6000 0112 3456 7890 189', beneficiary_name: 'C' },
    });
    expect(byDefault.body.data).toMatchObject({ payment_method: 'virement' });
  });

  test('[V-16] threat 1: twenty requests of 100 € at once out of 123,46 €: one passes', async () => {
    const client = await anEarner();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(client, { amount: 100, ...virement }, index % 2 === 0 ? randomUUID() : undefined),
      ),
    );
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    const refused = replies.filter((reply) => reply.status !== 200);
    expect(new Set(refused.map((reply) => reply.body.error))).toEqual(
      new Set(['Le montant doit être compris entre 1€ et 23,46€']),
    );
    expect(await balanceOf(client)).toMatchObject({ earned: '123.46', reserved: '100.00', paid: '0.00' });
  });

  test('threat 2: request after request, never more than is available', async () => {
    const client = await anEarner();
    expect((await ask(client, { amount: 60, ...gift })).status).toBe(200);
    expect((await ask(client, { amount: 60, ...virement })).status).toBe(200);
    expect(await ask(client, { amount: 60, ...virement })).toMatchObject({
      status: 400,
      body: { error: 'Le montant doit être compris entre 1€ et 3,46€' },
    });
  });

  test('[FX-66] the same amount twice is two requests without a key, and one with the same key', async () => {
    const client = await anEarner();
    for (const count of [1, 2]) {
      expect((await ask(client, { amount: 10, ...virement })).status).toBe(200);
      expect(await requestsOf(client)).toHaveLength(count);
    }
    const key = randomUUID();
    const replies = await Promise.all([
      ask(client, { amount: 10, ...virement }, key),
      ask(client, { amount: 10, ...virement }, key),
    ]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(replies[0]?.body).toEqual(replies[1]?.body);
    expect(await requestsOf(client)).toHaveLength(3);
  });

  test('[V-20] threat 13: retried with its key, after a restart too: same bytes, one request; another body: 422', async () => {
    const client = await anEarner();
    const key = randomUUID();
    const body = { amount: 123.46, ...virement };
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(client, body, key)));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    expect(replies[0]?.status).toBe(200);
    const node2 = await startTestServer({ database: server.database });
    try {
      const replayed = await callAs(node2, client, 'payment-request', { action: 'create', ...body }, { key });
      expect(replayed).toMatchObject({ status: 200, body: replies[0]?.body });
    } finally {
      await node2.close();
    }
    expect(await ask(client, { ...body, amount: 100 }, key)).toMatchObject({ status: 422 });
    expect(await requestsOf(client)).toHaveLength(1);
  });

  test('[S-11] threat 21: a validation cancelled after its payment leaves a debt, and nothing more can be requested', async () => {
    const client = await aClient(server.database, { commercial });
    const sale = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
    const created = await ask(client, { amount: 123.46, ...gift });
    const request_id = created.body.data.id;
    await decide({ request_id, status: 'approved' });
    await decide({ request_id, status: 'paid' });
    expect((await cancel(sale.id)).status).toBe(200);
    expect(await ask(client, { amount: 1, ...gift })).toMatchObject({ status: 409, body: { code: 'balance_in_debt' } });
  });

  test('threat 21: cancelling the validation and paying at once never promises more than was earned', async () => {
    for (let round = 0; round < 6; round += 1) {
      const client = await aClient(server.database, { commercial });
      const sale = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
      const created = await ask(client, { amount: 100, ...gift });
      const request_id = created.body.data.id;
      const [cancelled, approved] = await Promise.all([cancel(sale.id), decide({ request_id, status: 'approved' })]);
      expect(cancelled.status).toBe(200);
      if (approved.status === 200) {
        const paid = await decide({ request_id, status: 'paid' });
        expect(paid).toMatchObject({ status: 409, body: { code: 'balance_in_debt' } });
      } else expect(approved.body.code).toBe('balance_in_debt');
    }
  });
});

describe('deciding on a request', () => {
  const aRequest = async (amount = 50) => {
    const client = await anEarner();
    const { body } = await ask(client, { amount, ...virement });
    return { client, request_id: body.data.id as string };
  };

  test('[F-08] [S-09] approve, then mark as paid; the admin’s note stays', async () => {
    const { client, request_id } = await aRequest();
    expect(await decide({ request_id, status: 'approved', admin_notes: null })).toMatchObject({
      status: 200,
      body: { success: true, data: { status: 'approved' } },
    });
    expect(await decide({ request_id, status: 'paid', admin_notes: 'Virement du 3' })).toMatchObject({
      status: 200,
      body: { data: { status: 'paid', admin_notes: 'Virement du 3' } },
    });
    expect(await balanceOf(client)).toMatchObject({ reserved: '0.00', paid: '50.00' });
  });

  test('[V-05] refusing asks for a reason; it gives the reserved amount back', async () => {
    const { client, request_id } = await aRequest();
    for (const admin_notes of [undefined, null, '  ']) {
      expect(await decide({ request_id, status: 'rejected', admin_notes })).toMatchObject({
        status: 400,
        body: { error: 'Veuillez indiquer la raison du refus' },
      });
    }
    expect(await decide({ request_id, status: 'rejected', admin_notes: 'IBAN fermé' })).toMatchObject({
      status: 200,
      body: { data: { status: 'rejected', rejection_reason: 'IBAN fermé' } },
    });
    expect(await balanceOf(client)).toMatchObject({ reserved: '0.00' });
    expect((await ask(client, { amount: 123.46, ...gift })).status).toBe(200);
  });

  test('[S-09] threat 6: paying before approving, approving a refusal, retrying: one effect, else 409', async () => {
    const { client, request_id } = await aRequest();
    const moves = async (status: string, admin_notes = 'note') =>
      (await decide({ request_id, status, admin_notes })).status;
    expect(await moves('paid')).toBe(409);
    expect(await Promise.all([moves('approved'), moves('approved'), moves('approved')])).toEqual([200, 200, 200]);
    expect(await moves('rejected')).toBe(409);
    expect(await Promise.all([moves('paid'), moves('paid')])).toEqual([200, 200]);
    expect(await moves('approved')).toBe(409);
    expect(await balanceOf(client)).toMatchObject({ reserved: '0.00', paid: '50.00' });
    const other = await aRequest();
    await decide({ request_id: other.request_id, status: 'rejected', admin_notes: 'Non' });
    expect((await decide({ request_id: other.request_id, status: 'approved' })).status).toBe(409);
    expect((await decide({ request_id: other.request_id, status: 'pending' })).status).toBe(400);
    const nowhere = { request_id: randomUUID(), status: 'approved', seen_version: 1, expected_amount: 50 };
    expect((await decideSeen(nowhere)).body.code).toBe('request_not_found');
  });

  test('[FX-10] « Annuler l’approbation »: pending again, its client told why on screen and by mail, once', async () => {
    const posting = await startTestServer({ database: server.database, smtp: true });
    try {
      const { client, request_id } = await aRequest();
      await decide({ request_id, status: 'approved' });
      const { seen_version } = await asJustSeen(server.database, { request_id });
      const body = { action: 'annul_approval', request_id, seen_version, reason: 'IBAN clos,\nà remplacer' };
      const annulAt = (key?: string) =>
        callAs(posting, admin, 'payment-request', body, key === undefined ? {} : { key });
      await server.database.asOwner('delete from private.notice_mails');
      const key = randomUUID();
      const replies = await Promise.all([annulAt(key), annulAt(key)]);
      expect(replies[0]).toMatchObject({
        status: 200,
        body: {
          success: true,
          message: 'Approbation annulée',
          already: false,
          data: { status: 'pending', approved_at: null, approval_annulled_reason: 'IBAN clos,\nà remplacer' },
        },
      });
      expect(replies[1]?.body).toEqual(replies[0]?.body);
      expect((await annulAt()).body).toMatchObject({ already: true });
      expect((await list(client)).body.data).toMatchObject([
        { status: 'pending', approval_annulled_reason: 'IBAN clos,\nà remplacer' },
      ]);
      expect(await balanceOf(client)).toMatchObject({ reserved: '50.00', paid: '0.00' });

      const mail = await posting.mailbox.take(client.email);
      expect(mail.subject).toContain('attend une nouvelle décision');
      expect(mail.text).toContain('50,00');
      expect(mail.text).toContain('IBAN clos,');
      expect(posting.mailbox.mails.filter((one) => one.to === client.email)).toHaveLength(1);
    } finally {
      await posting.close();
    }
  });

  test('[PO-03, DF-02] a donation is settled with its reference and its association, and its proof is what was attached, sealed', async () => {
    const client = await anEarner();
    const asked = await ask(client, {
      amount: 50,
      payment_method: 'association',
      payment_details: { association_name: 'La Croix-Rouge', association_details: 'Nantes' },
    });
    const { id: request_id } = asked.body.data as { id: string };
    await decide({ request_id, status: 'approved' });
    const settled = { request_id, status: 'paid', settlement_reference: 'DON-1', association_name: 'La Croix-Rouge' };
    expect((await decide({ ...settled, association_number: '775 672 273' })).body).toMatchObject({
      error: 'Ce numéro n’est pas valide : un RNA (W et 9 signes) ou un SIREN (9 chiffres, dont une clé)',
    });
    // The specification's payload alone pays; what was not known is added later.
    expect((await decide({ request_id, status: 'paid', admin_notes: null })).body.data).toMatchObject({
      settlement_reference: null,
      association_name: null,
    });
    const complete = (said: object, who = admin) =>
      callAs(server, who, 'payment-request', { action: 'complete_settlement', request_id, ...said });
    expect((await complete({ association_number: '775 672 272' })).body.code).toBe('invalid_input');
    expect((await complete({ settlement_reference: 'DON-1' }, client)).status).toBe(403);
    expect(
      (
        await complete({
          settlement_reference: 'DON-1',
          association_name: 'La Croix-Rouge',
          association_number: '775 672 272',
        })
      ).body,
    ).toMatchObject({
      already: false,
      data: { status: 'paid', settlement_reference: 'DON-1', association_number: '775672272' },
    });
    expect((await complete({ settlement_reference: 'DON-2' })).body.code).toBe('settlement_known');
    const attach = async (content: string, name: string) => {
      const form = new FormData();
      form.set('request_id', request_id);
      form.set('name', name);
      form.set('file', new File([content], 'fichier'));
      return (await callAs(server, admin, 'payment-request?action=attach_proof', form)).body;
    };
    const proof = (who: Person) => callAs(server, who, 'payment-request', { action: 'proof', request_id });
    expect((await proof(client)).body).toMatchObject({ code: 'proof_not_found' });
    expect(await attach('<html></html>', 'reçu.pdf')).toMatchObject({ code: 'proof_refused' });
    expect(await attach('x'.repeat(5 * 1024 * 1024 + 1), 'reçu.pdf')).toMatchObject({ code: 'proof_refused' });
    expect(await attach('%PDF-1.7 preuve', '../reçu.pdf')).toMatchObject({ success: true });
    for (const who of [client, admin]) {
      const { data } = (await proof(who)).body;
      expect(data).toMatchObject({ content_type: 'application/pdf' });
      expect(data.name).not.toContain('/');
      expect(Buffer.from(data.content, 'base64').toString()).toBe('%PDF-1.7 preuve');
    }
    expect((await proof(await anEarner())).body).toMatchObject({ code: 'proof_not_found' });
    const kept = await server.database.asOwner<{ text: string }>(
      `select encode(sealed, 'escape') as text from private.proof_files where request_id = $1`,
      [request_id],
    );
    expect(kept[0]?.text).not.toContain('preuve');
  });

  test('[PO-04] another account than before is told to its owner, whose link confirms it, without a session and once', async () => {
    const posting = await startTestServer({ database: server.database, smtp: true });
    try {
      const client = await anEarner();
      await server.database.asOwner('update auth.users set email_proven_at = now() where id = $1', [client.id]);
      const on = (iban: string) =>
        callAs(posting, client, 'payment-request', {
          action: 'create',
          amount: '10.00',
          payment_method: 'virement',
          payment_details: { iban, beneficiary_name: 'Paul Martin' },
        });
      const sent = () =>
        posting.mailbox.mails.filter(({ to, subject }) => to === client.email && subject.includes('IBAN'));
      for (const iban of ['FR7630006000011234567890189', 'FR76 3000 6000 0112 3456 7890 189'])
        expect((await on(iban)).status).toBe(200);
      const changed = await on('DE89370400440532013000');
      expect(changed.status).toBe(200);
      await on('DE89370400440532013000');
      const mail = await vi.waitUntil(() => sent()[0], { timeout: 120_000 });
      expect(mail.subject).toContain('Votre IBAN a changé');
      expect(mail.text).toContain('DE89 •••• •••• 3000');
      expect(mail.text).not.toContain('0532013');
      const token = /confirmer-iban#([\w-]+)/u.exec(mail.text)?.[1] ?? '';
      const { id: request_id } = changed.body.data as { id: string };
      await decide({ request_id, status: 'approved' });
      expect((await decide({ request_id, status: 'paid' })).body).toMatchObject({
        code: 'iban_not_usable_yet',
        error: expect.stringMatching(/^IBAN changé, utilisable le .+ à \d\d:\d\d/u),
      });
      const confirm = (text: string) => callAs(posting, undefined, 'iban-confirmation', { token: text });
      expect((await confirm(`${token.slice(0, -3)}abc`)).body).toMatchObject({ code: 'iban_link_unknown' });
      expect((await confirm(token)).body).toMatchObject({
        message: 'C’est confirmé : cet IBAN peut servir dès maintenant.',
      });
      expect((await confirm(token)).body).toMatchObject({
        message: 'Cet IBAN était déjà confirmé : vous n’avez rien d’autre à faire.',
      });
      expect((await decide({ request_id, status: 'paid' })).status).toBe(200);
      expect(sent()).toHaveLength(1);
    } finally {
      await posting.close();
    }
  });

  test('[DF-03] an admin who checked a changed account pays before its day, and its owner is told', async () => {
    const client = await anEarner();
    const to = (iban: string) =>
      ask(client, {
        amount: 10,
        payment_method: 'virement',
        payment_details: { iban, beneficiary_name: 'Léa Martin' },
      });
    await to('FR7630006000011234567890189');
    const { id: request_id } = (await to('DE89370400440532013000')).body.data as { id: string };
    await decide({ request_id, status: 'approved' });
    expect((await decide({ request_id, status: 'paid' })).body.code).toBe('iban_not_usable_yet');
    const lift = (reason: string | null, who = admin) =>
      callAs(server, who, 'payment-request', { action: 'lift_iban_wait', id: request_id, reason });
    expect((await lift('Vu', client)).status).toBe(403);
    expect((await lift(null)).body).toMatchObject({ code: 'account_check_required' });
    expect((await lift('Vu au téléphone')).body).toMatchObject({ success: true, already: false });
    expect((await lift('Vu au téléphone')).body).toMatchObject({ already: true });
    expect((await decide({ request_id, status: 'paid' })).status).toBe(200);
    const told = await server.database.asOwner(
      `select n.kind from public.notices n
       where n.recipient_id = $1 and n.kind = 'iban_checked'`,
      [client.id],
    );
    expect(told).toMatchObject([{ kind: 'iban_checked' }]);
  });

  test('[AC-09] a transfer that was paid alone and came back with a bare code ends its account, as the bank’s file does', async () => {
    const { client } = await aRequest();
    const transfer = async (amount: string) =>
      (
        await callAs(server, client, 'payment-request', {
          action: 'create',
          amount,
          payment_method: 'virement',
          payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Paul Martin' },
        })
      ).body;
    const { id: request_id } = (await transfer('5.00')).data as { id: string };
    await decide({ request_id, status: 'approved' });
    await decide({ request_id, status: 'paid' });
    const { seen_version } = await asJustSeen(server.database, { request_id });
    const body = { action: 'return', request_id, seen_version, reason: 'ac04' };
    expect((await callAs(server, admin, 'payment-request', body)).body.data).toMatchObject({
      return_reason: 'Virement rejeté par la banque : le compte est clos (AC04).',
    });
    expect((await callAs(server, admin, 'payment-request', body)).body).toMatchObject({ already: true });
    expect(await transfer('6.00')).toMatchObject({ code: 'iban_refused_by_bank' });
  });

  test('[PO-02] a transfer that came back is available again, its client told why on screen and by mail, once', async () => {
    const posting = await startTestServer({ database: server.database, smtp: true });
    try {
      const { client, request_id } = await aRequest();
      await decide({ request_id, status: 'approved' });
      await decide({ request_id, status: 'paid' });
      const { seen_version } = await asJustSeen(server.database, { request_id });
      const body = { action: 'return', request_id, seen_version, reason: 'Le compte est clos.' };
      await server.database.asOwner('delete from private.notice_mails');
      expect((await callAs(posting, admin, 'payment-request', { ...body, reason: ' ' })).body.code).toBe(
        'refusal_reason_required',
      );
      const replies = await Promise.all([1, 2].map(() => callAs(posting, admin, 'payment-request', body)));
      expect(new Set(replies.map((reply) => reply.body.already))).toEqual(new Set([false, true]));
      expect(replies[0]?.body).toMatchObject({
        message: 'Retour noté, le client est prévenu',
        data: { status: 'returned', return_reason: 'Le compte est clos.' },
      });
      expect(await balanceOf(client)).toMatchObject({ reserved: '0.00', paid: '0.00' });
      const mail = await posting.mailbox.take(client.email);
      expect(mail.subject).toContain('est revenu de la banque');
      expect(mail.text).toContain('50,00');
      expect(mail.text).toContain('Le compte est clos.');
      expect(posting.mailbox.mails.filter((one) => one.to === client.email)).toHaveLength(1);
    } finally {
      await posting.close();
    }
  });

  test('[AC-01] [F-08] a payment and its return are of the days that are said; another day is refused in French', async () => {
    const client = await anEarner();
    const day = (ago: number): string => dayOf(new Date(Date.now() - ago * 86_400_000));
    const { id: request_id } = only(
      await server.database.become(client, async (run) => {
        await run(`select set_config('app.at', (now() - interval '9 days')::text, true)`);
        return run<{ id: string }>(
          `select id from private.request_payment('50.00', 'virement', '{"iban": "FR76 •••• •••• 0189"}', '\\x01', sha256('a'))`,
        );
      }),
    );
    await decide({ request_id, status: 'approved' });
    for (const [paid_on, status] of [
      [day(-1), 422],
      [day(10), 422],
      ['2026-02-30', 422],
      ['hier', 422],
    ] as const)
      expect([paid_on, await decide({ request_id, status: 'paid', paid_on })]).toMatchObject([
        paid_on,
        { status, body: { code: 'payment_day_refused', error: expect.stringMatching(/jour/u) } },
      ]);
    const paid = await decide({ request_id, status: 'paid', paid_on: day(4) });
    expect(paid.body.data).toMatchObject({ status: 'paid', paid_at: expect.stringContaining(day(4)) });
    const { seen_version } = await asJustSeen(server.database, { request_id });
    const body = { action: 'return', request_id, seen_version, reason: 'Le compte est clos.', returned_on: day(3) };
    expect((await callAs(server, admin, 'payment-request', { ...body, returned_on: day(5) })).body.code).toBe(
      'payment_day_refused',
    );
    expect((await callAs(server, admin, 'payment-request', body)).body.data).toMatchObject({
      returned_at: expect.stringContaining(day(3)),
    });
  });

  test('[FX-10] without a reason, without what was seen, after the payment, or by anybody else nothing is annulled', async () => {
    const { client, request_id } = await aRequest();
    expect((await annul({ request_id, seen_version: 1, reason: 'Trop tôt' })).body.code).toBe('request_illegal_move');
    await decide({ request_id, status: 'approved' });
    expect(await annul({ request_id, seen_version: 2, reason: ' ' })).toMatchObject({
      status: 400,
      body: { error: 'Veuillez indiquer la raison de l’annulation' },
    });
    expect(await annul({ request_id, reason: 'IBAN clos' })).toMatchObject({ status: 428 });
    expect(await annul({ request_id, seen_version: 1, reason: 'IBAN clos' })).toMatchObject({
      status: 409,
      body: { code: 'request_changed' },
    });
    for (const who of [client, commercial])
      expect((await annul({ request_id, seen_version: 2, reason: 'x' }, who)).status).toBe(403);
    await decide({ request_id, status: 'paid' });
    expect((await annul({ request_id, seen_version: 3, reason: 'Trop tard' })).body.code).toBe('request_illegal_move');
    expect(await requestsOf(client)).toMatchObject([{ status: 'paid' }]);
  });

  test('threat 6: approving and refusing at once: one wins', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { client, request_id } = await aRequest();
      const replies = await Promise.all([
        decide({ request_id, status: 'approved' }),
        decide({ request_id, status: 'rejected', admin_notes: 'Non' }),
      ]);
      expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const [request] = await requestsOf(client);
      expect(await balanceOf(client)).toMatchObject({ reserved: request?.status === 'approved' ? '50.00' : '0.00' });
    }
  });

  test('[V-20] the same decision with the same key: same bytes', async () => {
    const { request_id } = await aRequest();
    const key = randomUUID();
    const seen = await asJustSeen(server.database, { request_id });
    const first = await decideSeen({ ...seen, status: 'approved' }, admin, key);
    expect(first.body.already).toBe(false);
    expect((await decideSeen({ ...seen, status: 'approved' }, admin, key)).body).toEqual(first.body);
    expect((await decideSeen({ ...seen, status: 'paid' }, admin, key)).status).toBe(422);
  });

  test('threat 17: a beneficiary who is gone is not paid, the entry stays', async () => {
    const { client, request_id } = await aRequest();
    await decide({ request_id, status: 'approved' });
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [client.id]);
    expect(await decide({ request_id, status: 'paid' })).toMatchObject({
      status: 409,
      body: { code: 'beneficiary_unavailable' },
    });
    expect(await requestsOf(client)).toMatchObject([{ status: 'approved' }]);
  });
});

describe('bank details', () => {
  test('[V-18] encrypted at rest, masked in lists, in clear for their owner and, on the detail, for the admin', async () => {
    const client = await anEarner();
    const created = await ask(client, { amount: 40, ...virement }, randomUUID());
    const request_id = created.body.data.id as string;
    expect(JSON.stringify(created.body)).not.toContain(IBAN);

    const rows = await server.database.asOwner<{ text: string }>(
      `select to_json(r)::text as text from public.payment_requests r where id = $1
       union all select encode(details_sealed, 'escape') from private.payment_secrets where request_id = $1
       union all select coalesce(body, '') from private.idempotency_keys
       union all select to_json(a)::text from public.audit_entries a where entity_id = $1`,
      [request_id],
    );
    for (const { text } of rows) expect(text).not.toContain('11234567890');
    expect(rows[0]?.text).toContain('FR76 •••• •••• 0189');

    const readings = async () =>
      only(
        await server.database.asOwner<{ count: number }>(
          `select count(*)::int as count from public.audit_entries where entity_id = $1 and action = 'read' and actor_id = $2`,
          [request_id, admin.id],
        ),
      ).count;
    const details = (who: Person) => callAs(server, who, 'payment-request', { action: 'details', request_id });
    expect((await details(client)).body.data.payment_details).toEqual({
      iban: IBAN,
      beneficiary_name: 'Clarisse Cliente',
    });
    expect(await readings()).toBe(0);
    expect((await details(admin)).body.data.payment_details.iban).toBe(IBAN);
    expect(await readings()).toBe(1);
    const stranger = await anEarner();
    expect(await details(stranger)).toMatchObject({ status: 404, body: { code: 'request_not_found' } });
    expect((await details(commercial)).status).toBe(403);
  });

  test('[P-07] [P-03] threat 24: the list is the token’s; another client named is refused', async () => {
    const owner = await anEarner();
    await ask(owner, { amount: 10, ...virement });
    const curious = await anEarner();
    expect((await list(curious)).body.data).toEqual([]);
    for (const named of [{ client_id: owner.id }, { clientId: owner.id }]) {
      const reply = await callAs(server, curious, 'payment-request', { action: 'list', ...named });
      expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(JSON.stringify(reply.body)).not.toContain(owner.id);
      const created = await callAs(server, curious, 'payment-request', {
        action: 'create',
        amount: 5,
        ...gift,
        ...named,
      });
      expect(created.status).toBe(403);
    }
    expect(
      (await callAs(server, owner, 'payment-request', { action: 'list', client_id: owner.id })).body.data,
    ).toHaveLength(1);
  });
});
