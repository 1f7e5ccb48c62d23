import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { makeKeyFile, readKeyFile } from './master-key.ts';
import { createSecrets } from './secrets.ts';

const secrets = createSecrets(randomBytes(32));

describe('[V-18] what is sealed', () => {
  test('opens again, whatever it is made of', () => {
    for (const plain of ['', 'FR76 3000 6000 0112 3456 7890 189', 'é'.repeat(5000)]) {
      expect(secrets.open('iban', secrets.seal('iban', plain, 'row-1'), 'row-1').toString()).toBe(plain);
    }
  });

  test('is never twice the same, and shows nothing of itself', () => {
    const [first, second] = [secrets.seal('iban', 'FR7630006000'), secrets.seal('iban', 'FR7630006000')];
    expect(first.equals(second)).toBe(false);
    expect(first.toString('latin1')).not.toContain('FR76');
  });

  test('opens for no other purpose, row or key, nor with any byte changed', () => {
    const sealed = secrets.seal('iban', 'FR7630006000', 'row-1');
    expect(() => secrets.open('mail', sealed, 'row-1')).toThrow();
    expect(() => secrets.open('iban', sealed, 'row-2')).toThrow();
    expect(() => createSecrets(randomBytes(32)).open('iban', sealed, 'row-1')).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => secrets.open('iban', altered, 'row-1')).toThrow();
    }
    expect(() => secrets.open('iban', sealed.subarray(0, 20), 'row-1')).toThrow();
    expect(() => secrets.open('iban', Buffer.alloc(0))).toThrow();
  });
});

test('what derives from a key depends on the purpose and nothing else', () => {
  const key = randomBytes(32);
  expect(createSecrets(key).derive('a')).toEqual(createSecrets(key).derive('a'));
  expect(createSecrets(key).derive('a')).not.toEqual(createSecrets(key).derive('b'));
  expect(createSecrets(key).derive('a', 16)).toHaveLength(16);
  expect(() => createSecrets(randomBytes(16))).toThrow();
});

test('the master key beside the data is made once, read by its owner alone, and refused when damaged', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-key-'));
  try {
    expect(await readKeyFile(folder)).toBeNull();
    const [first, second] = await Promise.all([makeKeyFile(folder), makeKeyFile(folder)]);
    expect(first).toEqual(second);
    expect(first).toHaveLength(32);
    const file = path.join(folder, 'master.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFile(file, 'abcd');
    await expect(readKeyFile(folder)).rejects.toThrow(/abîmé/u);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
