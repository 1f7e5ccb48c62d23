import type { Page } from '@playwright/test';
import { menuItem } from './dashboards.ts';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage, type OpenOptions } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// Signing in, registering, passwords, and who may open which dashboard: the real server, the real pages.

const server = realServer();
const openUrl = chromiumPages();
const open = (path: string, options?: OpenOptions) => openUrl(server.origin() + path, options);

type DemoRole = keyof typeof demoEmails;
const roles: readonly DemoRole[] = ['admin', 'commercial', 'client'];

describe('signing in', () => {
  test.each(['/auth/login', '/login'])(
    '[A-01][R-02] %s asks for e-mail and password, and leads to the two other pages',
    async (path) => {
      const { page, errors } = await open(path);
      await expectPage(page.getByRole('heading', { level: 1, name: 'Se connecter' })).toBeVisible();
      await expectPage(page.getByLabel('E-mail')).toHaveAttribute('autocomplete', 'username');
      await expectPage(page.getByLabel('Mot de passe', { exact: true })).toHaveAttribute(
        'autocomplete',
        'current-password',
      );
      await expectPage(page.getByRole('link', { name: 'Mot de passe oublié ?' })).toHaveAttribute(
        'href',
        '/auth/forgot-password',
      );
      await expectPage(page.getByRole('link', { name: 'Créer un compte Client' })).toHaveAttribute(
        'href',
        '/auth/register',
      );
      await expectPage(page).toHaveTitle('Se connecter – Parrain');
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('[A-02] a hint lists the demo accounts with their shared password, and fills the form', async () => {
    const { page } = await open('/auth/login');
    const hint = page.getByRole('region', { name: 'Comptes de démonstration' });
    await expectPage(hint.getByText(demoPassword)).toBeVisible();
    for (const email of Object.values(demoEmails)) await expectPage(hint.getByText(email)).toBeVisible();
    await hint.getByRole('button', { name: `Utiliser ${demoEmails.client}` }).click();
    await expectPage(page.getByLabel('E-mail')).toHaveValue(demoEmails.client);
    await expectPage(page.getByLabel('Mot de passe', { exact: true })).toHaveValue(demoPassword);
    await page.context().close();
  });

  test('[A-01] a wrong password says so and keeps what was typed', async () => {
    const { page } = await open('/auth/login');
    await signIn(page, demoEmails.commercial, 'un autre mot de passe');
    await expectPage(page.getByRole('alert')).toHaveText('E-mail ou mot de passe incorrect');
    await expectPage(page.getByLabel('E-mail')).toHaveValue(demoEmails.commercial);
    await page.context().close();
  });

  test('[FX-14] opened under another name than the server’s own, the pages ask where they came from', async () => {
    const { page, errors } = await openUrl(`${server.origin().replace('localhost', '127.0.0.1')}/auth/login`);
    await signIn(page, demoEmails.client, demoPassword);
    await page.waitForURL('**/client/dashboard');
    await expectPage(page).toHaveURL((url) => url.hostname === '127.0.0.1');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test.each(roles)('[A-03][R-06] the %s goes to their own dashboard, whichever they ask for', async (role) => {
    const { page, errors } = await open('/auth/login');
    await signIn(page, demoEmails[role], demoPassword);
    await page.waitForURL(`**/${role}/dashboard`);
    for (const other of roles) {
      await page.goto(`${server.origin()}/${other}/dashboard`);
      await page.waitForURL(`**/${role}/dashboard`);
      await expectPage(page.getByRole('banner')).toBeVisible();
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test.each(roles)('[R-06][H-04] a visitor who asks for the dashboard of the %s goes to /login', async (role) => {
    const { page } = await open(`/${role}/dashboard`);
    await page.waitForURL('**/login');
    await expectPage(page).toHaveURL((url) => url.pathname === '/login');
    await page.context().close();
  });
});

describe('[UI-14] the public face', () => {
  test('the demo is entered in one click a role from the public page, and one role is left for another', async () => {
    const { page, errors } = await open('/');
    for (const [name, role] of [
      ['Admin', 'admin'],
      ['Client', 'client'],
      ['Commercial', 'commercial'],
    ] as const) {
      await page
        .getByRole('list', { name: /^Essayer la démo/u })
        .getByRole('link', { name, exact: true })
        .click();
      await page.waitForURL(`**/${role}/dashboard`);
      await expectPage(page.getByRole('button', { name: 'Déconnexion' })).toBeVisible();
      await page.goto(server.origin());
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[DF-28] a link from elsewhere enters nothing, and the form stays empty', async () => {
    const { page } = await open('/auth/login?demo=admin');
    await expectPage(page.getByRole('region', { name: 'Comptes de démonstration' })).toBeVisible();
    await expectPage(page.getByLabel('E-mail')).toHaveValue('');
    await expectPage(page).toHaveURL((url) => url.pathname === '/auth/login');
    await page.context().close();
  });

  test('where the demo refuses, the sign-in says so once, with what it sent', async () => {
    const { page } = await open('/', {
      async prepare(fresh) {
        await fresh.route('**/functions/v1/auth-signin', (route) =>
          route.fulfill({
            status: 401,
            json: { error: 'E-mail ou mot de passe incorrect', code: 'invalid_credentials' },
          }),
        );
      },
    });
    let tries = 0;
    page.on('request', (request) => (tries += Number(request.url().includes('auth-signin'))));
    await page.getByRole('link', { name: 'Client', exact: true }).click();
    await expectPage(page.getByRole('alert')).toHaveText('E-mail ou mot de passe incorrect');
    await expectPage(page.getByLabel('E-mail')).toHaveValue(demoEmails.client);
    expect(tries).toBe(1);
    await page.context().close();
  });

  test.each(['/auth/login', '/auth/register', '/auth/forgot-password'])(
    '%s stands under the company’s name from its first picture, and keeps it',
    async (path) => {
      const written = await open(path, { javaScriptEnabled: false });
      await expectPage(written.page.getByRole('banner')).toHaveText('Lumeo Habitat avec Parrain', {
        useInnerText: true,
      });
      await written.page.context().close();
      const { page, errors } = await open(path);
      await expectPage(
        page.getByRole('button', { name: /^(?:Se connecter|Créer mon compte|Recevoir le lien)$/u }),
      ).toBeEnabled();
      await expectPage(page.getByRole('banner')).toHaveText('Lumeo Habitat avec Parrain', { useInnerText: true });
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('who signs out is shown it too, without another page', async () => {
    const { page } = await signedIn('commercial');
    await page.getByRole('button', { name: 'Déconnexion' }).click();
    await expectPage(page.getByRole('heading', { level: 1, name: 'Se connecter' })).toBeVisible();
    await expectPage(page.getByRole('banner')).toHaveText('Lumeo Habitat avec Parrain', { useInnerText: true });
    await page.context().close();
  });
});

test('[A-03] whoever is signed in is led from the registration to their dashboard, as from the sign-in', async () => {
  const { page } = await signedIn('admin');
  await page.goto(`${server.origin()}/auth/register`);
  await page.waitForURL('**/admin/dashboard');
  await page.context().close();
});

describe('leaving', () => {
  test.each([
    ['admin', '/login'],
    ['commercial', '/login'],
    ['client', '/auth/login'],
  ] as const)('[R-02][R-03][S-10] the %s who signs out goes to %s, in every tab', async (role, path) => {
    const { page } = await signedIn(role);
    const second = await page.context().newPage();
    await second.goto(`${server.origin()}/${role}/dashboard`);
    await expectPage(second.getByRole('button', { name: 'Déconnexion' })).toBeVisible();
    await page.getByRole('button', { name: 'Déconnexion' }).click();
    for (const tab of [page, second]) {
      await tab.waitForURL('**/login');
      await expectPage(tab.getByRole('heading', { name: 'Se connecter' })).toBeVisible();
    }
    await expectPage(page).toHaveURL((url) => url.pathname === path);
    await page.context().close();
  });

  test.each([
    ['admin', 'Erreur: Session expirée, veuillez vous reconnecter', '/login'],
    ['commercial', 'Session expirée, veuillez vous reconnecter', '/login'],
    ['client', 'Votre session a expiré. Veuillez vous reconnecter.', '/auth/login'],
  ] as const)('[E-02] the %s whose session ended elsewhere reads « %s » at %s', async (role, sentence, path) => {
    const { page } = await signedIn(role);
    const { access_token: token } = await page.evaluate(
      () => JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { access_token: string },
    );
    const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
      publishableKey: string;
    };
    // A page that is open learns of it by itself, and forgets the session before it is loaded again.
    const dashboard = page.url();
    await page.goto('about:blank');
    const reply = await fetch(`${server.origin()}/auth/v1/logout?scope=global`, {
      method: 'POST',
      headers: { apikey: publishableKey, authorization: `Bearer ${token}` },
    });
    expect(reply.status).toBe(204);
    await page.goto(dashboard);
    await page.waitForURL('**/login');
    await expectPage(page).toHaveURL((url) => url.pathname === path);
    await expectPage(page.getByText(sentence, { exact: true })).toBeVisible();
    await page.context().close();
  });
});

describe('the header', () => {
  test.each([
    ['commercial', 'Commercial'],
    ['client', 'Client'],
  ] as const)('[H-01][H-02] the %s sees the company, their name, « %s » and a red way out', async (role, label) => {
    const { page } = await signedIn(role);
    const banner = page.getByRole('banner');
    await expectPage(banner.getByText('Lumeo Habitat')).toBeVisible();
    await expectPage(banner.getByText(label, { exact: true })).toBeVisible();
    const out = banner.getByRole('button', { name: 'Déconnexion' });
    const [danger, sheet] = await page.evaluate(() =>
      ['--danger', '--sheet'].map((token) => {
        const probe = document.createElement('i');
        probe.style.background = `var(${token})`;
        document.body.append(probe);
        const colour = getComputedStyle(probe).backgroundColor;
        probe.remove();
        return colour;
      }),
    );
    // Its word and its icon are red; it is not filled, or it would be the loudest button of every screen.
    await expectPage(out).toHaveCSS('color', String(danger));
    await expectPage(out.locator('svg')).toHaveCSS('color', String(danger));
    await expectPage(out).toHaveCSS('background-color', String(sheet));
    await expectPage(banner.getByRole('img')).toHaveCount(0);
    await page.context().close();
  });

  test('[H-03][AD-01] the admin has the bell, « Paramètres » and « Déconnexion » under « Dashboard Administrateur »', async () => {
    const { page } = await signedIn('admin');
    const banner = page.getByRole('banner');
    await expectPage(banner.getByRole('heading', { level: 1, name: 'Dashboard Administrateur' })).toBeVisible();
    await expectPage(banner.getByRole('button')).toHaveText(['Rechercher', '', 'Paramètres', 'Déconnexion']);
    await expectPage(banner.getByRole('button', { name: /^Notifications/u })).toBeVisible();
    await page.context().close();
  });
});

describe('the sections', () => {
  test.each(roles)(
    '[CO-01][AD-01][CL-01][NV-01] for the %s the path does not change, nor the commercial’s address; Back and reload keep the section, its title has the focus',
    async (role) => {
      const { page } = await signedIn(role);
      const menu = page.getByRole('navigation', { name: 'Sections' }).first();
      const second = menuItem(menu).nth(1);
      const name = ((await second.innerText()).split('\n')[0] ?? '').trim();
      await second.click();
      await expectPage(second).toHaveAttribute('aria-current', 'page');
      await expectPage(page.getByRole('heading', { level: 2, name }).first()).toBeFocused();
      await expectPage(page).toHaveTitle(`${name} – Lumeo Habitat`);
      await expectPage(page).toHaveURL(
        ({ pathname, search }) => pathname === `/${role}/dashboard` && (search === '') === (role === 'commercial'),
      );
      await page.reload();
      await expectPage(menuItem(menu).nth(1)).toHaveAttribute('aria-current', 'page');
      await page.goBack();
      await expectPage(menuItem(menu).first()).toHaveAttribute('aria-current', 'page');
      await page.context().close();
    },
  );
});

describe('registering', () => {
  test('[FX-74] the rules of a password and of a telephone are said before they are broken', async () => {
    const { page } = await open('/auth/register');
    for (const [label, rule] of [
      ['Téléphone', '06 12 34 56 78'],
      ['Mot de passe', '10 caractères au moins'],
    ] as const) {
      const field = page.getByLabel(label).first();
      const described = (await field.getAttribute('aria-describedby'))?.split(' ')[0] ?? '';
      await expectPage(page.locator(`[id="${described}"]`)).toContainText(rule);
    }
    await page.context().close();
  });

  test('[A-04] a field left for a button says its error after the click: the button stays under the pointer', async () => {
    const { page } = await open('/auth/register');
    const name = page.getByLabel('Nom complet');
    const phone = page.getByLabel('Téléphone (facultatif)');
    await page.evaluate(async () => void (await document.fonts.ready));
    // What is typed and left before the page's script has come is nobody's to check.
    await page.waitForLoadState('networkidle');
    await name.fill('Zoé');
    await name.fill('');
    const place = await phone.boundingBox();
    if (place === null) throw new Error('The field is on screen');
    await page.mouse.move(place.x + place.width / 2, place.y + place.height - 4);
    await page.mouse.down();
    await expectPage(name).toHaveAttribute('aria-invalid', 'true');
    expect(await phone.boundingBox()).toEqual(place);
    await expectPage(page.getByText('Le nom est requis')).toHaveCount(0);
    await page.mouse.up();
    await expectPage(page.getByText('Le nom est requis')).toBeVisible();
    await expectPage(phone).toBeFocused();
    await page.context().close();
  });

  test('[A-04][V-01] what is missing, wrong or different is said under its field, and nothing is sent', async () => {
    const { page } = await open('/auth/register');
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().includes('auth-signup')) sent += 1;
    });
    await expectPage(page.getByRole('heading', { level: 1, name: 'Inscription Client' })).toBeVisible();
    await page.getByRole('button', { name: 'Créer mon compte' }).click();
    for (const sentence of ['Le nom est requis', 'L’e-mail est requis', 'Le mot de passe est requis']) {
      await expectPage(page.getByText(sentence)).toBeVisible();
    }
    await expectPage(page.getByLabel('Nom complet')).toBeFocused();
    await expectPage(page.getByLabel('Téléphone (facultatif)')).not.toHaveAttribute('aria-invalid');
    await fillRegistration(page, 'difference@exemple.fr', 'quatre chevaux');
    await page.getByRole('button', { name: 'Créer mon compte' }).click();
    await expectPage(page.getByText('Les mots de passe ne correspondent pas')).toBeVisible();
    expect(sent).toBe(0);
    await page.context().close();
  });

  test('[A-05][A-06] the account is created, said to be, the login page follows, and it is a client', async () => {
    const { page } = await open('/auth/register');
    const email = 'zoe.lambert@exemple.fr';
    await fillRegistration(page, email);
    const sent = page.waitForRequest('**/functions/v1/auth-signup');
    await page.getByRole('button', { name: 'Créer mon compte' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ role: 'client', full_name: 'Zoé Lambert', email });
    await expectPage(page.getByText('Compte créé avec succès ! Vous pouvez maintenant vous connecter.')).toBeVisible();
    await page.waitForURL('**/auth/login');
    await signIn(page, email, 'quatre chevaux bleus');
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });

  test('[A-04] an address that is taken is refused in French, what was typed stays', async () => {
    const { page } = await open('/auth/register');
    await fillRegistration(page, demoEmails.client);
    await page.getByRole('button', { name: 'Créer mon compte' }).click();
    await expectPage(
      page
        .getByText(/e-?mail/iu)
        .filter({ hasText: /déjà/iu })
        .first(),
    ).toBeVisible();
    await expectPage(page.getByLabel('Nom complet')).toHaveValue('Zoé Lambert');
    await page.context().close();
  });
});

describe('passwords', () => {
  test('[R-07] the answer is the same whether the account exists or not', async () => {
    const answers: string[] = [];
    for (const email of [demoEmails.commercial, 'personne@exemple.fr']) {
      const { page } = await open('/auth/forgot-password');
      await askForLink(page, email);
      answers.push((await page.getByRole('status').first().innerText()).replace(email, '…'));
      await page.context().close();
    }
    expect(answers[0]).toBe(answers[1]);
  });

  test('[R-07][S-10] [UI-10] the mailed link leads to a new password and signs in; used again, it says so and offers a new one', async () => {
    const email = 'oubli@exemple.fr';
    const { page } = await open('/auth/register');
    await fillRegistration(page, email);
    await page.getByRole('button', { name: 'Créer mon compte' }).click();
    await page.waitForURL('**/auth/login');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('link', { name: 'Mot de passe oublié ?' }).click();
    await page.waitForURL('**/auth/forgot-password');
    // [UI-10] What was typed before is there, after a reload too.
    await expectPage(page.getByLabel('E-mail')).toHaveValue(email);
    await page.reload();
    await expectPage(page.getByLabel('E-mail')).toHaveValue(email);
    await askForLink(page, email);
    const link = /https?:\/\/[^\s"<>]*new-password[^\s"<>]*/u.exec(await server.mailbox.mailTo(email))?.[0] ?? '';
    await page.goto(link);
    await page.getByRole('button', { name: 'Continuer' }).click();
    await choosePassword(page, 'Nouveau-Parrain-2026');
    await page.waitForURL('**/client/dashboard');

    const { page: later } = await openUrl(link);
    await later.getByRole('button', { name: 'Continuer' }).click();
    await expectPage(later.getByText('Ce lien a expiré ou a déjà servi')).toBeVisible();
    await expectPage(later.getByRole('link', { name: 'Recevoir un nouveau lien' })).toHaveAttribute(
      'href',
      '/auth/forgot-password',
    );
    await signInAt(later, '/auth/login', email, 'Nouveau-Parrain-2026');
    await later.waitForURL('**/client/dashboard');
    await later.context().close();
    await page.context().close();
  });

  test('[V-19] a temporary password is replaced at the first sign-in, and opens nothing before that', async () => {
    const { page } = await signedIn('admin');
    const email = 'louis.neuf@exemple.fr';
    const { access_token: token } = await page.evaluate(
      () => JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { access_token: string },
    );
    const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
      publishableKey: string;
    };
    await fetch(`${server.origin()}/functions/v1/invite-commercial`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: publishableKey, authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'Louis Neuf', email, phone: null }),
    });
    await page.context().close();
    const temporary =
      /temporaire\s*:?\s*(?<password>[\w-]{16,})/u.exec(await server.mailbox.mailTo(email))?.groups?.['password'] ?? '';
    const { page: first } = await open('/login');
    await signIn(first, email, temporary);
    await first.waitForURL('**/auth/new-password');
    await expectPage(
      first.getByRole('heading', { level: 1, name: 'Choisissez un nouveau mot de passe' }),
    ).toBeVisible();
    await first.goto(`${server.origin()}/commercial/dashboard`);
    await first.waitForURL('**/auth/new-password');
    await choosePassword(first, 'Nouveau-Parrain-2026');
    await first.waitForURL('**/commercial/dashboard');
    await first.context().close();
  });
});

test.each([
  ['/auth/login', 'light', 1280],
  ['/auth/login', 'dark', 320],
  ['/auth/register', 'dark', 360],
  ['/auth/forgot-password', 'light', 360],
  ['/auth/new-password', 'dark', 1280],
  ['/nulle-part', 'light', 1280],
] as const)(
  '[R-01] no accessibility rule is broken on %s (%s, %i px), nothing overflows',
  async (path, colorScheme, width) => {
    const { page } = await open(path, { colorScheme, viewport: { width, height: 800 } });
    await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    await page.context().close();
  },
);

describe('other addresses', () => {
  test('[R-04] an unknown address says so in the two sentences, and leads home', async () => {
    const { page } = await open('/nulle-part');
    // UI-14: what happened and a way on stand above them, in French.
    await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('404Cette page n’existe pas');
    await expectPage(page.getByText('This page has not been generated', { exact: true })).toBeVisible();
    await expectPage(page.getByText('Tell me what you would like on this page', { exact: true })).toBeVisible();
    await page.getByRole('link', { name: 'Retour à l’accueil' }).click();
    await expectPage(page.getByRole('heading', { level: 1 })).toContainText('Chaque recommandation');
    await page.context().close();
  });

  test('[R-05] a page that fails shows « Unexpected Application Error! »', async () => {
    const { page } = await open('/auth/login');
    await page.route('**/assets/forgot-password-*.js', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'export default function Broken() { throw new Error("perdu"); }',
      }),
    );
    await page.getByRole('link', { name: 'Mot de passe oublié ?' }).click();
    await expectPage(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible();
    await expectPage(page.getByRole('link', { name: 'Retour à l’accueil' })).toBeVisible();
    await page.context().close();
  });

  test('[R-01][L-01] the public page runs under the server’s own script policy, and its links reach the application', async () => {
    const { page, errors } = await open('/');
    await page.getByRole('banner').getByRole('link', { name: 'Se connecter' }).click();
    await page.waitForURL('**/auth/login');
    await page.goto(`${server.origin()}/#calendly`);
    const form = page.locator('#calendly form');
    await form.getByLabel('Nom').fill('Anne Durand');
    await form.getByLabel('E-mail').fill('anne@exemple.fr');
    await form.getByRole('button', { name: 'Demander un rendez-vous' }).click();
    await expectPage(page.getByRole('heading', { name: 'Votre demande est enregistrée' })).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

async function signedIn(role: DemoRole) {
  const opened = await open('/auth/login');
  await signIn(opened.page, demoEmails[role], demoPassword);
  await opened.page.waitForURL(`**/${role}/dashboard`);
  await expectPage(opened.page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  return opened;
}

async function signInAt(page: Page, path: string, email: string, password: string): Promise<void> {
  await page.goto(server.origin() + path);
  await signIn(page, email, password);
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Mot de passe', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

async function fillRegistration(page: Page, email: string, confirmation = 'quatre chevaux bleus'): Promise<void> {
  await page.getByLabel('Nom complet').fill('Zoé Lambert');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Mot de passe', { exact: true }).fill('quatre chevaux bleus');
  await page.getByLabel('Confirmer le mot de passe').fill(confirmation);
}

async function askForLink(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Recevoir le lien' }).click();
  await expectPage(page.getByText('Demande enregistrée')).toBeVisible();
}

async function choosePassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Nouveau mot de passe').fill(password);
  await page.getByLabel('Confirmer le mot de passe').fill(password);
  await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
}
