import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';

import { aClient, aCommercial, anAccountant, anAdmin, aSale, aScale, aValidatedSale, only } from '../index.ts';
import type { Person, TestServer } from '../index.ts';
import { aCompanyKey } from '../company-key.ts';

/** Identities tried at every door (R3). The forged token claims « admin » and is signed with another key. */
export const IDENTITIES = [
  'anon',
  'client A',
  'client B',
  'commercial A',
  'commercial B',
  'admin',
  'accountant',
  'secret key',
  'company key',
  'expired token',
  'deleted user',
  'forged token',
] as const;
export type IdentityName = (typeof IDENTITIES)[number];

/** Request headers of an identity. */
export type Credentials = { readonly apikey: string; readonly token: string | null };

export type World = {
  readonly server: TestServer;
  readonly people: Readonly<Record<'client A' | 'client B' | 'commercial A' | 'commercial B' | 'admin', Person>>;
  readonly credentials: Readonly<Record<IdentityName, Credentials>>;
  /** The name of a row in a verdict, by its key. */
  readonly labels: ReadonlyMap<string, string>;
};

const CHOICE = `select from private.choose_notices('contracts', 'each_morning')`;

/** Two circles that own one of everything, and must not see of each other. */
export async function aWorld(server: TestServer): Promise<World> {
  const db = server.database;
  const admin = await anAdmin(db);
  await db.become(admin, (run) => run(CHOICE));
  const mail = only(
    await db.asOwner<{ id: string }>(
      `insert into private.mails (template, status) values ('trial', 'accepted') returning id`,
    ),
  );
  const accountant = await anAccountant(db);
  // Terms of each side to keep, that change nothing of what it earns.
  const rules = { min_contract: 1 };
  const scale = await aScale(db, { isDefault: true, clientRules: rules, commercialRules: rules });
  const labels = new Map<string, string>([
    [admin.id, 'admin'],
    [accountant.id, 'accountant'],
    [scale.id, 'scale'],
    [mail.id, 'mail'],
    ['1', 'settings'],
  ]);
  for (const { code } of await db.asOwner<{ code: string }>('select code from public.doubt_rules'))
    labels.set(code, `rule ${code}`);

  async function circle(letter: 'A' | 'B'): Promise<{ readonly commercial: Person; readonly client: Person }> {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    const open = await aSale(db, { commercial, friendReferrer: client });
    await db.become(commercial, (run) =>
      run(`select from private.keep_follow_up($1, 'Rappeler le soir', null)`, [open.id]),
    );
    await db.become(client, (run) => run('select from private.ask_for_news($1)', [open.id]));
    await db.asOwner('insert into public.external_references (source, reference, sale_id) values ($1, $2, $3)', [
      `tool ${letter}`,
      letter,
      open.id,
    ]);
    labels.set(`tool ${letter}`, `reference ${letter}`);
    const consent = only(
      await db.asOwner<{ id: string }>(
        `insert into public.call_consents (sale_id, is_given, statement, version, place)
         values ($1, true, 'J’accepte d’être appelé.', '2026-11', 'public_page') returning id`,
        [open.id],
      ),
    );
    labels.set(consent.id, `consent ${letter}`);
    await db.asOwner(`insert into public.correction_requests (sale_id, message) values ($1, 'Montant hors taxes')`, [
      open.id,
    ]);
    await db.asOwner('insert into public.friend_messages (sale_id, written_by) values ($1, $2)', [
      open.id,
      commercial.id,
    ]);
    const doubt = only(
      await db.asOwner<{ id: string; reason: string }>(
        `with opened as (insert into public.doubtful_cases (sale_id, payee_id) values ($1, $2) returning id)
         insert into public.doubt_reasons (case_id, rule, compared) select id, 'self_referral', 'phone' from opened
         returning case_id as id, id as reason`,
        [open.id, client.id],
      ),
    );
    labels.set(doubt.id, `doubt ${letter}`).set(doubt.reason, `reason ${letter}`);
    const validated = await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
    const request = only(
      await db.become(client, (run) =>
        run<{ id: string; iban: string }>(
          `select id, iban_id as iban from private.request_payment(20, 'virement', '{}', null, sha256(convert_to($1, 'UTF8')))`,
          [letter],
        ),
      ),
    );
    const payments = await db.asOwner<{ id: string; type: string }>(
      'select id, type from public.commission_payments where sale_id = $1',
      [validated.id],
    );
    const closure = only(
      await db.become(client, (run) =>
        run<{ id: string }>(`select (request).id from private.request_account_closure('Je pars')`),
      ),
    );
    for (const person of [commercial, client]) await db.become(person, (run) => run(CHOICE));
    labels.set(closure.id, `closure ${letter}`);
    labels.set(commercial.id, `commercial ${letter}`).set(client.id, `client ${letter}`);
    labels.set(open.id, `open ${letter}`).set(validated.id, `validated ${letter}`);
    labels.set(request.id, `request ${letter}`).set(request.iban, `iban ${letter}`);
    for (const { id, type } of payments) labels.set(id, `${type} commission ${letter}`);
    return { commercial, client };
  }

  const a = await circle('A');
  const b = await circle('B');
  // As if the scale of their commissions kept them for a day.
  await db.asOwner(
    `insert into public.commission_holds (commission_id, payee_id, amount, until, is_test)
     select id, recipient_id, amount, now() + interval '1 day', is_test from public.commission_payments where type = 'client'`,
  );
  // As if each client had accepted the rules.
  await db.become(admin, (run) => run(`select private.publish_rules('Article 1', 0)`));
  for (const { client } of [a, b]) await db.become(client, (run) => run('select private.accept_rules(1)'));
  // As if each of their requests was paid, and proven.
  await db.asOwner(
    `insert into public.payment_proofs (request_id, name, content_type, size, sha256)
     select id, 'preuve.pdf', 'application/pdf', 1, sha256('x') from public.payment_requests`,
  );
  // As if each client had sent an invoice of their own.
  const invoices = await db.asOwner<{ id: string; payee: string }>(
    `insert into public.payee_invoices (request_id, payee_id, number, invoiced_on, amount, name, size, is_test)
     select id, client_id, 'F-1', '2026-01-02', amount, 'facture.pdf', 1, false from public.payment_requests returning id, payee_id as payee`,
  );
  for (const { id, payee } of invoices) labels.set(id, `invoice ${labels.get(payee)?.at(-1) ?? ''}`);
  // As if each commercial had given the account that they are paid on.
  const accounts = await db.asOwner<{ id: string; payee: string }>(
    `insert into public.bank_accounts (payee_id, holder, iban, iban_id)
     select p.commercial_id, 'Titulaire', 'FR76 •••• •••• 0189', i.id
     from public.payee_ibans i join public.profiles p on p.id = i.client_id returning id, payee_id as payee`,
  );
  for (const { id, payee } of accounts) labels.set(id, `bank account ${labels.get(payee)?.at(-1) ?? ''}`);
  // As if last month had been paid to each commercial.
  const periods = await db.asOwner<{ id: string; payee: string }>(
    `insert into public.paid_periods (payee_id, month, amount, paid_by, is_test)
     select distinct c.recipient_id, (private.month_of(now()) - interval '1 month')::date, 0.01, $1::uuid, false
     from public.commission_payments c where c.type = 'commercial' returning id, payee_id as payee`,
    [admin.id],
  );
  for (const { id, payee } of periods) labels.set(id, `paid period ${labels.get(payee)?.at(-1) ?? ''}`);
  const papers = await db.asOwner<{ id: string; payee: string }>(
    `insert into public.papers (series, year, number, label, payee_id, request_id, issued_on, amount, is_test, content)
     select 'R', 2026, n, 'R-2026-000' || n, client_id, id, '2026-01-02', amount, false, '{}'
     from (select *, row_number() over (order by created_at) as n from public.payment_requests) r
     returning id, payee_id as payee`,
  );
  for (const { id, payee } of papers) labels.set(id, `paper ${labels.get(payee)?.at(-1) ?? ''}`);
  // As if each client questioned a line of their account.
  const disputes = await db.asOwner<{ id: string; message: string; payee: string }>(
    `with opened as (
       insert into public.disputes (payee_id, entry_id, source_id, act, line, is_test)
       select e.payee_id, e.id, e.source_id, e.act, e.line, e.is_test from public.ledger_entries e
       where e.act = 'validation' and e.detail = 'client' returning id, payee_id)
     insert into public.dispute_messages (dispute_id, author_id, body) select id, payee_id, 'Pourquoi ?' from opened
     returning dispute_id as id, id as message, author_id as payee`,
  );
  for (const { id, message, payee } of disputes) {
    const letter = labels.get(payee)?.at(-1) ?? '';
    labels.set(id, `dispute ${letter}`).set(message, `message ${letter}`);
  }
  // As if each client had owed something that was waived.
  await db.asOwner('alter table public.debt_acts disable trigger user');
  const debts = await db.asOwner<{ id: string; payee: string }>(
    `insert into public.debt_acts (payee_id, kind, amount, debt_before, at, reason, decided_by, is_test)
     select payee_id, 'waiver', 1, 1, now(), 'Geste', $1, false from public.disputes returning id, payee_id as payee`,
    [admin.id],
  );
  for (const { id, payee } of debts) labels.set(id, `debt ${labels.get(payee)?.at(-1) ?? ''}`);
  // A third client, whom neither circle knows: one transfer in a batch, one that waits for one.
  const third = await aClient(db);
  await db.asOwner('insert into public.balances (profile_id, earned) values ($1, 100)', [third.id]);
  const transfers = await db.asOwner<{ id: string }>(
    `insert into public.payment_requests (client_id, amount) values ($1, 30), ($1, 40) returning id`,
    [third.id],
  );
  await db.asOwner(`update public.payment_requests set status = 'approved', approved_at = now() where client_id = $1`, [
    third.id,
  ]);
  const batch = only(
    await db.become(admin, (run) =>
      run<{ id: string }>('select private.make_batch(array[$1::uuid], 30) as id', [transfers[0]?.id]),
    ),
  );
  // They are told of by the others' requests already.
  await db.asOwner(
    'delete from public.notices where request_id in (select id from public.payment_requests where client_id = $1)',
    [third.id],
  );
  labels.set(third.id, 'third client').set(batch.id, 'batch');
  transfers.forEach(({ id }, index) => labels.set(id, `transfer ${index + 1}`));
  const notices = await db.asOwner<{ id: string; kind: string; recipient: string }>(
    'select id, kind, recipient_id as recipient from public.notices',
  );
  for (const { id, kind, recipient } of notices) labels.set(id, `${kind} to ${labels.get(recipient) ?? 'nobody'}`);
  const companyKey = await aCompanyKey(server, admin);
  labels.set(companyKey.id, 'key');
  // So that nothing is written of its use while it is asked.
  await db.asOwner(`update public.api_keys set last_used_at = now() + interval '1 day'`);
  const deleted = await aClient(db, { commercial: a.commercial });
  const { publishableKey, secretKey } = server.services.keys;
  const bearer = async (person: Person): Promise<Credentials> => ({
    apikey: publishableKey,
    token: await server.tokenOf(person),
  });
  const credentials: Record<IdentityName, Credentials> = {
    anon: { apikey: publishableKey, token: null },
    'client A': await bearer(a.client),
    'client B': await bearer(b.client),
    'commercial A': await bearer(a.commercial),
    'commercial B': await bearer(b.commercial),
    admin: await bearer(admin),
    accountant: await bearer(accountant),
    'secret key': { apikey: secretKey, token: null },
    'company key': { apikey: companyKey.secret, token: null },
    'expired token': { apikey: publishableKey, token: await expired(server, await server.tokenOf(admin)) },
    'deleted user': await bearer(deleted),
    'forged token': { apikey: publishableKey, token: await forged(await server.tokenOf(admin)) },
  };
  await db.asOwner('delete from auth.users where id = $1', [deleted.id]);
  return {
    server,
    people: {
      'client A': a.client,
      'client B': b.client,
      'commercial A': a.commercial,
      'commercial B': b.commercial,
      admin,
    },
    credentials,
    labels,
  };
}

/** The same token, from an hour ago on. */
async function expired(server: TestServer, token: string): Promise<string> {
  const { sub, session_id, ...others } = decodeJwt<{ readonly session_id: string }>(token);
  if (sub === undefined) throw new Error('This token names nobody');
  const made = await server.services.tokens.sign({ ...others, sub, session_id }, { expiresInSeconds: -3600 });
  return made.token;
}

/** The same header and claims, another key. */
async function forged(token: string): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const { kid } = decodeProtectedHeader(token);
  const header = { alg: 'ES256', typ: 'JWT', jwk: await exportJWK(publicKey), ...(kid === undefined ? {} : { kid }) };
  return new SignJWT(decodeJwt(token)).setProtectedHeader(header).sign(privateKey);
}
