import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAgreedPlatform, type AgreedPlatform } from '../../server/src/testing/agreed-platform.ts';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// EI-01, EI-02: the admin links a plateforme agréée, on a server of its own beside a platform of this machine.

const server = realServer({ mail: false });
const { act, openAs } = dashboards(server.origin, chromiumPages());
const SIREN = '732829320';
/** Longer than the server waits for a platform. */
const SLOW = { timeout: 25_000 };

let platform: AgreedPlatform;
beforeAll(async () => {
  platform = await startAgreedPlatform(SIREN);
});
afterAll(() => platform.close());

const labels = {
  flow_url: 'Adresse du service des flux',
  directory_url: 'Adresse du service de l’annuaire',
  token_url: 'Adresse des jetons (OAuth2)',
  client_id: 'Identifiant',
  client_secret: 'Secret',
} as const;

test('[EI-01] what is wrong with a platform is said beside its field, what is typed stays, and a good one is linked', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 740 } });
  await openSection(page, 'Comptabilité');
  await page.getByRole('button', { name: 'Relier une plateforme' }).click();
  const dialog = page.getByRole('dialog', { name: 'Relier une plateforme agréée' });
  const field = (name: keyof typeof labels) => dialog.getByLabel(labels[name], { exact: true });
  const save = dialog.getByRole('button', { name: 'Essayer et enregistrer' });
  const fill = async (changes: Partial<Record<keyof typeof labels, string>>): Promise<void> => {
    for (const name of Object.keys(labels) as (keyof typeof labels)[]) {
      const value = changes[name];
      if (value !== undefined) await field(name).fill(value);
    }
  };
  const expectSaid = async (name: keyof typeof labels, words: string): Promise<void> => {
    await expectPage(field(name)).toHaveAccessibleDescription(new RegExp(words, 'u'), SLOW);
    await expectPage(field(name)).toHaveAttribute('aria-invalid', 'true');
  };
  await save.click();
  for (const name of ['flow_url', 'directory_url', 'token_url', 'client_id'] as const)
    await expectPage(field(name)).toHaveAttribute('aria-invalid', 'true');
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await fill(platform.access);
  // The directory is asked about the company, which has no SIREN yet.
  await save.click();
  await expectSaid('flow_url', 'SIREN');
  await act(demoEmails.admin, 'papers?action=update_company', {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat',
    street: '12 rue des Lilas',
    postal_code: '35000',
    city: 'Rennes',
    siren: SIREN,
    vat_number: 'FR44732829320',
  });
  await fill({ flow_url: `${platform.url}/ailleurs` });
  await save.click();
  await expectSaid('flow_url', 'ne connaît pas cette adresse');
  // Once, beside its field.
  await expectPage(dialog.getByText('ne connaît pas cette adresse')).toHaveCount(1);
  await expectPage(field('client_secret')).toHaveValue(platform.access.client_secret);
  await fill({ flow_url: platform.access.flow_url, client_secret: 'un autre' });
  await save.click();
  await expectSaid('client_id', 'refuse l’identifiant ou le secret');
  await fill({ client_secret: platform.access.client_secret });
  platform.isSilent = true;
  await save.click();
  // It stays while the platform is waited for.
  await expectPage(dialog.getByRole('button', { name: 'Annuler' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expectPage(dialog).toContainText('n’a pas répondu à temps', SLOW);
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  platform.isSilent = false;
  await save.click();
  await expectPage(dialog).toBeHidden();
  await expectPage(page.getByText('Dépôt automatique désactivé')).toBeVisible();
  await page.getByRole('button', { name: 'Activer le dépôt' }).click();
  await expectPage(page.getByText('Déposées automatiquement')).toBeVisible();
  await expectNoOverflow(page);
  // A refusal of the browser's own request is written to its console.
  expect(errors.filter((error) => !error.includes('400'))).toEqual([]);
  await page.context().close();
}, 120_000);
