import { hasSentence } from '@parrain/domain/name';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, asJustSeen, aSale, aScale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { callAs } from './testing/call-function.ts';

// Texts are stored as people wrote them, and are nothing but text wherever they come out again. The tests of each screen are in web/.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
  await aScale(server.database, { isDefault: true });
});
afterAll(() => server.close());

const MARKUP = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  "'-alert(1)-'",
  '</title><svg onload=alert(1)>',
  '&lt;script&gt;',
  'zéro\u200bwidth',
];
const TEMPLATES = ['${7*7}', '{{7*7}}', '#{7*7}', '<%= 7*7 %>', '%s %d %n', '{0}', '$1 $& $$', '\\1 \\n', '__proto__'];

async function invite(name: string, message: string) {
  const email = `ami-${crypto.randomUUID()}@exemple.fr`;
  const reply = await callAs(server, client, 'send-invitation-email', { name, email, personalMessage: message });
  expect([name, reply.status]).toEqual([name, 200]);
  const mail = await server.mailbox.take(email);
  const rows = await server.fetch(
    `/rest/v1/sales?select=referred_contact_name,personal_message&referred_contact_email=eq.${email}`,
    {},
    client,
  );
  return { mail, rows, kept: await rows.json() };
}

/** A name that holds the text, where a name may (DF-28). */
const nameWith = (text: string) => (hasSentence(text) ? 'Ami Balisé' : `Ami ${text}`);

describe('what is written', () => {
  test.for(MARKUP)('[X-62] %s: kept as it is, text in the mail and in the answer', async (text) => {
    const name = nameWith(text);
    const { mail, rows, kept } = await invite(name, text);
    expect(kept).toEqual([{ referred_contact_name: name, personal_message: text }]);
    expect(rows.headers.get('content-type')).toContain('application/json');
    expect(rows.headers.get('x-content-type-options')).toBe('nosniff');
    expect(rows.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(mail.html).not.toMatch(/<script|<img[^>]*onerror|<svg|href="javascript:/iu);
    expect(mail.headers.filter(({ key }) => key === 'to')).toHaveLength(1);
  });

  test('[X-62] characters that reverse the reading direction are refused where a name is written', async () => {
    const reply = await callAs(server, client, 'send-invitation-email', {
      name: 'Ami \u202egpj.exe',
      email: 'ami-rtl@exemple.fr',
    });
    expect(reply.status).toBe(400);
  });

  test.for(TEMPLATES)('[X-67] %s: a text, never a template', async (text) => {
    const name = nameWith(text);
    const { mail, kept } = await invite(name, `Bonjour ${text}`);
    expect(kept).toEqual([{ referred_contact_name: name, personal_message: `Bonjour ${text}` }]);
    expect(mail.text).toContain(`Bonjour ${text}`);
    expect(`${mail.subject} ${mail.text}`).not.toMatch(/\b49\b/u);
  });
});

describe('what is answered', () => {
  test('[X-71] an answer to one person is cached by nobody', async () => {
    const answers = [
      '/rest/v1/sales?select=id',
      '/rest/v1/profiles?select=*',
      '/functions/v1/own-account?action=personal_data',
      '/functions/v1/company-settings?action=get',
      '/auth/v1/user',
    ];
    for (const address of answers) {
      for (const person of [admin, commercial, client]) {
        const reply = await server.fetch(address, {}, person);
        expect([address, reply.status, reply.headers.get('cache-control'), reply.headers.get('etag')]).toEqual([
          address,
          200,
          expect.stringContaining('no-store'),
          null,
        ]);
      }
    }
  });

  test('[X-71] an ETag given to one person opens nothing more to another', async () => {
    for (const address of ['/rest/v1/sales?select=id', '/functions/v1/own-account?action=sessions']) {
      const reply = await server.fetch(address, { headers: { 'if-none-match': '*' } }, client);
      expect([address, reply.status]).toEqual([address, 200]);
      await reply.arrayBuffer();
    }
  });
});

describe('when the disk is full', () => {
  /** Makes each insert fail as PostgreSQL does when the disk is full. */
  const fill = (table: string) =>
    server.database.asOwner(
      `create or replace function private.no_room() returns trigger language plpgsql as
         $$ begin raise exception using errcode = '53100', message = 'could not extend file: No space left on device'; end $$;
       create trigger no_room before insert on ${table} for each row execute function private.no_room()`,
    );
  const empty = (table: string) => server.database.asOwner(`drop trigger no_room on ${table}`);

  test('[F-87] a validation that no longer fits on the disk leaves nothing, says so, and passes later', async () => {
    const sale = await aSale(server.database, {
      commercial,
      friendReferrer: client,
      isReady: true,
      contractAmount: '1000.00',
    });
    const seen = await asJustSeen(server.database, { action: 'validate', sale_id: sale.id });
    const validate = () => callAs(server, admin, 'sales-management', seen);
    await fill('public.commission_payments');
    try {
      const full = await validate();
      expect(full).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(JSON.stringify(full.body)).not.toMatch(/device|extend|disk/iu);
    } finally {
      await empty('public.commission_payments');
    }
    const left = await server.database.asOwner(
      `select admin_validated, (select count(*)::int from public.commission_payments p where p.sale_id = s.id) as payments
       from public.sales s where s.id = $1`,
      [sale.id],
    );
    expect(left).toEqual([{ admin_validated: false, payments: 0 }]);
    expect((await validate()).status).toBe(200);
  });

  test('[F-87] a referral likewise: neither sale nor mail', async () => {
    await fill('private.mails');
    try {
      const reply = await callAs(server, client, 'send-invitation-email', { name: 'Ami', email: 'plein@exemple.fr' });
      expect(reply.status).toBe(503);
    } finally {
      await empty('private.mails');
    }
    expect(
      await server.database.asOwner(`select from public.sales where referred_contact_email = 'plein@exemple.fr'`),
    ).toEqual([]);
    expect(server.mailbox.mails.some(({ to }) => to.includes('plein@exemple.fr'))).toBe(false);
  });
});
