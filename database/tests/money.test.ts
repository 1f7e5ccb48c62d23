import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race, requestPayment } from './world.ts';

let db: TestDatabase;
let admin: Person;
let scale: { id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  scale = await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

const validate = (who: Person, saleId: string, scaleId: string | null = null) =>
  db.become(who, (run) => run<{ already: boolean }>(asSeen.validate, [saleId, scaleId]));
/** Values on screen: version, contract, commission of the client, of the commercial. */
type Seen = readonly [number | null, string | null, string | null, string | null];
const validateSeen = (who: Person, saleId: string, seen: Seen, scaleId: string | null = null) =>
  db.become(who, (run) =>
    run<{ already: boolean }>(`select already from private.validate_sale($1, $2, $3, $4, $5, $6)`, [
      saleId,
      scaleId,
      ...seen,
    ]),
  );
const refuse = (who: Person, saleId: string, reason: string | null) =>
  db.become(who, (run) => run(asSeen.refuse, [saleId, reason]));
const move = (
  who: Person,
  saleId: string,
  status: string,
  amount: string | null = null,
  description: string | null = null,
) =>
  db.become(who, (run) =>
    run(`select private.update_sale_status($1, $2, $3, $4, null)`, [saleId, status, amount, description]),
  );
const decide = (who: Person, requestId: string, status: string, notes: string | null = null) =>
  db.become(who, (run) =>
    status === 'pending'
      ? run<{ already: boolean }>(asSeen.annulApproval, [requestId, notes])
      : run<{ already: boolean }>(asSeen.decide, [requestId, status, notes]),
  );
/** The same decision on what was on screen before. */
const decideSeen = (requestId: string, status: string, version: number, amount: string) =>
  db.become(admin, (run) =>
    status === 'pending'
      ? run<{ already: boolean }>(`select already from private.annul_approval($1, 'Motif', $2)`, [requestId, version])
      : run<{ already: boolean }>(`select already from private.decide_payment_request($1, $2, 'Motif', null, $3, $4)`, [
          requestId,
          status,
          version,
          amount,
        ]),
  );
const cancel = (who: Person, saleId: string, reason: string | null) =>
  db.become(who, (run) => run(asSeen.cancel, [saleId, reason]));
const saleRow = async (id: string) =>
  only(await db.asOwner<Record<string, unknown>>('select * from public.sales where id = $1', [id]));
const balance = async (id: string) =>
  only(
    await db.asOwner<Record<string, string>>(
      'select earned, reversed, reserved, paid from public.balances where profile_id = $1',
      [id],
    ),
  );
const audits = (entity: string, id: string) =>
  db.asOwner<Record<string, unknown>>(
    'select * from public.audit_entries where entity = $1 and entity_id = $2 order by id',
    [entity, id],
  );

async function aClientWith(amount: string) {
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, contractAmount: amount, scale, admin });
  return client;
}

describe('validating', () => {
  test('[S-04, M-01, M-02, M-03] a validation writes the sale, the amounts and the commissions at once', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    const sale = await aSale(db, { commercial, friendReferrer: client, isReady: true, contractAmount: '1234.56' });
    await validate(admin, sale.id);
    expect(await saleRow(sale.id)).toMatchObject({
      status: 'validated',
      admin_validated: true,
      validated_by: admin.id,
      client_commission_amount: '123.46',
      commercial_commission_amount: '50.00',
      commission_rate: scale.id,
      client_commission_type: 'percentage',
    });
    const payments = await db.asOwner(
      'select recipient_id, type, amount, status, paid_at is not null as dated, uuid_extract_version(id) as id_version from public.commission_payments where sale_id = $1 order by type',
      [sale.id],
    );
    expect(payments).toEqual([
      { recipient_id: client.id, type: 'client', amount: '123.46', status: 'paid', dated: true, id_version: 7 },
      { recipient_id: commercial.id, type: 'commercial', amount: '50.00', status: 'paid', dated: true, id_version: 7 },
    ]);
  });

  test('[M-02] without a friend who referred, the commission goes to the client who did', async () => {
    const clientReferrer = await aClient(db);
    const sale = await aSale(db, { friendReferrer: null, clientReferrer, isReady: true });
    await validate(admin, sale.id);
    expect(await balance(clientReferrer.id)).toMatchObject({ earned: '123.46' });
  });

  test('[M-02] without any referrer only the commercial is paid', async () => {
    const sale = await aSale(db, { friendReferrer: null, isReady: true });
    await validate(admin, sale.id);
    const payments = await db.asOwner('select type from public.commission_payments where sale_id = $1', [sale.id]);
    expect(payments).toEqual([{ type: 'commercial' }]);
    expect(await saleRow(sale.id)).toMatchObject({ client_commission_amount: '0.00' });
  });

  test('[F-16] 20 validations at once: one set of commissions, and each is told of success', async () => {
    const sale = await aSale(db, { isReady: true });
    const admins = [admin, await anAdmin(db)];
    const count = await race(Array.from({ length: 20 }, (_, i) => () => validate(admins[i % 2] as Person, sale.id)));
    expect(count).toEqual({ ok: 20 });
    const [{ n } = { n: 0 }] = await db.asOwner<{ n: number }>(
      'select count(*)::int as n from public.commission_payments where sale_id = $1',
      [sale.id],
    );
    expect(n).toBe(2);
    const entries = await audits('sales', sale.id);
    expect(
      entries.filter((entry) => (entry['after'] as Record<string, unknown>)['admin_validated'] === true),
    ).toHaveLength(1);
  });

  test('[F-16] validating and refusing at the same instant: one wins, the other is told', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sale = await aSale(db, { isReady: true });
      const count = await race([() => validate(admin, sale.id), () => refuse(admin, sale.id, 'Pièce manquante')]);
      expect(count).toEqual({ ok: 1, sale_already_decided: 1 });
    }
  });

  test('[AD-12] one validates what one saw: if the sale has changed, the admin is told and nothing is written', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial, isReady: true, contractAmount: '1000.00' });
    await move(commercial, sale.id, 'pending_final_validation', '2000.00', 'Contrat revu');
    for (const seen of [
      [1, '2000.00', '200.00', '50.00'],
      [2, '1000.00', '200.00', '50.00'],
      [2, '2000.00', '100.00', '50.00'],
      [2, '2000.00', '200.00', '49.99'],
    ] as const)
      expect(await outcome(validateSeen(admin, sale.id, seen))).toBe('sale_changed');
    expect(await saleRow(sale.id)).toMatchObject({ admin_validated: false });
    expect(await outcome(validateSeen(admin, sale.id, [2, '2000.00', '200.00', '50.00'], scale.id))).toBe('ok');
  });

  test('[AD-12] validating while the commercial changes the amount: never an amount that the admin did not see', async () => {
    for (let round = 0; round < 10; round += 1) {
      const commercial = await aCommercial(db);
      const sale = await aSale(db, { commercial, isReady: true, contractAmount: '1000.00' });
      await race([
        () => validateSeen(admin, sale.id, [1, '1000.00', '100.00', '50.00']),
        () => move(commercial, sale.id, 'pending_final_validation', '9000.00', 'Gonflé'),
      ]);
      const row = await saleRow(sale.id);
      expect(row['admin_validated'] ? row['contract_amount'] : 'not validated').toBe(
        row['admin_validated'] ? '1000.00' : 'not validated',
      );
    }
  });

  test('[S-06] what does not wait for validation is not validated', async () => {
    for (const status of ['pending', 'contacted', 'in_negotiation'] as const) {
      const sale = await aSale(db, { status, contractAmount: '500.00' });
      expect(await outcome(validate(admin, sale.id))).toBe('sale_not_ready');
    }
    const rejected = await aSale(db, { status: 'rejected' });
    expect(await outcome(validate(admin, rejected.id))).toBe('sale_already_decided');
  });

  test('[S-13] an admin who referred the sale cannot validate it', async () => {
    const sale = await aSale(db, { isReady: true });
    await db.asOwner(
      `insert into public.sales (referred_contact_name, contract_amount, contract_description, commercial_id, friend_referrer_id, ready_for_validation)
      select 'X', 100, 'd', commercial_id, $2, true from public.sales where id = $1`,
      [sale.id, admin.id],
    );
    const own = only(
      await db.asOwner<{ id: string }>('select id from public.sales where friend_referrer_id = $1', [admin.id]),
    );
    expect(await outcome(validate(admin, own.id))).toBe('self_validation');
    expect(await outcome(validate(await anAdmin(db), own.id))).toBe('ok');
  });

  test('[FX-62] a contract smaller than its commissions is validated, and corrected, like any other', async () => {
    const client = await aClient(db);
    const sale = await aSale(db, { friendReferrer: client, isReady: true, contractAmount: '30.00' });
    expect(await outcome(validate(admin, sale.id))).toBe('ok');
    expect(await saleRow(sale.id)).toMatchObject({
      client_commission_amount: '3.00',
      commercial_commission_amount: '50.00',
    });
    expect(await outcome(cancel(admin, sale.id, 'Erreur'))).toBe('ok');
    expect(await balance(client.id)).toMatchObject({ earned: '3.00', reversed: '3.00' });
  });

  test('[FX-62] [V-17] a scale of 60 % and 50 % is one; neither side passes 100 %', async () => {
    const generous = await aScale(db, {
      clientType: 'percentage',
      clientAmount: '60',
      commercialType: 'percentage',
      commercialAmount: '50',
    });
    const sale = await aSale(db, { isReady: true, contractAmount: '100.00' });
    await validate(admin, sale.id, generous.id);
    expect(await saleRow(sale.id)).toMatchObject({
      client_commission_amount: '60.00',
      commercial_commission_amount: '50.00',
    });
    for (const side of ['clientAmount', 'commercialAmount'] as const) {
      const scaleOf = aScale(db, {
        clientType: 'percentage',
        commercialType: 'percentage',
        clientAmount: '1',
        commercialAmount: '1',
        [side]: '100.01',
      });
      expect(await outcome(scaleOf)).toBe('commission_rates_percentages_are_at_most_100');
    }
  });

  test('[FX-11] without what was seen no decision is taken, and nothing is written', async () => {
    const sale = await aSale(db, { isReady: true, contractAmount: '9999999.99' });
    const full: Seen = [sale.version, '9999999.99', '1000000.00', '50.00'];
    for (const [index] of full.entries()) {
      const seen = full.with(index, null) as unknown as Seen;
      expect(await outcome(validateSeen(admin, sale.id, seen))).toBe('seen_required');
    }
    const asked = (text: string, values: readonly unknown[]) => outcome(db.become(admin, (run) => run(text, values)));
    expect(await asked(`select private.refuse_sale($1, 'Non', null)`, [sale.id])).toBe('seen_required');
    expect(await saleRow(sale.id)).toMatchObject({ status: 'pending', version: 1 });

    const client = await aClientWith('1000.00');
    const validated = only(
      await db.asOwner<{ id: string; version: number }>(
        'select id, version from public.sales where friend_referrer_id = $1',
        [client.id],
      ),
    );
    for (const seen of [
      [null, '100.00', '50.00'],
      [validated.version, null, '50.00'],
      [validated.version, '100.00', null],
    ])
      expect(await asked(`select private.cancel_validation($1, 'Erreur', $2, $3, $4)`, [validated.id, ...seen])).toBe(
        'seen_required',
      );
    expect(
      await asked(`select private.cancel_validation($1, 'Erreur', $2, 100, 49.99)`, [validated.id, validated.version]),
    ).toBe('sale_changed');

    const request = await requestPayment(db, client, '40.00');
    expect(await asked(`select private.decide_payment_request($1, 'approved', null, null, 1, 39.99)`, [request])).toBe(
      'request_changed',
    );
    expect(await asked(`select private.decide_payment_request($1, 'approved', null, null, 2, 40)`, [request])).toBe(
      'request_changed',
    );
    await decide(admin, request, 'approved');
    expect(await asked(`select private.decide_payment_request($1, 'paid', null, null, 1, 40)`, [request])).toBe(
      'request_changed',
    );
    expect(await asked(`select private.annul_approval($1, 'Motif', null)`, [request])).toBe('seen_required');
    expect(await audits('payment_requests', request)).toHaveLength(2);
  });

  test('[P-01] neither commercial, nor client, nor visitor validates, refuses or annuls', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    const sale = await aSale(db, { commercial, friendReferrer: client, isReady: true });
    for (const person of [commercial, client]) {
      expect(await outcome(validateSeen(person, sale.id, [1, '1234.56', '123.46', '50.00']))).toBe('forbidden');
      expect(await outcome(refuse(person, sale.id, 'x'))).toBe('forbidden');
      expect(await outcome(cancel(person, sale.id, 'x'))).toBe('forbidden');
    }
    for (const who of ['anon', 'service_role'] as const) {
      expect(
        await outcome(db.become(who, (run) => run('select private.validate_sale($1, null, 1, 1, 1, 1)', [sale.id]))),
      ).toBe('42501');
    }
  });

  test('[S-12] a scale that is archived or replaced does not touch the sale already validated', async () => {
    const old = await aScale(db, { name: 'Ancien', clientAmount: '20' });
    const sale = await aValidatedSale(db, { scale: old, admin });
    await db.become(admin, (run) =>
      run(`select private.create_commission_rate('Nouveau', null, 'percentage', 1, 'fixed', 1, $1)`, [old.id]),
    );
    expect(await saleRow(sale.id)).toMatchObject({
      client_commission_amount: '246.91',
      client_commission_rate: '20.00',
    });
    const next = await aSale(db, { isReady: true });
    expect(await outcome(validate(admin, next.id, old.id))).toBe('scale_archived');
    expect(
      await outcome(
        db.asOwner(`update public.commission_rates set client_commission_amount = 5 where id = $1`, [old.id]),
      ),
    ).toBe('scale_in_use');
    expect(await outcome(db.asOwner(`delete from public.commission_rates where id = $1`, [old.id]))).toBe(
      'scale_in_use',
    );
  });
});

describe('refusing', () => {
  test('[V-04, S-04] a refusal wants a reason, and creates no commission', async () => {
    const sale = await aSale(db, { isReady: true });
    for (const blank of [null, '', '   '])
      expect(await outcome(refuse(admin, sale.id, blank))).toBe('refusal_reason_required');
    await refuse(admin, sale.id, 'Doublon');
    expect(await saleRow(sale.id)).toMatchObject({
      status: 'rejected',
      rejection_reason: 'Doublon',
      ready_for_validation: false,
      client_commission_amount: null,
    });
    expect(await outcome(refuse(admin, sale.id, 'Doublon'))).toBe('ok');
    expect(await outcome(refuse(admin, sale.id, 'Autre raison'))).toBe('sale_already_decided');
  });
});

describe('the commercial’s moves', () => {
  test('[S-02, S-03] six statuses, in any order, as long as nothing is validated', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial });
    const choices = [
      'contacted',
      'in_negotiation',
      'pending',
      'pending_final_validation',
      'contacted',
      'rejected',
      'pending_validation',
      'pending',
      'validated',
    ];
    for (const choice of choices) await move(commercial, sale.id, choice, '100.00', 'Contrat');
    expect(await saleRow(sale.id)).toMatchObject({
      status: 'validated',
      ready_for_validation: true,
      admin_validated: false,
    });
    for (const choice of choices)
      expect(await outcome(move(commercial, sale.id, choice, '100.00', 'Contrat'))).toBe('sale_not_editable');
  });

  test('[S-02, F-12] what is noted is kept, or taken back as long as nothing is validated', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial });
    const empty = (choice: string, fields: readonly string[]) =>
      db.become(commercial, (run) =>
        run('select private.update_sale_status($1, $2, null, null, null, $3)', [sale.id, choice, fields]),
      );
    const noted = { contract_amount: '100.00', contract_description: 'Contrat', commercial_notes: 'À rappeler' };
    await db.become(commercial, (run) =>
      run(`select private.update_sale_status($1, 'contacted', 100, 'Contrat', 'À rappeler')`, [sale.id]),
    );
    await empty('in_negotiation', []);
    expect(await saleRow(sale.id)).toMatchObject(noted);
    await empty('in_negotiation', ['commercial_notes']);
    expect(await saleRow(sale.id)).toMatchObject({ ...noted, commercial_notes: null });
    expect(await outcome(empty('validated', ['contract_amount']))).toBe('contract_details_required');
    expect(await saleRow(sale.id)).toMatchObject({ ...noted, commercial_notes: null });
    await empty('contacted', ['contract_amount', 'contract_description']);
    expect(await saleRow(sale.id)).toMatchObject({ contract_amount: null, contract_description: null });
    await move(commercial, sale.id, 'validated', '100.00', 'Contrat');
    expect(await outcome(empty('contacted', ['contract_amount']))).toBe('sale_not_editable');
  });

  test('[NV-09] a move is taken back to the cent and the letter, by its commercial alone, as the journal tells', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial, friendReferrer: await aClient(db, { commercial }) });
    const undo = (version: number | null, who = commercial) =>
      db.become(who, (run) => run('select private.undo_sale_status($1, $2)', [sale.id, version]));
    const told = () =>
      db.asOwner('select kind, recipient_id from public.notices where sale_id = $1 order by 1, 2', [sale.id]);
    const facts = async () => {
      const { version, updated_at: _, ...rest } = await saleRow(sale.id);
      return { version: Number(version), rest };
    };
    await move(commercial, sale.id, 'pending_validation', '1234.56', 'Toiture');
    await refuse(admin, sale.id, 'Il manque une page');
    for (const [from, to] of [
      ['rejected', 'contacted'],
      ['contacted', 'in_negotiation'],
      ['in_negotiation', 'pending_validation'],
      ['pending_validation', 'rejected'],
      ['pending_validation', 'pending'],
    ] as const) {
      if (from !== 'rejected') await move(commercial, sale.id, from);
      const [before, toldBefore] = [await facts(), await told()];
      await move(commercial, sale.id, to, '2000.00', 'Autre chose');
      const { version } = await facts();
      expect(version).toBe(before.version + 1);
      await undo(version);
      const after = await facts();
      expect(after.rest).toEqual(before.rest);
      expect(after.version).toBe(version + 1);
      expect(await told()).toEqual(toldBefore);
    }
    const trail = await db.asOwner<{ after: object }>(
      `select after from public.audit_entries where entity_id = $1 order by id desc limit 2`,
      [sale.id],
    );
    expect(trail.map(({ after }) => after)).toMatchObject([
      { ready_for_validation: true },
      { ready_for_validation: false },
    ]);
  });

  test('[NV-09] a move is not taken back twice, late, by others, after something else, nor once signed', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial });
    const undo = (who = commercial, past = 0) =>
      outcome(
        db.become(who, (run) =>
          run('select private.undo_sale_status($1, $2)', [sale.id, Number(seen['version']) - past]),
        ),
      );
    let seen = await saleRow(sale.id);
    // The creation of the referral is not a move that can be undone.
    expect(await undo()).toBe('sale_move_final');
    await move(commercial, sale.id, 'contacted');
    seen = await saleRow(sale.id);
    expect(await undo(commercial, 1)).toBe('sale_move_final');
    expect(await undo(await aCommercial(db))).toBe('sale_not_found');
    for (const who of [admin, await aClient(db, { commercial })]) expect(await undo(who)).toBe('forbidden');
    expect(await undo()).toBe('ok');
    expect(await undo()).toBe('sale_move_final');
    // The company refused the contract in between.
    await move(commercial, sale.id, 'pending_validation', '100.00', 'Contrat');
    seen = await saleRow(sale.id);
    await refuse(admin, sale.id, 'Il manque une page');
    expect(await undo()).toBe('sale_move_final');
    seen = await saleRow(sale.id);
    expect(await undo()).toBe('sale_move_final');
    const late = db.become(commercial, async (run) => {
      const moved = await run<{ version: number }>(
        `select version from private.update_sale_status($1, 'contacted', null, null, null)`,
        [sale.id],
      );
      await run(`select set_config('app.at', (now() + interval '31 seconds')::text, true)`);
      await run('select private.undo_sale_status($1, $2)', [sale.id, only(moved).version]);
    });
    expect(await outcome(late)).toBe('sale_move_final');
    await move(commercial, sale.id, 'validated', '100.00', 'Contrat');
    seen = await saleRow(sale.id);
    expect(await undo()).toBe('sale_move_final');
  });

  test('[V-09] a validation asks for the amount and the description', async () => {
    const commercial = await aCommercial(db);
    for (const choice of ['validated', 'pending_validation', 'pending_final_validation']) {
      const sale = await aSale(db, { commercial });
      expect(await outcome(move(commercial, sale.id, choice))).toBe('contract_details_required');
      expect(await outcome(move(commercial, sale.id, choice, '10.00'))).toBe('contract_details_required');
      expect(await outcome(move(commercial, sale.id, choice, null, 'Contrat'))).toBe('contract_details_required');
    }
  });

  test('[P-02] a commercial does not touch the sales of another, and does not learn that they exist', async () => {
    const sale = await aSale(db);
    expect(await outcome(move(await aCommercial(db), sale.id, 'contacted'))).toBe('sale_not_found');
    expect(await outcome(move(await aCommercial(db), '00000000-0000-4000-8000-000000000000', 'contacted'))).toBe(
      'sale_not_found',
    );
  });

  test('[CO-10, CL-04] a sale that is ready bears the commission foreseen; it loses it when it is ready no more', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial });
    await move(commercial, sale.id, 'pending_final_validation', '1234.56', 'Contrat');
    expect(await saleRow(sale.id)).toMatchObject({
      client_commission_amount: '123.46',
      commercial_commission_amount: '50.00',
    });
    await move(commercial, sale.id, 'in_negotiation');
    expect(await saleRow(sale.id)).toMatchObject({
      client_commission_amount: null,
      commercial_commission_amount: null,
      contract_amount: '1234.56',
    });
  });
});

describe('frozen rows', () => {
  test('[S-11] a validated sale, its commissions and a paid request change no more, even for the owner of the database', async () => {
    const client = await aClientWith('10000.00');
    const request = await requestPayment(db, client, '100.00');
    await decide(admin, request, 'approved');
    await decide(admin, request, 'paid');
    const sale = only(
      await db.asOwner<{ id: string }>('select id from public.sales where friend_referrer_id = $1', [client.id]),
    );
    expect(await outcome(db.asOwner('update public.sales set contract_amount = 1 where id = $1', [sale.id]))).toBe(
      'sale_not_editable',
    );
    expect(await outcome(db.asOwner('delete from public.sales where id = $1', [sale.id]))).toBe('sale_not_editable');
    expect(
      await outcome(db.asOwner('update public.commission_payments set amount = 1 where sale_id = $1', [sale.id])),
    ).toBe('forbidden');
    expect(await outcome(db.asOwner('delete from public.commission_payments where sale_id = $1', [sale.id]))).toBe(
      'forbidden',
    );
    expect(
      await outcome(db.asOwner('update public.payment_requests set admin_notes = $2 where id = $1', [request, 'x'])),
    ).toBe('request_illegal_move');
    expect(await outcome(db.asOwner('update public.payment_requests set amount = 1 where id = $1', [request]))).toBe(
      'forbidden',
    );
    expect(await outcome(db.asOwner('delete from public.payment_requests where id = $1', [request]))).toBe('forbidden');
  });

  test('[S-11] [F-96] the trail is neither changed nor erased; an owner who forces it is found by the verification', async () => {
    expect(await outcome(db.asOwner('update public.audit_entries set actor = $1', ['x']))).toBe('forbidden');
    expect(await outcome(db.asOwner('delete from public.audit_entries'))).toBe('forbidden');
    const other = await createTestDatabase();
    const sale = await aValidatedSale(other);
    await other.asOwner('alter table public.audit_entries disable trigger user');
    const broken = async () => (await brokenInvariants(other.asOwner)).map((f) => f.invariant.id);
    await other.asOwner(
      `update public.audit_entries set after = '{}' where entity = 'sales' and entity_id = $1 and action = 'insert'`,
      [sale.id],
    );
    expect(await broken()).toContain('I4');
    await other.asOwner(
      `delete from public.audit_entries where entity = 'sales' and entity_id = $1 and id = (select max(id) from public.audit_entries where entity_id = $1)`,
      [sale.id],
    );
    expect(await broken()).toContain('I5');
    await other.asOwner('alter table public.commission_payments disable trigger user');
    await other.asOwner(
      `update public.commission_payments set amount = amount + 0.01 where sale_id = $1 and type = 'client'`,
      [sale.id],
    );
    expect(await broken()).toEqual(expect.arrayContaining(['I3', 'I2b', 'I6']));
    await other.drop();
  });

  test('[M-03] a commission of another amount, for another person, or of a sale that is not validated does not enter', async () => {
    const sale = await aValidatedSale(db, { friendReferrer: null, scale, admin });
    const stranger = await aClient(db);
    expect(
      await outcome(
        db.asOwner(
          `insert into public.commission_payments (sale_id, recipient_id, type, amount) values ($1, $2, 'client', 5)`,
          [sale.id, stranger.id],
        ),
      ),
    ).toBe('23514');
    const open = await aSale(db);
    expect(
      await outcome(
        db.asOwner(
          `insert into public.commission_payments (sale_id, recipient_id, type, amount) values ($1, $2, 'client', 5)`,
          [open.id, stranger.id],
        ),
      ),
    ).toBe('23514');
  });

  test('[S-04] a validated sale without its commissions does not pass the end of the transaction', async () => {
    const sale = await aSale(db, { isReady: true, scale });
    expect(
      await outcome(
        db.asOwner(
          `update public.sales set status = 'validated', admin_validated = true, validated_at = now(), validated_by = $2, commission_rate = $3,
             client_commission_type = 'percentage', client_commission_rate = 10, client_commission_amount = 123.46,
             commercial_commission_type = 'fixed', commercial_commission_rate = 50, commercial_commission_amount = 50 where id = $1`,
          [sale.id, admin.id, scale.id],
        ),
      ),
    ).toBe('23514');
  });
});

describe('correcting', () => {
  test('[S-11] annulling writes the exact opposite, once, with its reason', async () => {
    const client = await aClientWith('1234.56');
    const sale = only(
      await db.asOwner<{ id: string }>('select id from public.sales where friend_referrer_id = $1', [client.id]),
    );
    expect(await outcome(cancel(admin, sale.id, ' '))).toBe('refusal_reason_required');
    expect(await race(Array.from({ length: 10 }, () => () => cancel(admin, sale.id, 'Rétractation')))).toEqual({
      ok: 10,
    });
    const correction = only(
      await db.asOwner<Record<string, unknown>>('select * from public.sales where corrects_sale_id = $1', [sale.id]),
    );
    expect(correction).toMatchObject({
      contract_amount: '-1234.56',
      client_commission_amount: '-123.46',
      commercial_commission_amount: '-50.00',
      correction_reason: 'Rétractation',
    });
    expect(await balance(client.id)).toEqual({ earned: '123.46', reversed: '123.46', reserved: '0.00', paid: '0.00' });
    expect(await outcome(cancel(admin, correction['id'] as string, 'Encore'))).toBe('sale_not_cancellable');
    expect(await outcome(cancel(admin, (await aSale(db)).id, 'Trop tôt'))).toBe('sale_not_cancellable');
  });

  test('[S-11, M-08] an annulment may leave a debt: it blocks requests and payments until it is earned back', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    const sale = await aValidatedSale(db, {
      commercial,
      friendReferrer: client,
      contractAmount: '1000.00',
      scale,
      admin,
    });
    const paid = await requestPayment(db, client, '60.00');
    const open = await requestPayment(db, client, '40.00');
    await decide(admin, paid, 'approved');
    await decide(admin, paid, 'paid');
    await cancel(admin, sale.id, 'Impayé');
    const figures = await db.become(client, (run) =>
      run<Record<string, string>>('select available, debt from public.client_figures()'),
    );
    expect(only(figures)).toEqual({ available: '0', debt: '60.00' });
    expect(await outcome(requestPayment(db, client, '1.00'))).toBe('balance_in_debt');
    expect(await outcome(decide(admin, open, 'approved'))).toBe('balance_in_debt');
    expect(await outcome(decide(admin, open, 'rejected', 'Validation annulée'))).toBe('ok');
    await aValidatedSale(db, { commercial, friendReferrer: client, contractAmount: '1000.00', scale, admin });
    expect(await outcome(requestPayment(db, client, '40.00'))).toBe('ok');
  });

  test('[S-11] annulling and paying at the same instant never pays more than what is left', async () => {
    for (let round = 0; round < 8; round += 1) {
      const commercial = await aCommercial(db);
      const client = await aClient(db, { commercial });
      const sale = await aValidatedSale(db, {
        commercial,
        friendReferrer: client,
        contractAmount: '1000.00',
        scale,
        admin,
      });
      const request = await requestPayment(db, client, '100.00');
      await race([() => cancel(admin, sale.id, 'Erreur'), () => decide(admin, request, 'approved')]);
      const after = await outcome(decide(admin, request, 'paid'));
      expect(['balance_in_debt', 'request_illegal_move']).toContain(after);
    }
  });
});

describe('requesting', () => {
  test('[V-16, V-14] 20 requests at once of « 100 € » out of « 123,46 € »: one alone passes', async () => {
    const client = await aClientWith('1234.56');
    const count = await race(Array.from({ length: 20 }, () => () => requestPayment(db, client, '100.00')));
    expect(count).toEqual({ ok: 1, amount_out_of_range: 19 });
    expect(await balance(client.id)).toEqual({ earned: '123.46', reversed: '0.00', reserved: '100.00', paid: '0.00' });
  });

  test('[V-16] a course of requests never exceeds what is earned: open ones are reserved', async () => {
    const client = await aClientWith('1000.00');
    const taken: string[] = [];
    for (let n = 0; n < 15; n += 1)
      if ((await outcome(requestPayment(db, client, '10.00'))) === 'ok') taken.push('10.00');
    expect(taken).toHaveLength(10);
    const error = await requestPayment(db, client, '0.01').catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'PR001',
      message: 'amount_out_of_range',
      detail: '{"smallest": "1.00", "available": "0.00"}',
    });
  });

  test('[V-14] at least « 1 € », to the cent', async () => {
    const client = await aClientWith('1000.00');
    for (const amount of ['0', '-5', '0.99', '1.001', '100.01', '99999999']) {
      expect(`${amount} ${await outcome(requestPayment(db, client, amount))}`).toBe(`${amount} amount_out_of_range`);
    }
    expect(await outcome(requestPayment(db, client, '1'))).toBe('ok');
  });

  test('[S-09] pending → approved or rejected; approved → paid; nothing else', async () => {
    const states = ['pending', 'approved', 'rejected', 'paid'] as const;
    const path = { pending: [], approved: ['approved'], rejected: ['rejected'], paid: ['approved', 'paid'] } as const;
    const legal = new Set(['pending approved', 'pending rejected', 'approved paid', 'approved pending']);
    for (const from of states) {
      for (const to of states) {
        const client = await aClientWith('1000.00');
        const request = await requestPayment(db, client, '10.00');
        for (const step of path[from]) await decide(admin, request, step, 'Motif');
        const isAgain = from === to && to !== 'pending';
        const expected = isAgain || legal.has(`${from} ${to}`) ? 'ok' : 'request_illegal_move';
        expect(`${from} ${to} ${await outcome(decide(admin, request, to, 'Motif'))}`).toBe(`${from} ${to} ${expected}`);
        const entries = await audits('payment_requests', request);
        expect(entries).toHaveLength(1 + path[from].length + (legal.has(`${from} ${to}`) ? 1 : 0));
      }
    }
  });

  test('[FX-10] an approval is annulled with a reason: what was asked for stays set aside, and can be refused after all', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '40.00');
    await decide(admin, request, 'approved');
    for (const blank of [null, ' '])
      expect(await outcome(decide(admin, request, 'pending', blank))).toBe('refusal_reason_required');
    await decide(admin, request, 'pending', ' IBAN clos ');
    const annulled = only(
      await db.asOwner(
        'select status, approved_at, approval_annulled_reason, version from public.payment_requests where id = $1',
        [request],
      ),
    );
    expect(annulled).toEqual({
      status: 'pending',
      approved_at: null,
      approval_annulled_reason: 'IBAN clos',
      version: 3,
    });
    expect(await balance(client.id)).toMatchObject({ reserved: '40.00', paid: '0.00' });
    expect((await audits('payment_requests', request)).at(-1)).toMatchObject({
      actor_id: admin.id,
      reason: 'IBAN clos',
      before: { status: 'approved' },
      after: { status: 'pending' },
    });
    await decide(admin, request, 'approved');
    await decide(admin, request, 'pending', 'Encore');
    await decide(admin, request, 'rejected', 'Non');
    expect(
      only(
        await db.asOwner('select status, approval_annulled_reason from public.payment_requests where id = $1', [
          request,
        ]),
      ),
    ).toEqual({ status: 'rejected', approval_annulled_reason: null });
    expect(await balance(client.id)).toMatchObject({ reserved: '0.00' });
  });

  test('[FX-10] a decision that comes late, or twice, never undoes what came after it', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '40.00');
    const late = async (status: string, version: number) => {
      let already: boolean | undefined;
      const code = await outcome(
        decideSeen(request, status, version, '40.00').then((rows) => (already = rows[0]?.already)),
      );
      return code === 'ok' ? (already === true ? 'already' : 'ok') : code;
    };
    expect(await late('approved', 1)).toBe('ok');
    expect(await late('approved', 1)).toBe('already');
    expect(await late('pending', 2)).toBe('ok');
    expect(await late('pending', 2)).toBe('already');
    expect(await late('approved', 1)).toBe('request_changed');
    expect(await late('paid', 2)).toBe('request_changed');
    expect(await late('approved', 3)).toBe('ok');
    expect(await late('pending', 2)).toBe('request_changed');
    expect(await late('paid', 4)).toBe('ok');
    expect(await late('paid', 4)).toBe('already');
    expect(await late('pending', 5)).toBe('request_illegal_move');
  });

  test('[FX-10] of a payment and an annulment at the same instant one wins; the money left, or it did not', async () => {
    for (let round = 0; round < 8; round += 1) {
      const client = await aClientWith('1000.00');
      const request = await requestPayment(db, client, '100.00');
      await decide(admin, request, 'approved');
      const count = await race([
        () => decideSeen(request, 'paid', 2, '100.00'),
        () => decideSeen(request, 'pending', 2, '100.00'),
      ]);
      expect(count).toEqual({ ok: 1, request_changed: 1 });
      const { status } = only(
        await db.asOwner<{ status: string }>('select status from public.payment_requests where id = $1', [request]),
      );
      expect(await balance(client.id)).toMatchObject(
        status === 'paid' ? { reserved: '0.00', paid: '100.00' } : { reserved: '100.00', paid: '0.00' },
      );
    }
  });

  test('[FX-10] a debt no longer keeps an approved payment, and its account, for ever', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    const sale = await aValidatedSale(db, {
      commercial,
      friendReferrer: client,
      contractAmount: '1000.00',
      scale,
      admin,
    });
    const request = await requestPayment(db, client, '100.00');
    await decide(admin, request, 'approved');
    await cancel(admin, sale.id, 'Impayé');
    const closure = only(
      await db.become(client, (run) =>
        run<{ id: string }>('select (r.request).id from private.request_account_closure(null) r'),
      ),
    ).id;
    const close = () =>
      db.become(admin, (run) => run('select private.decide_account_closure($1, true, null, null)', [closure]));
    const held = await close().catch((error: unknown) => error);
    expect(held).toMatchObject({
      message: 'closure_with_open_request',
      detail: '{"pending": "0", "approved": "100.00"}',
    });
    expect(await outcome(decide(admin, request, 'paid'))).toBe('balance_in_debt');
    await decide(admin, request, 'pending', 'La vente a été annulée');
    expect(await close().catch((error: unknown) => error)).toMatchObject({
      detail: '{"pending": "100.00", "approved": "0"}',
    });
    await decide(admin, request, 'rejected', 'La vente a été annulée');
    expect(await outcome(close())).toBe('ok');
  });

  test('[FX-10] whoever writes, a request goes back only with a reason, and never once it is paid', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '10.00');
    await decide(admin, request, 'approved');
    const back = (reason: string | null) =>
      outcome(
        db.asOwner(
          `update public.payment_requests set status = 'pending', approved_at = null, approval_annulled_reason = $2 where id = $1`,
          [request, reason],
        ),
      );
    expect(await back(null)).toBe('refusal_reason_required');
    expect(await back(' ')).toBe('payment_requests_annulment_is_of_a_pending');
    for (const wrong of ['x'.repeat(501), 'a\u0007b', 'a\u202eb'])
      expect(await back(wrong)).toBe('payment_requests_annulment_reason_is_a_text');
    expect(
      await outcome(
        db.asOwner(`update public.payment_requests set approval_annulled_reason = 'x' where id = $1`, [request]),
      ),
    ).toBe('payment_requests_annulment_is_of_a_pending');
    await decide(admin, request, 'paid');
    expect(await back('Trop tard')).toBe('request_illegal_move');
  });

  test('[FX-66] two requests of the same amount, one right after the other, are two requests', async () => {
    const client = await aClientWith('1000.00');
    expect(await race([() => requestPayment(db, client, '25.00'), () => requestPayment(db, client, '25.00')])).toEqual({
      ok: 2,
    });
    expect(await balance(client.id)).toMatchObject({ reserved: '50.00' });
  });

  test('[V-05] refusing a request wants a reason; what was reserved is given back', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '100.00');
    expect(await outcome(decide(admin, request, 'rejected'))).toBe('refusal_reason_required');
    await decide(admin, request, 'rejected', 'RIB illisible');
    expect(await balance(client.id)).toMatchObject({ reserved: '0.00' });
    expect(await outcome(requestPayment(db, client, '100.00'))).toBe('ok');
  });

  test('[S-09] two admins decide at the same instant: one effect alone', async () => {
    for (let round = 0; round < 8; round += 1) {
      const client = await aClientWith('1000.00');
      const request = await requestPayment(db, client, '100.00');
      const count = await race([
        () => decideSeen(request, 'approved', 1, '100.00'),
        () => decideSeen(request, 'rejected', 1, '100.00'),
      ]);
      expect(count).toEqual({ ok: 1, request_changed: 1 });
      const { reserved } = await balance(client.id);
      const status = only(
        await db.asOwner<{ status: string }>('select status from public.payment_requests where id = $1', [request]),
      ).status;
      expect(reserved).toBe(status === 'approved' ? '100.00' : '0.00');
    }
  });

  test('[P-03] a client decides nothing; only a client asks', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '10.00');
    expect(await outcome(decide(client, request, 'approved'))).toBe('forbidden');
    expect(await outcome(requestPayment(db, await aCommercial(db), '10.00'))).toBe('forbidden');
    expect(await outcome(requestPayment(db, admin, '10.00'))).toBe('forbidden');
  });

  test('[V-18] bank details open to their owner alone and to the admin, whose reading is in the trail', async () => {
    const client = await aClientWith('1000.00');
    const request = await requestPayment(db, client, '10.00');
    const reveal = (who: Person) =>
      db.become(who, (run) => run('select private.reveal_payment_details($1)', [request]));
    await reveal(client);
    expect(await audits('payment_requests', request)).toHaveLength(1);
    await reveal(admin);
    expect((await audits('payment_requests', request)).at(-1)).toMatchObject({ action: 'read', actor_id: admin.id });
    expect(await outcome(reveal(await aClientWith('1000.00')))).toBe('request_not_found');
    expect(await outcome(reveal(await aCommercial(db)))).toBe('forbidden');
  });
});

describe('audit', () => {
  test('[X-03] a validation has one entry, which says both commissions and whom they are for; so has its correction', async () => {
    const commercial = await aCommercial(db);
    const friendReferrer = await aClient(db, { commercial });
    const sale = await aValidatedSale(db, { commercial, friendReferrer, scale, admin, contractAmount: '1000.00' });
    await cancel(admin, sale.id, 'Contrat résilié');
    const rows = await db.asOwner<{ actor_id: string; said: string; credited: string }>(
      `select a.actor_id, a.action, s.corrects_sale_id is not null as "isCorrection",
         (select jsonb_object_agg(k, a.after ->> k) from unnest(array['client_commission_amount', 'commercial_commission_amount',
           'friend_referrer_id', 'commercial_id']) k) as said,
         (select jsonb_object_agg(p.type || '_commission_amount', p.amount::text)
            || jsonb_object_agg(case p.type when 'client' then 'friend_referrer_id' else 'commercial_id' end, p.recipient_id)
          from public.commission_payments p where p.sale_id = s.id) as credited
       from public.sales s join public.audit_entries a on a.entity = 'sales' and a.entity_id = s.id
       where $1 in (s.id, s.corrects_sale_id) and (a.after ->> 'admin_validated')::boolean order by a.id`,
      [sale.id],
    );
    expect(rows).toMatchObject([
      { actor_id: admin.id, action: 'update', isCorrection: false },
      { actor_id: admin.id, action: 'insert', isCorrection: true },
    ]);
    for (const { said, credited } of rows) expect(said).toEqual(credited);
    expect(rows[0]?.said).toMatchObject({ friend_referrer_id: friendReferrer.id, commercial_id: commercial.id });
    expect(
      await db.asOwner(
        `select from public.audit_entries a join public.commission_payments p on p.id = a.entity_id where p.recipient_id = $1`,
        [commercial.id],
      ),
    ).toEqual([]);
  });

  test('[S-04] every change says who, when, from what to what, and why, without personal data', async () => {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial, contactName: 'Zoé Secrète', contactEmail: 'zoe@secret.example' });
    await db.become(commercial, (run) =>
      run(`select private.update_sale_status($1, 'pending_final_validation', 500, 'Contrat', 'Zoé rappelle lundi')`, [
        sale.id,
      ]),
    );
    await refuse(admin, sale.id, 'Déjà client');
    const entries = await audits('sales', sale.id);
    expect(entries.map((entry) => [entry['actor'], entry['action'], entry['reason']])).toEqual([
      ['postgres', 'insert', null],
      ['commercial', 'update', null],
      ['admin', 'update', 'Déjà client'],
    ]);
    expect(entries[2]).toMatchObject({
      actor_id: admin.id,
      before: { status: 'pending' },
      after: { status: 'rejected', rejection_reason: 'Déjà client' },
    });
    expect(JSON.stringify(entries)).not.toMatch(/Zoé|zoe@secret/u);
  });
});
