import { demoPassword } from '@parrain/database/demo';
import { expect, test } from 'vitest';

import type { AuthSettings } from '../protocol/settings.ts';
import { hashPassword, isKnownHash, needsRehash, verifyPassword } from './password-hash.ts';
import { passwordWeakness } from './password-rules.ts';
import { generateTemporaryPassword } from './temporary-password.ts';

const settings = { passwordLengthMin: 10 } as AuthSettings;
const owner = { email: 'claire.martin@example.fr', fullName: 'Claire Martin' };

test("[AU-22][I-57] short, common or one's own name: passwords refused with their reasons", () => {
  for (const [password, reasons] of [
    ['', ['length']],
    ['123456', ['length', 'pwned']],
    ['motdepasse', ['pwned']],
    ['M0tDeP@sse2026!', ['pwned']],
    ['Mot-de-passe1', ['pwned']],
    ['password123', ['pwned']],
    ['azertyuiop', ['pwned']],
    ['Azertyuiop1!', ['pwned']],
    ['poiuytreza', ['pwned']],
    ['9876543210', ['pwned']],
    ['aaaaaaaaaaaa', ['pwned']],
    ['abcabcabcabc', ['pwned']],
    ['Parrainage2026', ['pwned']],
    ['martin1984', ['pwned']],
    // [FX-01] It is published.
    [demoPassword, ['pwned']],
    ['claire.martin@example.fr', ['pwned']],
    ['ClaireMartin!', ['pwned']],
  ] as const) {
    expect({ password, reasons: passwordWeakness(password, owner, settings)?.reasons }).toEqual({ password, reasons });
  }
});

test('[I-57] a sentence, emojis, spaces, a random password: accepted', () => {
  for (const password of [
    'trois petits chats',
    '  espaces devant',
    '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵',
    'le jardin de claire martin est fleuri',
    'Kx9#vTq2Lm',
    generateTemporaryPassword(),
  ]) {
    expect({ password, weakness: passwordWeakness(password, owner, settings) }).toEqual({ password, weakness: null });
  }
});

test('[V-19] a temporary password: twenty unambiguous characters, never the same twice', () => {
  const made = new Set(Array.from({ length: 1000 }, generateTemporaryPassword));
  expect(made.size).toBe(1000);
  for (const password of made) expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9]{20}$/u);
});

test('[AU-02] an argon2id hash verifies, is never repeated and ignores how accents are composed', async () => {
  const hash = await hashPassword('élan-vital-12');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
  expect(await hashPassword('élan-vital-12')).not.toBe(hash);
  expect(await verifyPassword('élan-vital-12'.normalize('NFD'), hash)).toBe(true);
  expect(await verifyPassword('elan-vital-12', hash)).toBe(false);
  expect(await verifyPassword('élan-vital-12', null)).toBe(false);
  expect(needsRehash(hash)).toBe(false);
  // A hash whose parameters would be costly is not even tried.
  expect(isKnownHash(hash.replace('m=19456', 'm=9999999'))).toBe(false);
});
