import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

// Every request of an admin about files succeeds or is refused in the protocol's words: never a 5xx.

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

const name = fc.oneof(
  fc.constantFrom('a.png', 'a/b.png', '..', '../x', 'a//b', '', '%', '\0', 'é', 'x'.repeat(300), '*', '?token=1'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const bucket = fc.oneof({ weight: 5, arbitrary: fc.constant('logos') }, name);
const path = fc
  .tuple(
    fc.constantFrom(
      '/object',
      '/object/public',
      '/object/sign',
      '/object/info',
      '/object/list',
      '/object/list-v2',
      '/object/upload/sign',
      '/object/move',
      '/object/copy',
      '/bucket',
      '/render/image/public',
      '/cdn',
    ),
    bucket,
    fc.option(name),
  )
  .map(
    ([door, first, rest]) =>
      `${door}/${encodeURIComponent(first)}${rest === null ? '' : `/${encodeURIComponent(rest)}`}`,
  );
const asked = fc.record(
  {
    prefix: fc.oneof(name, fc.jsonValue()),
    prefixes: fc.oneof(fc.array(name), fc.jsonValue()),
    paths: fc.oneof(fc.array(name), fc.jsonValue()),
    limit: fc.oneof(fc.integer(), fc.jsonValue()),
    offset: fc.oneof(fc.constantFrom(0, 1e9, 1e300), fc.jsonValue()),
    search: fc.oneof(name, fc.jsonValue()),
    cursor: fc.oneof(fc.string(), fc.base64String(), fc.jsonValue()),
    with_delimiter: fc.oneof(fc.boolean(), fc.jsonValue()),
    sortBy: fc.oneof(
      fc.record({ column: fc.constantFrom('name', 'created_at', 'x'), order: fc.constantFrom('asc', 'x') }),
      fc.jsonValue(),
    ),
    expiresIn: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    bucketId: bucket,
    sourceKey: name,
    destinationKey: name,
    copyMetadata: fc.oneof(fc.boolean(), fc.jsonValue()),
    metadata: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 4, arbitrary: asked.map((value) => JSON.stringify(value)) },
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string(),
);

test('[ST-01] [X-61] no request brings the storage door down', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
      body,
      fc.constantFrom('application/json', 'text/plain', 'image/png', 'multipart/form-data; boundary=x'),
      async (where, method, content, type) => {
        const reply = await server.fetch(
          `/storage/v1${where}`,
          { method, headers: { 'content-type': type }, ...(method === 'GET' ? {} : { body: content }) },
          admin,
        );
        const said: unknown = reply.ok ? null : await reply.json();
        expect([method, where, content, type, reply.status < 500]).toEqual([method, where, content, type, true]);
        if (said !== null) expect(said).toMatchObject({ statusCode: String(reply.status), code: expect.any(String) });
      },
    ),
    { numRuns: 400, interruptAfterTimeLimit: 30_000 },
  );
});

test('[ST-01] [V-06] an upload that is cut off or malformed is refused', async () => {
  for (const content of [
    '',
    '{}',
    '--x',
    '--x\r\n\r\n',
    '--x\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nabc',
  ]) {
    const reply = await server.fetch(
      '/storage/v1/object/logos/cut.png',
      { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: content },
      admin,
    );
    expect([content, reply.status]).toEqual([content, 400]);
  }
});
