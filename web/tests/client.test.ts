import type { Page } from '@playwright/test';
import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import {
  dashboards,
  euros,
  mailName,
  expectFigure,
  expectText,
  figure,
  openSection,
  pickSection,
  sectionStands,
} from './dashboards.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// The client's dashboard: the real server with a mailbox, the real pages.

const server = realServer();
const { act, choosePassword, decide, openAs, read, register } = dashboards(server.origin, chromiumPages());
const open = (options?: Parameters<typeof openAs>[2]) => openAs('client', demoEmails.client, options);

interface SaleRow {
  id: string;
  status: string;
  admin_validated: boolean;
  corrects_sale_id: string | null;
  referred_contact_name: string;
  contract_amount: number | null;
  client_commission_amount: number | null;
}

interface Figures {
  friends_invited: number;
  signed_contracts: number;
  total_commissions: number;
  validated_commissions: number;
  available: number;
  requests_in_progress: number;
  payments_received: number;
  sales_generated: number;
}

const iban = 'FR7630006000011234567890189';

/** A client of the demo commercial, at their first password. */
async function newClient(name: string, email: string): Promise<void> {
  await act(demoEmails.commercial, 'invite-client', { name, email });
  const mail = await server.mailbox.mailTo(email);
  const temporary = /temporaire\s*:?\s*(?<password>[\w-]{16,})/u.exec(mail)?.groups?.['password'] ?? '';
  await choosePassword(email, temporary);
}

/** Invites a friend, takes the contract to the admin and has it validated; gives the sale's id. */
async function validatedSale(email: string, friend: string, amount: number): Promise<string> {
  await act(email, 'send-invitation-email', {
    name: friend,
    email: `${mailName(friend.split(' ')[0] ?? '')}@exemple.fr`,
  });
  const [sale] = await read<SaleRow>(email, `sales?select=id&referred_contact_name=eq.${encodeURIComponent(friend)}`);
  const id = sale?.id ?? '';
  await act(demoEmails.commercial, 'sales-management', {
    action: 'update_status',
    sale_id: id,
    status: 'pending_final_validation',
    contract_amount: amount,
    contract_description: 'Isolation',
  });
  await decide('sales-management', { action: 'validate', sale_id: id });
  return id;
}

describe('what a field says of itself', () => {
  test('[FX-72] the personal message stops at 500 characters', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    const message = page.getByLabel('Message personnel');
    await message.focus();
    await page.keyboard.insertText('a'.repeat(510));
    await expectPage(message).toHaveValue('a'.repeat(500));
    await expectPage(page.getByText('500 / 500')).toBeVisible();
    await page.context().close();
  });

  test('[FX-72] the amount says its bounds to assistive tools, and steps by a cent within them', async () => {
    const [figures] = await read<Figures>(demoEmails.client, 'rpc/client_figures');
    const { page } = await open();
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    const amount = page.getByRole('spinbutton', { name: 'Montant' });
    await expectPage(amount).toHaveAttribute('aria-valuemin', '1');
    await expectPage(amount).toHaveAttribute('aria-valuemax', String(figures?.available));
    await amount.fill('');
    await amount.press('ArrowUp');
    await expectPage(amount).toHaveValue('1,00');
    await amount.press('ArrowUp');
    await expectPage(amount).toHaveValue('1,01');
    await expectPage(amount).toHaveAttribute('aria-valuenow', '1.01');
    await amount.press('ArrowDown');
    await amount.press('ArrowDown');
    await expectPage(amount).toHaveValue('1,00');
    await page.context().close();
  });

  test(
    '[FX-73] with a fixed default scale, a referral without contract shows its forecast',
    { tags: 'long' },
    async () => {
      const [before] = await read<{ id: string }>(demoEmails.admin, 'commission_rates?select=id&is_default=is.true');
      const scale = await act<{ data: { id: string } }>(demoEmails.admin, 'commission-management', {
        action: 'create_commission_rate',
        name: 'Fixe',
        client_commission_type: 'fixed',
        client_commission_amount: 80,
        commercial_commission_type: 'fixed',
        commercial_commission_amount: 40,
      });
      const promote = (id: string | undefined) =>
        act(demoEmails.admin, 'commission-management', {
          action: 'set_default_commission_rate',
          commission_rate_id: id,
        });
      const { page } = await open();
      await expectPage(page.getByText('À venir').first()).toBeVisible();
      await promote(scale.data.id);
      await page.reload();
      const forecast = page.getByRole('cell', { name: /80,00.€.*prévision/u }).first();
      await expectPage(forecast).toBeVisible();
      await expectPage(page.getByText('À venir')).toHaveCount(0);
      await promote(before?.id);
      await page.context().close();
    },
  );
});

describe('Mes Parrainages', () => {
  test('[CL-02][CL-10][M-07] three cards, equal to what the rows add up to', async () => {
    const { page, errors } = await open();
    const sales = await read<SaleRow>(demoEmails.client, 'sales?select=*');
    const payments = await read<{ amount: number }>(
      demoEmails.client,
      'commission_payments?select=amount&type=eq.client',
    );
    const pending = sales.filter((sale) => sale.status === 'validated' && !sale.admin_validated);
    const total = [...payments.map((row) => row.amount), ...pending.map((row) => row.client_commission_amount ?? 0)];
    await expectFigure(page, 'Amis invités').toBe(
      String(sales.filter((sale) => sale.corrects_sale_id === null).length),
    );
    await expectFigure(page, 'Contrats signés').toBe(
      String(sales.filter((sale) => sale.status === 'validated').length),
    );
    await expectFigure(page, 'Total commissions').toBe(
      euros(total.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100),
    );
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-02] the wallet comes first: on a phone the amount and its button stand without scrolling, and ask for it', async () => {
    const { page, errors } = await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    const [figures] = await read<Figures>(demoEmails.client, 'rpc/client_figures');
    const wallet = page.getByRole('region', { name: 'Mon argent' });
    for (const amount of [figures?.available, figures?.requests_in_progress, figures?.payments_received])
      await expectText(wallet).toContain(euros(amount ?? -1));
    await expectText(wallet).toMatch(/Un ami signe : vous touchez 10 % de son contrat/u);
    const receive = wallet.getByRole('button', { name: 'Recevoir mon argent' });
    await expectPage(receive).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    await receive.click();
    await expectPage(page.getByRole('dialog', { name: 'Nouvelle demande de paiement' })).toBeVisible();
    await expectPage(page).toHaveURL(/section=demandes-de-paiement/u);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[CL-03][V-12][E-04][F-15][PI-02] a friend is invited, with a message of 500 characters at most', async () => {
    const { page, errors } = await open();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Inviter un ami' });
    await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await expectPage(dialog.getByText("Le nom et l'email sont requis")).toHaveCount(2);
    await dialog.getByLabel('Nom de votre ami').fill('Léo Filleul');
    await dialog.getByLabel('E-mail de votre ami').fill('leo.filleul@exemple.fr');
    // The field itself stops at the bound (FX-72); the server's own refusal has its test beside the function.
    await dialog.getByLabel('Message personnel').focus();
    await page.keyboard.insertText('a'.repeat(501));
    await expectPage(dialog.getByText('500 / 500')).toBeVisible();
    await expectPage(dialog.getByLabel('Message personnel')).toHaveValue('a'.repeat(500));
    await dialog.getByLabel('Message personnel').fill('Ils sont sérieux.');
    await expectPage(dialog.getByText('17 / 500')).toBeVisible();
    await expectPage(dialog.getByText(/d’accord pour être contacté/u)).toBeVisible();
    await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await expectPage(
      page.getByText(
        /^Invitation envoyée avec succès\s! Votre ami va recevoir un email personnalisé et votre commercial pourra le recontacter\.$/u,
      ),
    ).toBeVisible();
    const row = page.getByRole('row').filter({ hasText: 'Léo Filleul' });
    await expectPage(row.getByText('En cours')).toBeVisible();
    await expectPage(row.getByText('1/4 · Invité')).toBeVisible();
    await expectPage(row.getByText('Ils sont sérieux.')).toBeVisible();
    expect(await server.mailbox.mailTo('leo.filleul@exemple.fr')).toContain('Ils sont sérieux.');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[E-01] an invitation that is refused says why, and keeps what was typed', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    await page.getByLabel('Nom de votre ami').fill('Moi-même');
    await page.getByLabel('E-mail de votre ami').fill(demoEmails.client);
    await page.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await expectPage(page.getByRole('alert')).toContainText(
      "Erreur lors de l'envoi de l'invitation: Vous ne pouvez pas vous parrainer vous-même.",
    );
    await expectPage(page.getByLabel('Nom de votre ami')).toHaveValue('Moi-même');
    await page.context().close();
  });

  test('[LG-05] on a phone « Pourquoi ? » stands in the window, and leaves the page as wide as it was', async () => {
    const { page } = await open({ viewport: { width: 360, height: 800 }, isMobile: true, hasTouch: true });
    await page.getByRole('button', { name: 'Pourquoi' }).first().click();
    // It is placed once it is drawn.
    await expectPage
      .poll(async () => {
        const box = await page.getByRole('dialog').boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= 360;
      })
      .toBe(true);
    // A phone's browser keeps the widest page that it saw.
    await expectPage
      .poll(() => page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]))
      .toEqual([360, 360]);
    await page.context().close();
  });

  test('[FX-04][FX-65] who registered confirms their address and is given a commercial, then invites', async () => {
    const email = 'nina.neuve@exemple.fr';
    await register(email, 'Nina Neuve');
    const { page, errors } = await openAs('client', email, { viewport: { width: 360, height: 800 } });
    await expectPage(page.getByRole('button', { name: 'Inviter un ami' }).first()).toBeDisabled();
    await expectPage(page.getByText('Vous n’avez pas encore de commercial')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Confirmez votre adresse' }).click();
    await expectPage(page.getByText('Un lien vient de vous être envoyé')).toBeVisible();
    const link = /http\S+\/auth\/callback#token_hash\S+/u.exec(await server.mailbox.mailTo(email))?.[0] ?? '';
    await page.goto(link);
    await page.getByRole('button', { name: 'Continuer' }).click();
    await page.waitForURL('**/client/dashboard');
    await expectPage(page.getByText('Vous n’avez pas encore de commercial')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Confirmez votre adresse' })).toHaveCount(0);

    const [nina] = await read<{ id: string }>(demoEmails.admin, `profiles?select=id&email=eq.${email}`);
    const [commercial] = await read<{ id: string }>(demoEmails.commercial, 'profiles?select=id&role=eq.commercial');
    await act(demoEmails.admin, 'update-client', {
      client_id: nina?.id,
      name: 'Nina Neuve',
      commercial_id: commercial?.id,
    });
    await page.reload();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    await page.getByLabel('Nom de votre ami').fill('Anne Amie');
    await page.getByLabel('E-mail de votre ami').fill('anne.amie@exemple.fr');
    const release = server.mailbox.hold();
    await page.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    // The relay takes its time: nothing is said to have been sent.
    await expectPage(page.getByText(/^Invitation enregistrée\s! L’e-mail n’est pas encore parti/u)).toBeVisible();
    release();
    await server.mailbox.mailTo('anne.amie@exemple.fr');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test(
    '[FX-08] a client’s invitation that is still on its way says so, shows no credentials, and says when it has left',
    { tags: 'long' },
    async () => {
      const { page, errors } = await openAs('commercial', demoEmails.commercial);
      await openSection(page, 'Mes Clients');
      await page.getByRole('button', { name: 'Ajouter un client' }).click();
      await page.getByLabel('Nom', { exact: true }).fill('Lentement Reçu');
      await page.getByLabel('E-mail', { exact: true }).fill('lentement@exemple.fr');
      const release = server.mailbox.hold();
      await page.getByRole('button', { name: 'Envoyer l’invitation' }).click();
      const result = page.getByRole('dialog', { name: 'Envoi en cours' });
      await expectPage(result).toBeVisible();
      await expectPage(result.locator('code')).toHaveCount(0);
      expect(await brokenRules(page)).toEqual([]);
      release();
      const sent = page.getByRole('dialog', { name: 'Invitation envoyée avec succès !' });
      await expectPage(sent.getByText('Un e-mail d’invitation a été envoyé.')).toBeVisible();
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('[E-02][DF-85] a session that has ended at the moment of inviting leads to /auth/login, with its sentence, and what was typed is there after it', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    await page.getByLabel('Nom de votre ami').fill('Trop Tard');
    await page.getByLabel('E-mail de votre ami').fill('trop.tard@exemple.fr');
    const { access_token: token } = await page.evaluate(
      () => JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { access_token: string },
    );
    const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
      publishableKey: string;
    };
    // A page that is open learns of it by itself: the session ends once the press is on its way.
    await page.route('**/functions/v1/send-invitation-email', async (route) => {
      const reply = await fetch(`${server.origin()}/auth/v1/logout?scope=local`, {
        method: 'POST',
        headers: { apikey: publishableKey, authorization: `Bearer ${token}` },
      });
      expect(reply.status).toBe(204);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await page.waitForURL('**/auth/login');
    await expectPage(
      page.getByText('Votre session a expiré. Veuillez vous reconnecter.', { exact: true }),
    ).toBeVisible();
    await page.getByLabel('E-mail').fill(demoEmails.client);
    await page.getByLabel('Mot de passe', { exact: true }).fill(demoPassword);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.waitForURL('**/client/dashboard*');
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    await expectPage(page.getByLabel('Nom de votre ami')).toHaveValue('Trop Tard');
    await expectPage(page.getByLabel('E-mail de votre ami')).toHaveValue('trop.tard@exemple.fr');
    // Once: closed, and opened again, it is empty.
    await page.getByRole('button', { name: 'Annuler', exact: true }).click();
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    await expectPage(page.getByLabel('Nom de votre ami')).toHaveValue('');
    await page.context().close();
  });

  test('[NV-06][CL-04] no address of a friend is cut on a laptop, up to 32 letters', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    const addresses = page.getByRole('row').getByText(/@/u);
    await expectPage(addresses.first()).toBeVisible();
    const cut = () =>
      addresses.evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth)
          .map((one) => one.textContent ?? '')
          .filter((address) => address.length <= 32),
      );
    await expectPage.poll(cut).toEqual([]);
    await page.context().close();
  });

  test('[CL-04][S-07] the history says who, by whom, where it stands, since when and what it may bring; a refusal says why', async () => {
    const { page } = await open();
    await expectPage(page.getByRole('columnheader')).toHaveText([
      'Ami',
      'Message',
      'Commercial',
      'Statut',
      'Invité le',
      'Commission potentielle',
    ]);
    await act(demoEmails.client, 'send-invitation-email', { name: 'Refusé Toutefois', email: 'refus@exemple.fr' });
    const [sale] = await read<SaleRow>(
      demoEmails.client,
      'sales?select=id&referred_contact_name=eq.Refus%C3%A9%20Toutefois',
    );
    await act(demoEmails.commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale?.id,
      status: 'pending_final_validation',
      contract_amount: 1000,
      contract_description: 'Devis',
    });
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'Refusé Toutefois' });
    await expectPage(row.getByText('Julien Mercier')).toBeVisible();
    await expectText(row).toContain('100,00 €');
    await decide('sales-management', {
      action: 'reject',
      sale_id: sale?.id,
      reason: 'Hors de notre zone.',
    });
    await page.reload();
    await expectPage(row.getByText('Rejeté')).toBeVisible();
    await expectPage(row.getByText('Hors de notre zone.')).toBeVisible();
    await page.context().close();
  });
});

describe('the search of one’s own lists', () => {
  test(
    '[NV-03][NV-05][CL-04][CL-05][CL-06][CL-07] friends, contracts and commissions by the contact, requests by what is seen of them',
    { tags: 'long' },
    async () => {
      await validatedSale(demoEmails.client, 'Wilfrid Cherché', 1500);
      const discount = (amount: string) =>
        act<{ data: { id: string } }>(demoEmails.client, 'payment-request', {
          action: 'create',
          amount,
          payment_method: 'remise_societe',
          payment_details: {},
        });
      await discount('13.57');
      const { data: refused } = await discount('14.57');
      await decide('payment-request?action=update_status', {
        request_id: refused.id,
        status: 'rejected',
        admin_notes: 'Le dossier de Nîmes n’a pas été clôturé',
      });
      const { page, errors } = await open();
      for (const [section, box, text, shown] of [
        ['Mes Parrainages', 'Rechercher un ami', 'cherché', 'Wilfrid Cherché'],
        ['Contrats Validés', 'Rechercher un contrat', 'wilfrid@exemple.fr', 'Wilfrid Cherché'],
        ['Mes Commissions', 'Rechercher une commission', 'Wilfrid', 'Wilfrid Cherché'],
        ['Demandes de Paiement', 'Rechercher une demande', '13,57 €', 'Remise société'],
        ['Demandes de Paiement', 'Rechercher une demande', 'remise societe', 'Remise société'],
        ['Demandes de Paiement', 'Rechercher une demande', "nimes n'a pas ete cloture", 'Le dossier de Nîmes'],
      ] as const) {
        await openSection(page, section);
        const rows = page.getByRole('main').getByRole('table').locator('tbody tr');
        await page.getByRole('searchbox', { name: box }).fill(text);
        await expectPage(page).toHaveURL(/recherche=/u);
        await expectPage(rows.filter({ hasNotText: shown })).toHaveCount(0);
        await expectPage(rows.filter({ hasText: shown }).first()).toBeVisible();
      }
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

describe('Contrats Validés', () => {
  test('[LG-05][CL-05] each validated contract with contact, commercial, amount, date and commission, and a statement to print', async () => {
    await validatedSale(demoEmails.client, 'Victor Valide', 1234.56);
    const { page, errors } = await open();
    await openSection(page, 'Contrats Validés');
    await expectPage(page.getByRole('columnheader')).toHaveText([
      'Contact',
      'Commercial',
      'Montant',
      'Validé le',
      'Commission',
    ]);
    const row = page.getByRole('row').filter({ hasText: 'Victor Valide' });
    for (const part of ['Julien Mercier', '1 234,56 €', '123,46 €']) await expectText(row).toContain(part);
    await row.getByRole('button', { name: 'Pourquoi ?' }).click();
    await expectText(page.getByText(/de 1.234,56/u)).toBe('10 % de 1 234,56 € = 123,46 €');
    // LG-05: each step with its figure, and they add up.
    const why = page.getByRole('dialog', { name: 'Calcul retenu à la validation' });
    await expectPage(why).toContainText('10 % du contrat 123,456 € Arrondi au centime 0,004 € Commission 123,46 €', {
      useInnerText: true,
    });
    await page.keyboard.press('Escape');

    await page.evaluate(() => {
      window.print = () => {};
    });
    await page.getByRole('button', { name: 'Imprimer le relevé' }).click();
    const statement = page.locator('[data-print]');
    await expectPage(statement).toBeAttached();
    await expectPage(statement).toBeHidden();
    await page.emulateMedia({ media: 'print' });
    await expectPage(statement.getByRole('heading', { name: 'Relevé des contrats validés' })).toBeVisible();
    await expectPage(page.getByRole('banner')).toBeHidden();
    const payments = await read<{ amount: number }>(
      demoEmails.client,
      'commission_payments?select=amount&type=eq.client',
    );
    const total = payments.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100;
    await expectText(statement.locator('tfoot')).toContain(euros(total));
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Mes Commissions', () => {
  test('[CL-06][CL-10][M-08][PI-02][LG-02][UI-02] four cards and the detail of what was paid to me', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Mes Commissions');
    const [figures] = await read<Figures>(demoEmails.client, 'rpc/client_figures');
    const payments = await read<{ amount: number }>(
      demoEmails.client,
      'commission_payments?select=amount&type=eq.client',
    );
    const requests = await read<{ amount: number; status: string }>(
      demoEmails.client,
      'payment_requests?select=amount,status',
    );
    const cents = (rows: readonly { amount: number }[]) =>
      rows.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
    const available = cents(payments) - cents(requests.filter(({ status }) => status !== 'rejected'));
    await expectFigure(page, 'Commissions validées').toBe(euros(cents(payments) / 100));
    await expectFigure(page, 'Disponible pour paiement').toBe(euros(available / 100));
    await expectFigure(page, 'Total commissions').toBe(euros(figures?.total_commissions ?? -1));
    await expectFigure(page, 'Ventes générées').toBe(euros(figures?.sales_generated ?? -1));
    await expectPage(page.getByRole('columnheader')).toHaveText([
      'Contact',
      'Commercial',
      'Date de la vente',
      'Commission',
    ]);
    // The head, the commissions, and what they add up to.
    await expectPage(page.getByRole('row')).toHaveCount(payments.length + 2);
    await expectText(page.getByRole('row').last()).toContain(await figure(page, 'Commissions validées'));

    // « Combien ai-je, et pourquoi ? »: the card explains itself; beneath stands what is not in hand, each amount a way to its rows.
    const paid = cents(requests.filter(({ status }) => status === 'paid'));
    const inProgress = cents(requests.filter(({ status }) => status === 'pending' || status === 'approved'));
    const band = page.getByRole('region', { name: 'Votre solde' });
    for (const amount of [paid, inProgress]) await expectText(band).toContain(euros(amount / 100));
    // UI-02: what a card says, the band does not say again.
    for (const amount of [cents(payments), available]) await expectText(band).not.toContain(euros(amount / 100));
    await page.getByRole('button', { name: 'Pourquoi ? Disponible pour paiement' }).click();
    const why = page.getByRole('dialog', { name: 'Disponible pour paiement' });
    for (const amount of [cents(payments), -paid, -inProgress, available])
      await expectText(why).toContain(euros(amount / 100));
    await page.keyboard.press('Escape');
    await page.getByText('Relevé', { exact: true }).first().click();
    await expectPage(page.getByRole('columnheader')).toHaveText(['Opération', 'Date', 'Montant', 'Solde']);
    // PI-02: what was earned over time, equal to the card.
    const earnings = page.getByRole('figure', { name: 'Mes gains par mois' });
    await expectText(earnings).toContain(`${euros(cents(payments) / 100)} gagnés depuis`);
    const newest = page.getByRole('row').nth(1).getByRole('cell').last();
    await expectText(newest).toBe(euros(available / 100));
    // LG-02: the statement is the ledger's lines, but for those that leave what is available as it is.
    const lines = await read<{ act: string }>(demoEmails.client, 'ledger_entries?select=act&act=neq.settlement');
    await expectPage(page.getByRole('row')).toHaveCount(Math.min(lines.length, 20) + 1);
    expect(await brokenRules(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('a scale that keeps commissions for some days', { tags: 'long' }, () => {
  test('[LG-03] what is kept is said « à venir », with its amount and day, and cannot be asked for', async () => {
    const email = 'hugo.patient@exemple.fr';
    await newClient('Hugo Patient', email);
    await validatedSale(email, 'Lise Aussitôt', 1000);
    const scale = await act<{ data: { id: string } }>(demoEmails.admin, 'commission-management', {
      action: 'create_commission_rate',
      name: 'Patient',
      client_commission_type: 'percentage',
      client_commission_amount: 10,
      commercial_commission_type: 'fixed',
      commercial_commission_amount: 40,
      client_hold_days: 30,
    });
    await act(email, 'send-invitation-email', { name: 'Marc Plus-Tard', email: 'marc.plustard@exemple.fr' });
    const [sale] = await read<SaleRow>(email, 'sales?select=id&referred_contact_name=eq.Marc%20Plus-Tard');
    await act(demoEmails.commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale?.id,
      status: 'pending_final_validation',
      contract_amount: 1234.56,
      contract_description: 'Isolation',
    });
    await decide('sales-management', {
      action: 'validate',
      sale_id: sale?.id,
      commission_rate_id: scale.data.id,
      expected_client_commission_amount: 123.46,
      expected_commercial_commission_amount: 40,
    });
    const [figures] = await read<Figures & { held: number }>(email, 'rpc/client_figures');
    expect(figures?.held).toBe(123.46);

    const { page, errors } = await openAs('client', email);
    await openSection(page, 'Mes Commissions');
    await expectFigure(page, 'Disponible pour paiement').toBe(euros(figures?.available ?? -1));
    const band = page.getByRole('region', { name: 'Votre solde' });
    await expectText(band).toContain('À venir');
    await expectText(band).toContain('123,46 €');
    await expectText(band).toMatch(/À demander dès le \d+ \S+ \d{4}/u);
    expect(await brokenRules(page)).toEqual([]);
    await openSection(page, 'Demandes de Paiement');
    const upcoming = page.getByRole('list', { name: 'À venir' });
    await expectPage(upcoming.getByRole('listitem')).toHaveCount(1);
    await expectText(upcoming).toMatch(/^123,46 €\s+le \d/u);
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
    await expectText(dialog).toContain('123,46 € à venir à la fin de leur délai');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Demandes de Paiement', () => {
  const email = 'ines.paiement@exemple.fr';
  let saleId = '';
  beforeAll(async () => {
    await newClient('Inès Paiement', email);
    saleId = await validatedSale(email, 'Paul Payeur', 1234.56);
  });

  const ask = async (page: Page) => {
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    return page.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
  };

  test('[DF-13, V-14, V-15] amount and details are checked before anything is sent, each method with its own fields', async () => {
    const { page } = await openAs('client', email);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/functions/v1/payment-request')) sent.push(request.url());
    });
    const dialog = await ask(page);
    const send = dialog.getByRole('button', { name: 'Envoyer la demande' });
    await expectPage(dialog.getByRole('radio', { name: 'Virement bancaire' })).toBeChecked();
    // [DF-13] Nothing is wrong before something is typed.
    await dialog.getByLabel('Montant').focus();
    await dialog.getByLabel('IBAN').focus();
    await dialog.getByLabel('Nom du bénéficiaire').focus();
    await expectPage(dialog.locator('[aria-invalid="true"]')).toHaveCount(0);
    await dialog.getByLabel('Montant').fill('1,234');
    await send.click();
    await expectPage(
      dialog.getByText('Le montant doit être un nombre d’euros, avec deux décimales au plus'),
    ).toBeVisible();
    for (const amount of ['0', '0,99', '123,47', 'beaucoup']) {
      await dialog.getByLabel('Montant').fill(amount);
      await send.click();
      await expectPage(dialog.getByText(/Le montant doit être compris entre 1€ et 123,46€/u)).toBeVisible();
    }
    await dialog.getByLabel('Montant').fill('100');
    await dialog.getByLabel('IBAN').pressSequentially('FR7630006000011234567890188');
    await dialog.getByLabel('Nom du bénéficiaire').fill('');
    await send.click();
    await expectPage(dialog.getByText('L’IBAN n’est pas valide')).toBeVisible();
    await expectPage(dialog.getByText('Le nom du bénéficiaire est requis')).toBeVisible();
    await dialog.getByText('Chèque cadeau', { exact: true }).click();
    await send.click();
    await expectPage(dialog.getByText('Le type de chèque cadeau est requis')).toBeVisible();
    await dialog.getByText('Don à une association', { exact: true }).click();
    await send.click();
    await expectPage(dialog.getByText('Le nom de l’association est requis')).toBeVisible();
    await expectPage(dialog.getByText('Les coordonnées de l’association sont requises')).toBeVisible();
    await dialog.getByText('Remise société', { exact: true }).click();
    await expectPage(dialog.getByLabel('Compte société (facultatif)')).toBeVisible();
    expect(sent).toEqual([]);
    await page.context().close();
  });

  test('[CL-07][CL-08][V-16][V-18][V-20][E-04] by the keyboard alone: 100 € asked, the IBAN grouped then masked, 23,46 € left', async () => {
    const { page, errors } = await openAs('client', email);
    await openSection(page, 'Demandes de Paiement');
    await expectFigure(page, 'Montant disponible').toBe('123,46 €');
    await tabTo(page, 'button', 'Nouvelle demande de paiement');
    await page.keyboard.press('Enter');
    await tabTo(page, 'spinbutton', 'Montant');
    await page.keyboard.type('100');
    await tabTo(page, 'textbox', 'IBAN');
    await page.keyboard.type(iban);
    await expectPage(page.getByLabel('IBAN')).toHaveValue('FR76 3000 6000 0112 3456 7890 189');
    await expectText(page.getByRole('dialog')).toMatch(/Il vous restera\s+23,46 €/u);
    await tabTo(page, 'button', 'Envoyer la demande');
    const sending = page.waitForRequest('**/functions/v1/payment-request');
    await page.keyboard.press('Enter');
    const request = await sending;
    expect(request.headers()['idempotency-key']).toMatch(/^[\da-f-]{36}$/u);
    expect(request.postDataJSON()).toMatchObject({ action: 'create', amount: '100.00', payment_method: 'virement' });
    await expectPage(page.getByText(/^Demande de paiement envoyée avec succès\s!$/u)).toBeVisible();
    const row = page.getByRole('row').filter({ hasText: 'Virement bancaire' });
    await expectPage(row.getByText('En attente')).toBeVisible();
    await expectPage(row).toContainText('0189');
    expect((await row.innerText()).replaceAll(/\s/gu, '')).not.toContain(iban);
    await expectFigure(page, 'Montant disponible').toBe('23,46 €');
    await expectFigure(page, 'Demandes en cours').toBe('100,00 €');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[FX-66] the same amount a second time is asked about, then sent; not meant, nothing is', async () => {
    const { page, errors } = await openAs('client', email);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/functions/v1/payment-request'))
        sent.push(request.headers()['idempotency-key'] ?? '');
    });
    const askFor = async (amount: string) => {
      const dialog = await ask(page);
      await dialog.getByLabel('Montant').fill(amount);
      await dialog.getByText('Remise société').click();
      await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
      return dialog;
    };
    await askFor('5');
    await expectPage(page.getByText(/^Demande de paiement envoyée avec succès\s!$/u).first()).toBeVisible();
    const dialog = await askFor('5');
    const question = page.getByRole('alertdialog', { name: /^Demander 5,00\s€ une seconde fois/u });
    await expectPage(question).toContainText('cette demande attend une réponse');
    await question.getByRole('button', { name: 'Annuler' }).click();
    expect(sent).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
    await question.getByRole('button', { name: 'Envoyer une seconde demande' }).click();
    await expectPage(question).toBeHidden();
    await expectPage(page.getByRole('row').filter({ hasText: '5,00' })).toHaveCount(2);
    expect(new Set(sent).size).toBe(2);
    await expectFigure(page, 'Montant disponible').toBe('13,46 €');
    expect(errors).toEqual([]);
    await page.context().close();
    // Given back, so that the tests below find what they count on.
    const requests = await read<{ id: string }>(email, 'payment_requests?select=id&amount=eq.5');
    for (const { id } of requests)
      await decide('payment-request?action=update_status', {
        request_id: id,
        status: 'rejected',
        admin_notes: 'Doublon',
      });
  });

  test('[UI-10] [FX-66] what was given once is known: the amount, the account masked, the association; the IBAN travels no more', async () => {
    const again = 'remi.retour@exemple.fr';
    await newClient('Rémi Retour', again);
    await validatedSale(again, 'Nora Nouvelle', 1234.56);
    for (const [payment_method, payment_details] of [
      ['virement', { iban, beneficiary_name: 'R. Retour' }],
      ['association', { association_name: 'Les Restos', association_details: '75009 Paris' }],
    ] as const)
      await act(again, 'payment-request', { action: 'create', amount: 10, payment_method, payment_details });
    const { page, errors } = await openAs('client', again, { viewport: { width: 360, height: 740 } });
    const dialog = await ask(page);
    await expectPage(dialog.getByLabel('Montant')).toHaveValue('103,46');
    await expectPage(dialog.getByLabel('IBAN')).toHaveValue('');
    await expectPage(
      dialog.getByText('Laissé vide, le virement va sur votre compte connu : FR76 •••• •••• 0189.'),
    ).toBeVisible();
    await expectPage(dialog.getByLabel('Nom du bénéficiaire')).toHaveValue('R. Retour');
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    await dialog.getByText('Don à une association', { exact: true }).click();
    await expectPage(dialog.getByLabel('Nom de l’association')).toHaveValue('Les Restos');
    await expectPage(dialog.getByLabel('Coordonnées de l’association')).toHaveValue('75009 Paris');
    await dialog.getByText('Virement bancaire', { exact: true }).click();
    // [FX-66] The question whose button comes under the finger takes no tap of the gesture that opened it.
    await dialog.getByLabel('Montant').fill('10');
    const atFirst = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          new MutationObserver((_, observer) => {
            const buttons = [...document.querySelectorAll<HTMLButtonElement>('[role=alertdialog] button')];
            if (buttons.length === 0) return;
            observer.disconnect();
            resolve(buttons.some((one) => one.disabled));
          }).observe(document.body, { subtree: true, childList: true });
        }),
    );
    await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
    expect(await atFirst).toBe(true);
    const question = page.getByRole('alertdialog', { name: /^Demander 10,00\s€ une seconde fois/u });
    await expectPage(question.getByRole('button', { name: 'Envoyer une seconde demande' })).toBeEnabled();
    await question.getByRole('button', { name: 'Annuler' }).click();
    await dialog.getByLabel('Montant').fill('103,46');
    const sending = page.waitForRequest('**/functions/v1/payment-request');
    await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
    expect((await sending).postData()).not.toContain('0189');
    await expectPage(page.getByText(/^Demande de paiement envoyée avec succès\s!$/u)).toBeVisible();
    const [kept] = await read<{ amount: number; payment_details: unknown }>(
      again,
      'payment_requests?select=amount,payment_details&order=created_at.desc&limit=1',
    );
    expect(kept).toEqual({
      amount: 103.46,
      payment_details: { iban: 'FR76 •••• •••• 0189', beneficiary_name: 'R. Retour' },
    });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[V-16][E-01] what was asked elsewhere meanwhile is no longer available: the server’s bounds are said', async () => {
    // Told live, the form itself would refuse: this page is told nothing.
    const { page } = await openAs('client', email, {
      prepare: (opened) => opened.routeWebSocket(/realtime/u, () => undefined),
    });
    const dialog = await ask(page);
    await dialog.getByLabel('Montant').fill('23,46');
    await dialog.getByLabel('IBAN').fill(iban);
    await act(email, 'payment-request', {
      action: 'create',
      amount: 20,
      payment_method: 'remise_societe',
      payment_details: { company_account: null },
    });
    await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
    await expectPage(dialog.getByRole('alert')).toContainText(
      /Erreur lors de la demande de paiement: Le montant doit être compris entre 1€ et 3,46€/u,
    );
    await page.context().close();
  });

  test('[S-09][S-11][CL-08] paid, then a cancelled sale leaves a debt: said plainly, and nothing more can be asked', async () => {
    const requests = await read<{ id: string; amount: number }>(email, 'payment_requests?select=id,amount');
    for (const { id, amount } of requests) {
      const moves = amount === 100 ? (['approved', 'paid'] as const) : amount === 20 ? (['rejected'] as const) : [];
      for (const status of moves) {
        await decide('payment-request?action=update_status', {
          request_id: id,
          status,
          admin_notes: status === 'rejected' ? 'Compte inconnu.' : null,
        });
      }
    }
    const { page } = await openAs('client', email);
    await openSection(page, 'Demandes de Paiement');
    await expectPage(page.getByRole('row').filter({ hasText: 'Virement bancaire' }).getByText('Payée')).toBeVisible();
    await expectPage(page.getByRole('row').filter({ hasText: 'Compte inconnu.' })).toContainText('Remise société');
    await expectFigure(page, 'Paiements reçus').toBe('100,00 €');
    await expectFigure(page, 'Montant disponible').toBe('23,46 €');

    await decide('sales-management', {
      action: 'cancel_validation',
      sale_id: saleId,
      reason: 'Rétractation',
    });
    await page.reload();
    await expectText(page.getByText(/^Vous devez/u)).toBe('Vous devez 100,00 €');
    await expectFigure(page, 'Montant disponible').toBe('0,00 €');
    await expectPage(page.getByRole('button', { name: 'Nouvelle demande de paiement' })).toHaveCount(0);
    await openSection(page, 'Mes Parrainages');
    const row = page.getByRole('row').filter({ hasText: 'Paul Payeur' });
    await expectPage(row.getByText('Validation annulée')).toBeVisible();
    await expectPage(row.getByText('Rétractation')).toBeVisible();
    await page.context().close();
  });
});

describe('a client who starts', () => {
  test('[CL-04][CL-07][CL-08][E-05][NV-08] nothing yet is said on every screen, with what to do first; a list that failed looks different', async () => {
    const email = 'zoe.debute@exemple.fr';
    await newClient('Zoé Débute', email);
    const { page, errors } = await openAs('client', email);
    await expectPage(page.getByText('Aucun parrainage pour le moment')).toBeVisible();
    const steps = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: /Invitez un ami|Votre commercial|votre commission/u });
    await expectPage(steps).toHaveCount(3);
    await openSection(page, 'Contrats Validés');
    await expectPage(page.getByText('Aucun contrat validé pour le moment')).toBeVisible();
    await openSection(page, 'Mes Commissions');
    await expectPage(page.getByText('Aucune commission pour le moment')).toBeVisible();
    await openSection(page, 'Demandes de Paiement');
    await expectPage(page.getByText('Aucune demande de paiement', { exact: true })).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Nouvelle demande de paiement' })).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.route('**/rest/v1/payment_requests*', (route) => route.abort());
    await page.reload();
    await expectPage(page.getByRole('alert')).toContainText('Le chargement a échoué');
    await page.unroute('**/rest/v1/payment_requests*');
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await expectPage(page.getByText('Aucune demande de paiement', { exact: true })).toBeVisible();
    await page.context().close();
  });
});

test('[CL-09] a client’s profile is theirs to change', async () => {
  const email = 'paul.profil@exemple.fr';
  await newClient('Paul Profil', email);
  const { page, errors } = await openAs('client', email);
  await openSection(page, 'Profil');
  await page.getByLabel('Nom complet').fill('Paul Autrement');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(page.getByRole('banner').getByText('Paul Autrement')).toBeVisible();
  await expectPage(page.getByText('développement')).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

for (const [colorScheme, width, tags] of [
  ['dark', 360, ''],
  ['light', 1280, 'long'],
] as const)
  test(
    `[CL-01] no accessibility rule is broken in any section (${colorScheme}, ${width} px), nothing overflows`,
    { tags: tags === '' ? [] : 'long' },
    async () => {
      const { page } = await open({ colorScheme, viewport: { width, height: 800 } });
      for (const name of [/Parrainages/u, /Contrats/u, /Commissions/u, /Paiement/u, /Profil/u]) {
        await pickSection(page, name);
        await sectionStands(page, name);
        expect(await brokenRules(page)).toEqual([]);
        await expectNoOverflow(page);
      }
      await page.context().close();
    },
  );

/** Presses Tab until the control has the focus, as someone without a mouse does. */
async function tabTo(page: Page, role: 'button' | 'textbox' | 'spinbutton', name: string): Promise<void> {
  const control = page.getByRole(role, { name }).first();
  await control.waitFor();
  for (let tabs = 0; tabs < 60; tabs += 1) {
    if (await control.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach « ${name} »`);
}

test('[TM-05] [NV-01] the address of a referral opens it; its referrer asks for news, once', async () => {
  const email = 'curieux@exemple.fr';
  await act(demoEmails.client, 'send-invitation-email', { name: 'Zoé Attendue', email });
  const [referral] = await read<{ id: string }>(
    demoEmails.client,
    `sales?select=id&referred_contact_email=eq.${email}`,
  );
  const { page, errors } = await openAs('client', demoEmails.client);
  await page.goto(`${server.origin()}/client/dashboard?section=mes-parrainages&parrainage=${referral?.id}`);
  const panel = page.getByRole('dialog', { name: 'Zoé Attendue' });
  await panel.getByRole('button', { name: 'Demander des nouvelles' }).press('Enter');
  await expectPage(panel.getByText('Nouvelles demandées')).toBeVisible();
  await expectPage(panel.getByText('Vous pourrez le refaire après trente jours')).toBeVisible();
  await expectPage(panel.getByRole('button', { name: 'Demander des nouvelles' })).toHaveCount(0);
  expect(await brokenRules(page)).toEqual([]);
  await page.reload();
  await expectPage(panel.getByText('Nouvelles demandées')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  // An address that names nothing of theirs says so, and leads back.
  await page.goto(
    `${server.origin()}/client/dashboard?section=mes-parrainages&parrainage=00000000-0000-4000-8000-000000000000`,
  );
  await expectPage(page.getByText('Ce parrainage n’est pas le vôtre')).toBeVisible();
  await page.getByRole('button', { name: 'Revenir à la liste' }).click();
  await expectPage(page.getByRole('dialog')).toHaveCount(0);
  await page.context().close();
});
