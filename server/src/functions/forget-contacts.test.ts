import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { aClient, aCommercial, aSale, anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

// [CS-04] The nightly job: contacts without contract are announced to the admins, then forgotten.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  [admin, commercial] = [await anAdmin(server.database), await aCommercial(server.database)];
  client = await aClient(server.database, { commercial, fullName: 'Camille Bernard' });
});
afterAll(() => server.close());

/** A contact of whom nothing was heard for forty months. */
async function anOldContact(contactEmail: string): Promise<string> {
  const { id } = await aSale(server.database, { commercial, friendReferrer: client, contactEmail });
  await server.database.asOwner(
    `with past as (select set_config('session_replication_role', 'replica', true))
     update public.sales set updated_at = now() - interval '40 months' from past where id = $1`,
    [id],
  );
  return id;
}

const runJob = () =>
  server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'forget_contacts', {}));
const list = (who: Person) => callAs(server, who, 'sales-management', { action: 'contacts_to_erase' });
const keep = (who: Person, saleId: string, reason: string) =>
  callAs(server, who, 'sales-management', { action: 'keep_contact', sale_id: saleId, reason });
const nameOf = async (id: string) =>
  only(
    await server.database.asOwner<{ name: string }>(
      'select referred_contact_name as name from public.sales where id = $1',
      [id],
    ),
  ).name;

test('[CS-04] one night announces them by notice, mail and list; thirty days later another forgets them, but whom an admin kept', async () => {
  const kept = await anOldContact('garde@example.fr');
  const forgotten = await anOldContact('oubli@example.fr');
  await runJob();
  const mail = await server.mailbox.take(admin.email);
  expect(mail.subject).toMatch(/^Des contacts vont être effacés/u);
  expect(mail.text).toContain('section=ventes');
  const { body } = await list(admin);
  expect(body.data).toHaveLength(2);
  expect(body.data[0]).toMatchObject({ contact_name: 'Paul Contact', referrer_name: 'Camille Bernard', total: 2 });
  expect(body.data[0].erase_on).toMatch(/^\d{4}-\d{2}-\d{2}$/u);
  for (const person of [commercial, client]) expect((await list(person)).status).toBe(403);

  expect(await keep(admin, kept, ' ')).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  expect(await keep(admin, kept, 'Un devis est promis')).toMatchObject({
    status: 200,
    body: { message: 'Contact gardé' },
  });
  expect(await keep(admin, kept, 'Encore')).toMatchObject({ status: 409, body: { code: 'contact_not_announced' } });

  await runJob();
  await server.database.asOwner('update private.announced_erasures set erase_on = private.today()');
  expect(await nameOf(forgotten)).toBe('Paul Contact');
  await runJob();
  await vi.waitFor(async () => expect(await nameOf(forgotten)).toBe('Contact effacé'), {
    timeout: 120_000,
    interval: 100,
  });
  expect(await nameOf(kept)).toBe('Paul Contact');
  expect((await list(admin)).body.data).toEqual([]);
});

test('[CS-04] the company’s months stand on the public page and in « Vos données », and are an admin’s to set', async () => {
  const set = (who: Person, months: unknown) =>
    callAs(server, who, 'company-settings?action=update_contact_months', { contact_months: months });
  for (const months of [5, 37, '', 'douze', null]) {
    expect((await set(admin, months)).body).toMatchObject({ error: 'Indiquez un nombre de mois, de 6 à 36.' });
  }
  const { data } = (await callAs(server, client, 'personal-link?action=get', {})).body;
  const promise = async () => /les efface au plus tard (?<time>.+?) après/u.exec(await (await fetch(data.url)).text());
  expect((await promise())?.groups).toEqual({ time: 'trois ans' });
  expect((await set(commercial, 12)).status).toBe(403);
  expect((await set(admin, '18')).body.data).toMatchObject({ contact_months: 18 });
  expect((await promise())?.groups).toEqual({ time: '18 mois' });
});
