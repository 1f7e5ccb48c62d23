import { afterAll, beforeAll, expect, test } from 'vitest';

import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { createRateLimit } from './rate-limit.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ jobs: false, doors: [] });
});
afterAll(async () => server.close());

test('[I-46] of 20 that come at once through two nodes, exactly as many pass as the bucket holds', async () => {
  const [first, second] = [server.services.rateLimit, createRateLimit(server.services.db)];
  const waits = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? first : second).takeToken('many', { capacity: 5, perSeconds: 300 }),
    ),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  for (const wait of waits.filter((seconds) => seconds > 0)) expect(wait).toBeLessThanOrEqual(60);
});

test('[I-46] a bucket fills up again with time, and knows no other', async () => {
  const limit = { capacity: 2, perSeconds: 3600 };
  const { rateLimit } = server.services;
  expect(await rateLimit.takeToken('a', limit)).toBe(0);
  expect(await rateLimit.takeToken('a', limit)).toBe(0);
  expect(await rateLimit.takeToken('a', limit)).toBeGreaterThan(0);
  expect(await rateLimit.takeToken('b', limit)).toBe(0);
  await server.database.asOwner(
    `update private.rate_limits set refilled_at = refilled_at - interval '1 hour' where bucket = 'a'`,
  );
  expect(await rateLimit.takeToken('a', limit)).toBe(0);
});
