import { ofName } from '@parrain/domain/of-name';
import type { Locator, Page } from '@playwright/test';
import { dayOf } from '@parrain/domain/date';
import { saleChoiceLabels } from '@parrain/domain/sale';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import {
  dashboards,
  euros,
  expectFigure,
  expectText,
  openSection,
  ownPassword,
  pickSection,
  sectionStands,
} from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The commercial's dashboard: the real server without mail, the real pages.

const server = realServer({ mail: false });
const { act, choosePassword, decide, openAs, read } = dashboards(server.origin, chromiumPages());
const open = (options?: Parameters<typeof openAs>[2]) => openAs('commercial', demoEmails.commercial, options);

const filter = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filtrer par statut' }).getByText(name, { exact: true });

/** The dashboard on « Tous »: it opens on « Aujourd'hui ». */
async function openAll(options?: Parameters<typeof openAs>[2]) {
  const opened = await open(options);
  await filter(opened.page, 'Tous').click();
  await sectionStands(opened.page, 'Parrainages reçus');
  return opened;
}

const friend = 'Jean-Baptiste Dupont';
let commercialId = '';

beforeAll(async () => {
  await act(demoEmails.client, 'send-invitation-email', {
    name: friend,
    email: 'jb.dupont@exemple.fr',
    phone: '06 11 22 33 44',
    personalMessage: 'Ils ont refait notre toiture.',
  });
  const [me] = await read<{ id: string }>(
    demoEmails.commercial,
    `profiles?select=id&email=eq.${demoEmails.commercial}`,
  );
  commercialId = me?.id ?? '';
});

const lineOf = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });

const openStatus = (page: Page, name: string) =>
  page.getByRole('button', { name: `Mettre à jour le parrainage ${ofName(name)}` }).click();

const choose = (page: Page, label: string) => page.getByRole('dialog').getByText(label, { exact: true }).click();

describe('Parrainages reçus', () => {
  test('[CO-02][RE-06] the newest stands first, with everything one needs to call', async () => {
    const { page, errors } = await openAll();
    const line = page.getByRole('article').first();
    for (const text of [
      friend,
      'Recommandation de Sophie Marchand',
      'jb.dupont@exemple.fr',
      '06 11 22 33 44',
      'En attente',
    ]) {
      await expectPage(line.getByText(text).first()).toBeAttached();
    }
    await expectPage(line.locator('time')).toBeVisible();
    await expectPage(line.getByRole('link', { name: `Appeler ${friend} au 06 11 22 33 44` })).toHaveAttribute(
      'href',
      'tel:+33611223344',
    );
    await expectPage(line.getByRole('link', { name: `Écrire à ${friend} : jb.dupont@exemple.fr` })).toHaveAttribute(
      'href',
      'mailto:jb.dupont@exemple.fr',
    );
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test.each([360, 320])(
    '[CO-02, DF-12, UI-06] at %i px the row calls, and its panel calls, writes and holds « Mettre à jour », for the thumb',
    async (width) => {
      const { page } = await openAll({ viewport: { width, height: 740 }, hasTouch: true, isMobile: true });
      const line = lineOf(page, friend);
      const panel = page.getByRole('dialog', { name: friend });
      const call = { name: `Appeler ${friend} au 06 11 22 33 44` };
      const write = { name: `Écrire à ${friend} : jb.dupont@exemple.fr` };
      await expectPage(line.getByRole('link', call)).toBeVisible();
      const small = async (buttons: Locator[]) => {
        const boxes = await Promise.all(buttons.map((button) => button.boundingBox()));
        return boxes.filter((box) => box === null || box.height < 44 || box.width < 44);
      };
      await expectPage.poll(() => small([line.getByRole('link', call), line.getByRole('button')])).toEqual([]);
      await expectNoOverflow(page);
      await line.getByRole('button', { name: friend, exact: true }).click();
      const buttons = [
        panel.getByRole('link', call),
        panel.getByRole('link', write),
        panel.getByRole('button', { name: 'Mettre à jour' }),
      ];
      await expectPage.poll(() => small(buttons)).toEqual([]);
      // No word is cut, and nothing is wider than the screen.
      await expectPage
        .poll(() =>
          Promise.all(buttons.map((button) => button.evaluate((node) => node.scrollWidth - node.clientWidth))),
        )
        .toEqual([0, 0, 0]);
      await expectNoOverflow(page);
      await page.context().close();
    },
  );

  test('[CO-02][NV-06] at 1280 px a referral without message or contract is two lines, with the day it came', async () => {
    const { page } = await openAll({ viewport: { width: 1280, height: 800 } });
    await expectPage(page.getByRole('article').first().locator('time')).toBeVisible();
    await expectPage
      .poll(() =>
        page
          .getByRole('article')
          .evaluateAll((lines) => Math.min(...lines.map((line) => line.getBoundingClientRect().height))),
      )
      .toBeLessThan(88);
    await expectPage(page.getByRole('article').filter({ hasNotText: 'Reçu le' })).toHaveCount(0);
    await page.context().close();
  });

  test('[CO-02] on a phone nobody is to be called about a referral that is decided', async () => {
    const { page } = await openAll({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await page.getByRole('group', { name: 'Filtrer par statut' }).getByText(saleChoiceLabels.rejected).click();
    // Those that are shown are the refused ones alone.
    await expectPage(page.getByRole('article').filter({ hasText: saleChoiceLabels.rejected }).first()).toBeVisible();
    await expectPage(page.getByRole('article').filter({ hasNotText: saleChoiceLabels.rejected })).toHaveCount(0);
    await expectPage(page.getByRole('article').getByRole('link', { name: /^Appeler/u })).toHaveCount(0);
    await page.context().close();
  });

  test('[CO-02][NV-06] on a phone the search and its tools are one line; dates, order and export open from it', async () => {
    const { page } = await openAll({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const tools = page.getByRole('button', { name: 'Filtrer', exact: true });
    await expectPage(tools).toBeVisible();
    const inOneLine = [
      page.getByRole('searchbox'),
      tools,
      page.getByRole('button', { name: 'Vues : Parrainages reçus' }),
    ];
    await expectPage
      .poll(async () => {
        const boxes = await Promise.all(inOneLine.map((control) => control.boundingBox()));
        return new Set(boxes.map((box) => box && Math.round(box.y + box.height / 2))).size;
      })
      .toBe(1);
    await tools.click();
    const sheet = page.getByRole('dialog', { name: 'Filtrer et trier' });
    await expectPage(sheet.getByRole('button', { name: 'Exporter' })).toBeVisible();
    await sheet.getByRole('combobox', { name: 'Trier par date' }).click();
    await page.getByRole('option', { name: 'Les plus anciens' }).click();
    await sheet.getByRole('button', { name: 'Voir la liste' }).click();
    await expectPage(sheet).toHaveCount(0);
    await expectPage(page.getByRole('article').first()).toBeVisible();
    await expectPage(lineOf(page, friend)).toHaveCount(0);
    await page.context().close();
  });

  test('[CO-02] filters and search narrow the list; Back and reload keep them', async () => {
    const { page } = await openAll();
    await page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Refusé', { exact: true }).click();
    await expectPage(page.getByRole('article').filter({ hasNotText: 'Refusé' })).toHaveCount(0);
    await page.reload();
    await expectPage(page.getByRole('radio', { name: 'Refusé' })).toBeChecked();
    await page.getByLabel('Rechercher un contact').fill('personne ne porte ce nom % _ ( "');
    await expectPage(page.getByText('Aucun résultat')).toBeVisible();
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    await expectPage(lineOf(page, friend)).toBeVisible();
    await page.context().close();
  });

  test('[CO-03][S-01] the modal offers the six statuses, in their words', async () => {
    const { page } = await openAll();
    await openStatus(page, friend);
    const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
    await expectPage(dialog.getByRole('radio')).toHaveCount(6);
    for (const label of Object.values(saleChoiceLabels))
      await expectPage(dialog.getByRole('radio', { name: label, exact: true })).toBeVisible();
    await expectPage(dialog.getByRole('radio', { name: 'En attente', exact: true })).toBeChecked();
    await page.keyboard.press('Escape');
    await expectPage(dialog).toBeHidden();
    await expectPage(page.getByRole('button', { name: `Mettre à jour le parrainage ${ofName(friend)}` })).toBeFocused();
    await page.context().close();
  });

  test('[V-09][S-02][S-03] final validation asks for amount and description; any other status does not', async () => {
    const { page, errors } = await openAll();
    await openStatus(page, friend);
    await choose(page, 'Contacté');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByText('Statut mis à jour avec succès')).toBeVisible();
    await expectPage(lineOf(page, friend).getByText('Contacté')).toBeVisible();

    await openStatus(page, friend);
    for (const label of ['En attente validation finale', 'Contrat signé et validé']) {
      await choose(page, label);
      await page.getByRole('button', { name: 'Enregistrer' }).click();
      await expectPage(
        page.getByText('Le montant et la description du contrat sont requis pour ce statut.'),
      ).toHaveCount(2);
    }
    await choose(page, 'En attente validation finale');
    await page.getByLabel('Montant du contrat').fill('1 234,56');
    await page.getByLabel('Description du contrat').fill('Toiture complète');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    const line = lineOf(page, friend);
    await expectPage(line.getByText('En attente validation finale')).toBeVisible();
    await expectText(line).toContain('1 234,56 €');
    await expectText(line).toMatch(/Commission prévue :\s+50,00 €/u);
    await line.getByRole('button', { name: 'Pourquoi ?' }).click();
    await expectPage(page.getByText('Montant fixe : 50,00 €')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-09] a move is taken back within ten seconds, without a dialog; too late is told', async () => {
    const name = 'Ulysse Défait';
    await act(demoEmails.client, 'send-invitation-email', { name, email: 'ulysse@exemple.fr' });
    const sale = async () => {
      const address = `sales?select=id,status,version&referred_contact_name=eq.${encodeURIComponent(name)}`;
      const [one] = await read<{ id: string; status: string; version: number }>(demoEmails.commercial, address);
      if (!one) throw new Error('No such sale');
      return one;
    };
    const { page } = await openAll();
    const line = lineOf(page, name);
    const notices = page.getByRole('region', { name: 'Notifications' }).getByRole('dialog');
    const moveTo = async (label: string) => {
      await openStatus(page, name);
      const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
      await dialog.getByText(label, { exact: true }).click();
      await dialog.getByRole('button', { name: 'Enregistrer' }).click();
      await expectPage(line.getByText(label)).toBeVisible();
    };
    await moveTo('Contacté');
    const moved = notices.filter({ hasText: `${name} : Contacté` });
    await moved.getByRole('button', { name: 'Annuler' }).click();
    await expectPage(notices.filter({ hasText: 'Mise à jour annulée' })).toContainText(`${name} : En attente`);
    // The notice that was answered is gone: it would say what is no longer so, and could be answered again.
    await expectPage(moved).toHaveCount(0);
    await expectPage(line.getByText('En attente', { exact: true })).toBeVisible();
    expect(await sale()).toMatchObject({ status: 'pending', version: 3 });
    expect(await brokenRules(page)).toEqual([]);
    // It moved meanwhile, elsewhere.
    await moveTo('En négociation');
    const { id } = await sale();
    await act(demoEmails.commercial, 'sales-management', { action: 'update_status', sale_id: id, status: 'rejected' });
    await notices
      .filter({ hasText: `${name} : En négociation` })
      .getByRole('button', { name: 'Annuler' })
      .click();
    await expectPage(notices.filter({ hasText: 'Ce parrainage a changé entre-temps' })).toBeVisible();
    expect(await sale()).toMatchObject({ status: 'rejected' });
    await page.context().close();
  });

  test('[NV-09] news that are all marked as read are new again within ten seconds', async () => {
    await act(demoEmails.client, 'send-invitation-email', { name: 'Nina Neuve', email: 'nina.neuve@exemple.fr' });
    const { page, errors } = await openAll();
    const bell = page.getByRole('banner').getByRole('button', { name: /^Notifications/u });
    await bell.click();
    const panel = page.getByRole('dialog', { name: 'Notifications' });
    const all = panel.getByRole('button', { name: 'Tout marquer comme lu' });
    const unread = panel.getByText('Non lue :');
    await expectPage(panel.getByText('Nina Neuve').first()).toBeVisible();
    const count = await unread.count();
    expect(count).toBeGreaterThan(0);
    await all.click();
    await expectPage(all).toHaveCount(0);
    await expectPage(unread).toHaveCount(0);
    const notice = page
      .getByRole('region', { name: 'Notifications' })
      .getByRole('dialog')
      .filter({ hasText: 'Tout est marqué comme lu' });
    await notice.getByRole('button', { name: 'Annuler' }).click();
    await expectPage(all).toBeVisible();
    await expectPage(unread).toHaveCount(count);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[CO-03][S-02] once signed, « Validé - Non modifiable » stands where the button was', async () => {
    const name = 'Paule Signée';
    await act(demoEmails.client, 'send-invitation-email', { name, email: 'paule@exemple.fr' });
    const { page } = await openAll();
    await openStatus(page, name);
    await choose(page, 'Contrat signé et validé');
    await page.getByLabel('Montant du contrat').fill('500');
    await page.getByLabel('Description du contrat').fill('Ramonage');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(lineOf(page, name).getByText('Validé - Non modifiable')).toBeVisible();
    await expectPage(lineOf(page, name).getByRole('button', { name: /Mettre à jour/u })).toHaveCount(0);
    await page.context().close();
  });

  test('[CO-03][F-12] notes and an amount are noted, kept, and taken back by emptying them', async () => {
    const name = 'Nora Notée';
    await act(demoEmails.client, 'send-invitation-email', { name, email: 'nora.notee@exemple.fr' });
    const { page } = await openAll();
    await openStatus(page, name);
    await choose(page, 'En négociation');
    await page.getByLabel('Montant du contrat').fill('1234,56');
    await page.getByLabel('Notes').fill('À rappeler jeudi.');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(lineOf(page, name).getByText('En négociation')).toBeVisible();
    await openStatus(page, name);
    await expectPage(page.getByLabel('Notes')).toHaveValue('À rappeler jeudi.');
    await page.getByLabel('Montant du contrat').fill('');
    await page.getByLabel('Notes').fill('');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByRole('dialog', { name: 'Mettre à jour le parrainage' })).toHaveCount(0);
    const sales = await read<object>(
      demoEmails.commercial,
      `sales?select=contract_amount,commercial_notes&referred_contact_name=eq.${encodeURIComponent(name)}`,
    );
    expect(sales).toEqual([{ contract_amount: null, commercial_notes: null }]);
    await page.context().close();
  });

  test('[DF-34][CO-03] two moves in a row are one’s own: the second form opens on what the first has written', async () => {
    const name = 'Vite Suivi';
    await act(demoEmails.client, 'send-invitation-email', { name, email: 'vite@exemple.fr' });
    const { page, errors } = await openAll();
    await openStatus(page, name);
    await choose(page, 'Contacté');
    const listed = Promise.withResolvers<void>();
    await page.route('**/rest/v1/**', async (route) => {
      await listed.promise;
      await route.continue();
    });
    const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
    const asked = page.waitForRequest(/\/rest\/v1\/sales/u);
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await asked;
    // A form that does not wait has closed by the next pictures.
    await page.evaluate(async () => {
      await fetch('/config.json');
      for (let pictures = 0; pictures < 5; pictures += 1)
        await new Promise<number>((drawn) => requestAnimationFrame(drawn));
    });
    await expectPage(dialog).toBeVisible();
    listed.resolve();
    await expectPage(dialog).toBeHidden();
    await openStatus(page, name);
    await expectPage(dialog.getByRole('radio', { name: 'Contacté', exact: true })).toBeChecked();
    await choose(page, 'En négociation');
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(dialog).toBeHidden();
    await expectPage(lineOf(page, name).getByText('En négociation')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[E-01] what another tab has signed meanwhile is refused with its status and its sentence', async () => {
    const name = 'Ancien Affichage';
    await act(demoEmails.client, 'send-invitation-email', { name, email: 'ancien@exemple.fr' });
    const [sale] = await read<{ id: string }>(
      demoEmails.commercial,
      `sales?select=id&referred_contact_name=eq.${name}`,
    );
    const { page } = await openAll();
    await openStatus(page, name);
    await act(demoEmails.commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale?.id,
      status: 'validated',
      contract_amount: 100,
      contract_description: 'Ailleurs',
    });
    await choose(page, 'Refusé');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByRole('alert')).toContainText('Erreur 409: Validé - Non modifiable');
    await page.context().close();
  });
});

describe('Mes Clients', () => {
  test('[CO-04][D-07] the four cards say what the rows add up to', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Mes Clients');
    const clients = await read<{
      id: string;
      total_referrals: number;
      signed_contracts: number;
      revenue_generated: number;
    }>(demoEmails.commercial, `client_summaries?select=*&commercial_id=eq.${commercialId}`);
    const total = (pick: (client: (typeof clients)[number]) => number) =>
      clients.reduce((sum, client) => sum + pick(client), 0);
    await expectFigure(page, 'Clients invités').toBe(String(clients.length));
    await expectFigure(page, 'Total parrainages').toBe(String(total((client) => client.total_referrals)));
    await expectFigure(page, 'Contrats signés').toBe(String(total((client) => client.signed_contracts)));
    await expectFigure(page, 'CA généré').toBe(
      euros(Math.round(total((client) => client.revenue_generated) * 100) / 100),
    );
    // « Contrats d'affiliation » says the same sum, which its own card leaves out (S-08).
    const signed = await read<{ contract_amount: number }>(
      demoEmails.commercial,
      `sales?select=contract_amount&commercial_id=eq.${commercialId}&status=eq.validated&admin_validated=is.false`,
    );
    const toValidate = euros(signed.reduce((sum, sale) => sum + Math.round(sale.contract_amount * 100), 0) / 100);
    await expectPage(
      page.getByText(signed.length > 0 ? `dont ${toValidate} à valider` : 'rien à valider'),
    ).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[CO-05][I-03] the table names each client with the first 8 characters of its id, and details its referrals', async () => {
    // On a narrower laptop the company stands under its client's name.
    const { page } = await open({ viewport: { width: 1440, height: 900 } });
    await openSection(page, 'Mes Clients');
    const [sophie] = await read<{ id: string }>(demoEmails.client, `profiles?select=id&email=eq.${demoEmails.client}`);
    await page.getByLabel('Rechercher un client').fill('Sophie Marchand');
    const row = page.getByRole('row').filter({ hasText: 'Sophie Marchand' });
    await expectPage(row.getByText((sophie?.id ?? '').slice(0, 8))).toBeVisible();
    await expectPage(page.getByRole('columnheader')).toContainText([
      'Client',
      'Contact',
      'Entreprise',
      'Parrainages',
      'Contrats signés',
      'CA généré',
      'Invité le',
      'Actions',
    ]);
    await page.getByRole('button', { name: /^Sophie Marchand/u, expanded: false }).click();
    await expectPage(
      page.getByRole('list', { name: 'Parrainages de Sophie Marchand' }).getByText(friend),
    ).toBeVisible();
    await page.context().close();
  });

  test('[CO-06][V-11][E-03] a client is added; where no mail leaves, the login and password are shown, once', async () => {
    const { page, errors } = await open({
      // A device that has a share sheet.
      prepare: async (opened) =>
        void (await opened.addInitScript(() => {
          const shared: ShareData[] = [];
          Object.assign(globalThis, { shared });
          Object.assign(navigator, { share: async (data: ShareData) => void shared.push(data) });
        })),
    });
    await openSection(page, 'Mes Clients');
    await page.getByRole('button', { name: 'Ajouter un client' }).click();
    await page.getByRole('button', { name: 'Créer le compte' }).click();
    await expectPage(page.getByText("Le nom et l'email sont requis")).toHaveCount(2);
    // The field that has the focus is ringed in the colour of its mistake.
    const name = page.getByLabel('Nom', { exact: true });
    await expectPage(name).toBeFocused();
    const red = await page
      .getByText("Le nom et l'email sont requis")
      .first()
      .evaluate((node) => getComputedStyle(node).color);
    await expectPage(name).toHaveCSS('outline-color', red);
    await expectPage(name).toHaveCSS('border-color', red);
    await page.getByLabel('Nom', { exact: true }).fill('Nadia Nouvelle');
    await page.getByLabel('E-mail', { exact: true }).fill('nadia@exemple.fr');
    await page.getByRole('button', { name: 'Créer le compte' }).click();
    const result = page.getByRole('dialog', { name: 'Identifiants à transmettre' });
    await expectPage(result.getByText('nadia@exemple.fr')).toBeVisible();
    const temporary = await result.locator('code').innerText();
    expect(temporary.length).toBeGreaterThanOrEqual(16);
    await result.getByRole('button', { name: 'Partager' }).click();
    const sent = () => page.evaluate(() => (globalThis as unknown as { shared: ShareData[] }).shared);
    await expectPage.poll(sent).toHaveLength(1);
    const shared = await sent();
    for (const part of ['nadia@exemple.fr', temporary, `${new URL(page.url()).origin}/auth/login`])
      expect(shared[0]?.text).toContain(part);
    // V-19: they are shown once; neither Escape nor a press beside them loses them.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await expectPage(result.getByText(temporary)).toBeVisible();
    await result.getByRole('button', { name: 'J’ai transmis les identifiants' }).click();
    await expectPage(page.getByText(temporary)).toHaveCount(0);
    await expectPage(page.getByRole('row').filter({ hasText: 'Nadia Nouvelle' })).toBeVisible();
    expect(errors).toEqual([]);

    await page.getByRole('button', { name: 'Ajouter un client' }).click();
    await page.getByLabel('Nom', { exact: true }).fill('Nadia Encore');
    await page.getByLabel('E-mail', { exact: true }).fill('nadia@exemple.fr');
    await page.getByRole('button', { name: 'Créer le compte' }).click();
    await expectPage(page.getByRole('alert')).toContainText('Erreur 409: Un compte existe déjà avec cet e-mail.');
    await expectPage(page.getByRole('alert')).toContainText('ouvrez sa fiche pour lui donner un nouveau mot de passe');
    await expectPage(page.getByLabel('Nom', { exact: true })).toHaveValue('Nadia Encore');
    // A refusal is over once its fields are written anew.
    await page.getByLabel('E-mail', { exact: true }).fill('nadia');
    await expectPage(page.getByText('Erreur 409')).toHaveCount(0);
    await page.context().close();
  });

  test('[V-19] a client who never signed in gets another password from their panel; one who did, not from their commercial', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Mes Clients');
    await page.getByLabel('Rechercher un client').fill('Nadia');
    await page.getByRole('link', { name: 'Nadia Nouvelle' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Nadia Nouvelle' });
    await panel.getByRole('button', { name: 'Nouveau mot de passe temporaire' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Donner un nouveau mot de passe' }).click();
    const result = page.getByRole('dialog', { name: 'Identifiants à transmettre' });
    await expectPage(result.getByText('nadia@exemple.fr')).toBeVisible();
    expect((await result.locator('code').innerText()).length).toBeGreaterThanOrEqual(16);
    await result.getByRole('button', { name: 'J’ai transmis les identifiants' }).click();
    await page.keyboard.press('Escape');
    await expectPage(panel).toBeHidden();

    await page.getByLabel('Rechercher un client').fill('Sophie Marchand');
    await page.getByRole('link', { name: 'Sophie Marchand' }).first().click();
    const other = page.getByRole('dialog', { name: 'Sophie Marchand' });
    await expectPage(other.getByRole('heading', { name: 'Sophie Marchand' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectPage(other.getByRole('button', { name: 'Nouveau mot de passe temporaire' })).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[CO-07][V-13][E-04] only a client without revenue can be deleted, after a warning; what still hangs on one is said', async () => {
    const { page } = await open();
    await openSection(page, 'Mes Clients');
    await page.getByLabel('Rechercher un client').fill('Sophie Marchand');
    await expectPage(page.getByRole('row')).toHaveCount(2);
    await expectPage(page.getByRole('button', { name: 'Supprimer Sophie Marchand' })).toHaveCount(0);
    await page.getByLabel('Rechercher un client').fill('Nadia');
    await page.getByRole('button', { name: 'Supprimer Nadia Nouvelle' }).click();
    const warning = page.getByRole('alertdialog');
    await expectPage(warning).toContainText('irréversible');
    await expectPage(warning.getByRole('button', { name: 'Annuler' })).toBeFocused();
    await warning.getByRole('button', { name: 'Supprimer le client' }).click();
    await expectPage(page.getByText('Client Nadia Nouvelle supprimé avec succès !')).toBeVisible();

    const { tempPassword } = await act<{ tempPassword: string }>(demoEmails.commercial, 'invite-client', {
      name: 'Vivien Parrain',
      email: 'vivien@exemple.fr',
    });
    await choosePassword('vivien@exemple.fr', tempPassword);
    await act('vivien@exemple.fr', 'send-invitation-email', { name: 'Un ami', email: 'un.ami@exemple.fr' });
    await page.getByLabel('Rechercher un client').fill('Vivien');
    await page.getByRole('button', { name: 'Supprimer Vivien Parrain' }).click();
    await warning.getByRole('button', { name: 'Supprimer le client' }).click();
    await expectPage(warning.getByRole('alert')).toContainText(
      'Erreur 409: Impossible de supprimer ce client car il a un parrainage en cours.',
    );
    await page.context().close();
  });
});

describe('small screens and details', { tags: 'long' }, () => {
  test('[FX-71] at 360 px the tabs have their full names, and the header the person’s name and role', async () => {
    const { page } = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const bar = page.getByRole('navigation', { name: 'Sections' }).filter({ visible: true });
    const names = ['Parrainages reçus', 'Mes Clients', "Contrats d'affiliation", 'Profil', 'Plus'];
    // The count of what waits stands behind the name once it is read, and says in words what it counts.
    await expectPage(bar.locator('a, button')).toHaveText(
      names.map((name) => new RegExp(`^${name}(?:\\d+ parrainages? à suivre)?$`, 'u')),
    );
    for (const name of names) {
      const word = bar.getByText(name, { exact: true });
      await expectPage
        .poll(
          () =>
            word.evaluate(
              (text) => text.scrollHeight > text.clientHeight + 1 || text.scrollWidth > text.clientWidth + 1,
            ),
          { message: `« ${name} » is cut` },
        )
        .toBe(false);
    }
    const [me] = await read<{ full_name: string }>(
      demoEmails.commercial,
      `profiles?select=full_name&id=eq.${commercialId}`,
    );
    const banner = page.getByRole('banner');
    await expectPage(banner.getByText(me?.full_name ?? '', { exact: true })).toBeVisible();
    await expectPage(banner.getByText('Commercial', { exact: true })).toBeVisible();
    // Nor is the company's name cut, nor the dashboard's.
    for (const node of [banner.locator('p').first(), banner.getByRole('heading', { level: 1 })])
      await expectPage.poll(() => node.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    await expectNoOverflow(page);
    await page.context().close();
  });

  test('[CO-05] the referrals of the clients who have few are asked for together, not one client at a time', async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    await openSection(page, 'Mes Clients');
    await expectPage(page.getByRole('list', { name: /^Parrainages de / }).nth(1)).toBeVisible();
    expect(asked.filter((url) => url.includes('friend_referrer_id.eq.'))).toEqual([]);
    await page.context().close();
  });

  test('[FX-72] every client with a referral has a detail, whatever the table’s page; open where it fits', async () => {
    const { page } = await open();
    await openSection(page, 'Mes Clients');
    const referring = await read<{ full_name: string; total_referrals: number }>(
      demoEmails.commercial,
      `client_summaries?select=full_name,total_referrals&commercial_id=eq.${commercialId}&total_referrals=gt.0&order=total_referrals.desc,id`,
    );
    const details = page.getByRole('region', { name: 'Détail des parrainages par client' });
    const blocks = details.getByRole('heading', { level: 4 }).getByRole('button');
    const first = referring.slice(0, 10);
    await expectPage(blocks).toHaveCount(first.length);
    for (const [index, client] of first.entries()) {
      await expectPage(blocks.nth(index)).toContainText(client.full_name);
      await expectPage(blocks.nth(index)).toHaveAttribute('aria-expanded', String(client.total_referrals <= 5));
    }
    // A search that leaves one client leaves their detail alone.
    const last = referring.at(-1)?.full_name ?? '';
    await page.getByLabel('Rechercher un client').fill(last);
    await expectPage(blocks.first()).toContainText(last);
    await page.context().close();
  });
});

describe("Contrats d'affiliation", () => {
  test('[CO-08][CO-10][M-09][S-08][FX-64][PI-02] cards, and what waits for the company with both forecast commissions', async () => {
    const { page, errors } = await open();
    await openSection(page, "Contrats d'affiliation");
    const sales = await read<{
      status: string;
      admin_validated: boolean;
      ready_for_validation: boolean;
      corrects_sale_id: string | null;
      contract_amount: number | null;
      commercial_commission_amount: number | null;
    }>(demoEmails.commercial, `sales?select=*&commercial_id=eq.${commercialId}`);
    const cents = (some: typeof sales, column: 'contract_amount' | 'commercial_commission_amount') =>
      some.reduce((sum, sale) => sum + Math.round((sale[column] ?? 0) * 100), 0) / 100;
    const earned = sales.filter((sale) => sale.admin_validated);
    const pending = sales.filter((sale) => sale.status === 'validated' && !sale.admin_validated);
    const transmitted = sales.filter((sale) => sale.status === 'pending' && sale.ready_for_validation);
    await expectFigure(page, 'CA généré').toBe(euros(cents(earned, 'contract_amount')));
    await expectFigure(page, 'Commissions gagnées').toBe(euros(cents(earned, 'commercial_commission_amount')));
    await expectFigure(page, 'Commissions en attente').toBe(euros(cents(pending, 'commercial_commission_amount')));
    const forecast = euros(cents(transmitted, 'commercial_commission_amount'));
    await expectPage(page.getByText(`+ ${forecast} de prévision sur ${transmitted.length} contrat`)).toBeVisible();
    await expectFigure(page, 'Contrats validés').toBe(
      String(
        earned.filter((sale) => sale.corrects_sale_id === null).length -
          earned.filter((sale) => sale.corrects_sale_id !== null).length,
      ),
    );
    const month = page.getByRole('figure', { name: 'Mon mois' });
    const start = new Date(new Date().getFullYear(), new Date().getMonth(), 1).toISOString();
    await expectPage(month.getByText(/de commissions ce mois/u)).toBeVisible();
    const mine = await read<{ commercial_commission_amount: number }>(
      demoEmails.commercial,
      `sales?select=commercial_commission_amount&commercial_id=eq.${commercialId}&admin_validated=is.true&validated_at=gte.${encodeURIComponent(start)}`,
    );
    const ofMonth = mine.reduce((sum, sale) => sum + Math.round(sale.commercial_commission_amount * 100), 0);
    await expectText(month).toContain(`${euros(ofMonth / 100)} de commissions ce mois`);
    const followed = sales.filter(
      (sale) => ['pending', 'contacted', 'in_negotiation'].includes(sale.status) && !sale.ready_for_validation,
    );
    await expectPage(
      page.getByRole('figure', { name: 'Parrainages à suivre, par ancienneté' }).getByText(/ à suivre, dont /u),
    ).toContainText(String(followed.length));
    // What the card leaves out is said under it.
    const toValidate = euros(cents(pending, 'contract_amount'));
    await expectPage(
      page.getByText(pending.length > 0 ? `hors ${toValidate} à valider` : 'rien à valider'),
    ).toBeVisible();
    const waiting = page
      .getByRole('list', { name: 'Contrats en attente de validation' })
      .getByRole('article')
      .filter({ hasText: friend });
    await expectPage(waiting.getByText('En attente validation société')).toBeVisible();
    for (const amount of ['1 234,56 €', '50,00 €']) await expectText(waiting).toContain(amount);
    await expectPage(waiting.getByText('Commission client prévue')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[DF-04] cards, history and block agree: signed contracts earned and pending in one, transmitted ones in the other', async () => {
    const sales = await read<{ id: string; status: string; admin_validated: boolean; ready_for_validation: boolean }>(
      demoEmails.commercial,
      `sales?select=id,status,admin_validated,ready_for_validation&commercial_id=eq.${commercialId}`,
    );
    const pending = sales.filter((sale) => sale.status === 'validated' && !sale.admin_validated);
    const earned = sales.filter((sale) => sale.admin_validated);
    const transmitted = sales.filter((sale) => sale.status === 'pending' && sale.ready_for_validation);
    for (const kind of [pending, earned, transmitted]) expect(kind.length).toBeGreaterThan(0);
    const { page, errors } = await open();
    await openSection(page, "Contrats d'affiliation");
    await expectPage(
      page.getByRole('list', { name: 'Contrats en attente de validation' }).getByRole('article'),
    ).toHaveCount(transmitted.length);
    const history = page.getByRole('table', { name: 'Historique des commissions' });
    // The pending ones have no date of validation: they stand first, and say what they wait for.
    const signed = history.getByRole('row').filter({ hasText: 'Paule Signée' });
    await expectPage(signed.getByText('En attente validation société')).toBeVisible();
    for (const [choice, some] of [
      ['Commission en attente', pending],
      ['Commission gagnée', earned],
    ] as const) {
      await page.getByRole('combobox', { name: 'Filtrer par statut' }).click();
      await page.getByRole('option', { name: choice }).click();
      await expectPage(history.locator('tbody tr')).toHaveCount(Math.min(some.length, 20));
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[CO-09][S-11] the history names contract, client, amount, commission, status and date, a cancellation included', async () => {
    const [sale] = await read<{ id: string }>(
      demoEmails.commercial,
      'sales?select=id&referred_contact_name=eq.Paule%20Sign%C3%A9e',
    );
    await decide('sales-management', { action: 'validate', sale_id: sale?.id });
    const { page } = await open();
    await openSection(page, "Contrats d'affiliation");
    await expectPage(page.getByRole('columnheader')).toHaveText([
      'Contrat',
      'Client',
      'Montant',
      'Commission',
      'Statut',
      'Date',
    ]);
    const row = page.getByRole('row').filter({ hasText: 'Paule Signée' });
    await expectPage(row.getByText('Contrat signé et validé')).toBeVisible();
    await expectText(row).toContain('500,00 €');
    await decide('sales-management', {
      action: 'cancel_validation',
      sale_id: sale?.id,
      reason: 'Rétractation',
    });
    await page.reload();
    await expectPage(row.filter({ hasText: 'Validation annulée' })).toHaveCount(1);
    await expectText(row.filter({ hasText: 'Validation annulée' })).toContain('-500,00 €');
    await openSection(page, 'Parrainages reçus');
    await filter(page, 'Tous').click();
    await expectPage(lineOf(page, 'Paule Signée').getByText('Rétractation')).toBeVisible();
    await page.context().close();
  });
});

describe('a commercial who starts', () => {
  test('[CO-02][CO-05][E-05][NV-08] reads the exact sentences of the empty lists, with what to do first; a list that failed looks like none of them', async () => {
    const { tempPassword } = await act<{ tempPassword: string }>(demoEmails.admin, 'invite-commercial', {
      name: 'Camille Débute',
      email: 'camille@exemple.fr',
    });
    await choosePassword('camille@exemple.fr', tempPassword);
    const { page, errors } = await openAs('commercial', 'camille@exemple.fr');
    await expectPage(page.getByText('Aucun parrainage reçu pour le moment', { exact: true })).toBeVisible();
    await expectPage(
      page.getByRole('main').getByText('Invitez un client : il reçoit de quoi ouvrir son espace.'),
    ).toBeVisible();
    await expectPage(page.getByRole('main').getByRole('button', { name: 'Inviter un client' })).toBeVisible();
    await openSection(page, 'Mes Clients');
    await expectPage(page.getByText('Aucun client invité pour le moment', { exact: true })).toBeVisible();
    expect(errors).toEqual([]);
    await page.route('**/rest/v1/sales*', (route) => route.abort());
    await page.reload();
    await openSection(page, 'Parrainages reçus');
    await expectPage(page.getByRole('alert')).toContainText('Le chargement a échoué');
    await page.unroute('**/rest/v1/sales*');
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await expectPage(page.getByText('Aucun parrainage reçu pour le moment')).toBeVisible();
    await page.context().close();
  });
});

describe('Profil', () => {
  test('[CO-11] a name, a phone, a password, the other devices, and a file of one’s own data', async () => {
    const { tempPassword } = await act<{ tempPassword: string }>(demoEmails.admin, 'invite-commercial', {
      name: 'Denis Profil',
      email: 'denis@exemple.fr',
    });
    await choosePassword('denis@exemple.fr', tempPassword);
    const { page: other } = await openAs('commercial', 'denis@exemple.fr');
    const { page, errors } = await openAs('commercial', 'denis@exemple.fr');
    await openSection(page, 'Profil');
    await page.getByLabel('Nom complet').fill('Denis Nouveau-Nom');
    await page.getByLabel('Téléphone').fill('06 99 88 77 66');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByRole('banner').getByText('Denis Nouveau-Nom')).toBeVisible();

    await page.getByRole('button', { name: 'Déconnecter les autres appareils' }).click();
    await expectPage(page.getByText('Vos autres appareils sont déconnectés')).toBeVisible();
    await other.reload();
    await other.waitForURL('**/login');

    await page.getByLabel('Mot de passe actuel').fill(ownPassword);
    await page.getByLabel('Nouveau mot de passe').fill('Un-Autre-Secret-2026');
    await page.getByLabel('Confirmer le mot de passe').fill('Un-Autre-Secret-2027');
    await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
    await expectPage(page.getByText('Les mots de passe ne correspondent pas')).toBeVisible();
    await page.getByLabel('Confirmer le mot de passe').fill('Un-Autre-Secret-2026');
    await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
    await expectPage(page.getByText('Mot de passe modifié')).toBeVisible();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Télécharger mes données' }).click(),
    ]);
    const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
      profile: { full_name: string; phone: string };
    };
    expect(data.profile).toMatchObject({ full_name: 'Denis Nouveau-Nom', phone: '06 99 88 77 66' });
    expect(errors).toEqual([]);
    await page.context().close();
    await other.context().close();
    await openAs('commercial', 'denis@exemple.fr', { password: 'Un-Autre-Secret-2026' }).then(({ page: again }) =>
      again.context().close(),
    );
  });
});

for (const [colorScheme, width, tags] of [
  ['dark', 360, ''],
  ['light', 1280, 'long'],
] as const)
  test(
    `[CO-01] no accessibility rule is broken in any section (${colorScheme}, ${width} px), nothing overflows`,
    { tags: tags === '' ? [] : 'long' },
    async () => {
      const { page } = await open({ colorScheme, viewport: { width, height: 800 } });
      for (const name of ['Parrainages reçus', 'Mes Clients', "Contrats d'affiliation", 'Profil']) {
        await pickSection(page, name);
        await sectionStands(page, name);
        expect(await brokenRules(page)).toEqual([]);
        await expectNoOverflow(page);
      }
      await page.context().close();
    },
  );

test('[RT-01] a notice never covers the choice of the theme', async () => {
  const { page } = await open({ viewport: { width: 1280, height: 800 } });
  await page
    .getByRole('article')
    .first()
    .getByRole('button', { name: /^Mettre à jour/u })
    .click();
  await choose(page, saleChoiceLabels.contacted);
  await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer' }).click();
  const notice = page.getByRole('region', { name: 'Notifications' }).getByRole('dialog').first();
  await expectPage(notice).toBeVisible();
  await expectPage
    .poll(async () => {
      const menu = await page.getByRole('complementary').boundingBox();
      const place = await notice.boundingBox();
      return menu && place && place.x - (menu.x + menu.width);
    })
    .toBeGreaterThanOrEqual(0);
  await page.context().close();
});

test('[CO-03] the keyboard alone moves a referral', async () => {
  await act(demoEmails.client, 'send-invitation-email', { name: 'Clara Clavier', email: 'clara@exemple.fr' });
  const { page } = await openAll();
  const button = page.getByRole('button', { name: 'Mettre à jour le parrainage de Clara Clavier' });
  await button.waitFor();
  for (let tabs = 0; tabs < 60 && !(await button.evaluate((node) => node === document.activeElement)); tabs += 1) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  const radio = page.getByRole('radio', { name: 'En attente', exact: true });
  // The keyboard starts at the first field, not at the cross.
  await expectPage(radio).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expectPage(lineOf(page, 'Clara Clavier').getByText('Contacté')).toBeVisible();
  await page.context().close();
});

test('[TM-05] [CO-01] the link of a mail opens the referral; its day to call back and private note are kept, by keyboard too', async () => {
  const asked = 'Solène Attendue';
  await act(demoEmails.client, 'send-invitation-email', { name: asked, email: 'solene@exemple.fr' });
  const [referral] = await read<{ id: string }>(
    demoEmails.commercial,
    'sales?select=id&referred_contact_email=eq.solene@exemple.fr',
  );
  await act(demoEmails.client, 'sales-management', { action: 'ask_news', sale_id: referral?.id });
  const { page, errors } = await open();
  await page.goto(`${server.origin()}/commercial/dashboard?section=parrainages-recus&parrainage=${referral?.id}`);
  const panel = page.getByRole('dialog', { name: asked });
  await expectPage(panel.getByText('Le parrain demande des nouvelles')).toBeVisible();
  // The place goes into the history entry: the address stays the commercial's one address, and reload keeps the place.
  await expectPage(page).toHaveURL(`${server.origin()}/commercial/dashboard`);
  expect(await brokenRules(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Demain' }).click();
  await panel.getByLabel('Note privée').fill('Rappeler après 18 h');
  await panel.getByRole('button', { name: 'Enregistrer le suivi' }).press('Enter');
  await expectPage(page.getByText('Suivi enregistré')).toBeVisible();
  await page.reload();
  await expectPage(panel.getByLabel('Note privée')).toHaveValue('Rappeler après 18 h');
  await page.keyboard.press('Escape');
  const line = lineOf(page, asked);
  await filter(page, 'Tous').click();
  await expectPage(line).toContainText('Note privée : Rappeler après 18 h');
  await expectPage(line).toContainText('À relancer le');
  await expectPage(line).toContainText('Nouvelles demandées le');
  // Tomorrow is not yet.
  await filter(page, 'À relancer').click();
  await expectPage(page.getByText('Aucun rappel prévu d’ici ce soir')).toBeVisible();
  // It leads to those of whom nobody has news, and back.
  await page.getByRole('button', { name: 'Voir les parrainages sans nouvelles' }).click();
  await expectPage(page.getByText(/Sans nouvelles depuis 7/u).first()).toBeVisible();
  await page.goBack();
  await filter(page, 'Tous').click();
  await line.getByRole('button', { name: asked, exact: true }).click();
  await panel.getByLabel('Relancer le').fill(dayOf(new Date()));
  await panel.getByRole('button', { name: 'Enregistrer le suivi' }).click();
  await expectPage(panel.getByRole('button', { name: 'Enregistrer le suivi' })).toBeEnabled();
  await page.keyboard.press('Escape');
  await filter(page, 'À relancer').click();
  await expectPage(page.getByRole('article')).toHaveCount(1);
  await expectPage(line).toBeVisible();
  // Late, once the company says after how many days.
  await expectPage(filter(page, 'En retard')).toHaveCount(0);
  await act(demoEmails.admin, 'company-settings', {
    action: 'update_follow_ups',
    follow_up_days: 7,
    follow_up_admin_days: null,
  });
  await page.reload();
  await filter(page, 'En retard').click();
  await expectPage(page.getByRole('article').first().getByText('En retard')).toBeVisible();
  await expectPage(line).toHaveCount(0);
  for (const width of [1280, 900, 768, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoOverflow(page);
  }
  expect(await brokenRules(page)).toEqual([]);
  await act(demoEmails.admin, 'company-settings', {
    action: 'update_follow_ups',
    follow_up_days: null,
    follow_up_admin_days: null,
  });
  expect(errors).toEqual([]);
  await page.context().close();
});

describe('a friend with a name of sixty letters and no space', { tags: 'long' }, () => {
  const longName = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewis';

  beforeAll(async () => {
    await act(demoEmails.client, 'send-invitation-email', {
      name: longName,
      email: `${longName.toLowerCase()}@exemple.fr`,
      phone: '06 55 66 77 88',
      personalMessage: 'm'.repeat(200),
    });
  });

  test.each([
    [1280, false],
    [1024, false],
    [768, false],
    [360, true],
    [320, true],
  ] as const)(
    '[CO-02][NV-06] at %i px its line holds it: nothing lies over it, and the page is no wider',
    async (width, isPhone) => {
      const { page, errors } = await open({ viewport: { width, height: 800 }, hasTouch: isPhone, isMobile: isPhone });
      const line = lineOf(page, longName);
      await expectPage(line).toBeVisible();
      await expectNoOverflow(page);
      const name = line.getByRole('heading');
      const over = () =>
        name.evaluate((heading) => {
          const range = document.createRange();
          range.selectNodeContents(heading);
          return Math.max(0, Math.round(range.getBoundingClientRect().right - heading.getBoundingClientRect().right));
        });
      await expectPage.poll(over).toBe(0);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

test('[CS-03] [E-03] without a mail server the one message opens the commercial’s own mail program, and is kept', async () => {
  const require = (isRequired: boolean) =>
    act(demoEmails.admin, 'company-settings?action=update_call_consent', { require_call_consent: isRequired });
  const name = 'Amie Sans Serveur';
  await act(demoEmails.client, 'send-invitation-email', { name, email: 'amie.sans.serveur@exemple.fr' });
  await require(true);
  const { page, errors } = await open({ viewport: { width: 360, height: 780 } });
  const opened: string[] = [];
  const browser = await page.context().newCDPSession(page);
  await browser.send('Page.enable');
  browser.on('Page.frameRequestedNavigation', ({ url }) => opened.push(url));
  const line = lineOf(page, name);
  await line.getByRole('button', { name: `Écrire une seule fois à ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Écrire une seule fois à ${name}` });
  await expectPage(dialog.getByText('L’envoi d’e-mails n’est pas configuré')).toBeVisible();
  await dialog.getByLabel('Votre message').fill('Bonjour, à jeudi ?');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Ouvrir ma messagerie' }).click();
  await expectPage(line.getByText(/^Message envoyé le /u)).toBeVisible();
  expect(opened).toEqual(['mailto:amie.sans.serveur@exemple.fr?body=Bonjour%2C%20%C3%A0%20jeudi%20%3F']);
  await require(false);
  expect(errors).toEqual([]);
  await page.context().close();
});
