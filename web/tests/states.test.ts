import type { Locator, Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What is chosen, current or under the keyboard shows it: 3:1 in both themes (WCAG 1.4.11), a frame in forced colours.

const server = realServer({ mail: false });
const { openAs } = dashboards(server.origin, chromiumPages());

const shadowOf = (place: Locator) => place.evaluate((element) => getComputedStyle(element).boxShadow);
const outlineOf = (place: Locator) =>
  place.evaluate((element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    return /, 0\)$|\/ 0\)$/u.test(outlineColor) ? 'none' : `${outlineStyle} ${outlineWidth}`;
  });

/** The contrast of the mark of a state, a shadow's colour, with the ground it stands on, as the browser mixes them. */
const contrastOfMark = (place: Locator) =>
  place.evaluate((element) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('no canvas');
    const luminance = (color: string) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const mark = getComputedStyle(element)
      .boxShadow.match(/[a-z]+\([^)]*\)/gu)
      ?.find((color) => !/, 0\)$|\/ 0\)$/u.test(color));
    let ground: Element | null = element;
    const clear = (of: Element) => /rgba\(0, 0, 0, 0\)|transparent/u.test(getComputedStyle(of).backgroundColor);
    while (ground !== null && clear(ground)) ground = ground.parentElement;
    if (mark === undefined || ground === null) return 0;
    const [one, other] = [luminance(mark), luminance(getComputedStyle(ground).backgroundColor)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  });

/** One place after the other where something is chosen, current or under the keyboard, with another one of its kind. */
async function eachState(page: Page, see: (what: string, on: Locator, off: Locator) => Promise<void>): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  await openSection(page, 'Clients');
  await see(
    'the section',
    menu.and(page.locator('[aria-current]')),
    menu.and(page.locator(':not([aria-current])')).first(),
  );
  const segments = page.getByRole('group', { name: /^Présentation/u }).locator('label');
  await see(
    'a segment',
    segments.filter({ has: page.locator(':checked') }),
    segments.filter({ hasNot: page.locator(':checked') }),
  );
  const options = page.locator('[role="option"]');
  await page.getByRole('combobox', { name: 'Filtrer par commercial' }).press('Enter');
  await expectPage(options.nth(1)).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await see(
    'a combobox',
    page.locator('[role="option"][data-highlighted]'),
    options.and(page.locator(':not([data-highlighted])')).first(),
  );
  await page.keyboard.press('Escape');
  await openSection(page, 'Ventes');
  await page.getByLabel('Filtrer par statut').press('Enter');
  await page.keyboard.press('ArrowDown');
  await see(
    'a select',
    page.locator('[role="option"][data-highlighted]'),
    options.and(page.locator(':not([data-highlighted])')).first(),
  );
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Vues : Toutes les ventes' }).press('Enter');
  const entries = page.getByRole('menuitem');
  await expectPage(entries.and(page.locator('[data-highlighted]'))).toHaveCount(1);
  await see(
    'a menu',
    entries.and(page.locator('[data-highlighted]')),
    entries.and(page.locator(':not([data-highlighted])')).first(),
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expectPage(page.locator('[role="option"][data-highlighted]')).toHaveCount(1);
  await see(
    'the palette',
    page.locator('[role="option"][data-highlighted]'),
    options.and(page.locator(':not([data-highlighted])')).first(),
  );
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test(
    '[DF-81] the mark of each state is 3:1 on its ground, and others have none',
    { tags: colorScheme === 'light' ? [] : 'long' },
    async () => {
      const { page, errors } = await openAs('admin', demoEmails.admin, {
        colorScheme,
        viewport: { width: 1280, height: 800 },
      });
      await eachState(page, async (what, on, off) => {
        await expect.poll(() => contrastOfMark(on), { message: what }).toBeGreaterThanOrEqual(3);
        expect(await shadowOf(on)).not.toBe(await shadowOf(off));
      });
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

test(
  '[DF-81] in forced colours each state has a frame, and the slider of months is the system’s own',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, {
      forcedColors: 'active',
      viewport: { width: 1280, height: 800 },
    });
    const slider = page.getByRole('slider').first();
    await slider.waitFor();
    expect(await slider.evaluate((input) => getComputedStyle(input).appearance)).toBe('auto');
    await eachState(page, async (what, on, off) => {
      await expect.poll(() => outlineOf(on), { message: what }).toMatch(/^solid [24]px$/u);
      expect(await outlineOf(off)).not.toMatch(/^solid [24]px$/u);
    });
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
