import { choosePassword, expect, signIn, test } from '../support/company.ts';

test('[V-19][A-03][H-03] the admin opens the application with her temporary password, which is good once', async ({
  company,
}) => {
  const { page, errors } = await company.openWindow();
  const chosen = 'Un-mot-de-passe-bien-à-moi-2026';

  await signIn(page, company.admin.email, company.admin.temporaryPassword);
  await choosePassword(page, chosen);
  await page.waitForURL('**/admin/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(errors).toEqual([]);

  const other = await company.openWindow();
  await signIn(other.page, company.admin.email, company.admin.temporaryPassword);
  await expect(other.page.getByRole('alert')).toHaveText('Email ou mot de passe incorrect');
  await signIn(other.page, company.admin.email, chosen);
  await other.page.waitForURL('**/admin/dashboard');
});
