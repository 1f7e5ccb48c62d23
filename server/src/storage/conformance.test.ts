// @module-tag long: src/storage/storage.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

// The official client as it is, over every call of its file API that this server knows (ST-01).

let server: TestServer;
let admin: Person;
let client: Person;
let png: Buffer;
let now = new Date();
beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  admin = await anAdmin(server.database);
  client = await aClient(server.database);
  png = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  const { error } = await (await bucket(admin)).upload('logo.png', png, { contentType: 'image/png' });
  expect(error).toBeNull();
  await server.database.asOwner('create table private.first_logo as table storage.objects');
});
afterAll(() => server.close());
// Put back as it was sent: each upload is redrawn by a process of its own.
beforeEach(async () => {
  const columns = 'bucket_id, name, owner, content, content_type, cache_control, etag, size, user_metadata';
  await server.database.asOwner('delete from storage.objects');
  await server.database.asOwner(`insert into storage.objects (${columns}) select ${columns} from private.first_logo`);
});

const bucket = async (person?: Person) => (await server.client(person)).storage.from('logos');
const address = (name = 'logo.png') => `${server.url}/storage/v1/object/public/logos/${name}`;
const bytesOf = async (url: string, headers: Record<string, string> = {}) => {
  const reply = await fetch(url, { headers });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
};
const statuses = async (work: Promise<{ readonly error: unknown }>) => {
  const { error } = await work;
  return (error as { readonly statusCode?: string } | null)?.statusCode ?? null;
};

describe('parts of a file', () => {
  test('[ST-01] Range gives the part asked for, and no more', async () => {
    const whole = (await bytesOf(address())).bytes;
    const size = whole.length;
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 9],
      ['bytes=5-', 5, size - 1],
      ['bytes=-4', size - 4, size - 1],
      ['bytes=0-0', 0, 0],
      [`bytes=10-${size * 9}`, 10, size - 1],
      [`bytes=-${size * 9}`, 0, size - 1],
    ] as const) {
      const part = await bytesOf(address(), { range });
      expect([range, part.status, part.headers.get('content-range')]).toEqual([
        range,
        206,
        `bytes ${first}-${last}/${size}`,
      ]);
      expect(part.bytes).toEqual(whole.subarray(first, last + 1));
      expect(part.headers.get('content-length')).toBe(String(last - first + 1));
      expect(part.headers.get('accept-ranges')).toBe('bytes');
    }
  });

  test('[ST-01] Range outside the file gives 416 and the size; unreadable or multiple gives the whole file', async () => {
    const { length } = (await bytesOf(address())).bytes;
    for (const range of [`bytes=${length}-`, 'bytes=-0', `bytes=${length + 5}-${length + 9}`]) {
      const none = await bytesOf(address(), { range });
      expect([range, none.status, none.headers.get('content-range')]).toEqual([range, 416, `bytes */${length}`]);
      expect(JSON.parse(none.bytes.toString())).toMatchObject({ statusCode: '416', code: 'InvalidRange' });
    }
    for (const range of ['bytes=0-1,4-5', 'lines=0-1', 'bytes=9-2', 'bytes=a-b', 'bytes=-', '']) {
      expect([range, (await bytesOf(address(), { range })).status]).toEqual([range, 200]);
    }
  });

  test('[ST-01] If-Range gives a part of the version that the caller has, otherwise the whole file', async () => {
    const { headers, bytes } = await bytesOf(address());
    const etag = headers.get('etag') ?? '';
    const date = headers.get('last-modified') ?? '';
    for (const [condition, status] of [
      [etag, 206],
      ['"another"', 200],
      [`W/${etag}`, 200],
      [date, 206],
      ['Mon, 01 Jan 2001 00:00:00 GMT', 200],
    ] as const) {
      const reply = await bytesOf(address(), { range: 'bytes=0-3', 'if-range': condition });
      expect([condition, reply.status, reply.bytes.length]).toEqual([
        condition,
        status,
        status === 206 ? 4 : bytes.length,
      ]);
    }
  });

  test('[ST-01] HEAD answers as GET would; 304 by entity tag or by date', async () => {
    const get = await bytesOf(address());
    const head = await fetch(address(), { method: 'HEAD' });
    for (const name of ['content-length', 'etag', 'last-modified', 'cache-control', 'content-type', 'accept-ranges']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
    expect(await head.text()).toBe('');
    const date = get.headers.get('last-modified') ?? '';
    expect((await bytesOf(address(), { 'if-modified-since': date })).status).toBe(304);
    expect((await bytesOf(address(), { 'if-none-match': '*' })).status).toBe(304);
    // The fingerprint decides where both are said.
    expect((await bytesOf(address(), { 'if-modified-since': date, 'if-none-match': '"x"' })).status).toBe(200);
    expect(
      (await bytesOf(address(), { 'if-none-match': get.headers.get('etag') ?? '', range: 'bytes=0-1' })).status,
    ).toBe(304);
  });
});

describe('signed addresses', () => {
  test('[ST-01] createSignedUrl is readable without a key until it expires, then refused', async () => {
    const { data, error } = await (await bucket(client)).createSignedUrl('logo.png', 60);
    expect(error).toBeNull();
    const url = data?.signedUrl ?? '';
    const reply = await bytesOf(url);
    expect([reply.status, reply.bytes.length > 0]).toEqual([200, true]);
    expect(Date.parse(reply.headers.get('expires') ?? '')).toBeGreaterThan(now.getTime());
    expect((await bytesOf(url, { range: 'bytes=0-1' })).status).toBe(206);
    const named = await (await bucket(client)).createSignedUrl('logo.png', 60, { download: 'mon-logo.png' });
    expect((await bytesOf(named.data?.signedUrl ?? '')).headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''mon-logo.png`,
    );
    const before = now;
    now = new Date(before.getTime() + 61_000);
    const late = await bytesOf(url);
    now = before;
    expect([late.status, JSON.parse(late.bytes.toString())]).toEqual([
      400,
      expect.objectContaining({ code: 'ExpiredToken', statusCode: '400' }),
    ]);
  });

  test('[A-35] threat 35: an address that was changed, is another file’s, or is signed by another key is refused', async () => {
    await (await bucket(admin)).upload('other.png', png);
    const { data } = await (await bucket(client)).createSignedUrl('logo.png', 60);
    const url = data?.signedUrl ?? '';
    const [head = '', body = '', signature = ''] = new URL(url).searchParams.get('token')?.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const changed = (more: object) => Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const access = await server.tokenOf(admin);
    const tampered = [
      url.replace('logo.png', 'other.png'),
      url.replace(/token=.*/u, ''),
      ...[
        '',
        'x',
        `${head}.${body}.${signature.slice(0, -2)}AA`,
        `${head}.${changed({ exp: 9_999_999_999 })}.${signature}`,
        `${head}.${changed({ url: 'logos/other.png' })}.${signature}`,
        `${none}.${body}.`,
        access,
      ].map((token) => url.replace(/token=.*/u, `token=${token}`)),
    ];
    for (const each of tampered) {
      const reply = await bytesOf(each);
      expect([each, reply.status, JSON.parse(reply.bytes.toString())]).toEqual([
        each,
        400,
        expect.objectContaining({ code: 'InvalidSignature' }),
      ]);
    }
    // A token for reading one file does not upload one, and is refused at every other door.
    const token = new URL(url).searchParams.get('token') ?? '';
    const path = '/storage/v1/object/upload/sign/logos/logo.png';
    const sent = await server.fetch(`${path}?token=${token}`, { method: 'PUT', body: new Uint8Array(png) });
    expect(sent.status).toBe(400);
    const asBearer = await server.fetch('/rest/v1/sales', { headers: { authorization: `Bearer ${token}` } });
    expect(asBearer.status).toBe(401);
  });

  test('[ST-01] createSignedUrls says of each file whether it exists; a visitor and an ended session make none', async () => {
    const { data } = await (await bucket(client)).createSignedUrls(['logo.png', 'absent.png'], 60);
    expect(data).toMatchObject([
      { path: 'logo.png', error: null },
      { path: 'absent.png', error: expect.any(String), signedURL: null },
    ]);
    expect((await bytesOf(data?.[0]?.signedUrl ?? '')).status).toBe(200);
    expect(await statuses((await bucket()).createSignedUrl('logo.png', 60))).toBe('403');
    expect(await statuses((await bucket(client)).createSignedUrl('absent.png', 60))).toBe('404');
    expect(await statuses((await bucket(client)).createSignedUrl('logo.png', 0))).toBe('400');
    const gone = await aClient(server.database);
    await server.database.asOwner('delete from auth.sessions where id = $1', [gone.sessionId]);
    expect(await statuses((await bucket(gone)).createSignedUrl('logo.png', 60))).toBe('401');
  });

  test('[ST-01] [A-35] a signed upload is by an admin, for one name, as long as they are an admin', async () => {
    const own = await anAdmin(server.database);
    const made = await (await bucket(own)).createSignedUploadUrl('sent.png');
    expect(made.error).toBeNull();
    const token = made.data?.token ?? '';
    const visitor = await bucket();
    expect((await visitor.uploadToSignedUrl('sent.png', token, new Blob([new Uint8Array(png)]))).error).toBeNull();
    expect((await fetch(address('sent.png'))).status).toBe(200);
    expect(await statuses(visitor.uploadToSignedUrl('sent.png', token, png))).toBe('409');
    expect(await statuses(visitor.uploadToSignedUrl('other.png', token, png))).toBe('400');
    expect(await statuses((await bucket(own)).createSignedUploadUrl('sent.png'))).toBe('409');
    const over = await (await bucket(own)).createSignedUploadUrl('sent.png', { upsert: true });
    expect(await statuses(visitor.uploadToSignedUrl('sent.png', over.data?.token ?? '', png))).toBeNull();
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [own.id]);
    expect(await statuses(visitor.uploadToSignedUrl('sent.png', over.data?.token ?? '', png))).toBe('403');
    for (const person of [client, undefined]) {
      expect(await statuses((await bucket(person)).createSignedUploadUrl('mine.png'))).toBe('403');
    }
  });
});

describe('files', () => {
  test('[ST-01] move and copy overwrite nothing unless asked to', async () => {
    const logos = await bucket(admin);
    expect((await logos.move('logo.png', 'kept/first.png')).error).toBeNull();
    expect((await fetch(address())).status).toBe(404);
    expect((await logos.copy('kept/first.png', 'second.png')).data).toEqual({ path: 'logos/second.png' });
    expect((await bytesOf(address('second.png'))).bytes).toEqual((await bytesOf(address('kept/first.png'))).bytes);
    expect(await statuses(logos.copy('kept/first.png', 'second.png'))).toBe('409');
    expect(await statuses(logos.move('kept/first.png', 'second.png'))).toBe('409');
    expect(await statuses(logos.move('absent.png', 'third.png'))).toBe('404');
    expect(await statuses(logos.copy('absent.png', 'third.png'))).toBe('404');
    expect(await statuses(logos.move('second.png', '../x.png'))).toBe('400');
    expect(await statuses(logos.copy('second.png', 'x.png', { destinationBucket: 'other' }))).toBe('404');
    for (const person of [client, await aCommercial(server.database), undefined]) {
      expect(await statuses((await bucket(person)).move('second.png', 'mine.png'))).toBe('403');
      expect(await statuses((await bucket(person)).copy('second.png', 'mine.png'))).toBe('403');
    }
    const { data } = await logos.list('', { sortBy: { column: 'name', order: 'desc' } });
    expect(data?.map(({ name }) => name)).toEqual(['second.png', 'kept']);
  });

  test('[ST-01] info gives the size, the type, the cache lifetime and the metadata', async () => {
    const logos = await bucket(admin);
    const metadata = { source: 'charte', année: 2026 };
    for (const [name, body] of [
      ['raw.png', png],
      ['form.png', new Blob([new Uint8Array(png)], { type: 'image/png' })],
    ] as const) {
      expect((await logos.upload(name, body, { cacheControl: '60', metadata })).error).toBeNull();
      const { data } = await logos.info(name);
      const { bytes, headers } = await bytesOf(address(name));
      expect(data).toMatchObject({ name, size: bytes.length, contentType: 'image/png', metadata });
      expect(headers.get('cache-control')).toBe('public, max-age=60');
    }
    const [listed] = (await logos.list('', { search: 'form' })).data ?? [];
    expect(listed?.metadata).toMatchObject({ mimetype: 'image/png', cacheControl: 'max-age=60' });
    expect((await logos.exists('nothing.png')).data).toBe(false);
    expect(await statuses(logos.info('nothing.png'))).toBe('404');
  });

  const pictureAt = async (url: string, headers: Record<string, string> = {}) => {
    const { status, headers: said, bytes } = await bytesOf(url, headers);
    const { width, height, format } = await sharp(bytes).metadata();
    return { status, type: said.get('content-type'), format, width, height, tag: said.get('etag') ?? '' };
  };

  test('[DF-52, ST-01] a picture is drawn to the size asked for, by a download, a public and a signed address', async () => {
    const logos = await bucket(client);
    const transform = { width: 30, height: 30 };
    const small = { width: 30, height: 30, format: 'png' };
    const { data } = await logos.download('logo.png', { transform });
    expect(await sharp(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0))).metadata()).toMatchObject(small);
    const shown = logos.getPublicUrl('logo.png', { transform, download: true }).data.publicUrl;
    expect(await pictureAt(shown)).toMatchObject({ ...small, status: 200, type: 'image/png' });
    const signed = (await logos.createSignedUrl('logo.png', 60, { transform })).data?.signedUrl ?? '';
    expect(await pictureAt(signed)).toMatchObject(small);
    // The size is signed with the name.
    expect(await pictureAt(`${signed}&width=200&height=200`)).toMatchObject(small);
    expect(await pictureAt(signed.replace('/render/image/sign/', '/object/sign/'))).toMatchObject(small);
  });

  test.each([
    [{ width: 150 }, 150, 100],
    [{ height: 50 }, 75, 50],
    [{ width: 50, height: 50, resize: 'contain' }, 50, 33],
    [{ width: 50, height: 60, resize: 'fill' }, 50, 60],
    [{ width: 50, height: 60, resize: 'cover', quality: 20 }, 50, 60],
    // A picture is not made larger than it is.
    [{ width: 2500 }, 300, 200],
  ] as const)('[DF-52] %j of a picture of 300 by 200 is %i by %i', async (transform, width, height) => {
    const { publicUrl } = (await bucket()).getPublicUrl('logo.png', { transform }).data;
    expect(await pictureAt(publicUrl)).toMatchObject({ status: 200, width, height });
  });

  test('[DF-52] a browser that takes WebP gets it, unless the own format is asked for; each has its tag', async () => {
    const logos = await bucket();
    const accept = { accept: 'image/avif,image/webp,*/*' };
    const at = (transform: { width: number; format?: 'origin' }) =>
      logos.getPublicUrl('logo.png', { transform }).data.publicUrl;
    const webp = await pictureAt(at({ width: 40 }), accept);
    expect(webp).toMatchObject({ type: 'image/webp', format: 'webp', width: 40 });
    const own = await pictureAt(at({ width: 40, format: 'origin' }), accept);
    expect(own).toMatchObject({ type: 'image/png', format: 'png', width: 40 });
    expect(new Set([webp.tag, own.tag, (await bytesOf(address())).headers.get('etag')]).size).toBe(3);
    expect((await bytesOf(at({ width: 40 }), { ...accept, 'if-none-match': webp.tag })).status).toBe(304);
  });

  test.each(['width=0', 'width=2501', 'height=x', 'width=10&quality=5', 'width=10&resize=tile', 'width=10&format=gif'])(
    '[DF-52] a transformation that cannot be done is refused in words: %s',
    async (query) => {
      const reply = await fetch(`${server.url}/storage/v1/render/image/public/logos/logo.png?${query}`);
      expect([reply.status, await reply.json()]).toMatchObject([
        400,
        {
          code: 'InvalidRequest',
          message: expect.stringContaining('width and height are integers between 1 and 2500'),
        },
      ]);
    },
  );

  test('[DF-52] without the right, each refusal speaks of what was asked', async () => {
    const visitor = await bucket();
    const own = await bucket(client);
    const messageOf = async (work: Promise<{ readonly error: { readonly message: string } | null }>) =>
      (await work).error?.message;
    expect(await messageOf(visitor.createSignedUrl('logo.png', 60))).toBe(
      'Only a signed-in person may make signed addresses',
    );
    expect(await messageOf(visitor.createSignedUrls(['logo.png'], 60))).toBe(
      'Only a signed-in person may make signed addresses',
    );
    for (const caller of [visitor, own]) {
      expect(await messageOf(caller.remove(['logo.png']))).toBe('Only an administrator may remove files');
      expect(await messageOf(caller.move('logo.png', 'x.png'))).toBe('Only an administrator may move and copy files');
      expect(await messageOf(caller.copy('logo.png', 'x.png'))).toBe('Only an administrator may move and copy files');
      // An upload inserts a row: these are the official words.
      expect(await messageOf(caller.upload('x.png', png))).toBe('new row violates row-level security policy');
    }
  });

  test('[ST-01] listV2 gives page after page, folders apart', async () => {
    const logos = await bucket(admin);
    for (const name of ['a/1.png', 'a/2.png', 'b.png']) await logos.upload(name, png);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await logos.listV2({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...(data?.objects ?? []).map(({ name }) => name));
      cursor = data?.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a/1.png', 'a/2.png', 'b.png', 'logo.png']);
    const { data } = await logos.listV2({ with_delimiter: true });
    expect([data?.folders.map(({ name }) => name), data?.objects.map(({ name }) => name), data?.hasNext]).toEqual([
      ['a/'],
      ['b.png', 'logo.png'],
      false,
    ]);
    expect(await statuses((await bucket(client)).listV2())).toBe('403');
  });

  test('[FX-45] a folder has its name with a slash and its key without, at any depth', async () => {
    const logos = await bucket(admin);
    await logos.upload('testpath/sub/file.png', png);
    const top = await logos.listV2({ with_delimiter: true, prefix: 'test' });
    expect(top.data?.folders).toEqual([{ key: 'testpath', name: 'testpath/' }]);
    const below = await logos.listV2({ with_delimiter: true, prefix: 'testpath/' });
    expect(below.data?.folders).toEqual([{ key: 'testpath/sub', name: 'testpath/sub/' }]);
    await logos.remove(['testpath/sub/file.png']);
  });

  test('[FX-45] cacheControl is kept as `max-age=` and the seconds given', async () => {
    const logos = await bucket(admin);
    await logos.upload('cached.png', png, { cacheControl: '120' });
    const [listed] = (await logos.list('', { search: 'cached' })).data ?? [];
    expect(listed?.metadata).toMatchObject({ cacheControl: 'max-age=120' });
    expect((await bytesOf(address('cached.png'))).headers.get('cache-control')).toBe('public, max-age=120');
    await logos.remove(['cached.png']);
  });

  test('[FX-45] a listing refused to a visitor says so, and not that a row cannot be inserted', async () => {
    for (const person of [undefined, client]) {
      const { storage } = await server.client(person);
      const answers = [
        await storage.listBuckets(),
        await storage.getBucket('logos'),
        await storage.from('logos').list(),
        await storage.from('logos').listV2(),
      ];
      for (const { error } of answers) {
        expect(error).toMatchObject({ status: 403, message: 'Only an administrator may list what is stored' });
      }
      const { error } = await storage.from('logos').upload('mine.png', png);
      expect(error?.message).toBe('new row violates row-level security policy');
    }
  });

  test('[ST-01] the bucket « logos » is readable; none is made, changed or emptied', async () => {
    const { storage } = await server.client(admin);
    expect((await storage.listBuckets()).data).toMatchObject([{ id: 'logos', public: true }]);
    expect((await storage.getBucket('logos')).data).toMatchObject({ name: 'logos', file_size_limit: 5_242_880 });
    expect(await statuses(storage.getBucket('other'))).toBe('404');
    const secret = createClient(server.url, server.services.keys.secretKey).storage;
    for (const each of [storage, secret]) {
      expect(await statuses(each.createBucket('new'))).toBe('403');
      expect(await statuses(each.updateBucket('logos', { public: false }))).toBe('403');
      expect(await statuses(each.emptyBucket('logos'))).toBe('403');
      expect(await statuses(each.deleteBucket('logos'))).toBe('403');
    }
    expect(await statuses((await server.client(client)).storage.listBuckets())).toBe('403');
    expect(await statuses((await server.client()).storage.from('other').list())).toBe('404');
  });
});

describe('what is sent', () => {
  test('[ST-01] upload and update take a file in every form that the client knows', async () => {
    const logos = await bucket(admin);
    const form = new FormData();
    form.append('', new Blob([new Uint8Array(png)]), 'blob');
    const named = new FormData();
    named.append('note', 'avant');
    named.append('file', new File([new Uint8Array(png)], 'logo.png', { type: 'image/png' }));
    const forms: Record<string, Parameters<typeof logos.upload>[1]> = {
      buffer: png,
      bytes: new Uint8Array(png),
      'array-buffer': new Uint8Array(png).buffer,
      blob: new Blob([new Uint8Array(png)]),
      file: new File([new Uint8Array(png)], 'x.png'),
      form,
      'named-form': named,
      'web-stream': new Blob([new Uint8Array(png)]).stream(),
      'node-stream': Readable.from([png.subarray(0, 100), png.subarray(100)]),
    };
    const expected = (await bytesOf(address())).bytes;
    for (const [name, body] of Object.entries(forms)) {
      const { data, error } = await logos.upload(`forms/${name}.png`, body);
      expect([name, error]).toEqual([name, null]);
      expect(data).toEqual({
        path: `forms/${name}.png`,
        fullPath: `logos/forms/${name}.png`,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      });
      expect([name, (await bytesOf(address(`forms/${name}.png`))).bytes.equals(expected)]).toEqual([name, true]);
    }
    const before = (await bytesOf(address('forms/blob.png'))).headers.get('etag');
    const other = await sharp(png).resize(20).png().toBuffer();
    expect((await logos.update('forms/blob.png', new Blob([new Uint8Array(other)]))).error).toBeNull();
    expect((await bytesOf(address('forms/blob.png'))).headers.get('etag')).not.toBe(before);
    expect((await bytesOf(address('forms/blob.png'), { 'if-none-match': before ?? '' })).status).toBe(200);
  });

  test('[ST-01] every character that a name may have comes back; any other is refused and nothing is stored', async () => {
    const logos = await bucket(admin);
    const name = `Az09_/!.*'()&$@=;:+,- x/é`.replace('/é', '') + '.png';
    expect((await logos.upload(name, png)).data).toMatchObject({ path: name });
    expect((await fetch(logos.getPublicUrl(name).data.publicUrl)).status).toBe(200);
    expect((await logos.info(name)).data).toMatchObject({ name });
    const signed = await logos.createSignedUrl(name, 60);
    expect((await fetch(signed.data?.signedUrl ?? '')).status).toBe(200);
    expect((await logos.remove([name])).data).toMatchObject([{ name }]);
    for (const bad of ['é.png', '%00.png', 'a%09b.png', '..%2Fx.png', '<x>.png', '%5Cx.png']) {
      expect([bad, await statuses(logos.upload(bad, png))]).toEqual([bad, '400']);
    }
    expect(await statuses(logos.upload(`${'a'.repeat(256)}.png`, png))).toBe('400');
    expect((await logos.list()).data?.map((file) => file.name)).toEqual(['logo.png']);
  });

  test('[ST-01] a wrong content encoding and unreadable metadata are refused, never with a 5xx', async () => {
    const logos = await bucket(admin);
    const token = await server.tokenOf(admin);
    for (const encoding of ['gzip', 'br', 'zstd', 'x']) {
      const reply = await server.fetch('/storage/v1/object/logos/encoded.png', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'content-encoding': encoding },
        body: new Uint8Array(png),
      });
      expect([encoding, reply.status >= 400 && reply.status < 500]).toEqual([encoding, true]);
    }
    for (const metadata of [
      'not base64 json',
      Buffer.from('[1]').toString('base64'),
      Buffer.from('{"a":"\\u0000"}').toString('base64'),
    ]) {
      const reply = await server.fetch('/storage/v1/object/logos/said.png', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'x-metadata': metadata },
        body: new Uint8Array(png),
      });
      expect([metadata, reply.status]).toEqual([metadata, 400]);
    }
    expect(await statuses(logos.upload('said.png', png, { metadata: { long: 'x'.repeat(9000) } }))).toBe('400');
    expect((await logos.list()).data).toHaveLength(1);
  });
});

describe('what is refused', () => {
  type Logos = Awaited<ReturnType<typeof bucket>>;
  type Refused = {
    readonly status: number;
    readonly statusCode: string;
    readonly code: string;
    readonly message: string;
  };
  const errorOf = async (work: PromiseLike<{ readonly error: unknown }>) => {
    const { status, statusCode, code, message } = (await work).error as Refused;
    expect([String(status), typeof message]).toEqual([statusCode, 'string']);
    return [status, code];
  };
  const every: readonly (readonly [
    string,
    (logos: Logos, name: string) => PromiseLike<{ readonly error: unknown }>,
  ])[] = [
    ['upload', (logos, name) => logos.upload(name, png)],
    ['upload, upsert', (logos, name) => logos.upload(name, png, { upsert: true })],
    ['update', (logos, name) => logos.update(name, png)],
    ['download', (logos, name) => logos.download(name)],
    ['info', (logos, name) => logos.info(name)],
    ['createSignedUrl', (logos, name) => logos.createSignedUrl(name, 60)],
    ['createSignedUploadUrl', (logos, name) => logos.createSignedUploadUrl(name)],
    ['move', (logos, name) => logos.move(name, 'moved.png')],
    ['copy', (logos, name) => logos.copy(name, 'copied.png')],
  ];
  const onBucket: readonly (readonly [string, (logos: Logos) => PromiseLike<{ readonly error: unknown }>])[] = [
    ['list', (logos) => logos.list()],
    ['listV2', (logos) => logos.listV2()],
    ['remove', (logos) => logos.remove(['logo.png'])],
    ['createSignedUrls', (logos) => logos.createSignedUrls(['logo.png'], 60)],
  ];
  const ended = async () => {
    const gone = await anAdmin(server.database);
    const logos = await bucket(gone);
    await server.database.asOwner('delete from auth.sessions where id = $1', [gone.sessionId]);
    return logos;
  };

  test.each(every)('[ST-01] %s of an absent file, a bad name, another bucket', async (name, call) => {
    const logos = await bucket(admin);
    const makes = name.startsWith('upload') || name === 'createSignedUploadUrl';
    if (!makes) expect(await errorOf(call(logos, 'absent.png'))).toEqual([404, 'NoSuchKey']);
    expect(await errorOf(call(logos, 'é.png'))).toEqual([400, 'InvalidKey']);
    const { storage } = await server.client(admin);
    expect(await errorOf(call(storage.from('autre'), 'logo.png'))).toEqual([404, 'NoSuchBucket']);
    const [file] = (await logos.list()).data ?? [];
    expect(file?.name).toBe('logo.png');
  });

  test.each([...every, ...onBucket])(
    '[ST-01] [P-04] %s without a key, by an ended session, a client, a visitor',
    async (name, call) => {
      const key = createClient(server.url, 'sb_publishable_unknown').storage.from('logos');
      expect(await errorOf(call(key, 'logo.png'))).toEqual([401, 'NoKey']);
      const forged = createClient(server.url, server.services.keys.publishableKey, {
        accessToken: async () => `${(await server.tokenOf(admin)).slice(0, -6)}AAAAAA`,
      }).storage.from('logos');
      expect(await errorOf(call(forged, 'logo.png'))).toEqual([401, 'InvalidJWT']);
      // Everyone reads what is public, whatever became of their session.
      if (name === 'download' || name === 'info') return;
      expect(await errorOf(call(await ended(), 'logo.png'))).toEqual([401, 'InvalidJWT']);
      expect(await errorOf(call(await bucket(), 'logo.png'))).toEqual([403, 'AccessDenied']);
      if (name.startsWith('createSignedUrl')) return;
      for (const person of [client, await aCommercial(server.database)]) {
        expect(await errorOf(call(await bucket(person), 'logo.png'))).toEqual([403, 'AccessDenied']);
      }
      expect((await bytesOf(address())).status).toBe(200);
    },
  );

  test('[ST-01] a taken name, a file too large or of another type, values out of bounds', async () => {
    const logos = await bucket(admin);
    expect(await errorOf(logos.upload('logo.png', png))).toEqual([409, 'KeyAlreadyExists']);
    expect(await errorOf(logos.upload('x.png', Buffer.alloc(5_300_000)))).toEqual([413, 'EntityTooLarge']);
    expect(await errorOf(logos.upload('x.png', new Blob([Buffer.alloc(5_300_000)])))).toEqual([413, 'EntityTooLarge']);
    for (const body of ['<html><script>alert(1)</script></html>', '%PDF-1.7', 'GIF89a']) {
      expect(await errorOf(logos.upload('x.png', body, { contentType: 'image/png' }))).toEqual([
        415,
        'InvalidMimeType',
      ]);
    }
    for (const seconds of [0, -1, 1.5, 40_000_000]) {
      expect(await errorOf(logos.createSignedUrl('logo.png', seconds))).toEqual([400, 'InvalidRequest']);
      expect(await errorOf(logos.createSignedUrls(['logo.png'], seconds))).toEqual([400, 'InvalidRequest']);
    }
    expect(await errorOf(logos.list('', { limit: 0 }))).toEqual([400, 'InvalidRequest']);
    expect(await errorOf(logos.list('', { limit: 1e9 }))).toEqual([400, 'InvalidRequest']);
    expect(await errorOf(logos.list('', { offset: -1 }))).toEqual([400, 'InvalidRequest']);
    expect(await errorOf(logos.list('', { sortBy: { column: 'owner;drop table' } }))).toEqual([400, 'InvalidRequest']);
    expect(await errorOf(logos.listV2({ cursor: 'AA' }))).toEqual([400, 'InvalidRequest']);
    const many = Array.from({ length: 1001 }, (_, n) => `${n}.png`);
    expect(await errorOf(logos.remove(many))).toEqual([400, 'InvalidRequest']);
    expect((await logos.remove(many.slice(1))).data).toEqual([]);
    expect(await errorOf(logos.createSignedUrls(many, 60))).toEqual([400, 'InvalidRequest']);
    expect((await logos.list('', { sortBy: { column: 'last_accessed_at' } })).data).toHaveLength(1);
  });

  test('[ST-01] a feature that this server lacks is refused by name: versions, lifecycles, a cache in front', async () => {
    const { storage } = await server.client(admin);
    const logos = storage.from('logos');
    const versionId = 'v1';
    for (const refused of [
      logos.download('logo.png', { versionId }),
      logos.info('logo.png', { versionId }),
      logos.createSignedUrl('logo.png', 60, { versionId }),
      logos.move('logo.png', 'b.png', { sourceVersionId: versionId }),
      logos.copy('logo.png', 'b.png', { sourceVersionId: versionId }),
      logos.purgeCache('logo.png'),
      storage.purgeBucketCache('logos'),
      storage.getBucketLifecycle('logos'),
      storage.deleteBucketLifecycle('logos'),
    ]) {
      expect(await errorOf(refused)).toEqual([400, 'FeatureNotEnabled']);
    }
    expect(await errorOf(logos.remove([{ path: 'logo.png', versionId }]))).toEqual([400, 'InvalidRequest']);
    expect((await fetch(logos.getPublicUrl('logo.png', { versionId }).data.publicUrl)).status).toBe(400);
    expect((await fetch(logos.getPublicUrl('logo.png', { cacheNonce: '7' }).data.publicUrl)).status).toBe(200);
  });

  test('[ST-01] a refusal is JSON of four members, never cached, readable from another origin', async () => {
    for (const path of [
      '/object/public/logos/absent.png',
      '/object/public/autre/x.png',
      '/nothing',
      '/object/sign/logos/logo.png?token=x',
    ]) {
      const reply = await server.fetch(`/storage/v1${path}`, { headers: { origin: 'https://app.example.fr' } });
      expect(Object.keys((await reply.json()) as object)).toEqual(['statusCode', 'error', 'message', 'code']);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('content-type')).toContain('application/json');
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    }
    const bodies = [
      '{',
      '[]',
      'null',
      '"x"',
      `{"prefix":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      '{"prefix":"\\u0000"}',
    ];
    for (const body of bodies) {
      const reply = await server.fetch('/storage/v1/object/list/logos', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await server.tokenOf(admin)}` },
        body,
      });
      expect([body.slice(0, 20), reply.status < 500]).toEqual([body.slice(0, 20), true]);
    }
  });
});

describe('orders and copies', () => {
  test('[ST-01] copy without the metadata, or with other', async () => {
    const logos = await bucket(admin);
    await logos.upload('said.png', png, { metadata: { a: 1 } });
    await logos.copy('said.png', 'same.png');
    await logos.copy('said.png', 'none.png', { copyMetadata: false });
    await logos.copy('said.png', 'other.png', { copyMetadata: false, metadata: { b: 2 } as never });
    const said = await Promise.all(
      ['same.png', 'none.png', 'other.png'].map(async (name) => (await logos.info(name)).data?.metadata),
    );
    expect(said).toEqual([{ a: 1 }, {}, { b: 2 }]);
  });

  test.each([
    ['name', 'asc', ['a.png', 'b.png', 'c.png', 'logo.png']],
    ['name', 'desc', ['logo.png', 'c.png', 'b.png', 'a.png']],
    ['created_at', 'asc', ['logo.png', 'b.png', 'a.png', 'c.png']],
    ['updated_at', 'desc', ['b.png', 'c.png', 'a.png', 'logo.png']],
  ] as const)('[ST-01] listV2 by %s %s, page after page', async (column, order, expected) => {
    const logos = await bucket(admin);
    for (const name of ['b.png', 'a.png', 'c.png']) await logos.upload(name, png);
    await logos.update('b.png', png);
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { data } = await logos.listV2({
        limit: 1,
        sortBy: { column, order },
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...(data?.objects ?? []).map(({ name }) => name));
      cursor = data?.nextCursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(expected);
  });
});
