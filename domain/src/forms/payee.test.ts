import { expect, test } from 'vitest';

import { missingMentionWords, namesIn, payeeStatusesOf } from '../payee.ts';
import { parsePayload } from './parse-payload.ts';
import { capitalText, companyIdentityForm, payeeForm } from './payee.ts';

const address = { street: ' 12 rue des Lilas ', postal_code: '35000', city: 'Rennes' };
const ofAddress = { street: '12 rue des Lilas', postalCode: '35000', city: 'Rennes' };
const refusedFields = (role: 'client' | 'commercial', form: object): readonly string[] => {
  const parsed = payeeForm(role).safeParse(form);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.')).toSorted();
};

test('[PP-01] each status asks for what its papers say and keeps nothing else', () => {
  const all = { legal_name: 'Éloïse Lefèvre', ...address, siren: '732 829 320', rna: 'W751000001', charges_vat: true };
  const vat = { vat_number: 'FR44732829320' };
  const none = {
    country: 'FR',
    numberAbroad: null,
    siren: null,
    siret: null,
    rna: null,
    chargesVat: null,
    vatNumber: null,
    legalForm: null,
    capital: null,
    registryCity: null,
  };
  const parse = (role: 'client' | 'commercial', form: object) => parsePayload(payeeForm(role), form);
  expect(parse('client', { status: 'particulier', ...all, ...vat })).toEqual({
    status: 'particulier',
    legalName: 'Éloïse Lefèvre',
    firstName: null,
    lastName: null,
    address: ofAddress,
    ...none,
  });
  expect(parse('client', { status: 'micro', ...all, charges_vat: false, ...vat })).toMatchObject({
    siren: '732829320',
    rna: null,
    chargesVat: false,
    vatNumber: null,
  });
  expect(parse('client', { status: 'societe', ...all, ...vat })).toMatchObject({ vatNumber: 'FR44732829320' });
  expect(parse('client', { status: 'association', ...all, siren: '', ...vat })).toMatchObject({
    ...none,
    rna: 'W751000001',
  });
  expect(parse('commercial', { status: 'salarie', ...all, ...vat })).toEqual({
    status: 'salarie',
    legalName: null,
    firstName: null,
    lastName: null,
    address: null,
    ...none,
  });
});

test('[PP-01] what is missing is named at its field', () => {
  expect(refusedFields('client', { status: null })).toEqual(['status']);
  expect(refusedFields('client', { status: 'salarie' })).toEqual(['status']);
  expect(refusedFields('commercial', { status: 'particulier' })).toEqual(['status']);
  expect(refusedFields('client', { status: 'particulier' })).toEqual([
    'city',
    'first_name',
    'last_name',
    'postal_code',
    'street',
  ]);
  const named = { legal_name: 'Lumeo', ...address };
  expect(refusedFields('client', { status: 'particulier', ...named, postal_code: 'B-1000' })).toEqual(['postal_code']);
  expect(refusedFields('client', { status: 'micro', ...named })).toEqual(['siren']);
  expect(refusedFields('client', { status: 'association', ...named })).toEqual(['siren']);
  expect(refusedFields('client', { status: 'association', ...named, rna: '751000001' })).toEqual(['rna']);
  expect(
    refusedFields('commercial', { status: 'agent', ...named, siren: '732829320', charges_vat: true, vat_number: '' }),
  ).toEqual(['vat_number']);
  expect(payeeStatusesOf('admin')).toEqual([]);
});

test('[AC-10] a person gives first and last name, which make the name on papers; a name in one piece stays one', () => {
  const parse = (form: object) => parsePayload(payeeForm('client'), { status: 'particulier', ...address, ...form });
  const apart = { first_name: ' Jean Paul ', last_name: 'de La Tour' };
  const names = { firstName: 'Jean Paul', lastName: 'de La Tour', legalName: 'Jean Paul de La Tour' };
  expect(parse(apart)).toMatchObject(names);
  expect(parse({ ...apart, legal_name: 'Jean-Paul Latour' })).toMatchObject(names);
  expect(parse({ legal_name: 'Jean Paul' })).toMatchObject({ legalName: 'Jean Paul', firstName: null, lastName: null });
  const company = { status: 'societe', siren: '732829320', legal_name: 'Lumeo SARL', ...apart };
  expect(parse(company)).toMatchObject({ legalName: 'Lumeo SARL', firstName: null, lastName: null });
  const named = { status: 'particulier', ...address };
  expect(refusedFields('client', { ...named, legal_name: 'A', first_name: 'A' })).toEqual(['last_name']);
  expect(refusedFields('client', { ...named, legal_name: 'A', last_name: 'A' })).toEqual(['first_name']);
  const long = { first_name: 'a'.repeat(60), last_name: 'b'.repeat(60) };
  expect(refusedFields('client', { ...named, ...long })).toEqual(['last_name']);
  expect(namesIn(' Jean  Paul Martin ')).toEqual({ firstName: 'Jean', lastName: 'Paul Martin' });
  expect(namesIn('Martin')).toEqual({ firstName: '', lastName: 'Martin' });
});

test('[AC-10] a SIRET is that of the SIREN, with its own key, and of a business or an association alone', () => {
  const form = { status: 'societe', legal_name: 'Lumeo', ...address, siren: '732829320' };
  expect(parsePayload(payeeForm('client'), { ...form, siret: '732 829 320 00074' })).toMatchObject({
    siret: '73282932000074',
  });
  expect(parsePayload(payeeForm('client'), { ...form, siret: '' })).toMatchObject({ siret: null });
  for (const siret of ['73282932000075', '55210055400013', '732829320', '7328293200007']) {
    expect(refusedFields('client', { ...form, siret })).toEqual(['siret']);
  }
  const association = { ...form, status: 'association', siren: '', rna: 'W751000001' };
  expect(refusedFields('client', { ...association, siret: '73282932000074' })).toEqual(['siret']);
  const person = { ...form, status: 'particulier', siret: '73282932000074' };
  expect(parsePayload(payeeForm('client'), person)).toMatchObject({ siren: null, siret: null });
});

test('[AC-08] a business of Monaco may charge French VAT, under a number of its own; of no other country abroad', () => {
  const form = { status: 'societe', legal_name: 'Rocher SAM', ...address, country: 'MC', number_abroad: '07S04528' };
  expect(parsePayload(payeeForm('client'), form)).toMatchObject({ chargesVat: false, vatNumber: null });
  const charging = { ...form, charges_vat: true, vat_number: 'fr 90 000 012 345' };
  expect(parsePayload(payeeForm('client'), charging)).toMatchObject({
    chargesVat: true,
    vatNumber: 'FR90000012345',
    numberAbroad: '07S04528',
    siren: null,
  });
  for (const vat of ['', 'FR91000012345', 'FR44732829320', 'MC90000012345', 'FR9000001234']) {
    expect(refusedFields('client', { ...charging, vat_number: vat })).toEqual(['vat_number']);
  }
  expect(parsePayload(payeeForm('client'), { ...charging, country: 'CH' })).toMatchObject({
    chargesVat: false,
    vatNumber: null,
  });
  expect(
    parsePayload(payeeForm('client'), { ...charging, status: 'particulier', first_name: 'Al', last_name: 'B' }),
  ).toMatchObject({
    chargesVat: null,
    vatNumber: null,
  });
});

test('[PP-01] the company has a name, an address and a SIREN, and a VAT number where it charges VAT', () => {
  const form = {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo',
    ...address,
    siren: '732829320',
    vat_number: '',
  };
  expect(parsePayload(companyIdentityForm, form)).toEqual({
    issuesPapers: true,
    contestDays: 15,
    legalName: 'Lumeo',
    address: ofAddress,
    siren: '732829320',
    vatNumber: null,
    vatFranchise: undefined,
    siret: null,
    legalForm: null,
    capital: null,
    registryCity: null,
  });
  // AC-02: left out, the regime stays as it is.
  expect(parsePayload(companyIdentityForm, { ...form, vat_franchise: true }).vatFranchise).toBe(true);
  const registered = { siret: '732 829 320 00009', legal_form: 'SARL', capital: '20 000', registry_city: 'Rennes' };
  expect(parsePayload(companyIdentityForm, { ...form, ...registered })).toMatchObject({
    siret: '73282932000009',
    legalForm: 'SARL',
    capital: 2_000_000n,
    registryCity: 'Rennes',
  });
  for (const wrong of [
    { legal_name: ' ' },
    { siren: '732829321' },
    { vat_number: 'FR45732829320' },
    { postal_code: '' },
    { contest_days: '' },
    { contest_days: '91' },
    { siret: '552 100 554 00005' },
    { capital: 'variable' },
    { vat_franchise: 'oui' },
  ]) {
    expect(companyIdentityForm.safeParse({ ...form, ...wrong }).success).toBe(false);
  }
});

test('[AC-07] who fills in their own says what the law asks of their papers; an admin may not know it, and is told what is missing', () => {
  const named = { legal_name: 'Lumeo', ...address, siren: '732829320', charges_vat: false };
  const missingFor = (role: 'client' | 'commercial', status: string) => {
    const parsed = payeeForm(role, { asksMentions: true }).safeParse({ ...named, status });
    return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
  };
  expect(missingFor('client', 'micro')).toEqual(['siret']);
  expect(missingFor('client', 'societe')).toEqual(['siret', 'legal_form', 'capital', 'registry_city']);
  expect(missingFor('commercial', 'agent')).toEqual(['siret', 'registry_city']);
  for (const status of ['particulier', 'association']) expect(missingFor('client', status)).toEqual([]);
  const told = (role: 'client' | 'commercial', form: object) =>
    missingMentionWords(parsePayload(payeeForm(role), { ...named, ...form }));
  expect(told('client', { status: 'micro' })).toEqual(['le SIRET']);
  expect(told('client', { status: 'societe' })).toEqual([
    'le SIRET',
    'la forme juridique',
    'le capital',
    'la ville du RCS',
  ]);
  expect(told('commercial', { status: 'agent', siret: '73282932000009' })).toEqual(['la ville du RSAC']);
  expect(told('client', { status: 'particulier' })).toEqual([]);
});

test('[AC-07] a status keeps its own registration alone, and a capital is a sum in euros', () => {
  const all = {
    legal_name: 'Lumeo',
    ...address,
    siren: '732829320',
    charges_vat: false,
    legal_form: 'SAS',
    capital: 20_000.5,
    registry_city: 'Rennes',
  };
  expect(parsePayload(payeeForm('client'), { ...all, status: 'societe' })).toMatchObject({
    legalForm: 'SAS',
    capital: 2_000_050n,
    registryCity: 'Rennes',
  });
  expect(parsePayload(payeeForm('commercial'), { ...all, status: 'agent' })).toMatchObject({
    legalForm: null,
    capital: null,
    registryCity: 'Rennes',
  });
  expect(parsePayload(payeeForm('client'), { ...all, status: 'micro' })).toMatchObject({
    legalForm: null,
    capital: null,
    registryCity: null,
  });
  for (const capital of ['0', '-1', 'beaucoup', '1,234', '9'.repeat(13)]) {
    expect(refusedFields('client', { ...all, status: 'societe', capital })).toEqual(['capital']);
  }
  expect(capitalText(2_000_000n)).toBe('20000');
});

const abroad = { legal_name: 'Bois SRL', street: 'Rue de la Loi 1', postal_code: '1000', city: 'Bruxelles' };

test('[AC-08] a business abroad says its number there and none of France: a VAT number of its country in the European Union', () => {
  const belgian = { status: 'societe', ...abroad, country: 'BE', number_abroad: 'be 0203.201.340' };
  expect(
    parsePayload(payeeForm('client', { asksMentions: true }), {
      ...belgian,
      siren: '732829320',
      charges_vat: true,
      vat_number: 'FR44732829320',
      legal_form: 'SRL',
    }),
  ).toEqual({
    status: 'societe',
    legalName: 'Bois SRL',
    firstName: null,
    lastName: null,
    address: { street: 'Rue de la Loi 1', postalCode: '1000', city: 'Bruxelles' },
    country: 'BE',
    numberAbroad: 'BE0203201340',
    siren: null,
    siret: null,
    rna: null,
    chargesVat: false,
    vatNumber: null,
    legalForm: null,
    capital: null,
    registryCity: null,
  });
  for (const number of ['', '0203201340', 'BE203201340', 'FR44732829320', 'DE123456789']) {
    expect(refusedFields('client', { ...belgian, number_abroad: number })).toEqual(['number_abroad']);
  }
  const swiss = { ...belgian, country: 'CH', number_abroad: 'CHE-116.281.710' };
  expect(parsePayload(payeeForm('client'), swiss)).toMatchObject({ numberAbroad: 'CHE-116.281.710' });
  expect(refusedFields('client', { ...swiss, number_abroad: '' })).toEqual(['number_abroad']);
  expect(refusedFields('client', { ...swiss, number_abroad: '1'.repeat(31) })).toEqual(['number_abroad']);
});

test('[AC-08] somebody abroad has an address there; micro, association and pay are of France; no country is France', () => {
  const spanish = { status: 'particulier', ...abroad, legal_name: 'Eva Ruiz', country: 'ES', number_abroad: 'X' };
  expect(parsePayload(payeeForm('client'), { ...spanish, postal_code: 'SW1A 1AA' })).toMatchObject({
    address: { postalCode: 'SW1A 1AA' },
    numberAbroad: null,
    chargesVat: null,
  });
  expect(refusedFields('client', { ...spanish, postal_code: '' })).toEqual(['postal_code']);
  expect(refusedFields('client', { ...spanish, country: 'US' })).toEqual(['country']);
  expect(refusedFields('client', { ...spanish, status: 'micro', number_abroad: 'ESX1234567X' })).toEqual(['status']);
  expect(refusedFields('client', { ...spanish, status: 'association' })).toEqual(['status']);
  expect(refusedFields('commercial', { status: 'salarie', country: 'ES' })).toEqual(['status']);
  expect(refusedFields('client', { ...spanish, country: '', postal_code: 'SW1A 1AA' })).toEqual(['postal_code']);
  expect(payeeStatusesOf('client', 'ES')).toEqual(['particulier', 'societe']);
  expect(payeeStatusesOf('commercial', 'ES')).toEqual(['agent', 'societe']);
});
