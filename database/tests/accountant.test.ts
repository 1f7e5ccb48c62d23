import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aScale,
  aValidatedSale,
  createTestDatabase,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

// UI-12: the company's accountant, before every door.

let db: TestDatabase;
let accountant: Person;
let admin: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  accountant = await anAccountant(db, { fullName: 'Marie Compta' });
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial, fullName: 'Zoé L’Hôte' });
  await aValidatedSale(db, { admin, commercial, friendReferrer: client, scale: await aScale(db) });
});
afterAll(() => db.drop());

const countOf = (table: string) =>
  db.become(accountant, async (run) =>
    Number((await run<{ n: string }>(`select count(*) as n from public.${table}`))[0]?.n),
  );

test('[UI-12] an accountant reads the transfers, and of everything else their own account alone', async () => {
  const tables = await db.asOwner<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and has_table_privilege('authenticated', c.oid, 'select') order by 1`,
  );
  const read: Record<string, number> = {};
  for (const { name } of tables) {
    const rows = await countOf(name);
    if (rows > 0) read[name] = rows;
  }
  const [{ n } = { n: '0' }] = await db.asOwner<{ n: string }>('select count(*) as n from public.ledger_entries');
  expect(read).toEqual({ ledger_entries: Number(n), profiles: 1 });
});

test('[UI-12] a whole file of the accounts is read as an admin reads it, in a transaction that can write nothing, for its length', async () => {
  const names = await db.become(accountant, async (run) => {
    await run('select private.read_as_accountant()');
    return run('select full_name from public.profiles where full_name = $1', ['Zoé L’Hôte']);
  });
  expect(names).toHaveLength(1);
  for (const [text, refusal] of [
    [`update public.profiles set full_name = 'Autre' where id = '${accountant.id}'`, 'read-only transaction'],
    [`select set_config('transaction_read_only', 'off', true)`, 'read-write mode'],
  ] as const) {
    await expect(
      db.become(accountant, async (run) => {
        await run('select private.read_as_accountant()');
        await run(text);
      }),
    ).rejects.toThrow(refusal);
  }
  expect(await countOf('profiles')).toBe(1);
  // The names of friends are not among what the accountant's own lists show.
  expect(
    await db.become(accountant, (run) => run('select from public.account_lines where contact_name is not null')),
  ).toEqual([]);
  // Nobody else becomes anything by it.
  const commercial = await aCommercial(db);
  await db.become(commercial, async (run) => {
    await run('select private.read_as_accountant()');
    expect(await run(`select private.user_role() as role`)).toEqual([{ role: 'commercial' }]);
  });
});

test('[UI-12] every function that asks for a role refuses an accountant, but those that read the accounting and those of their own account', async () => {
  const functions = await db.asOwner<{ name: string; source: string }>(
    `select p.proname as name, p.prosrc as source from pg_proc p
     where p.pronamespace = 'private'::regnamespace and p.prosrc like '%require_role(%' order by 1`,
  );
  const open = functions.filter(({ source }) => /require_role\([^)]*'comptable'/u.test(source)).map(({ name }) => name);
  expect(open).toEqual([
    'accounting_codes_shown',
    'accounting_lines',
    'accounting_shown',
    'das2_settings_shown',
    'e_invoice_history',
    'e_invoices_shown',
    'end_my_session',
    'my_sessions',
    'payee_invoice_file',
    'record_export',
  ]);
  for (const [text, values] of [
    [`select private.invite_commercial(gen_random_uuid(), 'x@example.fr', 'X Y', null, 'h', now())`, []],
    [`select private.set_das2_settings(true, true)`, []],
    [`select private.close_accounting_months('2026-01-01')`, []],
    [`select private.accountants()`, []],
    [`select private.withdraw_accountant($1)`, [accountant.id]],
    [`select private.note_dossier_sent('2026', 1)`, []],
  ] as const) {
    await expect(db.become(accountant, (run) => run(text, [...values]))).rejects.toThrow('forbidden');
  }
});

test('[UI-12] an accountant counts as nobody of the programme and is not found', async () => {
  const counted = async () =>
    db.asOwner(`select what, sum(number)::int as n from figures.company_totals
      where what in ('clients', 'active_commercials', 'role_admin', 'role_commercial', 'role_client') group by what order by what`);
  const before = await counted();
  const other = await anAccountant(db, { fullName: 'Zéphyrine Introuvable' });
  expect(await counted()).toEqual(before);
  const found = await db.become(admin, (run) => run('select * from public.find_anything($1)', ['Zéphyrine']));
  expect(found).toEqual([]);
  expect(await db.asOwner('select id from public.profiles where id = $1', [other.id])).toHaveLength(1);
});
