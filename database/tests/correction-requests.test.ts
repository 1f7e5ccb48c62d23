import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, aSale, aScale, anAdmin, asSeen, createTestDatabase, only } from '../src/testing.ts';
import type { Person, SaleDetails, TestDatabase } from '../src/testing.ts';
import { outcome, race } from './world.ts';

// « Demander une correction » (UI-11, decision 0084): a contract that waits goes back to its commercial, who is told what to correct.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  client = await aClient(db, { commercial });
  await aScale(db, { isDefault: true });
});
afterAll(() => db.drop());

const aContract = (details: SaleDetails = {}) =>
  aSale(db, { commercial, friendReferrer: client, isReady: true, contractAmount: '1000.00', ...details });
const ask = (id: string, message = 'Le montant est hors taxes', version = 1, who = admin) =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.ask_correction($1, $2, $3)', [id, message, version]),
  );
const stored = async (id: string) =>
  only(
    await db.asOwner<Readonly<Record<string, unknown>>>(
      `select private.sale_state(status, ready_for_validation, admin_validated, corrects_sale_id) as state, contract_amount::text,
         contract_description, rejection_reason, client_commission_amount, signed_at is not null as is_signed, version
       from public.sales where id = $1`,
      [id],
    ),
  );
const told = async (id: string) =>
  (
    await db.asOwner<{ told: string }>(
      `select concat_ws(' ', p.role, n.kind, case when n.read_at is not null then 'read' end) as told
       from public.notices n join public.profiles p on p.id = n.recipient_id where n.sale_id = $1 order by n.created_at, p.role, n.kind`,
      [id],
    )
  ).map((row) => row.told);
const send = (id: string, amount = '1200.00', status = 'pending_validation') =>
  db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, $2, $3, 'Contrat annuel', null)`, [id, status, amount]),
  );

test.each([
  ['awaiting final validation', {}],
  ['signed by the commercial', { status: 'validated' }],
] as const)(
  '[UI-11] a contract %s goes back to negotiation with its contract; nothing is refused; sent again, it waits again',
  async (_state, details) => {
    const { id } = await aContract(details);
    expect(await ask(id)).toEqual([{ already: false }]);
    expect(await stored(id)).toEqual({
      state: 'in_negotiation',
      contract_amount: '1000.00',
      contract_description: 'Contrat annuel',
      rejection_reason: null,
      client_commission_amount: null,
      is_signed: false,
      version: 2,
    });
    // The commercial alone is told; the referrer neither of this nor of the contract that is sent again.
    const first = ['admin contract_to_validate read', 'client referral_signed', 'commercial correction_asked'];
    expect(await told(id)).toEqual(first);
    expect(
      await db.asOwner(
        `select actor, reason, before ->> 'ready_for_validation' as was_ready, after ->> 'status' as status from public.audit_entries
         where entity = 'sales' and entity_id = $1 order by id desc limit 1`,
        [id],
      ),
    ).toEqual([{ actor: 'admin', reason: 'Le montant est hors taxes', was_ready: 'true', status: 'in_negotiation' }]);
    await send(id);
    expect(await stored(id)).toMatchObject({ state: 'awaiting_final_validation', contract_amount: '1200.00' });
    expect(await told(id)).toEqual([
      ...first.slice(0, 2),
      'commercial correction_asked read',
      'admin contract_to_validate',
    ]);
    await db.become(admin, (run) => run(asSeen.validate, [id, null]));
    expect(await stored(id)).toMatchObject({ state: 'validated' });
  },
);

test('[UI-11] asked again it is the same request; of another version, of nothing, or once it is decided it is refused', async () => {
  const { id } = await aContract();
  expect(await outcome(ask(id, '  '))).toBe('correction_message_required');
  expect(await outcome(ask(id, 'Autre', 7))).toBe('sale_changed');
  for (const who of [commercial, client]) expect(await outcome(ask(id, 'Autre', 1, who))).toBe('forbidden');
  expect(await ask(id, ' Trop ')).toEqual([{ already: false }]);
  expect(await ask(id, 'Trop')).toEqual([{ already: true }]);
  expect(await told(id)).toHaveLength(3);
  expect(await outcome(ask(id, 'Autre', 2))).toBe('sale_not_ready');
  await send(id);
  // The former request was answered: this is another one, and is told.
  expect(await ask(id, 'Trop', 3)).toEqual([{ already: false }]);
  expect((await told(id)).filter((line) => line === 'commercial correction_asked')).toHaveLength(1);
  expect(await told(id)).toHaveLength(5);
  const { id: refused } = await aContract();
  await db.become(admin, (run) => run(asSeen.refuse, [refused, 'Non']));
  expect(await outcome(ask(refused, 'Trop', 2))).toBe('sale_already_decided');
  const { id: validated } = await aContract();
  await db.become(admin, (run) => run(asSeen.validate, [validated, null]));
  expect(await outcome(ask(validated, 'Trop', 2))).toBe('sale_already_decided');
});

test('[UI-11, P-04] the admin and the contract’s commercial read what is asked; the referrer and other commercials do not', async () => {
  const { id } = await aContract();
  await ask(id, 'Relire la clause 4');
  const read = (who: Person) =>
    db.become(who, (run) => run('select message from public.correction_requests where sale_id = $1', [id]));
  for (const who of [admin, commercial]) expect(await read(who)).toEqual([{ message: 'Relire la clause 4' }]);
  for (const who of [client, await aCommercial(db)]) expect(await read(who)).toEqual([]);
  for (const who of [admin, commercial])
    expect(await outcome(db.become(who, (run) => run(`update public.correction_requests set message = 'x'`, [])))).toBe(
      '42501',
    );
});

test('[UI-11, V-16] one admin validates while another asks for a correction: the first to come decides, the other is told', async () => {
  const other = await anAdmin(db);
  for (let round = 0; round < 4; round += 1) {
    const { id } = await aContract();
    const outcomes = await race([
      () => ask(id),
      () => db.become(other, (run) => run(asSeen.validate, [id, null])),
      () => ask(id),
    ]);
    const { state } = await stored(id);
    const paid = await db.asOwner('select from public.commission_payments where sale_id = $1', [id]);
    if (state === 'validated') {
      expect(outcomes).toEqual({ ok: 1, sale_already_decided: 2 });
      expect(paid).toHaveLength(2);
      expect(await told(id)).not.toContain('commercial correction_asked');
    } else {
      expect(state).toBe('in_negotiation');
      expect(outcomes).toEqual({ ok: 2, sale_not_ready: 1 });
      expect(paid).toEqual([]);
    }
  }
});

test('[UI-11, UI-06] what is to be corrected is in the commercial’s day until it is sent, unless they set a later day', async () => {
  const seller = await aCommercial(db);
  const { id } = await aContract({ commercial: seller, friendReferrer: await aClient(db, { commercial: seller }) });
  const today = () =>
    db.become(seller, (run) =>
      run(
        `select public.today_rank(s) as rank, (select today::integer from public.referral_counts()) as today
        from public.sales s where s.id = '${id}'`,
        [],
      ),
    );
  expect(await today()).toEqual([{ rank: null, today: 0 }]);
  await ask(id);
  expect(await today()).toEqual([{ rank: 2, today: 1 }]);
  await db.become(seller, (run) => run('select private.keep_follow_up($1, null, current_date + 2)', [id]));
  expect(await today()).toEqual([{ rank: null, today: 0 }]);
});
