import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// FD-01, on a server of its own: its rules are the company's.

const server = realServer();
const { act, decide, openAs, read } = dashboards(server.origin, chromiumPages());

test('[FD-01] the admin sees a doubtful case and its reasons, decides with a reason, and turns a rule off', async () => {
  const [client] = await read<{ id: string; full_name: string }>(
    demoEmails.client,
    'profiles?select=id,full_name&role=eq.client',
  );
  if (client === undefined) throw new Error('The demo company has its client');
  await act(demoEmails.client, 'send-invitation-email', {
    name: client.full_name,
    // Their own address but for a dot: alike by mail and by name.
    email: demoEmails.client.replace(/^./u, '$&.'),
  });
  const [doubt] = await read<{ id: string }>(
    demoEmails.admin,
    `doubtful_cases?select=id&payee_id=eq.${client.id}&status=eq.open`,
  );

  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 780 } });
  await page.getByRole('button', { name: /cas douteux à examiner/u }).click();
  await expectPage(page).toHaveURL(/section=cas-douteux&statut=open/u);
  await expectPage(page.getByRole('heading', { level: 2, name: 'Cas douteux' })).toBeVisible();
  await expectPage(page.getByRole('checkbox', { name: 'Beaucoup de parrainages en une heure' })).toBeChecked();
  await expectNoOverflow(page);
  expect(await brokenRules(page)).toEqual([]);

  await page.goto(`${server.origin()}/admin/dashboard?section=cas-douteux&cas=${doubt?.id}`);
  const panel = page.getByRole('dialog', { name: client.full_name });
  const reasons = panel.getByRole('region', { name: 'Raisons' });
  await expectPage(reasons.getByText('Un client se parraine lui-même')).toBeVisible();
  // Found by two comparisons, said once with both.
  await expectPage(reasons.getByRole('listitem')).toHaveCount(1);
  await expectPage(reasons.getByText('Adresse e-mail presque identique · Même nom')).toBeVisible();
  await expectNoOverflow(page);
  expect(await brokenRules(page)).toEqual([]);
  await panel.getByRole('button', { name: 'C’est une fraude' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'C’est une fraude' }).click();
  await expectPage(dialog.getByText('Veuillez indiquer la raison de votre décision')).toBeVisible();
  await dialog.getByLabel('Raison de la décision').fill('Il l’a reconnu au téléphone.');
  expect(await brokenRules(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'C’est une fraude' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(page.getByText('Décision enregistrée')).toBeVisible();
  await expectPage(panel.getByText('« Il l’a reconnu au téléphone. »').first()).toBeVisible();

  // From the case to its sale, which says of its case in turn.
  await panel.getByRole('link', { name: client.full_name }).last().click();
  await expectPage(page).toHaveURL(/section=ventes&vente=/u);
  await page.getByRole('link', { name: 'Voir les raisons' }).click();
  await expectPage(page).toHaveURL(/section=cas-douteux&cas=/u);
  await panel.getByRole('button', { name: 'Rien à signaler' }).click();
  await dialog.getByLabel('Raison de la décision').fill('C’est son père.');
  await dialog.getByRole('button', { name: 'Rien à signaler' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(panel.getByText('« C’est son père. »').first()).toBeVisible();
  await expectPage(panel.getByRole('button', { name: 'C’est une fraude' })).toHaveCount(0);

  await page.goto(`${server.origin()}/admin/dashboard?section=cas-douteux`);
  const rule = page.getByRole('checkbox', { name: 'Un client se parraine lui-même' });
  await expectPage(rule).toHaveAccessibleDescription(/1 sans suite/u);
  await rule.uncheck();
  await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
  const usual = page.getByRole('form', { name: 'Nombre habituel' });
  await usual.getByLabel('Parrainages habituels en une heure').fill('0');
  await usual.getByRole('button', { name: 'Appliquer' }).click();
  await expectPage(usual.getByText('Indiquez un nombre de parrainages, de 1 à 100.')).toBeVisible();
  await usual.getByLabel('Parrainages habituels en une heure').fill('5');
  await usual.getByRole('button', { name: 'Appliquer' }).click();
  await expectPage
    .poll(() => read(demoEmails.admin, 'doubt_rules?select=code,is_on,most&code=in.(burst,self_referral)&order=code'))
    .toEqual([
      { code: 'burst', is_on: true, most: 5 },
      { code: 'self_referral', is_on: false, most: null },
    ]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[FD-01] where the admin has the money kept, client and commercial read that a check is under way, not which, and have it once it is over',
  { tags: 'long' },
  async () => {
    await act(demoEmails.admin, 'doubtful-cases', {
      action: 'set_rule',
      rule: 'self_referral',
      is_on: true,
      most: null,
    });
    const admin = await openAs('admin', demoEmails.admin);
    await admin.page.goto(`${server.origin()}/admin/dashboard?section=cas-douteux`);
    await admin.page.getByRole('checkbox', { name: 'Retenir l’argent jusqu’à votre décision' }).check();
    await expectPage(admin.page.getByText('Paramètres enregistrés')).toBeVisible();

    const [client] = await read<{ full_name: string }>(demoEmails.client, 'profiles?select=full_name&role=eq.client');
    const { data: sale } = await act<{ data: { id: string } }>(demoEmails.client, 'send-invitation-email', {
      name: client?.full_name,
      email: 'ma.troisieme.adresse@exemple.fr',
    });
    await act(demoEmails.commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale.id,
      status: 'validated',
      contract_amount: '1000',
      contract_description: 'Contrat douteux',
    });
    await decide('sales-management', { action: 'validate', sale_id: sale.id });

    const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 780 } });
    await page.goto(`${server.origin()}/client/dashboard?section=mes-commissions`);
    const upcoming = page.getByRole('region', { name: 'Votre solde' });
    await expectPage(upcoming.getByText('Une vérification est en cours')).toBeVisible();
    await expectNoOverflow(page);
    expect(await brokenRules(page)).toEqual([]);
    const commercial = await openAs('commercial', demoEmails.commercial);
    await openSection(commercial.page, 'Mon compte');
    const ofCommercial = commercial.page.getByRole('list', { name: 'À venir' });
    await expectPage(ofCommercial.getByText('une vérification est en cours')).toBeVisible();
    expect(await brokenRules(commercial.page)).toEqual([]);

    const [seen] = await read<{ id: string; version: number }>(
      demoEmails.admin,
      `doubtful_cases?select=id,version&sale_id=eq.${sale.id}`,
    );
    await act(demoEmails.admin, 'doubtful-cases', {
      action: 'decide',
      case_id: seen?.id,
      seen_version: seen?.version,
      decision: 'cleared',
      reason: 'Un homonyme.',
    });
    await expectPage(upcoming.getByText('Une vérification est en cours')).toHaveCount(0);
    await expectPage(ofCommercial).toHaveCount(0);
    expect([...errors, ...admin.errors, ...commercial.errors]).toEqual([]);
    await page.context().close();
    await commercial.page.context().close();
    await admin.page.context().close();
  },
);

test('[FD-01] a client and a commercial find no trace of a case', async () => {
  for (const email of [demoEmails.client, demoEmails.commercial]) {
    for (const table of ['doubtful_cases', 'doubt_reasons', 'doubt_rules', 'doubt_rule_figures']) {
      expect([table, await read(email, `${table}?select=*`)]).toEqual([table, []]);
    }
    const sales = await read<{ id: string }>(email, 'sales?select=*,doubtful_cases(*)&limit=1000');
    expect(sales.length).toBeGreaterThan(0);
    expect(sales.filter((sale) => JSON.stringify(sale).includes('self_referral'))).toEqual([]);
  }
});
