import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// CS-02, on a server of its own: its setting is the company's.

const server = realServer();
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

test('[CS-02] the admin makes the first referral count, sees who was refused, and decides otherwise with a reason', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 780 } });
  await openSection(page, 'Réglages');
  const setting = page.getByRole('form', { name: 'Premier parrain' });
  const months = setting.getByLabel('Priorité au premier parrain, en mois');
  await expectPage(months).toHaveValue('');
  await months.fill('61');
  await setting.getByRole('button', { name: 'Appliquer la priorité' }).click();
  await expectPage(setting.getByText('Indiquez un nombre de mois, de 1 à 60.')).toBeVisible();
  await months.fill('12');
  await setting.getByRole('button', { name: 'Appliquer la priorité' }).click();
  await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);

  const friend = { name: 'Amie Disputée', email: 'amie.disputee@exemple.fr' };
  const { data: sale } = await act<{ data: { id: string } }>(demoEmails.client, 'send-invitation-email', friend);
  const [other] = await read<{ id: string; email: string; full_name: string }>(
    demoEmails.admin,
    `profiles?select=id,email,full_name&role=eq.client&commercial_id=not.is.null&email=neq.${demoEmails.client}&order=id&limit=1`,
  );
  await expect(act(other?.email ?? '', 'send-invitation-email', friend)).rejects.toThrow('friend_referred_before');

  await page.goto(`${server.origin()}/admin/dashboard?section=ventes&vente=${sale.id}`);
  const refused = page.getByRole('region', { name: 'Autres parrains refusés' });
  await expectPage(refused.getByRole('link', { name: other?.full_name ?? '' })).toBeVisible();
  await expectNoOverflow(page);
  await refused.getByRole('button', { name: `Donner ce parrainage à ${other?.full_name}` }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Donner le parrainage' }).click();
  await expectPage(dialog.getByText('Veuillez indiquer la raison de ce choix')).toBeVisible();
  await dialog.getByLabel('Raison de ce choix').fill('Elle l’avait annoncé au téléphone.');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Donner le parrainage' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(page.getByText('Parrainage donné à un autre parrain')).toBeVisible();
  // The former referrer stands among the refused, and can be given it back.
  await expectPage(refused.getByRole('link', { name: other?.full_name ?? '' })).toHaveCount(0);
  await expectPage(refused.getByRole('button', { name: /^Donner ce parrainage à /u })).toHaveCount(1);
  const [now] = await read<{ friend_referrer_id: string }>(
    demoEmails.admin,
    `sales?select=friend_referrer_id&id=eq.${sale.id}`,
  );
  expect(now?.friend_referrer_id).toBe(other?.id);
  expect(errors).toEqual([]);
  await page.context().close();
});
