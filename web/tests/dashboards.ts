import type { Locator, Page } from '@playwright/test';
import { expectPage, type OpenOptions } from './chromium.ts';
import { demoEmails, demoPassword } from './real-server.ts';

type Open = (url: string, options?: OpenOptions) => Promise<{ page: Page; errors: string[] }>;

/** A password that people choose for themselves; the demo's is public. */
export const ownPassword = 'Choisi-Parrain-2026';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Helpers of the dashboards' tests: people over HTTP, and a page that opens signed in. */
export function dashboards(origin: () => string, openUrl: Open) {
  const key = async () =>
    ((await (await fetch(`${origin()}/config.json`)).json()) as { publishableKey: string }).publishableKey;

  async function call(path: string, token: string | undefined, init: RequestInit): Promise<Response> {
    return fetch(origin() + path, {
      ...init,
      headers: {
        apikey: await key(),
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
  }

  /** The passwords that people chose: at their registration, or in the place of a temporary one. */
  const chosen = new Map<string, string>();

  async function signIn(email: string, password = chosen.get(email) ?? demoPassword): Promise<Tokens> {
    const reply = await call('/auth/v1/token?grant_type=password', undefined, {
      method: 'POST',
      body: JSON.stringify({ email, password }),
    });
    if (!reply.ok) throw new Error(`${email} cannot sign in: ${await reply.text()}`);
    return (await reply.json()) as Tokens;
  }

  /** Open sessions, by address: a password costs the processor as much as many calls. */
  const sessions = new Map<string, Promise<Tokens>>();

  /** A call as someone, signed in once; again by a given password, or where that session has ended meanwhile. */
  async function callAs(email: string, password: string | undefined, path: string, init: RequestInit) {
    const known = password === undefined ? sessions.get(email) : undefined;
    if (known !== undefined) {
      const reply = await call(path, (await known).access_token, init);
      if (reply.status !== 401) return reply;
    }
    const session = signIn(email, password);
    sessions.set(email, session);
    return call(path, (await session).access_token, init);
  }

  /** A product function, called as someone; gives its answer. */
  async function act<ResponseBody>(
    email: string,
    name: string,
    body: object,
    password?: string,
  ): Promise<ResponseBody> {
    const reply = await callAs(email, password, `/functions/v1/${name}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${name}: ${await reply.text()}`);
    return (await reply.json()) as ResponseBody;
  }

  /** Rows of the REST layer, read as someone. */
  async function read<Row>(email: string, query: string, password?: string): Promise<Row[]> {
    const reply = await callAs(email, password, `/rest/v1/${query}`, {
      method: query.startsWith('rpc/') ? 'POST' : 'GET',
      ...(query.startsWith('rpc/') ? { body: '{}' } : {}),
    });
    if (!reply.ok) throw new Error(`${query}: ${await reply.text()}`);
    return (await reply.json()) as Row[];
  }

  /** A decision of the admin on what is there, as a screen that was just read sends it (FX-11); the forecast scale is the sale's. */
  async function decide(
    name: string,
    body: { sale_id?: string | undefined; request_id?: string | undefined; [field: string]: unknown },
  ): Promise<void> {
    const { sale_id: saleId, request_id: requestId } = body;
    const [seen] = await read<Record<string, unknown>>(
      demoEmails.admin,
      saleId === undefined
        ? `payment_requests?select=seen_version:version,expected_amount:amount&id=eq.${requestId}`
        : 'sales?select=seen_version:version,expected_contract_amount:contract_amount,' +
            'expected_client_commission_amount:client_commission_amount,' +
            `expected_commercial_commission_amount:commercial_commission_amount&id=eq.${saleId}`,
    );
    await act(demoEmails.admin, name, { ...seen, ...body });
  }

  /** Replaces a temporary password by another, as its owner would at the first sign-in (V-19). */
  async function choosePassword(email: string, temporary: string): Promise<void> {
    const { access_token: token } = await signIn(email, temporary);
    const reply = await call('/auth/v1/user', token, {
      method: 'PUT',
      body: JSON.stringify({ password: ownPassword }),
    });
    sessions.delete(email);
    if (!reply.ok) throw new Error(`${email} cannot choose a password: ${await reply.text()}`);
    chosen.set(email, ownPassword);
  }

  /** A client who registers with a password of their own: the demo's is refused for new accounts. */
  async function register(email: string, fullName: string): Promise<void> {
    const reply = await call('/functions/v1/auth-signup', undefined, {
      method: 'POST',
      body: JSON.stringify({ email, password: ownPassword, full_name: fullName, phone: null, role: 'client' }),
    });
    if (!reply.ok) throw new Error(`${email} cannot register: ${await reply.text()}`);
    chosen.set(email, ownPassword);
  }

  /** The role's dashboard, open and signed in. */
  async function openAs(
    role: 'admin' | 'commercial' | 'client',
    email: string,
    options: OpenOptions & { password?: string } = {},
  ) {
    const { password, prepare, ...rest } = options;
    const session = await signIn(email, password);
    return openUrl(`${origin()}/${role}/dashboard`, {
      ...rest,
      prepare: async (page) => {
        // Kept in the tab: a session that a page has ended does not come back at a reload.
        await page.addInitScript(
          (text) => {
            if (sessionStorage.getItem('signed-in') === null) localStorage.setItem('parrain-session', text);
            sessionStorage.setItem('signed-in', 'yes');
          },
          JSON.stringify({ ...session, token_type: 'bearer', expires_at: Math.floor(Date.now() / 1000) + 3600 }),
        );
        await prepare?.(page);
      },
    });
  }

  return { act, choosePassword, decide, openAs, read, register, signIn };
}

/** Opens a section by its name, wherever the way to it stands. */
export async function openSection(page: Page, name: string): Promise<void> {
  await pickSection(page, name);
  await page.getByRole('heading', { level: 2, name }).waitFor();
}

/** The section's title stands, and nothing in it is being fetched or read anew: its rows are those that stay. */
export async function sectionStands(page: Page, name: string | RegExp): Promise<void> {
  await expectPage(page.getByRole('heading', { level: 2, name })).toBeVisible();
  await nothingComes(page);
}

/** Nothing in the page is being fetched or read anew. */
export async function nothingComes(page: Page): Promise<void> {
  const main = page.locator('main');
  await expectPage(main.locator('[aria-busy="true"]')).toHaveCount(0);
  await expectPage(main.getByText(/^Chargement/u)).toHaveCount(0);
}

interface SectionTab {
  /** The word of the menu that leads there; « Réglages » stands behind « Paramètres ». */
  menu: string;
  /** Names the tabs. */
  tabs: string;
  word: string;
}

const tabOf = (menu: string, word: string, tabs = menu): SectionTab => ({ menu, tabs, word });
/** The admin's sections that are tabs of another one, by their names. */
const sectionTabs: ReadonlyMap<string | RegExp, SectionTab> = new Map([
  ['Virements groupés', tabOf('Demandes de Paiement', 'Virements', 'Paiements')],
  ['Commissions des commerciaux', tabOf('Demandes de Paiement', 'Commerciaux', 'Paiements')],
  ['Historique des paiements', tabOf('Demandes de Paiement', 'Historique', 'Paiements')],
  ['Réseau', tabOf('Clients', 'Réseau')],
  ['Cas douteux', tabOf('Validations', 'Cas douteux')],
  ['Contrôle des comptes', tabOf('Comptabilité', 'Contrôle')],
  ['Réglages', tabOf('Réglages', 'Réglages')],
  ['Intégrations', tabOf('Réglages', 'Intégrations')],
  ['Journal', tabOf('Réglages', 'Journal')],
  ['Messages envoyés', tabOf('Réglages', 'Messages envoyés')],
  ['État du système', tabOf('Réglages', 'État du système')],
]);

async function openTab(page: Page, { tabs, word }: SectionTab): Promise<void> {
  // A count may stand beside the word.
  await page
    .getByRole('navigation', { name: tabs, exact: true })
    .getByRole('link', { name: new RegExp(`^${word}`, 'u') })
    .click();
}

/** Chooses a section: in the rail or a phone's bar, else as a tab, behind a phone's « Plus », or from a wide screen's header. */
export async function pickSection(page: Page, name: string | RegExp): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Sections', exact: true }).filter({ visible: true });
  await menu.waitFor();
  if ((await menuItem(menu, name).count()) > 0) return menuItem(menu, name).click();
  const tab = sectionTabs.get(name);
  if (tab !== undefined && tab.menu !== name) {
    await pickSection(page, tab.tabs === 'Paiements' ? /^(?:Demandes de Paiement|Paiements)/u : tab.menu);
    return openTab(page, tab);
  }
  const plus = menu.getByRole('button', { name: 'Plus' });
  if ((await plus.count()) === 0) return pickFromHeader(page, name);
  await plus.click();
  const more = page.getByRole('dialog', { name: 'Sections' });
  // It slides in: a press that began on a word may end beside it, and is then no click.
  await expectPage(async () => {
    if (await more.isVisible()) await menuItem(more, name).click({ timeout: 10_000 });
    await expectPage(more).toBeHidden({ timeout: 5000 });
  }).toPass();
}

/** The settings stand behind « Paramètres », one's own account behind one's initials. */
async function pickFromHeader(page: Page, name: string | RegExp): Promise<void> {
  const header = page.getByRole('banner');
  if (name !== 'Réglages') return header.getByRole('link', { name }).click();
  await header.getByRole('button', { name: 'Paramètres' }).click();
  await page.getByRole('link', { name: 'Tous les réglages' }).click();
}

/** The sections of a role's dashboard, by the words that lead to them; the admin's payments have their tabs. */
export async function sectionsOf(page: Page, role: string): Promise<string[]> {
  const items = menuItem(page.getByRole('navigation', { name: 'Sections' }).first());
  await items.first().waitFor();
  // A count stands under some words of the menu.
  const sections = (await items.allInnerTexts()).map((text) => (text.split('\n')[0] ?? '').trim());
  return role === 'admin' ? [...sections, ...[...sectionTabs.keys()].map(String), 'Profil'] : sections;
}

/** A section's word in the menu (NV-01), or the « Plus » of a phone's bar. */
export function menuItem(menu: Locator, name?: string | RegExp): Locator {
  const named = name === undefined ? {} : { name };
  return menu.getByRole('link', named).or(menu.getByRole('button', named));
}

/** A card's figure, as it reads on screen with plain spaces. */
export async function figure(page: Page, label: string): Promise<string> {
  const value = page
    .locator('dl', { has: page.getByText(label, { exact: true }) })
    .locator('dd')
    .first();
  await value.filter({ hasText: /\d/u }).waitFor();
  return plain(await value.innerText());
}

/** Expectation on a card's figure, polled until it holds. */
export const expectFigure = (page: Page, label: string) =>
  expectPage.poll(() => figure(page, label), { message: label });

/** The name of a mailbox made of a person's: « Gérard Ami » gives « gerard.ami ». */
export const mailName = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z]+/gu, '.');

/** A person's card in a directory, by a text of it. */
export const cardOf = (page: Page, list: string, text: string) =>
  page.getByRole('list', { name: list, exact: true }).locator('> li').filter({ hasText: text });

/** Shows a directory as a list. */
export const showAsList = (page: Page) => page.getByRole('radio', { name: 'Liste' }).check({ force: true });

/** Expectation on an element's text, polled until it holds, as it reads on screen with plain spaces. */
export const expectText = (element: Locator) => expectPage.poll(async () => plain(await element.innerText()));

/** Text with the spaces and the minus of French typography made plain. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\u00a0\u202f]/gu, ' ')
    .replaceAll('−', '-')
    .trim();
}

/** Euros of the wire as the screens show them. */
export function euros(amount: number): string {
  return plain(new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' }).format(amount));
}
