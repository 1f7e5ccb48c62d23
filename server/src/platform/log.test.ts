import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';

import { aClient, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { createLog } from './log.ts';
import { textLines } from './text-log.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });
const [short, full, none] = await Promise.all([server('short'), server('full'), server('none')]);
afterAll(async () => Promise.all([short, full, none].map((one) => one.close())));

function server(how: string): Promise<TestServer> {
  return startTestServer({
    log,
    jobs: false,
    doors: ['auth', 'rest'],
    environment: { LOG_ADDRESS: how, TRUST_PROXY: '1' },
  });
}

type Written = Readonly<Record<string, unknown>>;

/** The line of a request, once it is answered. */
async function lineOf(reply: Response): Promise<Written> {
  await reply.text();
  const id = reply.headers.get('x-request-id');
  await expect.poll(() => lines.some((line) => line.includes(String(id)))).toBe(true);
  return JSON.parse(lines.find((line) => line.includes(String(id))) ?? '') as Written;
}

describe('a line of the log for a program', () => {
  test('[FX-30] has its level as a word and its time in ISO 8601', () => {
    lines.length = 0;
    log.warn('x');
    const line = JSON.parse(lines[0] ?? '') as Written;
    expect(line).toMatchObject({ level: 'warn', msg: 'x' });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  });

  test('[FX-15][FX-30] of a request says which, its route, how it ended, how long it took, and who asked by their id', async () => {
    const person = await aClient(short.database, {});
    const line = await lineOf(await short.fetch('/rest/v1/profiles?select=id&email=eq.x@example.fr', {}, person));
    expect(line).toMatchObject({
      level: 'info',
      method: 'GET',
      url: '/rest/v1/profiles?select=id&email=[redacted]',
      route: '/rest/v1/*',
      status: 200,
      ms: expect.any(Number) as number,
      who: person.id,
    });
    expect(await lineOf(await short.fetch('/auth/v1/user', {}, person))).toMatchObject({ status: 200, who: person.id });
    expect(await lineOf(await short.fetch('/nowhere'))).toMatchObject({ status: 404, who: null, route: null });
  });

  test.each([
    [short, '203.0.113.77', '203.0.113.0/24'],
    [short, '2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    [short, '::ffff:203.0.113.77', '203.0.113.0/24'],
    [full, '203.0.113.77', '203.0.113.77'],
    [none, '203.0.113.77', null],
  ])(
    '[FX-15] of a request has the address of its caller, shortened unless asked otherwise (%#)',
    async (asked, ip, written) => {
      const line = await lineOf(await asked.fetch('/config.json', { headers: { 'x-forwarded-for': ip } }));
      expect(line['address']).toBe(written);
      if (written !== ip) expect(JSON.stringify(line)).not.toContain(ip);
    },
  );
});

describe('a line of the log for a person', () => {
  const stream = new PassThrough();
  const forPerson = createLog('info', textLines(stream));
  const written = (): string => String(stream.read() ?? '');

  test('[FX-30] says of a request what a person asks first, and the rest by name', () => {
    forPerson.info(
      { reqId: 'r-1', method: 'GET', url: '/x?a=1', route: '/x', status: 200, ms: 1.5, who: null },
      'request',
    );
    expect(written()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}GET \/x\?a=1 200 1\.5 ms reqId=r-1\n$/u);
  });

  test('[FX-30] tells an error with its trace below', () => {
    forPerson.error({ err: new Error('broken'), job: { name: 'x' } }, 'A job failed');
    const [first, second, ...trace] = written().split('\n');
    expect(first).toMatch(/Z error A job failed job=\{"name":"x"\}$/u);
    expect(second).toBe('    Error: broken');
    expect(trace[0]).toMatch(/^ {8}at /u);
  });

  test('threat 72: [FX-30] neither forges a line nor moves the cursor, whatever it is given', () => {
    const nasty = 'a\r\nb\u001B[31mc\u009Bd\u202Ee\u2028f';
    forPerson.info({ name: nasty, err: new Error(nasty) }, nasty);
    const text = written();
    for (const line of text.trimEnd().split('\n')) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text.split('\n').filter((line) => /^\d{4}-/u.test(line))).toHaveLength(1);
  });
});
