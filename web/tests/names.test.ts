import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, menuItem, openSection, pickSection, sectionsOf } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The accessibility tree of every section, as Chromium gives it to a screen reader or to whoever speaks to the computer.

const server = realServer({ mail: false });
const { openAs, read } = dashboards(server.origin, chromiumPages());

interface Node {
  readonly role: string;
  readonly name: string;
  readonly children: readonly Node[];
}

/** The tree under `<main>` as Playwright reads it: lines « - role "name" » under one another. */
async function treeOf(page: Page, within = 'main'): Promise<Node> {
  const root = { role: 'main', name: '', children: [] as Node[] };
  const open: { readonly depth: number; readonly children: Node[] }[] = [{ depth: -1, children: root.children }];
  for (const line of (await page.locator(within).ariaSnapshot()).split('\n')) {
    const found = /^(?<indent> *)- (?<role>[a-z]+)(?: "(?<name>(?:[^"\\]|\\.)*)")?/u.exec(
      line.replace(/- '(.*)'(:?)$/u, '- $1$2'),
    );
    const { indent = '', role, name = '' } = found?.groups ?? {};
    if (role === undefined) continue;
    const node = { role, name, children: [] as Node[] };
    while ((open.at(-1)?.depth ?? -1) >= indent.length) open.pop();
    open.at(-1)?.children.push(node);
    open.push({ depth: indent.length, children: node.children });
  }
  return root;
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** Faults of a page: buttons that share a name or have none, and rows that no header names; two people may have one name. */
async function faultsOf(page: Page, people: readonly string[]): Promise<string[]> {
  const rows = [...nodesOf(await treeOf(page))].filter(
    ({ role, children }) => role === 'row' && children.some((child) => child.role === 'cell'),
  );
  const controls = await page.evaluate(controlsInSight);
  const buttons = controls.filter(({ isButton }) => isButton).map(({ name }) => name);
  const twice = buttons.filter((name, at) => buttons.indexOf(name) !== at && !people.some((one) => name.includes(one)));
  return [
    ...buttons.filter((name) => name === '').map(() => 'a button without a name'),
    ...new Set(twice.map((name) => `twice: ${name}`)),
    ...rows
      .filter(({ children }) => children.every(({ role }) => role !== 'rowheader'))
      .map(({ name }) => `no header: ${name}`),
    // The voice command « Cliquer sur Valider » is not understood where the name has other words.
    ...controls.flatMap(({ plain, words }) =>
      words.filter((word) => !plain.includes(word)).map((word) => `« ${word} » is not in « ${plain} »`),
    ),
  ];
}

/** Buttons and links with the name that is heard, its description, and the words in sight. A list's choice is its value, no name. */
function controlsInSight() {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const textOf = (element: Element, isWanted: (parent: Element) => boolean) => {
    const parts: string[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, nodeValue } = walker.currentNode;
      if (parentElement?.checkVisibility() && isWanted(parentElement)) parts.push(nodeValue ?? '');
    }
    return parts;
  };
  const shown = [...document.querySelectorAll('main :is(button, a[href]), nav :is(button, a[href])')].filter(
    (control) =>
      control.checkVisibility() && control.closest('[aria-hidden="true"]') === null && control.role !== 'combobox',
  );
  return shown.map((control) => {
    const heard =
      control.getAttribute('aria-label') ??
      textOf(control, (parent) => parent.closest('[aria-hidden="true"]') === null)
        .join(' ')
        .replaceAll(/\s+/gu, ' ')
        .trim();
    const described = (control.getAttribute('aria-describedby') ?? '').split(' ');
    return {
      isButton: control.localName === 'button' && control.closest('main') !== null,
      name: [heard, ...described.map((id) => document.getElementById(id)?.textContent ?? '')].join(' ').trim(),
      plain: plain(heard),
      words: textOf(control, (parent) => parent.closest('.sr-only') === null).map(plain),
    };
  });
}

describe('what a screen reader is given', () => {
  for (const role of ['admin', 'commercial', 'client'] as const)
    test(
      `[DF-84] ${role}: in every section each button has a name of its own with its visible word, each row its header`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const { page, errors } = await openAs(role, demoEmails[role], { viewport: { width: 1280, height: 900 } });
        const sections = await sectionsOf(page, role);
        const people = [
          ...(await read<{ name: string }>(demoEmails.admin, 'profiles?select=name:full_name')),
          ...(await read<{ name: string }>(demoEmails.admin, 'sales?select=name:referred_contact_name')),
        ].map(({ name }) => name);
        const faults: Record<string, string[]> = {};
        for (const section of sections) {
          await pickSection(page, section);
          await page.getByRole('heading', { level: 2, name: section }).waitFor();
          await expectPage(page.getByRole('main').getByText(/^Chargement/u)).toHaveCount(0);
          const found = await faultsOf(page, people);
          if (found.length > 0) faults[section] = found;
        }
        expect(faults).toEqual({});
        // Every section is a link, for a new tab.
        const menu = page.getByRole('navigation', { name: 'Sections' }).first();
        expect(await menu.getByRole('button').count()).toBe(0);
        for (const link of await menuItem(menu).all())
          expect(await link.getAttribute('href')).toMatch(new RegExp(`^/${role}/dashboard\\?section=`, 'u'));
        expect(errors).toEqual([]);
        await page.context().close();
      },
    );

  test('[DF-84] a dialog, a confirmation and a panel say that the page behind them is out of reach', async () => {
    const { page } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 900 } });
    await openSection(page, 'Demandes de Paiement');
    const modal = page.locator(':is([role="dialog"], [role="alertdialog"])[aria-modal="true"]');
    const main = page.getByRole('main');
    for (const opener of [/^Refuser la demande d/u, /^Approuver la demande d/u]) {
      await main.getByRole('button', { name: opener }).first().press('Enter');
      await expectPage(modal).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expectPage(modal).toHaveCount(0);
    }
    await main.locator('tbody [data-row]').first().press('Enter');
    await expectPage(modal).toHaveCount(1);
    await page.context().close();
  });

  test('[DF-84] an amount is heard as « 50,00 € », and an empty one as none', async () => {
    const { page } = await openAs('client', demoEmails.client, { viewport: { width: 1280, height: 900 } });
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    const amount = page.getByRole('dialog').getByRole('spinbutton', { name: 'Montant' });
    await amount.fill('');
    await expectPage(amount).toHaveAttribute('aria-valuetext', 'Aucun montant');
    await amount.fill('50,5');
    await expectPage(amount).toHaveAttribute('aria-valuetext', '50,50 €');
    await page.context().close();
  });

  test('[DF-84] a row of the network has a link that a finger finds, and Escape leads back to the row', async () => {
    const { page } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 900 } });
    await openSection(page, 'Réseau');
    const row = page.getByRole('treeitem').nth(1);
    await row.focus();
    const name = await row.evaluate((element) => element.querySelector('[data-row]')?.textContent ?? '');
    await expectPage(row.getByRole('link', { name, exact: true })).toHaveCount(1);
    await row.press('Enter');
    await expectPage(page.getByRole('dialog', { name })).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('treeitem').nth(1)).toBeFocused();
    await page.context().close();
  });
});
