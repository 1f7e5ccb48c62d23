import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { aCommercial, anAdmin, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

// [DF-24] No admin alone lifts what binds admins.

let server: TestServer;
let admin: Person;
let other: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  [admin, other] = [await anAdmin(server.database, { fullName: 'Ada Martin' }), await anAdmin(server.database)];
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.database.asOwner('delete from private.control_changes');
  await server.database.asOwner(
    'update public.company_settings set release_above = 100, require_admin_two_factor = false, hold_doubtful = true',
  );
});

const settings = (who: Person, action: string, body: Record<string, unknown> = {}) =>
  callAs(server, who, `company-settings?action=${action}`, body);
const limit = (who: Person, amount: string | null) => settings(who, 'update_release_above', { release_above: amount });
const waiting = async (who: Person) =>
  (await callAs(server, who, 'company-settings?action=controls', undefined, { method: 'GET' })).body.data as Record<
    string,
    unknown
  >[];
const inForce = async () =>
  only(
    await server.database.asOwner<Record<string, unknown>>(
      'select release_above::text, hold_doubtful, require_admin_two_factor from public.company_settings',
    ),
  );
const runDue = () =>
  server.database.become('parrain_service', (run) => run('select private.apply_due_controls() as applied'));

test.each([
  ['raised', '100.01'],
  ['lifted', null],
])('[DF-24] the limit of the second admin, %s by one admin, stays until another confirms', async (_, amount) => {
  const reply = await limit(admin, amount);
  expect(reply).toMatchObject({ status: 200, body: { waits: true } });
  expect(reply.body.message).toContain('Un autre administrateur le confirme');
  expect(await inForce()).toMatchObject({ release_above: '100.00' });
  const change = only(await waiting(admin));
  expect(change).toMatchObject({ control: 'release_above', asked_by_name: 'Ada Martin', is_own: true });
  for (const { email } of [admin, other]) {
    expect((await server.mailbox.take(email)).subject).toBe('Un contrôle va être levé');
  }
  expect((await settings(admin, 'confirm_control', { change_id: change['id'] })).body).toMatchObject({
    code: 'second_admin_to_confirm',
  });
  expect((await settings(other, 'confirm_control', { change_id: change['id'] })).status).toBe(200);
  expect(await inForce()).toMatchObject({ release_above: amount });
  expect(await waiting(admin)).toEqual([]);
  expect((await settings(other, 'confirm_control', { change_id: change['id'] })).body).toMatchObject({
    code: 'control_change_over',
  });
});

test('[DF-24] lowered or set for the first time it is in force at once, and what waited for it waits no more', async () => {
  await limit(admin, null);
  await server.mailbox.take(admin.email);
  expect((await limit(admin, '50')).body).not.toHaveProperty('waits');
  expect(await inForce()).toMatchObject({ release_above: '50.00' });
  expect(await waiting(admin)).toEqual([]);
  await server.database.asOwner('update public.company_settings set release_above = null');
  await limit(admin, '1000');
  expect(await inForce()).toMatchObject({ release_above: '1000.00' });
});

test('[DF-24] without another admin it comes into force after 72 hours, not one before; asked again, they do not begin anew', async () => {
  await limit(admin, '5000');
  await server.database.asOwner(`update private.control_changes set due_at = due_at - interval '71 hours'`);
  await limit(admin, '5000');
  expect(await runDue()).toEqual([{ applied: 0 }]);
  expect(await inForce()).toMatchObject({ release_above: '100.00' });
  await server.database.asOwner(`update private.control_changes set due_at = due_at - interval '1 hour 1 second'`);
  expect(await runDue()).toEqual([{ applied: 1 }]);
  expect(await inForce()).toMatchObject({ release_above: '5000.00' });
  expect(
    only(
      await server.database.asOwner(
        `select actor_id, reason from public.audit_entries where entity = 'company_settings' order by id desc limit 1`,
      ),
    ),
  ).toEqual({ actor_id: null, reason: '72 heures après la demande' });
});

test('[DF-24] the same for the money of doubtful cases; any admin gives a change up', async () => {
  expect(
    (await callAs(server, admin, 'doubtful-cases', { action: 'set_hold', hold_doubtful: false })).body,
  ).toMatchObject({
    waits: true,
  });
  expect(await inForce()).toMatchObject({ hold_doubtful: true });
  const change = only(await waiting(other));
  expect(change).toMatchObject({ control: 'hold_doubtful', value: false, is_own: false });
  expect((await settings(other, 'withdraw_control', { change_id: change['id'] })).status).toBe(200);
  expect([await inForce(), await waiting(admin)]).toMatchObject([{ hold_doubtful: true }, []]);
  const commercial = await aCommercial(server.database);
  for (const action of ['confirm_control', 'withdraw_control']) {
    expect((await settings(commercial, action, { change_id: change['id'] })).status).toBe(403);
  }
});
