import { ofName } from '@parrain/domain/of-name';
import type { Page, Route } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, mailName, menuItem, openSection, plain, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The dashboards while others act: the real server, the real pages, no reload.

const server = realServer({ mail: false });
const { act, decide, openAs, read, register } = dashboards(server.origin, chromiumPages());

const invite = (name: string) =>
  act<{ sale: { id: string } }>(demoEmails.client, 'send-invitation-email', {
    name,
    email: `${mailName(name)}@exemple.fr`,
  });
const saleOf = async (name: string): Promise<string> => {
  const [sale] = await read<{ id: string }>(
    demoEmails.admin,
    `sales?select=id&referred_contact_name=eq.${encodeURIComponent(name)}`,
  );
  return sale?.id ?? '';
};
const move = async (name: string, status: string, more: object = {}) =>
  act(demoEmails.commercial, 'sales-management', {
    action: 'update_status',
    sale_id: await saleOf(name),
    status,
    ...more,
  });

/** « Parrainages reçus » opens on those of today. */
const showAll = async (page: Page) => {
  await page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();
  await sectionStands(page, 'Parrainages reçus');
};

const noReload = async (page: Page): Promise<() => Promise<void>> => {
  await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
  return async () => expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true);
};

describe('a dashboard while somebody else acts', () => {
  test('[DF-07] a client without a commercial is told so, until the admin gives them one', async () => {
    const email = 'seule@exemple.fr';
    await register(email, 'Solène Seule');
    const [profile] = await read<{ id: string }>(demoEmails.admin, `profiles?select=id&email=eq.${email}`);
    const [commercial] = await read<{ id: string }>(
      demoEmails.admin,
      `profiles?select=id&email=eq.${demoEmails.commercial}`,
    );
    const { page, errors } = await openAs('client', email);
    const check = await noReload(page);
    await expectPage(page.getByText('Vous n’avez pas encore de commercial')).toBeVisible();
    await act(demoEmails.admin, 'assign-client', {
      client_id: profile?.id,
      commercial_id: commercial?.id,
      seen_commercial_id: null,
    });
    await expectPage(page.getByText('Vous n’avez pas encore de commercial')).toHaveCount(0);
    await expectPage(page.getByRole('button', { name: 'Inviter un ami' }).first()).toBeEnabled();
    await check();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[RT-01, X-06] the commercial is told of a new referral above a list that does not move, and shows it when asked', async () => {
    const { page, errors } = await openAs('commercial', demoEmails.commercial);
    await showAll(page);
    const check = await noReload(page);
    const first = await page.getByRole('article').first().getByRole('heading').innerText();
    const before = await countAt(page, 'Parrainages reçus');
    await invite('Ami Nouveau');
    await expectPage(badge(page, 'Parrainages reçus')).toContainText(String(before + 1));
    await expectPage(page.getByRole('button', { name: /^1.nouveauté – Actualiser$/u })).toBeVisible();
    await expectPage(page.getByRole('article').first().getByRole('heading')).toHaveText(first);
    await page.getByRole('button', { name: /nouveauté – Actualiser/u }).click();
    await expectPage(page.getByRole('article').first().getByRole('heading')).toHaveText('Ami Nouveau');
    await expectPage(page.getByRole('button', { name: /Actualiser/u })).toHaveCount(0);
    await check();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[RT-01, X-06] the client sees what becomes of the referral', async () => {
    await invite('Ami Suivi');
    const { page } = await openAs('client', demoEmails.client);
    const check = await noReload(page);
    const row = page.getByRole('row').filter({ hasText: 'Ami Suivi' });
    await expectPage(row).toContainText('En cours');
    await move('Ami Suivi', 'rejected');
    await expectPage(row).toContainText('Rejeté');
    await check();
    await page.context().close();
  });

  test('[RT-01] the client’s cards follow what is decided', async () => {
    await invite('Ami Signé');
    const { page } = await openAs('client', demoEmails.client);
    const figure = (label: string) => page.locator('dl').filter({ hasText: label }).locator('dd').first();
    await expectPage(figure('Contrats signés')).toHaveText(/^\d/u);
    const check = await noReload(page);
    const signed = Number(await figure('Contrats signés').innerText());
    const earned = await figure('Total commissions').innerText();
    await move('Ami Signé', 'pending_validation', { contract_amount: 1000, contract_description: 'Toiture' });
    await decide('sales-management', { action: 'validate', sale_id: await saleOf('Ami Signé') });
    await expectPage(figure('Contrats signés')).toHaveText(String(signed + 1));
    await expectPage(figure('Total commissions')).not.toHaveText(earned);
    await check();
    await page.context().close();
  });

  test('[RT-01, X-06] the admin’s figures, badges and rows follow; a row that changes keeps its place', async () => {
    await invite('Ami Compté');
    const { page } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Ventes');
    const check = await noReload(page);
    const row = page.getByRole('row').filter({ hasText: 'Ami Compté' });
    await row.waitFor();
    const waiting = await countAt(page, 'Validations');
    await move('Ami Compté', 'pending_validation', { contract_amount: 1200, contract_description: 'Toiture' });
    await expectPage(row).toContainText(/1.200,00/u);
    await expectPage(badge(page, 'Validations')).toContainText(String(waiting + 1));
    await expectPage(page.getByRole('button', { name: /Actualiser/u })).toHaveCount(0);
    await check();
    await page.context().close();
  });

  test('[RT-01] what the person does is shown at once, with no bar', async () => {
    await invite('Ami Rapide');
    const { page } = await openAs('commercial', demoEmails.commercial);
    await showAll(page);
    await page.getByRole('button', { name: `Mettre à jour le parrainage ${ofName('Ami Rapide')}` }).click();
    await page.getByRole('dialog').getByText('Contacté', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByRole('article').filter({ hasText: 'Ami Rapide' })).toContainText('Contacté');
    await expectPage(page.getByRole('button', { name: /Actualiser/u })).toHaveCount(0);
    // Changes come in their order: once the next one is told, what this person did has come too, and is not counted.
    await invite('Ami Suivant');
    await expectPage(page.getByRole('button', { name: /^1.nouveauté – Actualiser$/u })).toBeVisible();
    await page.context().close();
  });

  test('[RT-02] cut off, the page says so; back, it catches up by itself', async () => {
    const connected = Promise.withResolvers<void>();
    const awaited = new Set(['documents', 'toast-viewport']);
    const fetched = Promise.withResolvers<void>();
    const { page } = await openAs('commercial', demoEmails.commercial, {
      prepare: async (opened) => {
        opened.on('websocket', () => connected.resolve());
        opened.on('requestfinished', (request) => {
          for (const name of awaited) if (request.url().includes(`/assets/${name}-`)) awaited.delete(name);
          if (awaited.size === 0) fetched.resolve();
        });
      },
    });
    await page.getByRole('article').first().waitFor();
    await connected.promise;
    // A part whose code fails to come is brought by loading the page anew: these are fetched last.
    await fetched.promise;
    const check = await noReload(page);
    await page.context().setOffline(true);
    await expectPage(page.getByText('Hors ligne')).toBeVisible();
    await invite('Ami Manqué');
    await page.context().setOffline(false);
    await expectPage(page.getByText('Hors ligne')).toHaveCount(0);
    // A red one prints the page: whether the friend stands in the list, and how much is said to be new.
    await expectPage(page.getByRole('main')).toContainText(/1\s*nouveauté – Actualiser/u);
    await check();
    await page.context().close();
  });

  test('[RT-02][R-05] a page that lacks code after a cut is loaded anew, never under an open dialog', async () => {
    const asked = Promise.withResolvers<Route>();
    const { page } = await openAs('commercial', demoEmails.commercial, {
      prepare: async (opened) => {
        await opened.route(/toast-viewport/u, (route) => asked.resolve(route), { times: 1 });
      },
    });
    const held = await asked.promise;
    await showAll(page);
    await page
      .getByRole('button', { name: /^Mettre à jour le parrainage/u })
      .first()
      .click();
    const notes = page.getByRole('dialog').getByLabel('Notes');
    await notes.fill('Rappeler jeudi');
    const check = await noReload(page);
    await page.context().setOffline(true);
    await held.abort('internetdisconnected');
    await page.context().setOffline(false);
    const later = page.waitForEvent('load');
    await invite('Ami Attendu');
    // The page has read its list again by then.
    await expectPage(page.getByText('Hors ligne')).toHaveCount(0);
    await page.evaluate(async () => fetch('/config.json'));
    await expectPage(notes).toHaveValue('Rappeler jeudi');
    await check();
    await page.keyboard.press('Escape');
    await later;
    await expectPage(page.getByRole('article').first().getByRole('heading')).toHaveText('Ami Attendu');
    await page.context().close();
  });

  test('[RT-02][E-05] cut off after a reading that failed, the page gives one warning, not two', async () => {
    const connected = Promise.withResolvers<void>();
    const { page } = await openAs('commercial', demoEmails.commercial, {
      prepare: async (opened) => void opened.on('websocket', () => connected.resolve()),
    });
    await page.getByRole('article').first().waitFor();
    await connected.promise;
    await page.route('**/rest/v1/**', (route) => route.abort());
    await invite('Ami Illisible');
    await expectPage(page.getByText('La mise à jour a échoué')).toBeVisible();
    await page.context().setOffline(true);
    await expectPage(page.getByText('Hors ligne')).toBeVisible();
    await expectPage(page.getByText('La mise à jour a échoué')).toHaveCount(0);
    await page.context().close();
  });

  test(
    '[RT-02] cut off before its code had come, the page brings it once it is back, and is live',
    { tags: 'long' },
    async () => {
      const { page } = await openAs('commercial', demoEmails.commercial, {
        // What waits for an idle browser waits for us.
        prepare: async (opened) =>
          void (await opened.addInitScript(() => {
            const waiting: IdleRequestCallback[] = [];
            Object.assign(globalThis, {
              waiting,
              requestIdleCallback: (work: IdleRequestCallback) => waiting.push(work),
            });
          })),
      });
      await page.getByRole('article').first().waitFor();
      // A part of the screen that was cut off on its way would have the page loaded anew, with nothing new to tell.
      await page.waitForLoadState('networkidle');
      await page.context().setOffline(true);
      await expectPage(page.getByText('Hors ligne')).toBeVisible();
      await page.evaluate(() => {
        const { waiting } = globalThis as unknown as { waiting: ((deadline: object) => void)[] };
        for (const work of waiting) work({});
      });
      await invite('Ami Rattrapé');
      const socket = page.waitForEvent('websocket');
      await page.context().setOffline(false);
      await socket;
      await expectPage(page.getByRole('button', { name: /nouveautés? – Actualiser/u })).toBeVisible();
      await page.context().close();
    },
  );

  test(
    '[RT-02] where nothing lets a WebSocket through, the page asks by itself, and is not said to be offline',
    { tags: 'long' },
    async () => {
      let refused = 0;
      const { page } = await openAs('commercial', demoEmails.commercial, {
        prepare: (opened) =>
          opened.routeWebSocket(/realtime/u, (socket) => {
            refused += 1;
            void socket.close();
          }),
      });
      await page.getByRole('article').first().waitFor();
      // It has tried again by then.
      await expect.poll(() => refused).toBeGreaterThanOrEqual(3);
      await invite('Ami Lent');
      await expectPage(page.getByRole('button', { name: /nouveautés? – Actualiser/u })).toBeVisible();
      await expectPage(page.getByText('Hors ligne')).toHaveCount(0);
      await page.context().close();
    },
  );
});

/** The count beside a section's word, once it is read. */
async function countAt(page: Page, section: string): Promise<number> {
  await expectPage(badge(page, section)).toContainText(/\d/u);
  return Number(/\d+/u.exec(plain(await badge(page, section).innerText()))?.[0]);
}

function badge(page: Page, section: string) {
  return menuItem(page.getByRole('navigation', { name: 'Sections' }).first(), section);
}
