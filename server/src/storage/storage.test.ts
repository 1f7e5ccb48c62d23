import { createClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

let server: TestServer;
let admin: Person;
let png: Buffer;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  png = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#abcdef' } })
    .png()
    .toBuffer();
});
afterAll(() => server.close());

const bucket = async (person?: Person) => (await server.client(person)).storage.from('logos');
const rowCount = async () => (await server.database.asOwner('select from storage.objects')).length;

describe('the official client, for an admin', () => {
  test('[ST-01] upload, replace, list, read, remove', async () => {
    const logos = await bucket(admin);
    const uploaded = await logos.upload('marque/un.png', png, { contentType: 'image/png' });
    expect(uploaded.error).toBeNull();
    expect(uploaded.data).toMatchObject({ path: 'marque/un.png', fullPath: 'logos/marque/un.png' });
    expect((await logos.upload('marque/un.png', png)).error).toMatchObject({ statusCode: '409' });
    expect((await logos.upload('marque/un.png', png, { upsert: true })).error).toBeNull();
    expect((await logos.upload('deux.png', new Blob([new Uint8Array(png)], { type: 'image/png' }))).error).toBeNull();
    expect((await logos.update('deux.png', png)).error).toBeNull();
    expect((await logos.update('absent.png', png)).error).toMatchObject({ statusCode: '404' });

    const root = await logos.list();
    expect(root.data?.map(({ name, id }) => [name, id === null])).toEqual([
      ['deux.png', false],
      ['marque', true],
    ]);
    const folder = await logos.list('marque', { limit: 1, search: 'U' });
    expect(folder.data).toMatchObject([{ name: 'un.png', metadata: { mimetype: 'image/png' } }]);
    expect((await logos.list('', { offset: 1 })).data).toHaveLength(1);
    expect((await logos.exists('deux.png')).data).toBe(true);
    expect((await logos.exists('trois.png')).data).toBe(false);
    expect((await logos.info('deux.png')).data).toMatchObject({ name: 'deux.png', contentType: 'image/png' });
    const downloaded = await logos.download('deux.png');
    expect(downloaded.data?.type).toBe('image/png');

    const address = logos.getPublicUrl('marque/un.png').data.publicUrl;
    expect((await fetch(address)).status).toBe(200);
    const removed = await logos.remove(['marque/un.png', 'absent.png']);
    expect(removed.data).toMatchObject([{ name: 'marque/un.png' }]);
    expect((await fetch(address)).status).toBe(404);
    await logos.remove(['deux.png']);
    expect(await rowCount()).toBe(0);
  });

  test('[V-06] an uploaded image is redrawn here too, and limited to 5 MB', async () => {
    const logos = await bucket(admin);
    expect((await logos.upload('x.png', 'pas une image', { contentType: 'image/png' })).error).toMatchObject({
      statusCode: '415',
    });
    for (const body of [Buffer.alloc(6_000_000), new Blob([Buffer.alloc(6_000_000)])]) {
      expect((await logos.upload('x.png', body)).error).toMatchObject({ statusCode: '413' });
    }
    expect(
      (await logos.upload('x.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"/>'))
        .error,
    ).toBeNull();
    const file = await fetch(logos.getPublicUrl('x.svg').data.publicUrl);
    expect(file.headers.get('content-type')).toBe('image/png');
    await logos.remove(['x.svg']);
    expect(await rowCount()).toBe(0);
  });

  test('[ST-01] threat 35: a name that leaves its folder, or another bucket, is refused', async () => {
    const token = await server.tokenOf(admin);
    for (const path of [
      'logos/..%2Fx.png',
      'logos/a//x.png',
      'logos/%00.png',
      'logos/é.png',
      'logos/',
      'autre/x.png',
    ]) {
      const reply = await server.fetch(`/storage/v1/object/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
        body: new Uint8Array(png),
      });
      expect({ path, refused: reply.status >= 400 && reply.status < 500 }).toEqual({ path, refused: true });
      expect(await reply.json()).toMatchObject({ statusCode: String(reply.status) });
    }
    expect(await rowCount()).toBe(0);
  });
});

describe('everyone else', () => {
  test('[P-04] threat 35: a visitor, a client and a commercial read, and nothing else', async () => {
    await (await bucket(admin)).upload('public.png', png);
    for (const person of [undefined, await aClient(server.database), await aCommercial(server.database)]) {
      const logos = await bucket(person);
      expect((await logos.upload('x.png', png)).error).toMatchObject({ statusCode: '403' });
      expect((await logos.upload('public.png', png, { upsert: true })).error).toMatchObject({ statusCode: '403' });
      expect((await logos.update('public.png', png)).error).toMatchObject({ statusCode: '403' });
      expect((await logos.list()).error).toMatchObject({ statusCode: '403' });
      expect((await logos.remove(['public.png'])).error).toMatchObject({ statusCode: '403' });
      expect((await fetch(logos.getPublicUrl('public.png').data.publicUrl)).status).toBe(200);
    }
    const forged: Person = { ...(await aClient(server.database)), role: 'admin' };
    expect((await (await bucket(forged)).upload('x.png', png)).error).toMatchObject({ statusCode: '403' });
    const ended = await anAdmin(server.database);
    await server.database.asOwner('delete from auth.sessions where id = $1', [ended.sessionId]);
    expect((await (await bucket(ended)).upload('x.png', png)).error).toMatchObject({ statusCode: '401' });
    expect(await rowCount()).toBe(1);
  });

  test('[ST-01] the secret key manages files; without a key only the public address answers', async () => {
    const { services, url } = server;
    const secret = createClient(url, services.keys.secretKey, { auth: { persistSession: false } }).storage.from(
      'logos',
    );
    expect((await secret.list()).data).toHaveLength(1);
    expect((await fetch(`${url}/storage/v1/object/logos/public.png`)).status).toBe(401);
    expect(
      (await fetch(`${url}/storage/v1/object/list/logos?x=/object/public/logos/`, { method: 'POST' })).status,
    ).toBe(401);
    expect((await fetch(`${url}/storage/v1/object/public/logos/public.png`)).status).toBe(200);
  });

  test('[ST-01] W20: headers that let nothing run, an entity tag, 304 for whoever has the file', async () => {
    const address = `${server.url}/storage/v1/object/public/logos/public.png`;
    const first = await fetch(address);
    const headers = Object.fromEntries(first.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    });
    expect(headers['content-security-policy']).toContain('sandbox');
    const etag = headers['etag'] ?? '';
    expect(etag).toMatch(/^"[\w-]{20,}"$/u);
    for (const known of [etag, `W/${etag}`, `"autre", ${etag}`]) {
      const again = await fetch(address, { headers: { 'if-none-match': known } });
      expect(again.status).toBe(304);
      expect(again.headers.get('etag')).toBe(etag);
      expect(await again.text()).toBe('');
    }
    expect((await fetch(address, { headers: { 'if-none-match': '"autre"' } })).status).toBe(200);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, Number(head.headers.get('content-length')) > 0]).toEqual([200, true]);
    const download = await fetch(`${address}?download=${encodeURIComponent('mon "logo".png')}`);
    expect(download.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''mon%20%22logo%22.png`);
    expect(await (await fetch(`${server.url}/storage/v1/object/public/logos/absent.png`)).json()).toEqual({
      statusCode: '404',
      error: 'not_found',
      message: 'Object not found',
      code: 'NoSuchKey',
    });
  });
});
