import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, createTestDatabase, only, brokenInvariants } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// EX-04: the database checks each line of an import again, whoever sent it, and writes all of them or none.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let other: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial, other] = [await anAdmin(db), await aCommercial(db), await aCommercial(db)];
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

type Line = { readonly line: number; readonly name: string; readonly email: string; readonly commercial?: string };
const someLines = (count: number): Line[] => {
  const mark = randomUUID().slice(0, 8);
  return Array.from({ length: count }, (_, n) => ({
    line: n + 2,
    name: `Client ${mark}`,
    email: `c${n}-${mark}@exemple.fr`,
  }));
};
const stage = async (who: Person, count: number): Promise<string> => {
  const lines = JSON.stringify(Array.from({ length: count + 1 }, () => ({ number: 0, cells: [] })));
  const { id } = only(
    await db.become(who, (run) =>
      run<{ id: string }>(`select private.stage_import('clients', 'clients.csv', $1) as id`, [lines]),
    ),
  );
  return id;
};
const write = (who: Person, id: string, lines: readonly Line[], commercialId: string | null) =>
  db.become(who, (run) =>
    run('select private.import_clients($1, $2, $3, false, 0)', [id, JSON.stringify(lines), commercialId]),
  );
type Part = { readonly removed: number; readonly kept: number; readonly looked_at: string | null };
/** The parts in which an import is undone, as the server asks for them: in one transaction, from the last client looked at on. */
const partsOf = (who: Person, id: string) =>
  db.become(who, async (run) => {
    const parts: Part[] = [];
    let after: string | null = null;
    do {
      const part: Part = only(await run<Part>('select * from private.undo_import($1, $2)', [id, after]));
      parts.push(part);
      after = part.looked_at;
    } while (after !== null);
    return parts;
  });
const undo = async (who: Person, id: string) => {
  const parts = await partsOf(who, id);
  return [{ removed: parts.reduce((sum, { removed }) => sum + removed, 0), kept: parts.at(-1)?.kept }];
};
const countOf = async (lines: readonly Line[]) =>
  only(
    await db.asOwner<{ count: number }>('select count(*)::int as count from public.profiles where email = any ($1)', [
      lines.map(({ email }) => email),
    ]),
  ).count;

test(
  '[EX-04] 20 000 lines are written at once, each with its entry in the trail, and undone',
  { tags: 'long' },
  async () => {
    const lines = someLines(20_000).map((line) => ({ ...line, commercial: commercial.email }));
    const id = await stage(admin, lines.length);
    await write(admin, id, lines, null);
    expect(await countOf(lines)).toBe(20_000);
    const entries = () =>
      db.asOwner(
        `select e.action, count(*)::int as entries, count(*) filter (where e.actor_id = $1)::int as by_admin from public.audit_entries e
       where e.entity = 'profiles' and (e.before || e.after) ->> 'commercial_id' = $2 group by 1 order by 1`,
        [admin.id, commercial.id],
      );
    expect(await entries()).toEqual([{ action: 'insert', entries: 20_000, by_admin: 20_000 }]);
    expect(await brokenInvariants(db.asOwner)).toEqual([]);
    expect(await undo(admin, id)).toEqual([{ removed: 20_000, kept: 0 }]);
    expect(await countOf(lines)).toBe(0);
    expect(await entries()).toContainEqual({ action: 'delete', entries: 20_000, by_admin: 20_000 });
  },
);

test('[EX-04] more clients than one statement takes back are undone part by part; the last is told, and what was left stays counted', async () => {
  const lines = someLines(1200).map((line) => ({ ...line, commercial: commercial.email }));
  const id = await stage(admin, lines.length);
  await write(admin, id, lines, null);
  await db.asOwner(`update auth.users set last_sign_in_at = now() where email = any ($1)`, [
    [lines[3]?.email, lines[1100]?.email],
  ]);
  const parts = await partsOf(admin, id);
  expect(parts.map(({ removed }) => removed).reduce((sum, removed) => sum + removed)).toBe(1198);
  expect(Math.max(...parts.map(({ removed }) => removed))).toBeLessThanOrEqual(1000);
  expect(parts.at(-1)).toMatchObject({ removed: 0, kept: 2, looked_at: null });
  expect(await countOf(lines)).toBe(2);
});

test('[EX-04] one line that the tables refuse, or that somebody has by now, keeps all the others from being written', async () => {
  const known = await aClient(db);
  const wrong: Partial<Line>[] = [
    { name: 'www.gagnez.fr' },
    { name: 'A\u0001B' },
    { email: known.email },
    { email: known.email.toUpperCase() },
    { commercial: 'personne@exemple.fr' },
  ];
  for (const change of wrong) {
    const lines = someLines(3).map((line, n) => (n === 1 ? { ...line, ...change } : line));
    expect([change, await outcome(write(admin, await stage(admin, 3), lines, null))]).not.toEqual([change, 'ok']);
    expect(await countOf(lines.filter(({ email }) => email.toLowerCase() !== known.email))).toBe(0);
  }
  const [one, two] = someLines(2);
  expect(
    await outcome(
      write(admin, await stage(admin, 2), [one as Line, { ...(two as Line), email: (one as Line).email }], null),
    ),
  ).toBe('import_changed');
  // More lines than the file had are not of the file.
  expect(await outcome(write(admin, await stage(admin, 2), someLines(3), null))).toBe('import_changed');
  expect(await outcome(write(admin, await stage(admin, 2), [], null))).toBe('import_changed');
});

test('[EX-04] [P-03] a commercial writes clients of their own alone; another’s file is nobody’s; a client has none', async () => {
  const lines = someLines(2);
  const id = await stage(commercial, 2);
  expect(await outcome(write(commercial, id, lines, other.id))).toBe('forbidden');
  expect(await outcome(write(commercial, id, lines, null))).toBe('forbidden');
  for (const who of [other, admin]) expect(await outcome(write(who, id, lines, who.id))).toBe('import_not_found');
  await write(
    commercial,
    id,
    lines.map((line) => ({ ...line, commercial: other.email })),
    commercial.id,
  );
  expect(
    await db.asOwner('select distinct commercial_id from public.profiles where email = any ($1)', [
      lines.map(({ email }) => email),
    ]),
  ).toEqual([{ commercial_id: commercial.id }]);
  expect(await outcome(undo(other, id))).toBe('import_not_found');
  const client = await aClient(db, { commercial });
  expect(await outcome(stage(client, 1))).toBe('forbidden');
  expect(await outcome(undo(client, id))).toBe('forbidden');
  expect(await outcome(stage(commercial, 2001))).toBe('import_too_long');
  expect(await outcome(stage(admin, 20_001))).toBe('import_too_long');
  expect(await undo(commercial, id)).toEqual([{ removed: 2, kept: 0 }]);
});

test('[EX-04] a commercial who has left is given no client, by name, by address or by choice', async () => {
  const gone = await aCommercial(db);
  await db.asOwner('update public.profiles set deactivated_at = now() where id = $1', [gone.id]);
  for (const named of [gone.email, gone.fullName]) {
    expect(
      await outcome(
        write(
          admin,
          await stage(admin, 1),
          someLines(1).map((line) => ({ ...line, commercial: named })),
          null,
        ),
      ),
    ).toBe('import_changed');
  }
  expect(await outcome(write(admin, await stage(admin, 1), someLines(1), gone.id))).toBe('commercial_not_found');
  // A name that two have is nobody's.
  await db.asOwner(`update public.profiles set full_name = 'Même Nom' where id = any ($1)`, [
    [commercial.id, other.id],
  ]);
  expect(
    await outcome(
      write(
        admin,
        await stage(admin, 1),
        someLines(1).map((line) => ({ ...line, commercial: 'Même nom' })),
        null,
      ),
    ),
  ).toBe('import_changed');
});

test('[EX-04] written twice it is one import; one file waits for each person', async () => {
  const [former, id] = [await stage(admin, 2), await stage(admin, 2)];
  const lines = someLines(2);
  expect(await outcome(write(admin, former, lines, null))).toBe('import_not_found');
  await write(admin, id, lines, null);
  await write(admin, id, someLines(2), null);
  expect(await db.asOwner('select written from private.imports where id = $1', [id])).toEqual([{ written: 2 }]);
  expect(await db.asOwner('select line from private.imported_rows where import_id = $1 order by 1', [id])).toEqual([
    { line: 2 },
    { line: 3 },
  ]);
});

test('[EX-04] [FX-07] [DF-22] an import counts as none of the accounts that one person opens in a day; files that are read have a bound of their own', async () => {
  await write(commercial, await stage(commercial, 400), someLines(400), commercial.id);
  const one = someLines(1)[0] as Line;
  await db.become(commercial, (run) =>
    run('select private.invite_client($1, $2, $3, null, null, null, $4, null, null)', [
      randomUUID(),
      one.email,
      one.name,
      commercial.id,
    ]),
  );
  const read = () => db.become(other, (run) => run('select private.count_file_read()'));
  for (let n = 0; n < 200; n += 1) await read();
  expect(await outcome(read())).toBe('daily_limit');
});
