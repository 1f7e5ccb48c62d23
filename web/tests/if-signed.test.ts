import { expect, test } from 'vitest';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// SC-05: « Si ce contrat signe à … », for the commercial and the client of a referral.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs, read } = dashboards(server.origin, openUrl);

const sections = { commercial: 'parrainages-recus', client: 'mes-parrainages' } as const;

test('[SC-05] commercial and client read in a referral what an amount would earn them, step by step; a wrong amount is said beside its field', async () => {
  for (const role of ['commercial', 'client'] as const) {
    const [sale] = await read<{ id: string }>(
      demoEmails[role],
      'sales?select=id&status=in.(contacted,in_negotiation)&order=created_at.desc&limit=1',
    );
    const { page, errors } = await openAs(role, demoEmails[role], { viewport: { width: 360, height: 740 } });
    await page.goto(`${server.origin()}/${role}/dashboard?section=${sections[role]}&parrainage=${sale?.id}`);
    const panel = page.getByRole('dialog');
    const amount = panel.getByRole('textbox', { name: 'Si ce contrat signe à' });
    const button = panel.getByRole('button', { name: 'Calculer ma commission' });
    for (const [typed, said] of [
      ['mille', 'Le montant doit être un nombre d’euros'],
      ['0', 'Le montant du contrat doit être supérieur à 0'],
    ] as const) {
      await amount.fill(typed);
      await button.press('Enter');
      await expectPage(panel.getByText(said)).toBeVisible();
    }
    await amount.fill('5 000');
    await amount.press('Enter');
    await expectPage(panel.getByText('Votre commission', { exact: true })).toBeVisible();
    await expectPage(panel.getByText('Une estimation d’aujourd’hui')).toBeVisible();
    await expectNoOverflow(page);
    expect(errors).toEqual([]);
    await page.context().close();
  }
});
