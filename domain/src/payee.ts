import type { Cents } from './money.ts';
import type { Role } from './role.ts';

/** Tax statuses of payees, which decide the details to ask for and the paper that a payment makes (PP-01). */
export const payeeStatuses = ['particulier', 'micro', 'societe', 'association', 'agent', 'salarie'] as const;
export type PayeeStatus = (typeof payeeStatuses)[number];

export function isPayeeStatus(value: unknown): value is PayeeStatus {
  return (payeeStatuses as readonly unknown[]).includes(value);
}

export const payeeStatusLabels: Readonly<Record<PayeeStatus, string>> = {
  particulier: 'Particulier',
  micro: 'Micro-entrepreneur',
  societe: 'Société',
  association: 'Association',
  agent: 'Agent commercial',
  salarie: 'Salarié',
};

export const payeeStatusHints: Readonly<Record<PayeeStatus, string>> = {
  particulier: 'Chaque paiement donne un reçu.',
  micro: 'Une autofacture à chaque paiement avec votre mandat, sinon un reçu à joindre à votre facture.',
  societe:
    'Une autofacture à chaque paiement avec votre mandat, TVA comprise ; sinon un reçu à joindre à votre facture.',
  association: 'Chaque paiement donne un reçu.',
  agent:
    'Un relevé de commissions chaque trimestre, et à chaque paiement une autofacture avec votre mandat, sinon un reçu.',
  salarie: 'Les commissions passent par la paie.',
};

const statusesOfRole: Readonly<Record<Role, readonly PayeeStatus[]>> = {
  admin: [],
  client: ['particulier', 'micro', 'societe', 'association'],
  commercial: ['salarie', 'agent', 'societe'],
  comptable: [],
};

/** The statuses that somebody of this role may have; abroad, those that are not France's own (AC-08). */
export function payeeStatusesOf(role: Role, country: string = france): readonly PayeeStatus[] {
  return isAbroad(country)
    ? statusesOfRole[role].filter((status) => !frenchStatuses.has(status))
    : statusesOfRole[role];
}

export const france = 'FR';
const frenchStatuses: ReadonlySet<PayeeStatus> = new Set(['micro', 'association', 'salarie']);

export function isAbroad(country: string): boolean {
  return country !== france;
}

/** True of a business whose VAT the company owes itself (CGI 283-2): Monaco is France for VAT. `private.is_reverse_charged` says the same. */
export function isReverseCharged({ status, country }: Pick<PayeeDetails, 'status' | 'country'>): boolean {
  return isAbroad(country) && country !== 'MC' && isBusiness(status);
}

/** A business abroad may be a person alone: no French form fits it. */
export function payeeStatusLabel(status: PayeeStatus, country: string): string {
  return isAbroad(country) && status === 'societe' ? 'Entreprise' : payeeStatusLabels[status];
}

export function payeeStatusHint(status: PayeeStatus, country: string): string {
  if (!isAbroad(country) || !isBusiness(status)) return payeeStatusHints[status];
  return isReverseCharged({ status, country })
    ? 'Société ou indépendant. Chaque paiement donne un reçu, à joindre à votre facture sans TVA française.'
    : 'Société ou indépendant. Chaque paiement donne un reçu, à joindre à votre facture.';
}

/** True where a payee of this status writes invoices: a SIREN, with VAT or without. */
export function isBusiness(status: PayeeStatus): boolean {
  return status === 'micro' || status === 'societe' || status === 'agent';
}

/** True where papers name the payee: pay slips do it for who is employed. */
export function isNamedOnPapers(status: PayeeStatus): boolean {
  return status !== 'salarie';
}

/** True of a human being, whom the DAS2 names by first and last name (AC-10); an employee is named by their pay slips. */
export function isPerson(status: PayeeStatus): boolean {
  return status === 'particulier' || status === 'micro' || status === 'agent';
}

/** A first and a last name as a name in one piece suggests them, for whoever knows better to correct. */
export function namesIn(name: string): { readonly firstName: string; readonly lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/u);
  return rest.length === 0 ? { firstName: '', lastName: firstName } : { firstName, lastName: rest.join(' ') };
}

/** Postal address of a party of a paper. */
export interface PostalAddress {
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
}

/** Legal details of a payee, as papers print them. */
export interface PayeeDetails {
  readonly status: PayeeStatus;
  /** First and last name, or the company's name; null for who is employed. */
  readonly legalName: string | null;
  /** Both, or neither: a name may be known in one piece. */
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly address: PostalAddress | null;
  /** Country of their address, « BE »; `france` where the status says no address. */
  readonly country: string;
  /** Of a business abroad: its VAT number in the European Union, its number in a register elsewhere. */
  readonly numberAbroad: string | null;
  readonly siren: string | null;
  /** Of the establishment; null where the SIREN alone is known. */
  readonly siret: string | null;
  /** An association without a SIREN has a number in the national register. */
  readonly rna: string | null;
  /** Null where the status writes no invoice. */
  readonly chargesVat: boolean | null;
  readonly vatNumber: string | null;
  /** Of a company: « SARL », « SAS à capital variable ». */
  readonly legalForm: string | null;
  readonly capital: Cents | null;
  /** The town of the registry: RCS of a company, RSAC of an agent commercial, where the SIREN is their number. */
  readonly registryCity: string | null;
  /** Time at which an admin accepted this VAT; until then none is paid (DF-23). Null in a form. */
  readonly vatAcceptedAt?: string | null;
}

/** The company itself, as papers name it. */
export interface CompanyIdentity {
  readonly legalName: string;
  readonly address: PostalAddress;
  readonly siren: string;
  readonly siret: string | null;
  readonly legalForm: string | null;
  readonly capital: Cents | null;
  /** The town of its RCS. */
  readonly registryCity: string | null;
  /** Null for a company that charges no VAT. */
  readonly vatNumber: string | null;
}

/** AC-07: fields of a payee's details that the law asks a paper to say and that are not filled in, as the form names them. */
export function missingMentions(details: PayeeDetails): readonly Mention[] {
  const { status, country, siret, legalForm, capital, registryCity } = details;
  if (!isBusiness(status) || isAbroad(country)) return [];
  const isCompany = status === 'societe';
  const isMissing: Readonly<Record<Mention, boolean>> = {
    siret: siret === null,
    legal_form: isCompany && legalForm === null,
    capital: isCompany && capital === null,
    registry_city: status !== 'micro' && registryCity === null,
  };
  return mentions.filter((mention) => isMissing[mention]);
}

const mentions = ['siret', 'legal_form', 'capital', 'registry_city'] as const;
export type Mention = (typeof mentions)[number];

/** The same as a sentence lists them: « le SIRET ». */
export function missingMentionWords(details: PayeeDetails): readonly string[] {
  const words: Readonly<Record<Mention, string>> = {
    siret: 'le SIRET',
    legal_form: 'la forme juridique',
    capital: 'le capital',
    registry_city: `la ville du ${registryOf(details.status)}`,
  };
  return missingMentions(details).map((mention) => words[mention]);
}

/** The registry that a payee of this status stands in: of agents commerciaux (RSAC), or of companies (RCS). */
export function registryOf(status: PayeeStatus): 'RCS' | 'RSAC' {
  return status === 'agent' ? 'RSAC' : 'RCS';
}

/** DF-23: VAT is paid to who declares it, once an admin has accepted it. */
export function isVatAccepted(details: PayeeDetails | null): boolean {
  return details !== null && details.vatNumber !== null && (details.vatAcceptedAt ?? null) !== null;
}
