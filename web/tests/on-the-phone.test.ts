import type { Worker } from '@playwright/test';
import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// UI-16: notifications, chosen in « Profil » and shown by the service worker. Push services are the server's tests to speak to:
// a browser without a screen reaches none, and grants no notification.

const server = realServer();
const openUrl = chromiumPages();

/** Stands in for what a browser without a screen lacks: the permission, and a subscription of its push service. */
async function withPush(permission: NotificationPermission) {
  const ecdh = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  const p256dh = Buffer.from(await crypto.subtle.exportKey('raw', ecdh.publicKey)).toString('base64url');
  const subscription = { endpoint: 'https://push.example/browser', keys: { p256dh, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } };
  return `
    let permission = '${permission === 'denied' ? 'denied' : 'default'}';
    window.asked = 0;
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => { window.asked += 1; return (permission = '${permission}'); };
    const given = ${JSON.stringify(subscription)};
    const subscription = { ...given, toJSON: () => given, unsubscribe: async () => localStorage.removeItem('pushed') };
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError('The subscription is none');
      localStorage.setItem('pushed', 'yes');
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => (localStorage.getItem('pushed') === null ? null : subscription);
  `;
}

async function openProfile(permission: NotificationPermission, options: { readonly userAgent?: string } = {}) {
  const script = await withPush(permission);
  const opened = await openUrl(`${server.origin()}/auth/login`, {
    ...options,
    viewport: { width: 360, height: 800 },
    prepare: async (page) => void (await page.addInitScript(script)),
  });
  const { page } = opened;
  await page.getByLabel('E-mail').fill(demoEmails.client);
  await page.getByLabel('Mot de passe', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
  await page.waitForURL('**/client/dashboard**');
  await page.goto(`${server.origin()}/client/dashboard?section=profil&carte=messages`);
  await expectPage(page.getByText('E-mails et téléphone')).toBeVisible();
  return opened;
}

async function client() {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const made = createClient(server.origin(), publishableKey, { auth: { persistSession: false } });
  await made.auth.signInWithPassword({ email: demoEmails.client, password: demoPassword });
  return made;
}
async function devices(): Promise<{ endpoint: string; is_current: boolean }[]> {
  const { data } = await (
    await client()
  ).functions.invoke<{ data: { devices: { endpoint: string; is_current: boolean }[] } }>('notices?action=phones', {
    method: 'GET',
  });
  return data?.data.devices ?? [];
}

const PHONE = 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36';

test(
  '[UI-16] « Recevoir sur ce téléphone » asks on the press alone, each topic is off until it is ticked, and signing out ends it',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openProfile('granted', { userAgent: PHONE });
    const receive = page.getByRole('button', { name: 'Recevoir sur ce téléphone' });
    await expectPage(receive).toBeVisible();
    expect(await page.evaluate('window.asked')).toBe(0);
    const topics = page.getByRole('checkbox', { name: 'Notification', exact: true });
    await expectPage(topics).toHaveCount(3);
    // No box is ticked for nothing: first a device that receives.
    for (const topic of await topics.all()) {
      await expectPage(topic).not.toBeChecked();
      await expectPage(topic).toBeDisabled();
    }
    await expectPage(page.getByText('aucun n’en reçoit encore')).toBeVisible();
    await expectNoOverflow(page);
    await receive.click();
    await expectPage(page.getByText('Activées', { exact: true })).toBeVisible();
    expect(await page.evaluate('window.asked')).toBe(1);
    await expectPage(page.getByText('Cochez « Notification » ci-dessus')).toBeVisible();
    await expectPage(page.getByText('aucun n’en reçoit encore')).toHaveCount(0);
    const payments = page.getByRole('group', { name: 'Demandes de paiement' }).getByRole('checkbox');
    await payments.check();
    await expectPage(page.getByText('Sans nom ni coordonnées')).toBeVisible();
    await page.reload();
    await expectPage(payments).toBeChecked();
    await expectPage(page.getByText('Activées', { exact: true })).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    expect((await devices()).map(({ endpoint }) => endpoint)).toEqual(['https://push.example/browser']);
    await page.getByRole('button', { name: 'Ne plus recevoir ici' }).click();
    await expectPage(receive).toBeVisible();
    expect(await devices()).toEqual([]);
    await receive.click();
    await expectPage(page.getByText('Activées', { exact: true })).toBeVisible();
    expect(await devices()).toHaveLength(1);
    await page.getByRole('button', { name: 'Déconnexion' }).first().click();
    await page.waitForURL('**/auth/**');
    await expect.poll(devices).toEqual([]);
    expect(errors).toEqual([]);
  },
);

test('[UI-16] a browser that refuses is told where to allow it, and an iPhone’s to come to the home screen first', async () => {
  const { page } = await openProfile('denied');
  await expectPage(page.getByText('Votre navigateur refuse les notifications de ce site.')).toBeVisible();
  await expectPage(page.getByRole('button', { name: /^Recevoir sur/u })).toHaveCount(0);
  await expectPage(page.getByText('aucun n’en reçoit encore')).toBeVisible();
  await expectPage(page.getByRole('checkbox', { name: 'Notification', exact: true }).first()).toBeDisabled();
  await page.addInitScript('delete window.PushManager');
  await page.reload();
  await expectPage(page.getByText('Ce navigateur ne sait pas recevoir de notifications.')).toBeVisible();
  await page.addInitScript(
    `Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1' })`,
  );
  await page.reload();
  await expectPage(page.getByText('ajoutez d’abord cette page à l’écran d’accueil')).toBeVisible();
});

test('[UI-16] two quick presses turn notifications on once; a browser that fails is said once', async () => {
  const { page } = await openProfile('granted');
  const sent: string[] = [];
  page.on('request', (request) => {
    const action = new URL(request.url()).searchParams.get('action') ?? '';
    if (request.method() === 'POST' && action.endsWith('subscribe')) sent.push(action);
  });
  const receive = page.getByRole('button', { name: 'Recevoir sur cet appareil' });
  await receive.evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await expectPage(page.getByText('Activées', { exact: true })).toBeVisible();
  expect(sent).toEqual(['subscribe']);
  await page.getByRole('button', { name: 'Ne plus recevoir ici' }).click();
  await receive.waitFor();
  await page.evaluate(`PushManager.prototype.subscribe = async () => { throw new Error('No push service'); }; void 0`);
  await receive.click();
  const said = page.getByRole('region', { name: 'Notifications' }).getByText('Votre navigateur n’a pas pu le faire');
  await expectPage(said.first()).toHaveText('Votre navigateur n’a pas pu le faire. Réessayez, ou essayez-en un autre.');
});

test('[UI-16] the service worker shows a push, opens its page and no other site’s, tells of a new address, and touches no request', async () => {
  const { page } = await openUrl(`${server.origin()}/auth/login`);
  const coming = page.context().waitForEvent('serviceworker');
  await page.evaluate(
    `navigator.serviceWorker.register('/push.js').then(() => navigator.serviceWorker.ready).then(() => {})`,
  );
  const worker: Worker = await coming;
  await worker.evaluate(`
    self.shown = []; self.opened = []; self.told = [];
    self.registration.showNotification = async (title, options) => void self.shown.push({ title, ...options });
    self.clients.openWindow = async (url) => void self.opened.push(url);
    void 0`);
  const cdp = await page.context().newCDPSession(page);
  const registration = new Promise<string>((found) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) found(first.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  const registrationId = await registration;
  const push = (data: string) =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin: server.origin(), registrationId, data });
  const url = '/client/dashboard?section=demandes-de-paiement&demande=1';
  await push(JSON.stringify({ title: 'Votre argent est parti', body: '37,50 €', url, tag: 'a' }));
  await push('not JSON');
  await expect
    .poll(() => worker.evaluate('self.shown'))
    .toMatchObject([
      { title: 'Votre argent est parti', body: '37,50 €', tag: 'a', lang: 'fr', data: { url } },
      { title: 'Du nouveau dans votre espace' },
    ]);

  const press = (address: string) =>
    worker.evaluate((target) => {
      const event = new Event('notificationclick');
      Object.assign(event, {
        notification: { close: () => undefined, data: { url: target } },
        waitUntil: () => undefined,
      });
      self.dispatchEvent(event);
    }, address);
  for (const address of [url, 'https://ailleurs.example/', '//ailleurs.example/x', 'javascript:alert(1)'])
    await press(address);
  await expect
    .poll(() => worker.evaluate('self.opened'))
    .toEqual([`${server.origin()}${url}`, ...Array.from({ length: 3 }, () => server.origin())]);

  // Another address: told with what the page kept, and kept in its turn.
  await worker.evaluate(`(async () => {
    const cache = await caches.open('push');
    await cache.put('/push.js', new Response(JSON.stringify({ subscription: { endpoint: 'https://push.example/1', keys: { auth: 'a' } }, key: 'k' })));
    self.registration.pushManager.constructor.prototype.subscribe = async ({ applicationServerKey }) => ({ endpoint: 'https://push.example/2', applicationServerKey });
    const get = self.fetch;
    self.fetch = async (address, options) => options === undefined ? get(address) : (self.told.push({ address, ...options, body: JSON.parse(options.body) }), new Response());
    const event = new Event('pushsubscriptionchange');
    event.waitUntil = () => undefined;
    self.dispatchEvent(event);
  })()`);
  await expect
    .poll(() => worker.evaluate('self.told'))
    .toMatchObject([
      {
        address: '/functions/v1/phone-renewal',
        headers: { apikey: expect.stringMatching(/^sb_publishable_/u) as string },
        body: {
          former: { endpoint: 'https://push.example/1', keys: { auth: 'a' } },
          subscription: { endpoint: 'https://push.example/2', applicationServerKey: 'k' },
        },
      },
    ]);
  await expect
    .poll(() =>
      worker.evaluate(
        `caches.open('push').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => new URL(url).pathname))`,
      ),
    )
    .toEqual(['/push.js']);

  // Requests go by the worker: no answer comes from it.
  const answer = await page.goto(`${server.origin()}/auth/login`);
  expect(answer?.fromServiceWorker()).toBe(false);
  const text = await (await fetch(`${server.origin()}/push.js`)).text();
  expect(text).not.toMatch(/'fetch'|importScripts/u);
});
