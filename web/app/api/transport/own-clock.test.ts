import { expect, test } from 'vitest';
import { byOwnClock } from './own-clock.ts';

const token = (claims: object) => `e30.${btoa(JSON.stringify(claims))}.x`;
const issued = 1_790_000_000;
const session = { access_token: token({ iat: issued, exp: issued + 3600 }), expires_at: issued + 3600 };

test.each([
  ['right', 0],
  ['62 minutes slow', -62 * 60],
  ['62 minutes ahead', 62 * 60],
])('[DF-35] a clock that is %s keeps a new token for the hour it lives', (_clock, shift) => {
  const now = issued + shift;
  const kept = byOwnClock(JSON.stringify(session), null, now * 1000);
  expect(JSON.parse(kept)).toEqual({ ...session, expires_at: now + 3600 });
  // Written again with its user a while later: its end stays.
  const again = byOwnClock(JSON.stringify({ ...session, user: {} }), kept, (now + 600) * 1000);
  expect(JSON.parse(again)).toMatchObject({ expires_at: now + 3600, user: {} });
});

test.each(['"a verifier"', 'not json', '{}', '{"access_token":"x"}'])('[DF-35] %s is kept as it is', (written) => {
  expect(byOwnClock(written, null)).toBe(written);
});
