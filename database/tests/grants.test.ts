import type { DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { openBench } from './alone.ts';
import type { Bench } from './alone.ts';
import { listed, listedColumns, listedFunctions, listedGrants } from './defences.ts';

// R4: every grant, every policy of the server's own, every table's row security and every recording trigger that the list
// names does its work by itself, and nobody may what the list does not say. Each is tried in a transaction that is taken back.

let db: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  db = await createTestDatabase();
  bench = await openBench(db);
});
afterAll(async () => {
  await bench.close();
  await db.drop();
});

const ROLES = ['anon', 'api_key', 'authenticated', 'authenticator', 'parrain_service', 'service_role'] as const;
const VERBS = ['delete', 'insert', 'select', 'truncate', 'update'] as const;

/**
 * Obstacle to the role's statement: the missing right to that very object, another right (of its schema, or of what it reads in its turn),
 * none, or one that has nothing to do with rights.
 */
async function hindrance(
  role: string,
  name: string,
  sql: string,
): Promise<'its own' | 'another right' | 'none' | 'else'> {
  return bench.takenBack(async () => {
    await bench.client.query(`set local role ${role}`);
    try {
      await bench.client.query(sql);
      return 'none';
    } catch (error) {
      const { message, code } = error as DatabaseError;
      const [schema, own] = name.split('.');
      if (message === `permission denied for schema ${schema}`) return 'its own';
      if (new RegExp(`^permission denied for (?:table|view|function) ${own}$`, 'u').test(message)) return 'its own';
      if (OF_ANOTHER.has(code ?? '')) return 'another right';
      return 'else';
    }
  });
}

/** A right to something else; a view that nobody writes; a type of a schema that is closed to the role. */
const OF_ANOTHER: ReadonlySet<string> = new Set(['42501', '55000', '42809', '0A000', '42704']);

function attempt(verb: string, table: string, column: string): string {
  switch (verb) {
    case 'select':
      return `select ${column} from ${table} limit 0`;
    case 'insert':
      return `insert into ${table} default values`;
    case 'update':
      return `update ${table} set ${column} = null where false`;
    case 'delete':
      return `delete from ${table} where false`;
    default:
      return `${verb} ${table}`;
  }
}

const granted = new Set(listedGrants().map(({ table, role, verb }) => `${table}: ${verb} to ${role}`));

/** A column that the role could name where it may write only some. */
async function aColumnOf(table: string): Promise<string> {
  const columns = await bench.columnsOf(table);
  return columns.find(({ isGenerated }) => !isGenerated)?.name ?? 'id';
}

describe('grants', () => {
  test.for(listedGrants())('[P-04] $table: grant of $verb to $role', async ({ table, role, verb }) => {
    expect(await hindrance(role, table, attempt(verb, table, await aColumnOf(table)))).not.toBe('its own');
  });

  test('[P-04] nobody else can do anything there', async () => {
    const tables = await db.asOwner<{ name: string; owner: string }>(
      `select format('%s.%s', n.nspname, c.relname) as name, c.relowner::regrole::text as owner from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p', 'v', 'm')
         and c.relname <> 'migrations'`,
    );
    const seen: string[] = [];
    for (const { name, owner } of tables) {
      const column = await aColumnOf(name);
      for (const role of ROLES) {
        if (role === owner) continue;
        for (const verb of VERBS) {
          if (granted.has(`${name}: ${verb} to ${role}`)) continue;
          const what = await hindrance(role, name, attempt(verb, name, column));
          if (what === 'none' || what === 'else') seen.push(`${name}: ${verb} to ${role}`);
        }
      }
    }
    expect(seen).toEqual([]);
  });

  test.for(listedColumns())(
    '[P-06] $table: grant of $verb ($column) to $role',
    async ({ table, verb, column, role }) => {
      expect(await hindrance(role, table, attempt(verb, table, column))).toBe('none');
    },
  );
});

describe('functions', () => {
  const cells = listedFunctions().flatMap(({ name, roles }) =>
    ROLES.map((role) => ({ name, role, may: roles.includes(role) })),
  );

  const call = async (name: string): Promise<string> => {
    const [fn = '', types = ''] = name.slice(0, -1).split('(');
    const [variadic] = await db.asOwner(`select from pg_proc where oid = $1::regprocedure and provariadic <> 0`, [
      name,
    ]);
    const values = types === '' ? [] : types.split(',').map((type) => `null::${type}`);
    return `select ${fn}(${variadic === undefined ? '' : 'variadic '}${values.join(', ')})`;
  };
  const nameOf = (name: string): string => name.split('(')[0] ?? '';

  test.for(cells.filter((cell) => cell.may))('[P-04] $name: execute to $role', async ({ name, role }) => {
    expect(await hindrance(role, nameOf(name), await call(name))).not.toBe('its own');
  });

  test('[P-04] nobody else calls them', async () => {
    const owned = new Set(
      (
        await db.asOwner<{ name: string }>(
          `select p.oid::regprocedure::text as name from pg_proc p where p.proowner = 'parrain_service'::regrole`,
        )
      ).map(({ name }) => name.replaceAll(/^public\./gu, '')),
    );
    const seen: string[] = [];
    for (const { name, role } of cells.filter((cell) => !cell.may)) {
      if (role === 'parrain_service' && owned.has(name)) continue;
      const what = await hindrance(role, nameOf(name), await call(name));
      if (what === 'none' || what === 'else') seen.push(`${name}: execute to ${role}`);
    }
    expect(seen).toEqual([]);
  });
});

describe('row security', () => {
  const tables = listed('row security').map(({ table }) => table);

  test.for(tables)('[P-04] %s: row security', async (table) => {
    const seen = await bench.alone(table, null, async () => {
      await bench.insert(table);
      await bench.client.query(`create role nobody_at_all`);
      await bench.client.query(`grant usage on schema ${table.split('.')[0]} to nobody_at_all`);
      await bench.client.query(`grant select on ${table} to nobody_at_all`);
      await bench.client.query('set local role nobody_at_all');
      return (await bench.client.query(`select from ${table}`)).rowCount;
    });
    expect(seen).toBe(0);
  });

  /** Tables whose rows the server may delete only once they are old: a policy of their own requires it, tested in policies.test.ts. */
  const KEPT_FROM_THE_SERVER: ReadonlySet<string> = new Set(['auth.audit_entries']);
  const mayWrite = (table: string, role: string, verb: string): boolean => granted.has(`${table}: ${verb} to ${role}`);
  const ofServers = listed('policy').filter(({ name }) => /_(?:service_all|secret_read)$/u.test(name));
  test.for(ofServers)('[P-04] $table: policy $name', async ({ table, name }) => {
    const role = name.endsWith('_service_all') ? 'parrain_service' : 'service_role';
    const column = await aColumnOf(table);
    await bench.alone(table, null, async () => {
      await bench.client.query(`delete from ${table}`);
      await bench.insert(table);
      await bench.client.query(`set local role ${role}`);
      expect((await bench.client.query(`select from ${table}`)).rowCount).toBe(1);
      if (mayWrite(table, role, 'insert')) await bench.insert(table);
      if (mayWrite(table, role, 'update'))
        expect((await bench.client.query(`update ${table} set ${column} = ${column}`)).rowCount).toBe(2);
      if (mayWrite(table, role, 'delete'))
        expect((await bench.client.query(`delete from ${table}`)).rowCount).toBe(
          KEPT_FROM_THE_SERVER.has(table) ? 0 : 2,
        );
    });
  });

  test.for(listed('view as its'))('[P-04] $table: view as its $name', async ({ table, name }) => {
    await bench.takenBack(async () => {
      await bench.client.query('create role nobody_at_all');
      await bench.client.query('grant usage on schema public, auth, private, figures to nobody_at_all');
      // Functions are always called as whoever reads.
      await bench.client.query('grant execute on all functions in schema public, private to nobody_at_all');
      await bench.client.query(`grant select on ${table} to nobody_at_all`);
      await bench.client.query('set local role nobody_at_all');
      const read = bench.client.query(`select * from ${table}`);
      if (name === 'owner') await expect(read).resolves.toBeDefined();
      else await expect(read).rejects.toThrow(/permission denied for (?:table|view)/u);
    });
  });
});

describe('records', () => {
  const triggers = listed('trigger');
  const changes: Record<string, (table: string, column: string) => string> = {
    insert: () => '',
    update: (table, column) => `update ${table} set ${column} = ${column}`,
    delete: (table) => `delete from ${table}`,
  };

  test.for(triggers.filter(({ name }) => /_tell_(?:insert|update|delete)$/u.test(name)))(
    '[RT-01] $table: trigger $name',
    async ({ table, name }) => {
      const verb = name.split('_').at(-1) ?? '';
      const column = await aColumnOf(table);
      await bench.alone(table, null, async () => {
        await bench.client.query(`delete from ${table}`);
        if (verb !== 'insert') await bench.insert(table);
        await bench.client.query(`alter table ${table} enable trigger ${name}`);
        if (verb === 'insert') await bench.insert(table);
        else await bench.client.query(changes[verb]?.(table, column) ?? '');
        const { rows } = await bench.client.query(
          `select operation, table_name from private.changes order by id desc limit 1`,
        );
        expect(rows).toEqual([{ operation: verb.toUpperCase(), table_name: table.split('.')[1] }]);
      });
    },
  );

  test.for(triggers.filter(({ name }) => name.endsWith('_audit')))(
    '[V-08] $table: trigger $name',
    async ({ table, name }) => {
      const columns = await bench.columnsOf(table);
      const text = columns.find(({ type, name: column }) => type === 'text' && column !== 'id')?.name ?? 'id';
      await bench.alone(table, null, async () => {
        await bench.client.query(`delete from ${table}`);
        await bench.client.query(`alter table ${table} enable trigger ${name}`);
        await bench.insert(table);
        await bench.client.query(`update ${table} set ${text} = 'y'`);
        await bench.client.query(`delete from ${table}`);
        const { rows } = await bench.client.query<{ action: string }>(
          'select action from public.audit_entries where entity = $1 order by id desc limit 3',
          [table.split('.')[1]],
        );
        // A commission is credited by its sale's entry.
        const credited = table === 'public.commission_payments' ? [] : ['insert'];
        expect(rows.map(({ action }) => action)).toEqual(['delete', 'update', ...credited]);
      });
    },
  );
});
