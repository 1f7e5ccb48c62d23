import { canonicalRules, termsOf, versionOn, type VersionRules } from '@parrain/domain/scale-version';
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { migrate, ownHistory } from '../src/migrate.ts';
import { formerReleases, installed } from '../src/testing-releases.ts';
import type { FormerRelease } from '../src/testing-releases.ts';
import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  anAdmin,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { invariants } from '../src/verify.ts';
import { outcome } from './world.ts';

// SC-01: versions of a scale, and what a contract keeps of them.

let db: TestDatabase;
let admin: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

type Run = Parameters<Parameters<TestDatabase['become']>[1]>[0];
type Terms = { number: number; first_day: string; chosen_reason: string | null };

/** A new version of the scale: 20 % for the client, and 60 € for the commercial, unless said otherwise. */
const publishing = (
  run: Run,
  scaleId: string,
  seen: number,
  { day = null, client = 20 }: { day?: string | null; client?: number } = {},
) =>
  run<{ id: string; number: number }>(
    `select id, number from private.publish_scale_version($1, $2, $3, 'Standard', null, 'percentage', $4, 'fixed', 60)`,
    [scaleId, seen, day, client],
  );
const publish = async (...[scaleId, seen, terms]: [string, number, { day?: string | null; client?: number }?]) =>
  only(await db.become(admin, (run) => publishing(run, scaleId, seen, terms)));
/** Acts at an instant of the past or of the future, as the company's clock then tells it. */
const at = <T>(instant: string, act: (run: Run) => Promise<T>) =>
  db.become(admin, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [instant]);
    return act(run);
  });
const validating = (
  run: Run,
  saleId: string,
  scaleId: string,
  [client, commercial]: readonly [string, string],
  version?: readonly [string, string | null],
) =>
  run<{ already: boolean }>(
    `select v.already from public.sales s
     cross join lateral private.validate_sale(s.id, $2, s.version, s.contract_amount, $3, $4, $5, $6) v where s.id = $1`,
    [saleId, scaleId, client, commercial, version?.[0] ?? null, version?.[1] ?? null],
  );
/** A contract of 1 000 € that waits for the admin. */
const aReadySale = async () =>
  aSale(db, { friendReferrer: await aClient(db), isReady: true, contractAmount: '1000.00' });
const termsKept = async (saleId: string) =>
  only(
    await db.asOwner<Terms>('select number, first_day::text, chosen_reason from public.sale_terms where sale_id = $1', [
      saleId,
    ]),
  );
const today = async () => only(await db.asOwner<{ day: string }>('select private.today()::text as day')).day;
const inDays = async (days: number) =>
  only(await db.asOwner<{ day: string }>('select (private.today() + $1::int)::text as day', [days])).day;
const gain = async (saleId: string) =>
  (
    await db.asOwner<{ amount: string }>(
      'select amount from public.commission_payments where sale_id = $1 order by type',
      [saleId],
    )
  ).map(({ amount }) => amount);
const valuesOf = async (scaleId: string) =>
  only(
    await db.asOwner<{ client: string; commercial: string }>(
      'select client_commission_amount as client, commercial_commission_amount as commercial from public.commission_rates where id = $1',
      [scaleId],
    ),
  );

describe('a version', () => {
  test('[SC-01] a scale is born with its first version, from its creation day on, whoever makes it', async () => {
    const { id } = await aScale(db, { clientHoldDays: 30 });
    expect(
      await db.asOwner(
        `select number, first_day = private.today() as is_of_today, rules from public.scale_versions where rate_id = $1`,
        [id],
      ),
    ).toEqual([
      {
        number: 1,
        is_of_today: true,
        rules: {
          client: { kind: 'percentage', value: 1000 },
          client_hold_days: 30,
          commercial: { kind: 'fixed', value: 5000 },
        },
      },
    ]);
  });

  test('[SC-01] an edit takes effect at once for what is validated after it, and changes nothing of what was validated before', async () => {
    const { id } = await aScale(db);
    const [before, after] = [await aReadySale(), await aReadySale()];
    await db.become(admin, (run) => run(asSeen.validate, [before.id, id]));
    expect(await publish(id, 1)).toMatchObject({ number: 2 });
    expect(await valuesOf(id)).toEqual({ client: '20.00', commercial: '60.00' });
    await db.become(admin, (run) => run(asSeen.validate, [after.id, id]));
    expect(await gain(before.id)).toEqual(['100.00', '50.00']);
    expect(await gain(after.id)).toEqual(['200.00', '60.00']);
    expect([await termsKept(before.id), await termsKept(after.id)]).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  test('[SC-01] several versions of one day: the last published rules, and a version of a day to come takes over by itself', async () => {
    const { id } = await aScale(db);
    const day = await inDays(3);
    await publish(id, 1, { client: 12 });
    await publish(id, 2, { day, client: 15 });
    await publish(id, 3, { client: 13 });
    expect(await valuesOf(id)).toMatchObject({ client: '13.00' });
    const [now, then] = [await aReadySale(), await aReadySale()];
    await db.become(admin, (run) => validating(run, now.id, id, ['130.00', '60.00']));
    expect(await termsKept(now.id)).toMatchObject({ number: 4 });
    // On its day no job has run yet: the values of the scale are still the former ones, and what is validated is not.
    await at(`${day} 08:00 Europe/Paris`, (run) => validating(run, then.id, id, ['150.00', '60.00']));
    expect(await termsKept(then.id)).toMatchObject({ number: 3, first_day: day });
    expect(await valuesOf(id)).toMatchObject({ client: '13.00' });
  });

  test('[SC-01] the values of a scale move on the first day of its version, and at no other time', async () => {
    const { id } = await aScale(db);
    const day = await inDays(2);
    await publish(id, 1, { day });
    const begun = async (instant: string) =>
      at(instant, async (run) => {
        await run('set local role parrain_service');
        await run('select private.begin_scale_versions()');
        return only(
          await run<{ client: string }>(
            'select client_commission_amount as client from public.commission_rates where id = $1',
            [id],
          ),
        ).client;
      });
    expect(await begun(`${await inDays(1)} 23:59:59 Europe/Paris`)).toBe('10.00');
    expect(await begun(`${day} 00:00:00 Europe/Paris`)).toBe('20.00');
  });

  test('[SC-01] at midnight in Paris, not in UTC, a version begins', async () => {
    const { id } = await aScale(db);
    const day = await inDays(5);
    await publish(id, 1, { day });
    const [last, first] = [await aReadySale(), await aReadySale()];
    await at(`${await inDays(4)} 23:59:59 Europe/Paris`, (run) => validating(run, last.id, id, ['100.00', '50.00']));
    await at(`${day} 00:00:00 Europe/Paris`, (run) => validating(run, first.id, id, ['200.00', '60.00']));
    expect([await termsKept(last.id), await termsKept(first.id)]).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  test('[SC-01] a published version never changes: neither its rules, nor its day, nor by its removal', async () => {
    const { id } = await aScale(db);
    const { id: version } = await publish(id, 1);
    for (const change of [
      `rules = '{}'`,
      `first_day = first_day - 1`,
      'number = 7',
      `name = 'Autre'`,
      `published_at = now()`,
    ]) {
      expect(await outcome(db.asOwner(`update public.scale_versions set ${change} where id = $1`, [version]))).toBe(
        'forbidden',
      );
    }
    expect(await outcome(db.asOwner('delete from public.scale_versions where id = $1', [version]))).toBe('forbidden');
    expect(await outcome(db.asOwner('truncate public.scale_versions cascade'))).toBe('forbidden');
    expect(
      await outcome(db.asOwner('update public.commission_rates set client_commission_amount = 5 where id = $1', [id])),
    ).toBe('scale_in_use');
  });

  test('[SC-01] a version never reaches back: its first day is today or later, within two years', async () => {
    const { id } = await aScale(db);
    expect(await outcome(publish(id, 1, { day: await inDays(-1) }))).toBe('scale_day_is_over');
    expect(await outcome(publish(id, 1, { day: await inDays(800) }))).toBe('scale_day_is_over');
    expect(await outcome(publish(id, 1, { day: await today() }))).toBe('ok');
  });

  test('[SC-01] a version that changes nothing of the one of its day is none', async () => {
    const { id } = await aScale(db);
    await publish(id, 1, { client: 7 });
    expect(await outcome(publish(id, 2, { client: 7 }))).toBe('rules_unchanged');
    await publish(id, 2, { client: 8, day: await inDays(3) });
    expect(await outcome(publish(id, 3, { client: 8, day: await inDays(5) }))).toBe('rules_unchanged');
    expect(await outcome(publish(id, 3, { client: 7, day: await inDays(5) }))).toBe('ok');
  });

  test('[SC-01] a version to come that a contract took is not withdrawn', async () => {
    const { id } = await aScale(db);
    const { id: version } = await publish(id, 1, { day: await inDays(2) });
    const sale = await aReadySale();
    await db.become(admin, (run) => validating(run, sale.id, id, ['200.00', '60.00'], [version, 'Promis']));
    const withdrawn = db.become(admin, (run) => run('select private.withdraw_scale_version($1)', [version]));
    expect(await outcome(withdrawn)).toBe('scale_version_begun');
  });

  test('[SC-01] what another admin published meanwhile is looked at first; an archived scale has no new version', async () => {
    const { id } = await aScale(db);
    await publish(id, 1);
    expect(await outcome(publish(id, 1))).toBe('changed_meanwhile');
    await db.become(admin, (run) => run('select private.archive_commission_rate($1)', [id]));
    expect(await outcome(publish(id, 2))).toBe('scale_archived');
  });

  test('[SC-01] a version to come is withdrawn before its day, stays in the history and never rules; one that has begun is not', async () => {
    const { id } = await aScale(db);
    const day = await inDays(2);
    const { id: version } = await publish(id, 1, { day });
    const withdraw = (versionId: string) =>
      db.become(admin, (run) => run('select private.withdraw_scale_version($1)', [versionId]));
    expect(
      await outcome(
        at(`${day} 00:00 Europe/Paris`, (run) => run('select private.withdraw_scale_version($1)', [version])),
      ),
    ).toBe('scale_version_begun');
    await withdraw(version);
    expect(await outcome(withdraw(version))).toBe('ok');
    const sale = await aReadySale();
    await at(`${day} 09:00 Europe/Paris`, (run) => validating(run, sale.id, id, ['100.00', '50.00']));
    expect(await termsKept(sale.id)).toMatchObject({ number: 1 });
    const later = await inDays(4);
    expect(await publish(id, 2, { day: later })).toMatchObject({ number: 3 });
    expect(
      await db.asOwner(
        `select before, after from public.audit_entries where entity_id = $1 and action = 'update' order by id`,
        [id],
      ),
    ).toEqual([
      { before: {}, after: { version_to_come: 2, first_day: day } },
      { before: { version_to_come: 2, first_day: day }, after: {} },
      { before: {}, after: { version_to_come: 3, first_day: later } },
    ]);
  });

  test('[SC-01] the domain chooses and signs as the database does', async () => {
    const { id } = await aScale(db, { clientHoldDays: 7, fromContractAmount: '15000' });
    for (const [seen, days] of [3, 0, 9, 3, 6].entries()) {
      await publish(id, seen + 1, { day: await inDays(days), client: seen + 1 });
    }
    await db.become(admin, (run) =>
      run('select private.withdraw_scale_version(id) from public.scale_versions where rate_id = $1 and number = 5', [
        id,
      ]),
    );
    const rows = await db.asOwner<{
      number: number;
      firstDay: string;
      withdrawnAt: string | null;
      rules: VersionRules;
      sha: string;
    }>(
      `select number, first_day::text as "firstDay", withdrawn_at as "withdrawnAt", rules, encode(sha256, 'hex') as sha
       from public.scale_versions where rate_id = $1`,
      [id],
    );
    for (const { rules, sha } of rows)
      expect(
        createHash('sha256')
          .update(canonicalRules(termsOf(rules)))
          .digest('hex'),
      ).toBe(sha);
    for (let days = -2; days < 12; days += 1) {
      const day = await inDays(days);
      const [chosen] = await db.asOwner<{ number: number }>('select number from private.scale_version_on($1, $2)', [
        id,
        day,
      ]);
      expect([day, versionOn(rows, day)?.number]).toEqual([day, chosen?.number]);
    }
  });
});

describe('a validation', () => {
  test('[SC-01] the admin takes another version of the scale with a reason, which the sale and its trail keep', async () => {
    const { id } = await aScale(db);
    await publish(id, 1);
    const first = only(
      await db.asOwner<{ id: string }>('select id from public.scale_versions where rate_id = $1 and number = 1', [id]),
    ).id;
    const sale = await aReadySale();
    const promised = (reason: string | null) =>
      db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00'], [first, reason]));
    expect(await outcome(promised(null))).toBe('version_reason_required');
    expect(await outcome(promised('  '))).toBe('version_reason_required');
    const another = await aScale(db);
    const foreign = only(
      await db.asOwner<{ id: string }>('select id from public.scale_versions where rate_id = $1', [another.id]),
    ).id;
    expect(
      await outcome(db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00'], [foreign, 'Promis']))),
    ).toBe('scale_not_found');
    expect(await promised('Promis en octobre')).toEqual([{ already: false }]);
    expect(await promised('Promis en octobre')).toEqual([{ already: true }]);
    expect(await gain(sale.id)).toEqual(['100.00', '50.00']);
    expect(await termsKept(sale.id)).toMatchObject({ number: 1, chosen_reason: 'Promis en octobre' });
    expect(
      await db.asOwner(
        `select reason from public.audit_entries where entity_id = $1 and after ->> 'admin_validated' = 'true'`,
        [sale.id],
      ),
    ).toEqual([{ reason: 'Promis en octobre' }]);
  });

  test('[SC-01] amounts of the version before are refused, with nothing written', async () => {
    const { id } = await aScale(db);
    const sale = await aReadySale();
    await publish(id, 1);
    expect(await outcome(db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00'])))).toBe(
      'sale_changed',
    );
    expect(await gain(sale.id)).toEqual([]);
  });

  test('[SC-01] a validation and a publication at once: either the version before, or a refusal; never one for the other', async () => {
    const { id } = await aScale(db);
    const [early, late] = [await aReadySale(), await aReadySale()];
    let published: Promise<unknown> | undefined;
    // The publication waits for the validation that has read the version, and one that comes after it sees what it published.
    await db.become(admin, async (run) => {
      await validating(run, early.id, id, ['100.00', '50.00']);
      published = publish(id, 1);
      await expect
        .poll(() => db.asOwner(`select from pg_locks where locktype = 'advisory' and not granted`))
        .toHaveLength(1);
    });
    await published;
    expect(await outcome(db.become(admin, (run) => validating(run, late.id, id, ['100.00', '50.00'])))).toBe(
      'sale_changed',
    );
    await db.become(admin, (run) => validating(run, late.id, id, ['200.00', '60.00']));
    expect([await termsKept(early.id), await termsKept(late.id)]).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  test('[SC-01] two validations do not wait for each other to read the version', async () => {
    const { id } = await aScale(db);
    const [one, other] = [await aReadySale(), await aReadySale()];
    await db.become(admin, async (run) => {
      await validating(run, one.id, id, ['100.00', '50.00']);
      const second = db.become(admin, async (again) => {
        await again(`select set_config('lock_timeout', '5s', true)`);
        return validating(again, other.id, id, ['100.00', '50.00']);
      });
      expect(await outcome(second)).toBe('ok');
    });
    expect([await termsKept(one.id), await termsKept(other.id)]).toMatchObject([{ number: 1 }, { number: 1 }]);
  });

  test('[SC-01] corrections down and up give what the kept version gives, whatever was published since', async () => {
    const { id } = await aScale(db, { clientHoldDays: 10 });
    const sale = await aReadySale();
    await db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00']));
    await publish(id, 1, { client: 40 });
    const correct = (left: string, seen: string, client: string, commercial: string, times: number) =>
      db.become(admin, (run) =>
        run(
          `select v.already from public.sales s
           cross join lateral private.correct_contract(s.id, 'Avenant', s.version, $4, $3, $2, $5, $6) v where s.id = $1`,
          [sale.id, left, seen, times, client, commercial],
        ),
      );
    await correct('400.00', '1000.00', '40.00', '50.00', 0);
    await correct('1500.00', '400.00', '150.00', '50.00', 1);
    expect(
      await db.asOwner(
        `select s.contract_left as left, p.amount from public.sales s join public.commission_payments p on p.sale_id = s.id
         where s.corrects_sale_id = $1 and p.type = 'client' order by s.created_at`,
        [sale.id],
      ),
    ).toEqual([
      { left: '400.00', amount: '-60.00' },
      { left: '1500.00', amount: '110.00' },
    ]);
    expect(await db.asOwner('select from public.sale_terms where sale_id = $1', [sale.id])).toHaveLength(1);
  });

  test('[SC-01] a commission is kept for the days of its version, not for those of a later one', async () => {
    const { id } = await aScale(db, { clientHoldDays: 10 });
    const sale = await aReadySale();
    await db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00']));
    await publish(id, 1);
    const later = await aReadySale();
    await db.become(admin, (run) => validating(run, later.id, id, ['200.00', '60.00']));
    expect(
      await db.asOwner(
        `select p.sale_id, (h.until - p.created_at)::text as kept from public.commission_holds h
         join public.commission_payments p on p.id = h.commission_id where p.sale_id = any ($1)`,
        [[sale.id, later.id]],
      ),
    ).toEqual([{ sale_id: sale.id, kept: '10 days' }]);
  });

  test('[SC-01] what a sale keeps is kept: nobody changes or removes it, and no validated sale is without', async () => {
    const { id } = await aScale(db);
    const sale = await aReadySale();
    await db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00']));
    expect(
      await outcome(db.asOwner(`update public.sale_terms set chosen_reason = 'x' where sale_id = $1`, [sale.id])),
    ).toBe('forbidden');
    expect(await outcome(db.asOwner('delete from public.sale_terms where sale_id = $1', [sale.id]))).toBe('forbidden');
    expect(await outcome(db.asOwner('truncate public.sale_terms cascade'))).toBe('forbidden');
    const without = await aReadySale();
    const validated = db.become(admin, async (run) => {
      await validating(run, without.id, id, ['100.00', '50.00']);
      await run(`select set_config('app.cleaning', 'on', true)`);
      await run('set local role parrain_service');
      await run('delete from public.sale_terms where sale_id = $1', [without.id]);
    });
    await expect(validated).rejects.toThrow('a validated sale keeps the version of its scale');
  });

  test('[SC-01] the payees read which version it was, and nothing of the rules of the other side', async () => {
    const { id } = await aScale(db);
    const [friend, commercial, stranger] = [await aClient(db), await aCommercial(db), await aClient(db)];
    const sale = await aSale(db, { friendReferrer: friend, commercial, isReady: true, contractAmount: '1000.00' });
    await db.become(admin, (run) => validating(run, sale.id, id, ['100.00', '50.00']));
    const read = (who: Person) =>
      db.become(who, async (run) => [
        (await run('select number from public.sale_terms where sale_id = $1', [sale.id])).length,
        (await run('select rules from public.scale_versions')).length,
      ]);
    expect(await read(friend)).toEqual([1, 0]);
    expect(await read(commercial)).toEqual([1, 0]);
    expect(await read(stranger)).toEqual([0, 0]);
  });
});

describe('the verification', () => {
  const broken = async (id: string, forced: string, values: unknown[]) => {
    const sentence = invariants.find((invariant) => invariant.id === id);
    const client = new Client(db.owner);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('set local session_replication_role = replica');
      await client.query(forced, values);
      await client.query('set local role parrain_service');
      return (await client.query(sentence?.violations ?? '')).rowCount;
    } finally {
      await client.query('rollback');
      await client.end();
    }
  };

  test('[SC-01] a version other than that of the day, rules that changed, terms that are gone: each is found', async () => {
    const { id } = await aScale(db);
    const sale = await aReadySale();
    const { id: second } = await publish(id, 1);
    await db.become(admin, (run) => validating(run, sale.id, id, ['200.00', '60.00']));
    const terms = `update public.sale_terms t set (version_id, number, first_day) = (v.id, v.number, v.first_day)
      from public.scale_versions v where v.rate_id = $1 and v.number = 1 and t.number = 2 and t.version_id = $2`;
    expect(await broken('I3c', terms, [id, second])).toBe(1);
    expect(await broken('I3b', terms, [id, second])).toBe(2);
    expect(await broken('I3b', 'delete from public.sale_terms where sale_id = $1', [sale.id])).toBe(2);
    expect(
      await broken('I3d', `update public.scale_versions set rules = rules || '{"client_hold_days":3}' where id = $1`, [
        second,
      ]),
    ).toBe(1);
    expect(await broken('I3d', 'delete from public.scale_versions where rate_id = $1 and number = 1', [id])).toBe(1);
  });
});

test('[SC-01] an upgrade gives every scale one version and every validated contract its terms, or stops where they would not pay the same', async () => {
  const newest = formerReleases().at(-1) as FormerRelease;
  const { owner, drop } = await installed(newest);
  const client = new Client(owner);
  await client.connect();
  try {
    // A scale whose values somebody forced after a contract was validated with it.
    await client.query(`begin; set local session_replication_role = replica;
      update public.commission_rates set client_commission_amount = client_commission_amount + 1
      where id = (select commission_rate from public.sales where admin_validated limit 1); commit`);
    await expect(migrate(owner)).rejects.toThrow('does not give its commissions');
    await client.query(`begin; set local session_replication_role = replica;
      update public.commission_rates set client_commission_amount = client_commission_amount - 1
      where id = (select commission_rate from public.sales where admin_validated limit 1);
      update public.scale_versions v set rules = private.scale_rules(r.client_commission_type, r.client_commission_amount,
        r.commercial_commission_type, r.commercial_commission_amount, r.client_hold_days, r.from_contract_amount)
      from public.commission_rates r where r.id = v.rate_id;
      update public.scale_versions set sha256 = private.rules_hash(rules); commit`);
    expect((await migrate(owner)).length).toBeLessThan((await ownHistory()).length);
    await client.query('begin; set local role parrain_service');
    for (const { id, violations } of invariants.filter((each) => each.id.startsWith('I3')))
      expect([id, (await client.query(violations)).rows]).toEqual([id, []]);
    expect((await client.query('select from public.sale_terms')).rowCount).toBeGreaterThan(0);
    await client.query('rollback');
  } finally {
    await client.end();
    await drop();
  }
}, 120_000);
