import { expect, test } from 'vitest';
import { sectionTabs } from './admin/parts/section-tabs.tsx';
import { sections as admin } from './admin/sections.tsx';
import { sections as client } from './client/sections.tsx';
import { sections as commercial } from './commercial/sections.tsx';
import { sections as comptable } from './comptable/sections.tsx';

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

test('[UI-05] the admin’s menu is the seven sections and « Comptabilité »; what else there is stands in tabs or behind the header', () => {
  const menu = admin.filter(({ under, isAside }) => under === undefined && isAside !== true);
  expect(menu.map(({ label }) => label)).toEqual([...words(admin), 'Comptabilité']);
  expect(admin.filter(({ isAside }) => isAside === true).map(({ label }) => label)).toEqual(['Réglages', 'Profil']);
  // A section that shares an entry of the menu is a tab there, and no tab leads elsewhere.
  const families = admin.filter(({ under }) => under !== undefined).map(({ id, under }) => `${under}/${id}`);
  const tabs = Object.entries(sectionTabs).flatMap(([of, { tabs: ids }]) =>
    Object.keys(ids)
      .filter((id) => id !== of)
      .map((id) => `${of}/${id}`),
  );
  expect(new Set(families)).toEqual(new Set(tabs));
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

test('[UI-12] the accountant has the accounting and their profile', () => {
  expect(words(comptable)).toEqual(['Comptabilité', 'Profil']);
});
