import { expect, test } from 'vitest';
import { sections as admin } from './admin/sections.tsx';
import { sections as client } from './client/sections.tsx';
import { sections as commercial } from './commercial/sections.tsx';

const words = (sections: readonly { label: string; group?: string | undefined; under?: string | undefined }[]) =>
  sections
    .filter((section) => section.group === undefined && section.under === undefined)
    .map((section) => section.label);

test('[AD-01] the admin has seven sections, what the product adds stands in a group of its own', () => {
  expect(words(admin)).toEqual([
    "Vue d'ensemble",
    'Commerciaux',
    'Clients',
    'Ventes',
    'Commissions',
    'Validations',
    'Demandes de Paiement',
  ]);
});

test('[CO-01] the commercial has four tabs', () => {
  expect(words(commercial)).toEqual(['Parrainages reçus', 'Mes Clients', "Contrats d'affiliation", 'Profil']);
});

test('[CL-01] the client has five tabs', () => {
  expect(words(client)).toEqual([
    'Mes Parrainages',
    'Contrats Validés',
    'Mes Commissions',
    'Demandes de Paiement',
    'Profil',
  ]);
});
