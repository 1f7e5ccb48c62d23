import { createClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aSale,
  aScale,
  aValidatedSale,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { quiet, signedIn, subscribed, until, watching } from '../testing/realtime.ts';
import type { ChangeEvent, Row } from '../testing/realtime.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
let other: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  other = await aCommercial(database);
  client = await aClient(database, { commercial });
  await aScale(database, { isDefault: true });
});
afterAll(() => server.close());

const open: { readonly realtime: { readonly disconnect: () => Promise<unknown> } }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.realtime.disconnect();
});

async function clientOf(person: Person, options: object = {}) {
  const made = await signedIn(server, person, options);
  open.push(made);
  return made;
}

const rowOf = (event: ChangeEvent | undefined): Row => event?.new ?? {};
const moveOn = (sale: { readonly id: string }, status: string) =>
  server.database.asOwner('update public.sales set status = $2 where id = $1', [sale.id, status]);

describe('who is told', () => {
  test('[RT-01] a new sale reaches the admin, its commercial and the client who refers, nobody else', async () => {
    const [forAdmin, forCommercial, forOther, forClient] = await Promise.all([
      watching(await clientOf(admin), 'sales'),
      watching(await clientOf(commercial), 'sales'),
      watching(await clientOf(other), 'sales'),
      watching(await clientOf(client), 'sales'),
    ]);
    const sale = await aSale(server.database, { commercial, friendReferrer: client, contactName: 'Léa Nouvelle' });
    for (const events of [forAdmin, forCommercial, forClient]) {
      const event = await until(() => events[0]);
      expect(event).toMatchObject({ eventType: 'INSERT', schema: 'public', table: 'sales', errors: null, old: {} });
      expect(rowOf(event)).toMatchObject({ id: sale.id, referred_contact_name: 'Léa Nouvelle', version: 1 });
      expect(new Date(event.commit_timestamp).getTime()).toBeGreaterThan(Date.now() - 60_000);
    }
    await quiet();
    expect(forOther).toEqual([]);
    expect(forAdmin).toHaveLength(1);
  });

  test('[RT-01] an act through the server reaches the others, amounts included', async () => {
    const sale = await aSale(server.database, {
      commercial,
      friendReferrer: client,
      isReady: true,
      contractAmount: '1000.00',
    });
    const forCommercial = await watching(await clientOf(commercial), 'commission_payments');
    const forClient = await watching(await clientOf(client), 'balances');
    const acting = await clientOf(admin);
    const { error } = await acting.functions.invoke('sales-management', {
      body: await asJustSeen(server.database, { action: 'validate', sale_id: sale.id }),
    });
    expect(error).toBeNull();
    expect(rowOf(await until(() => forCommercial[0]))).toMatchObject({
      sale_id: sale.id,
      type: 'commercial',
      amount: 50,
    });
    expect(rowOf(await until(() => forClient[0]))).toMatchObject({ profile_id: client.id, earned: 100 });
    await quiet();
    expect(forCommercial).toHaveLength(1);
  });

  test('[RT-01] a transaction tells a row once, as it left it', async () => {
    const sale = await aSale(server.database, { commercial });
    const events = await watching(await clientOf(admin), 'sales');
    await server.database.asOwner(
      `do $$ begin
         update public.sales set status = 'contacted' where id = '${sale.id}';
         update public.sales set status = 'in_negotiation' where id = '${sale.id}';
       end $$`,
    );
    expect(rowOf(await until(() => events[0]))).toMatchObject({ status: 'in_negotiation', version: 3 });
    await quiet();
    expect(events).toHaveLength(1);
  });

  test("[P-04] [A-34] a row that leaves a person's sight tells them nothing more", async () => {
    const sale = await aSale(server.database, { commercial, friendReferrer: null });
    const before = await watching(await clientOf(commercial), 'sales');
    const after = await watching(await clientOf(other), 'sales');
    await server.database.asOwner('update public.sales set commercial_id = $2 where id = $1', [sale.id, other.id]);
    expect(rowOf(await until(() => after[0]))).toMatchObject({ id: sale.id, commercial_id: other.id });
    await moveOn(sale, 'contacted');
    await until(() => after[1]);
    await quiet();
    expect(before).toEqual([]);
  });

  test("[P-04] [A-34] somebody else's filter gives nothing", async () => {
    const theirs = await clientOf(other);
    const events = await watching(theirs, 'sales', { filter: `commercial_id=eq.${commercial.id}` });
    const scales = await watching(theirs, 'commission_rates');
    const profiles = await watching(theirs, 'profiles', { filter: `id=eq.${client.id}` });
    await aSale(server.database, { commercial });
    await aScale(server.database, { name: 'Confidentiel' });
    await server.database.asOwner(`update public.profiles set notes = 'Secret' where id = $1`, [client.id]);
    await quiet();
    expect([...events, ...scales, ...profiles]).toEqual([]);
  });

  test('[P-04] [A-34] a person whose session has ended learns nothing more, and their connection is told', async () => {
    const leaving = await aCommercial(server.database);
    const sale = await aSale(server.database, { commercial: leaving });
    const theirs = await clientOf(leaving);
    const events = await watching(theirs, 'sales');
    await moveOn(sale, 'contacted');
    await until(() => events[0]);
    await server.database.asOwner('delete from auth.sessions where id = $1', [leaving.sessionId]);
    await moveOn(sale, 'in_negotiation');
    await until(() => theirs.getChannels()[0]?.state === 'errored');
    await quiet();
    expect(events).toHaveLength(1);
  });

  test('[P-04] [A-34] a deactivated commercial learns nothing more', async () => {
    const leaving = await aCommercial(server.database);
    const sale = await aSale(server.database, { commercial: leaving });
    const events = await watching(await clientOf(leaving), 'sales');
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [leaving.id]);
    await moveOn(sale, 'contacted');
    await quiet();
    expect(events).toEqual([]);
  });

  test('[P-04] a deleted row tells its key alone, to those who could read it', async () => {
    const sale = await aSale(server.database, { commercial, friendReferrer: null, status: 'rejected' });
    const [forAdmin, forCommercial, forOther] = await Promise.all([
      watching(await clientOf(admin), 'sales', { event: 'DELETE' }),
      watching(await clientOf(commercial), 'sales'),
      watching(await clientOf(other), 'sales'),
    ]);
    await server.database.asOwner('delete from public.sales where id = $1', [sale.id]);
    for (const events of [forAdmin, forCommercial]) {
      expect(await until(() => events[0])).toMatchObject({ eventType: 'DELETE', old: { id: sale.id }, new: {} });
    }
    await quiet();
    expect(forOther).toEqual([]);
  });

  test('[P-04] the publishable key alone learns nothing; the secret key reads everything', async () => {
    const visitor = createClient(server.url, server.services.keys.publishableKey);
    const secret = createClient(server.url, server.services.keys.secretKey);
    open.push(visitor, secret);
    const refused: string[] = [];
    visitor
      .channel('visitor')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, () => refused.push('event'))
      .on('system', {}, (message: { readonly status: string }) => refused.push(message.status))
      .subscribe();
    const all = await watching(secret, 'sales');
    await until(() => refused[0]);
    const sale = await aSale(server.database);
    expect(rowOf(await until(() => all[0]))).toMatchObject({ id: sale.id });
    await quiet();
    expect(refused).toEqual(['error']);
  });

  test('[P-04] the audience leaves nobody out whom the policies let read the row', async () => {
    // The audience of an entry spares a question: it must never be narrower than the policies.
    await aValidatedSale(server.database, { commercial, friendReferrer: client, admin });
    const people = [admin, commercial, other, client];
    await server.database.asOwner('delete from private.changes');
    await server.database.asOwner('update public.profiles set updated_at = updated_at');
    await server.database.asOwner(
      'update public.sales set commercial_notes = commercial_notes where not admin_validated',
    );
    await server.database.asOwner('update public.balances set earned = earned');
    await server.database.asOwner('update public.company_settings set company_name = company_name');
    await server.database.asOwner('update public.commission_rates set is_default = is_default');
    const entries = await server.database.asOwner<{ table_name: string; key: string; audience: string[] | null }>(
      'select table_name, key, audience from private.changes',
    );
    expect(new Set(entries.map((entry) => entry.table_name)).size).toBe(5);
    for (const person of people) {
      if (person.role === 'admin') continue;
      for (const { table_name: table, key, audience } of entries) {
        const column = table === 'balances' ? 'profile_id' : 'id';
        const seen = await server.database.become(person, (run) =>
          run(`select 1 from public.${table} where ${column}::text = $1`, [key]),
        );
        if (seen.length > 0 && audience !== null) expect(audience).toContain(person.id);
      }
    }
  });
});

describe('what is subscribed to', () => {
  test('[RT-01] changes before the subscription are not told, those after it always are', async () => {
    const theirs = await clientOf(admin);
    for (let round = 0; round < 10; round += 1) {
      await aSale(server.database, { commercial, friendReferrer: null });
      const events = await watching(theirs, 'sales');
      const { id } = await aSale(server.database, { commercial, friendReferrer: null });
      expect(rowOf(await until(() => events[0]))).toMatchObject({ id });
      await theirs.removeAllChannels();
    }
  });

  test('[RT-01] each subscription gets its event, table and filter, in one frame', async () => {
    const theirs = await clientOf(admin);
    const heard: string[] = [];
    const sale = await aSale(server.database, { commercial, contactName: 'Filtre Un' });
    const decoy = await aSale(server.database, { commercial, contactName: 'Filtre Deux' });
    await subscribed(
      theirs
        .channel('many')
        .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'sales' }, () => heard.push('insert'))
        .on(
          'postgres_changes',
          { event: 'UPDATE', schema: 'public', table: 'sales', filter: `id=eq.${sale.id}` },
          (event) => heard.push(`update ${rowOf(event)['status'] as string}`),
        )
        .on('postgres_changes', { event: '*', schema: 'public' }, (event) => heard.push(`any ${event.table}`)),
    );
    await moveOn(sale, 'contacted');
    await until(() => heard.length === 2);
    await moveOn(decoy, 'contacted');
    await until(() => heard.length === 3);
    await quiet();
    expect(heard.toSorted()).toEqual(['any sales', 'any sales', 'update contacted']);
  });

  test.each([
    ['status=eq.contacted', true],
    ['status=neq.contacted', false],
    ['status=in.(pending,contacted)', true],
    ['status=in.("rejected","validated")', false],
    ['status=not.in.(pending)', true],
    ['contract_amount=gt.1000', true],
    ['contract_amount=lte.1000', false],
    ['contract_amount=gte.1000,contract_amount=lt.2000', true],
    ['contract_amount=gte.1000,contract_amount=gt.2000', false],
    ['referred_contact_name=like.Paul%', true],
    ['referred_contact_name=like.paul%', false],
    ['referred_contact_name=ilike.%CONTACT', true],
    ['referred_contact_name=match.^Paul .*t$', true],
    ['referred_contact_name=imatch.^paul', true],
    ['referred_contact_name=not.match.^Paul', false],
    ['referred_contact_name=eq."Paul Contact"', true],
    ['personal_message=is.null', true],
    ['personal_message=not.is.null', false],
    ['personal_message=eq.null', false],
    ['personal_message=isdistinct.bonjour', true],
    ['admin_validated=is.false', true],
    ['admin_validated=eq.true', false],
    ['created_at=gt.2001-01-01', true],
  ])('[RT-01] the filter « %s » is %s', async (filter, isExpected) => {
    const sale = await aSale(server.database, { commercial, contactName: 'Paul Contact' });
    const theirs = await clientOf(admin);
    const [filtered, all] = await Promise.all([
      watching(theirs, 'sales', { event: 'UPDATE', filter }),
      watching(theirs, 'sales', { event: 'UPDATE', filter: `id=eq.${sale.id}` }),
    ]);
    await server.database.asOwner(
      `update public.sales set status = 'contacted', contract_amount = 1234.56 where id = $1`,
      [sale.id],
    );
    await until(() => all[0]);
    expect(filtered).toHaveLength(isExpected ? 1 : 0);
  });

  test('[RT-01] an endless regular expression costs an instant and gives nothing', async () => {
    const sale = await aSale(server.database, { commercial, contactName: `${'a'.repeat(60)}!` });
    const theirs = await clientOf(admin);
    const evil = await watching(theirs, 'sales', { filter: 'referred_contact_name=match.^(((a+)+)+)\\1$' });
    const all = await watching(theirs, 'sales', { filter: `id=eq.${sale.id}` });
    await moveOn(sale, 'contacted');
    await until(() => all[0]);
    expect(evil).toEqual([]);
  });

  test('[RT-01] only the selected columns come, and the key', async () => {
    const sale = await aSale(server.database, { commercial });
    const events: ChangeEvent[] = [];
    const channel = (await clientOf(admin))
      .channel('columns')
      .on(
        'postgres_changes',
        { event: 'UPDATE', schema: 'public', table: 'sales', select: ['status'] } as never,
        (event: ChangeEvent) => events.push(event),
      );
    await subscribed(channel);
    await moveOn(sale, 'contacted');
    expect(rowOf(await until(() => events[0]))).toEqual({ id: sale.id, status: 'contacted' });
  });

  test.each([
    ['a table that is not published', { table: 'audit_entries' }],
    ['another schema', { schema: 'auth', table: 'users' }],
    ['an unknown column', { table: 'sales', filter: 'secret=eq.1' }],
    ['a filter that is none', { table: 'sales', filter: 'id;drop table sales' }],
  ])('[RT-01] %s: the channel says so and receives nothing', async (_name, asked) => {
    const said: { readonly status: string; readonly extension: string; readonly message: string }[] = [];
    (await clientOf(admin))
      .channel('bad')
      .on('postgres_changes', { event: '*', schema: 'public', ...asked } as never, () => undefined)
      .on('system', {}, (message: (typeof said)[number]) => said.push(message))
      .subscribe();
    expect(await until(() => said[0])).toMatchObject({ status: 'error', extension: 'postgres_changes' });
  });

  test('[RT-01] the old protocol receives the same events', async () => {
    const events = await watching(await clientOf(commercial, { vsn: '1.0.0' }), 'sales');
    const sale = await aSale(server.database, { commercial });
    expect(rowOf(await until(() => events[0]))).toMatchObject({ id: sale.id });
  });
});
