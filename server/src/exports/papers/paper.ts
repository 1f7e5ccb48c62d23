import { dayOf, formatDate } from '@parrain/domain/date';
import { paymentMethodLabel } from '@parrain/domain/payment-request';
import { shortId } from '@parrain/domain/short-id';
import { sirenText } from '@parrain/domain/siren';
import { monthName } from '@parrain/domain/statement';

import type { PaperBlock } from '../pdf/tagged-pdf.ts';

/** A row of `papers`: the data of a paper, frozen with its number (PP-02). */
export type Paper = PaymentPaper | QuarterPaper;

type Numbered = {
  readonly id: string;
  /** « R », « F552100554 »: `paperKindOf` says what it is. */
  readonly series: string;
  readonly is_test: boolean;
  readonly label: string;
  /** A day, « 2026-11-23 ». */
  readonly issued_on: string;
  readonly amount: string;
};

/** A paper of a payment: of a request, or of a commercial's month. */
export type PaymentPaper = Numbered & {
  readonly quarter: null;
} & (
    | { readonly request_id: string; readonly content: RequestContent }
    | { readonly request_id: null; readonly content: MonthContent }
  );

/** An agent commercial's quarter. */
export type QuarterPaper = Numbered & {
  /** Its first day. */
  readonly quarter: string;
  readonly request_id: null;
  readonly content: {
    readonly company: Party;
    readonly payee: MonthContent['payee'];
    /** Sum due before the quarter and at its end; negative where it is to be taken back. */
    readonly opening: string;
    readonly closing: string;
    readonly lines: readonly QuarterLine[];
    readonly contest_until: string;
  };
};

/** Change of the sum due, with the basis of its calculation where it is a commission. */
export type QuarterLine = {
  readonly at: string;
  readonly act: string;
  readonly amount: string;
  readonly contract: string | null;
  readonly contract_amount: string | null;
  readonly contract_left: string | null;
  readonly type: string | null;
  readonly rate: string | null;
};

export type Party = {
  readonly legal_name?: string | null;
  readonly street?: string | null;
  readonly postal_code?: string | null;
  readonly city?: string | null;
  readonly siren?: string | null;
  readonly vat_number?: string | null;
};

type PaymentContent = {
  readonly company: Party;
  readonly payee: Party & { readonly name: string; readonly status?: string; readonly rna?: string | null };
  readonly paid_at: string;
  /** A day; papers made before it was a setting have none. */
  readonly contest_until?: string;
  /** By which mandate an invoice was written (PP-05). */
  readonly mandate?: { readonly version: string; readonly accepted_at: string } | null;
  /** The VAT of an invoice, whose amount is then the total: what it is of, its rate « 20.00 », and how much it is. */
  readonly vat?: { readonly base: string; readonly rate: string; readonly amount: string };
};

type RequestContent = PaymentContent & {
  readonly method: string;
  readonly reference: string | null;
  readonly association: string | null;
  readonly asked_at: string;
  readonly returned_at: string | null;
  /** The paper that this one takes back, and its day. */
  readonly receipt: string | null;
  readonly receipt_on?: string | null;
};

type MonthContent = PaymentContent & {
  /** Its first day, « 2026-11-01 ». */
  readonly month: string;
  readonly returned_at?: string;
  /** The paper that this one takes back, and its day. */
  readonly receipt?: string;
  readonly receipt_on?: string;
};

/** A payment as its papers say it. */
export type Payment = {
  readonly item: string;
  readonly facts: readonly (readonly [string, string])[];
  /** The day until which the services were rendered, « 2026-11-30 ». */
  readonly deliveredOn: string;
  readonly settledAt: string;
  /** The paper that this one takes back. */
  readonly credited: { readonly number: string; readonly issuedOn: string } | null;
};

export function paymentOf({ issued_on: issuedOn, request_id: requestId, content }: PaymentPaper): Payment {
  if (requestId === null) {
    const [year = 0, month = 0] = content.month.split('-').map(Number);
    const name = monthName(content.month.slice(0, 7));
    return {
      item: `Commissions sur les contrats de parrainage, ${name}`,
      facts: [['Mois payé', name]],
      deliveredOn: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
      settledAt: content.returned_at ?? content.paid_at,
      credited:
        content.receipt === undefined ? null : { number: content.receipt, issuedOn: content.receipt_on ?? issuedOn },
    };
  }
  const { method, reference, association, asked_at: askedAt, receipt, receipt_on: receiptOn } = content;
  return {
    item: 'Commissions de parrainage (apport d’affaires)',
    facts: [
      ['Mode de paiement', paymentMethodLabel(method)],
      ...(association === null ? [] : [['Association', association] as const]),
      ...(reference === null ? [] : [['Référence', reference] as const]),
      ['Demande', `n° ${shortId(requestId)} du ${formatDate(askedAt)}`],
    ],
    deliveredOn: dayOf(new Date(askedAt)),
    // A credit note settles with the money that came back.
    settledAt: content.returned_at ?? content.paid_at,
    credited: receipt === null ? null : { number: receipt, issuedOn: receiptOn ?? issuedOn },
  };
}

/** « 23 novembre 2026 » is written of noon: no time zone moves a day. */
export function noonOf(day: string): string {
  return `${day}T12:00:00Z`;
}

/** Block of a paper with the details of one of its parties. */
export function partyBlock(
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
