import { connectAsOwner } from '@parrain/database/connect';
import { randomUUID } from 'node:crypto';
import { glob, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readConfig } from '../config.ts';
import {
  aClient,
  aCommercial,
  aValidatedSale,
  createTestDatabase,
  SECRET_KEY,
  startTestServer,
} from '../testing/index.ts';
import type { TestDatabase, TestServer } from '../testing/index.ts';
import { changeMasterKey, KEPT, NOT_KEPT, SEALED } from './master-key-change.ts';
import type { KeyChange } from './master-key-change.ts';
import { createSecrets } from './secrets.ts';

// Servers and processes are started: nothing here says how long that takes.

// Everything that is sealed opens with another master key, or nothing has changed.

const NEXT = 'ef'.repeat(32);
const THIRD = '12'.repeat(32);

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** As `npm run rotate-keys -- --master` does it. */
async function change(environment: Readonly<Record<string, string>>): Promise<KeyChange | null> {
  const client = await connectAsOwner(database.owner);
  try {
    return await changeMasterKey(readConfig({ DATABASE_URL: 'postgres://h/d', ...environment }), client);
  } finally {
    await client.end();
  }
}

/** A server that has been here, and something sealed in every place where something may be. */
async function anInstallation(): Promise<TestServer> {
  const server = await startTestServer({ database, jobs: false });
  const { secrets } = server.services;
  const commercial = await aCommercial(database);
  const client = await aClient(database, { commercial });
  const userId = client.id;
  const ids = Object.fromEntries(
    ['session', 'factor', 'flow', 'mail', 'job', 'batch', 'webhook'].map((name) => [name, randomUUID()]),
  );
  const of = (name: string): string => ids[name] ?? '';
  const sealed = (purpose: string, bound: string): Buffer => secrets.seal(purpose, `of ${purpose}`, bound);
  const put = (text: string, values: readonly unknown[]) => database.asOwner(text, values);
  await aValidatedSale(database, { commercial, friendReferrer: client });
  await database.become(client, (run) =>
    run(`select from private.request_payment(10, 'virement', '{}', $1)`, [sealed('payment-details', '')]),
  );
  const [request] = await database.asOwner<{ id: string }>(
    'select id from public.payment_requests where client_id = $1',
    [userId],
  );
  await put(
    `insert into public.payment_proofs (request_id, name, content_type, size, sha256)
     values ($1, 'preuve.pdf', 'application/pdf', 1, sha256('x'))`,
    [request?.id],
  );
  await put('insert into private.proof_files (request_id, sealed) values ($1, $2)', [
    request?.id,
    sealed('payment-proof', request?.id ?? ''),
  ]);
  await put('insert into auth.sessions (id, user_id, refresh_key_sealed) values ($1, $2, $3)', [
    of('session'),
    userId,
    sealed('refresh-key', of('session')),
  ]);
  await put(
    `insert into auth.factors (id, user_id, factor_type, status, friendly_name, secret_sealed) values ($1, $2, 'totp', 'verified', 'x', $3)`,
    [of('factor'), userId, sealed('totp-secret', of('factor'))],
  );
  await put(
    `insert into auth.flow_states (id, user_id, code_hash, code_challenge, method, provider_tokens_sealed, expires_at)
     values ($1, $2, '\\x01', $4, 'otp', $3, now() + interval '1 hour')`,
    [of('flow'), userId, sealed('provider-tokens', of('flow')), 'x'.repeat(43)],
  );
  await put(`insert into public.payment_batches (id, is_test) values ($1, false)`, [of('batch')]);
  await put(`insert into private.batch_files (batch_id, sealed, sha256) values ($1, $2, sha256('x'))`, [
    of('batch'),
    sealed('batch-file', of('batch')),
  ]);
  await put(
    `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', $1)`,
    [sealed('company-account', '')],
  );
  await put(
    `insert into auth.provider_flows (state_hash, provider, sealed, redirect_to, expires_at)
     values (decode($1, 'hex'), 'google', $2, '/', now() + interval '1 hour')`,
    ['ab'.repeat(32), sealed('provider-flow', 'ab'.repeat(32))],
  );
  await put(
    `insert into private.webhooks (id, url, events, secret_sealed, former_secret_sealed, former_secret_until)
     values ($1, 'https://crm.example/', '{sale.validated}', $2, $2, now() + interval '1 hour')`,
    [of('webhook'), sealed('webhook-secret', of('webhook'))],
  );
  await put(
    `insert into private.e_invoicing (flow_url, directory_url, token_url, client_id, secret_sealed)
     values ('https://pa.example/flow', 'https://pa.example/directory', 'https://pa.example/token', 'lumeo', $1)`,
    [sealed('e-invoicing-secret', '')],
  );
  await put(`insert into private.secrets (name, value) values ('push_key', $1)`, [sealed('push-key', 'push_key')]);
  await put(`insert into private.mails (id, template, sealed) values ($1, 'x', $2)`, [
    of('mail'),
    sealed('mail', of('mail')),
  ]);
  await put(
    `insert into private.idempotency_keys (user_id, key, request_hash, status, body) values ($1, 'k', '\\x00', 200, $2)`,
    [userId, sealed('idempotent-answer', `${userId} k`).toString('base64')],
  );
  for (const [task, purpose] of [
    ['mail', 'mail'],
    ['auth_mail_request', 'auth-mail-request'],
    ['auth_text_request', 'auth-text-request'],
  ] as const) {
    await put('select from graphile_worker.add_job($1, $2::json)', [
      task,
      JSON.stringify({ id: of('job'), sealed: sealed(purpose, of('job')).toString('base64') }),
    ]);
  }
  return server;
}

type Sealed = { readonly purpose: string; readonly value: Buffer; readonly bound: string };

/** Every sealed value of the database, found by the list of places. */
async function allSealed(): Promise<Sealed[]> {
  const found: Sealed[] = [];
  for (const [purpose, places] of Object.entries(SEALED)) {
    for (const { table, value, bound, where } of places) {
      const rows = await database.asOwner<{ value: Buffer | string; bound: string }>(
        `select ${value} as value, ${bound} as bound from ${table} where ${value} is not null and ${where ?? 'true'}`,
      );
      for (const row of rows) {
        found.push({
          purpose,
          bound: row.bound,
          value: typeof row.value === 'string' ? Buffer.from(row.value, 'base64') : row.value,
        });
      }
    }
  }
  return found;
}

function opensWith(key: string, { purpose, value, bound }: Sealed): boolean {
  try {
    createSecrets(Buffer.from(key, 'hex')).open(purpose, value, bound);
    return true;
  } catch {
    return false;
  }
}

describe('the master key', () => {
  test('[FX-28] is replaced: everything sealed opens with the new one and nothing with the old', async () => {
    const server = await anInstallation();
    const { publishableKey, secretKey } = server.services.keys;
    const recovery = server.services.secrets.derive('recovery-code');
    await server.close();
    const before = (await allSealed()).filter((value) => opensWith(SECRET_KEY, value));
    expect(new Set(before.map(({ purpose }) => purpose)).size).toBe(Object.keys(SEALED).length - 1);
    const changed = await change({ SECRET_KEY: NEXT, OLD_SECRET_KEY: SECRET_KEY });
    const after = await allSealed();
    // The three values that could not be opened are the sessions that the test builders write.
    expect(changed).toEqual({ sealed: before.length + KEPT.length, unreadable: 3, formerKeyFile: null });
    expect(after.filter((value) => opensWith(SECRET_KEY, value))).toEqual([]);
    expect(after.filter((value) => opensWith(NEXT, value))).toHaveLength(before.length + KEPT.length);
    const again = await startTestServer({ database, jobs: false, environment: { SECRET_KEY: NEXT } });
    try {
      expect(again.services.keys).toMatchObject({ publishableKey, secretKey });
      expect(again.services.secrets.derive('recovery-code')).toEqual(recovery);
    } finally {
      await again.close();
    }
    await expect(startTestServer({ database, jobs: false })).rejects.toThrow(/n'est pas la clé de cette base/u);
    // And once more: what outlived the first key outlives the second.
    await change({ SECRET_KEY: THIRD, OLD_SECRET_KEY: NEXT });
    const third = await startTestServer({ database, jobs: false, environment: { SECRET_KEY: THIRD } });
    expect(third.services.secrets.derive('recovery-code')).toEqual(recovery);
    await third.close();
    expect(await change({ SECRET_KEY: THIRD, OLD_SECRET_KEY: NEXT })).toBeNull();
  });

  test('[FX-28] kept in the database passes to a given one, and leaves the database', { tags: 'long' }, async () => {
    const url = 'postgres://h/d';
    const first = await startTestServer({ database, jobs: false, environment: { SECRET_KEY: '', DATABASE_URL: url } });
    await first.close();
    await change({ SECRET_KEY: NEXT });
    expect(await database.asOwner(`select from private.secrets where name = 'master_key'`)).toEqual([]);
    const again = await startTestServer({
      database,
      jobs: false,
      environment: { SECRET_KEY: NEXT, DATABASE_URL: url },
    });
    await again.close();
  });

  test('[FX-28] kept in a file passes to a given one; the file is put aside', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-key-change-'));
    try {
      const first = await startTestServer({
        database,
        jobs: false,
        environment: { SECRET_KEY: '', DATA_DIR: dataDir },
      });
      await first.close();
      const changed = await change({ SECRET_KEY: NEXT, DATA_DIR: dataDir, DATABASE_URL: '' });
      expect(await readdir(dataDir)).toEqual([path.basename(changed?.formerKeyFile ?? '')]);
      const again = await startTestServer({
        database,
        jobs: false,
        environment: { SECRET_KEY: NEXT, DATA_DIR: dataDir },
      });
      await again.close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test('[FX-28] is not touched while a server runs, nor with a wrong old key', { tags: 'long' }, async () => {
    const server = await anInstallation();
    const before = await allSealed();
    await expect(change({ SECRET_KEY: NEXT, OLD_SECRET_KEY: SECRET_KEY })).rejects.toThrow(
      /arrêtez d'abord tous les serveurs/u,
    );
    await server.close();
    await expect(change({ SECRET_KEY: NEXT, OLD_SECRET_KEY: THIRD })).rejects.toThrow(/n'est pas celle de cette base/u);
    await expect(change({ SECRET_KEY: NEXT })).rejects.toThrow(/Il manque l'ancienne clé/u);
    expect(await allSealed()).toEqual(before);
  });

  test(
    '[FX-28] a change that is cut in the middle has changed nothing, and is simply asked for again',
    { tags: 'long' },
    async () => {
      const server = await anInstallation();
      await server.close();
      const before = await allSealed();
      // The last statement before the commit fails, after everything was sealed anew.
      await database.asOwner(`create function private.cut() returns trigger language plpgsql as $$ begin raise 'cut'; end $$;
      create trigger cut before insert on auth.audit_entries for each row execute function private.cut()`);
      await expect(change({ SECRET_KEY: NEXT, OLD_SECRET_KEY: SECRET_KEY })).rejects.toThrow(/cut/u);
      expect(await allSealed()).toEqual(before);
      await database.asOwner('drop trigger cut on auth.audit_entries; drop function private.cut()');
      const still = await startTestServer({ database, jobs: false });
      await still.close();
      expect((await change({ SECRET_KEY: NEXT, OLD_SECRET_KEY: SECRET_KEY }))?.sealed).toBeGreaterThan(10);
    },
  );
});

test('[FX-28] every purpose that the server seals or derives for has its place in the list', async () => {
  const purposes = new Set<string>();
  const root = path.join(import.meta.dirname, '..');
  for await (const file of glob('**/*.ts', { cwd: root })) {
    if (file.includes('.test.') || file.startsWith('testing')) continue;
    const text = await readFile(path.join(root, file), 'utf8');
    if (!/\.(?:seal|derive)\(|secrets\b|purpose: '/u.test(text)) continue;
    for (const [, name = ''] of text.matchAll(/(?:PURPOSE = |purpose: |\.derive\(|\.seal\()'([^']+)'/gu))
      purposes.add(name);
  }
  const known = new Set<string>([
    ...Object.keys(SEALED),
    ...KEPT,
    ...KEPT.map((name) => name.replace(/^seal:/u, '')),
    ...NOT_KEPT,
  ]);
  expect(purposes.size).toBeGreaterThan(10);
  expect([...purposes].filter((purpose) => !known.has(purpose))).toEqual([]);
});

test('[FX-28] every column that holds sealed bytes is among the places', async () => {
  const columns = await database.asOwner<{ place: string }>(
    `select n.nspname || '.' || c.relname || ' ' || a.attname as place
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and a.atttypid = 'bytea'::regtype and a.attname ~ 'sealed' and n.nspname in ('public', 'auth', 'private', 'storage')`,
  );
  const places = new Set(
    Object.values(SEALED)
      .flat()
      .map(({ table, value }) => `${table} ${value}`),
  );
  expect(columns.filter(({ place }) => !places.has(place))).toEqual([]);
});
