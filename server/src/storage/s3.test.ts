import S3rver from '@20minutes/s3rver';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { sweepLooseBlobs } from './bytes.ts';

// The same files with their bytes in a service that speaks S3 (STORAGE_S3_URL), over its real protocol and signatures.

let folder: string;
let s3: S3rver;
let server: TestServer;
let admin: Person;
let png: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-s3-'));
  s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'files', configs: [] }],
  });
  const { port } = await s3.run();
  server = await startTestServer({
    environment: { STORAGE_S3_URL: `http://S3RVER:S3RVER@127.0.0.1:${port}/files/logos?region=eu-west-3` },
  });
  admin = await anAdmin(server.database);
  png = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#654321' } })
    .png()
    .toBuffer();
});
afterAll(async () => {
  await server.close();
  // The last test has closed the service already.
  await rm(folder, { recursive: true, force: true });
});

const logos = async () => (await server.client(admin)).storage.from('logos');
const address = (name: string) => `${server.url}/storage/v1/object/public/logos/${name}`;
const stored = async () =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('_object')).length;
const loose = () => server.database.asOwner('select blob from storage.loose_blobs');

test('[ST-01] upload, read whole and in parts, move, copy and remove, with the bytes in S3', async () => {
  const bucket = await logos();
  expect((await bucket.upload('a.png', png)).error).toBeNull();
  const row = only(
    await server.database.asOwner<{ content: Buffer | null; size: number }>(
      'select content, size from storage.objects',
    ),
  );
  expect(row.content).toBeNull();
  const whole = Buffer.from(await (await fetch(address('a.png'))).arrayBuffer());
  expect(whole.length).toBe(row.size);
  expect((await sharp(whole).metadata()).width).toBe(300);
  const part = await fetch(address('a.png'), { headers: { range: 'bytes=2-5' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-5/${row.size}`]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(2, 6));
  const etag = part.headers.get('etag') ?? '';
  expect((await fetch(address('a.png'), { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await bucket.move('a.png', 'b.png')).error).toBeNull();
  expect((await bucket.copy('b.png', 'c.png')).error).toBeNull();
  expect(await stored()).toBe(2);
  expect((await bucket.remove(['b.png'])).error).toBeNull();
  expect(Buffer.from(await (await fetch(address('c.png'))).arrayBuffer())).toEqual(whole);
  expect((await bucket.remove(['c.png'])).error).toBeNull();
});

test('[ST-01] bytes that no row names are swept after an hour, and not before', async () => {
  expect(await loose()).toHaveLength(2);
  await sweepLooseBlobs(server.services);
  expect(await stored()).toBe(2);
  const bucket = await logos();
  await bucket.upload('kept.png', png);
  await bucket.upload('kept.png', png, { upsert: true });
  await server.database.asOwner(`update storage.loose_blobs set since = now() - interval '2 hours'`);
  await sweepLooseBlobs(server.services);
  expect(await loose()).toEqual([]);
  expect(await stored()).toBe(1);
  expect((await fetch(address('kept.png'))).status).toBe(200);
});

test("[F-04] the company's logo is stored there too", async () => {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(png)], 'logo.png', { type: 'image/png' }));
  const { data, error } = await (
    await server.client(admin)
  ).functions.invoke<{ logo_url: string }>('company-settings?action=upload_logo', { body: form });
  expect(error).toBeNull();
  expect((await fetch(server.url + (data?.logo_url ?? ''))).headers.get('content-type')).toBe('image/png');
  expect(await stored()).toBe(2);
});

test('[ST-01] S3 down gives 503 and a sentence; nothing is lost or named', async () => {
  const before = await server.database.asOwner('select name, blob from storage.objects order by name');
  await s3.close();
  const bucket = await logos();
  expect((await bucket.upload('lost.png', png)).error).toMatchObject({ statusCode: '503' });
  const reply = await fetch(address('kept.png'));
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  expect(await server.database.asOwner('select name, blob from storage.objects order by name')).toEqual(before);
});
