import { formatEuros } from '@parrain/domain/money';
import { specimenNames, specimens } from '@parrain/domain/specimen';
import type { SpecimenName } from '@parrain/domain/specimen';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { brokenInvoiceRules } from '../../testing/check-invoice.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { readPdf } from '../../testing/read-pdf.ts';
import type { ReadPdf } from '../../testing/read-pdf.ts';
import { invoiceSchemaErrors } from '../../testing/schema-errors.ts';
import { taggedPdf } from '../pdf/tagged-pdf.ts';
import { paperDocument } from './paper-document.ts';
import { PAPER_COLUMNS } from './paper-files.ts';
import { nameOf } from './paper.ts';
import type { Paper } from './paper.ts';

// AC-07: what the law asks of each status stands on its papers.

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = {
  issues_papers: true,
  contest_days: 15,
  legal_name: 'Lumeo Habitat',
  ...address,
  siren: '732829320',
  siret: '73282932000009',
  legal_form: 'SARL',
  capital: '20 000',
  registry_city: 'Rennes',
  vat_number: 'FR44732829320',
};
const COMPANY = ['SARL au capital de 20 000 €, RCS Rennes 732 829 320', 'SIRET : 732 829 320 00009'];

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  expect((await callAs(server, admin, 'papers?action=update_company', lumeo)).status).toBe(200);
});
afterAll(async () => {
  expect((await brokenInvariants(server.database.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await server.close();
});

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ').replaceAll('CTR- ', 'CTR-');

async function says(payee: Person, form: object, hasMandate = false): Promise<void> {
  const saved = await callAs(server, payee, 'papers?action=update_payee', { payee_id: payee.id, ...address, ...form });
  expect(saved.status).toBe(200);
  if (!hasMandate) return;
  const shown = await callAs(server, payee, 'papers?action=payee', { payee_id: payee.id });
  const { mandate_offered: text, details } = shown.body.data as {
    mandate_offered: string;
    details: { vat_number: string | null };
  };
  expect((await callAs(server, payee, 'papers?action=accept_mandate', { seen_text: text })).status).toBe(200);
  const vat = { payee_id: payee.id, vat_number: details.vat_number };
  if (vat.vat_number !== null) {
    expect((await callAs(server, admin, 'papers?action=accept_vat', vat)).status).toBe(200);
  }
}

/** A client of 123,46 € a contract. */
async function aSeller(form: object, hasMandate = false, contracts = 1): Promise<Person> {
  const seller = await aClient(server.database, { commercial });
  await says(seller, form, hasMandate);
  const scale = await aScale(server.database, { clientAmount: '10' });
  for (let n = 0; n < contracts; n += 1) {
    await aValidatedSale(server.database, { commercial, friendReferrer: seller, admin, scale });
  }
  return seller;
}

async function paid(who: Person, amount: string, more: object = { payment_method: 'remise_societe' }): Promise<string> {
  const made = await callAs(server, who, 'payment-request', { action: 'create', amount, ...more });
  const { id } = made.body.data as { id: string };
  for (const status of ['approved', 'paid']) {
    const row = only(
      await server.database.asOwner<{ version: number; amount: string }>(
        'select version, amount + coalesce(vat_amount, 0) as amount from public.payment_requests where id = $1',
        [id],
      ),
    );
    const association = status === 'paid' && 'association' in more ? (more.association as object) : {};
    const reply = await callAs(server, admin, 'payment-request?action=update_status', {
      request_id: id,
      status,
      seen_version: row.version,
      expected_amount: row.amount,
      ...association,
    });
    expect(reply.status).toBe(200);
  }
  return id;
}

async function paperOf(who: Person): Promise<Paper> {
  return only(
    await server.database.asOwner<Paper>(
      `select ${PAPER_COLUMNS} from public.papers p where p.payee_id = $1 order by p.created_at desc, p.id desc limit 1`,
      [who.id],
    ),
  );
}
const fileOf = async (paper: Paper): Promise<Buffer> =>
  Buffer.from(await (await server.fetch(`/exports/v1/papers/${paper.id}.pdf`, {}, admin)).arrayBuffer());
const pdfOf = async (who: Person): Promise<ReadPdf> => readPdf(await fileOf(await paperOf(who)));

function xmlIn(pdf: ReadPdf): string {
  const xml = only(pdf.attachments).content;
  expect(invoiceSchemaErrors(xml)).toEqual([]);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  return xml;
}

const transfer = {
  payment_method: 'virement',
  payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Éloïse Lefèvre' },
};

test('[AC-07] a micro-entrepreneur’s papers say EI beside the name and the SIRET, with a mandate and without', async () => {
  const micro = {
    status: 'micro',
    legal_name: 'Noé Petit',
    siren: '552100554',
    siret: '55210055400005',
    charges_vat: false,
  };
  const seller = await aSeller(micro, true);
  await paid(seller, '12.34');
  const pdf = await pdfOf(seller);
  for (const said of [
    ...COMPANY,
    'au nom et pour le compte de Noé Petit EI, selon le mandat',
    'Nom : Noé Petit EI',
    'SIRET : 552 100 554 00005',
    'TVA non applicable, art. 293 B du CGI',
  ]) {
    expect(plain(pdf.text)).toContain(said);
  }
  const xml = xmlIn(pdf);
  for (const said of [
    '<ram:SellerTradeParty><ram:GlobalID schemeID="0009">55210055400005</ram:GlobalID><ram:Name>Noé Petit EI</ram:Name>',
    '<ram:ID schemeID="0002">552100554</ram:ID>',
    '<ram:BuyerTradeParty><ram:GlobalID schemeID="0009">73282932000009</ram:GlobalID>',
  ]) {
    expect(xml).toContain(said);
  }
  expect(brokenInvoiceRules(xml.replace('schemeID="0009">5521', 'schemeID="0009">5522'))).toContain('BT-29 BT-46');
  const without = await aSeller({ ...micro, siren: '443061841', siret: '44306184100005' });
  await paid(without, '12.34');
  expect(plain((await pdfOf(without)).text)).toContain('Nom : Noé Petit EI');
});

test('[AC-07] a company’s papers say its legal form, its capital and its RCS, in the XML too', async () => {
  const society = {
    status: 'societe',
    legal_name: 'Mercier Conseil',
    siren: '542051180',
    siret: '54205118000009',
    legal_form: 'SAS à capital variable',
    capital: '1 500,50',
    registry_city: 'Nantes',
    charges_vat: true,
    vat_number: 'FR59542051180',
  };
  const seller = await aSeller(society, true);
  await paid(seller, '100', transfer);
  const registration = `SAS à capital variable au capital de ${plain(formatEuros(150_050n))}, RCS Nantes 542 051 180`;
  const pdf = await pdfOf(seller);
  for (const said of [...COMPANY, `Immatriculation : ${registration}`, 'SIRET : 542 051 180 00009', 'TVA 20 %']) {
    expect(plain(pdf.text)).toContain(said);
  }
  expect(pdf.text).not.toContain('Mercier Conseil EI');
  const xml = xmlIn(pdf);
  expect(plain(xml)).toContain(
    `<ram:Name>Mercier Conseil</ram:Name><ram:Description>${registration}</ram:Description>`,
  );
  expect(plain(xml)).toContain(`${registration}</ram:Content><ram:SubjectCode>REG<`);
  // The model has such a line of the seller alone.
  expect(xml).not.toContain('SARL au capital');
});

test('[AC-07] an agent commercial’s quarter says EI, the SIRET and the RSAC', async () => {
  const agent = await aCommercial(server.database);
  await says(agent, {
    status: 'agent',
    legal_name: 'Léa Roux',
    siren: '412345670',
    siret: '41234567000001',
    registry_city: 'Vannes',
    charges_vat: false,
  });
  await aValidatedSale(server.database, { commercial: agent, admin });
  await server.database.asOwner(
    `with later as materialized (select set_config('app.at', (private.month_start((date_trunc('quarter',
         private.today()::timestamp) + interval '3 months')::date) + interval '2 hours')::text, true) as at)
     select private.make_quarterly_statements(case when at <> '' then 10 end) from later`,
  );
  const { text } = await pdfOf(agent);
  for (const said of [
    ...COMPANY,
    'Nom : Léa Roux EI',
    'RSAC Vannes 412 345 670',
    'SIRET : 412 345 670 00001',
    'R134-3',
  ]) {
    expect(plain(text)).toContain(said);
  }
});

test('[AC-07] a particulier is told to declare; a donation’s receipt has the association’s number; a paper is what may be contested', async () => {
  const person = await aSeller({ status: 'particulier', legal_name: 'Éloïse Lefèvre' });
  await paid(person, '10');
  const receipt = plain((await pdfOf(person)).text);
  expect(receipt).toContain('Le bénéficiaire déclare cette somme avec ses revenus');
  expect(receipt).toContain('Cette pièce peut être contestée auprès de l’entreprise');
  expect(receipt).not.toContain('Elle peut être contestée');
  expect(receipt).not.toContain('EI');
  await paid(person, '11', {
    payment_method: 'association',
    payment_details: { association_name: 'Emmaüs', association_details: 'Antenne de Nantes' },
    association: { association_name: 'Emmaüs', association_number: 'W442000001' },
  });
  expect(plain((await pdfOf(person)).text)).toContain(
    'Association : Emmaüs Numéro de l’association au répertoire national (RNA) : W442000001',
  );
  const body = await aSeller({ status: 'association', legal_name: 'Les Amis', siren: null, rna: 'W751000001' });
  await paid(body, '10');
  const given = plain((await pdfOf(body)).text);
  expect(given).toContain('W751000001');
  expect(given).not.toContain('avec ses revenus');
});

test('[AC-08] the receipt of a business abroad says where it is, its number there and the reverse charge; its annulment takes it back', async () => {
  const belgian = {
    status: 'societe',
    legal_name: 'Bois SRL',
    street: 'Rue de la Loi 1',
    postal_code: '1000',
    city: 'Bruxelles',
    country: 'BE',
    number_abroad: 'BE 0203.201.340',
  };
  const seller = await aSeller(belgian);
  const id = await paid(seller, '12.33', transfer);
  const receipt = plain((await pdfOf(seller)).text);
  for (const said of [
    'Reçu de commission',
    'Adresse : Rue de la Loi 1, 1000 Bruxelles, Belgique',
    'Numéro de TVA intracommunautaire : BE0203201340',
    'Statut : Entreprise',
    'Numéro de TVA : FR44732829320',
    `Total payé ${plain(formatEuros(1_233n))}`,
    // 20 % of 12,33 is 2,466.
    `Autoliquidation — article 283-2 du CGI : la somme payée est hors taxe, et l’entreprise doit elle-même la TVA, ${plain(formatEuros(247n))} au taux de 20 %.`,
    'Il ne remplace pas la facture du bénéficiaire.',
  ]) {
    expect(receipt).toContain(said);
  }
  const { version } = only(
    await server.database.asOwner<{ version: number }>('select version from public.payment_requests where id = $1', [
      id,
    ]),
  );
  const returned = { request_id: id, reason: 'Compte clos.', seen_version: version };
  expect((await callAs(server, admin, 'payment-request?action=return', returned)).status).toBe(200);
  expect(plain((await pdfOf(seller)).text)).toContain(
    `Autoliquidation — article 283-2 du CGI : la TVA que devait l’entreprise est reprise, ${plain(formatEuros(247n))} au taux de 20 %.`,
  );
});

test('[AC-08] somebody in Spain has a receipt with their address there and no reverse charge; an agent abroad is no EI', async () => {
  const spanish = { street: 'Calle Mayor 1', postal_code: '28013', city: 'Madrid', country: 'ES' };
  const person = await aSeller({ status: 'particulier', legal_name: 'Eva Ruiz', ...spanish });
  await paid(person, '10');
  const receipt = plain((await pdfOf(person)).text);
  expect(receipt).toContain('Adresse : Calle Mayor 1, 28013 Madrid, Espagne');
  expect(receipt).toContain('avec ses revenus, dans son pays');
  expect(receipt).not.toContain('Autoliquidation');
  expect(receipt).not.toContain('n’en retient aucun impôt');
  expect(nameOf({ legal_name: 'Eva Ruiz', status: 'agent', country: 'ES' })).toBe('Eva Ruiz');
  expect(nameOf({ legal_name: 'Léa Roux', status: 'agent', country: null })).toBe('Léa Roux EI');
});

test('[AC-07] an invoice of 200 contracts names each on its line, over several pages, and its XML adds up to the cent', async () => {
  const seller = await aSeller(
    { status: 'micro', legal_name: 'Noé Petit', siren: '784671695', siret: '78467169500004', charges_vat: false },
    true,
    200,
  );
  await paid(seller, '24691.50');
  const paper = await paperOf(seller);
  const pdf = await readPdf(await fileOf(paper));
  expect(pdf.pages.length).toBeGreaterThan(3);
  const numbers = await server.database.asOwner<{ number: string }>(
    `select upper(left(id::text, 8)) as number from public.sales where friend_referrer_id = $1`,
    [seller.id],
  );
  const text = plain(pdf.text);
  const xml = xmlIn(pdf);
  expect(numbers).toHaveLength(200);
  for (const { number } of numbers) {
    expect(text).toContain(`CTR-${number}`);
    expect(xml).toContain(`contrat CTR-${number}`);
  }
  // The last one in part: 24 692,00 € were earned.
  expect(text).toContain(`part d’une commission de ${plain(formatEuros(12_346n))}`);
  expect(text).toContain('Mois de la prestation :');
  expect(xml.split('<ram:IncludedSupplyChainTradeLineItem>')).toHaveLength(201);
  expect(xml.split('<ram:BillingSpecifiedPeriod>')).toHaveLength(201);
  expect(brokenInvoiceRules(xml.replace('<ram:LineID>2<', '<ram:LineID>1<'))).toContain('BR-21');
  // Every page says which paper it is of, and has the head of the table.
  for (const page of pdf.pages.slice(0, 4)) {
    expect(plain(page)).toContain('Désignation');
    expect(plain(page)).toContain(paper.label);
  }
  expect(pdf).toMatchObject({ pdfaPart: '3', pdfaConformance: 'A', isMarked: true, outputIntents: 1 });
});

test('[AC-07] the company’s logo and colour are on its papers, with words for who does not see them; what cannot be drawn is left out', async () => {
  const person = await aSeller({ status: 'particulier', legal_name: 'Éloïse Lefèvre' });
  await paid(person, '10');
  const paper = await paperOf(person);
  const bare = await taggedPdf(paperDocument(paper));
  expect(bare).toEqual(await taggedPdf(paperDocument(paper)));
  const logo = await sharp({ create: { width: 300, height: 90, channels: 4, background: '#7a0019cc' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('file', new File([new Uint8Array(logo)], 'logo.png', { type: 'image/png' }));
  const sent = await server.fetch(
    '/functions/v1/company-settings?action=upload_logo',
    { method: 'POST', body: form },
    admin,
  );
  expect(sent.status).toBe(200);
  const color = { action: 'update_color', brand_color: '#ffcc00' };
  expect((await callAs(server, admin, 'company-settings', color)).status).toBe(200);
  const bytes = await fileOf(paper);
  const pdf = await readPdf(bytes);
  expect(pdf.tags.filter((tag) => tag === 'Figure')).toHaveLength(1);
  expect(bytes.toString('latin1')).toContain('/Subtype /Image');
  expect(pdf).toMatchObject({ pdfaPart: '3', pdfaConformance: 'A', isMarked: true, outputIntents: 1 });
  expect(bytes.equals(bare)).toBe(false);
  // They are those of the day on which the file was made, for ever.
  await callAs(server, admin, 'company-settings', { ...color, brand_color: '#0b5a40' });
  expect(await fileOf(paper)).toEqual(bytes);
  const spoilt = { logo: Buffer.from('RIFF0000WEBP'), color: '#ffcc00', name: 'Lumeo' };
  const drawn = await readPdf(await taggedPdf(paperDocument(paper), spoilt));
  expect(drawn.tags).not.toContain('Figure');
  expect(plain(drawn.text)).toBe(plain((await readPdf(bare)).text));
});

describe('[AC-07] an example of each paper', () => {
  const specimen = (name: string, who: Person = admin): Promise<Response> =>
    server.fetch(`/exports/v1/papers/${name}.pdf`, {}, who);
  const words: Readonly<Record<SpecimenName, readonly string[]>> = {
    'recu-particulier': ['Reçu de commission', 'Camille Martin', 'Le bénéficiaire déclare cette somme', '250,00 €'],
    'autofacture-micro': ['Autofacture', 'Camille Martin EI', 'art. 293 B du CGI', '250,00 €'],
    'autofacture-societe': ['Autofacture', 'SARL au capital de 10 000 €, RCS Rennes', 'TVA 20 %', '300,00 €'],
    'autofacture-agent': ['Autofacture', 'Camille Martin EI', 'RSAC Rennes', '300,00 €'],
    'recu-association': ['Reçu de commission', 'Les Amis du Jardin', 'W351000000'],
    'annulation-recu': ['Annulation de reçu', '−250,00 €'],
    avoir: ['Avoir', 'Annule', 'autofacture n° F000000000-', '300,00 €'],
    'releve-trimestriel': ['Relevé de commissions', '10 % de 4 300,00 €', '370,00 €'],
  };

  test.each(specimenNames)('%s names the company and says that it is worth nothing', async (name) => {
    const reply = await specimen(name);
    expect(reply.status).toBe(200);
    const pdf = await readPdf(Buffer.from(await reply.arrayBuffer()));
    const text = plain(pdf.text);
    expect(text).toContain('Spécimen : données de test, sans valeur.');
    for (const word of [...COMPANY, ...words[name]]) expect(text).toContain(plain(word));
    const { kind } = specimens[name];
    if (kind === 'invoice' || kind === 'credit') xmlIn(pdf);
    else expect(pdf.attachments).toEqual([]);
  });

  test('a credit note asks for no payment: no penalties on its page, and its data keep the codes that the rules want', async () => {
    const penalties = /Pénalités de retard|frais de recouvrement|escompte/u;
    for (const [name, has] of [
      ['autofacture-societe', true],
      ['avoir', false],
    ] as const) {
      const pdf = await readPdf(Buffer.from(await (await specimen(name)).arrayBuffer()));
      const xml = xmlIn(pdf);
      expect([name, penalties.test(plain(pdf.text)), penalties.test(xml)]).toEqual([name, has, has]);
      expect(xml.split('Sans objet : avoir.')).toHaveLength(has ? 1 : 4);
    }
  });

  test('nothing of it is stored, and only those who keep the books may ask', async () => {
    const count = () => server.database.asOwner<{ n: number }>('select count(*)::int as n from private.paper_files');
    const before = await count();
    expect((await specimen('avoir')).status).toBe(200);
    expect(await count()).toEqual(before);
    expect((await specimen('avoir', commercial)).status).toBe(403);
    expect((await specimen('facture')).status).toBe(404);
  });
});
