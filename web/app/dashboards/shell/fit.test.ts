import { expect, test } from 'vitest';
import { sections as adminSections } from '../admin/sections.tsx';
import { sections as clientSections } from '../client/sections.tsx';
import { sections as commercialSections } from '../commercial/sections.tsx';
import { fit } from './fit.ts';
import type { Section } from './sections.ts';

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

test('[DF-45] what people look for by another word leads to the section that holds it', () => {
  const answers = (sections: readonly Section[], asked: string) =>
    sections.filter(({ also }) => fit(also ?? '', asked) > 0).map(({ id }) => id);
  for (const [sections, asked, id] of [
    [adminSections, 'export', 'comptabilite'],
    [adminSections, 'mot de passe', 'profil'],
    [adminSections, 'iban', 'virements'],
    [adminSections, 'sauvegarde', 'etat-du-systeme'],
    [adminSections, 'FEC', 'comptabilite'],
    [adminSections, 'webhook', 'integrations'],
    [commercialSections, 'relancer', 'parrainages-recus'],
    [commercialSections, 'solde', 'mon-compte'],
    [clientSections, 'iban', 'profil'],
    [clientSections, 'argent', 'mes-commissions'],
  ] as const)
    expect([asked, answers(sections, asked)]).toEqual([asked, expect.arrayContaining([id])]);
  for (const { also } of [...adminSections, ...commercialSections, ...clientSections]) expect(also).toBeTruthy();
});
