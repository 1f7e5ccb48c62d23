import { argon2Sync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, clientOf } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { withPatientAuth } from '../../testing/patient-auth.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

/** Hashes that others made: the system's crypt(3), the argon2 command, Firebase's published example. */
const imported: Readonly<Record<string, { readonly password: string; readonly hash: string }>> = {
  'bcrypt $2a$': {
    password: 'trois-petits-chats-7',
    hash: '$2a$07$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq',
  },
  'bcrypt $2b$': {
    password: 'trois-petits-chats-7',
    hash: '$2b$07$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq',
  },
  'bcrypt $2y$': {
    password: 'rasmuslerdorf',
    hash: '$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',
  },
  argon2i: {
    password: 'password',
    hash: '$argon2i$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG',
  },
  'argon2id, small parameters': { password: 'quatre-grands-chiens-8', hash: argon2('argon2id', 32, 3, 2) },
  'argon2id, large parameters': { password: 'quatre-grands-chiens-8', hash: argon2('argon2id', 65_536, 3, 4) },
  "Firebase's scrypt": {
    password: 'user1password',
    hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  },
};

function argon2(algorithm: 'argon2i' | 'argon2id', memory: number, passes: number, parallelism: number): string {
  const salt = randomBytes(12);
  const tag = argon2Sync(algorithm, {
    message: 'quatre-grands-chiens-8',
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: 32,
  });
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/u, '');
  return `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}

let number = 0;
const anEmail = (): string => `importee-${(number += 1)}@example.fr`;

/** An account as an import makes it. */
async function importAccount(hash: string): Promise<{ readonly id: string; readonly email: string }> {
  const email = anEmail();
  const { data, error } = await administratorOf(server).auth.admin.createUser({
    email,
    email_confirm: true,
    password_hash: hash,
  });
  expect(error).toBeNull();
  return { id: data.user?.id ?? '', email };
}

async function storedHash(id: string): Promise<string> {
  const [row] = await server.database.asOwner('select encrypted_password as hash from auth.users where id = $1', [id]);
  return String(row?.['hash']);
}

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u;

describe('passwords hashed elsewhere', () => {
  test.each(Object.entries(imported))(
    '[AU-02][AU-19] %s: accepted at sign-in, then replaced by our own hash',
    async (_name, { password, hash }) => {
      const { id, email } = await importAccount(hash);
      const refused = await clientOf(server).auth.signInWithPassword({ email, password: `${password}x` });
      expect(refused.error).toMatchObject({ status: 400, code: 'invalid_credentials' });
      expect(await storedHash(id)).toBe(hash);

      const first = await clientOf(server).auth.signInWithPassword({ email, password });
      expect(first.error).toBeNull();
      const upgraded = await storedHash(id);
      expect(upgraded).toMatch(OURS);
      expect((await clientOf(server).auth.signInWithPassword({ email, password })).error).toBeNull();
      expect(await storedHash(id)).toBe(upgraded);
      expect((await clientOf(server).auth.signInWithPassword({ email, password: `${password}x` })).error?.code).toBe(
        'invalid_credentials',
      );
    },
  );

  test('[AU-02] ten simultaneous first sign-ins all succeed; the password is hashed anew once', async () => {
    const known = imported['bcrypt $2b$'];
    const { id, email } = await importAccount(known?.hash ?? '');
    await withPatientAuth(server, async (patient) => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          clientOf(patient, { 'x-forwarded-for': `10.2.0.${index}` }).auth.signInWithPassword({
            email,
            password: known?.password ?? '',
          }),
        ),
      );
      expect(answers.map(({ error }) => error)).toEqual(answers.map(() => null));
    });
    expect(await storedHash(id)).toMatch(OURS);
  });

  test('[AU-02] a costly old password is verified beside the thread that answers others', async () => {
    const { email } = await importAccount('$2b$13$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq');
    const before = { thread: process.threadCpuUsage(), whole: process.cpuUsage() };
    await withPatientAuth(server, async (patient) => {
      const { error } = await clientOf(patient).auth.signInWithPassword({ email, password: 'trois-petits-chats-7' });
      expect(error?.code).toBe('invalid_credentials');
    });
    // The hash is nearly all of the processor time of this second: none of it may be this thread's.
    const thread = process.threadCpuUsage(before.thread);
    const whole = process.cpuUsage(before.whole);
    expect(thread.user + thread.system).toBeLessThan((whole.user + whole.system) / 2);
  });

  test('[AU-19] updateUserById takes a hashed password too, and ends the sessions', async () => {
    const known = imported['argon2i'];
    const { id, email } = await importAccount(imported['bcrypt $2a$']?.hash ?? '');
    const client = clientOf(server);
    await client.auth.signInWithPassword({ email, password: 'trois-petits-chats-7' });
    const attributes = { password_hash: known?.hash ?? '' };
    expect((await administratorOf(server).auth.admin.updateUserById(id, attributes)).error).toBeNull();
    expect((await client.auth.getUser()).error?.message).toBe('Auth session missing!');
    const again = await clientOf(server).auth.signInWithPassword({ email, password: known?.password ?? '' });
    expect(again.error).toBeNull();
  });

  test.each([
    ['unknown', '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/'],
    ['md5', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['bcrypt $2x$', '$2x$07$BCryptRequires22ChrctebyrRoMg4xSUrSJMlnfUsy2n6qBkHGeS'],
    ['bcrypt, cost 31', '$2b$31$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq'],
    ['bcrypt, cost 3', '$2b$03$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq'],
    ['bcrypt followed by something else', '$2b$07$BCryptRequires22Chrctexh/Jo3PfdRkN4Gwm/9hbaGt7R79/Jeq$'],
    ['argon2d', '$argon2d$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ['argon2 version 16', '$argon2i$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ['argon2, 1 GiB', '$argon2id$v=19$m=1048576,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ['argon2, 99 passes over 256 MiB', '$argon2id$v=19$m=262144,t=99,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ['argon2, too little memory', '$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ['argon2, no pass', '$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
    ["Firebase's scrypt, 2^30", '$fbscrypt$v=1,n=30,r=8,p=1,sk=jxspr8Ki0RYycVU8zykbdA==$42xE$lSrfV15cpx95/sZS2W9c9A=='],
    [
      "Firebase's scrypt, r=99",
      '$fbscrypt$v=1,n=14,r=99,p=1,sk=jxspr8Ki0RYycVU8zykbdA==$42xE$lSrfV15cpx95/sZS2W9c9A==',
    ],
    ["Firebase's scrypt without a key", '$fbscrypt$invalid'],
    ['too long', `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(5000)}$RdescudvJCsgt3ub+b+dWRWJTmaaJObG`],
  ])('[AU-19] %s: refused at the import, whatever its cost would be', async (_name, hash) => {
    const email = anEmail();
    const { error } = await administratorOf(server).auth.admin.createUser({ email, password_hash: hash });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await server.database.asOwner('select from auth.users where email = $1', [email])).toHaveLength(0);
  });

  test('[AU-19] a password and a hashed password together are refused', async () => {
    const { error } = await administratorOf(server).auth.admin.createUser({
      email: anEmail(),
      password: 'trois-petits-chats-7',
      password_hash: imported['argon2i']?.hash ?? '',
    });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});
