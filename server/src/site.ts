import { Failure } from '@parrain/domain/failure';
import { noticePlaces } from '@parrain/domain/legal-notice';
import type { LegalNotice } from '@parrain/domain/legal-notice';
import { dashboardPathFor, roles } from '@parrain/domain/role';
import { companyNameDefault } from '@parrain/domain/wire';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { demoHint } from './demo.ts';
import { sendFailure } from './platform/errors.ts';
import { escaped } from './platform/html.ts';
import type { Services } from './platform/services.ts';

const BUILT_SITE = path.join(import.meta.dirname, '..', '..', 'web', 'build', 'client');
const FALLBACK = '__spa-fallback.html';

/** The built web application: its files, the pages written at build time, and one page for every other address. */
export default async function site(app: FastifyInstance, services: Services, directory = BUILT_SITE): Promise<void> {
  if (!existsSync(path.join(directory, FALLBACK))) {
    app.setNotFoundHandler(async (request, reply) => sendFailure(request, reply, new Failure('not_found')));
    services.log.warn('The web application is not built: only the doors answer');
    return;
  }
  const pages = await readPages(directory, services);
  const filled = filling(services);
  const isRoute = await readRoutes(directory);
  const fallback = pages.get(FALLBACK);
  if (fallback === undefined) throw new Error('The fallback page of the web application is missing');

  await app.register(fastifyStatic, {
    root: path.join(directory, 'assets'),
    prefix: '/assets/',
    // The name of each of these files holds a hash of its content.
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    decorateReply: false,
    index: false,
  });
  const files = await readdir(directory, { withFileTypes: true });
  const publicFiles = files.filter((file) => file.isFile() && !/\.(?:html|br|gz)$/u.test(file.name));
  for (const file of publicFiles) {
    const read = await readFile(path.join(directory, file.name));
    const content = file.name === MANIFEST ? named(read, services.config.appName) : read;
    const type = CONTENT_TYPES[path.extname(file.name)] ?? 'application/octet-stream';
    app.get(`/${file.name}`, async (_request, reply) => {
      if (file.name === WORKER) void reply.header('content-security-policy', WORKER_POLICY);
      return reply.header('content-type', type).header('cache-control', 'public, max-age=3600').send(content);
    });
  }

  for (const [name, page] of pages) {
    if (name === FALLBACK) continue;
    const hasPlaces = / data-(?:notice|company)="/u.test(page.html);
    app.get(name, async (request, reply) => sendPage(request, reply, hasPlaces ? await filled(page) : page, 200));
  }
  // A role's address alone is that of its dashboard, which asks who is there (R-01).
  for (const role of roles) {
    for (const address of [`/${role}`, `/${role}/`]) {
      app.get(address, async ({ url }, reply) => {
        const query = url.indexOf('?');
        return reply.redirect(dashboardPathFor(role) + (query === -1 ? '' : url.slice(query)), 302);
      });
    }
  }
  app.setNotFoundHandler(async (request, reply) => {
    const address = request.url.split('?', 1)[0] ?? '/';
    // A form that was sent before its script came: its page again, and nothing of it in an address (A-01).
    if (isFormOfPage(request) && isRoute(address)) return reply.redirect(address, 303);
    if (!isPageRequest(request, address)) return sendFailure(request, reply, new Failure('not_found'));
    // A session that ends there leads to the sign-in without another page (UI-14).
    return sendPage(request, reply, await filled(fallback), isRoute(address) ? 200 : 404);
  });
}

const MANIFEST = 'app.webmanifest';
/** The service worker of notifications has a policy of its own: it asks this server, and shows the icon (UI-16). */
const WORKER = 'push.js';
const WORKER_POLICY = "default-src 'none'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'";

/** The application's manifest under the name that the installation gives it. */
function named(manifest: Buffer, name: string): Buffer {
  return Buffer.from(JSON.stringify({ ...JSON.parse(manifest.toString('utf8')), name, short_name: name }));
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** A page's form that a browser sends by itself. */
function isFormOfPage({ method, headers }: FastifyRequest): boolean {
  return method === 'POST' && /^application\/x-www-form-urlencoded\b/u.test(headers['content-type'] ?? '');
}

/** A missing file or door is an error for a program, not a page for a person. */
function isPageRequest(request: FastifyRequest, address: string): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return !/^\/(?:assets|auth\/v1|rest\/v1|functions\/v1|storage\/v1|realtime\/v1|health)(?:\/|$)/u.test(address);
}

type Page = { readonly html: string; readonly etag: string; readonly policy: string };

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page, status: number): FastifyReply {
  void reply.headers({
    'content-type': 'text/html; charset=utf-8',
    // The page names the hashed files of its build: it is asked for again each time, and rarely sent again.
    'cache-control': 'no-cache',
    'content-security-policy': page.policy,
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
    etag: page.etag,
  });
  if (status === 200 && request.headers['if-none-match'] === page.etag) return reply.status(304).send();
  return reply.status(status).send(page.html);
}

/** Every page written at build time, by its address, with the policy that its inline scripts need. */
async function readPages(directory: string, services: Services): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.html')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const relative = path.relative(directory, file).split(path.sep).join('/');
    const html = withBooking(
      withClosed(withHosting(await readFile(file, 'utf8'), services.config.hostedIn), services),
      services,
    );
    const address = entry.name === 'index.html' ? `/${relative.slice(0, -'index.html'.length)}` : relative;
    const page = { html, etag: etagOf(html), policy: policyFor(html, services, address === '/') };
    pages.set(address, page);
    // `/pages/cgu` and `/pages/cgu/` are one page.
    if (address.length > 1 && address.endsWith('/')) pages.set(address.slice(0, -1), page);
  }
  return pages;
}

const etagOf = (html: string): string => `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;

/** Data of the installation that its pages show, which an admin may change at any time. */
type Installation = {
  readonly notice: LegalNotice | null;
  /** Null while the company has no name of its own. */
  readonly company: string | null;
  /** The roles that the demo lets in. */
  readonly demo: readonly string[];
};

/** A public page says what it said a second ago at most: a crowd at the door asks the database once. */
const READING_MS = 1000;

/**
 * Fills the places that pages leave for the legal notice (DF-47, DF-86), the company's name and the demo (UI-14). Without the
 * database a page says what it said last.
 */
function filling(services: Services): (page: Page) => Promise<Page> {
  let known = NOTHING_KNOWN;
  let reading: Promise<void> | undefined;
  let readAt = -Infinity;
  /** Cache of the pages filled with `known`. */
  const made = new Map<Page, Page>();
  const read = async (): Promise<void> => {
    try {
      const now = await readInstallation(services);
      if (!isDeepStrictEqual(now, known)) made.clear();
      known = now;
    } catch (error) {
      services.log.warn({ err: error }, 'The installation cannot be read: public pages say what they said last');
    }
    readAt = performance.now();
    reading = undefined;
  };
  return async (page) => {
    if (performance.now() - readAt > READING_MS) await (reading ??= read());
    const before = made.get(page);
    if (before !== undefined) return before;
    const html = withDemo(withCompany(withNotice(page.html, known.notice), known.company), known.demo);
    const now = { ...page, html, etag: etagOf(html) };
    made.set(page, now);
    return now;
  };
}

const NOTHING_KNOWN: Installation = { notice: null, company: null, demo: [] };

/** One row, with a notice or without any column of one. */
type InstallationRow = { readonly company_name: string | null } & (LegalNotice | { readonly publisher: null });

async function readInstallation(services: Services): Promise<Installation> {
  const [{ rows }, demo] = await Promise.all([
    services.db.queryAsService<InstallationRow>(
      'public pages',
      {
        text: `select c.company_name, n.publisher, n.registration, n.address, n.director, n.email, n.phone, n.host, n.host_address,
            n.host_phone, n.audited_on::text, n.audited_by, n.audit_rate, n.audit_gaps
          from (select) one left join public.company_settings c on c.id = 1 left join private.legal_notice n on true`,
      },
      { readOnly: true, statementTimeoutMs: 2000 },
    ),
    demoHint(services),
  ]);
  const [row] = rows;
  if (row === undefined) return NOTHING_KNOWN;
  const { company_name: name, ...notice } = row;
  return {
    notice: notice.publisher === null ? null : notice,
    company: name === companyNameDefault ? null : name,
    demo: demo?.accounts.map(({ role }) => role) ?? [],
  };
}

/** The sign-in is the company's (docs/decisions/0083): its name stands in its place, and in the document for the script. */
function withCompany(html: string, company: string | null): string {
  if (company === null) return html;
  const name = escaped(company);
  return html
    .replace('<html', () => `<html data-company="${name}"`)
    .replace(/(?<open><span[^>]* data-company=""[^>]*>)(?=<\/span>)/gu, (open) => `${open}${name}`);
}

/** Names in the document whom the demo lets in: the public page shows their entries. */
function withDemo(html: string, letIn: readonly string[]): string {
  return letIn.length === 0 ? html : html.replace('<html', () => `<html data-demo="${letIn.join(' ')}"`);
}

/** The pages hold the words of both cases: with a notice and without, with an audit and without; their styles show the ones that are so. */
function withNotice(html: string, notice: LegalNotice | null): string {
  if (!html.includes(' data-notice="')) return html;
  const places: Readonly<Record<string, string | undefined>> = noticePlaces(notice);
  const missing = [...(notice === null ? ['notice'] : []), ...(places['audit'] === undefined ? ['audit'] : [])];
  return closing(html, missing).replace(
    /(?<open><(?<tag>\w+)[^>]* data-notice="(?<name>\w+)"[^>]*>)[^<]*(?=<\/\k<tag>>)/gu,
    (found, ...rest) => {
      const { open, name } = rest.at(-1) as { readonly open: string; readonly name: string };
      const text = places[name];
      if (text === undefined) return found;
      return `${open.replace(/href="[^"]*"/u, () => `href="mailto:${encodeURI(text)}"`)}${escaped(text)}`;
    },
  );
}

/** Names in the document what is missing, beside what it names already: its styles show the picture that is so. */
function closing(html: string, missing: readonly string[]): string {
  if (missing.length === 0) return html;
  return html.replace(/<html(?: data-closed="(?<closed>[^"]*)")?/u, (_found, closed?: string) => {
    return `<html data-closed="${[...(closed ? [closed] : []), ...missing].join(' ')}"`;
  });
}

/**
 * The content security policy of one page: its own files, and of inline scripts and styles those that the build put
 * there. The booking service is named on the landing page alone, where one is configured.
 */
function policyFor(html: string, services: Services, isLanding: boolean): string {
  const { calendlyUrl, publicUrl } = services.config;
  const booking = isLanding && calendlyUrl !== null ? new URL(calendlyUrl).origin : null;
  const bookingAssets = booking === null ? [] : ['https://assets.calendly.com'];
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...hashesOf(html, 'script'), ...bookingAssets],
    'style-src': ["'self'", ...hashesOf(html, 'style'), ...bookingAssets],
    // Positions and sizes that components compute.
    'style-src-attr': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:', ...(publicUrl === null ? [] : [publicUrl]), ...bookingAssets],
    'font-src': ["'self'", ...bookingAssets],
    'connect-src': [
      "'self'",
      // Not every browser takes 'self' for the address's WebSocket too.
      ...(publicUrl === null ? [] : [publicUrl, publicUrl.replace(/^http/u, 'ws')]),
      ...(booking === null ? [] : [booking]),
    ],
    'frame-src': booking === null ? ["'none'"] : [booking],
    'manifest-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'object-src': ["'none'"],
  };
  const policy = Object.entries(directives).map(([name, sources]) => `${name} ${sources.join(' ')}`);
  if (publicUrl?.startsWith('https:') === true) policy.push('upgrade-insecure-requests');
  return policy.join('; ');
}

function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const blocks = html.matchAll(new RegExp(`<${element}(?<attributes>[^>]*)>(?<body>[\\s\\S]*?)</${element}>`, 'giu'));
  const hashes = new Set<string>();
  for (const { groups } of blocks) {
    const body = groups?.['body'] ?? '';
    if (body === '' || /\ssrc=/iu.test(groups?.['attributes'] ?? '')) continue;
    hashes.add(`'sha256-${createHash('sha256').update(body).digest('base64')}'`);
  }
  return [...hashes];
}

/** Only the installation knows where it is hosted: the build leaves an empty place for it in the foot of the public pages. */
function withHosting(html: string, hostedIn: string | null): string {
  return hostedIn === null
    ? html
    : html.replace('<span data-hosting=""></span>', `<span data-hosting=""> · Hébergé ${hostedIn}</span>`);
}

/**
 * Only the installation knows what it does not offer: its pages hold both pictures, and their styles show the one that this names
 * (web/app/account/where-offered.tsx).
 */
function withClosed(html: string, { config, mail }: Services): string {
  const closed = [
    ...(mail.isConfigured ? [] : ['mails']),
    ...(config.signupDisabled ? ['registration'] : []),
    // Appointments are made with the booking service there (web/app/landing/booking.tsx).
    ...(config.calendlyUrl === null ? [] : ['booking']),
  ];
  return closing(html, closed);
}

/** The booking service's own page, where there is one: its link leads there before any script comes, and without one. */
function withBooking(html: string, { config }: Services): string {
  const { calendlyUrl } = config;
  if (calendlyUrl === null) return html;
  const address = calendlyUrl.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return html.replace(/(?<=<a data-booking-link="[^"]*" href=")#calendly(?=")/u, () => address);
}

type ManifestRoute = { readonly id: string; readonly parentId?: string; readonly path?: string };

/**
 * The addresses that the web application knows, from the manifest of its build: a page for any other one is a 404.
 */
async function readRoutes(directory: string): Promise<(address: string) => boolean> {
  const assets = await readdir(path.join(directory, 'assets'));
  const manifest = assets.find((name) => /^manifest-[^.]+\.js$/u.test(name));
  if (manifest === undefined) return () => true;
  const text = await readFile(path.join(directory, 'assets', manifest), 'utf8');
  const parsed = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
    readonly routes: Readonly<Record<string, ManifestRoute>>;
  };
  const patterns = Object.values(parsed.routes).flatMap((route) => {
    const full = fullPath(route, parsed.routes);
    // The catch-all is what a 404 shows.
    if (full.includes('*')) return [];
    const source = full
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replace(/[.+?^${}()|[\]\\]/gu, '\\$&')))
      .join('/');
    return [new RegExp(`^${source}/?$`, 'u')];
  });
  return (address) => patterns.some((pattern) => pattern.test(address));
}

function fullPath(route: ManifestRoute, routes: Readonly<Record<string, ManifestRoute>>): string {
  const parent = route.parentId === undefined ? undefined : routes[route.parentId];
  const base = parent === undefined ? '' : fullPath(parent, routes);
  return route.path === undefined || route.path === '' ? base : `${base}/${route.path}`.replace(/\/{2,}/gu, '/');
}
