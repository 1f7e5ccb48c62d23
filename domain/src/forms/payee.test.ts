import { expect, test } from 'vitest';

import { payeeStatusesOf } from '../payee.ts';
import { parsePayload } from './parse-payload.ts';
import { companyIdentityForm, payeeForm } from './payee.ts';

const address = { street: ' 12 rue des Lilas ', postal_code: '35000', city: 'Rennes' };
const ofAddress = { street: '12 rue des Lilas', postalCode: '35000', city: 'Rennes' };
const refusedFields = (role: 'client' | 'commercial', form: object): readonly string[] => {
  const parsed = payeeForm(role).safeParse(form);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.')).toSorted();
};

test('[PP-01] each status asks for what its papers say and keeps nothing else', () => {
  const all = { legal_name: 'Éloïse Lefèvre', ...address, siren: '732 829 320', rna: 'W751000001', charges_vat: true };
  const vat = { vat_number: 'FR44732829320' };
  const none = { siren: null, rna: null, chargesVat: null, vatNumber: null };
  const parse = (role: 'client' | 'commercial', form: object) => parsePayload(payeeForm(role), form);
  expect(parse('client', { status: 'particulier', ...all, ...vat })).toEqual({
    status: 'particulier',
    legalName: 'Éloïse Lefèvre',
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
    address: null,
    ...none,
  });
});

test('[PP-01] what is missing is named at its field', () => {
  expect(refusedFields('client', { status: null })).toEqual(['status']);
  expect(refusedFields('client', { status: 'salarie' })).toEqual(['status']);
  expect(refusedFields('commercial', { status: 'particulier' })).toEqual(['status']);
  expect(refusedFields('client', { status: 'particulier' })).toEqual(['city', 'legal_name', 'postal_code', 'street']);
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
  });
  for (const wrong of [
    { legal_name: ' ' },
    { siren: '732829321' },
    { vat_number: 'FR45732829320' },
    { postal_code: '' },
    { contest_days: '' },
    { contest_days: '91' },
  ]) {
    expect(companyIdentityForm.safeParse({ ...form, ...wrong }).success).toBe(false);
  }
});
