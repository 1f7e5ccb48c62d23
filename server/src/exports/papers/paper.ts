import { countryName, numberAbroadLabel } from '@parrain/domain/country';
import { dayOf, formatDate } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { plainEuros } from '@parrain/domain/plain-euros';
import { paymentMethodLabel } from '@parrain/domain/payment-request';
import { shortId } from '@parrain/domain/short-id';
import { sirenText, siretText } from '@parrain/domain/siren';
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
  readonly siret?: string | null;
  readonly vat_number?: string | null;
  readonly legal_form?: string | null;
  readonly capital?: string | null;
  /** The town of its RCS, or of an agent's RSAC. */
  readonly registry_city?: string | null;
  /** Of a payee alone: « micro ». */
  readonly status?: string;
  /** Of a payee abroad, « BE », and a business's number there (AC-08). */
  readonly country?: string | null;
  readonly number_abroad?: string | null;
};

/** Part of a payment that pays a contract. */
export type ContractLine = {
  /** « 1A2B3C4D »; absent of an adjustment, and of what nothing else explains. */
  readonly contract?: string;
  /** The day on which it was validated. */
  readonly on?: string;
  readonly amount: string;
  /** Its whole commission, where the payment pays a part. */
  readonly of?: string;
};

type PaymentContent = {
  readonly company: Party;
  readonly payee: Party & { readonly name: string; readonly rna?: string | null };
  readonly paid_at: string;
  /** Papers made before they were named have none. */
  readonly lines?: readonly ContractLine[];
  /** A day; papers made before it was a setting have none. */
  readonly contest_until?: string;
  /** By which mandate an invoice was written (PP-05). */
  readonly mandate?: { readonly version: string; readonly accepted_at: string } | null;
  /** The VAT of an invoice, whose amount is then the total: what it is of, its rate « 20.00 », and how much it is. */
  readonly vat?: { readonly base: string; readonly rate: string; readonly amount: string };
  /** The VAT that the company owes itself for a business abroad (AC-08): its rate « 20.00 », and how much it is. */
  readonly reverse_charge?: { readonly rate: string; readonly amount: string };
  /** The payee's own invoice that was paid (AC-04); its amount before tax, and its VAT where it has some. */
  readonly invoice?: {
    readonly number: string;
    readonly on: string;
    readonly base: string;
    readonly rate?: string;
    readonly vat?: string;
  };
};

type RequestContent = PaymentContent & {
  readonly method: string;
  readonly reference: string | null;
  readonly association: string | null;
  /** In the national register, or its SIREN. */
  readonly association_number?: string | null;
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
  /** Lines that add up to what it pays. */
  readonly lines: readonly PaymentLine[];
  readonly facts: readonly (readonly [string, string])[];
  /** The day until which the services were rendered, « 2026-11-30 ». */
  readonly deliveredOn: string;
  readonly settledAt: string;
  /** The paper that this one takes back. */
  readonly credited: { readonly number: string; readonly issuedOn: string } | null;
};

export type PaymentLine = { readonly item: string; readonly day: string | null; readonly amount: string };

export function paymentOf({ issued_on: issuedOn, request_id: requestId, amount, content }: PaymentPaper): Payment {
  const sum = content.vat?.base ?? content.invoice?.base ?? amount;
  const linesOr = (item: string): readonly PaymentLine[] =>
    content.lines?.map((line) => ({ item: itemOf(line), day: line.on ?? null, amount: line.amount })) ?? [
      { item, day: null, amount: sum },
    ];
  const days = (content.lines ?? []).flatMap(({ on }) => on ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  const [first, last] = [days[0], days.at(-1)];
  if (requestId === null) {
    const [year = 0, month = 0] = content.month.split('-').map(Number);
    const name = monthName(content.month.slice(0, 7));
    return {
      lines: linesOr(`Commissions sur les contrats de parrainage, ${name}`),
      facts: [['Mois payé', name]],
      deliveredOn: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
      settledAt: content.returned_at ?? content.paid_at,
      credited:
        content.receipt === undefined ? null : { number: content.receipt, issuedOn: content.receipt_on ?? issuedOn },
    };
  }
  const { method, reference, association, asked_at: askedAt, receipt, receipt_on: receiptOn } = content;
  return {
    lines: linesOr('Commissions de parrainage (apport d’affaires)'),
    facts: [
      ...(first === undefined || last === undefined ? [] : [['Mois de la prestation', monthsOf(first, last)] as const]),
      ['Mode de paiement', paymentMethodLabel(method)],
      ...(association === null ? [] : [['Association', association] as const]),
      ...(content.association_number ? [associationNumber(content.association_number)] : []),
      ...(reference === null ? [] : [['Référence', reference] as const]),
      ['Demande', `n° ${shortId(requestId)} du ${formatDate(askedAt)}`],
    ],
    // The day of the last contract, not of the request.
    deliveredOn: last ?? dayOf(new Date(askedAt)),
    // A credit note settles with the money that came back.
    settledAt: content.returned_at ?? content.paid_at,
    credited: receipt === null ? null : { number: receipt, issuedOn: receiptOn ?? issuedOn },
  };
}

/** « 23 novembre 2026 » is written of noon: no time zone moves a day. */
export function noonOf(day: string): string {
  return `${day}T12:00:00Z`;
}

/** « Commission, contrat CTR-1A2B3C4D, validé le 3 mars 2026, part d’une commission de 150,00 € ». */
function itemOf({ contract, on, of }: ContractLine): string {
  if (contract === undefined)
    return on === undefined ? 'Autres sommes dues' : `Ajustement du ${formatDate(noonOf(on))}`;
  const day = on === undefined ? '' : `, validé le ${formatDate(noonOf(on))}`;
  const part = of === undefined ? '' : `, part d’une commission de ${formatEuros(fromWire(of))}`;
  return `Commission, contrat CTR-${contract}${day}${part}`;
}

/** « octobre 2026 », « de septembre 2026 à octobre 2026 ». */
function monthsOf(first: string, last: string): string {
  const [from, to] = [monthName(first.slice(0, 7)), monthName(last.slice(0, 7))];
  return from === to ? from : `de ${from} à ${to}`;
}

function associationNumber(number: string): readonly [string, string] {
  return number.startsWith('W')
    ? ['Numéro de l’association au répertoire national (RNA)', number]
    : ['SIREN de l’association', sirenText(number)];
}

/** « Noé Petit EI »: a person in business says so beside their name (C. com. R526-27). */
export function nameOf({ legal_name: name, status, country }: Party, otherwise = ''): string {
  const known = name ?? otherwise;
  return status === 'micro' || (status === 'agent' && !country) ? `${known} EI` : known;
}

/** « SARL au capital de 20 000 € », « RCS Rennes 732 829 320 »: what the law asks of a company, or of an agent commercial. */
export function legalWords({
  legal_form: form,
  capital,
  registry_city: city,
  siren,
  status,
}: Party): readonly string[] {
  const sum = capital ? `au capital de ${plainEuros(fromWire(capital))}` : '';
  const isAgent = status === 'agent';
  return [
    ...(form || sum ? [[form || 'Société', sum].filter((part) => part !== '').join(' ')] : []),
    ...(city && siren ? [`${isAgent ? 'RSAC' : 'RCS'} ${city} ${sirenText(siren)}`] : []),
  ];
}

/** Block of a paper with the details of one of its parties. */
export function partyBlock(name: string, party: Party, more: readonly (readonly [string, string])[] = []): PaperBlock {
  const { street, postal_code: postalCode, city, siren, siret, vat_number: vatNumber } = party;
  const { country, number_abroad: numberAbroad } = party;
  const place = country ? `, ${countryName(country)}` : '';
  const words = legalWords(party);
  return {
    kind: 'facts',
    facts: [
      ['Nom', name],
      ...(words.length === 0 ? [] : [['Immatriculation', words.join(', ')] as const]),
      ...(street && postalCode && city ? [['Adresse', `${street}, ${postalCode} ${city}${place}`] as const] : []),
      ...(siret ? [['SIRET', siretText(siret)] as const] : siren ? [['SIREN', sirenText(siren)] as const] : []),
      ...(vatNumber ? [['Numéro de TVA', vatNumber] as const] : []),
      ...(country && numberAbroad ? [[numberAbroadLabel(country), numberAbroad] as const] : []),
      ...more,
    ],
  };
}
