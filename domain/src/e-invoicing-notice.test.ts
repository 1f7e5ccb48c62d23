import { expect, test } from 'vitest';
import { eInvoicingDays, eInvoicingFines } from './e-invoicing-figures.ts';
import { eInvoicingNotice } from './e-invoicing-notice.ts';

const company = {
  issuesPapers: true,
  siren: '732829320',
  mandates: 3,
  invoices: 12,
  unsent: 5,
  isLinked: false,
  isOn: false,
};
const plain = (text: string | undefined) => text?.replaceAll(/[\u00a0\u202f]/gu, ' ');

test('[EI-03] the days and fines of electronic invoicing are rows of the dated table, each with its source', () => {
  expect(Object.values(eInvoicingDays).map(({ fromDay }) => fromDay)).toEqual([
    '2026-09-01',
    '2026-09-01',
    '2027-09-01',
  ]);
  expect(eInvoicingFines[0]).toMatchObject({ perInvoice: 5_000n, perYear: 1_500_000n });
  for (const { source } of [...Object.values(eInvoicingDays), ...eInvoicingFines]) expect(source).not.toBe('');
});

test('[EI-03] a company that issues invoices in the name of payees is told what changes for it and when, before and after the day', () => {
  const before = eInvoicingNotice(company, new Date('2026-11-30T09:00:00Z'));
  expect(plain(before?.lines[0])).toBe(
    'Vous établissez des factures au nom de vos bénéficiaires. À partir du 1er sept. 2027, celles d’une PME ou d’un micro-entrepreneur passeront par une plateforme agréée : un PDF envoyé par e-mail ne suffira plus. Pour une grande entreprise ou une ETI, c’est déjà le cas depuis le 1er sept. 2026.',
  );
  expect(before?.lines[1]).toBe('Cette année, 12 factures et avoirs sont concernés : 5 pièces restent à déposer.');
  expect(plain(before?.lines[2])).toBe(
    'Une facture qui ne passe pas par une plateforme coûte 50 € d’amende, 15 000 € par an au plus (art. 289 bis et 1737 du CGI).',
  );
  expect(plain(before?.lines[3])).toContain('Depuis le 1er sept. 2026, votre entreprise reçoit aussi ses factures');
  expect(before?.todo).toBe('connect');
  const after = eInvoicingNotice(company, new Date('2027-09-01T09:00:00Z'));
  expect(plain(after?.lines[0])).toContain(
    'Depuis le 1er sept. 2027, celles d’une PME ou d’un micro-entrepreneur passent par',
  );
});

test('[EI-03] a company without a mandate is told that it has to receive, since when, and what to do; nothing of what it does not issue', () => {
  const none = { ...company, mandates: 0, invoices: 0, unsent: 0 };
  const now = new Date('2026-11-30T09:00:00Z');
  const told = eInvoicingNotice(none, now);
  expect(plain(told?.lines[0])).toContain('Depuis le 1er sept. 2026, toute entreprise soumise à la TVA');
  expect(plain(told?.lines[1])).toBe(
    'À partir du 1er sept. 2027 au plus tard, les bénéficiaires en entreprise vous enverront les leurs par là.',
  );
  expect(told?.lines.join(' ')).not.toContain('amende');
  expect(told?.todo).toBe('receive');
  expect(plain(eInvoicingNotice(none, new Date('2026-08-31T09:00:00Z'))?.lines[0])).toContain(
    'À partir du 1er sept. 2026, toute entreprise',
  );
  expect(eInvoicingNotice({ ...none, isLinked: true }, now)?.todo).toBe('receive_on');
  expect(eInvoicingNotice({ ...none, siren: null }, now)?.todo).toBe('papers');
  expect(eInvoicingNotice({ ...none, isOn: true }, now)).toBeNull();
});

test('[EI-03] it depends on the company: no SIREN, mandates alone, nothing to say, done', () => {
  const now = new Date('2026-11-30T09:00:00Z');
  expect(eInvoicingNotice({ ...company, siren: null }, now)?.todo).toBe('papers');
  expect(eInvoicingNotice({ ...company, isLinked: true }, now)?.todo).toBe('switch_on');
  expect(eInvoicingNotice({ ...company, invoices: 0, unsent: 0 }, now)?.lines[1]).toBe(
    'Cette année, aucune encore : 3 mandats sont en vigueur.',
  );
  expect(eInvoicingNotice({ ...company, invoices: 1, unsent: 0 }, now)?.lines[1]).toContain('rien ne reste à déposer');
  expect(eInvoicingNotice({ ...company, isOn: true }, now)).toBeNull();
});
