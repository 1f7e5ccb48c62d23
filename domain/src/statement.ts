import { addMonths, monthsOf } from './period.ts';

/** The lengths of a statement of account (PP-03). */
export const statementLengths = ['mois', 'trimestre', 'annee'] as const;
export type StatementLength = (typeof statementLengths)[number];

export const statementLengthLabels: Readonly<Record<StatementLength, string>> = {
  mois: 'Par mois',
  trimestre: 'Par trimestre',
  annee: 'Par année',
};

/** A month, a quarter or a year in France. */
export interface StatementPeriod {
  /** As addresses and file names carry it: « 2026-11 », « 2026-t4 », « 2026 ». */
  readonly name: string;
  /** « Novembre 2026 », « 4e trimestre 2026 », « Année 2026 ». */
  readonly label: string;
  readonly fromDay: string;
  /** The first day after it. */
  readonly beforeDay: string;
}

const monthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'long', year: 'numeric' });
const monthNameFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'long' });
const lengthMonths: Readonly<Record<StatementLength, number>> = { mois: 1, trimestre: 3, annee: 12 };

/** The period of that name; null for any other text. */
export function statementPeriodOf(name: string): StatementPeriod | null {
  const [, year, month, quarter] = /^(2\d{3})(?:-(0[1-9]|1[0-2])|-t([1-4]))?$/u.exec(name) ?? [];
  if (year === undefined) return null;
  if (month !== undefined) return periodFrom(`${year}-${month}-01`, 'mois');
  if (quarter === undefined) return periodFrom(`${year}-01-01`, 'annee');
  return periodFrom(addMonths(`${year}-01-01`, (Number.parseInt(quarter, 10) - 1) * 3), 'trimestre');
}

/** The quarter that begins on that day: « 3e trimestre 2026 » of « 2026-07-01 ». */
export function quarterFrom(firstDay: string): StatementPeriod {
  return periodFrom(firstDay, 'trimestre');
}

/** The periods from the one of the first instant to the one of now, the latest first. */
export function statementPeriods(length: StatementLength, first: Date, now: Date): StatementPeriod[] {
  const start = { mois: 'mois', trimestre: 'trimestre', annee: 'annee' } as const;
  const oldest = monthsOf(start[length], first).fromMonth;
  const periods: StatementPeriod[] = [];
  for (
    let month = monthsOf(start[length], now).fromMonth;
    month >= oldest;
    month = addMonths(month, -lengthMonths[length])
  ) {
    periods.push(periodFrom(month, length));
  }
  return periods;
}

/** The year that an accountant asks for: the last one that is over, or the present one where the first line is of it (UI-12). */
export function accountantYear(first: Date, now: Date): StatementPeriod {
  const [present, last] = statementPeriods('annee', first, now);
  return last ?? present ?? periodFrom(monthsOf('annee', now).fromMonth, 'annee');
}

/** « du 1er au 30 novembre 2026 », « du 1er octobre au 31 décembre 2026 »: its first and last day. */
export function statementDays({ fromDay, beforeDay }: StatementPeriod): string {
  const last = new Date(Date.parse(beforeDay) - 86_400_000);
  const first = new Date(fromDay);
  const dayOfLast = `${last.getUTCDate()}\u00a0${monthFormat.format(last)}`;
  if (first.getUTCMonth() === last.getUTCMonth()) return `du 1er au ${dayOfLast}`;
  return `du 1er\u00a0${monthNameFormat.format(first)} au ${dayOfLast}`;
}

function periodFrom(fromDay: string, length: StatementLength): StatementPeriod {
  const year = fromDay.slice(0, 4);
  const beforeDay = addMonths(fromDay, lengthMonths[length]);
  switch (length) {
    case 'mois': {
      const label = monthFormat.format(new Date(fromDay));
      return { name: fromDay.slice(0, 7), label: label.charAt(0).toUpperCase() + label.slice(1), fromDay, beforeDay };
    }
    case 'trimestre': {
      const quarter = (Number.parseInt(fromDay.slice(5, 7), 10) + 2) / 3;
      const ordinal = quarter === 1 ? '1er' : `${quarter}e`;
      return { name: `${year}-t${quarter}`, label: `${ordinal} trimestre ${year}`, fromDay, beforeDay };
    }
    case 'annee':
      return { name: year, label: `Année ${year}`, fromDay, beforeDay };
  }
}

/** « novembre 2026 » of « 2026-11-01 », or of « 2026-11 ». */
export function monthName(month: string): string {
  return (statementPeriodOf(month.slice(0, 7))?.label ?? month).toLowerCase();
}
