import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { cutWhileItWrites } from '../../testing/cut-call.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  only,
  someLetters,
  startTestServer,
  brokenInvariants,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// EX-04: a file is read, looked at, confirmed and undone.

let server: TestServer;
let admin: Person;
let commercial: Person;
let other: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database, { fullName: 'Aline Admin' });
  commercial = await aCommercial(server.database, { fullName: 'Marc Commercial' });
  other = await aCommercial(server.database, { fullName: 'Ines Autre' });
});
afterAll(async () => {
  expect(await brokenInvariants(server.database.asOwner)).toEqual([]);
  await server.close();
});

const address = () => `client-${randomUUID().slice(0, 8)}@exemple.fr`;
const readFile = (who: Person, text: string, name = 'clients.csv') => {
  const form = new FormData();
  form.set('name', name);
  form.set('file', new File([text], name));
  return callAs(server, who, 'imports?action=read', form);
};
const act = (who: Person, action: string, body: Record<string, unknown>) =>
  callAs(server, who, 'imports', { action, ...body });
const listOf = async (who: Person) =>
  (await callAs(server, who, 'imports?action=list', undefined, { method: 'GET' })).body.data as Record<
    string,
    unknown
  >[];
const profilesOf = (emails: readonly string[]) =>
  server.database.asOwner<Record<string, unknown>>(
    'select full_name, email, phone, company, notes, role, commercial_id from public.profiles where email = any ($1) order by email',
    [emails],
  );
/** A file of one client a line, read. */
const aFile = async (who: Person, emails: readonly string[]) => {
  const read = await readFile(
    who,
    `Nom;E-mail\n${emails.map((email, n) => `Client ${'abcdefgh'[n]};${email}`).join('\n')}`,
  );
  return { import_id: read.body.data.id as string, columns: ['name', 'email'], commercial_id: null };
};
const imported = async (who: Person, emails: readonly string[], invites = false) => {
  const file = await aFile(who, emails);
  const done = await act(who, 'confirm', { ...file, invites, expected: emails.length });
  expect(done.body).toMatchObject({ success: true, data: { written: emails.length } });
  return file.import_id;
};

describe('a file', () => {
  test('[EX-04] its columns are found, every line is checked, and nothing is written until it is confirmed', async () => {
    const known = await aClient(server.database, { commercial, fullName: 'Déjà Là' });
    const emails = [address(), address()].toSorted();
    const text = [
      'Prénom;Nom;E-mail;Tél.;Société;Commercial;CA généré',
      `Zoë;Lefèvre;${emails[0]?.toUpperCase()};612345678;Lefèvre SARL;${commercial.email};12`,
      `;Paul Martin;${emails[1]};;;marc commercial;`,
      `;;${address()};;;;`,
      ';Léa;lea@@exemple.fr;;;;',
      `;Encore Zoë;${emails[0]};;;;`,
      `;Déjà;${known.email};;;;`,
      `;Nadia;${address()};;;inconnu@exemple.fr;`,
      `;Hugo;${address()};pas un numéro;;;`,
    ].join('\r\n');
    const read = await readFile(admin, text);
    expect(read).toMatchObject({
      status: 200,
      body: {
        data: {
          lines: 8,
          titles: ['Prénom', 'Nom', 'E-mail', 'Tél.', 'Société', 'Commercial', 'CA généré'],
          columns: ['first_name', 'name', 'email', 'phone', 'company', 'commercial', ''],
        },
      },
    });
    const { id, columns, samples } = read.body.data;
    expect(samples[1]).toEqual(['Lefèvre', 'Paul Martin', 'Léa']);
    const file = { import_id: id, columns, commercial_id: other.id };
    const checked = await act(admin, 'check', file);
    expect(checked.body.data).toMatchObject({
      ready: 2,
      refused: 6,
      preview: [
        { line: 2, name: 'Zoë Lefèvre', email: emails[0], phone: '0612345678' },
        { line: 3, name: 'Paul Martin' },
      ],
      problems: [
        { line: 4, problems: ['Nom manquant'] },
        { line: 5, problems: [expect.stringMatching(/^E-mail : /u)] },
        { line: 6, problems: ['Même e-mail que la ligne 2'] },
        { line: 7, problems: ['Un compte existe déjà avec cet e-mail : Déjà Là'] },
        { line: 8, problems: ['Commercial : aucun commercial actif n’a ce nom ou cet e-mail'] },
        { line: 9, problems: [expect.stringMatching(/^Téléphone : /u)] },
      ],
    });
    const refused = await act(admin, 'refused', file);
    const lines = (refused.body.data.content as string).split('\r\n');
    expect(lines[0]).toBe('\uFEFFPrénom;Nom;E-mail;Tél.;Société;Commercial;CA généré;À corriger;Ligne');
    expect(lines).toHaveLength(8);
    expect(lines[3]).toBe(`;Encore Zoë;${emails[0]};;;;;Même e-mail que la ligne 2;6`);
    expect(await profilesOf(emails)).toEqual([]);

    expect((await act(admin, 'confirm', { ...file, invites: false, expected: 3 })).body.code).toBe('import_changed');
    expect(await profilesOf(emails)).toEqual([]);
    const done = await act(admin, 'confirm', { ...file, invites: false, expected: 2 });
    expect(done.body.data).toEqual({ id, written: 2, left_out: 6 });
    expect(await profilesOf(emails)).toEqual([
      expect.objectContaining({ email: emails[0], role: 'client', commercial_id: commercial.id }),
      expect.objectContaining({ email: emails[1], commercial_id: commercial.id }),
    ]);
    // The person's choice of columns is remembered.
    await act(admin, 'confirm', { ...file, invites: false, expected: 2 });
    expect((await readFile(admin, text)).body.data.columns).toEqual(columns);
  });

  test('[EX-04] confirmed twice at once it is one import, with one answer', async () => {
    const emails = [address(), address()];
    const file = await aFile(admin, emails);
    const confirm = () => act(admin, 'confirm', { ...file, invites: false, expected: 2 });
    const [first, second] = await Promise.all([confirm(), confirm()]);
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect((await confirm()).body).toEqual(first.body);
    expect(await profilesOf(emails)).toHaveLength(2);
  });

  test('[EX-04] whoever came in by another way since it was looked at keeps it all from being written', async () => {
    const emails = [address(), address()];
    const file = await aFile(admin, emails);
    await aClient(server.database, { email: emails[1] ?? '' });
    expect((await act(admin, 'confirm', { ...file, invites: false, expected: 2 })).body.code).toBe('import_changed');
    expect(await profilesOf(emails)).toHaveLength(1);
  });

  test('[EX-04] columns said by hand are those of the next file', async () => {
    const email = address();
    const read = await readFile(admin, `Qui;Où\nLéa;${email}`);
    expect(read.body.data.columns).toEqual(['', '']);
    const file = { import_id: read.body.data.id, commercial_id: null };
    expect((await act(admin, 'check', { ...file, columns: ['name', ''] })).status).toBe(400);
    await act(admin, 'confirm', { ...file, columns: ['name', 'email'], invites: false, expected: 1 });
    expect((await readFile(admin, `OÙ;Qui\n${address()};Léa`)).body.data.columns).toEqual(['email', 'name']);
    expect((await readFile(commercial, `Qui;Où\nLéa;${address()}`)).body.data.columns).toEqual(['', '']);
  });

  test('[EX-04] that is too large, or none, is refused in French', async () => {
    expect((await readFile(admin, `Nom;E-mail\n${'x'.repeat(5 * 1024 * 1024)}`)).body).toMatchObject({
      code: 'import_file_too_large',
    });
    expect((await readFile(admin, 'PK\u0003\u0004')).body).toMatchObject({ code: 'import_file_unknown' });
    const lines = Array.from({ length: 2001 }, (_, n) => `C;c${n}@exemple.fr`).join('\n');
    expect((await readFile(commercial, `Nom;E-mail\n${lines}`)).body).toMatchObject({
      code: 'import_too_long',
      error: 'Ce fichier a plus de 2\u202f000 lignes : importez-le en plusieurs fois.',
    });
  });
});

describe('who imports', () => {
  test('[EX-04] [AD-06] a commercial imports their own clients alone, and is told no name of another’s', async () => {
    const mine = await aClient(server.database, { commercial, fullName: 'Ma Cliente' });
    const theirs = await aClient(server.database, { commercial: other, fullName: 'Secret' });
    const email = address();
    const read = await readFile(
      commercial,
      `Nom;E-mail;Commercial\nA;${mine.email};\nB;${theirs.email};\nC;${email};${other.email}`,
    );
    expect(read.body).toMatchObject({ data: { columns: ['name', 'email', ''] } });
    const file = { import_id: read.body.data.id, columns: ['name', 'email', 'commercial'], commercial_id: other.id };
    const { body } = await act(commercial, 'check', file);
    expect(body.data.problems).toEqual([
      { line: 2, problems: ['Un compte existe déjà avec cet e-mail : Ma Cliente'] },
      { line: 3, problems: ['Un compte existe déjà avec cet e-mail.'] },
    ]);
    await act(commercial, 'confirm', { ...file, invites: false, expected: 1 });
    expect(await profilesOf([email])).toEqual([expect.objectContaining({ commercial_id: commercial.id })]);
  });

  test('[EX-04] a client imports nothing; nobody reads, confirms or undoes another’s file', async () => {
    const client = await aClient(server.database, { commercial });
    const emails = [address()];
    const file = await aFile(commercial, emails);
    for (const who of [client, other, admin]) {
      const answers = await Promise.all([
        act(who, 'check', file),
        act(who, 'confirm', { ...file, invites: false, expected: 1 }),
      ]);
      for (const { body } of answers) expect(body.code).toBe(who === client ? 'forbidden' : 'import_not_found');
    }
    await act(commercial, 'confirm', { ...file, invites: false, expected: 1 });
    expect((await act(other, 'undo', file)).body.code).toBe('import_not_found');
    expect((await listOf(other)).some(({ id }) => id === file.import_id)).toBe(false);
    // An admin sees them all, and may take any back.
    expect((await listOf(admin)).find(({ id }) => id === file.import_id)).toMatchObject({
      made_by_name: 'Marc Commercial',
      written: 1,
    });
    expect((await act(admin, 'undo', file)).body.data).toEqual({ removed: 1, kept: 0 });
    expect(await profilesOf(emails)).toEqual([]);
  });
});

test('[EX-04] [V-13] undone, it takes back what nothing was added to, and says what it left and why', async () => {
  const emails = Array.from({ length: 4 }, address);
  const id = await imported(commercial, emails);
  const people = await server.database.asOwner<{ id: string; email: string }>(
    'select id, email from public.profiles where email = any ($1)',
    [emails],
  );
  const of = (n: number) => people.find(({ email }) => email === emails[n])?.id;
  await server.database.asOwner('update auth.users set last_sign_in_at = now() where id = $1', [of(0)]);
  await server.database.asOwner(
    `insert into public.sales (referred_contact_name, referred_contact_email, friend_referrer_id, commercial_id) values ('Ami', $1, $2, $3)`,
    [address(), of(1), commercial.id],
  );
  await callAs(server, commercial, 'update-client', { client_id: of(2), name: 'Corrigée' });
  expect((await act(commercial, 'undo', { import_id: id })).body.data).toEqual({ removed: 1, kept: 3 });
  expect(await profilesOf(emails)).toHaveLength(3);
  expect((await listOf(commercial)).find((one) => one['id'] === id)).toMatchObject({
    removed: 1,
    here: 3,
    kept: { signed_in: 1, referral: 1, changed: 1 },
  });
  // A removed client can be imported again.
  expect(await imported(commercial, [emails[3] ?? ''])).not.toBe(id);
});

describe('invitations', () => {
  test('[EX-04] [X-05] where they are asked for, each client gets a password of their own by mail, and signs in with it', async () => {
    const emails = [address(), address()];
    await imported(commercial, emails, true);
    const mails = await Promise.all(emails.map((email) => server.mailbox.take(email)));
    const passwords = mails.map(({ text }) => /Mot de passe temporaire : (\S+)/u.exec(text)?.[1] ?? '');
    expect(new Set(passwords).size).toBe(2);
    expect(mails[0]?.text).toContain('Marc Commercial vous invite');
    const signedIn = await callAs(server, undefined, 'auth-signin', { email: emails[0], password: passwords[0] });
    expect(signedIn.body).toMatchObject({ password_change_required: true, profile: { role: 'client' } });
    expect((await listOf(commercial))[0]).toMatchObject({ invitations_due: 0, invitations_sent: 2 });
  });

  test('[EX-04] where they are not, no mail leaves and no password opens the account', async () => {
    const email = address();
    await imported(commercial, [email]);
    const invited = address();
    await imported(commercial, [invited], true);
    await server.mailbox.take(invited);
    expect(server.mailbox.mails.some(({ recipients }) => recipients.includes(email))).toBe(false);
    const { encrypted_password: hash } = only(
      await server.database.asOwner<{ encrypted_password: string | null }>(
        'select encrypted_password from auth.users where email = $1',
        [email],
      ),
    );
    expect(hash).toBeNull();
    expect((await callAs(server, undefined, 'auth-signin', { email, password: '' })).status).toBe(400);
  });

  test('[EX-04] [FX-04] they wait where the mails of the hour are used up, and an undoing stops those that wait', async () => {
    const small = await startTestServer({ smtp: true, environment: { MAILS_PER_HOUR: '1' } });
    try {
      const who = await anAdmin(small.database);
      const form = new FormData();
      const emails = [address(), address()];
      form.set('file', new File([`Nom;E-mail\nA;${emails[0]}\nB;${emails[1]}`], 'a.csv'));
      const read = await callAs(small, who, 'imports?action=read', form);
      const file = { import_id: read.body.data.id, columns: ['name', 'email'], commercial_id: null };
      await callAs(small, who, 'imports', { action: 'confirm', ...file, invites: true, expected: 2 });
      // [DF-06] Whoever imports clients without a commercial is not told of each: 20 000 lines would be as many mails.
      expect(await small.database.asOwner('select from public.notices')).toEqual([]);
      await small.mailbox.take(emails[0] ?? '');
      const list = async () =>
        (await callAs(small, who, 'imports?action=list', undefined, { method: 'GET' })).body.data[0];
      expect(await list()).toMatchObject({ invitations_due: 1, invitations_sent: 1 });
      expect((await callAs(small, who, 'imports', { action: 'undo', ...file })).body.data).toEqual({
        removed: 2,
        kept: 0,
      });
      expect(await list()).toMatchObject({ invitations_due: 0, here: 0 });
    } finally {
      await small.close();
    }
  });
});

test(
  '[EX-04] 20 000 lines with errors of each kind; killed while it writes, the server has written none; asked again it writes all, once',
  { tags: 'long' },
  async () => {
    const mark = someLetters();
    const lines = Array.from({ length: 19_996 }, (_, n) => `Client ${mark};n${n}-${mark}@exemple.fr`);
    const known = await aClient(server.database);
    const wrong = [
      'Sans adresse;',
      `;sans-nom-${mark}@exemple.fr`,
      `Double;n0-${mark}@exemple.fr`,
      `Connu;${known.email}`,
    ];
    const read = await readFile(admin, `Nom;E-mail\n${[...lines, ...wrong].join('\n')}`);
    const file = { import_id: read.body.data.id as string, columns: ['name', 'email'], commercial_id: commercial.id };
    const checked = await act(admin, 'check', file);
    expect(checked.body.data).toMatchObject({ ready: 19_996, refused: 4 });
    const confirmation = { action: 'confirm', ...file, invites: false, expected: 19_996 };
    const written = async () =>
      only(
        await server.database.asOwner<{ count: number }>(
          'select count(*)::int as count from public.profiles where full_name = $1',
          [`Client ${mark}`],
        ),
      ).count;

    expect(
      await cutWhileItWrites(server, admin, { name: 'imports', body: confirmation, writes: 'private.import_clients(' }),
    ).toBe('cut');
    expect(await written()).toBe(0);

    const first = await act(admin, 'confirm', confirmation);
    expect(first.body.data).toEqual({ id: file.import_id, written: 19_996, left_out: 4 });
    expect((await act(admin, 'confirm', confirmation)).body).toEqual(first.body);
    expect(await written()).toBe(19_996);
    expect((await act(admin, 'undo', file)).body.data).toEqual({ removed: 19_996, kept: 0 });
    expect(await written()).toBe(0);
  },
);
