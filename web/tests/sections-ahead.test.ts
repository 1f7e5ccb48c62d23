import type { Page, Request } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, menuItem, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

describe('a section of which nothing was seen yet', () => {
  const server = realServer();
  const { openAs } = dashboards(server.origin, chromiumPages());

  test('[R-01] its code is fetched while the browser has nothing else to do: cut off from the server, it still opens', async () => {
    const { page } = await openAs('commercial', demoEmails.commercial);
    // One after the other, in the menu's order: once the last one comes, those before are whole.
    await codeOf(page, 'reseau');
    await page.context().setOffline(true);
    await open(page, 'Mes Clients');
    await expectPage(page.getByRole('heading', { level: 2, name: 'Mes Clients' })).toBeVisible();
    await page.context().close();
  });

  for (const [role, words] of [
    ['admin', ['Commerciaux', 'Clients', 'Ventes', 'Commissions', 'Validations', 'Demandes de Paiement']],
    ['commercial', ['Mes Clients', "Contrats d'affiliation"]],
    ['client', ['Contrats Validés', 'Mes Commissions', 'Demandes de Paiement']],
  ] as const)
    test(
      `[R-01] the ${role}’s pointer over a section’s word asks for its rows, and the press does not ask again`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const asked: string[] = [];
        const unanswered = new Set<Request>();
        const { page } = await openAs(role, demoEmails[role], {
          prepare: async (opened) => {
            opened.on('request', (request) => {
              const url = new URL(request.url());
              if (!url.pathname.startsWith('/rest/v1/')) return;
              asked.push(url.pathname + url.search);
              unanswered.add(request);
            });
            opened.on('requestfinished', (request) => unanswered.delete(request));
            opened.on('requestfailed', (request) => unanswered.delete(request));
          },
        });
        const allAnswered = () => expectPage.poll(() => unanswered.size).toBe(0);
        await page.getByRole('navigation', { name: 'Sections' }).first().waitFor();
        // The figures are read again once the server tells of changes, and so is what was asked ahead before that.
        const figures = `/rest/v1/rpc/${role}_figures`;
        await expect.poll(() => asked.filter((address) => address.startsWith(figures)).length).toBe(2);
        await page.waitForLoadState('networkidle');
        for (const word of words) {
          asked.length = 0;
          await item(page, word).hover();
          await expect.poll(() => asked.filter(isListOfRows).length).toBeGreaterThan(0);
          await allAnswered();
          const ahead = asked.filter(isListOfRows);
          asked.length = 0;
          await open(page, word);
          await sectionStands(page, word);
          // The server answers: what was asked before has been seen.
          await page.evaluate(async () => void (await fetch('/health')));
          await allAnswered();
          // Neither the same rows nor others of that list: what was asked ahead is what the section opens with.
          const lists = new Set(ahead.map(pathOf));
          expect({
            word,
            again: asked.filter((address) => isListOfRows(address) && lists.has(pathOf(address))),
          }).toEqual({
            word,
            again: [],
          });
        }
        await page.context().close();
      },
    );

  test('[R-01] a press that comes with the pointer: the first section’s rows are asked for before it is drawn', async () => {
    const { page } = await openAs('admin', demoEmails.admin);
    // One after the other: once this one has come, those before are known.
    await codeOf(page, 'journal');
    await page.evaluate(() => {
      const { fetch } = globalThis;
      const asked: { path: string; under: string | null | undefined }[] = [];
      Object.assign(globalThis, { asked });
      globalThis.fetch = (input, options) => {
        const { pathname: path } = new URL(input instanceof Request ? input.url : input, location.href);
        asked.push({ path, under: document.querySelector('main h2')?.textContent });
        return fetch(input, options);
      };
    });
    await item(page, 'Ventes').evaluate(async (word: HTMLElement) => {
      word.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      // No task in between, as where the press is there before the page has heeded the pointer.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      word.click();
    });
    await sectionStands(page, 'Ventes');
    const asked = await page.evaluate(
      () => (globalThis as unknown as { asked: { path: string; under: string }[] }).asked,
    );
    expect(asked.filter(({ path }) => path === '/rest/v1/sales')).toEqual([
      { path: '/rest/v1/sales', under: "Vue d'ensemble" },
    ]);
    await page.context().close();
  });

  test.each([
    ['Ventes', 'Filtrer par commercial', 'role=eq.commercial'],
    ['Journal', 'Filtrer par auteur', 'role=eq.admin'],
  ])('[R-01] « %s » asks for the names under « %s » once the focus comes to it', async (word, label, names) => {
    const asked: string[] = [];
    const { page } = await openAs('admin', demoEmails.admin, {
      prepare: async (opened) => void opened.on('request', (request) => asked.push(request.url())),
    });
    const namesAsked = () => asked.filter((url) => url.includes('/rest/v1/profiles?') && url.includes(names)).length;
    await pickSection(page, word);
    await sectionStands(page, word);
    await page.locator('main :is(tbody tr, article, section li)').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(namesAsked()).toBe(0);
    await page.getByRole('combobox', { name: label }).focus();
    await expect.poll(namesAsked).toBe(1);
    await page.context().close();
  });

  test('[R-01] a dashboard asks who it is for, and for the company’s settings, once', async () => {
    const asked: string[] = [];
    const { page } = await openAs('admin', demoEmails.admin, {
      prepare: async (opened) => void opened.on('request', (request) => asked.push(request.url())),
    });
    const times = (part: string) => asked.filter((url) => url.includes(part)).length;
    // The figures are read again once the server tells of changes: all that a first load asks for was asked for before.
    await expect.poll(() => times('/rpc/admin_figures')).toBe(2);
    await page.waitForLoadState('networkidle');
    expect(times('/profiles?select=id%2Cfull_name%2Cemail%2Cphone%2Crole&id=')).toBe(1);
    expect(times('company-settings?action=get')).toBe(1);
    await page.context().close();
  });

  test('[R-01] code that could not be fetched ahead is fetched where it is needed', async () => {
    const code = /\/assets\/mes-clients-[\w-]+\.js$/u;
    const failed = Promise.withResolvers<void>();
    const { page } = await openAs('commercial', demoEmails.commercial, {
      prepare: async (opened) => {
        opened.on('requestfailed', (request) => code.test(request.url()) && failed.resolve());
        await opened.route(code, (route) => route.abort());
      },
    });
    await page.getByRole('article').first().waitFor();
    await failed.promise;
    await page.unroute(code);
    await open(page, 'Mes Clients');
    await expectPage(page.getByRole('heading', { level: 2, name: 'Mes Clients' })).toBeVisible();
    await expectPage(page.getByRole('table', { name: 'Clients invités' }).getByRole('row').nth(1)).toBeVisible();
    await page.context().close();
  });

  test('[R-01] a press draws the section that was seen before at one go: no frame shows the one that is left', async () => {
    const { page } = await openAs('commercial', demoEmails.commercial);
    for (const word of ['Mes Clients', 'Parrainages reçus']) {
      await open(page, word);
      await sectionStands(page, word);
      await page.locator('main :is(tr, article)').first().waitFor();
    }
    await page.evaluate(() => {
      const left = document.querySelector('main h2');
      const noted = { frames: 0, isDrawn: false };
      Object.assign(globalThis, { noted });
      const look = () => {
        noted.isDrawn = left?.isConnected === false;
        if (noted.isDrawn) return;
        noted.frames += 1;
        requestAnimationFrame(look);
      };
      addEventListener('click', () => requestAnimationFrame(look), { once: true, capture: true });
    });
    await open(page, 'Mes Clients');
    await sectionStands(page, 'Mes Clients');
    const noted = () => page.evaluate(() => (globalThis as unknown as { noted: object }).noted);
    await expect.poll(noted).toEqual({ frames: 0, isDrawn: true });
    await page.context().close();
  });
});

/** Resolves once the file of that name has come. */
async function codeOf(page: Page, name: string): Promise<void> {
  await page.waitForFunction(
    (start) =>
      performance
        .getEntriesByType('resource')
        .some(
          (entry) => entry.name.includes(`/assets/${start}-`) && (entry as PerformanceResourceTiming).responseEnd > 0,
        ),
    name,
  );
}

function item(page: Page, word: string) {
  return menuItem(page.getByRole('navigation', { name: 'Sections' }).first(), word);
}

async function open(page: Page, word: string): Promise<void> {
  await item(page, word).click();
}

/** A read of a list's rows; its count, its totals and what stands around it are others. */
function isListOfRows(address: string): boolean {
  return address.includes('limit=') && !address.includes('/rpc/');
}

function pathOf(address: string): string {
  return new URL(address, 'http://localhost').pathname;
}
