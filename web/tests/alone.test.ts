import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection, ownPassword } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// A client who registers by themselves, from the form of registration to the first friend: their screens and the admin's.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);

async function expectSound(page: Page): Promise<void> {
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
}

describe('a client who registers alone', () => {
  for (const [width, name] of [
    [1280, 'Solène Seule'],
    [360, 'Maximilienne de la Rochefoucauld-Montbel'],
  ] as const)
    test(
      `[DF-06] at ${width} px asks for a commercial; the admin reads it, gives one, and the first friend is invited`,
      { tags: width === 360 ? [] : 'long' },
      async () => {
        const viewport = { width, height: 800 };
        const email = `alone-${width}@exemple.fr`;
        const { page, errors } = await openUrl(`${server.origin()}/auth/register`, { viewport });
        await page.getByLabel('Nom complet').fill(name);
        await page.getByLabel('E-mail').fill(email);
        await page.getByLabel('Mot de passe', { exact: true }).fill(ownPassword);
        await page.getByLabel('Confirmer le mot de passe', { exact: true }).fill(ownPassword);
        await page.getByRole('button', { name: 'Créer mon compte' }).click();
        await page.waitForURL('**/auth/login*');
        await page.getByLabel('E-mail').fill(email);
        await page.getByLabel('Mot de passe', { exact: true }).fill(ownPassword);
        await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
        await page.waitForURL('**/client/dashboard');
        const alone = page.getByRole('status').filter({ hasText: 'Vous n’avez pas encore de commercial' });
        await expectPage(alone).toBeVisible();
        await expectSound(page);
        await alone.getByRole('button', { name: 'Demander un commercial' }).click();
        await expectPage(alone).toContainText(/Demandé le .* l’entreprise est prévenue/u);
        await expectPage(alone.getByRole('button')).toHaveCount(0);
        await page.reload();
        await expectPage(alone).toContainText('Demandé le');

        const { page: admin, errors: adminErrors } = await openAs('admin', demoEmails.admin, { viewport });
        await admin.getByRole('button', { name: /^Notifications/u }).click();
        const news = admin.getByRole('dialog', { name: 'Notifications' });
        await expectPage(news.getByText(`${name} s’est inscrit sans commercial`)).toBeVisible();
        await news.getByText(`${name} demande un commercial`).click();
        const panel = admin.getByRole('dialog', { name });
        await expectPage(panel).toBeVisible();
        await expectSound(admin);
        await panel.getByRole('button', { name: 'Confier à un commercial' }).click();
        const choice = admin.getByRole('alertdialog');
        await choice.getByRole('combobox').click();
        await admin.getByRole('option', { name: /^Julien Mercier/u }).click();
        await choice.getByRole('button', { name: /^Confier/u }).click();
        await expectPage(panel.getByRole('link', { name: 'Julien Mercier' }).first()).toBeVisible();

        // Their open page is told.
        await expectPage(alone).toHaveCount(0);
        await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
        const form = page.getByRole('dialog', { name: 'Inviter un ami' });
        await form.getByLabel('Nom de votre ami').fill('Ami Premier');
        await form.getByLabel('E-mail de votre ami').fill(`ami-${width}@exemple.fr`);
        await form.locator('button[type="submit"], button[form]').last().click();
        await expectPage(page.getByText('Ami Premier').first()).toBeVisible();
        expect([...errors, ...adminErrors]).toEqual([]);
        await page.context().close();
        await admin.context().close();
      },
    );

  test(
    '[DF-06] the company’s settings give new clients to one commercial, chosen by the keyboard, or to each in turn',
    { tags: 'long' },
    async () => {
      const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
      await openSection(page, 'Réglages');
      const form = page.getByRole('form', { name: 'Nouveaux clients' });
      await form.getByRole('radio', { name: 'À un commercial' }).check();
      await form.getByRole('button', { name: 'Appliquer l’attribution' }).click();
      await expectPage(form.getByText('Choisissez le commercial qui les reçoit.')).toBeVisible();
      await form.getByRole('combobox', { name: 'Commercial qui les reçoit' }).press('Enter');
      await page.keyboard.type('Julien');
      // The first one found is marked: Enter takes it.
      await expectPage(page.getByRole('option')).toHaveText([/^Julien Mercier/u]);
      await page.keyboard.press('Enter');
      // The list gives the focus back as it closes: before that, the next press would be its button's again.
      await expectPage(page.getByRole('option')).toHaveCount(0);
      await expectPage(form.getByRole('combobox', { name: 'Commercial qui les reçoit' })).toBeFocused();
      await form.getByRole('button', { name: 'Appliquer l’attribution' }).press('Enter');
      await expectPage(page.getByText('Paramètres enregistrés').first()).toBeVisible();
      expect(await brokenRules(page)).toEqual([]);
      await page.reload();
      await expectPage(form.getByRole('combobox')).toContainText('Julien Mercier');
      await form.getByRole('radio', { name: 'À chaque commercial, à tour de rôle' }).check();
      await expectPage(form.getByRole('combobox')).toHaveCount(0);
      await form.getByRole('button', { name: 'Appliquer l’attribution' }).click();
      await expectPage(page.getByText('Paramètres enregistrés').first()).toBeVisible();
      await openSection(page, 'Journal');
      await expectPage(page.getByText(/changé l’attribution des nouveaux clients/u).first()).toBeVisible();
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});
