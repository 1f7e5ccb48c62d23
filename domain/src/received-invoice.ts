import { fromWire, toWire, type Cents } from './money.ts';
import { expectedInvoice, payeeInvoiceNumberLengthMax, type Invoiced } from './payee-invoice.ts';
import { parseSiren } from './siren.ts';
import type { Tone } from './sale.ts';

// EI-02: an invoice that came in through the plateforme agréée, and the payment request or the commercial's month that it is of.

export const receivedInvoiceStates = ['listed', 'matched', 'accepted', 'refused', 'aside'] as const;
export type ReceivedInvoiceState = (typeof receivedInvoiceStates)[number];

export const receivedInvoiceLabels: Readonly<Record<ReceivedInvoiceState, string>> = {
  listed: 'À traiter',
  matched: 'Rapprochée, à vérifier',
  accepted: 'Acceptée',
  refused: 'Refusée',
  aside: 'Écartée',
};

export const receivedInvoiceTones: Readonly<Record<ReceivedInvoiceState, Tone>> = {
  listed: 'amber',
  matched: 'amber',
  accepted: 'green',
  refused: 'red',
  aside: 'neutral',
};

/** Types of UNTDID 1001 that take money back; their amounts are positive too. */
const CREDITS: ReadonlySet<string> = new Set([
  '81',
  '83',
  '261',
  '262',
  '296',
  '308',
  '381',
  '396',
  '420',
  '458',
  '502',
  '503',
  '532',
]);
/** A plain invoice of its seller. */
const INVOICE = '380';

/** An invoice's own words, as its XML has them. */
export interface ReceivedInvoice {
  readonly number: string | null;
  /** A day, « 2026-11-23 ». */
  readonly day: string | null;
  /** Of UNTDID 1001. */
  readonly type: string | null;
  readonly currency: string | null;
  /** Before tax. */
  readonly amount: Cents | null;
  readonly vat: Cents | null;
  readonly total: Cents | null;
  /** Amount that is still to be paid; null where it says none. */
  readonly due: Cents | null;
  readonly sellerName: string | null;
  readonly sellerSiren: string | null;
  readonly sellerVat: string | null;
  readonly buyerSiren: string | null;
  readonly buyerVat: string | null;
}

/** The same, with amounts as the wire has them. */
export type ReceivedInvoiceRow = {
  readonly [Field in keyof ReceivedInvoice]: string | null;
};

const amounts = ['amount', 'vat', 'total', 'due'] as const;

export function receivedToWire(invoice: ReceivedInvoice): ReceivedInvoiceRow {
  const [amount, vat, total, due] = amounts.map((field) => {
    const cents = invoice[field];
    return cents === null ? null : toWire(cents);
  });
  return { ...invoice, amount: amount ?? null, vat: vat ?? null, total: total ?? null, due: due ?? null };
}

export function receivedToDomain(row: ReceivedInvoiceRow): ReceivedInvoice {
  const [amount, vat, total, due] = amounts.map((field) => {
    const text = row[field];
    return text === null ? null : fromWire(text);
  });
  return { ...row, amount: amount ?? null, vat: vat ?? null, total: total ?? null, due: due ?? null };
}

/** Why an invoice waits for an admin's word, in the order in which it is looked for. */
export const receivedReasons = {
  too_large: 'Le fichier dépasse 5 Mo : demandez-le au bénéficiaire.',
  unreadable: 'Le fichier n’est pas une facture lisible (Factur-X, CII ou UBL).',
  credit_note: 'C’est un avoir : il ne se rapproche ni d’une demande ni d’un mois.',
  other_type: 'Ce n’est pas une facture ordinaire (type 380).',
  incomplete: 'Il manque son numéro, sa date ou ses montants.',
  foreign_currency: 'Elle n’est pas en euros.',
  not_for_us: 'Elle n’est pas adressée au SIREN de votre entreprise.',
  wrong_sum: 'Son total n’est pas la somme du montant hors taxe et de la TVA.',
  already_paid: 'Elle dit être déjà payée, en tout ou en partie.',
  unknown_seller: 'Aucun bénéficiaire n’a ce SIREN, ce numéro de TVA ou cet IBAN.',
  seller_conflict: 'Son SIREN, son numéro de TVA et son IBAN ne sont pas ceux d’un même bénéficiaire.',
  several_sellers: 'Plusieurs bénéficiaires ont ce SIREN.',
  not_offered: 'Ce bénéficiaire n’envoie pas de facture : un mandat est en vigueur, ou son statut n’en demande pas.',
  number_taken: 'Une autre facture de ce bénéficiaire porte déjà ce numéro.',
  no_request: 'Aucune demande de virement ouverte n’a ce montant.',
  no_month: 'Ce n’est pas ce que ce commercial a à recevoir pour le dernier mois terminé.',
  other_vat: 'Son montant hors taxe est le bon, mais la TVA attendue est différente.',
  other_day: 'Sa date est à venir, ou d’avant la première commission de ce bénéficiaire.',
  several_requests: 'Plusieurs demandes ouvertes ont ce montant.',
} as const satisfies Readonly<Record<string, string>>;
export type ReceivedReason = keyof typeof receivedReasons;

export function isReceivedReason(word: string): word is ReceivedReason {
  return Object.hasOwn(receivedReasons, word);
}

/** A payee whom the invoice may be of, as the database knows them. */
export interface PossibleSeller {
  readonly id: string;
  readonly siren: string | null;
  readonly vatNumber: string | null;
  /** True where the invoice has an IBAN of theirs. */
  readonly hasIban: boolean;
  /** True where they may send invoices of their own: a business without a mandate (AC-04). */
  readonly isOffered: boolean;
  readonly chargesVat: boolean;
  /** Day of their first commission. */
  readonly from: string | null;
  /** True where an invoice of theirs has this number. */
  readonly isNumberTaken: boolean;
  /** Thing that they invoice: a client each transfer, a commercial the last month that is over. */
  readonly of: Invoiced;
  /** Open requests by transfer, or the month's first day, that no invoice and no batch has. */
  readonly dues: readonly { readonly id: string; readonly amount: Cents }[];
}

export interface MatchFacts {
  readonly companySiren: string | null;
  readonly today: string;
  readonly sellers: readonly PossibleSeller[];
}

export type Match = {
  /** The seller, where there is one alone. */
  readonly payeeId: string | null;
} & ({ readonly due: Due; readonly reason: null } | { readonly due: null; readonly reason: ReceivedReason });

/** A request by its id, or a month by its first day. */
export type Due = { readonly of: Invoiced; readonly id: string };

/** The one request or month that an invoice is of, or why an admin has to say. A credit note is never matched. */
export function matchReceived(invoice: ReceivedInvoice | null, facts: MatchFacts): Match {
  if (invoice === null) return waits('unreadable');
  const own = faultOf(invoice, facts);
  const seller = sellerOf(invoice, facts.sellers);
  const payeeId = typeof seller === 'string' ? null : seller.id;
  if (own !== null) return waits(own, payeeId);
  if (typeof seller === 'string') return waits(seller);
  const found = dueOf(invoice, seller, facts.today);
  return typeof found === 'string' ? waits(found, payeeId) : { payeeId, due: found, reason: null };
}

/** True of an invoice that takes money back. */
export function isCreditNote({ type }: Pick<ReceivedInvoice, 'type'>): boolean {
  return type !== null && CREDITS.has(type);
}

function waits(reason: ReceivedReason, payeeId: string | null = null): Match {
  return { payeeId, due: null, reason };
}

/** Finds what is wrong with the invoice, whoever sent it. */
function faultOf(invoice: ReceivedInvoice, { companySiren }: MatchFacts): ReceivedReason | null {
  const { number, day, type, currency, amount, vat, total, due } = invoice;
  if (isCreditNote(invoice)) return 'credit_note';
  if (type !== INVOICE) return 'other_type';
  if (currency !== 'EUR') return 'foreign_currency';
  if (number === null || number.length > payeeInvoiceNumberLengthMax || day === null) return 'incomplete';
  if (amount === null || total === null || amount <= 0n) return 'incomplete';
  const buyers = sirensOf(invoice.buyerSiren, invoice.buyerVat);
  if (companySiren === null || buyers.some((siren) => siren !== companySiren)) return 'not_for_us';
  if (total !== amount + (vat ?? 0n)) return 'wrong_sum';
  return due !== null && due !== total ? 'already_paid' : null;
}

/** A seller is who their SIREN and VAT number say; by the IBAN alone where they say nothing, or to tell two accounts apart. */
function sellerOf(
  { sellerSiren, sellerVat }: ReceivedInvoice,
  sellers: readonly PossibleSeller[],
): PossibleSeller | ReceivedReason {
  const numbers = new Set(sirensOf(sellerSiren, sellerVat));
  if (numbers.size > 1) return 'seller_conflict';
  const byIban = sellers.filter(({ hasIban }) => hasIban);
  const named = numbers.size === 0 ? byIban : sellers.filter(({ siren }) => siren !== null && numbers.has(siren));
  if (named.length === 0) return numbers.size > 0 && byIban.length > 0 ? 'seller_conflict' : 'unknown_seller';
  const both = named.filter(({ hasIban }) => hasIban);
  // An account that is somebody else's is nobody's mistake to guess about.
  if (byIban.length > 0 && both.length === 0) return 'seller_conflict';
  const [seller, ...others] = both.length > 0 ? both : named;
  if (seller === undefined || others.length > 0) return 'several_sellers';
  return sellerVat !== null && seller.vatNumber !== null && seller.vatNumber !== sellerVat ? 'seller_conflict' : seller;
}

function dueOf({ amount, vat, day }: ReceivedInvoice, seller: PossibleSeller, today: string): Due | ReceivedReason {
  if (!seller.isOffered) return 'not_offered';
  if (seller.isNumberTaken) return 'number_taken';
  const [due, ...others] = seller.dues.filter((one) => one.amount === amount);
  if (due === undefined) return seller.of === 'month' ? 'no_month' : 'no_request';
  if (day === null || seller.from === null || day < seller.from || day > today) return 'other_day';
  if (expectedInvoice({ amount: due.amount, chargesVat: seller.chargesVat }, day).vat !== (vat ?? 0n)) {
    return 'other_vat';
  }
  return others.length > 0 ? 'several_requests' : { of: seller.of, id: due.id };
}

/** SIRENs that a party gives: its own, and that of a French VAT number. */
function sirensOf(siren: string | null, vatNumber: string | null): readonly string[] {
  const inVat = /^FR[0-9A-Z]{2}(\d{9})$/u.exec(vatNumber ?? '')?.[1];
  return [siren, inVat ?? null].filter((one) => one !== null && parseSiren(one) !== null) as string[];
}

export const receivedMatched = 'Facture rapprochée : elle reste à accepter';
export const receivedRefused = 'Facture refusée : la plateforme en est prévenue';
export const receivedAside = 'Facture écartée';
export const receivedAnsweredAgain = 'Réponse à renvoyer : elle part dans quelques minutes';
export const supplierAside = 'Fournisseur écarté : ses prochaines factures le seront d’elles-mêmes';
export const supplierRestored = 'Les prochaines factures de ce fournisseur seront de nouveau à traiter';
export const supplierNotSelected = 'Choisissez un fournisseur.';
