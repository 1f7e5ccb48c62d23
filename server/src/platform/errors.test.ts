import { Failure } from '@parrain/domain/failure';
import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aCommercial, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { failureOf, rateLimited, sendFailure, troubleOf } from './errors.ts';
import { createLog, redactUrl } from './log.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ jobs: false, doors: [] });
});
afterAll(async () => server.close());

const raised = async (sql: string): Promise<unknown> =>
  server.services.db.queryAsService('test', { text: sql }).catch((error: unknown) => error);

describe('[E-01] what the database raises', () => {
  test('for a rule is the domain’s failure, with what its sentence names', async () => {
    const failure = failureOf(
      await raised(
        `do $$ begin raise exception using errcode = 'PR001', message = 'amount_out_of_range', detail = '{"available": "123.46"}'; end $$`,
      ),
    );
    expect(failure).toMatchObject({ code: 'amount_out_of_range', status: 400 });
    expect(failure.message.replaceAll(/[\u00A0\u202F]/gu, ' ')).toContain('123,46');
  });

  test('for a session is said in the words of whoever’s session it was', async () => {
    const error = await raised(
      `do $$ begin raise exception using errcode = 'PR401', message = 'session_expired'; end $$`,
    );
    expect(failureOf(error)).toMatchObject({ code: 'session_expired', status: 401 });
  });

  test('with a code that nobody knows is a bug, not a sentence', async () => {
    const error = await raised(`do $$ begin raise exception using errcode = 'PR001', message = 'made up'; end $$`);
    expect(troubleOf(error).kind).toBe('database');
    expect(failureOf(error).code).toBe('unexpected');
  });

  test.each([
    [`select 1 / 0`, 'unexpected'],
    [`select * from auth.nothing`, 'unexpected'],
    [`do $$ begin raise exception using errcode = '40001'; end $$`, 'unavailable'],
    [`do $$ begin raise exception using errcode = '53100'; end $$`, 'unavailable'],
    [`do $$ begin raise exception using errcode = '42501'; end $$`, 'forbidden'],
  ])('%s → %s', async (sql, code) => {
    const error = await raised(sql);
    expect(failureOf(error).code).toBe(code);
  });

  test('threat 68: a NUL in a text is the caller’s mistake', async () => {
    const error = await server.services.db
      .queryAsService('test', { text: 'select $1::text', values: ['a\u0000b'] })
      .catch((caught: unknown) => caught);
    expect(failureOf(error)).toMatchObject({ code: 'invalid_input', status: 400 });
  });
});

describe('[E-01] the reply to an error', () => {
  const lines: string[] = [];
  const app = Fastify({
    loggerInstance: createLog('info', collect(lines)) as never,
  });
  app.decorateRequest('caller', null);
  app.setErrorHandler(async (error, request, reply) => sendFailure(request as never, reply as never, error));
  app.get('/refused', () => {
    throw new Failure('invalid_input', {}, [{ path: ['email'], message: 'Le nom et l’email sont requis' }]);
  });
  app.get('/limited', () => {
    throw rateLimited(12.3);
  });
  app.get('/bug', () => {
    throw new TypeError('cannot read secrets of undefined');
  });
  app.post('/body', () => ({}));
  afterAll(async () => app.close());

  test('of a rule carries its status, first sentence, code and issues', async () => {
    const reply = await app.inject('/refused');
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({
      error: 'Le nom et l’email sont requis',
      code: 'invalid_input',
      issues: [{ path: ['email'], message: 'Le nom et l’email sont requis' }],
    });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('of a limit says when to come back', async () => {
    const reply = await app.inject('/limited');
    expect(reply.statusCode).toBe(429);
    expect(reply.headers['retry-after']).toBe('13');
  });

  test('[F-95] of a bug is neutral French, logged once with the request’s id', async () => {
    lines.length = 0;
    const reply = await app.inject('/bug');
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toEqual({ error: 'Une erreur inattendue est survenue.', code: 'unexpected' });
    const errors = lines.filter((line) => line.includes('cannot read secrets'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('"reqId"');
  });

  test('of a request that cannot be read is a 4xx', async () => {
    const broken = await app.inject({
      method: 'POST',
      url: '/body',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect([broken.statusCode, broken.json<{ code: string }>().code]).toEqual([400, 'invalid_input']);
    const polluted = await app.inject({
      method: 'POST',
      url: '/body',
      headers: { 'content-type': 'application/json' },
      payload: '{"__proto__": {"admin": true}}',
    });
    expect(polluted.statusCode).toBe(400);
  });
});

describe('threat 72: the log', () => {
  const lines: string[] = [];
  const log = createLog('info', collect(lines));

  test('never holds a key, a token, a password or an IBAN', () => {
    log.info(
      { password: 'hunter2', apikey: 'sb_secret_x', body: { iban: 'FR76', refresh_token: 'r', name: 'Zoé' } },
      'x',
    );
    log.info({ headers: { authorization: 'Bearer abc' }, url: redactUrl('/x?apikey=sb_x&token=abc&select=*') }, 'x');
    const text = lines.join('');
    for (const secret of ['hunter2', 'sb_secret_x', 'FR76', '"r"', 'Bearer abc', 'sb_x', 'token=abc']) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('Zoé');
    expect(text).toContain('select=*');
  });

  test('quotes no row of a failed statement', async () => {
    const person = await aCommercial(server.database, { email: 'unique@example.fr' });
    const error: unknown = await server.database
      .asOwner(`insert into auth.users (id, email) values ($1, 'other@example.fr')`, [person.id])
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ detail: expect.stringContaining(person.id) as string });
    log.error({ err: error }, 'failed');
    const line = lines.at(-1) ?? '';
    expect(line).toContain('23505');
    expect(line).not.toContain(person.id);
  });

  test('escapes what would begin a line of its own', () => {
    log.info({ name: 'a\r\n{"level":60,"msg":"forged"}\u001B[31m' }, 'x');
    expect((lines.at(-1) ?? '').trimEnd()).not.toMatch(/[\r\n]|\p{Cc}/u);
  });
});

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
}
