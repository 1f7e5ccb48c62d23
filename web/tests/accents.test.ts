import { expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

const server = realServer();
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

/** « Maëlys » as a keyboard without accents has it. */
const bare = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
/** The first whose name has an accent. */
const accented = async (email: string, query: string, column: string) => {
  const names = (await read<Record<string, string>>(email, query)).map((row) => row[column] ?? '');
  const found = names.find((name) => bare(name) !== name.toLowerCase());
  if (found === undefined) throw new Error(`Nobody of ${query} has an accent`);
  return found;
};

for (const [section, label, query, column] of [
  ['Ventes', 'Rechercher une vente', 'sales?select=referred_contact_name&order=created_at', 'referred_contact_name'],
  ['Clients', 'Rechercher un client', 'profiles?select=full_name&role=eq.client&order=full_name', 'full_name'],
  [
    'Commerciaux',
    'Rechercher un commercial',
    'profiles?select=full_name&role=eq.commercial&order=full_name',
    'full_name',
  ],
  ['Contrôle des comptes', 'Rechercher une personne', 'payee_accounts?select=full_name&order=full_name', 'full_name'],
  ['Historique des paiements', 'Rechercher un paiement', 'payments_made?select=payee_name&order=at.desc', 'payee_name'],
] as const)
  test(
    `[NV-01] [NV-03] « ${section} » finds an accented name by its bare letters`,
    { tags: section === 'Ventes' ? [] : 'long' },
    async () => {
      const name = await accented(demoEmails.admin, query, column);
      const { page, errors } = await openAs('admin', demoEmails.admin);
      await openSection(page, section);
      await page.getByRole('searchbox', { name: label }).fill(bare(name));
      await expectPage(page).toHaveURL(/recherche=/u);
      await expectPage(page.getByRole('main').locator('tr, ul > li').filter({ hasText: name }).first()).toBeVisible();
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

test('[NV-01] [NV-03] so do « Parrainages reçus » of a commercial, and lists that embed people or sales', async () => {
  const query = 'sales?select=referred_contact_name&order=created_at.desc&limit=40';
  const name = await accented(demoEmails.commercial, query, 'referred_contact_name');
  const { page, errors } = await openAs('commercial', demoEmails.commercial);
  await page.getByRole('searchbox', { name: 'Rechercher un contact' }).fill(bare(name));
  await expectPage(page.getByText(/parrainages? trouvés?$/u)).toBeAttached();
  await expectPage(page.getByText(name).first()).toBeVisible();
  expect(errors).toEqual([]);
  for (const [list, embed, column] of [
    ['payment_requests', 'client:profiles', 'full_name'],
    ['commission_payments', 'sale:sales', 'referred_contact_name'],
  ] as const) {
    const [as] = embed.split(':');
    const rows = (search: string) =>
      read<Record<string, Record<string, string>>>(
        demoEmails.admin,
        `${list}?select=id,${embed}!inner(${column})${search}&order=id`,
      );
    const all = (await rows('')).map((row) => row[as ?? '']?.[column] ?? '');
    const one = all.find((found) => bare(found) !== found.toLowerCase()) ?? '';
    const found = await rows(`&${as}.or=(terms.like.${encodeURIComponent(`"%${bare(one)}%"`)})`);
    expect([
      list,
      found.length > 0,
      found.every((row) => bare(row[as ?? '']?.[column] ?? '').includes(bare(one))),
    ]).toEqual([list, true, true]);
  }
});

test('[NV-03] [X-03] so do the persons and the authors of the journal', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Journal');
  for (const [picker, role] of [
    ['Rechercher une personne ou un contrat', 'client'],
    ['Filtrer par auteur', 'commercial'],
  ] as const) {
    const query = `profiles?select=full_name&role=eq.${role}&order=full_name`;
    const name = await accented(demoEmails.admin, query, 'full_name');
    await page.getByRole('combobox', { name: picker }).click();
    await page.getByRole('combobox', { name: 'Nom ou e-mail' }).fill(bare(name));
    await page.getByRole('option', { name }).first().click();
    await expectPage(page.getByRole('combobox', { name: picker })).toHaveText(name);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[NV-03] [TM-04] so do the recipients of « Messages envoyés »', async () => {
  await act(demoEmails.admin, 'invite-client', { name: 'Anaïs Écrite', email: 'invitee@exemple.fr' });
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Messages envoyés');
  await page.getByRole('searchbox', { name: 'Rechercher un destinataire' }).fill('anais ecrite');
  const rows = page.getByRole('table', { name: 'Messages envoyés' }).locator('tbody tr');
  await expectPage(rows).toHaveCount(1);
  await expectPage(rows).toContainText('Anaïs Écrite');
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[NV-03] [PO-02] so do the lines of a batch', async () => {
  const name = await accented(demoEmails.admin, 'batch_lines?select=client_name&order=id', 'client_name');
  const of = `batch_lines?select=batch_id&client_name=eq.${encodeURIComponent(name)}&limit=1`;
  const [line] = await read<{ batch_id: string }>(demoEmails.admin, of);
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await page.goto(`${server.origin()}/admin/dashboard?section=virements&virement=${line?.batch_id}`);
  await page.getByRole('searchbox', { name: 'Rechercher une ligne' }).fill(bare(name));
  const rows = page.getByRole('table', { name: 'Lignes' }).locator('tbody tr');
  await expectPage(rows.filter({ hasText: name }).first()).toBeVisible();
  await expectPage(rows.filter({ hasNotText: name })).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
