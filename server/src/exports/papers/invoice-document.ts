import { dayOf, formatDate } from '@parrain/domain/date';
import { legalReferences, referenceOn } from '@parrain/domain/legal-references';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { formatPercent, percentFromWire } from '@parrain/domain/percent';

import type { PaperDocument } from '../pdf/tagged-pdf.ts';
import { facturX } from './factur-x.ts';
import type { InvoiceParty } from './factur-x.ts';
import { legalWords, nameOf, noonOf, partyBlock, paymentOf } from './paper.ts';
import type { Party, PaymentPaper } from './paper.ts';

/** Mentions that the Code de commerce (L441-9, L441-10) requires on every invoice between businesses, by their code of UNTDID 4451. */
const TERMS = [
  ['PMT', 'Indemnité forfaitaire pour frais de recouvrement en cas de retard de paiement : 40 €.'],
  ['PMD', 'Pénalités de retard : trois fois le taux de l’intérêt légal.'],
  ['AAB', 'Pas d’escompte pour paiement anticipé.'],
] as const;

/** A credit note asks for no payment: its data keep the three codes, which the French rules want of each document (BR-FR-05), and its page has none. */
const CREDIT_TERMS = TERMS.map(([code]) => [code, 'Sans objet : avoir.'] as const);

/** Service that is paid for, which a line's contract does not say by itself. */
const NATURE = 'commissions de parrainage (apport d’affaires)';

/** A self-billed invoice or its credit note, with VAT or without: on paper, and as the data embedded in it. Of the frozen data alone (PP-02). */
export function invoiceDocument(paper: PaymentPaper): PaperDocument {
  const { label, issued_on: issuedOn, amount, content, is_test: isTest } = paper;
  const { company, payee, mandate, vat, contest_until: contestUntil } = content;
  const { lines, facts, deliveredOn, settledAt, credited } = paymentOf(paper);
  const [seller, buyer] = [partyOf(payee), partyOf(company)];
  const day = formatDate(noonOf(issuedOn));
  const total = formatEuros(fromWire(amount));
  const sum = formatEuros(fromWire(vat?.base ?? amount));
  const none = formatEuros(0n);
  const selfBilled =
    `Autofacturation : ${credited === null ? 'facture établie' : 'avoir établi'} par ${buyer.name} au nom et pour le compte de ` +
    `${seller.name}${mandate ? `, selon le mandat accepté le ${formatDate(mandate.accepted_at)}` : ''}.`;
  const exemptionReason = referenceOn(issuedOn, legalReferences.vatExemption);
  const registration = legalWords(payee);
  const specimen = isTest ? ['Spécimen : données de test, sans valeur.'] : [];
  return {
    title: `${credited === null ? 'Autofacture' : 'Avoir'} n°\u00a0${label}`,
    madeAt: new Date(`${issuedOn}T00:00:00Z`),
    sender: seller.name,
    footer: `${seller.name} · ${label} · ${day}`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          [credited === null ? 'Établie le' : 'Établi le', day],
          ...(credited === null
            ? []
            : [['Annule', `autofacture n° ${credited.number} du ${formatDate(noonOf(credited.issuedOn))}`] as const]),
        ],
      },
      { kind: 'text', text: selfBilled },
      { kind: 'heading', text: 'Prestataire' },
      partyBlock(seller.name, payee),
      { kind: 'heading', text: 'Client' },
      partyBlock(buyer.name, company),
      { kind: 'heading', text: `${credited === null ? 'Prestation' : 'Prestation annulée'} : ${NATURE}` },
      {
        kind: 'table',
        columns: [
          { label: 'Désignation', share: 5.2 },
          { label: 'Quantité', share: 0.9, isNumber: true },
          { label: 'Prix unitaire HT', share: 1.6, isNumber: true },
          { label: 'Montant HT', share: 1.4, isNumber: true },
        ],
        rows: [
          ...lines.map(({ item, amount: part }) => {
            const price = formatEuros(fromWire(part));
            return { cells: [item, '1', price, price] };
          }),
          { cells: ['Total HT', '', '', sum] },
          vat === undefined
            ? { cells: [exemptionReason, '', '', none] }
            : { cells: [`TVA ${formatPercent(percentFromWire(vat.rate))}`, '', '', formatEuros(fromWire(vat.amount))] },
          {
            cells: [
              `${credited === null ? 'Total à payer' : 'Total de l’avoir'}${vat === undefined ? '' : ' TTC'}`,
              '',
              '',
              total,
            ],
            isTotal: true,
          },
          {
            cells: [
              `${credited === null ? 'Payé' : 'Revenu à l’entreprise'} le ${formatDate(settledAt)}`,
              '',
              '',
              `−${total}`,
            ],
          },
          { cells: ['Reste à payer', '', '', none], isTotal: true },
        ],
      },
      {
        kind: 'facts',
        facts: [['Prestations rendues jusqu’au', formatDate(noonOf(deliveredOn))], ...facts],
      },
      {
        kind: 'text',
        isNote: true,
        text: [
          ...specimen,
          ...(credited === null ? TERMS.map(([, words]) => words) : []),
          ...(contestUntil === undefined
            ? []
            : [
                `Cette pièce peut être contestée auprès ${ofName(buyer.name)} jusqu’au ${formatDate(noonOf(contestUntil))}.`,
              ]),
          'Elle contient ses données au format Factur-X (profil EN 16931).',
        ].join(' '),
      },
    ],
    facturX: facturX({
      number: label,
      issuedOn,
      deliveredOn,
      paidOn: dayOf(new Date(settledAt)),
      seller,
      buyer,
      lines,
      nature: NATURE,
      exemptionReason,
      amount: vat?.base ?? amount,
      vat: vat === undefined ? null : { rate: vat.rate, amount: vat.amount, total: amount },
      credited,
      notes: [
        ['AAI', [...specimen, selfBilled].join(' ')],
        ...(credited === null ? TERMS : CREDIT_TERMS),
        ['BAR', 'B2B'],
        ...(registration.length === 0 ? [] : [['REG', `${seller.name}, ${registration.join(', ')}`] as const]),
      ],
    }),
  };
}

function partyOf(party: Party): InvoiceParty {
  const { legal_name: name, street, postal_code: postalCode, city, siren, siret, vat_number: vatNumber } = party;
  if (!name || !street || !postalCode || !city || !siren) throw new Error('A party of an invoice is not known');
  return {
    name: nameOf(party),
    street,
    postalCode,
    city,
    siren,
    siret: siret ?? null,
    vatNumber: vatNumber ?? null,
    registration: legalWords(party).join(', ') || null,
  };
}
