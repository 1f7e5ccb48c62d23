import { expect, test } from 'vitest';
import { fit } from './fit.ts';

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
