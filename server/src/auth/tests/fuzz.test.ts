import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { administratorOf, anAccount, refreshWith, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { CLIENT_ID, startIdentityProvider } from '../../testing/identity-provider.ts';
import type { IdentityProvider } from '../../testing/identity-provider.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { makeSamlIdentityProvider } from '../../testing/saml-identity-provider.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';
import { operations } from '../index.ts';

/** PROPERTY_SEED draws the same requests again, as in every property test; FUZZ_SECONDS runs for longer. */
const SEED = Number(process.env['PROPERTY_SEED']);
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 15);

let sink: SmsSink;
let idp: IdentityProvider;
let server: TestServer;
/** Account whose data must never be disclosed, its refresh token, and the tokens of the callers. */
let victim: TestAccount;
let victimRefresh: string;
let tokens: Readonly<Record<string, string>>;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const SECRET_NAME = 'Hortense Incognito-4711';
const SECRET_NOTE = 'note-privee-4711';

beforeAll(async () => {
  sink = await startSmsSink();
  idp = await startIdentityProvider();
  const saml = makeSamlIdentityProvider();
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: {
      TRUST_PROXY: '1',
      SMS_URL: sink.url,
      WEB3: 'both',
      ANONYMOUS_SIGN_IN: '1',
      MANUAL_LINKING: '1',
      MFA_PHONE: '1',
      OIDC_PROVIDERS: JSON.stringify({ google: { issuer: idp.issuer, clientId: CLIENT_ID, clientSecret: 's' } }),
      SAML_PROVIDERS: JSON.stringify([{ id: randomUUID(), domains: ['acme.fr'], metadata: saml.metadata }]),
    },
  });
  victim = await anAccount(server, { fullName: SECRET_NAME, password: 'que-personne-n-essaie-9' });
  await server.database.asOwner(
    `update auth.users set raw_user_meta_data = jsonb_build_object('note', $2::text) where id = $1`,
    [victim.id, SECRET_NOTE],
  );
  victimRefresh = (await signedIn(server, victim)).session.refresh_token;
  tokens = await hostileTokens();
});
afterAll(async () => {
  agent.destroy();
  await server.close();
  await idp.close();
  await sink.close();
});

/** Bearers, from the good one of somebody else to what is none at all. */
async function hostileTokens(): Promise<Record<string, string>> {
  const attacker = await signedIn(server, await anAccount(server, { fullName: 'Attaquant' }));
  const good = attacker.session.access_token;
  const [header = '', payload = '', signature = ''] = good.split('.');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const claims = decode(payload);
  const asVictim = encode({ ...claims, sub: victim.id, app_metadata: { role: 'admin' } });
  const sign = async (more: Record<string, unknown>, expiresInSeconds = 3600): Promise<string> => {
    const { sub, session_id } = { ...claims, ...more } as { sub: string; session_id: string };
    return (await server.services.tokens.sign({ ...claims, ...more, sub, session_id }, { expiresInSeconds })).token;
  };
  return {
    attacker: good,
    'alg none': `${encode({ ...decode(header), alg: 'none' })}.${asVictim}.`,
    'wrong kid': `${encode({ ...decode(header), kid: 'x' })}.${payload}.${signature}`,
    'kid injection': `${encode({ ...decode(header), kid: "' or 1=1 --" })}.${payload}.${signature}`,
    'kid path': `${encode({ ...decode(header), kid: '../../../../dev/null' })}.${asVictim}.${signature}`,
    HS256: `${encode({ alg: 'HS256', typ: 'JWT' })}.${asVictim}.${signature}`,
    'crit header': `${encode({ ...decode(header), crit: ['x'], x: 1 })}.${payload}.${signature}`,
    'not an object': `${encode([])}.${encode(null)}.${signature}`,
    'nested deep': `${Buffer.from('['.repeat(4000)).toString('base64url')}.${payload}.${signature}`,
    expired: await sign({}, -120),
    'other issuer': await sign({ iss: 'https://pirate.example/auth/v1' }),
    'other audience': await sign({ aud: 'autre' }),
    'no session': await sign({ session_id: randomUUID() }),
    'session that is no uuid': await sign({ session_id: 'x' }),
    'another person’s session': await sign({ sub: victim.id }),
    'person that is no uuid': await sign({ sub: 'x' }),
    truncated: good.slice(0, -20),
    'two parts': good.split('.').slice(0, 2).join('.'),
    'five parts': `${good}.a.b`,
    'as refresh token': attacker.session.refresh_token,
    dots: '..',
    huge: 'a'.repeat(6000),
  };
}

const TOKEN_NAMES = [
  'attacker',
  'alg none',
  'wrong kid',
  'kid injection',
  'kid path',
  'HS256',
  'crit header',
  'not an object',
  'nested deep',
  'expired',
  'other issuer',
  'other audience',
  'no session',
  'session that is no uuid',
  'another person’s session',
  'person that is no uuid',
  'truncated',
  'two parts',
  'five parts',
  'as refresh token',
  'dots',
  'huge',
] as const;

/** Replaced by who it is when the request is sent, so that a failure prints the same every time. */
const VICTIM = 'VICTIM_ID';
const VICTIM_EMAIL = 'VICTIM_EMAIL';

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      'x\udfff\ud800',
      '\u202e\u2066',
      "'; drop table x --",
      '%00%s%n${7*7}{{7*7}}',
      '__proto__',
      'constructor',
      '<script>alert(1)</script>',
      '../../etc/passwd',
      '-1',
      '1e309',
      'NaN',
      'null',
      '\u{1f600}'.repeat(50),
      'e\u0301'.repeat(50),
      '\r\nBcc: pirate@example.fr',
      'a'.repeat(300),
      'x'.repeat(20_000),
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
);

/** Plausible values of each field: invalid ones are refused before most of the code is reached. */
const plausible: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  email: fc.oneof(fc.constantFrom(VICTIM_EMAIL, 'a@b.fr', 'jeanne+x@example.fr'), fc.emailAddress(), text),
  phone: fc.constantFrom('33612345678', '+33 6 12 34 56 78', '1', '0', '+'),
  password: fc.constantFrom('trois-petits-chats-7', 'un-autre-mot-de-passe-3', 'é'.repeat(40), 'a'),
  current_password: fc.constantFrom('trois-petits-chats-7', 'faux'),
  nonce: fc.constantFrom('123456', 'x'),
  token: fc.constantFrom('123456', '000000', 'x'.repeat(43)),
  token_hash: fc.constantFrom('x'.repeat(43), `pkce_${'x'.repeat(43)}`, '0'.repeat(56)),
  type: fc.constantFrom('signup', 'invite', 'magiclink', 'recovery', 'email', 'email_change', 'sms', 'phone_change'),
  refresh_token: fc.constantFrom('A'.repeat(46), 'AAAA', 'x'.repeat(12)),
  auth_code: fc.constantFrom(VICTIM, 'x'),
  code_verifier: fc.constantFrom('v'.repeat(43), ''),
  code_challenge: fc.constantFrom('c'.repeat(43), 'c'),
  code_challenge_method: fc.constantFrom('s256', 'plain', 'S256'),
  code: fc.constantFrom('123456', 'abcd-efgh'),
  challenge_id: fc.constantFrom(VICTIM, 'x'),
  factor_type: fc.constantFrom('totp', 'phone', 'webauthn', 'recovery_code'),
  friendly_name: fc.constantFrom('Portable', ''),
  provider: fc.constantFrom('google', 'azure', 'email', '__proto__', 'constructor'),
  id_token: fc.constantFrom('a.b.c', 'eyJhbGciOiJub25lIn0.e30.'),
  chain: fc.constantFrom('ethereum', 'solana', 'toString'),
  message: fc.constantFrom(
    'x'.repeat(64),
    'app wants you to sign in with your Ethereum account:\n0x\n'.padEnd(70, 'x'),
  ),
  signature: fc.constantFrom('0x', `0x${'00'.repeat(65)}`, 'A'.repeat(86)),
  domain: fc.constantFrom('acme.fr', 'constructor'),
  provider_id: fc.constantFrom(VICTIM, 'x'),
  redirect_to: fc.constantFrom('https://pirate.example/', 'javascript:alert(1)', 'x'),
  data: fc.oneof(
    fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
    fc.constant({ role: 'admin', full_name: 'X' }),
  ),
  user_metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
  app_metadata: fc.constantFrom<unknown>({ role: 'admin' }, { role: {} }, { provider: 1, providers: {} }),
  ban_duration: fc.constantFrom('24h', 'none', '-1h', '9999999999999h', '1e400s', 'h'),
  password_hash: fc.constantFrom('$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA', '$2a$31$x', 'x'),
  id: fc.constantFrom(VICTIM, 'x'),
  new_email: fc.constantFrom('c@d.fr', 'x'),
  create_user: fc.boolean(),
  skip_http_redirect: fc.boolean(),
  should_soft_delete: fc.boolean(),
  credential: fc.constantFrom<unknown>(
    { id: 'AA', rawId: 'AA', type: 'public-key', response: {}, clientExtensionResults: {} },
    {
      id: 'AA',
      rawId: 'AA',
      type: 'public-key',
      response: {
        clientDataJSON: 'e30',
        attestationObject: 'oA',
        authenticatorData: 'AA',
        signature: 'AA',
        userHandle: 'AA',
      },
      clientExtensionResults: {},
    },
  ),
  webauthn: fc.constantFrom<unknown>({ type: 'create', credential_response: {} }, { rpId: 'pirate.example' }),
  gotrue_meta_security: fc.constantFrom<unknown>({}, { captcha_token: 'x' }, []),
  channel: fc.constantFrom('sms', 'whatsapp', 'pigeon'),
  SAMLResponse: fc.constantFrom('PHgvPg==', 'x', ''),
  RelayState: fc.constantFrom(VICTIM, 'x'),
};

const fields = Object.keys(plausible);
const anyValue = fc.oneof(text, fc.jsonValue({ maxDepth: 4 }), fc.double(), fc.bigInt().map(String), fc.constant(null));

const someFields = fc
  .uniqueArray(fc.constantFrom(...fields), { maxLength: 7 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.oneof({ weight: 5, arbitrary: plausible[name] ?? text }, { weight: 2, arbitrary: anyValue }),
        ]),
      ),
    ),
  );

/** JSON that only ever existed as text. */
const rawBody = fc.oneof(
  fc.constantFrom(
    '',
    'null',
    '[]',
    '"x"',
    '0',
    '{',
    '{"email":',
    '{"email":"a@b.fr","email":{"x":1}}',
    '{"__proto__":{"polluted":true},"email":"a@b.fr"}',
    '{"constructor":{"prototype":{"polluted":true}},"data":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"data":{"__proto__":{"polluted":true}}}',
    '{"email":"\\ud800","password":"\\u0000","data":{"\\u0000":"\\udfff"}}',
    '{"email":1e999,"password":-0}',
    '\u{feff}{}',
    `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    `{"data":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`,
    `{"data":{${Array.from({ length: 5000 }, (_, n) => `"k${n}":${n}`).join(',')}}}`,
    `{"password":"${'x'.repeat(900_000)}"}`,
    `{"email":"${'a'.repeat(100_000)}@${'b.'.repeat(50_000)}fr"}`,
    `{"email":"x","password":"${'x'.repeat(1_100_000)}"}`,
  ),
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

const body = fc.oneof(
  { weight: 6, arbitrary: someFields.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: rawBody },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(text, text, { maxKeys: 5 })
      .map((value) => new URLSearchParams(wellFormed(value)).toString()),
  },
);

function wellFormed(value: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), one.toWellFormed()]));
}

const header = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const headers = fc.record(
  {
    'content-type': fc.oneof(
      { weight: 6, arbitrary: fc.constant('application/json;charset=UTF-8') },
      fc.constantFrom(
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'text/plain',
        'application/xml',
        'application/json/json',
        ';',
        '',
      ),
      header,
    ),
    'x-supabase-api-version': fc.oneof(fc.constantFrom('2024-01-01', '2023-01-01', '9999-99-99', 'x', ''), header),
    'content-encoding': fc.oneof(
      { weight: 30, arbitrary: fc.constant('identity') },
      fc.constantFrom('gzip', 'br', 'x'),
    ),
    'accept-encoding': fc.constantFrom('gzip', '*;q=0', 'x'),
    'user-agent': fc.oneof(header, fc.constant('x'.repeat(3000))),
    'x-forwarded-host': fc.constant('pirate.example'),
    origin: fc.constantFrom('null', 'https://pirate.example', 'x'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'x'),
    'x-client-info': header,
    referer: header,
    cookie: header,
    range: fc.constantFrom('bytes=0-', 'x'),
    'if-none-match': fc.constantFrom('*', 'x'),
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
  },
  { requiredKeys: [] },
);

const segment = fc.oneof(
  fc.constantFrom(
    VICTIM,
    randomUUIDLike(),
    '..',
    '%2e%2e',
    '%00',
    '%ff',
    '%E0%A4%A',
    "'--",
    'x'.repeat(300),
    ' ',
    '',
    '*',
  ),
  fc.string({ maxLength: 20 }).map((value) => encodeURIComponent(value.toWellFormed())),
);

const queryValue = fc.oneof(
  fc.constantFrom('', '-1', '0', '1', '999999999999999999999', '1.5', 'x', 'null', '%00', '%ff', '%', VICTIM),
  text.map((value) => encodeURIComponent(value.toWellFormed())),
);
const query = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('password', 'refresh_token', 'pkce', 'id_token', 'web3', '__proto__', 'toString')
      .map((grant) => `grant_type=${grant}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(
            'grant_type',
            'redirect_to',
            'page',
            'per_page',
            'filter',
            'sort',
            'scope',
            'token',
            'type',
            'provider',
            'state',
            'code',
            'error',
            'invite_token',
            'scopes',
            '__proto__',
            'a[b]',
          ),
          queryValue,
        ),
        { maxLength: 5 },
      )
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
  },
);

type Sent = {
  readonly operation: number;
  readonly method: string | null;
  readonly segments: readonly string[];
  readonly query: string;
  readonly body: string | null;
  readonly isCompressed: boolean;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly key: 'publishable' | 'secret' | 'none' | 'garbage';
  readonly bearer: (typeof TOKEN_NAMES)[number] | 'key' | 'none' | 'Basic x' | 'Bearer' | 'secret';
};

const sent: fc.Arbitrary<Sent> = fc.record({
  operation: fc.nat({ max: operations.length - 1 }),
  method: fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    fc.constantFrom('HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'PUT', 'GET', 'POST', 'PROPFIND'),
  ),
  segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
  query,
  body: fc.option(body, { freq: 8 }),
  isCompressed: fc.oneof({ weight: 20, arbitrary: fc.constant(false) }, fc.constant(true)),
  headers,
  key: fc.oneof(
    { weight: 12, arbitrary: fc.constant('publishable' as const) },
    fc.constantFrom('secret' as const, 'none' as const, 'garbage' as const),
  ),
  bearer: fc.oneof(
    { weight: 6, arbitrary: fc.constant('attacker' as const) },
    { weight: 3, arbitrary: fc.constant('key' as const) },
    { weight: 6, arbitrary: fc.constantFrom(...TOKEN_NAMES) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('none' as const, 'Basic x' as const, 'Bearer' as const, 'secret' as const),
    },
  ),
});

function randomUUIDLike(): string {
  return '3f0c8f5e-1111-4222-8333-444455556666';
}

type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

let lastNetwork = 0;
let asked = 0;
const statuses = new Map<number, number>();

async function send(one: Sent): Promise<Received> {
  const operation = operations[one.operation];
  if (operation === undefined) throw new Error('There is no such operation');
  const { publishableKey, secretKey } = server.services.keys;
  // The secret key may do everything to everybody: only the other requests are aimed at the victim.
  const isAdmin = one.key === 'secret' || one.bearer === 'secret' || operation.access === 'admin';
  const aimed = (value: string): string =>
    value
      .replaceAll(VICTIM_EMAIL, isAdmin ? 'personne@example.fr' : victim.email)
      .replaceAll(VICTIM, isAdmin ? randomUUIDLike() : victim.id);
  let used = 0;
  const path = operation.url.replaceAll(/:\w+/gu, () => one.segments[(used += 1) - 1] ?? '');
  const key = { publishable: publishableKey, secret: secretKey, none: '', garbage: 'sb_publishable_x' }[one.key];
  const bearer =
    one.bearer === 'none'
      ? ''
      : one.bearer === 'key'
        ? `Bearer ${key}`
        : one.bearer === 'secret'
          ? `Bearer ${secretKey}`
          : one.bearer === 'Basic x' || one.bearer === 'Bearer'
            ? one.bearer
            : `Bearer ${tokens[one.bearer] ?? ''}`;
  lastNetwork += 1;
  const given = one.body === null ? null : aimed(one.body);
  const bytes = given === null ? null : one.isCompressed ? gzipSync(given) : Buffer.from(given);
  const method = one.method ?? String(operation.method);
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path: `/auth/v1${aimed(path).replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent)}?${aimed(one.query)}`,
        headers: {
          ...Object.fromEntries(Object.entries(one.headers).filter(([, value]) => value !== undefined)),
          ...(key === '' ? {} : { apikey: key }),
          ...(bearer === '' ? {} : { authorization: bearer }),
          ...(bytes === null ? {} : { 'content-length': bytes.length }),
          'x-forwarded-for': `10.${(lastNetwork >> 16) & 255}.${(lastNetwork >> 8) & 255}.${lastNetwork & 255}`,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: (response.headers['content-encoding'] === 'gzip'
              ? gunzipSync(Buffer.concat(chunks))
              : Buffer.concat(chunks)
            ).toString(),
          }),
        );
      },
    );
    outgoing.setTimeout(120_000, () => outgoing.destroy(new Error('No answer')));
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      // A body that is refused before it was sent whole; headers that are too long, told to a HEAD with a body.
      if (['EPIPE', 'ECONNRESET', 'HPE_INVALID_CONSTANT'].includes(error.code ?? ''))
        resolve({ status: 413, headers: {}, text: '' });
      else reject(error);
    });
    outgoing.end(bytes ?? undefined);
  });
}

const LEAKS = [
  /\bat .{0,200}\.(?:ts|js|mjs|cjs):\d+/u,
  /node_modules|node:internal|file:\/\//u,
  /\b(?:select|insert into|update|delete from)\b.{0,80}\b(?:from|values|set|where)\b/iu,
  /\b(?:auth|private|public|storage|graphile_worker)\.\w+_?\w*\b.{0,20}(?:does not exist|violates)/u,
  /syntax error|violates|duplicate key|relation "|column "|invalid input syntax|SQLSTATE|PostgreSQL|graphile/iu,
  /ZodError|TypeError|SyntaxError|RangeError|ReferenceError|undefined is not|Cannot read prop/u,
];

let isAttackerOut = false;
const OUT = new Set(['session_not_found', 'user_not_found', 'user_banned', 'session_expired']);

function judge(one: Sent, received: Received): void {
  if (one.bearer === 'attacker' && OUT.has(String(received.headers['x-sb-error-code']))) isAttackerOut = true;
  const said = { operation: operations[one.operation]?.url, method: one.method, ...received };
  const given = `${one.body ?? ''}${one.query}`;
  if (received.status >= 500) throw new Error(`A failure: ${JSON.stringify(said)}`);
  for (const leak of LEAKS) {
    const [found] = leak.exec(received.text) ?? [];
    if (found !== undefined && !given.includes(found))
      throw new Error(`« ${found} » came out: ${JSON.stringify(said)}`);
  }
  if (one.key !== 'secret' && one.bearer !== 'secret') {
    for (const secret of [SECRET_NAME, SECRET_NOTE, victimRefresh, '$argon2']) {
      if (received.text.includes(secret) && !given.includes(secret)) {
        throw new Error(`Somebody else’s « ${secret} » came out: ${JSON.stringify(said)}`);
      }
    }
  }
  const { location = '' } = received.headers;
  if (/^https?:\/\/pirate|^javascript/u.test(location)) throw new Error(`Led astray: ${JSON.stringify(said)}`);
  const isBodiless = one.method === 'HEAD' || received.text === '';
  if (received.status < 400 || isBodiless) return;
  // Read by a person whose link is dead.
  if (said.operation === '/verify' && received.status === 410) return;
  if (!String(received.headers['content-type']).startsWith('application/json')) {
    throw new Error(`Not JSON: ${JSON.stringify(said)}`);
  }
  const answer = JSON.parse(received.text) as Record<string, unknown>;
  const isText = (...names: string[]): boolean => names.every((name) => typeof answer[name] === 'string');
  const isOurs = isText('error_code', 'message', 'msg') && received.headers['x-sb-error-code'] === answer['error_code'];
  const isOAuth = isText('error', 'error_description');
  // Addresses that cannot be read, and headers that are too long, are refused before any door is reached.
  const isOfNoDoor = [400, 431].includes(received.status) && isText('error') && answer['error_code'] === undefined;
  if (!isOurs && !isOAuth && !isOfNoDoor) throw new Error(`Not the shape of an error: ${JSON.stringify(said)}`);
}

/** So many batches in the quick ring; as many as so many seconds let through in the long one. */
for (const [length, limit, tags] of [
  ['briefly', { numRuns: 80 }, ''],
  ['at length', { numRuns: 100_000, interruptAfterTimeLimit: SECONDS * 1000 }, 'long'],
] as const)
  test(
    `[I-41][I-49][I-54] row 68: no hostile body, header or token brings an operation down or gives out another's data (${length})`,
    { tags: tags === '' ? [] : 'long', timeout: SECONDS * 1000 + 300_000 },
    async () => {
      const rows = async (): Promise<unknown> =>
        server.database.asOwner(
          `select u.email, u.encrypted_password, u.phone, u.raw_user_meta_data, p.role, p.full_name,
         (select count(*) from auth.sessions s where s.user_id = u.id) as sessions,
         (select count(*) from auth.factors f where f.user_id = u.id) as factors,
         (select count(*) from auth.identities i where i.user_id = u.id) as identities
       from auth.users u join public.profiles p on p.id = u.id where u.id = $1`,
          [victim.id],
        );
      const before = await rows();
      const started = performance.now();
      await fc.assert(
        fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 6 }), async (batch) => {
          // New tokens replace those of an attacker who signed out or lost the account: behind a dead session nothing is tried.
          if (isAttackerOut) {
            tokens = await hostileTokens();
            isAttackerOut = false;
          }
          const answers = await Promise.all(batch.map(async (one) => ({ one, received: await send(one) })));
          for (const { one, received } of answers) {
            asked += 1;
            statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
            judge(one, received);
          }
          expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
        }),
        {
          seed: SEED,
          ...limit,
          markInterruptAsFailure: false,
          ...(process.env['FUZZ_PATH'] === undefined ? {} : { path: process.env['FUZZ_PATH'] }),
        },
      );
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      process.stderr.write(`PROPERTY_SEED=${SEED}: ${asked} requests in ${seconds} s (${counts.join(', ')})\n`);
      expect(asked).toBeGreaterThan(100);
      expect(await rows()).toEqual(before);
      expect((await refreshWith(server, victimRefresh)).status).toBe(200);
      const [roles] = await server.database.asOwner<{ roles: string[] }>(
        "select array_agg(distinct role) as roles from public.profiles where created_at > now() - interval '1 hour'",
      );
      expect(roles?.roles).toEqual(['client']);
      expect((await administratorOf(server).auth.admin.listUsers()).error).toBeNull();
    },
  );

test('[I-54] a length that lies, two lengths, a false chunk: refused, and the next request is served', async () => {
  const { port } = new URL(server.url);
  const head = `POST /auth/v1/recover HTTP/1.1\r\nHost: x\r\napikey: ${server.services.keys.publishableKey}\r\nContent-Type: application/json\r\n`;
  const bodyText = '{"email":"a@b.fr"}';
  for (const [lie, expected] of [
    [`Content-Length: 5\r\n\r\n${bodyText}`, /^HTTP\/1\.1 400/u],
    [`Content-Length: -1\r\n\r\n${bodyText}`, /^HTTP\/1\.1 400/u],
    [`Content-Length: 1e3\r\n\r\n${bodyText}`, /^HTTP\/1\.1 400/u],
    [`Content-Length: 18\r\nContent-Length: 3\r\n\r\n${bodyText}`, /^HTTP\/1\.1 400/u],
    [`Content-Length: 18\r\nTransfer-Encoding: chunked\r\n\r\n${bodyText}`, /^HTTP\/1\.1 400/u],
    [`Transfer-Encoding: chunked\r\n\r\nZZ\r\n${bodyText}\r\n0\r\n\r\n`, /^HTTP\/1\.1 400/u],
    [`Content-Length: 99999999999\r\n\r\n${bodyText}`, /^HTTP\/1\.1 413/u],
  ] as const) {
    const answer = await new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head + lie));
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        socket.end();
      });
      socket.once('close', () => resolve(heard));
      socket.once('error', reject);
      socket.setTimeout(120_000, () => socket.destroy(new Error(`No answer to ${lie}`)));
    });
    expect(answer).toMatch(expected);
    expect(answer).not.toMatch(/node_modules|\.ts:/u);
  }
  expect((await server.fetch('/auth/v1/settings')).status).toBe(200);
});

test('[I-54] a body that lies about its encoding is refused, and the connection still serves', async () => {
  const { port } = new URL(server.url);
  const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 });
  async function status(method: string, size: number, encoding?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: keptAlive,
          host: '127.0.0.1',
          port,
          method,
          path: '/auth/v1/settings',
          headers: {
            apikey: server.services.keys.publishableKey,
            'content-length': size,
            ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
          },
        },
        (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      );
      outgoing.setTimeout(120_000, () => outgoing.destroy(new Error('No answer')));
      outgoing.once('error', reject);
      outgoing.end('x'.repeat(size));
    });
  }
  for (const encoding of ['gzip', 'br', 'deflate', 'x']) {
    expect(await status('GET', 900_000, encoding)).toBe(400);
    expect(await status('GET', 0)).toBe(200);
  }
  expect(await status('GET', 900_000)).toBe(200);
  expect(await status('GET', 0)).toBe(200);
  keptAlive.destroy();
});
