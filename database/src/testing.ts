import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Client, Pool } from 'pg';
import type { QueryResultRow } from 'pg';

import { makeTestFolder } from '../../scripts/lib/test-folder.mjs';
import { startEmbedded } from './embedded.ts';
import type { OwnerConnection } from './embedded.ts';
import { migrate } from './migrate.ts';
import { verify } from './verify.ts';
import type { Finding } from './verify.ts';

/** Environment variable by which a test run's processes find its PostgreSQL. */
export const TEST_POSTGRES = 'PARRAIN_TEST_POSTGRES';
/** The database that every test's own is cloned from: another one where a test run is asked of a damaged one (R4). */
export const TEST_TEMPLATE = 'PARRAIN_TEST_TEMPLATE';
const TEMPLATE = process.env[TEST_TEMPLATE] ?? 'parrain_template';

/**
 * One PostgreSQL for a whole test run, with a migrated database that every test's own is cloned from. Its processes find
 * it by themselves; it ends with `stop`, or with this process.
 */
export async function startTestPostgres(): Promise<{ readonly stop: () => Promise<void> }> {
  // The parent process of this run has started one already.
  if (process.env[TEST_TEMPLATE] !== undefined) return { stop: () => Promise.resolve() };
  const dataDir = makeTestFolder('parrain-test');
  const postgres = await startEmbedded({ dataDir, isDurable: false });
  const admin = new Client({ ...postgres.owner, database: 'postgres' });
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE}`);
  } finally {
    await admin.end();
  }
  await migrate({ ...postgres.owner, database: TEMPLATE });
  process.env[TEST_POSTGRES] = JSON.stringify(postgres.owner);
  return {
    async stop() {
      delete process.env[TEST_POSTGRES];
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Rows<Row> = Row[];

export type Run = <Row extends QueryResultRow = QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<Rows<Row>>;

/** A database of one test file, cloned from the migrated template. */
export type TestDatabase = {
  readonly owner: OwnerConnection;
  /** Runs a statement as the owner, past every policy. */
  readonly asOwner: Run;
  /** Runs the work as somebody, as a request would: in one transaction, under row level security, and commits it. */
  readonly become: <T>(who: Who, work: (run: Run) => Promise<T>) => Promise<T>;
  readonly drop: () => Promise<void>;
};

/** Identity that a test acts as: a person, a visitor, the holder of the secret key, or the server itself. */
export type Who = Person | 'anon' | 'service_role' | 'parrain_service';

export type Person = {
  readonly id: string;
  readonly role: 'admin' | 'commercial' | 'client' | 'comptable';
  readonly email: string;
  readonly fullName: string;
  readonly sessionId: string;
};

export type EmptyDatabase = Pick<TestDatabase, 'owner' | 'drop'>;

/** A database without a schema, for what concerns migrations themselves. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const postgres = testPostgres();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withAdmin(postgres, (client) => client.query(`create database ${name}`));
  return {
    owner: { ...postgres, database: name },
    drop: () => dropDatabase(postgres, name),
  };
}

/** With the login that a server made for it: roles are the cluster's. */
async function dropDatabase(postgres: OwnerConnection, name: string): Promise<void> {
  await withAdmin(postgres, async (client) => {
    const { rows } = await client.query<{ oid: number }>('select oid from pg_database where datname = $1', [name]);
    await client.query(`drop database if exists ${name} with (force)`);
    const [row] = rows;
    if (row !== undefined) await client.query(`drop role if exists parrain_login_${row.oid}`);
  });
}

/** Clones the template: some tens of milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const postgres = testPostgres();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withAdmin(postgres, (client) =>
    client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`),
  );
  const opened = openTestDatabase({ ...postgres, database: name });
  return {
    ...opened,
    async drop() {
      await opened.close();
      await dropDatabase(postgres, name);
    },
  };
}

export type OpenedDatabase = Omit<TestDatabase, 'drop'> & { readonly close: () => Promise<void> };

/** The same hold on a database that stands elsewhere, such as a running server's own. */
export function openTestDatabase(owner: OwnerConnection): OpenedDatabase {
  const pool = new Pool({ ...owner, max: 24 });
  // A test may end PostgreSQL, or drop the database under an idle connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  return {
    owner,
    async asOwner<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
      const { rows } = await pool.query<Row>(text, [...values]);
      return rows;
    },
    async become(who, work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query(
          `select set_config('request.jwt.claims', $1, true), private.identify(), set_config('role', $2, true)`,
          [claimsOf(who), typeof who === 'string' ? who : 'authenticated'],
        );
        const value = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
        const { command } = await client.query('commit');
        if (command !== 'COMMIT') throw new Error('Nothing was committed: a statement had failed');
        return value;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

/**
 * The invariants that the rows of a database break. Where the run was asked of a damaged database (R4), the damage itself is
 * not told: what its loss lets happen is what tests have to see.
 */
export async function brokenInvariants(run: Parameters<typeof verify>[0]): Promise<Finding[]> {
  const findings = await verify(run);
  const isDamaged = process.env[TEST_TEMPLATE] !== undefined;
  return findings.filter(
    ({ invariant, violations }) => violations.length > 0 && !(isDamaged && invariant.id === 'P-04b'),
  );
}

function claimsOf(who: Who): string {
  if (typeof who === 'string') return who === 'parrain_service' ? '' : JSON.stringify({ role: who });
  return JSON.stringify({ role: 'authenticated', sub: who.id, session_id: who.sessionId });
}

export type PersonDetails = {
  readonly email?: string;
  readonly fullName?: string;
  readonly phone?: string | null;
  readonly commercial?: Person;
  readonly passwordHash?: string;
  readonly isTest?: boolean;
  /** False for somebody whose mailbox never answered. */
  readonly isEmailProven?: boolean;
};

type Writable = Pick<TestDatabase, 'asOwner' | 'become'>;

/** An account that signed in once, written directly. */
async function aPerson(db: Writable, role: Person['role'], details: PersonDetails): Promise<Person> {
  const id = randomUUID();
  const sessionId = randomUUID();
  const email = details.email ?? `${role}-${id.slice(0, 8)}@example.fr`;
  const fullName = details.fullName ?? `${NAMES[role]} ${id.slice(0, 4)}`;
  await db.asOwner(
    `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => $4, p_full_name => $5,
      p_phone => $6, p_commercial_id => $7, p_is_test => $8)`,
    [
      id,
      email,
      details.passwordHash ?? null,
      role,
      fullName,
      details.phone ?? null,
      details.commercial?.id ?? null,
      details.isTest ?? false,
    ],
  );
  if (details.isEmailProven !== false) await db.asOwner('select private.prove_email($1)', [id]);
  await db.asOwner(`insert into auth.sessions (id, user_id, refresh_key_sealed) values ($1, $2, '\\x00')`, [
    sessionId,
    id,
  ]);
  return { id, role, email, fullName, sessionId };
}

const NAMES = {
  admin: 'Aline Admin',
  commercial: 'Corentin Commercial',
  client: 'Clarisse Cliente',
  comptable: 'Cécile Comptable',
} as const;

export const anAdmin = (db: Writable, details: PersonDetails = {}): Promise<Person> => aPerson(db, 'admin', details);
export const anAccountant = (db: Writable, details: PersonDetails = {}): Promise<Person> =>
  aPerson(db, 'comptable', details);
export const aCommercial = (db: Writable, details: PersonDetails = {}): Promise<Person> =>
  aPerson(db, 'commercial', details);
/** A client, of a commercial made for them where none is given. */
export async function aClient(db: Writable, details: PersonDetails = {}): Promise<Person> {
  return aPerson(db, 'client', { ...details, commercial: details.commercial ?? (await aCommercial(db)) });
}

export type ScaleDetails = {
  readonly name?: string;
  readonly clientType?: 'percentage' | 'fixed';
  readonly clientAmount?: string;
  readonly commercialType?: 'percentage' | 'fixed';
  readonly commercialAmount?: string;
  readonly clientHoldDays?: number;
  readonly fromContractAmount?: string;
  readonly isDefault?: boolean;
  readonly isTest?: boolean;
  readonly clientRules?: object;
  readonly commercialRules?: object;
};

/** A scale: 10 % for the client and 50 € for the commercial, unless said otherwise. */
export async function aScale(db: Writable, details: ScaleDetails = {}): Promise<{ readonly id: string }> {
  // A database of before LG-03, SC-03 and SC-02 has no such columns.
  const more = Object.entries({
    client_hold_days: details.clientHoldDays,
    from_contract_amount: details.fromContractAmount,
    client_rules: details.clientRules && `'${JSON.stringify(details.clientRules)}'`,
    commercial_rules: details.commercialRules && `'${JSON.stringify(details.commercialRules)}'`,
  }).filter(([, value]) => value !== undefined);
  const columns = more.map(([name]) => `, ${name}`).join('');
  const values = more.map(([, value]) => `, ${value}`).join('');
  const rows = await db.asOwner<{ id: string }>(
    `insert into public.commission_rates
      (name, client_commission_type, client_commission_amount, commercial_commission_type, commercial_commission_amount,
       is_default, is_test${columns})
     values ($1, $2, $3, $4, $5, $6, $7${values}) returning id`,
    [
      details.name ?? 'Standard',
      details.clientType ?? 'percentage',
      details.clientAmount ?? '10',
      details.commercialType ?? 'fixed',
      details.commercialAmount ?? '50',
      details.isDefault ?? false,
      details.isTest ?? false,
    ],
  );
  return only(rows);
}

export type SaleDetails = {
  readonly commercial?: Person;
  readonly friendReferrer?: Person | null;
  readonly clientReferrer?: Person;
  readonly contactName?: string;
  readonly contactEmail?: string;
  readonly status?: 'pending' | 'contacted' | 'in_negotiation' | 'validated' | 'rejected';
  readonly isReady?: boolean;
  readonly contractAmount?: string;
  readonly scale?: { readonly id: string };
  readonly rejectionReason?: string;
  readonly isTest?: boolean;
};

export type Sale = {
  readonly id: string;
  readonly version: number;
};

/** A referral, pending and of a friend unless said otherwise; `isReady` with an amount makes it wait for the admin. */
export async function aSale(db: Writable, details: SaleDetails = {}): Promise<Sale> {
  const commercial = details.commercial ?? (await aCommercial(db));
  const friendReferrer =
    details.friendReferrer === undefined ? await aClient(db, { commercial }) : details.friendReferrer;
  const isReady = details.isReady ?? details.status === 'validated';
  const amount = details.contractAmount ?? (isReady ? '1234.56' : null);
  const rows = await db.asOwner<Sale>(
    `insert into public.sales
      (status, referred_contact_name, referred_contact_email, contract_amount, contract_description, commercial_id,
       client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation, rejection_reason, is_test)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id, version`,
    [
      details.status ?? 'pending',
      details.contactName ?? 'Paul Contact',
      details.contactEmail ?? null,
      amount,
      amount === null ? null : 'Contrat annuel',
      commercial.id,
      details.clientReferrer?.id ?? null,
      friendReferrer?.id ?? null,
      details.scale?.id ?? null,
      isReady,
      details.rejectionReason ?? null,
      details.isTest ?? false,
    ],
  );
  return only(rows);
}

/** A sale that an admin validated through the product's own function, with its commissions. */
export async function aValidatedSale(
  db: Writable,
  details: SaleDetails & { readonly admin?: Person } = {},
): Promise<Sale> {
  const admin = details.admin ?? (await anAdmin(db));
  const scale = details.scale ?? (await aScale(db));
  const sale = await aSale(db, { ...details, scale, isReady: true });
  await db.become(admin, (run) => run(asSeen.validate, [sale.id, scale.id]));
  return only(await db.asOwner<Sale>('select id, version from public.sales where id = $1', [sale.id]));
}

/** A sale as a screen that was just read shows it to an admin who decides: with the commissions of a scale until it is validated. */
const seenSale = (scale: string) => `
  select s.id, s.version, coalesce(s.contract_amount, 0) as contract,
    case when s.admin_validated then s.client_commission_amount when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
      else coalesce(private.commission(r.client_commission_type, r.client_commission_amount, s.contract_amount), 0) end as client,
    case when s.admin_validated then s.commercial_commission_amount
      else coalesce(private.commission(r.commercial_commission_type, r.commercial_commission_amount, s.contract_amount), 0) end as commercial
  from public.sales s
  left join lateral (select r.* from public.commission_rates r where case when ${scale} is null then r.archived_at is null else r.id = ${scale} end
    order by (r.id = s.commission_rate) desc nulls last, r.is_default desc, r.created_at, r.id limit 1) r on true`;

/**
 * The admin's decisions on what is there at this instant (AD-12): each gives the row decided on, and whether the decision was
 * there `already`. A row that does not exist is decided on by nobody.
 */
export const asSeen = {
  /** $1 the sale, $2 the scale, or null. */
  validate: `select (v.sale).*, v.already from (${seenSale('$2::uuid')}) s
    cross join lateral private.validate_sale(s.id, $2, s.version, s.contract, s.client, s.commercial) v where s.id = $1`,
  /** $1 the sale, $2 the reason. */
  refuse: `select (v.sale).*, v.already from public.sales s
    cross join lateral private.refuse_sale(s.id, $2, s.version) v where s.id = $1`,
  /** $1 the sale, $2 the reason. */
  cancel: `select (v.sale).*, v.already from (${seenSale('null::uuid')}) s
    cross join lateral private.cancel_validation(s.id, $2, s.version, s.client, s.commercial) v where s.id = $1`,
  /** $1 the sale, $2 the reason, $3 what is to be left of the contract. */
  reduce: `select (v.sale).*, v.already from public.sales s
    cross join lateral (select private.left_of_contract(s.id) as amount) seen
    cross join lateral (
      select case when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
          else private.commission(s.client_commission_type, s.client_commission_rate, seen.amount)
            - private.commission(s.client_commission_type, s.client_commission_rate, $3) end as client,
        private.commission(s.commercial_commission_type, s.commercial_commission_rate, seen.amount)
          - private.commission(s.commercial_commission_type, s.commercial_commission_rate, $3) as commercial) taken
    cross join lateral private.cancel_validation(s.id, $2, s.version, taken.client, taken.commercial, $3, seen.amount) v where s.id = $1`,
  /** $1 the request, $2 the status, $3 the notes. */
  decide: `select (d.request).*, d.already from public.payment_requests r
    cross join lateral private.decide_payment_request(r.id, $2, $3, null, r.version, r.amount + coalesce(r.vat_amount, 0)) d where r.id = $1`,
  /** $1 the request, $2 the reason. */
  annulApproval: `select (d.request).*, d.already from public.payment_requests r
    cross join lateral private.annul_approval(r.id, $2, r.version) d where r.id = $1`,
} as const;

/** The payload of a decision, with what a screen that was just read adds to it (FX-11). */
export async function asJustSeen<Body extends Readonly<Record<string, unknown>>>(
  db: Pick<TestDatabase, 'asOwner'>,
  body: Body,
): Promise<Body & Record<string, unknown>> {
  const { sale_id: saleId, request_id: requestId, commission_rate_id: scaleId } = body;
  const rows =
    saleId === undefined
      ? await db.asOwner<Record<string, unknown>>(
          'select version as seen_version, amount + coalesce(vat_amount, 0) as expected_amount from public.payment_requests where id = $1',
          [requestId],
        )
      : await db.asOwner<Record<string, unknown>>(
          `select s.version as seen_version, s.contract as expected_contract_amount, s.client as expected_client_commission_amount,
             s.commercial as expected_commercial_commission_amount from (${seenSale('$2::uuid')}) s where s.id = $1`,
          [saleId, scaleId ?? null],
        );
  return { ...rows[0], ...body };
}

/** The one row of a result. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`Exactly one row was expected, there are ${rows.length}`);
  return row;
}

function testPostgres(): OwnerConnection {
  const text = process.env[TEST_POSTGRES];
  if (text === undefined) throw new Error('The test run has no PostgreSQL: its configuration lacks the global setup');
  return JSON.parse(text) as OwnerConnection;
}

/** Runs statements as the owner, in any database of the run's PostgreSQL. */
export async function askTestPostgres(database: string, text: string): Promise<QueryResultRow[]> {
  const client = new Client({ ...testPostgres(), database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function withAdmin(postgres: OwnerConnection, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ ...postgres, database: 'postgres' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Makes the bytes of a file that passes for a PDF, which say this. */
export function aPdf(text: string): Buffer {
  return Buffer.from(`%PDF-1.7\n1 0 obj\n(${text})\nendobj\nstartxref\n9\n%%EOF\n`);
}
