import type { Page } from '@playwright/test';
import { dayOf } from '@parrain/domain/date';
import { followUpDaysMax } from '@parrain/domain/forms/company-follow-ups';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Aujourd'hui », and the sheet after a call: the real server, the real pages, on a phone.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const open = (options: Parameters<typeof openAs>[2] = phone) => openAs('commercial', demoEmails.commercial, options);

interface Sale {
  id: string;
  status: string;
  follow_up: { private_note: string | null; call_back_on: string | null } | null;
}

const openFilter =
  'status=in.(pending,contacted,in_negotiation)&ready_for_validation=is.false&corrects_sale_id=is.null';
const openSales = () => read<Sale>(demoEmails.commercial, `sales?select=id,status&${openFilter}`);
/** Days since each referral that nobody contacted came, the youngest first. */
const ageInDays = async () => {
  const rows = await read<{ created_at: string }>(
    demoEmails.commercial,
    'sales?select=created_at&status=eq.pending&ready_for_validation=is.false&corrects_sale_id=is.null&order=created_at.desc',
  );
  return rows.map(({ created_at: at }) => Math.floor((Date.now() - Date.parse(at)) / 86_400_000));
};
const saleOf = async (name: string) => {
  const address = `sales?select=id,status,follow_up:follow_ups(private_note,call_back_on)&referred_contact_name=eq.${encodeURIComponent(name)}`;
  const [sale] = await read<Sale>(demoEmails.commercial, address);
  if (sale === undefined) throw new Error(`No referral of ${name}`);
  return sale;
};
const move = (id: string, body: object) =>
  act(demoEmails.commercial, 'sales-management', { action: 'update_status', sale_id: id, ...body });
const refer = (name: string, index: number) =>
  act(demoEmails.client, 'send-invitation-email', {
    name,
    email: `ami.${index}@exemple.fr`,
    phone: `06 11 22 33 ${String(10 + index)}`,
  });
const lateAfter = (days: number | null) =>
  act(demoEmails.admin, 'company-settings', {
    action: 'update_follow_ups',
    follow_up_days: days,
    follow_up_admin_days: null,
  });

const chip = (page: Page, name: string) => page.getByRole('radio', { name: new RegExp(`^${name}(?: \\d+)?$`, 'u') });
const choose = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filtrer par statut' }).getByText(name, { exact: true }).click();
const lineOf = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });

/** The person calls by the row, or writes, and is back from their phone: a browser without one dials nothing. */
async function call(page: Page, name: string) {
  await press(page, new RegExp(`^Appeler ${name}`, 'u'));
  await comeBack(page);
}

async function press(page: Page, way: RegExp) {
  await page.evaluate(() =>
    addEventListener(
      'click',
      (event) => (event.target as Element).closest('a[href^="tel:"], a[href^="mailto:"]') && event.preventDefault(),
    ),
  );
  await page.getByRole('link', { name: way }).click();
}

async function comeBack(page: Page) {
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate((visibility) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await show('hidden');
  await show('visible');
}

const longName = 'Marie-Charlotte de Montmorency-Beaumont d’Aubervilliers';
const friends = [
  'Ana Appelée',
  'Bob Rappelé',
  longName,
  'Denis Refusé',
  'Eva Signée',
  'Farid Nouveau',
  'Gina Nouvelle',
  'Hugo Absent',
  'Ines Écrite',
];

beforeAll(async () => {
  for (const [index, name] of friends.entries()) await refer(name, index);
});

describe('« Aujourd’hui » on a phone of 360 × 740', () => {
  beforeEach(() => lateAfter(7));
  afterEach(() => lateAfter(null));

  test('[UI-06] the list opens on it: six referrals whole in sight, 72 px each at most, read in one request', async () => {
    // Once it hears of changes, a page reads anew what it may have missed.
    const asked: string[] = [];
    let isLive = false;
    const { page, errors } = await open({
      ...phone,
      prepare: (opened) => {
        opened.on('websocket', () => (isLive = true));
        opened.on('request', (request) => {
          if (!isLive && request.url().includes('/rest/v1/sales?')) asked.push(request.url());
        });
        return Promise.resolve();
      },
    });
    await expectPage(chip(page, 'Aujourd’hui')).toBeChecked();
    await expectPage(page.getByRole('article').nth(6)).toBeVisible();
    await sectionStands(page, 'Parrainages reçus');
    expect(asked).toHaveLength(1);
    const boxes = await page.getByRole('article').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()));
    expect(boxes.filter(({ height }) => height > 72)).toEqual([]);
    const bar = await page.getByRole('navigation').last().boundingBox();
    expect(boxes.filter(({ bottom }) => bottom <= (bar?.y ?? 740)).length).toBeGreaterThanOrEqual(6);
    const buttons = page.getByRole('article').getByRole('link', { name: /^(?:Appeler|Écrire)/u });
    const small = await buttons.evaluateAll(
      (links) =>
        links.map((link) => link.getBoundingClientRect()).filter(({ width, height }) => width < 44 || height < 44)
          .length,
    );
    expect(small).toBe(0);
    expect((await lineOf(page, longName).boundingBox())?.height).toBeLessThanOrEqual(72);
    await expectNoOverflow(page);
    // High enough for the whole list: what lies under the phone's bar is scrolled to before it is pressed.
    await page.setViewportSize({ width: 360, height: 2400 });
    expect(await brokenRules(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-06] late, then due, then new, then waiting; each chip counts what its list holds; the row leads to the panel', async () => {
    const due = await saleOf('Bob Rappelé');
    await move(due.id, { status: 'contacted', call_back_on: dayOf(new Date()) });
    // The demo's history is drawn anew each day: few are late, so that of those that wait some are on the first page.
    const ages = await ageInDays();
    await lateAfter(Math.min(followUpDaysMax, (ages.at(-2) ?? 5) - 1));
    const { page } = await open();
    await expectPage(lineOf(page, 'Bob Rappelé')).toContainText('À rappeler aujourd’hui');
    const whys = async () =>
      (await page.getByRole('article').allInnerTexts()).map(
        (text) => /En retard|À rappeler|Nouveau|En attente depuis/u.exec(text)?.[0],
      );
    const found = await whys();
    expect(found).toEqual(found.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)));
    expect(new Set(found)).toEqual(new Set(order));
    for (const name of ['Aujourd’hui', 'En retard', 'À relancer']) {
      await choose(page, name);
      const counted = Number((await chip(page, name).locator('xpath=..').innerText()).replaceAll(/\D/gu, ''));
      expect(counted).toBeGreaterThan(0);
      // A page holds twenty.
      await expectPage(page.getByRole('article')).toHaveCount(Math.min(counted, 20));
    }
    await choose(page, 'Tous');
    await page.reload();
    await expectPage(chip(page, 'Tous')).toBeChecked();
    await choose(page, 'Aujourd’hui');
    await lineOf(page, 'Farid Nouveau').click({ position: { x: 60, y: 30 } });
    await expectPage(page.getByRole('dialog', { name: 'Farid Nouveau' }).getByText('Votre suivi')).toBeVisible();
    await page.context().close();
  });
});

const order: (string | undefined)[] = ['En retard', 'À rappeler', 'Nouveau', 'En attente depuis'];

describe('after a call', () => {
  test('[UI-06] two taps: the sheet is there on the way back; the outcome, and one save', async () => {
    const { page, errors } = await open();
    await call(page, 'Denis Refusé');
    const sheet = sheetOf(page);
    await expectPage(sheet.getByText('Après votre appel à Denis Refusé')).toBeVisible();
    await expectPage(sheet.getByRole('radio', { name: 'Contacté', exact: true })).toBeChecked();
    await sheet.getByText('Refusé', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    expect(await saleOf('Denis Refusé')).toMatchObject({ status: 'rejected' });
    await expectPage(lineOf(page, 'Denis Refusé')).toHaveCount(0);
    // It is offered once, and not forced.
    await call(page, 'Farid Nouveau');
    await expectPage(sheet.getByRole('radio', { name: 'Contacté', exact: true })).toBeFocused();
    await page.keyboard.press('Escape');
    await expectPage(sheet).toHaveCount(0);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expectPage(sheet).toHaveCount(0);
    expect(await saleOf('Farid Nouveau')).toMatchObject({ status: 'pending' });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-06] status, private note and day to call back leave in one request, and the row leaves the day', async () => {
    const { page, errors } = await open();
    const saved: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/functions/v1/sales-management')) saved.push(request.postData() ?? '');
    });
    await call(page, 'Ana Appelée');
    const sheet = sheetOf(page);
    await sheet.getByRole('button', { name: 'Demain' }).click();
    await sheet.getByLabel('Note privée').fill('Répondeur');
    expect(await brokenRules(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    await expectPage(lineOf(page, 'Ana Appelée')).toHaveCount(0);
    expect(saved).toHaveLength(1);
    const tomorrow = dayOf(new Date(Date.now() + 86_400_000));
    expect(await saleOf('Ana Appelée')).toMatchObject({
      status: 'contacted',
      follow_up: { private_note: 'Répondeur', call_back_on: tomorrow },
    });
    // Decided, it has no day to call back any more, and the one that was noted hinders nothing.
    await choose(page, 'Tous');
    await lineOf(page, 'Ana Appelée').getByRole('button', { name: 'Ana Appelée' }).click();
    await page.getByRole('dialog', { name: 'Ana Appelée' }).getByRole('button', { name: 'Mettre à jour' }).click();
    await sheet.getByText('Refusé', { exact: true }).click();
    await expectPage(sheet.getByLabel('Relancer le')).toHaveCount(0);
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    expect(await saleOf('Ana Appelée')).toMatchObject({ status: 'rejected' });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-06] « Pas de réponse » is one tap: the status stays, and it is to be called back tomorrow', async () => {
    const { page, errors } = await open();
    await call(page, 'Hugo Absent');
    const sheet = sheetOf(page);
    const unanswered = sheet.getByRole('button', { name: 'Pas de réponse' });
    await unanswered.click();
    await expectPage(sheet.getByRole('radio', { name: 'En attente', exact: true })).toBeChecked();
    await unanswered.click();
    await expectPage(sheet.getByRole('radio', { name: 'Contacté', exact: true })).toBeChecked();
    await expectPage(sheet.getByLabel('Relancer le')).toHaveValue('');
    await unanswered.click();
    expect(await brokenRules(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    const tomorrow = dayOf(new Date(Date.now() + 86_400_000));
    expect(await saleOf('Hugo Absent')).toMatchObject({
      status: 'pending',
      follow_up: { private_note: null, call_back_on: tomorrow },
    });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-06] a sheet that is being filled in is not replaced: that of who was called comes after it', async () => {
    const { page, errors } = await open();
    await press(page, /^Appeler Farid Nouveau/u);
    await lineOf(page, 'Ines Écrite').getByRole('button', { name: 'Ines Écrite' }).click();
    await page.getByRole('dialog', { name: 'Ines Écrite' }).getByRole('button', { name: 'Mettre à jour' }).click();
    const sheet = sheetOf(page);
    await sheet.getByLabel('Note privée').fill('À moitié écrit');
    await comeBack(page);
    await expectPage(sheet.getByText(/^Ines Écrite/u)).toBeVisible();
    await expectPage(sheet.getByLabel('Note privée')).toHaveValue('À moitié écrit');
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet.getByText('Après votre appel à Farid Nouveau')).toBeVisible();
    await expectPage(sheet.getByLabel('Note privée')).toHaveValue('');
    await sheet.getByRole('button', { name: 'Annuler' }).click();
    await expectPage(sheet).toHaveCount(0);
    expect((await saleOf('Ines Écrite')).follow_up?.private_note).toBe('À moitié écrit');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[UI-06] back from a mail the same sheet is there, and says what it is after', async () => {
    const { page } = await open();
    await lineOf(page, 'Ines Écrite').getByRole('button', { name: 'Ines Écrite' }).click();
    await press(page, /^Écrire à Ines Écrite/u);
    await comeBack(page);
    await expectPage(sheetOf(page).getByText('Après votre e-mail à Ines Écrite')).toBeVisible();
    await expectPage(sheetOf(page).getByRole('button', { name: 'Pas de réponse' })).toHaveCount(0);
    await page.context().close();
  });

  test('[UI-06] [DF-85] without a connection the sheet says so, closes, and has kept what was typed', async () => {
    const { page } = await open();
    await call(page, 'Farid Nouveau');
    const sheet = sheetOf(page);
    await sheet.getByLabel('Note privée').fill('Dans le tunnel');
    await page.context().setOffline(true);
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet.getByText(/Vérifiez votre connexion, puis réessayez/u)).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(sheet).toHaveCount(0);
    await page.context().setOffline(false);
    await call(page, 'Farid Nouveau');
    await expectPage(sheet.getByLabel('Note privée')).toHaveValue('Dans le tunnel');
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    expect(await saleOf('Farid Nouveau')).toMatchObject({
      status: 'contacted',
      follow_up: { private_note: 'Dans le tunnel' },
    });
    await page.context().close();
  });

  test('[UI-06] on a wide screen too each says why it is here, and since when', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    const line = lineOf(page, 'Ines Écrite');
    await expectPage(line).toContainText(/Nouveau · (?:à l’instant|il y a)/u);
    await choose(page, 'Tous');
    await expectPage(line).toBeVisible();
    await expectPage(line).not.toContainText('Nouveau');
    await page.context().close();
  });

  test('[UI-06] a day that is past is marked at its field, without a number of an error; the note says how long it may be', async () => {
    const { page } = await open();
    await call(page, 'Ines Écrite');
    const sheet = sheetOf(page);
    await sheet.getByLabel('Relancer le').fill('2020-01-01');
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet.getByLabel('Relancer le')).toHaveAttribute('aria-invalid', 'true');
    await expectPage(sheet.getByRole('alert')).toHaveText('Choisissez aujourd’hui ou une date à venir.');
    await expectPage(sheet.getByText(/ \/ 2000$/u).first()).toBeVisible();
    await page.context().close();
  });

  test('[UI-06] the two ways of a signature are told apart, the amount is in sight, and one’s own gain once it is known', async () => {
    const { page } = await open();
    await call(page, 'Eva Signée');
    const sheet = sheetOf(page);
    await sheet.getByText('Contrat signé et validé', { exact: true }).click();
    await expectPage(sheet.getByText(/^Définitif\s: vous ne pourrez plus rien modifier/u)).toBeVisible();
    await sheet.getByText('En attente validation finale', { exact: true }).click();
    await expectPage(sheet.getByText(/que vous pouvez modifier jusqu’à sa décision/u)).toBeVisible();
    const amount = sheet.getByLabel('Montant du contrat');
    const save = await sheet.getByRole('button', { name: 'Enregistrer' }).boundingBox();
    const box = await amount.boundingBox();
    expect((box?.y ?? 740) + (box?.height ?? 0)).toBeLessThan(save?.y ?? 0);
    await amount.fill('1 234,56');
    await sheet.getByLabel('Description du contrat').fill('Toiture');
    await sheet.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(sheet).toHaveCount(0);
    await choose(page, 'Tous');
    await lineOf(page, 'Eva Signée').getByRole('button', { name: 'Eva Signée' }).click();
    await page.getByRole('dialog', { name: 'Eva Signée' }).getByRole('button', { name: 'Mettre à jour' }).click();
    await expectPage(sheet.getByText(/^Votre commission prévue\s: 50,00/u)).toBeVisible();
    await amount.fill('2000');
    await expectPage(sheet.getByText(/^Votre commission prévue/u)).toHaveCount(0);
    await page.context().close();
  });
});

test('[UI-06] nothing to do: the last one done, the list says so; opened again, it is the whole list', async () => {
  const left = 'Gina Nouvelle';
  const last = await saleOf(left);
  for (const { id } of await openSales()) if (id !== last.id) await move(id, { status: 'rejected' });
  const { page, errors } = await open();
  await expectPage(page.getByRole('article')).toHaveCount(1);
  await call(page, left);
  await sheetOf(page).getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(page.getByText('Rien à faire aujourd’hui')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page.getByRole('button', { name: 'Voir tous les parrainages' }).click();
  await expectPage(lineOf(page, left)).toBeVisible();
  await page.goto(`${server.origin()}/commercial/dashboard?section=mes-clients`);
  await pickSection(page, 'Parrainages reçus');
  await expectPage(chip(page, 'Tous')).toBeChecked();
  await expectPage(lineOf(page, left)).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});
