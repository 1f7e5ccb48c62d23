import { describe, expect, test } from 'vitest';

import { connectAsOwner, findPrimary, hostsOf, NoPrimary } from '../src/connect.ts';
import { migrate } from '../src/migrate.ts';
import { createEmptyDatabase } from '../src/testing.ts';

// A database address that names several hosts. A real failover is in server/src/failover.test.ts.

describe('the address of a database', () => {
  test.each([
    ['postgres://u:p@h:5432/db', ['postgres://u:p@h:5432/db']],
    ['postgres://h/db?host=/run/a,b', ['postgres://h/db?host=/run/a,b']],
    ['postgres://u:p@one:1,two:2/db', ['postgres://u:p@one:1/db', 'postgres://u:p@two:2/db']],
    [
      'postgresql://u:p@one,two,[::1]:3/db?target_session_attrs=read-write&sslmode=require',
      [
        'postgresql://u:p@one/db?sslmode=require',
        'postgresql://u:p@two/db?sslmode=require',
        'postgresql://u:p@[::1]:3/db?sslmode=require',
      ],
    ],
    ['postgres://one,two/db?a=1&target_session_attrs=any', ['postgres://one/db?a=1', 'postgres://two/db?a=1']],
  ])('[OP-07] %s', (address, hosts) => {
    expect(hostsOf(address)).toEqual(hosts);
  });

  test('[OP-07] with a host that is not there: migrations and commands go to the other', async () => {
    const database = await createEmptyDatabase();
    try {
      const { port, user, password, database: name } = database.owner;
      const address = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:1,127.0.0.1:${port}/${name}`;
      expect((await migrate(address)).length).toBeGreaterThan(20);
      const client = await connectAsOwner(address);
      expect((await client.query('select current_database() as name')).rows).toEqual([{ name }]);
      await client.end();
    } finally {
      await database.drop();
    }
  });

  test('[OP-07] where no host takes writes says so as a database that is on its way; a wrong password is said as such', async () => {
    await expect(findPrimary([{ connectionString: 'postgres://u:p@127.0.0.1:1/db' }])).rejects.toThrow(NoPrimary);
    const database = await createEmptyDatabase();
    try {
      const { port, user } = database.owner;
      await expect(
        connectAsOwner(`postgres://${user}:wrong@127.0.0.1:1,127.0.0.1:${port}/postgres`),
      ).rejects.toMatchObject({ code: '28P01' });
    } finally {
      await database.drop();
    }
  });
});
