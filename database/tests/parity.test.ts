import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';

import { commissionAmount, commissionPaymentsOf, commissionsOfSale } from '@parrain/domain/commission';
import { dayOf } from '@parrain/domain/date';
import { failureCodes } from '@parrain/domain/failure';
import { toWire } from '@parrain/domain/money';
import { canMovePaymentRequest, paymentRequestStatuses } from '@parrain/domain/payment-request';
import { parseSiren, parseVatNumber } from '@parrain/domain/siren';
import { pdfCases } from '@parrain/domain/testing/pdf-cases';
import { vatOf, vatRateOn } from '@parrain/domain/vat';
import { canMoveSale, saleChoices, saleState, saleStatuses, statusToStored } from '@parrain/domain/sale';
import { todayReason } from '@parrain/domain/today';

import { aClient, aCommercial, aSale, aScale, anAdmin, asSeen, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

let db: TestDatabase;
let admin: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '0.01',
    commercialType: 'fixed',
    commercialAmount: '0.01',
  });
});
afterAll(() => db.drop());

const side = fc.oneof(
  fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt(1n, 10_000n) }),
  fc.record({ type: fc.constant('fixed' as const), amount: fc.bigInt(1n, 999_999_999n) }),
);
const contract = fc.bigInt(-999_999_999n, 999_999_999n).filter((cents) => cents !== 0n);

describe('the domain and the database say the same', () => {
  test('[PP-01] which nine digits are a SIREN, and which number is its VAT number', async () => {
    const digits = fc.stringMatching(/^\d{9}$/u);
    const key = fc.stringMatching(/^[\dA-Z]{2}$/u);
    const drawn = fc.sample(fc.tuple(digits, key), 2000);
    const cases = drawn.flatMap(([siren, typed]) => {
      // Of the ten last digits one is the key.
      const right = Array.from({ length: 10 }, (_, n) => siren.slice(0, 8) + String(n)).filter((one) =>
        parseSiren(one),
      );
      const computed = String((12 + 3 * (Number(siren) % 97)) % 97).padStart(2, '0');
      return [siren, ...right].flatMap((one) => [
        { siren: one, vat: `FR${typed}${one}` },
        { siren: one, vat: `FR${computed}${siren}` },
      ]);
    });
    const rows = await db.asOwner<{ siren: boolean; vat: boolean }>(
      `select private.is_siren(c.siren) as siren, private.is_vat_number(c.vat, c.siren) as vat
       from rows from (unnest($1::text[], $2::text[])) with ordinality as c (siren, vat, n) order by c.n`,
      [cases.map(({ siren }) => siren), cases.map(({ vat }) => vat)],
    );
    expect(rows).toEqual(
      cases.map(({ siren, vat }) => ({
        siren: parseSiren(siren) !== null,
        vat: parseVatNumber(vat, siren) !== null,
      })),
    );
    expect(rows.filter((row) => row.siren && row.vat).length).toBeGreaterThan(100);
  });

  test('[AC-04] which files are a whole PDF', async () => {
    const rows = await db.asOwner<{ is_whole: boolean }>(
      `select private.is_whole_pdf(decode(c.file, 'hex')) as is_whole from unnest($1::text[]) with ordinality as c (file, n) order by c.n`,
      [pdfCases.map(([file]) => Buffer.from(file, 'latin1').toString('hex'))],
    );
    expect(rows.map((row, place) => [pdfCases[place]?.[0].slice(0, 60), row.is_whole])).toEqual(
      pdfCases.map(([file, isWhole]) => [file.slice(0, 60), isWhole]),
    );
  });

  test('[PP-02] the VAT of a sum, to the cent, and the rate of a day', async () => {
    const rate = fc.constantFrom<bigint>(2_000n, 1_960n, 550n, 850n);
    const cases = fc.sample(fc.tuple(fc.bigInt(1n, 999_999_999n), rate), 3000);
    // Every tie at half a cent.
    for (let cents = 1n; cents <= 500n; cents += 1n) cases.push([cents, 2_000n], [cents, 550n], [cents, 250n]);
    const rows = await db.asOwner<{ amount: string }>(
      `select private.vat_of(c.amount, c.rate)::numeric(12, 2)::text as amount
       from rows from (unnest($1::numeric[], $2::numeric[])) with ordinality as c (amount, rate, n) order by c.n`,
      [cases.map(([cents]) => toWire(cents)), cases.map(([, basisPoints]) => toWire(basisPoints))],
    );
    expect(rows.map(({ amount }) => amount)).toEqual(cases.map(([cents, one]) => toWire(vatOf(cents, one).amount)));
    const days = ['1999-01-01', '2013-12-31', '2014-01-01', '2026-11-23', '2999-12-31'];
    const rates = await db.asOwner<{ rate: string | null }>(
      'select private.vat_rate_on(d.day) as rate from unnest($1::date[]) with ordinality as d (day, n) order by d.n',
      [days],
    );
    const known = days.map((day) => vatRateOn(day));
    expect(rates.map(({ rate: one }) => one)).toEqual(known.map((one) => one && toWire(one)));
    expect(known).toContain(null);
    expect(known).toContain(2_000n);
  });

  test('[M-01, M-10] the commission, to the cent, of any amount at any rate', async () => {
    const cases = fc.sample(fc.tuple(contract, side), 3000);
    // Every tie at half a cent, both signs.
    for (let cents = 1n; cents <= 200n; cents += 1n) {
      for (const basisPoints of [50n, 250n, 3333n, 5000n]) {
        cases.push([cents, { type: 'percentage', basisPoints }], [-cents, { type: 'percentage', basisPoints }]);
      }
    }
    const rows = await db.asOwner<{ amount: string }>(
      `select private.commission(c.type, c.rate, c.contract)::numeric(12, 2)::text as amount
       from rows from (unnest($1::text[], $2::numeric[], $3::numeric[])) with ordinality as c (type, rate, contract, n) order by c.n`,
      [
        cases.map(([, s]) => s.type),
        cases.map(([, s]) => toWire(s.type === 'percentage' ? s.basisPoints : s.amount)),
        cases.map(([cents]) => toWire(cents)),
      ],
    );
    expect(rows.map((row) => row.amount)).toEqual(cases.map(([cents, s]) => toWire(commissionAmount(cents, s))));
  });

  test('[M-01, M-02, S-04] what a validation records is what the domain announces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(10_000n, 900_000_000n),
        fc.bigInt(1n, 4000n),
        fc.bigInt(1n, 4000n),
        fc.constantFrom('friend', 'client', 'nobody'),
        async (cents, clientPoints, commercialAmount, referrer) => {
          const commercial = await aCommercial(db);
          const client = await aClient(db, { commercial });
          const scale = await aScale(db, {
            clientType: 'percentage',
            clientAmount: toWire(clientPoints),
            commercialType: 'fixed',
            commercialAmount: toWire(commercialAmount),
          });
          const sale = await aSale(db, {
            commercial,
            friendReferrer: referrer === 'friend' ? client : null,
            isReady: true,
            contractAmount: toWire(cents),
            ...(referrer === 'client' ? { clientReferrer: client } : {}),
          });
          await db.become(admin, (run) => run(asSeen.validate, [sale.id, scale.id]));
          const facts = {
            contractAmount: cents,
            commercialId: commercial.id,
            friendReferrerId: referrer === 'friend' ? client.id : null,
            clientReferrerId: referrer === 'client' ? client.id : null,
          };
          const commissions = commissionsOfSale(facts, {
            client: { type: 'percentage', basisPoints: clientPoints },
            commercial: { type: 'fixed', amount: commercialAmount },
          });
          const payments = await db.asOwner<{ type: string; recipient_id: string; amount: string }>(
            'select type, recipient_id, amount from public.commission_payments where sale_id = $1 order by type',
            [sale.id],
          );
          expect(payments).toEqual(
            commissionPaymentsOf(facts, commissions).map((payment) => ({
              type: payment.type,
              recipient_id: payment.recipientId,
              amount: toWire(payment.amount),
            })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('[S-02, S-03] the statuses that a commercial may choose, from each state', async () => {
    const commercial = await aCommercial(db);
    const starts = [
      { status: 'pending' },
      { status: 'contacted' },
      { status: 'in_negotiation' },
      { status: 'rejected' },
      { status: 'pending', isReady: true },
      { status: 'validated', isReady: true },
    ] as const;
    for (const start of starts) {
      for (const choice of saleChoices) {
        const sale = await aSale(db, { commercial, ...start });
        const stored = statusToStored(choice);
        const before = {
          status: start.status,
          readyForValidation: 'isReady' in start,
          adminValidated: false,
          correctsSaleId: null,
        };
        const expected = canMoveSale(
          'commercial',
          before,
          saleState({ ...stored, adminValidated: false, correctsSaleId: null }),
        );
        const code = await outcome(
          db.become(commercial, (run) =>
            run(`select private.update_sale_status($1, $2, 100, 'Contrat', null)`, [sale.id, choice]),
          ),
        );
        const say = `${JSON.stringify(start)} → ${choice}`;
        expect(`${say} ${code}`).toBe(`${say} ${expected ? 'ok' : 'sale_not_editable'}`);
        if (!expected) continue;
        const row = only(
          await db.asOwner('select status, ready_for_validation from public.sales where id = $1', [sale.id]),
        );
        expect(row).toEqual({ status: stored.status, ready_for_validation: stored.readyForValidation });
      }
    }
  });

  test('[S-09] the moves of a payment request', async () => {
    for (const from of paymentRequestStatuses) {
      for (const to of paymentRequestStatuses) {
        if (from === to) continue;
        const client = await aClient(db);
        await db.asOwner('insert into public.balances (profile_id, earned) values ($1, 100)', [client.id]);
        const { id } = only(
          await db.asOwner<{ id: string }>(
            'insert into public.payment_requests (client_id, amount) values ($1, 10) returning id',
            [client.id],
          ),
        );
        const set = (status: string) =>
          db.asOwner(
            `update public.payment_requests set status = $2, approved_at = case when $2 = 'returned' then approved_at when $2 in ('approved', 'paid') then now() end,
               paid_at = case when $2 = 'returned' then paid_at when $2 = 'paid' then now() end,
               returned_at = case when $2 = 'returned' then now() end, return_reason = case when $2 = 'returned' then 'Motif' end, rejection_reason = case when $2 = 'rejected' then 'Motif' end,
               approval_annulled_reason = case when $2 = 'pending' then 'Motif' end where id = $1`,
            [id, status],
          );
        const path = {
          pending: [],
          approved: ['approved'],
          rejected: ['rejected'],
          paid: ['approved', 'paid'],
          returned: ['approved', 'paid', 'returned'],
        }[from];
        for (const step of path) await set(step);
        expect(`${from} → ${to} ${await outcome(set(to))}`).toBe(
          `${from} → ${to} ${canMovePaymentRequest('admin', from, to) ? 'ok' : 'request_illegal_move'}`,
        );
      }
    }
  });

  test('[E-01] each refusal that the database can say is a code of the domain', async () => {
    const rows = await db.asOwner<{ source: string }>(
      `select prosrc as source from pg_proc where pronamespace = 'private'::regnamespace`,
    );
    const codes = new Set(
      rows.flatMap(({ source }) => [...source.matchAll(/refuse\('([a-z_]+)'/gu)].map((match) => match[1] ?? '')),
    );
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !(failureCodes as readonly string[]).includes(code))).toEqual([]);
  });

  test('[UI-06] which referrals are of today, and in which order', async () => {
    const now = new Date();
    const dayAt = (offset: number | null) =>
      offset === null ? null : dayOf(new Date(now.getTime() + offset * 86_400_000));
    const cases = [true, false].flatMap((readyForValidation) =>
      // Those alone that a constraint lets be ready.
      (readyForValidation ? (['pending', 'validated'] as const) : saleStatuses).flatMap((status) =>
        [null, -3, 0, 1].flatMap((offset) =>
          [null, { askedAt: now.toISOString() }].flatMap((correction) =>
            [null, 2].flatMap((followUpDays) =>
              [0, 1, 40, 47, 49, 71, 73, 900].map((hours) => ({
                facts: {
                  status,
                  readyForValidation,
                  adminValidated: false,
                  correctsSaleId: null,
                  createdAt: new Date(now.getTime() - hours * 3_600_000).toISOString(),
                  followUp: { callBackOn: dayAt(offset) },
                  correction,
                },
                followUpDays,
              })),
            ),
          ),
        ),
      ),
    );
    const rows = await db.asOwner<{ rank: number | null }>(
      `select private.today_rank(jsonb_populate_record(null::public.sales, jsonb_build_object('status', c.status,
          'ready_for_validation', c.ready, 'created_at', c.created_at)), c.day, c.days, c.asked) as rank
        from rows from (unnest($1::text[], $2::boolean[], $3::timestamptz[], $4::date[], $5::integer[], $6::boolean[]))
          with ordinality as c (status, ready, created_at, day, days, asked, n) order by c.n`,
      [
        cases.map(({ facts }) => facts.status),
        cases.map(({ facts }) => facts.readyForValidation),
        cases.map(({ facts }) => facts.createdAt),
        cases.map(({ facts }) => facts.followUp.callBackOn),
        cases.map(({ followUpDays }) => followUpDays),
        cases.map(({ facts }) => facts.correction !== null),
      ],
    );
    const ranks = { late: 1, due: 2, to_correct: 2, new: 3, waiting: 4 };
    expect(rows.map(({ rank }) => rank)).toEqual(
      cases.map(({ facts, followUpDays }) => {
        const reason = todayReason(facts, followUpDays, now);
        return reason === null ? null : ranks[reason.why];
      }),
    );
    expect(new Set(rows.map(({ rank }) => rank))).toEqual(new Set([1, 2, 3, 4, null]));
  });
});
