import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage, type OpenOptions } from './chromium.ts';
import { dashboards, mailName, openSection, ownPassword, pickSection, sectionStands } from './dashboards.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';
import { addApplication, freshCode, virtualAuthenticator, wrongCode } from './second-steps.ts';

// Protection of an account, on the real server and in a real browser: second steps, keys, devices, addresses, leaving.

const server = realServer();
const openUrl = chromiumPages();
const { act, choosePassword, openAs, register } = dashboards(server.origin, openUrl);
const open = (path: string, options?: OpenOptions) => openUrl(server.origin() + path, options);

describe('the second step', () => {
  test('[CL-09][AU-17] the keyboard alone adds an application; at the next sign-in its code is asked, and goes by itself', async () => {
    const email = await newClient('Tania Totp');
    const { page, errors } = await openAs('client', email);
    await openSection(page, 'Profil');
    await expectPage(page.getByText('Désactivée')).toBeVisible();
    const secret = await addApplication(page, { byKeyboard: true });
    await expectPage(page.getByText('Activée', { exact: true })).toBeVisible();
    await expectPage(page.getByText('Mon téléphone', { exact: true })).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();

    const { page: later } = await open('/auth/login');
    await signIn(later, email);
    await expectPage(later.getByRole('heading', { level: 1, name: 'Confirmez votre identité' })).toBeVisible();
    const field = later.getByLabel('Code à 6 chiffres');
    await expectPage(field).toBeFocused();
    await expectPage(field).toHaveAttribute('autocomplete', 'one-time-code');
    expect(await brokenRules(later)).toEqual([]);
    await later.keyboard.type(wrongCode(secret));
    await expectPage(later.getByText('Ce code n’est pas le bon', { exact: false })).toBeVisible();
    await expectPage(field).toHaveValue('');
    // A dashboard asked for meanwhile leads back here: nothing opens before.
    await later.goto(`${server.origin()}/client/dashboard`);
    await later.waitForURL('**/auth/login');
    await later.getByLabel('Code à 6 chiffres').fill(await freshCode(secret));
    await later.waitForURL('**/client/dashboard');
    await later.context().close();
  });

  test('[AU-17] « Revenir à la connexion » leaves the half-open session behind', { tags: 'long' }, async () => {
    const email = await newClient('Rémi Retour');
    const { page } = await openAs('client', email);
    await openSection(page, 'Profil');
    await addApplication(page);
    await page.context().close();
    const { page: later } = await open('/auth/login');
    await signIn(later, email);
    await later.getByRole('button', { name: 'Revenir à la connexion' }).click();
    await expectPage(later.getByRole('heading', { level: 1, name: 'Se connecter' })).toBeVisible();
    await later.reload();
    await expectPage(later.getByLabel('E-mail')).toBeVisible();
    await later.context().close();
  });

  test('[CL-09][AU-17] codes de secours: shown once, one opens the account, and takes the lost phone off it', async () => {
    const email = await newClient('Sacha Secours');
    const { page } = await openAs('client', email);
    await openSection(page, 'Profil');
    await addApplication(page);
    await page.getByRole('button', { name: 'Créer les codes de secours' }).click();
    const dialog = page.getByRole('dialog', { name: 'Vos codes de secours' });
    await expectPage(dialog.getByRole('listitem')).toHaveCount(10);
    expect(await brokenRules(page)).toEqual([]);
    const codes = await dialog.getByRole('listitem').allInnerTexts();
    await dialog.getByRole('button', { name: 'Je les ai gardés' }).click();
    await expectPage(page.getByText('10 codes encore valables')).toBeVisible();
    await page.context().close();

    const { page: later } = await open('/auth/login');
    await signIn(later, email);
    await later.getByRole('button', { name: 'Codes de secours' }).click();
    await later.getByLabel('Code de secours').fill('aaaa-bbbb-cccc-dddd');
    await later.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await expectPage(later.getByText('Ce code n’est pas le bon, ou il a déjà servi.')).toBeVisible();
    await later.getByLabel('Code de secours').fill(codes[0] ?? '');
    await later.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await later.waitForURL('**/client/dashboard');
    await openSection(later, 'Profil');
    await later.getByRole('button', { name: 'Retirer Mon téléphone' }).click();
    await later.getByRole('button', { name: 'Utiliser un code de secours' }).click();
    await later.getByLabel('Code de secours').fill(codes[1] ?? '');
    await later.getByRole('button', { name: 'Retirer', exact: true }).click();
    await expectPage(later.getByText('Désactivée')).toBeVisible();
    await later.reload();
    await expectPage(later.getByText('Désactivée')).toBeVisible();
    await later.context().close();
  });

  test(
    '[CL-09][AU-17] removing it asks for its code, and the password alone is enough again',
    { tags: 'long' },
    async () => {
      const email = await newClient('Rita Retrait');
      const { page } = await openAs('client', email);
      await openSection(page, 'Profil');
      const secret = await addApplication(page);
      await page.getByRole('button', { name: 'Retirer Mon téléphone' }).click();
      const dialog = page.getByRole('alertdialog');
      await expectPage(dialog.getByRole('button', { name: 'Retirer', exact: true })).toBeDisabled();
      await dialog.getByLabel('Code à 6 chiffres de « Mon téléphone »').fill(await freshCode(secret));
      await dialog.getByRole('button', { name: 'Retirer', exact: true }).click();
      await expectPage(page.getByText('Désactivée')).toBeVisible();
      await page.context().close();
      const { page: later } = await open('/auth/login');
      await signIn(later, email);
      await later.waitForURL('**/client/dashboard');
      await later.context().close();
    },
  );

  test(
    '[CL-09][AU-17] a security key is added and asked for, with a virtual authenticator',
    { tags: 'long' },
    async () => {
      const email = await newClient('Cléo Clé');
      const { page, errors } = await openAs('client', email);
      const authenticator = await virtualAuthenticator(page, { isPasskey: false });
      await openSection(page, 'Profil');
      await page.getByRole('button', { name: 'Ajouter une clé de sécurité' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Enregistrer la clé' }).click();
      await expectPage(page.getByText('Ma clé de sécurité', { exact: true })).toBeVisible();
      await page.getByRole('button', { name: 'Déconnexion' }).click();
      await page.waitForURL('**/auth/login');
      await signIn(page, email);
      await page.getByRole('button', { name: 'Utiliser ma clé de sécurité' }).click();
      await page.waitForURL('**/client/dashboard');
      expect(errors).toEqual([]);
      await authenticator.detach();
      await page.context().close();
    },
  );
});

describe('passkeys', { tags: 'long' }, () => {
  test('[CO-11] one is added, renamed, signs in without a password, and is removed', async () => {
    const { tempPassword } = await act<{ tempPassword: string }>(demoEmails.admin, 'invite-commercial', {
      name: 'Pascal Passe',
      email: 'pascal@exemple.fr',
    });
    await choosePassword('pascal@exemple.fr', tempPassword ?? (await mailedPassword('pascal@exemple.fr')));
    const { page, errors } = await openAs('commercial', 'pascal@exemple.fr');
    await virtualAuthenticator(page, { isPasskey: true });
    await openSection(page, 'Profil');
    await page.getByRole('button', { name: 'Ajouter une clé d’accès' }).click();
    await expectPage(page.getByText('Chrome sur Linux', { exact: true }).first()).toBeVisible();
    await page.getByRole('button', { name: 'Renommer Chrome sur Linux' }).click();
    await page.getByRole('dialog').getByLabel('Nom', { exact: true }).fill('Portable du bureau');
    await page.getByRole('dialog').getByRole('button', { name: 'Renommer' }).click();
    await expectPage(page.getByText('Portable du bureau')).toBeVisible();

    await page.getByRole('button', { name: 'Déconnexion' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('button', { name: 'Se connecter avec une clé d’accès' }).click();
    await page.waitForURL('**/commercial/dashboard');
    await openSection(page, 'Profil');
    await expectPage(page.getByText('Utilisée le', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Retirer Portable du bureau' }).click();
    await page.getByRole('button', { name: 'Retirer', exact: true }).click();
    await expectPage(page.getByText('Portable du bureau')).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[A-01] a passkey that nobody gives says so, and the password still works', async () => {
    const { page } = await open('/auth/login');
    // A device that keeps none for this site.
    await virtualAuthenticator(page, { isPasskey: true });
    await page.getByRole('button', { name: 'Se connecter avec une clé d’accès' }).click();
    await expectPage(page.getByRole('alert')).toContainText('annulée');
    await signIn(page, demoEmails.client, demoPassword);
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });
});

describe('mails that sign in', () => {
  test('[AU-07][A-01] a link and a code by mail; a wrong code says so; an unknown address is told the same', async () => {
    const email = await newClient('Marc Message');
    const { page } = await open('/auth/login');
    await page.getByRole('link', { name: 'Recevoir un lien de connexion' }).click();
    await page.waitForURL('**/auth/login-link');
    await page.getByLabel('E-mail').fill('personne@exemple.fr');
    await page.getByRole('button', { name: 'Recevoir le lien' }).click();
    const unknown = (await page.getByRole('status').first().innerText()).replace('personne@exemple.fr', '…');
    await page.getByRole('button', { name: 'Demander un autre message' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Recevoir le lien' }).click();
    await expectPage(page.getByLabel('Code reçu par e-mail')).toBeVisible();
    expect((await page.getByRole('status').first().innerText()).replace(email, '…')).toBe(unknown);
    expect(await brokenRules(page)).toEqual([]);
    const mail = await mailWith(email, /\b\d{6}\b/u);
    const code = /\b(\d{6})\b/u.exec(mail)?.[1] ?? '';
    await page.getByLabel('Code reçu par e-mail').fill(code === '000000' ? '000001' : '000000');
    await expectPage(page.getByText('Ce code est faux ou a expiré', { exact: false })).toBeVisible();
    await page.getByLabel('Code reçu par e-mail').fill(code);
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });

  test('[R-07] « Mot de passe oublié » takes the code of the mail as well as its link', async () => {
    const email = await newClient('Odile Oubli');
    const { page } = await open('/auth/forgot-password');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Recevoir le lien' }).click();
    const mail = await mailWith(email, /saisissez : \d{6}/u);
    await page.getByLabel('Code reçu par e-mail').fill(/saisissez : (\d{6})/u.exec(mail)?.[1] ?? '');
    await page.waitForURL('**/auth/new-password');
    await page.getByLabel('Nouveau mot de passe').fill('Nouveau-Parrain-2026');
    await page.getByLabel('Confirmer le mot de passe').fill('Nouveau-Parrain-2026');
    await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });

  test('[AU-17][R-07] a recovery is no way around the second step', { tags: 'long' }, async () => {
    const email = await newClient('Yves Double');
    const { page } = await openAs('client', email);
    await openSection(page, 'Profil');
    const secret = await addApplication(page);
    await page.context().close();
    const { page: later } = await open('/auth/forgot-password');
    await later.getByLabel('E-mail').fill(email);
    await later.getByRole('button', { name: 'Recevoir le lien' }).click();
    const mail = await mailWith(email, /new-password#token_hash/u);
    await later.goto(/https?:\/\/[^\s"<>]*new-password[^\s"<>]*/u.exec(mail)?.[0] ?? '');
    await later.getByRole('button', { name: 'Continuer' }).click();
    await expectPage(later.getByRole('heading', { level: 1, name: 'Confirmez votre identité' })).toBeVisible();
    await later.getByLabel('Code à 6 chiffres').fill(await freshCode(secret));
    await later.getByLabel('Nouveau mot de passe').fill('Nouveau-Parrain-2026');
    await later.getByLabel('Confirmer le mot de passe').fill('Nouveau-Parrain-2026');
    await later.getByRole('button', { name: 'Enregistrer et continuer' }).click();
    await later.waitForURL('**/client/dashboard');
    await later.context().close();
  });

  test.each([
    ['#error=access_denied&error_code=otp_expired', 'Ce lien a expiré ou a déjà servi.'],
    ['?error=invalid_request&error_code=bad_oauth_state', 'a pris trop de temps ou a été interrompue'],
    ['#error=access_denied&error_code=user_banned', 'Ce compte est désactivé.'],
    ['?code=11111111-1111-4111-8111-111111111111', 'Cette connexion a commencé dans un autre navigateur.'],
    ['', 'Ce lien a expiré ou a déjà servi.'],
  ])('[AU-08] /auth/callback%s says what happened in French, and offers another link', async (end, sentence) => {
    const { page } = await open(`/auth/callback${end}`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await expectPage(page.getByText(sentence, { exact: false })).toBeVisible();
    await expectPage(page.getByRole('link', { name: 'Recevoir un nouveau lien' })).toHaveAttribute(
      'href',
      '/auth/login-link',
    );
    expect(await brokenRules(page)).toEqual([]);
    await page.context().close();
  });

  test('[CL-09][AU-13] a change of address waits for both links, says so, and takes effect', async () => {
    const email = await newClient('Ève Échange');
    const next = 'eve.nouvelle@exemple.fr';
    const { page } = await openAs('client', email);
    await openSection(page, 'Profil');
    await page.getByRole('button', { name: 'Changer d’adresse' }).click();
    await page.getByLabel('Nouvelle adresse e-mail').fill(demoEmails.client);
    await page.getByRole('button', { name: 'Recevoir les deux liens' }).click();
    await expectPage(page.getByText('Un compte existe déjà avec cet e-mail.')).toBeVisible();
    await page.getByLabel('Nouvelle adresse e-mail').fill(next);
    await page.getByRole('button', { name: 'Recevoir les deux liens' }).click();
    await expectPage(page.getByText('Changement en attente')).toBeVisible();
    await expectPage(page.getByText(`Nouvelle adresse : ${next}`, { exact: false })).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await followLink(page, await mailWith(email, /email_change/u));
    await expectPage(page.getByRole('heading', { name: 'Une adresse confirmée sur deux' })).toBeVisible();
    await followLink(page, await mailWith(next, /email_change/u));
    await expectPage(page.getByRole('heading', { name: 'Votre adresse est changée' })).toBeVisible();
    await expectPage(page.getByText(next, { exact: false })).toBeVisible();
    await page.getByRole('link', { name: 'Ouvrir mon espace' }).click();
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });
});

describe('devices, data and leaving', () => {
  test('[CL-09][S-10] the open devices are listed; one of them is signed out, and it notices', async () => {
    const email = await newClient('Denise Devices');
    const { page: phone } = await open('/auth/login', {
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
    });
    await signIn(phone, email);
    await phone.waitForURL('**/client/dashboard');
    const { page } = await open('/auth/login');
    await signIn(page, email);
    await page.waitForURL('**/client/dashboard');
    await openSection(page, 'Profil');
    await expectPage(page.getByText('Cet appareil', { exact: true })).toHaveCount(1);
    await page.getByRole('button', { name: 'Déconnecter Safari sur iPhone' }).click();
    await expectPage(page.getByText('Appareil déconnecté')).toBeVisible();
    await expectPage(page.getByText('Safari sur iPhone')).toHaveCount(0);
    await phone.reload();
    await phone.waitForURL('**/auth/login');
    await expectPage(phone.getByText('Votre session a expiré. Veuillez vous reconnecter.')).toBeVisible();
    await phone.context().close();
    await page.context().close();
  });

  test('[CL-09] a weak password says why, and how strong the next one is', async () => {
    const email = await newClient('Fanny Faible');
    const { page } = await openAs('client', email);
    await openSection(page, 'Profil');
    await page.getByLabel('Nouveau mot de passe').fill('motdepasse1');
    await page.getByLabel('Confirmer le mot de passe').fill('motdepasse1');
    await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
    await expectPage(page.getByRole('alert')).toContainText('Ce mot de passe est facile à deviner');
    await page.getByLabel('Nouveau mot de passe').fill('quatre chevaux bleus');
    await expectPage(page.getByText('Solidité', { exact: false })).toContainText('excellente');
    await page.context().close();
  });

  test('[CL-09] the readable version of one’s data is a page in French', async () => {
    const { page } = await openAs('client', demoEmails.client);
    await openSection(page, 'Profil');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Version à lire' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^parrain-donnees-\d{4}-\d\d-\d\d\.html$/u);
    const { page: reader } = await openUrl(`file://${await download.path()}`);
    const html = await (await import('node:fs/promises')).readFile(await download.path(), 'utf8');
    await reader.setContent(html);
    await expectPage(reader.getByRole('heading', { level: 1 })).toContainText('Les données de');
    for (const title of ['Compte', 'Profil', 'Appareils connectés', 'Historique du compte'])
      await expectPage(reader.getByRole('heading', { level: 2, name: title }).first()).toBeVisible();
    expect(html).not.toMatch(/undefined|\[object|argon2/u);
    await reader.context().close();
    await page.context().close();
  });

  test(
    '[CL-09][AD-03] a closure is asked for, waits in the admin’s home, and is decided there',
    { tags: 'long' },
    async () => {
      const email = await newClient('Quentin Quitte');
      const { page } = await openAs('client', email);
      await openSection(page, 'Profil');
      await page.getByRole('button', { name: 'Demander la fermeture' }).click();
      await page.getByLabel('Votre raison').fill('Je change de région.');
      expect(await brokenRules(page)).toEqual([]);
      await page.getByRole('button', { name: 'Envoyer la demande' }).click();
      await expectPage(page.getByText('Demande en attente')).toBeVisible();
      await expectPage(page.getByRole('button', { name: 'Annuler ma demande' })).toBeVisible();

      const { page: admin } = await openAs('admin', demoEmails.admin);
      await expectPage(admin.getByRole('heading', { name: 'Demandes de fermeture de compte' })).toBeVisible();
      await expectPage(admin.getByText('Je change de région.', { exact: false })).toBeVisible();
      await admin.getByRole('button', { name: 'Refuser la fermeture de Quentin Quitte' }).click();
      await admin.getByRole('button', { name: 'Refuser la demande' }).click();
      await expectPage(admin.getByText('Veuillez indiquer la raison du refus')).toBeVisible();
      await admin.getByRole('button', { name: 'Annuler' }).click();
      await admin.getByRole('button', { name: 'Fermer le compte de Quentin Quitte' }).click();
      await expectPage(admin.getByText('Disponible, qui ne sera pas versé')).toBeVisible();
      expect(await brokenRules(admin)).toEqual([]);
      await admin.getByRole('alertdialog').getByRole('button', { name: 'Fermer le compte' }).click();
      await expectPage(admin.getByText('Compte de Quentin Quitte fermé et supprimé')).toBeVisible();
      await expectPage(admin.getByText('Je change de région.', { exact: false })).toHaveCount(0);
      await admin.context().close();

      await page.reload();
      await page.waitForURL('**/auth/login');
      await page.context().close();
      expect(await mailWith(email, /ferm/u)).toContain('vos données sont supprimées');
    },
  );
});

describe('how it looks to everyone', () => {
  for (const [colorScheme, width, tags] of [
    ['dark', 360, ''],
    ['light', 1280, 'long'],
  ] as const)
    test(
      `[CO-11][CL-09][AD-01] the admin’s profile breaks no accessibility rule and overflows nowhere (${colorScheme}, ${width} px)`,
      { tags: tags === '' ? [] : 'long' },
      async () => {
        const { page } = await openAs('admin', demoEmails.admin, { colorScheme, viewport: { width, height: 800 } });
        await pickSection(page, 'Profil');
        await expectPage(page.getByText('Cet appareil', { exact: true })).toBeVisible();
        expect(await brokenRules(page)).toEqual([]);
        await expectNoOverflow(page);
        await page.getByRole('button', { name: 'Ajouter une application' }).click();
        await page.getByRole('button', { name: 'Continuer' }).click();
        await expectPage(page.getByAltText('Code QR', { exact: false })).toBeVisible();
        expect(await brokenRules(page)).toEqual([]);
        await page.context().close();
      },
    );

  for (const [colorScheme, width, tags] of [
    ['dark', 360, ''],
    ['light', 1280, 'long'],
  ] as const)
    test(
      `[AU-07] /auth/login-link breaks no accessibility rule (${colorScheme}, ${width} px)`,
      { tags: tags === '' ? [] : 'long' },
      async () => {
        const { page } = await open('/auth/login-link', { colorScheme, viewport: { width, height: 800 } });
        await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
        expect(await brokenRules(page)).toEqual([]);
        await expectNoOverflow(page);
        await page.getByLabel('E-mail').fill(`${'prenom-nom-'.repeat(5)}x@une-entreprise-au-nom-bien-long.exemple.fr`);
        await page.getByRole('button', { name: 'Recevoir le lien' }).click();
        await expectPage(page.getByLabel('Code reçu par e-mail')).toBeVisible();
        await expectNoOverflow(page);
        await page.context().close();
      },
    );
});

describe('requests of a sign-in', { tags: 'long' }, () => {
  test('[F-01] without a second step there are two: the sign-in, and the reading of the profile', async () => {
    const email = await newClient('Ugo Unique');
    const { page } = await open('/auth/login');
    const asked = signInRequests(page);
    await signIn(page, email);
    await page.waitForURL('**/client/dashboard');
    await expectPage(page.getByRole('banner').getByText('Ugo Unique')).toBeVisible();
    await sectionStands(page, 'Mes Parrainages');
    expect(asked).toEqual(['POST /functions/v1/auth-signin', 'GET /rest/v1/profiles']);
    await page.context().close();
  });

  test('[AU-17] with a second step there are three: the sign-in, the challenge, and its answer', async () => {
    const email = await newClient('Dora Double');
    const { page: profile } = await openAs('client', email);
    await openSection(profile, 'Profil');
    const secret = await addApplication(profile);
    await profile.context().close();
    const { page } = await open('/auth/login');
    const asked = signInRequests(page);
    await signIn(page, email);
    await page.getByLabel('Code à 6 chiffres').fill(await freshCode(secret));
    await page.waitForURL('**/client/dashboard');
    await expectPage(page.getByRole('banner').getByText('Dora Double')).toBeVisible();
    await sectionStands(page, 'Mes Parrainages');
    expect(asked).toEqual([
      'POST /functions/v1/auth-signin',
      'POST /auth/v1/factors/*/challenge',
      'POST /auth/v1/factors/*/verify',
    ]);
    await page.context().close();
  });
});

/** The requests from here on that sign somebody in or ask who they are; the list grows as they leave. */
function signInRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const isProfile =
      pathname === '/rest/v1/profiles' && searchParams.get('select') === 'id,full_name,email,phone,role';
    // `settings`: the ways in that the page offers, asked for before anybody signs in.
    if (isProfile || /^\/(?:auth\/v1\/(?!settings)|functions\/v1\/auth-)/u.test(pathname))
      asked.push(`${request.method()} ${pathname.replace(/[\da-f-]{36}/u, '*')}`);
  });
  return asked;
}

/** A client of their own: nothing that a test does to an account meets another test. */
async function newClient(name: string): Promise<string> {
  const email = `${mailName(name)}@exemple.fr`;
  await register(email, name);
  return email;
}

async function signIn(page: Page, email: string, password = ownPassword): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Mot de passe', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

/** The newest mail to an address whose text matches, once it is there. */
async function mailWith(email: string, pattern: RegExp): Promise<string> {
  let text = '';
  await expect.poll(async () => (text = await server.mailbox.mailTo(email))).toMatch(pattern);
  return text;
}

/** Opens the link of a mail and presses the button of the page it leads to. */
async function followLink(page: Page, mail: string): Promise<void> {
  await page.goto(/https?:\/\/[^\s"<>]*auth\/callback#token_hash[^\s"<>]*/u.exec(mail)?.[0] ?? '');
  await page.getByRole('button', { name: 'Continuer' }).click();
}

async function mailedPassword(email: string): Promise<string> {
  const mail = await mailWith(email, /temporaire/u);
  return /temporaire\s*:?\s*(?<password>[\w-]{16,})/u.exec(mail)?.groups?.['password'] ?? '';
}
