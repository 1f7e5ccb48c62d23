import { button, field, type EnginePage, type Target } from './engine-page.ts';

/** A step that is done: its name, for a picture of what stands then. */
type Done = (name: string) => Promise<void>;

interface Visitor {
  readonly page: EnginePage;
  readonly origin: string;
  readonly email: string;
  readonly password: string;
  /** Tells one day of a person from another: the friend that is invited, the amount that is asked for. */
  readonly nth: number;
}

const inDialog = ({ selector, words }: Target): Target => ({
  selector: selector
    .split(', ')
    .map((one) => `:is([role=dialog], [role=alertdialog]) ${one}`)
    .join(', '),
  words,
});

async function signIn({ page, origin, email, password }: Visitor, done: Done): Promise<void> {
  // A day that ended early left its session behind.
  await page.open(`${origin}/`);
  await page.engine.run('localStorage.clear(); sessionStorage.clear();');
  await page.open(`${origin}/auth/login`);
  await page.type(field('email'), email);
  await page.type(field('password'), password);
  await page.press(button('Se connecter'));
  await page.until("location.pathname.endsWith('/dashboard')");
  await page.stands();
  await done('signed in');
}

async function signOut(page: EnginePage, done: Done): Promise<void> {
  await page.press(button('Déconnexion'));
  await page.until("location.pathname.endsWith('/login') && document.querySelector('[name=password]') !== null");
  await done('signed out');
}

/** By the menu: that of a wide window, or on a phone the bar at the foot and what « Plus » holds. */
async function openSection(page: EnginePage, label: string): Promise<void> {
  // Its count stands behind its name.
  const toSection: Target = { selector: ':is(nav, [role=dialog]) :is(a, button)', words: `${label}…` };
  if (!(await page.isShown(toSection))) await page.press({ selector: 'nav button', words: 'Plus' });
  await page.press(toSection);
  await page.stands(label);
}

/** Validates the first contract and approves the first request; opens the lists and a record of each on the way. */
export async function adminsDay(visitor: Visitor, done: Done): Promise<void> {
  const { page } = visitor;
  await signIn(visitor, done);
  for (const label of ['Commerciaux', 'Clients', 'Ventes']) {
    await openSection(page, label);
    await done(label);
    await page.press({ selector: 'main [data-row]' });
    await page.until("document.querySelector('[data-side-panel]') !== null");
    await done(`${label}, a record`);
    await page.press({ selector: '[data-side-panel] button', words: 'Fermer' });
    await page.until("document.querySelector('[data-side-panel]') === null");
  }
  await openSection(page, 'Validations');
  await page.press({ selector: 'main button', words: 'Valider…' });
  await page.until("document.querySelector('[role=alertdialog], [role=dialog]') !== null");
  await done('a contract to validate');
  await page.press(inDialog(button('Valider le contrat')));
  await page.shows('Les commissions ont été créées et sont maintenant disponibles');
  await done('validated');
  await openSection(page, 'Demandes de Paiement');
  await page.press({ selector: 'main button', words: 'Approuver…' });
  await page.until("document.querySelector('[role=alertdialog], [role=dialog]') !== null");
  await done('a request to approve');
  await page.press(inDialog(button('Approuver…')));
  await page.shows('Demande approuvée');
  await done('approved');
  await signOut(page, done);
}

/** Moves the first referral on, and looks at the clients. */
export async function commercialsDay(visitor: Visitor, done: Done): Promise<void> {
  const { page } = visitor;
  await signIn(visitor, done);
  await openSection(page, 'Parrainages reçus');
  await page.press({ selector: 'main button', words: '…le parrainage…' });
  await page.until("document.querySelectorAll('[role=dialog] [type=radio]').length === 6");
  await done('a status to choose');
  await page.press({ selector: '[role=dialog] label', words: 'En négociation' });
  await page.press(inDialog(button('Enregistrer')));
  await page.shows('Statut mis à jour avec succès');
  await done('a status chosen');
  await openSection(page, 'Mes Clients');
  await done('Mes Clients');
  await page.press({ selector: 'main [data-row]' });
  await page.until("document.querySelector('[data-side-panel]') !== null");
  await done('a client');
  await page.press({ selector: '[data-side-panel] button', words: 'Fermer' });
  await signOut(page, done);
}

/** Invites a friend and asks for a payment. */
export async function clientsDay(visitor: Visitor, done: Done): Promise<void> {
  const { page, nth } = visitor;
  await signIn(visitor, done);
  await page.press({ selector: 'main button', words: 'Inviter un ami' });
  await page.type({ selector: '[role=dialog] label', words: 'Nom de votre ami' }, 'Camille Essai');
  await page.type({ selector: '[role=dialog] label', words: 'E-mail de votre ami' }, `ami-${nth}@exemple.fr`);
  await done('a friend to invite');
  await page.press({ selector: '[role=dialog] [type=submit]' });
  await page.until("document.querySelector('[role=dialog]') === null");
  await page.shows(`ami-${nth}@exemple.fr`);
  await done('invited');
  await openSection(page, 'Demandes de Paiement');
  await done('Demandes de Paiement');
  await page.press({ selector: 'main button', words: 'Nouvelle demande de paiement' });
  await page.type(inDialog(field('amount')), String(10 + nth));
  await page.press({ selector: '[role=dialog] label', words: 'Chèque cadeau' });
  await page.type(inDialog(field('payment_details.gift_card_type')), 'Librairie');
  await done('a payment to ask for');
  await page.press(inDialog(button('Envoyer la demande')));
  await page.shows('Demande de paiement envoyée avec succès');
  await done('asked for');
  await signOut(page, done);
}
