import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aSale,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, SaleDetails, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  server = await startTestServer();
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  client = await aClient(database, { commercial });
  scale = await aScale(database, { isDefault: true });
});
afterAll(() => server.close());

/** A decision on what is there, as a screen that was just read sends it. */
const decide = async (body: Record<string, unknown>, who = admin, key?: string): Promise<Reply> =>
  decideSeen(await asJustSeen(server.database, body), who, key);
const decideSeen = (body: Record<string, unknown>, who = admin, key?: string): Promise<Reply> =>
  callAs(server, who, 'sales-management', body, key === undefined ? {} : { key });
const update = (body: Record<string, unknown>, who = commercial): Promise<Reply> =>
  callAs(server, who, 'sales-management', { action: 'update_status', ...body });
const referral = (details: SaleDetails = {}) =>
  aSale(server.database, { commercial, friendReferrer: client, ...details });
const readySale = (contractAmount = '1234.56') => referral({ isReady: true, contractAmount, scale });

type SaleRow = Readonly<Record<string, unknown>> & { status: string; version: number };
const stored = async (id: string) =>
  only(await server.database.asOwner<SaleRow>('select * from public.sales where id = $1', [id]));
const paymentsOf = (id: string) =>
  server.database.asOwner<{ type: string; amount: string; recipient_id: string; status: string; paid_at: Date | null }>(
    'select type, amount, recipient_id, status, paid_at from public.commission_payments where sale_id = $1 order by type',
    [id],
  );
const auditCount = async (id: string, column: string) =>
  only(
    await server.database.asOwner<{ count: number }>(
      `select count(*)::int as count from public.audit_entries where entity_id = $1 and after ? $2`,
      [id, column],
    ),
  ).count;

describe('the commercial follows a referral', () => {
  test('[F-12] [S-02] [S-03] [FX-68] the six statuses, in every direction, and their recorded form', async () => {
    const sale = await referral();
    const details = { contract_amount: 1234.56, contract_description: 'Contrat annuel' };
    for (const [status, expected] of [
      ['in_negotiation', { status: 'in_negotiation', ready_for_validation: false }],
      ['pending', { status: 'pending', ready_for_validation: false }],
      ['pending_final_validation', { status: 'pending', ready_for_validation: true }],
      ['contacted', { status: 'contacted', ready_for_validation: false }],
      ['pending_validation', { status: 'pending', ready_for_validation: true }],
      ['rejected', { status: 'rejected', ready_for_validation: false }],
      ['contacted', { status: 'contacted', ready_for_validation: false }],
      ['validated', { status: 'validated', ready_for_validation: true, admin_validated: false }],
    ] as const) {
      const reply = await update({ sale_id: sale.id, status, ...details });
      expect(reply).toMatchObject({ status: 200, body: { success: true, message: 'Statut mis à jour avec succès' } });
      expect(await stored(sale.id)).toMatchObject(expected);
    }
    const frozen = await update({ sale_id: sale.id, status: 'pending' });
    expect(frozen).toMatchObject({
      status: 409,
      body: { error: 'Validé - Non modifiable', code: 'sale_not_editable' },
    });
  });

  test('[NV-09] a move is taken back by the version it made; too late is a French refusal', async () => {
    const sale = await referral();
    const undo = (body: Record<string, unknown>) =>
      callAs(server, commercial, 'sales-management', { action: 'undo_status', sale_id: sale.id, ...body });
    const { version } = (await update({ sale_id: sale.id, status: 'contacted' })).body.data as SaleRow;
    expect(await undo({ seen_version: 'x' })).toMatchObject({ status: 400 });
    expect(await undo({})).toMatchObject({ status: 409, body: { code: 'sale_move_final' } });
    expect(await undo({ seen_version: version })).toMatchObject({
      status: 200,
      body: { success: true, message: 'Mise à jour annulée', data: { status: 'pending', version: version + 1 } },
    });
    expect(await undo({ seen_version: version })).toMatchObject({
      status: 409,
      body: { error: 'Ce parrainage a changé entre-temps, ou il est trop tard : choisissez vous-même son statut.' },
    });
  });

  test('[CO-10] ready for validation, they see the commissions to come', async () => {
    const sale = await referral();
    const reply = await update({
      sale_id: sale.id,
      status: 'pending_final_validation',
      contract_amount: '1 234,56',
      contract_description: 'Contrat',
    });
    expect(reply.body.data).toMatchObject({ client_commission_amount: 123.46, commercial_commission_amount: 50 });
    expect(await paymentsOf(sale.id)).toEqual([]);
  });

  test('[V-09] amount and description go with these three statuses', async () => {
    const sale = await referral();
    for (const status of ['validated', 'pending_validation', 'pending_final_validation']) {
      for (const missing of [
        {},
        { contract_amount: 100 },
        { contract_description: 'Contrat' },
        { contract_amount: null, contract_description: 'x' },
        { contract_amount: 100, contract_description: '   ' },
      ]) {
        const reply = await update({ sale_id: sale.id, status, ...missing });
        expect(reply.status).toBe(400);
        expect(reply.body.error).toBe('Le montant et la description du contrat sont requis pour ce statut.');
      }
    }
    expect((await update({ sale_id: sale.id, status: 'contacted', commercial_notes: null })).status).toBe(200);
  });

  test('[F-12] a field that the call omits stays; one that it gives empty is taken back', async () => {
    const sale = await referral();
    const noted = { contract_amount: 100, contract_description: 'Contrat', commercial_notes: 'À rappeler' };
    await update({ sale_id: sale.id, status: 'contacted', ...noted });
    expect((await update({ sale_id: sale.id, status: 'in_negotiation' })).body.data).toMatchObject(noted);
    const emptied = { contract_amount: null, contract_description: '  ', commercial_notes: '' };
    expect((await update({ sale_id: sale.id, status: 'contacted', ...emptied })).body.data).toMatchObject({
      contract_amount: null,
      contract_description: null,
      commercial_notes: null,
    });
  });

  test('[V-10] no referral chosen, no status, an unknown status', async () => {
    for (const sale_id of [undefined, null, '', 'x', 3]) {
      const reply = await update({ sale_id, status: 'contacted' });
      expect(reply).toMatchObject({ status: 400, body: { error: 'Aucun parrainage sélectionné' } });
    }
    const sale = await referral();
    for (const status of [undefined, '', 'admin_validated', 'paid']) {
      expect((await update({ sale_id: sale.id, status })).status).toBe(400);
    }
  });

  test('[V-17] threat 10: an amount is a decimal with at most two digits after the comma, or nothing', async () => {
    const sale = await referral();
    const before = await stored(sale.id);
    for (const contract_amount of [0, -5, 0.001, '1e3', '12,345', 'NaN', 1e308, 99_999_999_999, [], {}, true]) {
      const reply = await update({ sale_id: sale.id, status: 'validated', contract_amount, contract_description: 'x' });
      expect({ contract_amount, status: reply.status }).toEqual({ contract_amount, status: 400 });
      expect(typeof reply.body.error).toBe('string');
    }
    expect(await stored(sale.id)).toEqual(before);
  });

  test('[P-02] threat 25: another’s referral does not exist for them', async () => {
    const other = await aSale(server.database);
    const reply = await update({ sale_id: other.id, status: 'contacted' });
    const absent = await update({ sale_id: randomUUID(), status: 'contacted' });
    expect(reply).toMatchObject({ status: 404, body: { code: 'sale_not_found' } });
    expect(reply.body).toEqual(absent.body);
  });
});

describe('after a call, the move and what follows from it are one save', () => {
  const day = '2099-11-30';
  const followUpOf = async (id: string) =>
    (
      await server.database.asOwner<{ private_note: string | null; call_back_on: string | null }>(
        'select private_note, call_back_on::text from public.follow_ups where sale_id = $1',
        [id],
      )
    )[0];

  test('[UI-06] status, day to call back and private note are written together; what is left out stays', async () => {
    const sale = await referral();
    const reply = await update({
      sale_id: sale.id,
      status: 'contacted',
      commercial_notes: 'Intéressé',
      private_note: 'Après 18 h',
      call_back_on: day,
    });
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { status: 'contacted', commercial_notes: 'Intéressé' } },
    });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'Après 18 h', call_back_on: day });
    await update({ sale_id: sale.id, status: 'in_negotiation' });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'Après 18 h', call_back_on: day });
    await update({ sale_id: sale.id, status: 'in_negotiation', private_note: 'Devis envoyé' });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'Devis envoyé', call_back_on: day });
    await update({ sale_id: sale.id, status: 'in_negotiation', call_back_on: null });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'Devis envoyé', call_back_on: null });
    expect((await update({ sale_id: sale.id, status: 'rejected', private_note: '' })).status).toBe(200);
    expect(await followUpOf(sale.id)).toBeUndefined();
  });

  test('[UI-06] both or nothing: a refused day leaves the status, a refused status leaves the day', async () => {
    const sale = await referral();
    expect(await update({ sale_id: sale.id, status: 'contacted', call_back_on: '2020-01-01' })).toMatchObject({
      status: 400,
      body: {
        code: 'call_back_is_past',
        error: 'Choisissez aujourd’hui ou une date à venir.',
        issues: [{ path: ['call_back_on'], message: 'Choisissez aujourd’hui ou une date à venir.' }],
      },
    });
    expect(await update({ sale_id: sale.id, status: 'rejected', call_back_on: day })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['call_back_on'], message: 'Seul un parrainage encore à suivre se relance.' }] },
    });
    expect(await stored(sale.id)).toMatchObject({ status: 'pending', version: 1 });
    expect(await followUpOf(sale.id)).toBeUndefined();
    const signed = await referral({ isReady: true, contractAmount: '100.00', scale, status: 'validated' });
    const late = await update({ sale_id: signed.id, status: 'contacted', call_back_on: day });
    expect(late).toMatchObject({ status: 409, body: { code: 'sale_not_editable' } });
    expect(await followUpOf(signed.id)).toBeUndefined();
  });

  test('[UI-06] [DF-34] what changed meanwhile in either of them is told, and neither is written', async () => {
    const sale = await referral();
    await callAs(server, commercial, 'sales-management', {
      action: 'follow_up',
      sale_id: sale.id,
      private_note: 'D’un autre onglet',
    });
    const sent = { sale_id: sale.id, status: 'contacted', private_note: 'Du mien', call_back_on: day };
    const seen = { status: 'pending', private_note: '', call_back_on: '' };
    expect(await update({ ...sent, seen })).toMatchObject({
      status: 409,
      body: { code: 'changed_meanwhile', issues: [{ path: ['private_note'], current: 'D’un autre onglet' }] },
    });
    expect(await stored(sale.id)).toMatchObject({ status: 'pending', version: 1 });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'D’un autre onglet', call_back_on: null });
    const kept = await update({
      sale_id: sale.id,
      status: 'contacted',
      call_back_on: day,
      seen: { ...seen, private_note: undefined },
    });
    expect(kept.status).toBe(200);
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'D’un autre onglet', call_back_on: day });
    expect(await update({ sale_id: sale.id, status: 'in_negotiation', seen: { status: 'pending' } })).toMatchObject({
      status: 409,
      body: { issues: [{ path: ['status'], current: 'contacted' }] },
    });
  });

  test('[UI-06] another commercial’s referral takes neither', async () => {
    const sale = await referral();
    const other = await aCommercial(server.database);
    const sent = { sale_id: sale.id, status: 'contacted', private_note: 'x', call_back_on: day };
    for (const seen of [undefined, { status: 'pending', call_back_on: '' }]) {
      expect(await update({ ...sent, seen }, other)).toMatchObject({ body: { code: 'sale_not_found' } });
    }
    expect(await stored(sale.id)).toMatchObject({ status: 'pending', version: 1 });
    expect(await followUpOf(sale.id)).toBeUndefined();
  });

  test('[UI-06] [NV-09] taken back, all that the save wrote is as it was: the status, the notes, the day, the private note', async () => {
    const sale = await referral();
    const save = async (body: Record<string, unknown>) =>
      ((await update({ sale_id: sale.id, ...body })).body.data as SaleRow).version;
    const undo = (version: unknown) =>
      callAs(server, commercial, 'sales-management', {
        action: 'undo_status',
        sale_id: sale.id,
        seen_version: version,
      });
    const noted = { private_note: 'Répondeur', call_back_on: day };
    // Nothing was noted before, then something, then it is emptied, then closed: each is taken back to what it was.
    const first = await save({ status: 'contacted', commercial_notes: 'Vu', ...noted });
    expect((await undo(first)).status).toBe(200);
    expect(await stored(sale.id)).toMatchObject({ status: 'pending', commercial_notes: null });
    expect(await followUpOf(sale.id)).toBeUndefined();
    await save({ status: 'contacted', ...noted });
    for (const next of [
      { status: 'in_negotiation', private_note: 'Devis envoyé', call_back_on: '2099-12-24' },
      { status: 'in_negotiation', private_note: '', call_back_on: '' },
      { status: 'in_negotiation' },
      { status: 'rejected' },
      { status: 'rejected', private_note: '' },
    ]) {
      expect((await undo(await save(next))).status).toBe(200);
      expect(await stored(sale.id)).toMatchObject({ status: 'contacted' });
      expect(await followUpOf(sale.id)).toEqual(noted);
    }
    // A day that has come is given back too.
    await server.database.asOwner(
      'update public.follow_ups set call_back_on = private.today() - 2, reminded_on = private.today() - 2 where sale_id = $1',
      [sale.id],
    );
    const due = await followUpOf(sale.id);
    expect((await undo(await save({ status: 'in_negotiation', call_back_on: day }))).status).toBe(200);
    expect(await followUpOf(sale.id)).toEqual(due);
  });

  test('[UI-06] [NV-09] what was noted after the save stays when the save is taken back', async () => {
    const sale = await referral();
    const { version } = (await update({ sale_id: sale.id, status: 'contacted', private_note: 'Répondeur' })).body
      .data as SaleRow;
    const call = (body: Record<string, unknown>) =>
      callAs(server, commercial, 'sales-management', { sale_id: sale.id, ...body });
    await call({ action: 'follow_up', private_note: 'A rappelé lui-même' });
    expect((await call({ action: 'undo_status', seen_version: version })).status).toBe(200);
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'A rappelé lui-même', call_back_on: null });
  });

  test('[UI-06] decided, a referral has no day to call back any more, nor once it is opened again', async () => {
    const contract = { contract_amount: 100, contract_description: 'Contrat' };
    for (const closing of [{ status: 'rejected' }, { status: 'pending_validation', ...contract }]) {
      const sale = await referral();
      await update({ sale_id: sale.id, status: 'contacted', private_note: 'Répondeur', call_back_on: day });
      expect((await update({ sale_id: sale.id, ...closing, private_note: 'Non' })).status).toBe(200);
      expect(await followUpOf(sale.id)).toEqual({ private_note: 'Non', call_back_on: null });
      await update({ sale_id: sale.id, status: 'contacted' });
      expect(await followUpOf(sale.id)).toEqual({ private_note: 'Non', call_back_on: null });
      await update({ sale_id: sale.id, status: 'rejected' });
      // One from before, and one of the very save that opens it again.
      await server.database.asOwner(
        `update public.follow_ups set call_back_on = '2099-01-01', updated_at = now() - interval '1 minute' where sale_id = $1`,
        [sale.id],
      );
      await update({ sale_id: sale.id, status: 'contacted' });
      expect(await followUpOf(sale.id)).toEqual({ private_note: 'Non', call_back_on: null });
      await update({ sale_id: sale.id, status: 'rejected' });
      await update({ sale_id: sale.id, status: 'contacted', call_back_on: day });
      expect(await followUpOf(sale.id)).toEqual({ private_note: 'Non', call_back_on: day });
    }
  });

  test('[UI-06] nobody answered: the status stays, and the note and the day are one save', async () => {
    const sale = await referral();
    const seen = { private_note: '', call_back_on: '' };
    expect(await update({ sale_id: sale.id, private_note: 'Messagerie', call_back_on: day, seen })).toMatchObject({
      status: 200,
      body: { data: { status: 'pending' } },
    });
    expect(await followUpOf(sale.id)).toEqual({ private_note: 'Messagerie', call_back_on: day });
  });
});

describe('the admin decides', () => {
  test('[F-16] [S-04] [M-03] validating makes everything at once: the sale, the paid commissions, their balances', async () => {
    const sale = await readySale();
    const reply = await decide({
      action: 'validate',
      sale_id: sale.id,
      commission_rate_id: scale.id,
      seen_version: sale.version,
      expected_contract_amount: 1234.56,
      expected_client_commission_amount: '123.46',
      expected_commercial_commission_amount: 50,
    });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        success: true,
        already: false,
        message: 'Les commissions ont été créées et sont maintenant disponibles',
        data: { status: 'validated', admin_validated: true, validated_by: admin.id, client_commission_amount: 123.46 },
      },
    });
    const payments = await paymentsOf(sale.id);
    expect(payments).toMatchObject([
      { type: 'client', amount: '123.46', recipient_id: client.id, status: 'paid' },
      { type: 'commercial', amount: '50.00', recipient_id: commercial.id, status: 'paid' },
    ]);
    expect(payments.every((payment) => payment.paid_at !== null)).toBe(true);
    expect((await stored(sale.id))['validated_at']).not.toBeNull();
  });

  test('[V-04] refusing asks for a reason, which everybody reads', async () => {
    const sale = await readySale();
    for (const reason of [undefined, '', '   ', null]) {
      const reply = await decide({ action: 'reject', sale_id: sale.id, reason });
      expect(reply).toMatchObject({ status: 400, body: { error: 'Veuillez indiquer la raison du refus' } });
    }
    const reply = await decide({ action: 'reject', sale_id: sale.id, reason: ' Dossier incomplet ' });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        message: 'Aucune commission ne sera créée',
        data: { status: 'rejected', rejection_reason: 'Dossier incomplet', admin_validated: false },
      },
    });
    expect(await paymentsOf(sale.id)).toEqual([]);
    expect((await decide({ action: 'validate', sale_id: sale.id })).body.code).toBe('sale_already_decided');
  });

  test('[V-04] an action is required', async () => {
    const sale = await readySale();
    expect((await decide({ sale_id: sale.id })).status).toBe(400);
  });

  test('[S-06] a sale that awaits no validation cannot be decided on', async () => {
    const sale = await referral({ status: 'contacted' });
    for (const action of ['validate', 'reject']) {
      expect(await decide({ action, sale_id: sale.id, reason: 'x' })).toMatchObject({
        status: 409,
        body: { code: 'sale_not_ready' },
      });
    }
  });

  test('[S-13] W21: an admin who is the sale’s referrer does not validate it', async () => {
    const sale = await aSale(server.database, { commercial, friendReferrer: admin, isReady: true, scale });
    const reply = await decide({ action: 'validate', sale_id: sale.id });
    expect(reply).toMatchObject({ status: 403, body: { code: 'self_validation' } });
    expect(await paymentsOf(sale.id)).toEqual([]);
    const other = await decide({ action: 'validate', sale_id: sale.id }, await anAdmin(server.database));
    expect(other.status).toBe(200);
  });

  test('[M-02] threat 16: without a referrer, only the commercial gets a commission', async () => {
    const sale = await aSale(server.database, { commercial, friendReferrer: null, isReady: true, scale });
    expect((await decide({ action: 'validate', sale_id: sale.id })).status).toBe(200);
    expect(await paymentsOf(sale.id)).toMatchObject([{ type: 'commercial', recipient_id: commercial.id }]);
  });

  test('[S-12] the sale keeps the scale as it was: a later change does not touch it', async () => {
    const own = await aScale(server.database, { clientAmount: '12.5', commercialAmount: '20' });
    const sale = await readySale('200.00');
    expect(
      (await decide({ action: 'validate', sale_id: sale.id, commission_rate_id: own.id })).body.data
        .client_commission_amount,
    ).toBe(25);
    await callAs(server, admin, 'commission-management?action=create_commission_rate', {
      name: 'Nouvelle version',
      description: null,
      client_commission_type: 'percentage',
      client_commission_amount: 1,
      commercial_commission_type: 'fixed',
      commercial_commission_amount: 1,
      replaces_id: own.id,
    });
    expect(await stored(sale.id)).toMatchObject({ client_commission_rate: '12.50', client_commission_amount: '25.00' });
    const archived = await decide({ action: 'validate', sale_id: (await readySale()).id, commission_rate_id: own.id });
    expect(archived).toMatchObject({ status: 409, body: { code: 'scale_archived' } });
  });

  test('[FX-62] threat 11: a contract of 30 € can be validated, with 10 % and a fixed 50 €', async () => {
    const sale = await readySale('30.00');
    expect(await decide({ action: 'validate', sale_id: sale.id })).toMatchObject({
      status: 200,
      body: { data: { client_commission_amount: 3, commercial_commission_amount: 50 } },
    });
  });

  test('[FX-11] validating, refusing and cancelling say what was seen; after a raise from 100 € nobody pays on 9 999 999,99 €', async () => {
    const sale = await readySale('100.00');
    const seen = await asJustSeen(server.database, { action: 'validate', sale_id: sale.id });
    for (const field of Object.keys(seen).filter((name) => !['action', 'sale_id'].includes(name))) {
      expect(await decideSeen({ ...seen, [field]: undefined })).toMatchObject({
        status: 428,
        body: { code: 'seen_required', error: expect.stringContaining('Relisez la vente') },
      });
    }
    await update({
      sale_id: sale.id,
      status: 'pending_final_validation',
      contract_amount: 9_999_999.99,
      contract_description: 'Relevé',
    });
    for (const decision of [seen, { ...seen, action: 'reject', reason: 'Non' }])
      expect(await decideSeen(decision)).toMatchObject({ status: 409, body: { code: 'sale_changed' } });
    expect((await decideSeen({ action: 'reject', sale_id: sale.id, reason: 'Non' })).body.code).toBe('seen_required');
    expect(await paymentsOf(sale.id)).toEqual([]);

    const validated = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale });
    const cancelled = await asJustSeen(server.database, {
      action: 'cancel_validation',
      sale_id: validated.id,
      reason: 'Erreur',
    });
    for (const field of [
      'seen_version',
      'expected_client_commission_amount',
      'expected_commercial_commission_amount',
    ]) {
      expect((await decideSeen({ ...cancelled, [field]: null })).body.code).toBe('seen_required');
      expect((await decideSeen({ ...cancelled, [field]: 1 })).body.code).toBe('sale_changed');
    }
    expect((await decideSeen(cancelled)).status).toBe(200);
  });

  test('[S-11] cancelling a validation writes its opposite, once, with its reason', async () => {
    const sale = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale });
    expect((await decide({ action: 'cancel_validation', sale_id: sale.id })).status).toBe(400);
    const before = await stored(sale.id);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        decide({ action: 'cancel_validation', sale_id: sale.id, reason: 'Rétractation' }),
      ),
    );
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200]);
    expect(replies.filter((reply) => reply.body.already === false)).toHaveLength(1);
    const correction = replies[0]?.body.data;
    expect(correction).toMatchObject({
      corrects_sale_id: sale.id,
      contract_amount: -1234.56,
      correction_reason: 'Rétractation',
    });
    expect(await paymentsOf(correction.id)).toMatchObject([
      { type: 'client', amount: '-123.46' },
      { type: 'commercial', amount: '-50.00' },
    ]);
    expect(await stored(sale.id)).toEqual(before);
    const again = {
      action: 'cancel_validation',
      sale_id: correction.id,
      reason: 'x',
      expected_contract_amount: 1234.56,
      expected_client_commission_amount: 123.46,
      expected_commercial_commission_amount: 50,
    };
    expect((await decide(again)).body.code).toBe('sale_not_cancellable');
  });
});

test('[LG-04] a contract is reduced to what is left of it, with a reason; both payees are told what goes back', async () => {
  const sale = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale });
  const reduction = {
    action: 'cancel_validation',
    sale_id: sale.id,
    seen_version: sale.version,
    contract_left: '1000,00',
    expected_contract_amount: '1234.56',
    expected_client_commission_amount: '23.46',
    expected_commercial_commission_amount: '0.00',
    reason: 'Contrat raccourci',
  };
  expect((await decideSeen({ ...reduction, expected_contract_amount: null })).body.code).toBe('seen_required');
  expect((await decideSeen({ ...reduction, contract_left: '2000' })).body).toMatchObject({
    code: 'corrected_amount_out_of_range',
    error:
      'Le nouveau montant du contrat doit être supérieur à zéro et inférieur à 1\u202f234,56\u00a0€, ce qu’il en reste.',
  });
  const { body } = await decideSeen(reduction);
  expect(body.data).toMatchObject({
    contract_amount: -234.56,
    contract_left: 1000,
    correction_reason: 'Contrat raccourci',
  });
  expect(await paymentsOf(body.data.id)).toMatchObject([
    { type: 'client', amount: '-23.46' },
    { type: 'commercial', amount: '0.00' },
  ]);
  expect(
    await server.database.asOwner(
      'select kind from public.notices where sale_id = $1 and recipient_id = any ($2) order by kind',
      [body.data.id, [client.id, commercial.id]],
    ),
  ).toEqual([{ kind: 'contract_annulled' }, { kind: 'contract_annulled' }]);
});

test('[UI-11] a validated contract gets another amount, once; it is told to both payees, and the answer says what is refused', async () => {
  const sale = await aValidatedSale(server.database, { commercial, friendReferrer: client, scale });
  const correction = {
    action: 'correct_contract',
    sale_id: sale.id,
    seen_version: sale.version,
    seen_corrections: 0,
    expected_contract_amount: '1234.56',
    contract_left: '1 500,00',
    expected_client_commission_amount: '150.00',
    expected_commercial_commission_amount: '50.00',
    reason: 'Avenant',
  };
  expect((await decideSeen(correction, commercial)).status).toBe(403);
  expect((await decideSeen({ ...correction, seen_corrections: null })).body.code).toBe('seen_required');
  expect((await decideSeen({ ...correction, contract_left: '1234.56' })).body).toMatchObject({
    code: 'corrected_amount_invalid',
    error:
      'Le nouveau montant du contrat doit être supérieur à zéro et différent de 1\u202f234,56\u00a0€, son montant actuel.',
  });
  expect((await decideSeen({ ...correction, expected_client_commission_amount: '150.01' })).body.code).toBe(
    'sale_changed',
  );
  const replies = await Promise.all(Array.from({ length: 4 }, () => decideSeen(correction)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(replies.filter(({ body }) => body.already === false)).toHaveLength(1);
  const { data } = replies[0]?.body ?? {};
  expect(data).toMatchObject({ contract_amount: 265.44, contract_left: 1500, correction_reason: 'Avenant' });
  expect(await paymentsOf(data.id)).toMatchObject([
    { type: 'client', amount: '26.54' },
    { type: 'commercial', amount: '0.00' },
  ]);
  expect(
    await server.database.asOwner('select kind from public.notices where sale_id = $1 and recipient_id = any ($2)', [
      data.id,
      [client.id, commercial.id],
    ]),
  ).toEqual([{ kind: 'contract_annulled' }, { kind: 'contract_annulled' }]);
});

test('[UI-11] a contract that waits is given back with what to correct; its commercial corrects it and sends it again', async () => {
  const sale = await readySale();
  const asked = {
    action: 'ask_correction',
    sale_id: sale.id,
    seen_version: sale.version,
    reason: 'Montant hors taxes',
  };
  expect((await decideSeen({ ...asked, reason: ' ' })).body).toMatchObject({
    code: 'correction_message_required',
    error: 'Veuillez indiquer ce qui est à corriger',
  });
  expect((await decideSeen(asked, commercial)).status).toBe(403);
  const replies = await Promise.all(Array.from({ length: 3 }, () => decideSeen(asked)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replies.filter(({ body }) => body.already === false)).toHaveLength(1);
  expect(replies[0]?.body).toMatchObject({
    message: 'Le contrat revient à son commercial, qui est prévenu',
    data: { status: 'in_negotiation', ready_for_validation: false, contract_amount: 1234.56, rejection_reason: null },
  });
  expect((await decide({ action: 'validate', sale_id: sale.id })).body.code).toBe('sale_not_ready');
  const sent = { status: 'pending_final_validation', contract_amount: 1481.47, contract_description: 'Hors taxes' };
  expect((await update({ sale_id: sale.id, ...sent })).status).toBe(200);
  expect((await decide({ action: 'validate', sale_id: sale.id })).status).toBe(200);
});

describe('several at once', () => {
  test('threat 3: twenty validations of one sale make one set of commissions', async () => {
    const sale = await readySale();
    const admins = await Promise.all([anAdmin(server.database), anAdmin(server.database)]);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => decide({ action: 'validate', sale_id: sale.id }, admins[index % 2])),
    );
    expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(replies.filter((reply) => reply.body.already === false)).toHaveLength(1);
    expect(await paymentsOf(sale.id)).toHaveLength(2);
    expect(await auditCount(sale.id, 'validated_by')).toBe(1);
  });

  test('threat 3: an admin who wanted another scale learns that the decision is taken', async () => {
    const sale = await readySale();
    const other = await aScale(server.database, { clientAmount: '5' });
    const first = await decide({ action: 'validate', sale_id: sale.id, commission_rate_id: scale.id });
    expect(first.status).toBe(200);
    const late = await decide({ action: 'validate', sale_id: sale.id, commission_rate_id: other.id });
    expect(late).toMatchObject({ status: 409, body: { code: 'sale_already_decided' } });
    const same = await decide({
      action: 'validate',
      sale_id: sale.id,
      commission_rate_id: scale.id,
      seen_version: sale.version,
      expected_client_commission_amount: '123.46',
    });
    expect(same).toMatchObject({ status: 200, body: { already: true } });
  });

  test('threat 4: validating and refusing at once, one wins, the other reads 409', async () => {
    for (let round = 0; round < 8; round += 1) {
      const sale = await readySale();
      const [validated, refused] = await Promise.all([
        decide({ action: 'validate', sale_id: sale.id }),
        decide({ action: 'reject', sale_id: sale.id, reason: 'Non' }),
      ]);
      expect([validated.status, refused.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
      const loser = validated.status === 409 ? validated : refused;
      expect(loser.body.code).toBe('sale_already_decided');
      expect(await paymentsOf(sale.id)).toHaveLength(validated.status === 200 ? 2 : 0);
    }
  });

  test('[AD-12] threat 5: the validated sale is the one that was seen, even if the commercial changes the amount at that instant', async () => {
    for (let round = 0; round < 8; round += 1) {
      const sale = await readySale('1000.00');
      const [validated] = await Promise.all([
        decide({
          action: 'validate',
          sale_id: sale.id,
          seen_version: sale.version,
          expected_contract_amount: '1000.00',
          expected_client_commission_amount: '100.00',
        }),
        update({
          sale_id: sale.id,
          status: 'pending_validation',
          contract_amount: 5000,
          contract_description: 'Plus cher',
        }),
      ]);
      const payments = await paymentsOf(sale.id);
      if (validated.status === 200) expect(payments[0]).toMatchObject({ amount: '100.00' });
      else {
        expect(validated).toMatchObject({ status: 409, body: { code: 'sale_changed' } });
        expect(payments).toEqual([]);
      }
    }
    const sale = await readySale('1000.00');
    await update({
      sale_id: sale.id,
      status: 'pending_validation',
      contract_amount: 5000,
      contract_description: 'Plus cher',
    });
    const late = await decide({ action: 'validate', sale_id: sale.id, seen_version: sale.version });
    expect(late).toMatchObject({ status: 409, body: { code: 'sale_changed' } });
  });

  test('threat 20: the scale replaced during the validation: one version, never a mixture', async () => {
    const own = await aScale(server.database, { clientAmount: '10', commercialAmount: '50' });
    const sale = await readySale('1000.00');
    const [validated] = await Promise.all([
      decide({ action: 'validate', sale_id: sale.id, commission_rate_id: own.id }),
      callAs(server, admin, 'commission-management?action=create_commission_rate', {
        name: 'Après',
        client_commission_type: 'percentage',
        client_commission_amount: 20,
        commercial_commission_type: 'fixed',
        commercial_commission_amount: 80,
        replaces_id: own.id,
      }),
    ]);
    if (validated.status === 200) {
      expect(validated.body.data).toMatchObject({ client_commission_amount: 100, commercial_commission_amount: 50 });
    } else expect(validated.body.code).toBe('scale_archived');
  });

  test('[V-20] the same key: one effect, the same answer byte for byte; another body: 422', async () => {
    const sale = await readySale();
    const key = randomUUID();
    const body = await asJustSeen(server.database, { action: 'validate', sale_id: sale.id });
    const send = async () => {
      const reply = await server.fetch(
        '/functions/v1/sales-management',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(body),
        },
        admin,
      );
      return { status: reply.status, text: await reply.text() };
    };
    const replies = await Promise.all(Array.from({ length: 10 }, send));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies[0]).toMatchObject({ status: 200 });
    expect(await send()).toEqual(replies[0]);
    expect(JSON.parse(replies[0]?.text ?? '')).toMatchObject({ already: false });
    const other = await decide({ action: 'reject', sale_id: sale.id, reason: 'x' }, admin, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    // The key belongs to its owner.
    const elsewhere = await decide(body, await anAdmin(server.database), key);
    expect(elsewhere).toMatchObject({ status: 200, body: { already: true } });
  });

  test('[V-20] an unreadable key is refused; a refusal is not kept', async () => {
    const sale = await referral({ status: 'contacted' });
    for (const key of ['x'.repeat(201), 'clé']) {
      const reply = await server.fetch(
        '/functions/v1/sales-management',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': Buffer.from(key).toString('latin1') },
          body: JSON.stringify(await asJustSeen(server.database, { action: 'validate', sale_id: sale.id })),
        },
        admin,
      );
      expect(reply.status).toBe(400);
    }
    const key = randomUUID();
    const body = { action: 'validate', sale_id: sale.id };
    expect((await decide(body, admin, key)).body.code).toBe('sale_not_ready');
    await update({ sale_id: sale.id, status: 'pending_validation', contract_amount: 500, contract_description: 'x' });
    expect((await decide(body, admin, key)).status).toBe(200);
  });
});
