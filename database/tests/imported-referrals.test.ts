import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, brokenInvariants, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// EX-04: the database checks each line of an import of referrals again, whoever sent it, and writes all of them or none.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let other: Person;
let client: Person;
let othersClient: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial, other] = [await anAdmin(db), await aCommercial(db), await aCommercial(db)];
  client = await aClient(db, { commercial, fullName: 'Paule Parrain' });
  othersClient = await aClient(db, { commercial: other, fullName: 'Omar Autre' });
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

type Line = {
  readonly line: number;
  readonly name: string;
  readonly referrer: string;
  readonly email?: string | null;
  readonly phone?: string;
  readonly reference?: string;
  readonly note?: string;
  readonly mark?: string;
  readonly refuses_calls?: boolean;
  readonly refusal?: string;
};
type Obstacle = { readonly line: number; readonly obstacle: string | null; readonly known_as: string | null };

const anAddress = () => `ami-${randomUUID()}@exemple.fr`;
const aPhone = () => `06${String(randomInt(10 ** 8)).padStart(8, '0')}`;
const someLines = (count: number, referrer = client): Line[] =>
  Array.from({ length: count }, (_, n) => ({ line: n + 2, name: 'Ami', referrer: referrer.email, email: anAddress() }));
const stage = async (who: Person, count: number, kind = 'referrals'): Promise<string> =>
  only(
    await db.become(who, (run) =>
      run<{ id: string }>(`select private.stage_import($1, 'filleuls.csv', $2) as id`, [
        kind,
        JSON.stringify(Array.from({ length: count + 1 }, () => ({ number: 0, cells: [] }))),
      ]),
    ),
  ).id;
const write = (who: Person, id: string, lines: readonly Line[], tooLate: readonly Line[] = []) =>
  db.become(who, (run) =>
    run(`select private.import_referrals($1, $2, 'Outil', $3, 0)`, [
      id,
      JSON.stringify(lines),
      JSON.stringify(tooLate),
    ]),
  );
const written = async (who: Person, lines: readonly Line[]) => {
  const id = await stage(who, lines.length);
  await write(who, id, lines);
  return id;
};
const undo = (who: Person, id: string) =>
  db.become(who, (run) =>
    run<{ removed: number; kept: number }>('select removed, kept from private.undo_import($1)', [id]),
  );
const obstacles = (who: Person, lines: readonly Partial<Line>[]) =>
  db.become(who, (run) =>
    run<Obstacle>(
      `select line, obstacle, known_as from private.referral_line_obstacles($1, 'Outil') where obstacle is not null order by line`,
      [JSON.stringify(lines.map((line, n) => ({ line: n + 2, name: 'Ami', referrer: client.email, ...line })))],
    ),
  );
const salesOf = (lines: readonly Line[]) =>
  db.asOwner<{
    id: string;
    version: number;
    commercial_id: string;
    friend_referrer_id: string;
    commercial_notes: string;
  }>('select * from public.sales where referred_contact_email = any ($1) order by referred_contact_email', [
    lines.map(({ email }) => email),
  ]);
const noticesOf = (id: string) =>
  db.asOwner<{ recipient_id: string; how_many: number }>(
    'select recipient_id, how_many from public.notices where import_id = $1 order by how_many',
    [id],
  );
const refer = (who: Person, email: string | null, phone: string | null = null) =>
  db.become(who, (run) => run(`select private.invite_friend('Bea Filleule', $1, $2, null, false)`, [email, phone]));
const setMonths = (months: number | null) =>
  db.become(admin, (run) => run('select private.set_first_referral_months($1)', [months]));

test(
  '[EX-04] 20 000 referrals are written at once, each with its entry in the trail, counted, and undone',
  { tags: 'long' },
  async () => {
    const lines = someLines(20_000).map((line) => ({ ...line, phone: aPhone(), mark: 'ab'.repeat(32) }));
    const id = await stage(admin, lines.length);
    await write(admin, id, lines);
    expect(await salesOf(lines)).toHaveLength(20_000);
    const entries = () =>
      db.asOwner(
        `select e.action, count(*)::int as entries, count(*) filter (where e.actor_id = $1)::int as by_admin from public.audit_entries e
         where e.entity = 'sales' and (e.before || e.after) ->> 'friend_referrer_id' = $2 group by 1 order by 1`,
        [admin.id, client.id],
      );
    expect(await entries()).toEqual([{ action: 'insert', entries: 20_000, by_admin: 20_000 }]);
    expect(await noticesOf(id)).toEqual([{ recipient_id: commercial.id, how_many: 20_000 }]);
    expect(await brokenInvariants(db.asOwner)).toEqual([]);
    expect(await undo(admin, id)).toEqual([{ removed: 20_000, kept: 0 }]);
    expect(await salesOf(lines)).toEqual([]);
    expect(await entries()).toContainEqual({ action: 'delete', entries: 20_000, by_admin: 20_000 });
  },
);

test('[EX-04] [TM-01] each commercial hears once of what somebody else imported for their clients, and of what its undoing left', async () => {
  const lines = [...someLines(3), ...someLines(2, othersClient)].map((line, n) => ({ ...line, line: n + 2 }));
  const id = await written(admin, lines);
  expect(await noticesOf(id)).toEqual([
    { recipient_id: other.id, how_many: 2 },
    { recipient_id: commercial.id, how_many: 3 },
  ]);
  expect(
    await db.asOwner(
      'select from private.notice_mails m join public.notices n on n.id = m.notice_id where n.import_id = $1',
      [id],
    ),
  ).toHaveLength(2);
  // Nobody is told of one line, of their own import, or of what is there no more.
  expect(
    await db.asOwner(
      'select from public.notices n join private.imported_rows r on r.sale_id = n.sale_id where r.import_id = $1',
      [id],
    ),
  ).toEqual([]);
  expect(await noticesOf(await written(commercial, someLines(2)))).toEqual([]);
  const [called] = await salesOf(lines.slice(0, 1));
  await db.asOwner(`update public.sales set status = 'contacted' where id = $1`, [called?.id]);
  await undo(admin, id);
  expect(await noticesOf(id)).toEqual([{ recipient_id: commercial.id, how_many: 1 }]);
});

test('[EX-04] a client is named by address, by short id or by id; their referral goes to their commercial, with note and reference', async () => {
  const [one, two, three] = someLines(3) as [Line, Line, Line];
  const lines = [
    { ...one, referrer: client.email.toUpperCase(), note: ' Vu au salon ', reference: 'D-1' },
    { ...two, referrer: `#${client.id.slice(0, 8).toUpperCase()}` },
    { ...three, referrer: client.id, email: null, phone: aPhone() },
  ];
  const id = await written(admin, lines);
  const sales = await db.asOwner<Record<string, unknown>>(
    `select s.*, e.source, e.reference from private.imported_rows r join public.sales s on s.id = r.sale_id
     left join public.external_references e on e.sale_id = s.id where r.import_id = $1 order by r.line`,
    [id],
  );
  expect(sales).toMatchObject([
    { commercial_notes: 'Vu au salon', source: 'Outil', reference: 'D-1', referred_contact_email: one.email },
    { reference: null },
    { referred_contact_email: null, referred_contact_phone: lines[2]?.phone },
  ]);
  for (const sale of sales) {
    expect(sale).toMatchObject({ status: 'pending', commercial_id: commercial.id, friend_referrer_id: client.id });
  }
  expect(await obstacles(admin, [{ email: anAddress(), reference: 'D-1' }])).toEqual([
    { line: 2, obstacle: 'reference_known', known_as: 'Ami' },
  ]);
});

test('[EX-04] [F-15] [CS-02] each rule of a single referral holds for a line, and names whom the caller sees', async () => {
  const [mine, phone, optedOut] = [anAddress(), aPhone(), 'cd'.repeat(32)];
  await refer(client, mine, phone);
  await refer(client, null, phone.replace('06', '07'));
  const left = await aCommercial(db);
  const lonely = await aClient(db, { commercial: left });
  await db.asOwner(`insert into private.opted_out (mark) values (decode($1, 'hex'))`, [optedOut]);
  const gone = await aClient(db, { commercial });
  await db.asOwner('update public.profiles set deactivated_at = now() where id = any ($1)', [[gone.id, left.id]]);
  const lines = [
    { email: anAddress(), referrer: 'personne@exemple.fr' },
    { email: anAddress(), referrer: gone.email },
    { email: anAddress(), referrer: commercial.email },
    { email: null },
    { email: anAddress(), mark: optedOut },
    { email: client.email.replace('@', '+moi@') },
    { email: anAddress(), referrer: lonely.email },
    { email: other.email },
    { email: othersClient.email },
    { email: mine.replace('@', '+2@').toUpperCase() },
    { email: null, phone: `+33 ${phone.replace('06', '7')}` },
    { email: anAddress(), phone },
  ];
  expect(await obstacles(admin, lines)).toEqual([
    { line: 2, obstacle: 'referrer_not_found', known_as: null },
    { line: 3, obstacle: 'referrer_not_found', known_as: null },
    { line: 4, obstacle: 'referrer_not_found', known_as: null },
    { line: 5, obstacle: 'contact_missing', known_as: null },
    { line: 6, obstacle: 'friend_opted_out', known_as: null },
    { line: 7, obstacle: 'self_referral', known_as: null },
    { line: 8, obstacle: 'commercial_missing', known_as: null },
    { line: 9, obstacle: 'friend_is_staff', known_as: other.fullName },
    { line: 10, obstacle: 'friend_is_client', known_as: 'Omar Autre' },
    { line: 11, obstacle: 'friend_already_invited', known_as: 'Paule Parrain' },
    { line: 12, obstacle: 'friend_already_invited', known_as: 'Paule Parrain' },
  ]);
  // A commercial is told no name of another's.
  expect(await obstacles(commercial, [{ email: other.email }, { email: othersClient.email }])).toEqual([
    { line: 2, obstacle: 'friend_is_staff', known_as: null },
    { line: 3, obstacle: 'friend_is_client', known_as: null },
  ]);
  // Each of them, sent all the same, keeps its whole file from being written.
  for (const change of lines.slice(0, -1)) {
    const [one, two] = someLines(2) as [Line, Line];
    expect([change, await outcome(written(admin, [one, { ...two, ...change }]))]).toEqual([change, 'import_changed']);
    expect(await salesOf([one])).toEqual([]);
  }
});

test('[EX-04] [CS-02] where the first referral counts, another’s friend is refused and named; the try is kept for the admin', async () => {
  const email = anAddress();
  await refer(othersClient, email);
  expect(await obstacles(admin, [{ email }])).toEqual([]);
  await setMonths(12);
  try {
    expect(await obstacles(admin, [{ email }])).toEqual([
      { line: 2, obstacle: 'friend_referred_before', known_as: 'Omar Autre' },
    ]);
    expect(await obstacles(commercial, [{ email }])).toEqual([
      { line: 2, obstacle: 'friend_referred_before', known_as: null },
    ]);
    const [ready, late] = someLines(2) as [Line, Line];
    const id = await stage(commercial, 2);
    await write(commercial, id, [ready], [{ ...late, email }]);
    expect(
      await db.asOwner(
        'select r.client_id from private.refused_referrals r join public.sales s on s.id = r.sale_id where s.referred_contact_email = $1',
        [email],
      ),
    ).toEqual([{ client_id: client.id }]);
    // Within one file too.
    const [one, two] = someLines(2) as [Line, Line];
    const number = aPhone();
    for (const change of [{ email: one.email ?? null }, { phone: number }]) {
      const lines = [
        { ...one, phone: number },
        { ...two, referrer: othersClient.email, ...change },
      ];
      expect(await outcome(written(admin, lines))).toBe('import_changed');
    }
  } finally {
    await setMonths(null);
  }
});

test('[EX-04] a friend or a reference that stands twice in a file, a bad name or too many lines keep all from being written', async () => {
  const [one, two] = someLines(2) as [Line, Line];
  const phone = aPhone();
  for (const pair of [
    [one, { ...two, email: one.email?.replace('@', '+b@') }],
    [
      { ...one, phone },
      { ...two, email: null, phone },
    ],
    [
      { ...one, reference: 'D-9' },
      { ...two, reference: 'D-9' },
    ],
  ]) {
    expect(await outcome(written(admin, pair as Line[]))).toBe('import_changed');
  }
  expect(await outcome(written(admin, [one, { ...two, name: 'www.gagnez.fr' }]))).not.toBe('ok');
  expect(await outcome(write(admin, await stage(admin, 1), [one, two]))).toBe('import_changed');
  expect(await outcome(write(admin, await stage(admin, 1), []))).toBe('import_changed');
  expect(await outcome(write(admin, await stage(admin, 1, 'clients'), [one]))).toBe('import_not_found');
  expect(await salesOf([one, two])).toEqual([]);
  // A family shares a telephone; two clients may know one friend (F-15).
  await written(admin, [
    { ...one, phone },
    { ...two, phone },
    { ...one, line: 4, referrer: othersClient.email },
  ]);
});

test('[EX-04] [P-03] a commercial imports for their own clients alone; another’s file is nobody’s; a client has none', async () => {
  const lines = someLines(1);
  for (const referrer of [othersClient.email, othersClient.id, othersClient.id.slice(0, 8)]) {
    expect(await outcome(written(commercial, [{ ...(lines[0] as Line), referrer }]))).toBe('import_changed');
  }
  const id = await stage(commercial, 1);
  for (const who of [other, admin]) expect(await outcome(write(who, id, lines))).toBe('import_not_found');
  expect(await outcome(stage(client, 1))).toBe('forbidden');
  expect(await outcome(write(client, id, lines))).toBe('forbidden');
  expect(await outcome(obstacles(client, lines))).toBe('forbidden');
  await write(commercial, id, lines);
  // Said again it is the same import.
  await write(commercial, id, someLines(1));
  expect(await salesOf(lines)).toMatchObject([{ commercial_id: commercial.id }]);
  expect(await outcome(undo(other, id))).toBe('import_not_found');
  expect(await undo(admin, id)).toEqual([{ removed: 1, kept: 0 }]);
});

test('[EX-04] [CS-03] undone, it keeps whom somebody called, wrote to, moved or heard from, and says why', async () => {
  const lines = someLines(6).map((line, n) => ({
    ...line,
    email: `${n}-${line.email ?? ''}`,
    refuses_calls: n < 2,
    refusal: 'Selon le fichier.',
  }));
  const id = await written(commercial, lines);
  const sales = await salesOf(lines);
  expect(
    await db.asOwner('select is_given, place from public.call_consents where sale_id = $1', [sales[0]?.id]),
  ).toEqual([{ is_given: false, place: 'imported_file' }]);
  await db.asOwner(`select private.answer_call($1, true, 'Oui', '2', null, 'mailed_link')`, [sales[1]?.id]);
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'contacted', null, null, null)`, [sales[2]?.id]),
  );
  await db.asOwner('update public.sales set referred_contact_name = $2 where id = $1', [sales[3]?.id, 'Corrigé']);
  await db.asOwner('insert into public.friend_messages (sale_id, written_by) values ($1, $2)', [
    sales[5]?.id,
    commercial.id,
  ]);
  expect(await undo(commercial, id)).toEqual([{ removed: 2, kept: 4 }]);
  expect((await salesOf(lines)).map((sale) => sale.id)).toEqual([1, 2, 3, 5].map((n) => sales[n]?.id));
  expect(
    await db.asOwner('select line, left_because from private.imported_rows where import_id = $1 order by 1', [id]),
  ).toEqual([
    { line: 3, left_because: 'answered' },
    { line: 4, left_because: 'changed' },
    { line: 5, left_because: 'changed' },
    { line: 7, left_because: 'changed' },
  ]);
  // A removed referral can be imported again.
  await written(commercial, [lines[4] as Line]);
});

test('[EX-04] [S-07] nothing but the undoing of its import takes an open referral away', async () => {
  const [one, two] = someLines(2) as [Line, Line];
  await written(commercial, [one, two]);
  await db.asOwner(`update public.sales set status = 'contacted' where referred_contact_email = $1`, [two.email]);
  const email = anAddress();
  await refer(client, email);
  const remove = (address: string | null | undefined, isImporting: boolean) =>
    outcome(
      db.become('parrain_service', async (run) => {
        if (isImporting) await run(`select set_config('app.importing', 'on', true)`);
        return run('delete from public.sales where referred_contact_email = $1', [address]);
      }),
    );
  // Of no import, moved since, and out of an undoing.
  for (const [address, isImporting] of [
    [email, true],
    [two.email, true],
    [one.email, false],
  ] as const) {
    expect([address, await remove(address, isImporting)]).toEqual([address, 'sale_not_editable']);
  }
});

test('[EX-04] [FD-01] a file says nothing of how fast a client refers, and opens a case where a friend is like somebody', async () => {
  const referrer = await aClient(db, { commercial, fullName: 'Jeanne Vite' });
  await written(
    commercial,
    someLines(15, referrer).map((line, n) => (n === 0 ? { ...line, name: 'Vite Jeanne' } : line)),
  );
  const rules = () =>
    db.asOwner(
      'select r.rule from public.doubt_reasons r join public.doubtful_cases c on c.id = r.case_id where c.payee_id = $1 order by 1',
      [referrer.id],
    );
  expect(await rules()).toEqual([{ rule: 'self_referral' }]);
  await refer(referrer, anAddress());
  expect(await rules()).toEqual([{ rule: 'self_referral' }]);
});

test('[EX-04] [F-15] an invitation or a refusal of the same instant waits for the import, then sees it', async () => {
  const [line] = someLines(1) as [Line];
  const id = await stage(commercial, 1);
  const mark = Buffer.alloc(32, 7);
  let refused: Promise<unknown> | undefined;
  await db.become(commercial, async (run) => {
    await run(`select private.import_referrals($1, $2, 'Outil', '[]', 0)`, [id, JSON.stringify([line])]);
    refused = db.become('parrain_service', (other_) =>
      other_('select private.opt_out_contact($1, $2)', [line.email, mark]),
    );
    const waits = () =>
      db.asOwner(`select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`);
    while ((await waits()).length === 0);
  });
  await refused;
  expect(await salesOf([line])).toEqual([]);
});
