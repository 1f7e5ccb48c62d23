import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readConfig } from './config.ts';
import site from './site.ts';
import { startTestServer } from './testing/index.ts';
import type { TestServer } from './testing/index.ts';

describe('the server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ environment: { CORS_ORIGINS: 'https://app.example.fr' } });
  });
  afterAll(async () => server.close());

  test('lives, and is ready once its database answers', async () => {
    expect(await (await fetch(`${server.url}/health/live`)).json()).toEqual({ status: 'ok' });
    for (const address of ['/health', '/health/ready']) {
      const reply = await fetch(server.url + address);
      expect([reply.status, await reply.json()]).toEqual([200, { status: 'ok', database: 'ok' }]);
    }
  });

  test('[F-17] tells the page what it must know, and never the secret key', async () => {
    const reply = await fetch(`${server.url}/config.json`);
    const text = await reply.text();
    expect(JSON.parse(text)).toEqual({
      apiUrl: server.url,
      publishableKey: server.services.keys.publishableKey,
      demo: null,
      calendlyUrl: null,
    });
    expect(text).not.toContain('sb_secret');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test.each(['/auth/v1/nothing', '/rest/v1/a/b/c', '/functions/v1/nothing', '/storage/v1/nothing', '/health/nothing'])(
    '%s that does not exist is a JSON object with a 4xx, for any caller',
    async (address) => {
      const reply = await server.fetch(address);
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers.get('content-type')).toContain('json');
      const body: unknown = await reply.json();
      expect(Array.isArray(body)).toBe(false);
      expect(typeof body).toBe('object');
    },
  );

  describe('[F-17][I-55] threat 55: other origins', () => {
    const preflight = async (origin: string, address = '/functions/v1/payment-request') =>
      fetch(server.url + address, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, apikey, content-type, idempotency-key',
        },
      });

    test('are those of the configuration, for every door, without any key', async () => {
      for (const door of ['auth', 'rest', 'functions', 'storage']) {
        const reply = await preflight('https://app.example.fr', `/${door}/v1/x`);
        expect(reply.status).toBeLessThan(300);
        expect(reply.headers.get('access-control-allow-origin')).toBe('https://app.example.fr');
        expect(reply.headers.get('access-control-max-age')).toBe('7200');
        const allowed = reply.headers.get('access-control-allow-headers') ?? '';
        for (const header of [
          'authorization',
          'apikey',
          'x-client-info',
          'prefer',
          'x-retry-count',
          'idempotency-key',
        ]) {
          expect(allowed).toContain(header);
        }
      }
    });

    test.each([
      'https://evil.example',
      'https://app.example.fr.evil.example',
      'http://app.example.fr',
      'null',
      'https://xapp.example.fr',
    ])('%s is not echoed, and no credentials are ever allowed', async (origin) => {
      const replies = [await preflight(origin), await fetch(`${server.url}/config.json`, { headers: { origin } })];
      for (const reply of replies) {
        expect(reply.headers.get('access-control-allow-origin')).not.toBe(origin);
        expect(reply.headers.get('access-control-allow-origin')).not.toBe('*');
        expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
      }
    });

    test('can read errors too, and what the client needs of their headers', async () => {
      const reply = await fetch(`${server.url}/rest/v1/sales`, { headers: { origin: 'https://app.example.fr' } });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('access-control-allow-origin')).toBe('https://app.example.fr');
      for (const header of ['content-range', 'retry-after', 'x-supabase-api-version', 'x-request-id']) {
        expect(reply.headers.get('access-control-expose-headers')).toContain(header);
      }
    });
  });

  test('answers carry the headers that keep a browser from taking them for something else', async () => {
    const reply = await fetch(`${server.url}/rest/v1/sales`);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/u);
    // Without HTTPS, HSTS would lock people out.
    expect(reply.headers.get('strict-transport-security')).toBeNull();
  });

  test('[I-48] threat 48: a forged X-Forwarded-For changes nothing where no proxy is trusted', async () => {
    const reply = await fetch(`${server.url}/config.json`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.2.3.4' },
    });
    expect((await reply.json()) as { apiUrl: string }).toMatchObject({ apiUrl: server.url });
  });

  test('[FX-14] the page is told the address that the server knows, never the one that a request names', async () => {
    const { hostname, port } = new URL(server.url);
    const told = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.end('GET /config.json HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n'),
      );
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      socket.once('end', () => resolve(received)).once('error', reject);
    });
    expect(told).not.toContain('evil.example');
    expect(told).toContain(`"apiUrl":"${server.url}"`);
  });

  test('[FX-14] a body that does not arrive in time is answered 408, and its connection closed', async () => {
    const impatient = await startTestServer({ doors: ['functions'], jobs: false, requestTimeoutMs: 500 });
    try {
      const { hostname, port } = new URL(impatient.url);
      const answered = await new Promise<string>((resolve, reject) => {
        let drip: ReturnType<typeof setInterval> | undefined;
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `POST /functions/v1/auth-signin HTTP/1.1\r\nhost: x\r\napikey: ${impatient.services.keys.publishableKey}\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{`,
          );
          // Each byte comes in time, all of them never; none before the head, however long the connection takes.
          drip = setInterval(() => socket.write(' '), 50);
        });
        let received = '';
        socket.setEncoding('utf8').on('data', (text: string) => (received += text));
        // A byte that comes when the connection is closed already is answered by a reset, after the answer.
        socket
          .once('error', (error) => (received === '' ? reject(error) : undefined))
          .once('close', () => {
            clearInterval(drip);
            resolve(received);
          });
      });
      expect(answered).toMatch(/^HTTP\/1.1 408 /u);
    } finally {
      await impatient.close();
    }
  });

  test('threat 75: a body beyond the limit is refused', async () => {
    const reply = await server.fetch('/functions/v1/auth-signin', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'x'.repeat(2_000_000) }),
    });
    expect(reply.status).toBe(413);
    expect(reply.headers.get('content-type')).toContain('json');
  });

  test('threat 70: what is not HTTP, or too long, is a 4xx', async () => {
    const raw = async (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text));
        socket.once('data', (chunk) => {
          resolve(chunk.toString());
          socket.destroy();
        });
        socket.once('error', reject);
      });
    expect(
      await raw(
        'POST /rest/v1/sales HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 4/u);
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(65_536)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431/u);
    expect(await raw('GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 4/u);
  });
});

test('threat 88: with its database gone, the server lives, is not ready, and says when to come back', async () => {
  const lonely = await startTestServer({ jobs: false });
  try {
    await lonely.database.drop();
    await expect.poll(async () => (await fetch(`${lonely.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${lonely.url}/health/live`)).status).toBe(200);
    const ready = await fetch(`${lonely.url}/health/ready`);
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1']);
  } finally {
    await lonely.close().catch(() => undefined);
  }
});

describe('the site', () => {
  let directory: string;
  const inline = `document.documentElement.dataset.theme = 'dark'`;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'parrain-site-'));
    await mkdir(path.join(directory, 'assets'));
    await mkdir(path.join(directory, 'pages', 'cgu'), { recursive: true });
    await writeFile(
      path.join(directory, 'index.html'),
      `<html><script>${inline}</script><h1>accueil</h1><span data-hosting=""></span></html>`,
    );
    await writeFile(path.join(directory, 'pages', 'cgu', 'index.html'), '<html><h1>cgu</h1></html>');
    await writeFile(path.join(directory, '__spa-fallback.html'), '<html><script>boot()</script></html>');
    await writeFile(path.join(directory, 'favicon.svg'), '<svg/>');
    await writeFile(
      path.join(directory, 'app.webmanifest'),
      '{"name":"Parrain","short_name":"Parrain","start_url":"/"}',
    );
    await writeFile(path.join(directory, 'assets', 'root-abc123.js'), 'export {}');
    const routes = {
      root: { id: 'root', path: '' },
      home: { id: 'home', parentId: 'root', index: true },
      login: { id: 'login', parentId: 'root', path: 'auth/login' },
      admin: { id: 'admin', parentId: 'root', path: 'admin/dashboard' },
      other: { id: 'other', parentId: 'root', path: '*' },
    };
    await writeFile(
      path.join(directory, 'assets', 'manifest-1a2b.js'),
      `window.__reactRouterManifest=${JSON.stringify({ entry: {}, routes })};`,
    );
  });
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  async function siteWith(environment: Record<string, string> = {}): Promise<FastifyInstance> {
    const app = Fastify();
    app.decorateRequest('caller', null);
    const mail = { isConfigured: environment['SMTP_URL'] !== undefined };
    await site(app, { config: readConfig(environment), mail, log: app.log } as never, directory);
    return app;
  }

  test('[R-01] serves the pages that the build wrote, and one page for every route of the application', async () => {
    const app = await siteWith();
    expect((await app.inject('/')).body).toContain('accueil');
    expect((await app.inject('/pages/cgu')).body).toContain('cgu');
    for (const address of ['/auth/login', '/admin/dashboard', '/admin/dashboard/', '/auth/login?next=1']) {
      const reply = await app.inject(address);
      expect([reply.statusCode, reply.body]).toEqual([200, expect.stringContaining('boot()')]);
    }
  });

  test('[NV-10] the application is installed under the name that the installation gives it', async () => {
    const reply = await (await siteWith({ APP_NAME: 'Lumeo Parrainage' })).inject('/app.webmanifest');
    expect(reply.headers['content-type']).toContain('application/manifest+json');
    expect(reply.json()).toEqual({ name: 'Lumeo Parrainage', short_name: 'Lumeo Parrainage', start_url: '/' });
    expect((await (await siteWith()).inject('/app.webmanifest')).json()).toMatchObject({ name: 'Parrain' });
  });

  test('[R-04] any other address is a 404 that still shows a page', async () => {
    const app = await siteWith();
    const reply = await app.inject('/no/such/page');
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(reply.body).toContain('boot()');
  });

  test('a missing file or a form sent to a page is an error, not a page', async () => {
    const app = await siteWith();
    expect((await app.inject('/assets/missing.js')).headers['content-type']).toContain('json');
    expect((await app.inject({ method: 'POST', url: '/auth/login' })).headers['content-type']).toContain('json');
    expect((await app.inject('/assets/%2e%2e/%2e%2e/%2e%2e/package.json')).statusCode).toBeGreaterThanOrEqual(400);
  });

  test('[DF-93] a form that a browser sends by itself gets its page again, and nothing of it stands in an address', async () => {
    const app = await siteWith();
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    const sent = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'password=secret' };
    const reply = await app.inject({ method: 'POST', url: '/admin/dashboard?section=profil', ...sent });
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/admin/dashboard']);
    expect((await app.inject({ method: 'POST', url: '/no/such/page', ...sent })).statusCode).toBe(404);
  });

  test('hashed files stay a year, pages are asked for again each time', async () => {
    const app = await siteWith();
    expect((await app.inject('/assets/root-abc123.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
    const page = await app.inject('/');
    expect(page.headers['cache-control']).toBe('no-cache');
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(page.headers['etag']) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('a page may run its own inline script and no other', async () => {
    const app = await siteWith();
    const policy = String((await app.inject('/')).headers['content-security-policy']);
    const hash = createHash('sha256').update(inline).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).not.toContain('calendly');
    expect(/script-src[^;]*unsafe/u.test(policy)).toBe(false);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test('[L-04] the booking service is allowed on the landing page alone, where one is configured', async () => {
    const app = await siteWith({ CALENDLY_URL: 'https://calendly.com/exemple/30min' });
    const landing = String((await app.inject('/')).headers['content-security-policy']);
    expect(landing).toContain('frame-src https://calendly.com');
    expect(landing).toMatch(/script-src [^;]*https:\/\/assets\.calendly\.com/u);
    for (const address of ['/auth/login', '/pages/cgu', '/no/such/page']) {
      expect(String((await app.inject(address)).headers['content-security-policy'])).not.toContain('calendly');
    }
  });

  test('[L-05] the public pages say where they are hosted only where the installation says so', async () => {
    expect((await (await siteWith()).inject('/')).body).not.toContain('Hébergé');
    const told = (await (await siteWith({ HOSTED_IN: 'en France' })).inject('/')).body;
    expect(told).toContain('<span data-hosting=""> · Hébergé en France</span>');
  });

  test('[R-07] the pages name what the installation does not offer, and nothing where it offers everything', async () => {
    const opening = async (environment: Record<string, string>, address = '/auth/login') =>
      /^<html[^>]*>/u.exec((await (await siteWith(environment)).inject(address)).body)?.[0];
    const smtp = { SMTP_URL: 'smtp://127.0.0.1:25' };
    expect(await opening(smtp)).toBe('<html>');
    expect(await opening({})).toBe('<html data-closed="mails">');
    expect(await opening({ ...smtp, SIGNUP_DISABLED: 'on' }, '/')).toBe('<html data-closed="registration">');
    expect(await opening({ SIGNUP_DISABLED: 'on' })).toBe('<html data-closed="mails registration">');
  });

  test('[DF-14] the pages name the booking service, so that the visitor is shown its card first and never another', async () => {
    const CALENDLY_URL = 'https://calendly.com/exemple/30min?a=1&b=2';
    const page = (await (await siteWith({ SMTP_URL: 'smtp://127.0.0.1:25', CALENDLY_URL })).inject('/')).body;
    expect(/^<html[^>]*>/u.exec(page)?.[0]).toBe('<html data-closed="booking">');
  });

  test('a folder without a build answers for the doors alone', async () => {
    const app = Fastify();
    app.decorateRequest('caller', null);
    await site(app, { config: readConfig({}), log: app.log } as never, path.join(directory, 'nothing'));
    const reply = await app.inject('/');
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([404, 'not_found']);
  });
});
