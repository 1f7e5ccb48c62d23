import { logoBytesMax } from '@parrain/domain/forms/logo';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

const get = (who?: Person) => callAs(server, who, 'company-settings?action=get', undefined, { method: 'GET' });
const rename = (company_name: unknown) =>
  callAs(server, admin, 'company-settings?action=update_name', { company_name });
const refusedType = 'Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.';

async function upload(
  content: Uint8Array | string,
  name = 'logo.png',
  type = 'image/png',
  who = admin,
): Promise<Reply> {
  const form = new FormData();
  form.set('file', new File([content as Uint8Array<ArrayBuffer>], name, { type }));
  return callAs(server, who, 'company-settings?action=upload_logo', form);
}
const image = (format: 'png' | 'jpeg' | 'webp' | 'gif', width = 1000, height = 400) =>
  sharp({ create: { width, height, channels: 4, background: '#1f3a5f' } })
    .toFormat(format)
    .toBuffer();
const svg = (content: string, attributes = 'width="200" height="100"') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;
const square = '<rect width="200" height="100" fill="#1f3a5f"/>';
const logoCount = async () =>
  only(await server.database.asOwner<{ count: number }>('select count(*)::int as count from storage.objects')).count;

describe('the name', () => {
  test('[F-03] [H-01] [FX-68] read by everybody signed in, « Mon Entreprise » at first; nothing for a visitor', async () => {
    for (const person of [admin, await aCommercial(server.database), await aClient(server.database)]) {
      expect(await get(person)).toMatchObject({
        status: 200,
        body: { success: true, data: { company_name: 'Mon Entreprise', logo_url: null } },
      });
    }
    expect((await get()).status).toBe(401);
  });

  test('[F-05] [V-07] saved without its outer spaces, and only if something is left', async () => {
    expect(await rename('  Atelier  Nord ')).toMatchObject({
      status: 200,
      body: { success: true, data: { company_name: 'Atelier  Nord' } },
    });
    for (const name of ['', '   ', null, undefined, 12, 'x'.repeat(121)]) expect((await rename(name)).status).toBe(400);
    expect((await get(admin)).body.data.company_name).toBe('Atelier  Nord');
  });
});

describe('the logo', () => {
  test('[F-04] [V-06] [ST-01] [FX-60] PNG, JPEG, WEBP and SVG are redrawn as PNG of at most 512 pixels, at an address that is public under every name of the server', async () => {
    for (const [content, name, type] of [
      [await image('png'), 'logo.png', 'image/png'],
      [await image('jpeg'), 'logo.jpg', 'image/jpeg'],
      [await image('webp'), 'logo.webp', 'image/webp'],
      [svg(square), 'logo.svg', 'image/svg+xml'],
      // The content decides, whatever the name and the type say.
      [await image('png'), 'logo.exe', 'application/octet-stream'],
    ] as const) {
      const reply = await upload(content, name, type);
      expect({ name, status: reply.status }).toEqual({ name, status: 200 });
      expect(reply.body.logo_url).toMatch(/^\/storage\/v1\/object\/public\/logos\/logo-[0-9a-f]{32}\.png$/u);
      expect((await get(admin)).body.data.logo_url).toBe(reply.body.logo_url);
      const file = await fetch(server.url + reply.body.logo_url);
      expect(file.headers.get('content-type')).toBe('image/png');
      const { format, width, height } = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
      expect(format).toBe('png');
      expect(Math.max(width, height)).toBe(512);
      // The one before is gone.
      expect(await logoCount()).toBe(1);
    }
  });

  test('[V-06] threat 64: a file that is no logo is refused by its content', { tags: 'long' }, async () => {
    for (const [content, name, type] of [
      ['', 'vide.png', 'image/png'],
      ['bonjour', 'logo.png', 'image/png'],
      ['<html><svg xmlns="http://www.w3.org/2000/svg"/></html>', 'logo.svg', 'image/svg+xml'],
      ['%PDF-1.7', 'logo.pdf', 'application/pdf'],
      [await image('gif'), 'logo.png', 'image/png'],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]), 'casse.png', 'image/png'],
      [Buffer.concat([(await image('png')).subarray(0, 60)]), 'coupe.png', 'image/png'],
    ] as const) {
      const reply = await upload(content, name, type);
      expect({ name, ...reply, headers: 0 }).toMatchObject({
        name,
        status: 400,
        body: { error: refusedType, code: 'logo_type_refused' },
      });
    }
  });

  test('[V-06] threat 64: at most 5 MB, counted while reading', async () => {
    const png = await image('png');
    const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    expect((await upload(padded(logoBytesMax))).status).toBe(200);
    for (const size of [logoBytesMax + 1, logoBytesMax * 3]) {
      expect(await upload(padded(size))).toMatchObject({
        status: 413,
        body: { error: 'Le fichier est trop volumineux. Maximum 5MB.', code: 'logo_too_large' },
      });
    }
  });

  test('[V-06] threat 64: a few kilobytes that declare gigapixels are refused', async () => {
    // A PNG header of 60 000 × 60 000 pixels.
    const bomb = Buffer.from(await image('png', 1, 1));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect((await upload(bomb)).status).toBe(400);
    expect((await upload(svg(square, 'width="60000" height="60000"'), 'l.svg')).status).toBe(400);
  });

  test(
    'threat 64: a hostile SVG is refused, or drawn without any of it being run or served',
    { tags: 'long' },
    async () => {
      const bomb = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><text>&b;</text></svg>`;
      const outside = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`;
      const utf16 = Buffer.from(`\ufeff${svg(square)}`, 'utf16le');
      const included = svg(
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>',
      );
      for (const hostile of [bomb, outside, utf16, included, svg(square).replace('UTF-8', 'UTF-7')]) {
        expect((await upload(hostile, 'l.svg', 'image/svg+xml')).status).toBe(400);
      }
      const deep = svg(
        `<g id="g0">${square}</g>` +
          Array.from(
            { length: 12 },
            (_, level) => `<g id="g${level + 1}">${`<use xlink:href="#g${level}"/>`.repeat(12)}</g>`,
          ).join('') +
          '<use xlink:href="#g12"/>',
      );
      expect([200, 400]).toContain((await upload(deep, 'l.svg', 'image/svg+xml')).status);

      const scripted = svg(
        `<script>alert(1)</script><foreignObject><b xmlns="http://www.w3.org/1999/xhtml">x</b></foreignObject>${square}`,
        'width="9" height="9" onload="alert(1)"',
      );
      const reply = await upload(scripted, 'l.svg', 'image/svg+xml');
      expect(reply.status).toBe(200);
      const served = Buffer.from(await (await fetch(server.url + reply.body.logo_url)).arrayBuffer());
      expect(served.subarray(1, 4).toString()).toBe('PNG');
      expect(served.toString('latin1')).not.toContain('alert');
      // The plain document type that drawing programs write is no attack.
      const drawn = svg(square).replace(
        '<svg',
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg',
      );
      expect((await upload(drawn, 'l.svg', 'image/svg+xml')).status).toBe(200);
    },
  );

  test('threat 69: a logo has nothing fetched from elsewhere, neither network nor disk', async () => {
    let asked = 0;
    const trap = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    try {
      await upload(
        svg(
          `<image href="${address}/a.png" width="9" height="9"/><image xlink:href="file:///etc/hostname" width="9" height="9"/>
           <style>@import url("${address}/b.css"); rect { fill: url("${address}/c.svg#x") }</style><use href="${address}/d.svg#x"/>${square}`,
        ),
        'l.svg',
        'image/svg+xml',
      );
      expect(asked).toBe(0);
    } finally {
      await new Promise((resolve) => trap.close(resolve));
    }
  });

  test('[F-04] two logos sent at once: one stays, the one that the settings name', { tags: 'long' }, async () => {
    const png = await image('png', 64, 64);
    const replies = await Promise.all(Array.from({ length: 4 }, () => upload(png)));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    expect(await logoCount()).toBe(1);
    expect((await fetch(server.url + (await get(admin)).body.data.logo_url)).status).toBe(200);
  });

  test('[F-04] without a file, or in another field, nothing changes', async () => {
    const before = (await get(admin)).body.data;
    const form = new FormData();
    form.set('autre', new File([new Uint8Array(await image('png'))], 'logo.png', { type: 'image/png' }));
    expect((await callAs(server, admin, 'company-settings?action=upload_logo', form)).status).toBe(400);
    expect((await callAs(server, admin, 'company-settings?action=upload_logo', {})).status).toBe(400);
    expect((await upload(await image('png'), 'l.png', 'image/png', await aCommercial(server.database))).status).toBe(
      403,
    );
    expect((await get(admin)).body.data).toEqual(before);
  });
});
