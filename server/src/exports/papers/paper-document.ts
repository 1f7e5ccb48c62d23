import { formatDate } from '@parrain/domain/date';
import { legalReferences, referenceOn } from '@parrain/domain/legal-references';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { paperKindOf } from '@parrain/domain/paper';
import { france, isBusiness, isPayeeStatus, payeeStatusLabel } from '@parrain/domain/payee';
import { formatPercent, percentFromWire } from '@parrain/domain/percent';

import type { PaperDocument } from '../pdf/tagged-pdf.ts';
import { invoiceDocument } from './invoice-document.ts';
import { nameOf, noonOf, partyBlock, paymentOf } from './paper.ts';
import type { Paper, PaymentPaper } from './paper.ts';
import { quarterDocument } from './quarter-document.ts';

/** Layout of a paper: made of its frozen data alone, so that the same paper is the same bytes. */
export function paperDocument(paper: Paper): PaperDocument {
  if (paper.quarter !== null) return quarterDocument(paper);
  const kind = paperKindOf(paper.series);
  return kind === 'receipt' || kind === 'annulment'
    ? receiptDocument(paper, kind === 'receipt')
    : invoiceDocument(paper);
}

/** The mention of the reverse charge, and what it makes the company owe (AC-08). */
function reverseChargeNote(
  { rate, amount }: NonNullable<PaymentPaper['content']['reverse_charge']>,
  { issuedOn, isReceipt }: { readonly issuedOn: string; readonly isReceipt: boolean },
): string {
  const law = referenceOn(issuedOn, legalReferences.reverseCharge);
  const tax = `${formatEuros(fromWire(amount))} au taux de ${formatPercent(percentFromWire(rate))}`;
  return isReceipt
    ? `Autoliquidation — ${law} : la somme payée est hors taxe, et l’entreprise doit elle-même la TVA, ${tax}.`
    : `Autoliquidation — ${law} : la TVA que devait l’entreprise est reprise, ${tax}.`;
}

function receiptNote({ invoice, payee }: PaymentPaper['content']): string {
  const settled = invoice === undefined ? '' : `, en règlement de votre ${invoiceNamed(invoice)}`;
  return `Ce reçu constate un paiement${settled}. Il ne remplace pas la facture du bénéficiaire${payee.vat_number ? ', qui porte la TVA' : ''}.`;
}

/** The payment came back: what it settled is unpaid again (AC-04). */
function annulmentNote({ invoice }: PaymentPaper['content']): string {
  const due = invoice === undefined ? '' : ` Votre ${invoiceNamed(invoice)} reste due.`;
  return `Cette pièce annule un reçu : le paiement est revenu à l’entreprise.${due}`;
}

function invoiceNamed({ number, on }: NonNullable<PaymentPaper['content']['invoice']>): string {
  return `facture n° ${number} du ${formatDate(noonOf(on))}`;
}

/** Layout of a receipt, or of the cancellation of one. */
function receiptDocument(paper: PaymentPaper, isReceipt: boolean): PaperDocument {
  const { is_test: isTest, label, issued_on: issuedOn, amount, content } = paper;
  const { company, payee, paid_at: paidAt, contest_until: contestUntil, reverse_charge: reverseCharge } = content;
  const { lines, facts, settledAt, credited } = paymentOf(paper);
  const isOfMonth = paper.request_id === null;
  const sum = formatEuros(fromWire(amount));
  const companyName = company.legal_name ?? '';
  const payeeName = nameOf(payee, payee.name);
  const status = isPayeeStatus(payee.status) ? payee.status : null;
  const notes: readonly string[] = [
    ...(isTest ? ['Spécimen : données de test, sans valeur.'] : []),
    ...(status !== null && isBusiness(status) ? [isReceipt ? receiptNote(content) : annulmentNote(content)] : []),
    ...(status === 'particulier' && isReceipt
      ? [
          payee.country
            ? 'Le bénéficiaire déclare cette somme avec ses revenus, dans son pays.'
            : 'Le bénéficiaire déclare cette somme avec ses revenus : l’entreprise n’en retient aucun impôt.',
        ]
      : []),
    ...(reverseCharge === undefined ? [] : [reverseChargeNote(reverseCharge, { issuedOn, isReceipt })]),
    ...(contestUntil === undefined
      ? []
      : [`Cette pièce peut être contestée auprès de l’entreprise jusqu’au ${formatDate(noonOf(contestUntil))}.`]),
    'Pièce numérotée sans interruption et conservée telle qu’elle a été établie.',
  ];
  return {
    title: `${isReceipt ? 'Reçu de commission' : 'Annulation de reçu'} n°\u00a0${label}`,
    madeAt: new Date(`${issuedOn}T00:00:00Z`),
    sender: companyName,
    footer: `${companyName} · ${label} · ${formatDate(noonOf(issuedOn))}`,
    blocks: [
      { kind: 'facts', facts: [['Établi le', formatDate(noonOf(issuedOn))]] },
      { kind: 'heading', text: 'Entreprise' },
      partyBlock(companyName, company),
      { kind: 'heading', text: 'Bénéficiaire' },
      partyBlock(payeeName, payee, [
        ...(status === null ? [] : [['Statut', payeeStatusLabel(status, payee.country ?? france)] as const]),
        ...(payee.rna ? [['Numéro au répertoire national des associations', payee.rna] as const] : []),
      ]),
      { kind: 'heading', text: isReceipt ? 'Paiement' : 'Paiement revenu' },
      ...(isReceipt
        ? []
        : [
            {
              kind: 'text',
              text: `Commissions de parrainage payées selon le reçu n° ${credited?.number ?? ''}, revenues à l’entreprise.`,
            } as const,
          ]),
      {
        kind: 'table',
        columns: [
          { label: 'Désignation', share: 4 },
          { label: 'Montant', share: 1.3, isNumber: true },
        ],
        rows: [
          ...(isReceipt && !isOfMonth && !content.lines
            ? [{ cells: ['Commissions de parrainage, payées à la demande du bénéficiaire', sum] }]
            : lines.map(({ item, amount: part }) => ({
                cells: [item, `${isReceipt ? '' : '−'}${formatEuros(fromWire(part))}`],
              }))),
          ...invoiceRows(content.invoice, isReceipt ? '' : '−'),
          { cells: [isReceipt ? 'Total payé' : 'Total repris', isReceipt ? sum : `−${sum}`], isTotal: true },
        ],
      },
      {
        kind: 'facts',
        facts: [
          ...(content.invoice === undefined
            ? []
            : [
                [
                  isReceipt ? 'Facture réglée' : 'Facture restant due',
                  `n° ${content.invoice.number} du ${formatDate(noonOf(content.invoice.on))}`,
                ] as const,
              ]),
          ...facts,
          [isOfMonth ? 'Payé le' : 'Payée le', formatDate(paidAt)],
          ...(isReceipt ? [] : [[isOfMonth ? 'Revenu le' : 'Revenue le', formatDate(settledAt)] as const]),
        ],
      },
      { kind: 'text', isNote: true, text: notes.join(' ') },
    ],
  };
}

/** Amount before tax and VAT of the invoice that a payment settles; none where it charges none (AC-04). */
function invoiceRows(invoice: PaymentPaper['content']['invoice'], sign: string) {
  if (invoice?.vat === undefined || invoice.rate === undefined) return [];
  return [
    { cells: ['Montant hors taxe', `${sign}${formatEuros(fromWire(invoice.base))}`] },
    {
      cells: [`TVA (${formatPercent(percentFromWire(invoice.rate))})`, `${sign}${formatEuros(fromWire(invoice.vat))}`],
    },
  ];
}
