import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Intégrations »: the company's keys, from the first to its revocation, with the real server behind them.

const server = realServer();
const { act, openAs } = dashboards(server.origin, chromiumPages());

const askWith = (key: string) =>
  fetch(`${server.origin()}/rest/v1/sales?select=id&limit=1`, { headers: { authorization: `Bearer ${key}` } });

describe('[WH-01] keys of the company', () => {
  test('an admin makes a key, sees it once, uses it, sees its last use, and revokes it; the trail names it', async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Intégrations');
    const card = page.getByRole('region', { name: 'Clés d’API' });
    await expectPage(card.getByText('Aucune clé pour le moment')).toBeVisible();
    await card.getByRole('button', { name: 'Créer une clé' }).click();
    const form = page.getByRole('dialog', { name: 'Créer une clé d’API' });
    await form.getByRole('button', { name: 'Créer la clé' }).click();
    await expectPage(form.getByText('Donnez un nom à cette clé')).toBeVisible();
    await form.getByLabel('Nom').fill('Logiciel de devis');
    await form.getByRole('checkbox', { name: 'Parrainages' }).check();
    expect(await brokenRules(page)).toEqual([]);
    await form.getByRole('button', { name: 'Créer la clé' }).click();
    const shown = page.getByRole('dialog', { name: 'Votre clé est prête' });
    await expectPage(shown).toBeVisible();
    const key = await shown.locator('code').innerText();
    expect(key).toMatch(/^prk_[\w-]{43}$/u);
    expect(await brokenRules(page)).toEqual([]);
    await shown.getByRole('button', { name: 'C’est copié' }).click();
    await expectPage(shown).toHaveCount(0);
    const line = card.getByRole('listitem').filter({ hasText: 'Logiciel de devis' });
    await expectPage(line).toContainText('Lecture, Parrainages');
    await expectPage(line).toContainText('Jamais utilisée');
    expect(await page.content()).not.toContain(key.slice(12));

    expect((await askWith(key)).status).toBe(200);
    await page.reload();
    await expectPage(line).toContainText('Dernière utilisation le');
    expect(await brokenRules(page)).toEqual([]);
    for (const width of [1280, 900, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoOverflow(page);
    }
    await line.getByRole('button', { name: 'Révoquer la clé Logiciel de devis' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Révoquer la clé' }).click();
    await expectPage(line).toContainText('Révoquée');
    expect((await askWith(key)).status).toBe(401);

    await page.setViewportSize({ width: 1280, height: 800 });
    await openSection(page, 'Journal');
    await expectPage(page.getByText('a révoqué la clé d’API « Logiciel de devis »')).toBeVisible();
    await expectPage(page.getByText('a créé la clé d’API « Logiciel de devis »')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('[WH-03] contracts of other tools', () => {
  test(
    'a contract that a CRM sends stands in Ventes, found by its reference, which its panel shows',
    { tags: 'long' },
    async () => {
      const made = await act<{ key: string }>(demoEmails.admin, 'api-keys', {
        action: 'create',
        name: 'CRM',
        scopes: ['referrals'],
      });
      const reply = await fetch(`${server.origin()}/functions/v1/receive-referral`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          source: 'mon-crm',
          reference: 'DEV-2026-0042',
          referrer_email: demoEmails.client,
          name: 'Jeanne Recommandée',
          email: 'jeanne.recommandee@example.fr',
          status: 'contacted',
        }),
      });
      expect([reply.status, await reply.json()]).toMatchObject([201, { created: true }]);
      const { page, errors } = await openAs('admin', demoEmails.admin);
      await openSection(page, 'Ventes');
      await page.getByRole('searchbox').first().fill('DEV-2026-0042');
      const row = page.getByRole('row').filter({ hasText: 'Jeanne Recommandée' });
      await expectPage(page.getByRole('row')).toHaveCount(2);
      await row.getByRole('link').first().click();
      const panel = page.getByRole('dialog', { name: 'Jeanne Recommandée' });
      await expectPage(panel.getByText('Référence dans mon-crm')).toBeVisible();
      await expectPage(panel.getByText('DEV-2026-0042')).toBeVisible();
      await expectPage(panel.getByText('Clé « CRM »').first()).toBeVisible();
      expect(await brokenRules(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});
