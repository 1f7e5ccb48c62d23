import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, Sale, TestDatabase } from '../src/testing.ts';

/** A small company in which everybody owns something of every kind, and so has something that others must not reach. */
export type World = {
  readonly db: TestDatabase;
  readonly admin: Person;
  readonly scale: { readonly id: string };
  readonly mine: Circle;
  readonly others: Circle;
};

/** A commercial, their client, an open referral, a validated one, and a request paid out of it. */
export type Circle = {
  readonly commercial: Person;
  readonly client: Person;
  readonly open: Sale;
  readonly validated: Sale;
  readonly request: string;
  /** The client's request to close their account. */
  readonly closure: string;
};

const CHOICE = `select from private.choose_notices('contracts', 'each_morning')`;

export async function aWorld(): Promise<World> {
  const db = await createTestDatabase();
  const admin = await anAdmin(db);
  await db.become(admin, (run) => run(CHOICE));
  await db.asOwner(`insert into private.mails (template, status) values ('trial', 'accepted')`);
  await db.become(admin, (run) =>
    run(`select private.create_api_key('CRM', '{read}', null, 'prk_abcdefgh', sha256('x'))`),
  );
  // Terms of each side to keep, that change nothing of what it earns.
  const rules = { min_contract: 1 };
  const scale = await aScale(db, { isDefault: true, clientRules: rules, commercialRules: rules });
  return { db, admin, scale, mine: await aCircle(db, admin, scale), others: await aCircle(db, admin, scale) };
}

/** A client of nobody's, with a transfer in a batch and one that waits for one; what they earned has no sale behind it. */
export async function aBatch(db: TestDatabase, admin: Person): Promise<void> {
  const client = await aClient(db);
  await db.asOwner('insert into public.balances (profile_id, earned) values ($1, 100)', [client.id]);
  const requests = await db.asOwner<{ id: string }>(
    'insert into public.payment_requests (client_id, amount) values ($1, 30), ($1, 40) returning id',
    [client.id],
  );
  await db.asOwner(`update public.payment_requests set status = 'approved', approved_at = now() where client_id = $1`, [
    client.id,
  ]);
  await db.become(admin, (run) => run('select private.make_batch(array[$1::uuid], 30)', [requests[0]?.id]));
}

export async function aCircle(db: TestDatabase, admin: Person, scale: { readonly id: string }): Promise<Circle> {
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial });
  const open = await aSale(db, { commercial, friendReferrer: client });
  await db.become(commercial, (run) =>
    run(`select from private.keep_follow_up($1, 'Rappeler le soir', null)`, [open.id]),
  );
  await db.asOwner(
    `insert into public.call_consents (sale_id, is_given, statement, version, place)
     values ($1, true, 'J’accepte d’être appelé.', '2026-11', 'public_page')`,
    [open.id],
  );
  await db.become(client, (run) => run('select from private.ask_for_news($1)', [open.id]));
  await db.asOwner(`insert into public.correction_requests (sale_id, message) values ($1, 'Montant hors taxes')`, [
    open.id,
  ]);
  await db.asOwner('insert into public.friend_messages (sale_id, written_by) values ($1, $2)', [
    open.id,
    commercial.id,
  ]);
  await db.asOwner(`insert into public.external_references (source, reference, sale_id) values ('crm', $1, $2)`, [
    open.id,
    open.id,
  ]);
  const validated = await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
  const request = await db.become(client, async (run) => {
    const rows = await run<{ id: string }>(
      `select id from private.request_payment(20, 'virement', '{"iban":"FR76 •••• 0189","beneficiary_name":"C. Cliente"}', '\\x01', sha256('account'))`,
    );
    return only(rows).id;
  });
  await db.become(commercial, (run) =>
    run(`select private.set_bank_account('C. Commercial', 'FR76 •••• •••• 0189', '\\x01', sha256($1))`, [
      Buffer.from(commercial.id),
    ]),
  );
  const closure = await db.become(client, async (run) => {
    const rows = await run<{ id: string }>('select (r.request).id from private.request_account_closure(null) r');
    return only(rows).id;
  });
  for (const person of [commercial, client]) {
    await db.become(person, async (run) => {
      await run(CHOICE);
      await run(
        `select private.open_dispute(e.id, 'Pourquoi ?') from public.ledger_entries e where e.act = 'validation'`,
      );
    });
  }
  return { commercial, client, open, validated, request, closure };
}

/** Asks for a payment as the client, through the product's own function. */
export async function requestPayment(db: TestDatabase, client: Person, amount: string): Promise<string> {
  return db.become(client, async (run) => {
    const rows = await run<{ id: string }>(
      `select id from private.request_payment($1, 'virement', '{"iban":"FR76 •••• 0189","beneficiary_name":"C. Cliente"}', '\\x01')`,
      [amount],
    );
    return only(rows).id;
  });
}

/** The failure code of a rule that refused, the SQLSTATE of a right that was missing, or « ok ». */
export async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    const { code, message, constraint } = error as { code?: string; message: string; constraint?: string };
    if (code === 'PR001' || code === 'PR401') return message;
    return constraint ?? code ?? message;
  }
}

/** Counts the fulfilled of many attempts made at once, and the codes of the others. */
export async function race(attempts: readonly (() => Promise<unknown>)[]): Promise<Record<string, number>> {
  const count: Record<string, number> = {};
  for (const code of await Promise.all(attempts.map((attempt) => outcome(attempt()))))
    count[code] = (count[code] ?? 0) + 1;
  return count;
}

interface ContractAsked {
  contractAmount?: string;
  holdDays?: number;
  clientAmount?: string;
  /** Both sides are shares. */
  isOfShares?: boolean;
}

/** A validated contract of 1 000 € at 10 % for the client and a fixed 50 € for the commercial, unless said otherwise. */
export async function aContract(
  db: TestDatabase,
  { admin, commercial }: { readonly admin: Person; readonly commercial: Person },
  { contractAmount = '1000.00', holdDays = 0, clientAmount = '10', isOfShares = false }: ContractAsked = {},
): Promise<{ readonly client: Person; readonly sale: Sale }> {
  const client = await aClient(db, { commercial });
  const scale = await aScale(db, {
    clientType: 'percentage',
    clientAmount,
    commercialType: isOfShares ? 'percentage' : 'fixed',
    commercialAmount: isOfShares ? '7.35' : '50',
    clientHoldDays: holdDays,
  });
  return {
    client,
    sale: await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin, contractAmount }),
  };
}
