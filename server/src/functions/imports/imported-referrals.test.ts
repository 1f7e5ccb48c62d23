import { verify } from '@parrain/database/verify';
import { writeXlsx } from 'hucre/xlsx';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { cutWhileItWrites } from '../../testing/cut-call.ts';
import { aClient, aCommercial, anAdmin, only, someLetters, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// EX-04: a file of referrals is read, looked at, confirmed and undone.

let server: TestServer;
let admin: Person;
let commercial: Person;
let other: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database, { fullName: 'Aline Admin' });
  commercial = await aCommercial(server.database, { fullName: 'Marc Commercial' });
  other = await aCommercial(server.database, { fullName: 'Ines Autre' });
  client = await aClient(server.database, { commercial, fullName: 'Paule Parrain' });
});
afterAll(async () => {
  const findings = await verify((sql) => server.database.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await server.close();
});

const address = () => `ami-${randomUUID().slice(0, 8)}@exemple.fr`;
const aNumber = () => `06${String(randomInt(10 ** 8)).padStart(8, '0')}`;
const readFile = (who: Person, content: string | Uint8Array<ArrayBuffer>, name = 'filleuls.csv') => {
  const form = new FormData();
  form.set('name', name);
  form.set('kind', 'referrals');
  form.set('file', new File([content], name));
  return callAs(server, who, 'imports?action=read', form);
};
const act = (who: Person, action: string, body: Record<string, unknown>) =>
  callAs(server, who, 'imports', { action, kind: 'referrals', ...body });
const listOf = async (who: Person, kind = 'referrals') =>
  (await callAs(server, who, `imports?action=list&kind=${kind}`, undefined, { method: 'GET' })).body.data as Record<
    string,
    unknown
  >[];
const salesOf = (emails: readonly string[]) =>
  server.database.asOwner<Record<string, unknown>>(
    `select s.*, e.source, e.reference, c.is_given, c.place from public.sales s left join public.external_references e on e.sale_id = s.id
     left join public.call_consents c on c.sale_id = s.id where s.referred_contact_email = any ($1) order by s.referred_contact_name`,
    [emails],
  );
const columns = ['name', 'email', 'referrer'];
const aFile = async (who: Person, emails: readonly string[], referrer = client.email) => {
  const read = await readFile(
    who,
    `Nom;E-mail;Parrain\n${emails.map((email) => `Ami;${email};${referrer}`).join('\n')}`,
  );
  return { import_id: read.body.data.id as string, columns };
};
const imported = async (who: Person, emails: readonly string[]) => {
  const file = await aFile(who, emails);
  const done = await act(who, 'confirm', { ...file, invites: false, expected: emails.length });
  expect(done.body).toMatchObject({ success: true, data: { written: emails.length } });
  return file.import_id;
};

test('[EX-04] [F-15] [CS-02] [CS-03] [WH-03] every line is checked as one referral is, shown, and written once it is confirmed', async () => {
  const theirs = await aClient(server.database, { commercial: other, fullName: 'Omar Autre' });
  const [invited, optedOut, first, second] = [address(), address(), address(), address()];
  await imported(commercial, [invited, optedOut]);
  await server.services.db.asService('test', async (tx) => {
    const { markOf } = await import('../friend-link.ts');
    await tx.query('select private.opt_out_contact($1, $2)', [
      optedOut,
      markOf(server.services, { email: optedOut, phone: null }),
    ]);
  });
  const text = [
    'Prénom;Nom;E-mail;Tél.;Parrain;Notes;Référence;Accord pour être appelé;Ville',
    `Béa;Roy;${first.toUpperCase()};612345678;${client.email.toUpperCase()};Vue au salon;D-1;Non;Lyon`,
    `;Carl;${second};;#${client.id.slice(0, 8)};;D-2;Oui;`,
    `;;${address()};;${client.email};;;;`,
    `;Sans contact;;;${client.email};;;;`,
    `;Sans parrain;${address()};;;;;;`,
    `;Léa;lea@@exemple.fr;;${client.email};;;;`,
    `;Inconnu;${address()};;personne@exemple.fr;;;;`,
    `;Moi;${client.email};;${client.email};;;;`,
    `;Équipe;${other.email};;${client.email};;;;`,
    `;Cliente;${theirs.email};;${client.email};;;;`,
    `;Déjà;${invited.replace('@', '+2@')};;${client.email};;;;`,
    `;Non merci;${optedOut};;${client.email};;;;`,
    `;Encore;${first};;${client.email};;;;`,
    `;Même réf.;${address()};;${client.email};;D-1;;`,
    `;Peut-être;${address()};;${client.email};;;peut-être;`,
  ].join('\r\n');
  const read = await readFile(admin, text);
  expect(read.body.data).toMatchObject({
    lines: 15,
    columns: ['first_name', 'name', 'email', 'phone', 'referrer', 'note', 'reference', 'call_agreement', ''],
  });
  const file = { import_id: read.body.data.id, columns: read.body.data.columns };
  expect((await act(admin, 'check', file)).body.error).toBe('Indiquez le logiciel d’où viennent ces références');
  const named = { ...file, source: 'Salesforce' };
  const checked = await act(admin, 'check', named);
  expect(checked.body.data).toEqual({
    ready: 2,
    refused: 13,
    preview: [
      { line: 2, name: 'Béa Roy', email: first, phone: '0612345678', referrer: client.email.toUpperCase() },
      { line: 3, name: 'Carl', email: second, phone: null, referrer: `#${client.id.slice(0, 8)}` },
    ],
    problems: [
      { line: 4, problems: ['Nom manquant'] },
      { line: 5, problems: ['E-mail ou téléphone manquant'] },
      { line: 6, problems: ['Parrain manquant : indiquez son e-mail ou son identifiant'] },
      { line: 7, problems: [expect.stringMatching(/^E-mail : /u)] },
      { line: 8, problems: ['Parrain : aucun client actif n’a cet e-mail ou cet identifiant'] },
      { line: 9, problems: ['Le parrain et le filleul sont la même personne'] },
      { line: 10, problems: ['Cette adresse est celle d’un membre de l’entreprise : Ines Autre'] },
      { line: 11, problems: ['Cette personne est déjà cliente : Omar Autre'] },
      { line: 12, problems: ['Déjà parrainé par le même client : Paule Parrain'] },
      { line: 13, problems: ['Cette personne a demandé à ne pas être contactée'] },
      { line: 14, problems: ['Même filleul que la ligne 2'] },
      { line: 15, problems: ['Même référence que la ligne 2'] },
      { line: 16, problems: ['Accord pour être appelé : écrivez « oui » ou « non »'] },
    ],
  });
  const refused = await act(admin, 'refused', named);
  expect(refused.body.data.content).toContain(`;Encore;${first};;${client.email};;;;;Même filleul que la ligne 2;14`);
  expect((await act(admin, 'confirm', { ...named, invites: false, expected: 3 })).body.code).toBe('import_changed');
  expect(await salesOf([first, second])).toEqual([]);
  const confirm = () => act(admin, 'confirm', { ...named, invites: true, expected: 2 });
  const [once, twice] = await Promise.all([confirm(), confirm()]);
  expect(once.body.data).toEqual({ id: file.import_id, written: 2, left_out: 13 });
  expect(twice.body).toEqual(once.body);
  expect(await salesOf([first, second])).toMatchObject([
    {
      referred_contact_name: 'Béa Roy',
      commercial_notes: 'Vue au salon',
      commercial_id: commercial.id,
      friend_referrer_id: client.id,
      source: 'Salesforce',
      reference: 'D-1',
      is_given: false,
      place: 'imported_file',
    },
    { referred_contact_name: 'Carl', commercial_notes: null, reference: 'D-2', is_given: null },
  ]);
  // Nobody is written to, and the next file's columns are known.
  expect(server.mailbox.mails.some(({ recipients }) => recipients.includes(first))).toBe(false);
  expect((await readFile(admin, text)).body.data.columns).toEqual(file.columns);
  expect((await listOf(admin))[0]).toMatchObject({ id: file.import_id, written: 2, left_out: 13, here: 2 });
  expect((await listOf(admin, 'clients')).some(({ id }) => id === file.import_id)).toBe(false);
});

test('[EX-04] [CS-02] where the first referral counts, who came first is named to the admin alone, and the try is theirs to decide', async () => {
  const theirs = await aClient(server.database, { commercial: other, fullName: 'Première' });
  const [email, shared, phone] = [address(), address(), aNumber()];
  await imported(admin, [address()]);
  const before = await aFile(other, [email], theirs.email);
  await act(other, 'confirm', { ...before, invites: false, expected: 1 });
  const setMonths = (months: number | null) =>
    server.database.asOwner('update public.company_settings set first_referral_months = $1', [months]);
  await setMonths(12);
  try {
    const text = [
      'Nom;E-mail;Téléphone;Parrain',
      `A;${email};;${client.email}`,
      `B;${shared};${phone};${theirs.email}`,
      `C;${address()};+33 ${phone.slice(1)};${client.email}`,
      `D;${shared};;${client.email}`,
    ].join('\n');
    const read = await readFile(admin, text);
    const file = { import_id: read.body.data.id, columns: ['name', 'email', 'phone', 'referrer'] };
    expect((await act(admin, 'check', file)).body.data.problems).toEqual([
      { line: 2, problems: ['Déjà parrainé par un autre client, le premier parrainage compte : Première'] },
      { line: 4, problems: ['Même filleul que la ligne 3'] },
      { line: 5, problems: ['Même filleul que la ligne 3'] },
    ]);
    await act(admin, 'confirm', { ...file, invites: false, expected: 1 });
    const { id } = only(await salesOf([email]));
    expect(
      await server.database.asOwner('select client_id from private.refused_referrals where sale_id = $1', [id]),
    ).toEqual([{ client_id: client.id }]);
    const own = await aFile(commercial, [email]);
    expect((await act(commercial, 'check', own)).body.data.problems).toEqual([
      { line: 2, problems: ['Déjà parrainé par un autre client, le premier parrainage compte'] },
    ]);
  } finally {
    await setMonths(null);
  }
});

test('[EX-04] [P-03] a commercial imports for their own clients alone; nobody reads, confirms or undoes another’s file', async () => {
  const theirs = await aClient(server.database, { commercial: other });
  for (const referrer of [theirs.email, theirs.id, `#${theirs.id.slice(0, 8)}`]) {
    const file = await aFile(commercial, [address()], referrer);
    expect((await act(commercial, 'check', file)).body.data.problems).toEqual([
      { line: 2, problems: ['Parrain : aucun de vos clients n’a cet e-mail ou cet identifiant'] },
    ]);
  }
  const email = address();
  const file = await aFile(commercial, [email]);
  const confirmation = { ...file, invites: false, expected: 1 };
  for (const who of [client, other, admin]) {
    for (const action of ['check', 'refused', 'confirm']) {
      expect((await act(who, action, confirmation)).body.code).toBe(who === client ? 'forbidden' : 'import_not_found');
    }
  }
  // A file of referrals becomes no clients.
  expect((await act(commercial, 'check', { ...file, kind: 'clients', columns: ['name', 'email', ''] })).body.code).toBe(
    'import_not_found',
  );
  await act(commercial, 'confirm', confirmation);
  expect((await act(other, 'undo', file)).body.code).toBe('import_not_found');
  expect((await listOf(other)).some(({ id }) => id === file.import_id)).toBe(false);
  expect((await act(admin, 'undo', file)).body.data).toEqual({ removed: 1, kept: 0 });
  expect(await salesOf([email])).toEqual([]);
});

test('[EX-04] undone, an import takes back what nobody touched, and says what it left and why', async () => {
  const emails = [address(), address()];
  const id = await imported(commercial, emails);
  const [moved] = await salesOf([emails[0] ?? '']);
  await server.database.asOwner(`update public.sales set status = 'contacted' where id = $1`, [moved?.['id']]);
  expect((await act(commercial, 'undo', { import_id: id })).body.data).toEqual({ removed: 1, kept: 1 });
  expect((await listOf(commercial)).find((one) => one['id'] === id)).toMatchObject({ here: 1, kept: { changed: 1 } });
  await imported(commercial, [emails[1] ?? '']);
});

test('[EX-04] a workbook is read as a text is, and another kind of file is unknown', async () => {
  const email = address();
  const rows = [
    ['Nom', 'E-mail', 'Parrain'],
    ['Zoé', email, client.email],
  ];
  const workbook = Uint8Array.from(await writeXlsx({ sheets: [{ name: 'A', rows }] }));
  const read = await readFile(commercial, workbook, 'filleuls.xlsx');
  expect(read.body.data).toMatchObject({ columns, lines: 1 });
  await act(commercial, 'confirm', { import_id: read.body.data.id, columns, invites: false, expected: 1 });
  expect(await salesOf([email])).toMatchObject([{ referred_contact_name: 'Zoé' }]);
  const form = new FormData();
  form.set('kind', 'contracts');
  form.set('file', new File([`Nom;E-mail\nA;${email}`], 'a.csv'));
  expect((await callAs(server, commercial, 'imports?action=read', form)).status).toBe(400);
});

test(
  '[EX-04] 20 000 lines; killed while it writes, the server has written none; asked again it writes all, once',
  { tags: 'long', timeout: 900_000 },
  async () => {
    const mark = someLetters();
    const lines = Array.from({ length: 19_998 }, (_, n) => `Ami ${mark};n${n}-${mark}@exemple.fr;${client.email}`);
    const wrong = [`Double;n0-${mark}@exemple.fr;${client.email}`, `Inconnu;x-${mark}@exemple.fr;personne@exemple.fr`];
    const read = await readFile(admin, `Nom;E-mail;Parrain\n${[...lines, ...wrong].join('\n')}`);
    const file = { import_id: read.body.data.id as string, columns };
    expect((await act(admin, 'check', file)).body.data).toMatchObject({ ready: 19_998, refused: 2 });
    const confirmation = { action: 'confirm', kind: 'referrals', ...file, invites: false, expected: 19_998 };
    const written = async () =>
      only(
        await server.database.asOwner<{ count: number }>(
          'select count(*)::int as count from public.sales where referred_contact_name = $1',
          [`Ami ${mark}`],
        ),
      ).count;
    expect(
      await cutWhileItWrites(server, admin, {
        name: 'imports',
        body: confirmation,
        writes: 'private.import_referrals(',
      }),
    ).toBe('cut');
    expect(await written()).toBe(0);
    const first = await act(admin, 'confirm', confirmation);
    expect(first.body.data).toEqual({ id: file.import_id, written: 19_998, left_out: 2 });
    expect((await act(admin, 'confirm', confirmation)).body).toEqual(first.body);
    expect(await written()).toBe(19_998);
    expect((await act(admin, 'undo', file)).body.data).toEqual({ removed: 19_998, kept: 0 });
    expect(await written()).toBe(0);
  },
);
