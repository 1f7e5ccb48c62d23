import type { CompanyIdentity, PostalAddress } from './payee.ts';
import { sirenText } from './siren.ts';

/** The text's own name: what was accepted under another one stays as it was read (PP-05). */
const mandateVersions = { withoutVat: '2026-12', withVat: '2026-12 TVA' } as const;

/** The name of the text that somebody with this VAT number, or without one, is offered. */
export function mandateVersionOf({ vatNumber }: Pick<Mandator, 'vatNumber'>): string {
  return vatNumber === null ? mandateVersions.withoutVat : mandateVersions.withVat;
}

/** Business that gives the mandate: a client's or a commercial's. */
export interface Mandator {
  readonly legalName: string;
  readonly address: PostalAddress;
  readonly siren: string;
  /** Null of who charges no VAT. */
  readonly vatNumber: string | null;
}

/**
 * The mandate of self-billing as a payee reads and accepts it, its paragraphs apart by an empty line. It follows CGI 289, I-2 and
 * annexe II, 242 nonies; who changes a word of it changes its version.
 */
export function mandateText(
  payee: Mandator,
  company: Pick<CompanyIdentity, 'legalName' | 'address' | 'siren'>,
): string {
  return [
    `Entre ${partyText(payee)}, ci-après le mandant, et ${partyText(company)}, ci-après le mandataire.`,
    '1. Objet. Le mandant donne au mandataire le mandat d’établir, en son nom et pour son compte, les factures des commissions de parrainage que le mandataire lui paie, et les avoirs qui les corrigent (article 289, I-2 du Code général des impôts).',
    '2. Factures. Chaque pièce est établie, et datée, du jour où le mandataire enregistre le paiement qu’elle constate : elle n’est jamais antidatée. Elle indique le jour de ce paiement, porte la mention « Autofacturation » et un numéro d’une suite propre au mandant, et elle est aussitôt à sa disposition dans « Documents ».',
    '3. Contestation. Chaque pièce indique jusqu’à quel jour le mandant peut la contester auprès du mandataire. Passé ce jour, elle est tenue pour acceptée. Une pièce contestée à raison est corrigée par un avoir.',
    vatClause(payee.vatNumber),
    '5. Responsabilité. Le mandant reste seul responsable de ses obligations de facturation et de TVA. Il signale tout changement de ses informations légales, demande la correction de toute erreur, et n’établit pas lui-même de facture pour les mêmes commissions.',
    '6. Durée. Le mandat prend effet à son acceptation, sans limite de durée. Le mandant le révoque à tout moment dans « Documents » ; les pièces déjà établies restent valables. Il ne vaut que pour les deux SIREN ci-dessus.',
  ].join('\n\n');
}

function vatClause(vatNumber: string | null): string {
  return vatNumber === null
    ? '4. TVA. Le mandant déclare bénéficier de la franchise en base (article 293 B) : ses factures portent la mention « TVA non applicable, art. 293 B du CGI ». Il signale sans délai la fin de cette franchise dans ses informations légales ; le mandat cesse alors de s’appliquer.'
    : `4. TVA. Le mandant déclare être redevable de la TVA sous le numéro ${vatNumber}. Ses commissions s’entendent hors taxes : le mandataire lui verse en plus la TVA au taux en vigueur le jour de la demande ou, pour un mois de commissions, du paiement, et l’indique sur la facture. Le mandat vaut pour les commissions versées par virement, ou par mois à un commercial. Le mandant signale sans délai tout changement de sa situation dans ses informations légales ; le mandat cesse alors de s’appliquer, sauf aux demandes déjà faites.`;
}

function partyText({
  legalName,
  address: { street, postalCode, city },
  siren,
}: Pick<CompanyIdentity, 'legalName' | 'address' | 'siren'>): string {
  return `${legalName}, SIREN ${sirenText(siren)}, ${street}, ${postalCode} ${city}`;
}
