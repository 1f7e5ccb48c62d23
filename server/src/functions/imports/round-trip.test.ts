import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// DF-32: what we export we import.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database, { fullName: 'Marc Commercial' });
  client = await aClient(server.database, { commercial, fullName: 'Paule Parrain' });
});
afterAll(() => server.close());

type Kind = 'clients' | 'referrals';

const mark = randomUUID().slice(0, 8);
const address = (n: number, kind: Kind) => `${kind}-${n}-${mark}@exemple.fr`;
const readFile = async (who: Person, kind: Kind, content: string | Uint8Array<ArrayBuffer>) => {
  const form = new FormData();
  form.set('kind', kind);
  form.set('name', 'liste');
  form.set('file', new File([content], 'liste'));
  return (await callAs(server, who, 'imports?action=read', form)).body;
};
const act = async (who: Person, kind: Kind, action: string, body: Record<string, unknown>) =>
  (await callAs(server, who, 'imports', { action, kind, ...body })).body;
const rowsOf = (kind: Kind) =>
  server.database.asOwner(
    kind === 'clients'
      ? `select full_name, email, phone, company, commercial_id from public.profiles where email like $1 order by email`
      : `select referred_contact_name, referred_contact_email, referred_contact_phone, friend_referrer_id, commercial_id
         from public.sales where referred_contact_email like $1 order by referred_contact_email`,
    [`${kind}-%-${mark}@exemple.fr`],
  );
/** Reads a file with the columns that are found, and writes every line of it. */
const imported = async (who: Person, kind: Kind, content: string | Uint8Array<ArrayBuffer>) => {
  const { data } = await readFile(who, kind, content);
  const file = { import_id: data.id as string, columns: data.columns as string[] };
  const checked = await act(who, kind, 'check', file);
  const done = await act(who, kind, 'confirm', { ...file, invites: false, expected: checked.data.ready });
  return { file, checked: checked.data, done: done.data };
};

/** Names, numbers and companies that a spreadsheet would run. */
const people = [
  ['Zoë Lefèvre', '+33612345678', '=Max & Fils'],
  ["Ann d'Arc", '0612345679', '"Cité" ; Lyon'],
  ['Jean-Noël', '+33 6 12 34 56 80', "'=déjà"],
] as const;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

test.for([
  ['clients', 'clients', 'csv'],
  ['clients', 'clients', 'xlsx'],
  ['clients', 'client-summaries', 'csv'],
  ['clients', 'client-summaries', 'xlsx'],
  ['referrals', 'sales', 'csv'],
  ['referrals', 'sales', 'xlsx'],
  ['referrals', 'received-referrals', 'csv'],
  ['referrals', 'received-referrals', 'xlsx'],
] as const)('[DF-32] the %s of « %s.%s » come back as they were', async ([kind, list, format]) => {
  const who = list === 'clients' || list === 'sales' ? admin : commercial;
  const titles =
    kind === 'clients' ? 'Nom;E-mail;Téléphone;Entreprise;Commercial' : 'Nom;E-mail;Téléphone;Note;Parrain';
  const last = kind === 'clients' ? commercial.email : client.email;
  const first = await imported(
    who,
    kind,
    [
      titles,
      ...people.map(([name, phone, company], n) =>
        [name, address(n, kind), phone, company, last].map(quoted).join(';'),
      ),
    ].join('\n'),
  );
  expect(first.done).toMatchObject({ written: 3, left_out: 0 });
  const before = await rowsOf(kind);
  expect(before).toHaveLength(3);
  const response = await server.fetch(`/exports/v1/${list}.${format}`, {}, who);
  const exported = new Uint8Array(await response.arrayBuffer());
  await act(who, kind, 'undo', { import_id: first.file.import_id });
  expect(await rowsOf(kind)).toEqual([]);

  const again = await imported(who, kind, exported);
  expect(again.done.written).toBe(3);
  expect(await rowsOf(kind)).toEqual(before);
  // Each person who was there already is named with their line, and so is the line of totals.
  const sentences = again.checked.problems.flatMap(({ problems }: { problems: string[] }) => problems);
  for (const sentence of sentences)
    expect(sentence).toMatch(/^(?:Ligne de total|Un compte existe déjà|Déjà parrainé)/u);
  expect(sentences.includes('Ligne de total')).toBe(format === 'xlsx');
  await act(who, kind, 'undo', { import_id: again.file.import_id });
});

test('[DF-32] « lignes-a-corriger.csv », put right, is imported, whatever its columns were called', async () => {
  for (const titles of ['Nom;E-mail;Téléphone', '']) {
    const email = address(titles.length, 'clients');
    const { data } = await readFile(
      admin,
      'clients',
      `${titles}\nZoë;${email};+33 ici\nNoël;${address(8, 'clients')};0612345678`,
    );
    const file = { import_id: data.id, columns: ['name', 'email', 'phone'] };
    const refused = await act(admin, 'clients', 'refused', file);
    expect(refused.data.content).toContain(`Zoë;${email};'+33 ici;`);
    const corrected = (refused.data.content as string).replace("'+33 ici;", "'+33612345678;");
    const read = await readFile(admin, 'clients', corrected);
    expect(read.data).toMatchObject({ lines: 1, reading: { header: 1 } });
    const columns = titles === '' ? ['name', 'email', 'phone', '', ''] : read.data.columns;
    const checked = await act(admin, 'clients', 'check', { import_id: read.data.id, columns });
    expect(checked.data).toMatchObject({
      ready: 1,
      refused: 0,
      preview: [{ name: 'Zoë', email, phone: '+33612345678' }],
    });
  }
});

test('[DF-22] a file that cannot be read is a try like any other', async () => {
  const stranger = await aCommercial(server.database);
  const tries = async () =>
    server.database.asOwner<{ left: number }>(
      `select tokens::float8 as left from private.rate_limits where bucket = $1`,
      [`day:file-read:${stranger.id}`],
    );
  expect(await tries()).toEqual([]);
  expect(await readFile(stranger, 'clients', '%PDF-1.7')).toMatchObject({
    code: 'import_file_unknown',
    error: 'Ce fichier est un PDF. Choisissez un fichier CSV, Excel (.xlsx) ou LibreOffice (.ods), sans mot de passe.',
  });
  expect(await tries()).toHaveLength(1);
});

test('[DF-31] sheet, separator, encoding and line of titles are what the person says; what is none of them is refused', async () => {
  const read = (choice: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(choice)) form.set(name, value);
    form.set('file', new File([Buffer.from('Amis;\nNom|E-mail;x\nZoé;zoe@x.fr|a', 'latin1')], 'a.csv'));
    return callAs(server, admin, 'imports?action=read', form);
  };
  expect((await read({})).body.data.reading).toMatchObject({ separator: ';', encoding: 'windows-1252' });
  expect((await read({ separator: '|', header: '2', encoding: 'macintosh' })).body.data).toMatchObject({
    titles: ['Nom', 'E-mail;x'],
    samples: [['ZoÈ;zoe@x.fr'], ['a']],
    reading: {
      separator: '|',
      header: 2,
      encoding: 'macintosh',
      head: [{ line: 1, text: 'Amis;' }, { line: 2 }, { line: 3 }],
    },
  });
  for (const wrong of [{ separator: 'x' }, { encoding: 'ebcdic' }, { header: '-1' }]) {
    expect((await read(wrong)).body).toMatchObject({ code: 'invalid_input' });
  }
});

test('[DF-31] what a spreadsheet could not work out becomes nobody’s company: its line is refused, with the cell', async () => {
  const { data } = await readFile(admin, 'clients', `Nom;E-mail;Entreprise\nZoé;${address(9, 'clients')};#N/A`);
  const checked = await act(admin, 'clients', 'check', { import_id: data.id, columns: data.columns });
  expect(checked.data).toMatchObject({
    ready: 0,
    problems: [{ line: 2, problems: ['Entreprise : « #N/A » est une erreur de calcul du tableur'] }],
  });
});
