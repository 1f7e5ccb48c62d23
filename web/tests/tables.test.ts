import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { chromiumPages } from './chromium.ts';
import { dashboards, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What assistive technology is told of the lists: a row has a name, as a column has.

const server = realServer({ mail: false });
const { openAs } = dashboards(server.origin, chromiumPages());

/** The rows of tables that no cell names. */
const unnamedRows = (page: Page): Promise<readonly string[]> =>
  page
    .locator('main table tbody tr:not([aria-hidden])')
    .evaluateAll((rows) =>
      rows.filter((row) => row.querySelector('th[scope]') === null).map((row) => (row as HTMLElement).innerText),
    );

test.each([
  ['admin', ['Ventes', 'Validations', 'Demandes de Paiement', 'Journal', 'Contrôle des comptes', 'Messages envoyés']],
  ['client', ['Mes Parrainages', 'Contrats Validés', 'Mes Commissions', 'Demandes de Paiement']],
] as const)('[E-01] each row of the lists of the %s has a header of its own', async (role, sections) => {
  const { page, errors } = await openAs(role, demoEmails[role]);
  for (const section of sections) {
    await pickSection(page, section);
    await sectionStands(page, section);
    expect([section, await unnamedRows(page)]).toEqual([section, []]);
  }
  expect(errors).toEqual([]);
});
