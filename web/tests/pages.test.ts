import type { Page } from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstPage, readPage, type OrderColumn, type Page as ListPage } from '../app/api/transport/read-page.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection, plain } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// NV-07: lists page by keyset. The real server, every order of the screens, and the buttons in a real browser.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { act, decide, openAs, read: rowsAs, signIn } = dashboards(server.origin, openUrl);

type Role = keyof typeof demoEmails;

async function clientOf(role: Role): Promise<SupabaseClient> {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const { access_token: token } = await signIn(demoEmails[role]);
  return createClient(server.origin(), publishableKey, { accessToken: async () => token });
}

const newest: readonly OrderColumn[] = [{ column: 'created_at', desc: true }, { column: 'id' }];

describe('a walk through a list', () => {
  test.each([
    ['admin', 'sales', newest],
    ['admin', 'sales', [{ column: 'created_at' }, { column: 'id', desc: true }]],
    ['admin', 'sales', [{ column: 'referred_contact_name' }, { column: 'id' }]],
    [
      'admin',
      'sales',
      [
        { column: 'status', desc: true },
        { column: 'id', desc: true },
      ],
    ],
    ['admin', 'sales', [{ column: 'contract_amount', nulls: 'last' }, { column: 'id' }]],
    [
      'admin',
      'sales',
      [
        { column: 'contract_amount', desc: true, nulls: 'last' },
        { column: 'id', desc: true },
      ],
    ],
    ['commercial', 'sales', [{ column: 'validated_at', desc: true, nulls: 'first' }, ...newest]],
    ['commercial', 'client_summaries', [{ column: 'total_referrals', desc: true }, { column: 'id' }]],
    ['commercial', 'client_summaries', [{ column: 'revenue_generated' }, { column: 'id' }]],
    ['commercial', 'client_summaries', [{ column: 'full_name' }, { column: 'id' }]],
    ['admin', 'commission_payments', newest],
    ['client', 'commission_payments', [{ column: 'paid_at', desc: true }, { column: 'id' }]],
    ['admin', 'payment_requests', newest],
    ['admin', 'profiles', newest],
    [
      'admin',
      'audit_entries',
      [
        { column: 'at', desc: true },
        { column: 'id', desc: true },
      ],
    ],
    ['admin', 'commission_rates', [{ column: 'is_default', desc: true }, ...newest]],
  ] as const satisfies readonly (readonly [Role, string, readonly OrderColumn[]])[])(
    '[NV-07] the %s reads each row of %s once, forwards and backwards, ordered by %j',
    async (role, table, order: readonly OrderColumn[]) => {
      const client = await clientOf(role);
      const columns = [...new Set(['id', ...order.map(({ column }) => column)])].join(',');
      let reference = client.from(table).select(columns);
      for (const { column, desc = false, nulls } of order)
        reference = reference.order(column, {
          ascending: !desc,
          ...(nulls === undefined ? {} : { nullsFirst: nulls === 'first' }),
        });
      const all = ((await reference.limit(200)).data as unknown as { id: string }[]).map(({ id }) => id);
      expect(all.length).toBeGreaterThan(1);
      for (const pageSize of [Math.ceil(all.length / 2), Math.ceil(all.length / 9)]) {
        const read = (mark: string) =>
          readPage(
            (options) => client.from(table).select(columns, options).in('id', all),
            { mark, pageSize, order },
            (row) => (row as { id: string }).id,
          );
        expect(await walk(read, firstPage, 'next')).toEqual(all);
        expect(await walk(read, 'last', 'previous')).toEqual(all);
      }
    },
  );

  test('[NV-07] a mark that means nothing is the first page; a page whose rows are gone is the nearest', async () => {
    const client = await clientOf('admin');
    const read = (mark: string) =>
      readPage(
        (options) => client.from('sales').select('id,created_at', options),
        { mark, pageSize: 10, order: newest },
        (row) => (row as { id: string }).id,
      );
    const first = await read(firstPage);
    expect(first).toMatchObject({ from: 0, first: null, previous: null });
    for (const mark of ['3', 'null', '{"after":[1,2],"of":3}', '{"after":["x"],"at":1,"of":3}'])
      expect((await read(mark)).rows).toEqual(first.rows);
    const last = await read('last');
    const beyond = JSON.stringify({ after: ['1970-01-01', '00000000-0000-0000-0000-000000000000'], at: 9, of: 9 });
    expect((await read(beyond)).rows).toEqual(last.rows);
    const before = JSON.stringify({ before: ['2999-01-01', '00000000-0000-0000-0000-000000000000'], at: 9, of: 9 });
    expect((await read(before)).rows).toEqual(first.rows);
  });
});

/** The rows of a list page by page, from one end to the other, in the list's order; positions and counts add up on the way. */
async function walk(
  read: (mark: string) => Promise<ListPage<string>>,
  start: string,
  step: 'next' | 'previous',
): Promise<string[]> {
  const found: string[] = [];
  for (let mark: string | null = start; mark !== null;) {
    const page: ListPage<string> = await read(mark);
    if (step === 'next') {
      expect(page.from).toBe(found.length);
      found.push(...page.rows);
    } else {
      found.unshift(...page.rows);
      expect(page.from).toBe(page.rowCount - found.length);
    }
    mark = page[step];
  }
  return found;
}

interface ListOnScreen {
  role: Role;
  section: string;
  list: string;
  show?: (page: Page) => Promise<void>;
}

async function walkOnScreen({ role, section, list, show }: ListOnScreen): Promise<void> {
  const { page, errors } = await openAs(role, demoEmails[role]);
  await openSection(page, section);
  await show?.(page);
  const pager = page.getByRole('navigation', { name: `Pages : ${list}`, exact: true });
  const press = (name: string) => pager.getByRole('button', { name: `${name} : ${list}`, exact: true }).click();
  const at = async (pattern: RegExp) => {
    await expectPage.poll(async () => plain(await pager.locator('p').innerText())).toMatch(pattern);
    return plain(await pager.locator('p').innerText());
  };
  const start = await at(/^1–\d+ sur [\d ]+$/u);
  const [, size = '', total = ''] = /^1–(\d+) sur (.+)$/u.exec(start) ?? [];
  for (const name of ['Première page', 'Page précédente'])
    await expectPage(pager.getByRole('button', { name: `${name} : ${list}`, exact: true })).toBeDisabled();
  await press('Page suivante');
  await at(new RegExp(`^${Number(size) + 1}–[\\d ]+ sur ${total}$`, 'u'));
  await press('Page précédente');
  await at(new RegExp(`^1–${size} sur ${total}$`, 'u'));
  await press('Dernière page');
  await at(new RegExp(`–${total} sur ${total}$`, 'u'));
  for (const name of ['Page suivante', 'Dernière page'])
    await expectPage(pager.getByRole('button', { name: `${name} : ${list}`, exact: true })).toBeDisabled();
  // The keyboard stays where it was, and goes on from there.
  await expectPage(pager.getByRole('button', { name: 'Dernière page' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await at(new RegExp(`^(?!.*–${total} sur).* sur ${total}$`, 'u'));
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await at(new RegExp(`^1–${size} sur ${total}$`, 'u'));
  expect(errors).toEqual([]);
  await page.context().close();
}

/** « Parrainages reçus » opens on those of today. */
const showAll = (page: Page) =>
  page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();

describe('the pages of each list', () => {
  const lists: readonly ListOnScreen[] = [
    { role: 'admin', section: 'Ventes', list: 'Toutes les ventes' },
    { role: 'admin', section: 'Clients', list: 'Clients' },
    {
      role: 'admin',
      section: 'Commissions',
      list: 'Commissions créditées',
      show: (page) => page.getByText('Commissions créditées', { exact: true }).click(),
    },
    { role: 'admin', section: 'Demandes de paiement', list: 'Demandes de paiement' },
    { role: 'admin', section: 'Journal', list: 'Journal des actions' },
    { role: 'commercial', section: 'Parrainages reçus', list: 'Parrainages reçus', show: showAll },
    { role: 'commercial', section: "Contrats d'affiliation", list: 'Historique des commissions' },
    { role: 'commercial', section: 'Mes Clients', list: 'Clients invités' },
    { role: 'commercial', section: 'Mes Clients', list: 'Détail des parrainages par client' },
  ];

  // One list of admin and commercial is in the quick ring: the pager is one component.
  const isQuick = ({ list }: ListOnScreen) => ['Toutes les ventes', 'Parrainages reçus'].includes(list);
  test.each(lists.filter(isQuick))(
    '[NV-07] $role, « $section »: first, next, previous and last page of « $list »',
    walkOnScreen,
  );
  test.each(lists.filter((list) => !isQuick(list)))(
    '[NV-07] $role, « $section »: first, next, previous and last page of « $list »',
    { tags: 'long' },
    walkOnScreen,
  );

  test('[NV-07] on a phone each button is a target of 44 px', async () => {
    const { page } = await openAs('admin', demoEmails.admin, { viewport: { width: 360, height: 740 } });
    await page.getByRole('link', { name: 'Ventes' }).filter({ visible: true }).click();
    const buttons = page.getByRole('navigation', { name: 'Pages : Toutes les ventes' }).getByRole('button');
    await expectPage(buttons).toHaveCount(4);
    for (const button of await buttons.all())
      await expectPage
        .poll(async () => {
          const box = await button.boundingBox();
          return Math.min(box?.width ?? 0, box?.height ?? 0);
        })
        .toBeGreaterThanOrEqual(44);
    await expectNoOverflow(page);
    await page.context().close();
  });

  test('[NV-07][RT-01] a row that comes meanwhile makes none be skipped or shown twice', async () => {
    const { page } = await openAs('commercial', demoEmails.commercial);
    await openSection(page, 'Parrainages reçus');
    await showAll(page);
    const pager = page.getByRole('navigation', { name: 'Pages : Parrainages reçus' });
    const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
    await page.getByRole('article').first().waitFor();
    await expectPage(pager).toContainText(/sur \d/u);
    const first = await names();
    // Two friends may have one name.
    const texts = () => page.getByRole('article').allInnerTexts();
    const firstTexts = await texts();
    const total = Number(/sur (\d+)/u.exec(await pager.innerText())?.[1]);
    await act(demoEmails.client, 'send-invitation-email', { name: 'Arrivée Tardive', email: 'tardive@exemple.fr' });
    await expectPage(page.getByRole('button', { name: '1 nouveauté – Actualiser' })).toBeVisible();
    expect(await names()).toEqual(first);
    await pager.getByRole('button', { name: 'Page suivante' }).click();
    await expectPage(page.getByRole('article').first().getByRole('heading')).not.toHaveText(first[0] ?? '');
    expect((await texts()).filter((text) => firstTexts.includes(text))).toEqual([]);
    // The list is longer than when the walk began: where the page stands in it is not said any more.
    await expectPage(pager).toContainText(`${total + 1} au total`);
    await pager.getByRole('button', { name: 'Page précédente' }).click();
    await expectPage(page.getByRole('article').last().getByRole('heading')).toHaveText(first.at(-1) ?? '');
    await pager.getByRole('button', { name: 'Première page' }).click();
    await expectPage(page.getByRole('article').first().getByRole('heading')).toHaveText('Arrivée Tardive');
    await page.context().close();
  });

  test('[NV-07][AD-07] a sort, a filter and a search start at the first page', async () => {
    const { page } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Ventes');
    const range = page.getByRole('navigation', { name: 'Pages : Toutes les ventes' }).locator('p');
    const last = () => page.getByRole('button', { name: 'Dernière page' }).click();
    await last();
    await expectPage(range).not.toHaveText(/^1–/u);
    await page.getByRole('columnheader', { name: 'Client' }).getByRole('button').click();
    await expectPage(range).toHaveText(/^1–/u);
    await last();
    await expectPage(range).not.toHaveText(/^1–/u);
    await page.getByLabel('Filtrer par statut').click();
    await page.getByRole('option', { name: 'Validé par admin' }).click();
    await expectPage(range).toHaveText(/^1–/u);
    await last();
    await expectPage(range).not.toHaveText(/^1–/u);
    await page.getByLabel('Rechercher une vente').fill('a');
    await expectPage(range).toHaveText(/^1–/u);
    await page.context().close();
  });
});

describe('the pages of the lists that the demo company leaves short', { tags: 'long' }, () => {
  // More rows, as people would make them.
  beforeAll(async () => {
    for (let count = 1; count <= 22; count += 1)
      await act(demoEmails.admin, 'commission-management', {
        action: 'create_commission_rate',
        name: `Barème ${count}`,
        client_commission_type: 'percentage',
        client_commission_amount: '5',
        commercial_commission_type: 'fixed',
        commercial_commission_amount: '20',
      });
    for (let count = 1; count <= 20; count += 1)
      await act(demoEmails.admin, 'invite-commercial', {
        name: `Commercial Nouveau ${String.fromCodePoint(64 + count)}`,
        email: `nouveau${count}@exemple.fr`,
      });
    for (let count = 1; count <= 16; count += 1)
      await act(demoEmails.client, 'payment-request', {
        action: 'create',
        amount: '1.00',
        payment_method: 'remise_societe',
        payment_details: {},
      });
    for (let count = 1; count <= 19; count += 1)
      await act(demoEmails.client, 'send-invitation-email', {
        name: `Ami Numéro ${count}`,
        email: `ami${count}@exemple.fr`,
      });
    const [client] = await rowsAs<{ id: string }>(
      demoEmails.client,
      `profiles?select=id&email=eq.${demoEmails.client}`,
    );
    const friends = await rowsAs<{ id: string }>(
      demoEmails.commercial,
      `sales?select=id&status=eq.pending&referred_contact_name=like.Ami*&friend_referrer_id=eq.${client?.id}&limit=16`,
    );
    const signed = { contract_amount: '1000.00', contract_description: 'Toiture' };
    for (const { id } of friends) {
      await act(demoEmails.commercial, 'sales-management', {
        action: 'update_status',
        sale_id: id,
        status: 'validated',
        ...signed,
      });
      await decide('sales-management', { action: 'validate', sale_id: id });
    }
    const open = await rowsAs<{ id: string }>(
      demoEmails.commercial,
      'sales?select=id&status=in.(pending,contacted,in_negotiation)&ready_for_validation=is.false&limit=22',
    );
    for (const { id } of open)
      await act(demoEmails.commercial, 'sales-management', {
        action: 'update_status',
        sale_id: id,
        status: 'pending_validation',
        ...signed,
      });
  });

  test.each<ListOnScreen>([
    { role: 'admin', section: 'Validations', list: 'Contrats à valider' },
    { role: 'admin', section: 'Commerciaux', list: 'Commerciaux' },
    { role: 'admin', section: 'Commissions', list: 'Barèmes en vigueur' },
    { role: 'commercial', section: "Contrats d'affiliation", list: 'Contrats en attente de validation' },
    {
      role: 'commercial',
      section: 'Mes Clients',
      list: 'Parrainages de Sophie Marchand',
      show: (page) => page.getByRole('button', { name: 'Sophie Marchand', expanded: false }).click(),
    },
    { role: 'client', section: 'Mes Parrainages', list: 'Historique de mes parrainages' },
    { role: 'client', section: 'Contrats Validés', list: 'Contrats Validés' },
    { role: 'client', section: 'Mes Commissions', list: 'Détail des commissions' },
    { role: 'client', section: 'Demandes de Paiement', list: 'Historique des demandes' },
  ])('[NV-07] $role, « $section »: first, next, previous and last page of « $list »', walkOnScreen);
});
