import { das2Thresholds } from './legal-figures.ts';
import type { Cents } from './money.ts';
import { isAbroad, isBusiness, isPerson, type PayeeStatus } from './payee.ts';
import { plainEuros } from './plain-euros.ts';
import type { Role } from './role.ts';

// Rules of the yearly declaration of commissions paid to third parties (DAS2, CGI article 240), by the year in which sums were paid, their
// VAT included. The decision to declare a payee is an accountant's.

/** A payee is near from this part of the threshold on. */
const nearPercent = 80n;

/** The sum above which a payee of that year is declared, all taxes included. */
export function das2Threshold(year: number): Cents {
  const known = das2Thresholds.find(({ fromYear }) => year >= fromYear);
  if (known === undefined) throw new Error(`No threshold is known for ${year}`);
  return known.above;
}

/** « 2 400 € ». */
export function das2ThresholdText(year: number): string {
  return plainEuros(das2Threshold(year));
}

export type Das2State = 'over' | 'near' | 'under' | 'left_out';

export const das2StateLabels: Readonly<Record<Das2State, string>> = {
  over: 'À déclarer',
  near: 'Proche du seuil',
  under: 'Sous le seuil',
  left_out: 'Exclu',
};

/** Sum paid to a payee in a year, and the part of it that counts towards the threshold. */
export interface Das2Sums {
  readonly paid: Cents;
  /** Part of it that counts, less the debts that the payee paid back in that year. */
  readonly counted: Cents;
  /** Debts that the payee paid back in that year (AC-10). */
  readonly repaid: Cents;
  /** Part of it that is more than what counts of that year. */
  readonly repaidLeft: Cents;
  /** Pay slips declare who is employed. */
  readonly isEmployee: boolean;
}

export function das2State(year: number, { counted, isEmployee }: Das2Sums): Das2State {
  const threshold = das2Threshold(year);
  if (isEmployee) return 'left_out';
  if (counted > threshold) return 'over';
  return counted * 100n >= threshold * nearPercent ? 'near' : 'under';
}

/** Why a payee is not in the declaration of a year; null for one who is. */
export function das2Reason(year: number, sums: Das2Sums): string | null {
  const state = das2State(year, sums);
  if (state === 'over') return null;
  if (state === 'left_out') return 'Salarié : déclaré par la paie';
  if (sums.counted === 0n && sums.repaid > sums.repaidLeft) return 'Remboursé en entier';
  if (sums.counted === 0n && sums.paid === 0n) return 'Rien de payé dans l’année';
  if (sums.counted === 0n) return 'Payé seulement en ce qui n’est pas compté';
  return `Pas plus de ${das2ThresholdText(year)}`;
}

/** Details of a payee by which the declaration names them (AC-10). */
export interface Das2Identity {
  /** Null where nothing is known of them. */
  readonly status: PayeeStatus | null;
  readonly lastName: string | null;
  /** « BE »; null where nothing is known of them. */
  readonly country: string | null;
  readonly siren: string | null;
  readonly siret: string | null;
}

/** Details that the declaration lacks of a payee near or over the threshold; null where it lacks none. */
export function das2Missing(
  state: Das2State,
  { status, lastName, country, siren, siret }: Das2Identity,
): string | null {
  if (state === 'under' || state === 'left_out') return null;
  if (status === null) return 'statut, nom légal, adresse et SIRET';
  const missing = [
    ...(isPerson(status) && lastName === null ? ['nom et prénom séparés'] : []),
    // An association may have its number in the register of associations alone.
    ...(!isElsewhere(country) && (isBusiness(status) || siren !== null) && siret === null ? ['SIRET'] : []),
  ];
  return missing.length === 0 ? null : missing.join(' et ');
}

/** Check that an accountant has to make of a payee abroad, whom a DAS2 names as any other (AC-08); null of one in France. */
export function das2ToCheck({ country, status }: Pick<Das2Identity, 'country' | 'status'>): string | null {
  return isElsewhere(country) && status !== null
    ? 'Hors de France : une retenue à la source (article 182 B du CGI) peut être due, à vérifier avec votre expert-comptable'
    : null;
}

/** Words of the debts paid back beyond the sum that counts of a year, for the accountant; null for nothing (AC-10). */
export function das2RepaidLeft(year: number, { repaidLeft, isEmployee }: Das2Sums): string | null {
  return repaidLeft === 0n || isEmployee
    ? null
    : `${plainEuros(repaidLeft)} remboursés en ${year} de plus que ce qui est compté : à signaler à votre expert-comptable, pour l’année du paiement`;
}

function isElsewhere(country: string | null): boolean {
  return country !== null && isAbroad(country);
}

/** Profession that the declaration says of a payee: what they do for the company. Null where it is not known who they are. */
export function das2Profession(status: PayeeStatus | null, role: Role): string | null {
  if (status === null) return null;
  if (status === 'salarie') return 'Commercial salarié';
  return role === 'commercial' ? 'Agent commercial' : 'Apporteur d’affaires';
}

/** « 2 150 € payés en 2026, seuil 2 400 € », said of a payee who is near the threshold or over it. */
export function das2Sentence(year: number, { counted, repaid }: Pick<Das2Sums, 'counted' | 'repaid'>): string {
  return `${plainEuros(counted)} payés en ${year}${repaid === 0n ? '' : ', remboursements déduits'}, seuil ${das2ThresholdText(year)}`;
}
