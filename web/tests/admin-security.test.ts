import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection, sectionStands } from './dashboards.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';
import { addApplication, freshCode, typeFirstCode } from './second-steps.ts';

// A company's security rules; on a server of its own, since they apply to everybody.

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

test(
  '[AD-04][AD-06][AU-17] the keyboard alone lets in again somebody who lost their telephone; they are told',
  { tags: 'long' },
  async () => {
    const { page: client } = await openAs('client', demoEmails.client);
    await openSection(client, 'Profil');
    await addApplication(client);
    await client.context().close();

    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Clients');
    const [{ full_name: name } = { full_name: '' }] = await read<{ full_name: string }>(
      demoEmails.admin,
      `profiles?select=full_name&email=eq.${demoEmails.client}`,
    );
    await page.getByRole('searchbox', { name: 'Rechercher un client' }).fill(name);
    const menu = page.getByRole('button', { name: `Autres actions pour ${name}` });
    await menu.focus();
    await page.keyboard.press('Enter');
    await expectPage(page.getByRole('menuitem', { name: 'Retirer sa double authentification' })).toBeFocused();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    // The menu fades away first, and the word of its button that had the focus for an instant.
    await expectPage(page.locator('[data-base-ui-portal]:not(:has([aria-label="Notifications"]))')).toHaveCount(1);
    await expectPage(dialog).toContainText(`Retirer la double authentification de ${name}`);
    expect(await brokenRules(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expectPage(dialog).toHaveCount(0);
    await expectPage(menu).toBeFocused();
    await page.keyboard.press('Enter');
    await expectPage(page.getByRole('menuitem', { name: 'Retirer sa double authentification' })).toBeFocused();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Retirer', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expectPage(page.getByText(`Double authentification de ${name} retirée`)).toBeVisible();
    // Nothing is left to take away.
    await expectPage(menu).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.context().close();

    // The password alone is enough again.
    const { page: back } = await openAs('client', demoEmails.client);
    await openSection(back, 'Profil');
    await expectPage(back.getByText('Désactivée')).toBeVisible();
    await back.context().close();
    expect(await server.mailbox.mailTo(demoEmails.client)).toContain('double authentification');
  },
);

test(
  '[AD-06][AU-17][NV-03] to take a second factor away is offered for whoever has one, in menu, panel and palette, and for nobody else',
  { tags: 'long' },
  async () => {
    const { page: client } = await openAs('client', demoEmails.client);
    await openSection(client, 'Profil');
    await addApplication(client);
    await client.context().close();
    const [owner] = await read<{ id: string; full_name: string }>(
      demoEmails.admin,
      `profiles?select=id,full_name&email=eq.${demoEmails.client}`,
    );
    const [other] = await read<{ id: string; full_name: string }>(
      demoEmails.admin,
      `profiles?select=id,full_name&role=eq.client&email=neq.${demoEmails.client}&limit=1`,
    );
    if (!owner || !other) throw new Error('The demo has two clients');

    const { page, errors } = await openAs('admin', demoEmails.admin);
    const removal = 'Retirer sa double authentification';
    for (const [person, count] of [
      [owner, 1],
      [other, 0],
    ] as const) {
      const known = page.waitForResponse(/\/rpc\/people_with_second_factor/u);
      await page.goto(
        `${server.origin()}/admin/dashboard?section=clients&recherche=${encodeURIComponent(person.full_name)}`,
      );
      await known;
      await expectPage(page.getByRole('main').getByRole('link', { name: person.full_name }).first()).toBeVisible();
      await sectionStands(page, 'Clients');
      await expectPage(page.getByRole('button', { name: `Autres actions pour ${person.full_name}` })).toHaveCount(
        count,
      );
      await page.goto(`${server.origin()}/admin/dashboard?section=clients&client=${person.id}`);
      const panel = page.getByRole('dialog', { name: person.full_name });
      await expectPage(panel.getByRole('button', { name: 'Modifier' })).toBeVisible();
      await expectPage(panel.getByRole('button', { name: removal })).toHaveCount(count);
      await page.keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Rechercher partout' });
      await expectPage(palette.getByRole('option', { name: 'Raccourcis clavier' })).toBeVisible();
      await expectPage(palette.getByRole('option', { name: removal })).toHaveCount(count);
    }
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test('[FX-13][CO-11][AU-13] Profil asks for the current password, says where it is wrong, and keeps what was typed', async () => {
  const { page } = await openAs('commercial', demoEmails.commercial);
  await openSection(page, 'Profil');
  const next = 'quatre chevaux bleus';
  await page.getByLabel('Nouveau mot de passe', { exact: true }).fill(next);
  await page.getByLabel('Confirmer le mot de passe', { exact: true }).fill(next);
  await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
  const current = page.getByLabel('Mot de passe actuel', { exact: true });
  await expectPage(current).toBeFocused();
  await expectPage(current).toHaveAccessibleDescription('Indiquez votre mot de passe actuel.');
  await page.keyboard.type('pas le bon');
  await page.keyboard.press('Enter');
  await expectPage(current).toHaveAccessibleDescription('Le mot de passe actuel n’est pas le bon.');
  await current.fill(demoPassword);
  await page.keyboard.press('Enter');
  await expectPage(page.getByText('Mot de passe modifié')).toBeVisible();
  await page.context().close();
});

// Last: the rule that it leaves stands until another admin lifts it (DF-24).
test(
  '[AD-11][AU-17][DF-24] the company asks it of its admins: who has none sets it up before anything else',
  { tags: 'long' },
  async () => {
    const { page } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Réglages');
    const rule = page.getByRole('checkbox', { name: 'Exiger la double authentification des administrateurs' });
    await expectPage(page.getByText('Activez d’abord la vôtre, dans votre profil.')).toBeVisible();
    await expectPage(rule).toBeDisabled();
    await openSection(page, 'Profil');
    const secret = await addApplication(page);
    await openSection(page, 'Réglages');
    await rule.check();
    await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await openSection(page, 'Profil');
    // The admin's own step goes: the rule asks for another at once.
    await page.getByRole('button', { name: 'Retirer Mon téléphone' }).click();
    await page.getByLabel('Code à 6 chiffres de « Mon téléphone »').fill(await freshCode(secret));
    await page.getByRole('button', { name: 'Retirer', exact: true }).click();
    await page.waitForURL('**/auth/two-factor');
    await expectPage(page.getByRole('heading', { level: 1, name: 'Activez la double authentification' })).toBeVisible();
    // The secret is there before the page is left: one that is still being made would have the next one's name.
    await page.locator('[data-secret]').waitFor();
    await page.goto(`${server.origin()}/admin/dashboard`);
    await page.waitForURL('**/auth/two-factor');
    await typeFirstCode(page);
    await page.waitForURL('**/admin/dashboard');
    await openSection(page, 'Réglages');
    // Lifted, it waits for another admin (DF-24).
    await rule.click();
    await expectPage(page.getByText('C’est demandé.')).toBeVisible();
    await expectPage(rule).toBeChecked();
    await openSection(page, "Vue d'ensemble");
    await expectPage(page.getByText('a demandé de ne plus exiger la double authentification')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Confirmer le changement' })).toBeHidden();
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Retirer la demande' }).click();
    await expectPage(page.getByText('a demandé de ne plus exiger')).toBeHidden();
    await page.context().close();
  },
);
