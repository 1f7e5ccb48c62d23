import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, anAdmin, aSale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { linkIn } from './testing/accounts.ts';
import { fragmentOf, landing, wrongCode } from './testing/links.ts';
import { startSmsSink } from './testing/sms-sink.ts';
import type { SmsSink } from './testing/sms-sink.ts';

/** docs/operations/official-client.md against the official client: each line of its tables is driven here, and no other. */

let server: TestServer;
let mailed: TestServer;
let sms: SmsSink;
let admin: Person;
let client: Person;
let asAdmin: SupabaseClient;
let asClient: SupabaseClient;
let visitor: SupabaseClient;

beforeAll(async () => {
  sms = await startSmsSink();
  server = await startTestServer({ environment: { SMS_URL: sms.url } });
  mailed = await startTestServer({ doors: ['auth'], smtp: true });
  [admin, client] = [await anAdmin(server.database), await aClient(server.database)];
  [asAdmin, asClient, visitor] = [await server.client(admin), await server.client(client), await server.client()];
  for (const number of [1, 2, 3]) {
    await aSale(server.database, { contactName: `Contact ${number}`, friendReferrer: number === 1 ? client : null });
  }
});
afterAll(async () => {
  await server.close();
  await mailed.close();
  await sms.close();
});

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  async 'Rules for passwords'() {
    const { error } = await visitor.auth.signUp({ email: 'court@exemple.fr', password: 'jgtbxw' });
    expect(error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] });
    const common = await visitor.auth.signUp({ email: 'commun@exemple.fr', password: 'Password1!' });
    expect(common.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['pwned'] });
  },
  async 'A new password'() {
    const { auth } = await server.client();
    await auth.signUp({ email: 'change@exemple.fr', password: 'Vingt-Deux-Chevaux' });
    const password = 'Trente-Trois-Chevaux';
    expect((await auth.updateUser({ password })).error).toMatchObject({
      status: 400,
      code: 'current_password_required',
    });
    expect((await auth.updateUser({ password, current_password: 'Vingt-Deux-Chevaux' })).error).toBeNull();
  },
  async 'Links of mails'() {
    const { auth } = await mailed.client();
    await auth.signUp({ email: 'liens@exemple.fr', password: 'Vingt-Deux-Chevaux' });
    await auth.signInWithOtp({ email: 'liens@exemple.fr' });
    const link = linkIn((await mailed.mailbox.take('liens@exemple.fr')).text);
    expect(link.pathname).toBe('/auth/callback');
    const token = link.searchParams.get('token_hash') ?? '';
    expect((await auth.verifyOtp({ token_hash: token, type: 'magiclink' })).error).toBeNull();
    const secret = createClient(mailed.url, mailed.services.keys.secretKey);
    const { data } = await secret.auth.admin.generateLink({ type: 'magiclink', email: 'liens@exemple.fr' });
    expect(data.properties?.action_link).toMatch(/\/auth\/v1\/verify\?token=/u);
  },
  async 'Spent links'() {
    const secret = createClient(mailed.url, mailed.services.keys.secretKey);
    const email = 'lien-use@exemple.fr';
    await secret.auth.admin.createUser({ email, email_confirm: true });
    const { data } = await secret.auth.admin.generateLink({ type: 'magiclink', email });
    const link = new URL(data.properties?.action_link ?? '');
    for (let time = 0; time < 2; time += 1) expect((await fetch(link)).status).toBe(200);
    expect(fragmentOf(await landing(link)).has('access_token')).toBe(true);
    expect(fragmentOf(await landing(link)).get('error_code')).toBe('otp_expired');
  },
  async 'An address or a number without an account'() {
    const options = { shouldCreateUser: false };
    const { auth } = await mailed.client();
    expect((await auth.signInWithOtp({ email: 'personne@exemple.fr', options })).error).toBeNull();
    expect((await visitor.auth.signInWithOtp({ phone: '+33612345699', options })).error).toBeNull();
  },
  async 'Messages asked for again'() {
    const { auth } = await mailed.client();
    const secret = createClient(mailed.url, mailed.services.keys.secretKey);
    await secret.auth.admin.createUser({ email: 'encore@exemple.fr', email_confirm: true });
    for (const email of ['encore@exemple.fr', 'jamais@exemple.fr']) {
      expect((await auth.resetPasswordForEmail(email)).error).toBeNull();
      const { error } = await auth.resetPasswordForEmail(email);
      expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
      expect(error?.message).toMatch(/after \d+ seconds\.$/u);
    }
  },
  async 'Tokens at sign-out'() {
    const { auth } = await server.client();
    const { data } = await auth.signUp({ email: 'depart@exemple.fr', password: 'Vingt-Deux-Chevaux' });
    const headers = { authorization: `Bearer ${data.session?.access_token}` };
    expect((await server.fetch('/rest/v1/profiles?select=id', { headers })).status).toBe(200);
    await auth.signOut();
    const ended = await server.fetch('/rest/v1/profiles?select=id', { headers });
    expect([ended.status, await ended.json()]).toMatchObject([401, { code: 'PGRST303' }]);
  },
  async 'Bodies without a session'() {
    const { error } = await visitor.auth.signInWithOtp({
      email: 'long@exemple.fr',
      options: { data: { text: 'x'.repeat(20_000) } },
    });
    expect(error).toMatchObject({ status: 413 });
    expect((await visitor.rpc('nothing', { text: 'x'.repeat(20_000) })).status).toBe(413);
  },
  async 'Wrong codes'() {
    const email = 'codes@exemple.fr';
    const { auth } = await mailed.client();
    await auth.signUp({ email, password: 'Vingt-Deux-Chevaux' });
    const secret = createClient(mailed.url, mailed.services.keys.secretKey);
    const generated = async () => (await secret.auth.admin.generateLink({ type: 'magiclink', email })).data.properties;
    for (let codes = 0; codes < 4; codes += 1) {
      const code = (await generated())?.email_otp ?? '';
      for (let tries = 0; tries < 5; tries += 1) await auth.verifyOtp({ email, token: wrongCode(code), type: 'email' });
      expect((await auth.verifyOtp({ email, token: code, type: 'email' })).error).toMatchObject({
        code: 'otp_expired',
      });
    }
    expect((await generated())?.email_otp).toBe('');
  },
  async 'Confirmation of telephones'() {
    const settings = (await (await server.fetch('/auth/v1/settings')).json()) as object;
    expect(settings).toMatchObject({ phone_autoconfirm: false });
    const { data } = await visitor.auth.signUp({ phone: '+33612345601', password: 'Vingt-Deux-Chevaux' });
    expect([data.session, data.user?.phone_confirmed_at ?? null]).toEqual([null, null]);
  },
  async 'Text messages'() {
    const known = await visitor.auth.signInWithOtp({ phone: '+33612345601' });
    const unknown = await visitor.auth.signInWithOtp({ phone: '+33612345602' });
    expect(known).toEqual(unknown);
    expect((await sms.take('+33612345602')).text).toMatch(/\d{6}/u);
  },
  async 'Role of a new account'() {
    const options = { data: { role: 'admin' } };
    const email = 'nouvelle@exemple.fr';
    const { data } = await visitor.auth.signUp({ email, password: 'Vingt-Deux-Chevaux', options });
    expect([data.user?.role, data.user?.app_metadata['role']]).toEqual(['authenticated', 'client']);
    await visitor.auth.signOut();
  },
  async 'OAuth server, custom providers'() {
    const secret = createClient(server.url, server.services.keys.secretKey);
    expect((await secret.auth.admin.oauth.listClients()).error).toMatchObject({ status: 404 });
    expect((await server.fetch('/auth/v1/oauth/authorizations/x')).status).toBe(404);
  },
  async Aggregates() {
    expect((await asAdmin.from('sales').select('contract_amount.sum()')).error).toMatchObject({ code: 'PGRST123' });
    expect((await asAdmin.from('sales').select('count')).data).toEqual([{ count: 3 }]);
  },
  async EXPLAIN() {
    expect(await asAdmin.from('sales').select('id').explain()).toMatchObject({
      status: 406,
      error: { code: 'PGRST107' },
    });
  },
  async 'Rows of an answer'() {
    await server.database.asOwner(
      `insert into public.commission_rates (name, client_commission_type, client_commission_amount,
         commercial_commission_type, commercial_commission_amount)
       select 'Barème ' || n, 'percentage', 5, 'percentage', 5 from generate_series(1, 1001) n`,
    );
    const { data } = await asAdmin.from('commission_rates').select('id').limit(5000);
    expect(data).toHaveLength(1000);
  },
  async 'Writes without a filter'() {
    expect(await asClient.from('profiles').update({ phone: null })).toMatchObject({ status: 400 });
  },
  async 'Estimated and planned counts'() {
    for (const count of ['estimated', 'planned'] as const) {
      expect((await asClient.from('sales').select('id', { count, head: true })).count).toBe(1);
    }
  },
  async CSV() {
    await server.database.asOwner(
      `insert into public.commission_rates (name, client_commission_type, client_commission_amount,
         commercial_commission_type, commercial_commission_amount) values ('=1+1', 'percentage', 5, 'percentage', 5)`,
    );
    const rates = asAdmin.from('commission_rates').select('name,client_commission_amount').eq('name', '=1+1');
    expect((await rates.csv()).data).toBe(`name,client_commission_amount\n'=1+1,5.00`);
  },
  async Schemas() {
    const { error, status } = await asAdmin.schema('auth').from('users').select('id');
    expect([status, error?.code]).toEqual([406, 'PGRST106']);
  },
  async 'Near names'() {
    expect((await asAdmin.from('sale').select('id')).error?.hint).toBe("Perhaps you meant the table 'public.sales'");
    expect((await visitor.from('sale').select('id')).error).toMatchObject({ code: 'PGRST205', hint: null });
  },
  async 'Writing money and states'() {
    const { status } = await asAdmin.from('sales').update({ status: 'validated' }).neq('status', 'validated');
    expect(status).toBe(403);
  },
  async 'The secret key'() {
    const secret = createClient(server.url, server.services.keys.secretKey);
    expect((await secret.from('sales').select('id')).data?.length).toBeGreaterThan(0);
    const written = await secret.from('profiles').update({ phone: null }).eq('id', client.id);
    expect([written.status, written.error?.code]).toEqual([403, '42501']);
  },
  async Buckets() {
    const { data } = await asAdmin.storage.listBuckets();
    expect(data?.map(({ id }) => id)).toEqual(['logos']);
    expect((await asAdmin.storage.createBucket('other')).error).toMatchObject({ status: 403 });
    expect((await asAdmin.storage.emptyBucket('logos')).error).toMatchObject({ status: 403 });
  },
  async Files() {
    const { error } = await asAdmin.storage.from('logos').upload('notes.txt', Buffer.from('bonjour'));
    expect(error).toMatchObject({ status: 415 });
  },
  async Listing() {
    expect((await asAdmin.storage.from('logos').list()).error).toBeNull();
    expect((await asClient.storage.from('logos').list()).error).toMatchObject({ status: 403 });
  },
  async 'Resumable uploads'() {
    const reply = await server.fetch('/storage/v1/upload/resumable', { method: 'POST' }, admin);
    expect(reply.status).toBe(404);
  },
  async 'Transformed pictures'() {
    const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    const logos = asAdmin.storage.from('logos');
    expect((await logos.upload('petit.png', png)).error).toBeNull();
    const { publicUrl } = logos.getPublicUrl('petit.png', { transform: { width: 300 } }).data;
    for (const [accept, format] of [
      ['image/avif,image/webp', 'webp'],
      ['image/*', 'png'],
    ] as const) {
      const bytes = await (await fetch(publicUrl, { headers: { accept } })).arrayBuffer();
      expect(await sharp(Buffer.from(bytes)).metadata()).toMatchObject({ format, width: 30 });
    }
  },
  async 'HTTP status of a refusal'() {
    const { error } = await asAdmin.storage.from('logos').info('nothing.png');
    expect(error).toMatchObject({ status: 404, statusCode: '404' });
  },
  async 'Private topics'() {
    expect(await joined(asClient, `user:${client.id}`)).toBe('SUBSCRIBED');
    expect(await joined(asClient, `user:${admin.id}`)).toBe('CHANNEL_ERROR');
    expect(await joined(asClient, 'role:admin')).toBe('CHANNEL_ERROR');
  },
  async Changes() {
    const told: unknown[] = [];
    const channel = asClient.channel('changes');
    await new Promise<void>((resolve) => {
      channel
        .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, ({ new: row }) => told.push(row))
        .on('system', {}, () => resolve())
        .subscribe();
    });
    await server.database.asOwner(`update public.sales set referred_contact_phone = '0600000000'`);
    await expect.poll(() => told).toMatchObject([{ friend_referrer_id: client.id }]);
    await asClient.removeAllChannels();
  },
  async 'Changes without a session'() {
    const channel = visitor.channel('rien');
    const said = await new Promise<string>((resolve) => {
      channel
        .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, () => resolve('change'))
        .on('system', {}, ({ status }: { readonly status: string }) => resolve(status))
        .subscribe();
    });
    expect(said).toBe('error');
    await visitor.removeAllChannels();
  },
};

async function joined(from: SupabaseClient, topic: string): Promise<string> {
  const channel = from.channel(topic, { config: { private: true } });
  const status = await new Promise<string>((resolve) => channel.subscribe((said) => resolve(said)));
  await from.removeChannel(channel);
  return status;
}

test.each(Object.entries(CHECKS))('[FX-47, DF-53] %s: as the page says', async (_, check) => check());

test('[FX-47] the page has a line for each difference that is driven here, and no other', async () => {
  const page = await readFile(new URL('../../docs/operations/official-client.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/^\| (?!what \||-)(?<what>[^|]+) \|/gmu)].map(({ groups }) => groups?.['what']);
  expect(lines).toEqual(Object.keys(CHECKS));
});
