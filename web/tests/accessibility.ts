import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The rules of WCAG 2.2 AA and RGAA 4 that a page breaks, each with where; none is what a test wants. */
export async function brokenRules(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'RGAAv4', 'best-practice'])
    .analyze();
  return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' ')}`);
}
