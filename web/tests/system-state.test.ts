import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « État du système »: the real server, with a mail server that refuses some recipients for ever.

const server = realServer();
const { act, openAs } = dashboards(server.origin, chromiumPages());
const open = (options?: Parameters<typeof openAs>[2]) => openAs('admin', demoEmails.admin, options);

const WRONG = 'une-adresse-vraiment-tres-longue-qui-n-existe-pas-chez-eux@exemple.example';

const block = (page: Page, name: string) => page.getByRole('region', { name });

describe('[OP-03] « État du système »', () => {
  test(
    'stands in the product’s own group and says what runs, what waits and what is kept, on every width',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      await openSection(page, 'État du système');
      await expectPage(page.getByText('Aucune alarme')).toBeVisible();
      await expectPage(block(page, 'Versions')).toContainText(/Programme.*\d+\.\d+\.\d+/su);
      await expectPage(block(page, 'Versions')).toContainText(/PostgreSQL.*18/su);
      await expectPage(block(page, 'Place occupée')).toContainText(/\d+(?:,\d)? (?:Go|To) sur \d+/u);
      await expectPage(block(page, 'Sauvegarde et vérification')).toContainText('Aucune sauvegarde');
      await expectPage(block(page, 'E-mails')).toContainText('Aucun message n’a été refusé définitivement.');
      await expectPage(block(page, 'Autres logiciels')).toContainText(
        /Envois de webhooks en attente.*Tout a été remis/su,
      );
      expect(await brokenRules(page)).toEqual([]);
      for (const width of [1280, 900, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await expectNoOverflow(page);
      }
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('[FX-29] [TM-04] « Messages envoyés » says to whom, what, and why one failed; once the server takes it, « Renvoyer » sends it', async () => {
    server.mailbox.refused.add(WRONG);
    await act(demoEmails.client, 'send-invitation-email', { name: 'Ami', email: WRONG });
    const { page, errors } = await open();
    await openSection(page, 'État du système');
    await block(page, 'E-mails').getByRole('button', { name: 'Voir lesquels' }).click();
    await page.getByRole('heading', { level: 2, name: 'Messages envoyés' }).waitFor();
    await expectPage(page).toHaveURL(({ search }) => search === '?section=messages-envoyes&etat=failed');
    await page.getByRole('searchbox', { name: 'Rechercher un destinataire' }).fill('une-adresse-vraiment');
    const row = page.getByRole('row').filter({ hasText: WRONG });
    await expectPage(row).toContainText('Invitation d’un ami');
    await expectPage(row).toContainText('L’adresse du destinataire n’existe pas');
    await expectPage(row).toContainText('Non parti');
    expect(await brokenRules(page)).toEqual([]);
    for (const width of [1280, 900, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoOverflow(page);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByRole('link').first().click();
    const panel = page.getByRole('dialog', { name: 'Invitation d’un ami' });
    await expectPage(panel).toContainText('550 5.1.1');
    expect(await brokenRules(page)).toEqual([]);
    server.mailbox.refused.clear();
    await panel.getByRole('button', { name: 'Renvoyer' }).click();
    await expectPage(page.getByText('Le serveur d’e-mail a accepté le message')).toBeVisible();
    await expectPage(panel).toContainText('Envoyé');
    await expectPage(panel.getByRole('button', { name: 'Renvoyer' })).toHaveCount(0);
    expect(await server.mailbox.mailTo(WRONG)).toContain('Ami');
    // Its address leads back to it.
    await page.reload();
    await expectPage(panel).toContainText('Envoyé');
    await page.keyboard.press('Escape');
    await expectPage(row).toHaveCount(0);
    await openSection(page, 'Journal');
    await expectPage(page.getByText('a renvoyé un e-mail : Invitation d’un ami')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test(
    '[TM-05] the company says after how many days a referral is reminded of, or that none is',
    { tags: 'long' },
    async () => {
      const { page } = await open();
      const days = page.getByLabel('Prévenir le commercial après, en jours');
      await openSection(page, 'Réglages');
      await expectPage(days).toHaveValue('');
      await page.getByLabel('Puis les administrateurs, en jours de plus').fill('3');
      await page.getByRole('button', { name: 'Appliquer les relances' }).click();
      await expectPage(page.getByText('Indiquez d’abord quand le commercial est relancé.')).toBeVisible();
      await days.fill('7');
      await page.getByRole('button', { name: 'Appliquer les relances' }).click();
      await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
      expect(await brokenRules(page)).toEqual([]);
      await page.reload();
      await expectPage(days).toHaveValue('7');
      await page.context().close();
    },
  );

  test('a message of trial comes to the admin who asked', async () => {
    const { page } = await open();
    await openSection(page, 'État du système');
    await page.getByRole('button', { name: 'Envoyer un message d’essai' }).click();
    await expectPage(page.getByText('Le serveur d’e-mail a accepté le message')).toBeVisible();
    expect(await server.mailbox.mailTo(demoEmails.admin)).toContain('peut envoyer des e-mails');
    // [TM-04] A server that refuses is told with its own answer.
    server.mailbox.refused.add(demoEmails.admin);
    await page.getByRole('button', { name: 'Envoyer un message d’essai' }).click();
    await expectPage(page.getByText(/L’adresse du destinataire n’existe pas .*\(550 5\.1\.1\)/u)).toBeVisible();
    server.mailbox.refused.clear();
    await page.context().close();
  });

  test('what cannot be read says so, and is read again', async () => {
    const { page } = await open({
      async prepare(prepared) {
        await prepared.route('**/functions/v1/system-state?action=get', (route) => route.abort());
      },
    });
    await openSection(page, 'État du système');
    await expectPage(page.getByText('Le chargement a échoué')).toBeVisible();
    await page.unroute('**/functions/v1/system-state?action=get');
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await expectPage(page.getByText('Aucune alarme')).toBeVisible();
    await page.context().close();
  });

  test('an alarm stands on « Vue d’ensemble », says what to do, and leads here', async () => {
    const alarms = [{ kind: 'mail_stuck', raised_at: '2026-11-22T08:00:00Z', details: {} }];
    const { page } = await open({
      async prepare(prepared) {
        await prepared.route('**/functions/v1/system-state?action=alarms', (route) =>
          route.fulfill({ json: { success: true, data: alarms } }),
        );
      },
    });
    const alarm = page.getByRole('alert').filter({ hasText: 'Des e-mails ne partent pas' });
    await expectPage(alarm).toContainText('À faire');
    expect(await brokenRules(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await expectNoOverflow(page);
    await alarm.getByRole('button', { name: 'Voir l’état du système' }).click();
    await page.getByRole('heading', { level: 2, name: 'État du système' }).waitFor();
    await page.context().close();
  });
});
