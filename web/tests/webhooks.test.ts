import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Intégrations »: webhooks, from the first to its removal, with the real server behind them and a receiver that fails at first.

const server = realServer();
const { openAs } = dashboards(server.origin, chromiumPages());

let status = 500;
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(status).end(status === 500 ? 'En panne' : 'Merci'));
});
let url = '';
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(() => receiver.close());

describe('[WH-02] webhooks of the company', () => {
  test('an admin adds one, copies its secret, tries it, reads what came back, sends it again and removes it', async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Intégrations');
    const card = page.getByRole('region', { name: 'Webhooks' });
    await expectPage(card.getByText('Aucun webhook pour le moment')).toBeVisible();
    await card.getByRole('button', { name: 'Ajouter un webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Ajouter un webhook' });
    await form.getByRole('button', { name: 'Ajouter', exact: true }).click();
    await expectPage(form.getByText('Indiquez l’adresse à prévenir.')).toBeVisible();
    await form.getByLabel('Adresse').fill(url);
    await form.getByLabel('Nom').fill('CRM des ventes');
    await form.getByRole('checkbox', { name: 'Contactée' }).uncheck();
    expect(await brokenRules(page)).toEqual([]);
    await form.getByRole('button', { name: 'Ajouter', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'Le secret de ce webhook' });
    await expectPage(shown).toBeVisible();
    const secret = await shown.locator('code').innerText();
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/u);
    expect(await brokenRules(page)).toEqual([]);
    await shown.getByRole('button', { name: 'C’est copié' }).click();
    const line = card.getByRole('listitem').filter({ hasText: 'CRM des ventes' });
    await expectPage(line).toContainText('Événements choisis : 22 sur 23');
    await expectPage(line).toContainText('Actif');
    expect(await page.content()).not.toContain(secret);

    const choose = async (name: string) => {
      await line.getByRole('button', { name: 'Actions pour CRM des ventes' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Envoyer un essai');
    const log = page.getByRole('dialog', { name: 'Journal de CRM des ventes' });
    await expectPage(log.getByText('En panne')).toBeVisible();
    await expectPage(log.getByRole('listitem')).toContainText('Réponse : 500');
    expect(await brokenRules(page)).toEqual([]);
    status = 200;
    await log.getByRole('button', { name: 'Renvoyer : Essai' }).click();
    await expectPage(log.getByRole('listitem')).toContainText('Essais : 2');
    await expectPage(log.getByText('Merci')).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(log).toHaveCount(0);

    await choose('Désactiver');
    await expectPage(line).toContainText('Désactivé');
    await choose('Changer le secret');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Changer le secret' }).click();
    await expectPage(shown.locator('code')).not.toHaveText(secret);
    await shown.getByRole('button', { name: 'C’est copié' }).click();
    await expectPage(line).toContainText('L’ancien secret reste valable jusqu’au');
    expect(await brokenRules(page)).toEqual([]);
    for (const width of [1280, 900, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoOverflow(page);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await choose('Supprimer');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Supprimer le webhook' }).click();
    await expectPage(card.getByText('Aucun webhook pour le moment')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
