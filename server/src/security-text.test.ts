import { describe, expect, test } from 'vitest';

import { readConfig } from './config.ts';
import { startTestServer } from './testing/index.ts';

async function answerOf(path: string, environment: Readonly<Record<string, string>>): Promise<Response> {
  const server = await startTestServer({ environment, doors: [], jobs: false });
  try {
    const reply = await fetch(server.url + path);
    // Read before the server closes.
    return new Response(await reply.text(), reply);
  } finally {
    await server.close();
  }
}

describe('[FX-17] /.well-known/security.txt', () => {
  test('is RFC 9116: a contact, a date within a year, languages, its own address', async () => {
    const reply = await answerOf('/.well-known/security.txt', {
      PUBLIC_URL: 'https://parrain.example.fr',
      SECURITY_CONTACT: 'securite@exemple.fr',
    });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = (await reply.text()).trimEnd().split('\n');
    expect(fields).toEqual([
      'Contact: mailto:securite@exemple.fr',
      expect.stringMatching(/^Expires: \d{4}-\d{2}-\d{2}T[\d:.]+Z$/u),
      'Preferred-Languages: fr, en',
      'Canonical: https://parrain.example.fr/.well-known/security.txt',
    ]);
    const days = (Date.parse(fields[1]?.slice('Expires: '.length) ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(179);
    expect(days).toBeLessThan(365);
  });

  test('leads to the site where nobody is named', async () => {
    const reply = await answerOf('/.well-known/security.txt', { PUBLIC_URL: 'https://parrain.example.fr' });
    expect(await reply.text()).toContain('Contact: https://parrain.example.fr/\n');
  });

  test.each(['claire', 'http://exemple.fr', 'javascript:x', 'a@b\nContact: c'])('%j is no contact', (contact) => {
    expect(() => readConfig({ SECURITY_CONTACT: contact })).toThrow('SECURITY_CONTACT');
  });
});

describe('[FX-31] Strict-Transport-Security', () => {
  test.each([
    [undefined, 'max-age=63072000'],
    ['subdomains', 'max-age=63072000; includeSubDomains'],
    ['off', null],
  ])('HSTS=%s says %s', async (hsts, header) => {
    const reply = await answerOf('/config.json', {
      PUBLIC_URL: 'https://parrain.example.fr',
      ...(hsts === undefined ? {} : { HSTS: hsts }),
    });
    expect(reply.headers.get('strict-transport-security')).toBe(header);
  });
});
