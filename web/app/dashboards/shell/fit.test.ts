import { expect, test } from 'vitest';
import { roles, type Role } from '@parrain/domain/role';
import { adminActions } from '../admin/actions.tsx';
import { clientActions } from '../client/actions.tsx';
import { commercialActions } from '../commercial/actions.tsx';
import { sections as adminSections } from '../admin/sections.tsx';
import { sections as clientSections } from '../client/sections.tsx';
import { sections as commercialSections } from '../commercial/sections.tsx';
import { sections as accountantSections } from '../comptable/sections.tsx';
import type { Action } from './actions.tsx';
import { fit } from './fit.ts';
import { exportSpots, spots, wordsOfActions, wordsOfSections } from './spots.ts';

const sectionsOf = {
  admin: adminSections,
  commercial: commercialSections,
  client: clientSections,
  comptable: accountantSections,
};
const byText = (a: string, b: string) => a.localeCompare(b);

test('[NV-03] a label answers without its accents, by any of its words, and with a mistake', () => {
  for (const [label, asked] of [
    ['État du système', 'etat'],
    ['État du système', 'systeme'],
    ['Demandes de Paiement', 'paiment'],
    ['Demandes de Paiement', 'dem pai'],
    ['Validations', 'vlaidations'],
    ['Réseau', 'reesau'],
    ["Contrats d'affiliation", 'affiliation'],
    ['Ajouter un commercial', 'comercial'],
  ] as const)
    expect([label, asked, fit(label, asked) > 0]).toEqual([label, asked, true]);
});

test('[NV-03] what begins a label comes before what stands in it, and what is alike last', () => {
  expect(fit('Commissions', 'comm')).toBeGreaterThan(fit('Mes Commissions', 'comm'));
  expect(fit('Mes Commissions', 'comm')).toBeGreaterThan(fit('Mes Commissions', 'missions'));
  expect(fit('Mes Commissions', 'missions')).toBeGreaterThan(fit('Mes Commissions', 'comissions'));
});

test('[NV-03] a label that has nothing of what is asked does not answer', () => {
  for (const [label, asked] of [
    ['Validations', 'dupont'],
    ['Clients', 'ventes'],
    ['Profil', 'xyz'],
    ['Commissions', 'mes paiements'],
  ] as const)
    expect([label, asked, fit(label, asked)]).toEqual([label, asked, 0]);
});

test('[UI-13] articles and prepositions count for nothing beside a word that tells', () => {
  expect(fit('Exporter : Ventes', 'exporter les ventes')).toBe(fit('Exporter : Ventes', 'exporter ventes'));
  expect(fit('Mon lien', 'mon')).toBe(1);
  expect(fit('Clients', 'mes')).toBe(0);
});

test('[DF-45] what people look for by another word leads to the section that holds it', () => {
  const answers = (role: Role, asked: string) =>
    Object.entries(wordsOfSections[role])
      .filter(([, words]) => fit(words, asked) > 0)
      .map(([id]) => id);
  for (const [role, asked, id] of [
    ['admin', 'export', 'comptabilite'],
    ['admin', 'mot de passe', 'profil'],
    ['admin', 'iban', 'virements'],
    ['admin', 'sauvegarde', 'etat-du-systeme'],
    ['admin', 'FEC', 'comptabilite'],
    ['admin', 'webhook', 'integrations'],
    ['commercial', 'relancer', 'parrainages-recus'],
    ['commercial', 'solde', 'mon-compte'],
    ['client', 'iban', 'profil'],
    ['client', 'argent', 'mes-commissions'],
    ['comptable', 'relevé', 'comptabilite'],
  ] as const)
    expect([asked, answers(role, asked)]).toEqual([asked, expect.arrayContaining([id])]);
  for (const role of roles)
    expect(Object.keys(wordsOfSections[role]).toSorted(byText)).toEqual(
      sectionsOf[role].map(({ id }) => id).toSorted(byText),
    );
});

test('[UI-13] settings and exports are found by the words that people use', () => {
  const answers = (role: Role, asked: string) =>
    spots[role]
      .filter(({ label, also }) => Math.max(fit(label, asked), fit(also, asked)) >= 0.7)
      .map(({ label }) => label);
  for (const [role, asked, label] of [
    ['admin', 'iban', 'Compte de l’entreprise'],
    ['admin', 'couleur', 'Nom, logo et couleur'],
    ['admin', 'siret', 'Mentions légales et accessibilité'],
    ['admin', 'rgpd', 'Contacts sans contrat'],
    ['admin', 'chèque cadeau', 'Demandes acceptées'],
    ['commercial', 'rib', 'Compte bancaire'],
    ['client', 'notification', 'Messages reçus'],
    ['client', 'supprimer', 'Fermer mon compte'],
  ] as const)
    expect([asked, answers(role, asked)]).toEqual([asked, expect.arrayContaining([label])]);
  // Two settings of one role share no address.
  for (const found of Object.values(spots))
    expect(new Set(found.map(({ section, detail }) => JSON.stringify([section, detail]))).size).toBe(found.length);
});

test('[UI-13] the words of actions and the lists to export are of actions and sections that are there', () => {
  for (const role of roles) {
    const ids = sectionsOf[role].map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...spots[role].map(({ section }) => section),
        ...exportSpots[role].map(([, section]) => section),
      ]),
    );
  }
  const actions = [adminActions, commercialActions, clientActions].flatMap((each) => Object.values<Action>(each));
  expect(actions.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(wordsOfActions)));
});
