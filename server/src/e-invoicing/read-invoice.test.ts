import { PDFDocument } from 'pdf-lib';
import { expect, test } from 'vitest';

import { ciiInvoice, facturXPdf, ublInvoice } from '../testing/incoming-invoice.ts';
import { readInvoice } from './read-invoice.ts';

const whole = {
  number: 'FA-2026-7',
  day: '2026-11-23',
  amount: '750.03',
  vat: '150.01',
  total: '900.04',
  seller: { siren: '552100554', vat: 'FR96552100554', iban: 'FR76 3000 6000 0112 3456 7890 189' },
};
const words = {
  number: 'FA-2026-7',
  day: '2026-11-23',
  type: '380',
  currency: 'EUR',
  amount: 75_003n,
  vat: 15_001n,
  total: 90_004n,
  due: 90_004n,
  sellerSiren: '552100554',
  sellerVat: 'FR96552100554',
  buyerSiren: '732829320',
  buyerVat: null,
};
const read = (text: string | Buffer) => readInvoice(Buffer.from(text));

test('[EI-02] CII, UBL and Factur-X say the same: number, day, amounts, parties, account', async () => {
  const ibans = ['FR7630006000011234567890189'];
  expect(read(ciiInvoice(whole))).toEqual({ invoice: { ...words, sellerName: 'Bois & Fils' }, ibans });
  expect(read(ublInvoice(whole))).toEqual({ invoice: { ...words, sellerName: 'Bois' }, ibans });
  expect(read(await facturXPdf(ciiInvoice(whole)))).toEqual({
    invoice: { ...words, sellerName: 'Bois & Fils' },
    ibans,
  });
  // Another library, which puts what it can into streams of objects.
  const doc = await PDFDocument.create();
  doc.addPage();
  await doc.attach(Buffer.from('Bonjour'), 'note.txt');
  await doc.attach(Buffer.from(ciiInvoice(whole)), 'factur-x.xml');
  expect(read(Buffer.from(await doc.save({ useObjectStreams: true })))?.invoice.number).toBe('FA-2026-7');
  expect(read(`\u{FEFF}${ublInvoice(whole)}`)?.invoice.number).toBe('FA-2026-7');
});

test('[EI-02] a credit note says that it is one; a SIRET has its SIREN; what is missing or no amount is null', () => {
  expect(read(ublInvoice({ ...whole, type: '381' }, 'CreditNote'))?.invoice.type).toBe('381');
  expect(read(ciiInvoice({ ...whole, seller: { siren: '55210055400013' } }))?.invoice.sellerSiren).toBe('552100554');
  expect(read(ciiInvoice({ ...whole, seller: { siren: '552100555' } }))?.invoice.sellerSiren).toBeNull();
  expect(read(ciiInvoice({ ...whole, amount: '750.0300', vat: '1e3', total: '9999999999' }))?.invoice).toMatchObject({
    amount: 75_003n,
    vat: null,
    total: null,
  });
  expect(read(ciiInvoice({ ...whole, day: '2026-02-30' }))?.invoice.day).toBeNull();
  const long = read(ciiInvoice({ ...whole, number: 'F'.repeat(5000) }))?.invoice.number;
  expect(long).toHaveLength(120);
});

test('[EI-02] hostile XML is no invoice: no entity, no document of elsewhere, no bomb, within a PDF neither', async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>`;
  const outside = `<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">`;
  for (const doctype of [bomb, outside, bomb.replace('DOCTYPE', 'doctype')]) {
    const hostile = ciiInvoice({ ...whole, number: '&b;' }).replace('?>\n', `?>${doctype}`);
    expect(read(hostile)).toBeNull();
    expect(read(await facturXPdf(hostile))).toBeNull();
  }
  // UTF-16 would hide it.
  expect(read(Buffer.from(ciiInvoice(whole), 'utf16le'))).toBeNull();
  expect(read(ciiInvoice({ ...whole, number: '&unknown;' }))).toBeNull();
  expect(read('')).toBeNull();
  expect(read('<html></html>')).toBeNull();
  expect(read('%PDF-1.7 nothing')).toBeNull();
  expect(read(`%PDF-1.7 obj<</Type/EmbeddedFile/Filter/FlateDecode>>stream\nnot deflated`)).toBeNull();
  expect(read('<a>'.repeat(100_000))).toBeNull();
  // What inflates beyond the size of a file is not inflated.
  expect(read(await facturXPdf(`<CrossIndustryInvoice>${' '.repeat(6_000_000)}</CrossIndustryInvoice>`))).toBeNull();
});
