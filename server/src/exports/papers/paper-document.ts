import { formatDate } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { isBusiness, isPayeeStatus, payeeStatusLabels } from '@parrain/domain/payee';
import { paymentMethodLabel } from '@parrain/domain/payment-request';
import { shortId } from '@parrain/domain/short-id';
import { sirenText } from '@parrain/domain/siren';

import type { PaperBlock, PaperDocument } from '../pdf/tagged-pdf.ts';

/** A row of `papers`: the data of a paper, frozen with its number (PP-02). */
export type Paper = {
  readonly id: string;
  readonly series: 'R' | 'AR' | 'TR' | 'TAR';
  readonly is_test: boolean;
  readonly label: string;
  readonly request_id: string;
  /** A day, « 2026-11-23 ». */
  readonly issued_on: string;
  readonly amount: string;
  readonly content: PaperContent;
};

type Party = {
  readonly legal_name?: string | null;
  readonly street?: string | null;
  readonly postal_code?: string | null;
  readonly city?: string | null;
  readonly siren?: string | null;
  readonly vat_number?: string | null;
};

type PaperContent = {
  readonly company: Party;
  readonly payee: Party & { readonly name: string; readonly status?: string; readonly rna?: string | null };
  readonly method: string;
  readonly reference: string | null;
  readonly association: string | null;
  readonly asked_at: string;
  readonly paid_at: string;
  readonly returned_at: string | null;
  readonly receipt: string | null;
};

/** A receipt, or what takes one back. */
export function isReceiptSeries(series: Paper['series']): boolean {
  return series === 'R' || series === 'TR';
}

/** What stands on a receipt, or on what takes one back: of the frozen data alone, so that the same paper is the same bytes. */
export function paperDocument({
  series,
  is_test: isTest,
  label,
  request_id: requestId,
  issued_on: issuedOn,
  amount,
  content,
}: Paper): PaperDocument {
  const {
    company,
    payee,
    method,
    reference,
    association,
    asked_at: askedAt,
    paid_at: paidAt,
    returned_at: returnedAt,
    receipt,
  } = content;
  const isReceipt = isReceiptSeries(series);
  const sum = formatEuros(fromWire(amount));
  const companyName = company.legal_name ?? '';
  const payeeName = payee.legal_name ?? payee.name;
  const status = isPayeeStatus(payee.status) ? payee.status : null;
  const notes: readonly string[] = [
    ...(isTest ? ['Spécimen : données de test, sans valeur.'] : []),
    ...(status !== null && isBusiness(status)
      ? ['Ce reçu constate un paiement. Il ne remplace pas la facture du bénéficiaire.']
      : []),
    'Pièce numérotée sans interruption et conservée telle qu’elle a été établie.',
  ];
  return {
    title: `${isReceipt ? 'Reçu de commission' : 'Annulation de reçu'} n° ${label}`,
    madeAt: new Date(`${issuedOn}T00:00:00Z`),
    sender: companyName,
    footer: `${companyName} · ${label} · ${formatDate(`${issuedOn}T12:00:00Z`)}`,
    blocks: [
      { kind: 'facts', facts: [['Établi le', formatDate(`${issuedOn}T12:00:00Z`)]] },
      { kind: 'heading', text: 'Entreprise' },
      partyBlock(companyName, company),
      { kind: 'heading', text: 'Bénéficiaire' },
      partyBlock(payeeName, payee, [
        ...(status === null ? [] : [['Statut', payeeStatusLabels[status]] as const]),
        ...(payee.rna ? [['Numéro au répertoire national des associations', payee.rna] as const] : []),
      ]),
      { kind: 'heading', text: isReceipt ? 'Paiement' : 'Paiement revenu' },
      {
        kind: 'table',
        columns: [
          { label: 'Désignation', share: 4 },
          { label: 'Montant', share: 1.3, isNumber: true },
        ],
        rows: [
          {
            cells: [
              isReceipt
                ? 'Commissions de parrainage, payées à la demande du bénéficiaire'
                : `Commissions de parrainage payées selon le reçu n° ${receipt ?? ''}, revenues à l’entreprise`,
              isReceipt ? sum : `−${sum}`,
            ],
          },
          { cells: [isReceipt ? 'Total payé' : 'Total repris', isReceipt ? sum : `−${sum}`], isTotal: true },
        ],
      },
      {
        kind: 'facts',
        facts: [
          ['Mode de paiement', paymentMethodLabel(method)],
          ...(association === null ? [] : [['Association', association] as const]),
          ...(reference === null ? [] : [['Référence', reference] as const]),
          ['Demande', `n° ${shortId(requestId)} du ${formatDate(askedAt)}`],
          ['Payée le', formatDate(paidAt)],
          ...(returnedAt === null ? [] : [['Revenue le', formatDate(returnedAt)] as const]),
        ],
      },
      { kind: 'text', isNote: true, text: notes.join(' ') },
    ],
  };
}

function partyBlock(
  name: string,
  { street, postal_code: postalCode, city, siren, vat_number: vatNumber }: Party,
  more: readonly (readonly [string, string])[] = [],
): PaperBlock {
  return {
    kind: 'facts',
    facts: [
      ['Nom', name],
      ...(street && postalCode && city ? [['Adresse', `${street}, ${postalCode} ${city}`] as const] : []),
      ...(siren ? [['SIREN', sirenText(siren)] as const] : []),
      ...(vatNumber ? [['Numéro de TVA', vatNumber] as const] : []),
      ...more,
    ],
  };
}
