import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// UI-04, on a server of its own: a batch takes every approved transfer there is.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

test('[UI-04][PO-01] above the amount of the second admin the dialog makes a draft alone', async () => {
  await act(demoEmails.admin, 'company-settings?action=update_release_above', {
    release_above: 1,
    seen: { release_above: null },
  });
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 740 } });
  await openSection(page, 'Virements groupés');
  await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
  const dialog = page.getByRole('alertdialog');
  await expectPage(dialog).toContainText('Au-dessus de 1,00 €, un autre administrateur valide');
  await expectPage(dialog.getByRole('form', { name: 'Fichier de la banque' })).toHaveCount(0);
  await expectPage(dialog.getByRole('button', { name: /^Préparer : /u })).toBeEnabled();
  await expectPage(dialog.getByRole('button', { name: /^Faire le fichier/u })).toHaveCount(0);
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[UI-04] the company’s account is asked for where money leaves; a day off is refused there, then one press makes the file', async () => {
  let isKept = false;
  /** The account that the demo company has, which the form has not seen. */
  let kept: unknown = null;
  const { page, errors } = await openAs('admin', demoEmails.admin, {
    viewport: { width: 1280, height: 800 },
    prepare: async (fresh) => {
      // As in a company that has not given its account: until the form sends one, the real server's answer is kept back.
      await fresh.route('**/functions/v1/company-settings?**', async (route) => {
        const url = route.request().url();
        if (url.includes('action=update_account')) {
          isKept = true;
          const sent = route.request().postDataJSON() as object;
          return route.fallback({ postData: JSON.stringify({ ...sent, seen: kept }) });
        }
        if (url.includes('action=account') && !isKept) {
          const answer = await route.fetch();
          kept = ((await answer.json()) as { data: unknown }).data;
          return route.fulfill({ response: answer, json: { success: true, data: null } });
        }
        if (url.includes('action=get')) {
          const answer = await route.fetch();
          const { data, ...rest } = (await answer.json()) as { data: object };
          return route.fulfill({ response: answer, json: { ...rest, data: { ...data, release_above: null } } });
        }
        return route.fallback();
      });
    },
  });
  await openSection(page, 'Virements groupés');
  await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
  const dialog = page.getByRole('alertdialog');
  const make = dialog.getByRole('button', { name: /^Faire le fichier : /u });
  await expectPage(make).toBeDisabled();
  const account = dialog.getByRole('form', { name: 'Compte de l’entreprise' });
  await account.getByLabel('Titulaire du compte').fill('Lumeo Habitat');
  await account.getByLabel('IBAN').fill('FR7630006000011234567890189');
  expect(await brokenRules(page)).toEqual([]);
  await account.getByRole('button', { name: 'Enregistrer le compte' }).press('Enter');
  await expectPage(dialog.getByText(/^Compte débité.: Lumeo Habitat, FR76 •••• •••• 0189$/u)).toBeVisible();
  await expectPage(make).toBeEnabled();
  await dialog.getByLabel('Jour d’exécution').fill('2027-01-01');
  await make.press('Enter');
  await expectPage(dialog.getByText('Choisissez un jour ouvré bancaire.')).toBeVisible();
  await dialog.getByLabel('Jour d’exécution').fill('2027-01-04');
  // The draft is made; the file waits for the other admin: the batch's page says what is left.
  await make.press('Enter');
  await expectPage(page.getByRole('heading', { level: 2, name: /^Virement n°/u })).toBeVisible();
  await expectPage(page.getByText('Le brouillon est prêt, son fichier n’a pas pu être fait')).toBeVisible();
  const [batch] = await read<{ status: string }>(
    demoEmails.admin,
    'batch_summaries?select=status&order=number.desc&limit=1',
  );
  expect(batch?.status).toBe('draft');
  expect(errors.filter((text) => !text.includes('40'))).toEqual([]);
  await page.context().close();
});
