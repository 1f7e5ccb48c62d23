import { dayOf } from './date.ts';

/** A span of whole months: `fromMonth` is the first, `toMonth` the first one after it, both « 2026-11-01 ». */
export interface Months {
  readonly fromMonth: string;
  readonly toMonth: string;
}

export const periodNames = ['mois', 'mois-dernier', 'trimestre', 'annee', '12-mois', 'tout'] as const;
export type PeriodName = (typeof periodNames)[number];

export const periodDefault: PeriodName = '12-mois';

export const periodLabels: Readonly<Record<PeriodName, string>> = {
  mois: 'Ce mois',
  'mois-dernier': 'Mois dernier',
  trimestre: 'Ce trimestre',
  annee: 'Cette année',
  '12-mois': '12 derniers mois',
  tout: 'Depuis le début',
};

/** The period of that name, the default one for any other text. */
export function periodOf(text: string | undefined): PeriodName {
  return periodNames.find((name) => name === text) ?? periodDefault;
}

/** The months of a period as of an instant; a month begins at midnight in France. The same spans as `private.count_months`. */
export function monthsOf(period: PeriodName, now: Date): Months {
  const month = `${dayOf(now).slice(0, 7)}-01`;
  const at = Number.parseInt(month.slice(5, 7), 10) - 1;
  switch (period) {
    case 'mois':
      return { fromMonth: month, toMonth: addMonths(month, 1) };
    case 'mois-dernier':
      return { fromMonth: addMonths(month, -1), toMonth: month };
    case 'trimestre':
      return { fromMonth: addMonths(month, -(at % 3)), toMonth: addMonths(month, 3 - (at % 3)) };
    case 'annee':
      return { fromMonth: addMonths(month, -at), toMonth: addMonths(month, 12 - at) };
    case '12-mois':
      return { fromMonth: addMonths(month, -11), toMonth: addMonths(month, 1) };
    case 'tout':
      return { fromMonth: '2000-01-01', toMonth: '2100-01-01' };
  }
}

/**
 * A month later or, with a negative number, earlier: « 2026-01-01 », -1 gives « 2025-12-01 ».
 * @throws RangeError for a text that is no month: a sum of another year's would look like a month without anything.
 */
export function addMonths(month: string, count: number): string {
  if (!/^\d{4}-\d\d(?:-|$)/u.test(month)) throw new RangeError(`No month: « ${month} »`);
  const index = Number.parseInt(month.slice(0, 4), 10) * 12 + Number.parseInt(month.slice(5, 7), 10) - 1 + count;
  return `${Math.floor(index / 12)}-${String((((index % 12) + 12) % 12) + 1).padStart(2, '0')}-01`;
}

/** The months from one to another, the latter left out. */
export function monthsBetween(fromMonth: string, toMonth: string): string[] {
  const months: string[] = [];
  for (let month = fromMonth; month < toMonth; month = addMonths(month, 1)) months.push(month);
  return months;
}

/** The periods of a list's dates, beside two days of one's own. */
export const listPeriodNames = ['mois', 'mois-dernier', 'trimestre', 'annee'] as const satisfies readonly PeriodName[];

/** Days in France, « 2026-11-01 »: from the first one on, before the second one; null where that side is open. */
export interface Days {
  readonly fromDay: string | null;
  readonly beforeDay: string | null;
}

/**
 * The days that a list's period names: « mois », « trimestre », or two days, both within: « 2026-01-01..2026-03-31 », of which
 * one may be left out. Null for no period, and for any other text.
 */
export function daysOf(text: string | undefined, now: Date): Days | null {
  const name = listPeriodNames.find((known) => known === text);
  if (name !== undefined) {
    const { fromMonth, toMonth } = monthsOf(name, now);
    return { fromDay: fromMonth, beforeDay: toMonth };
  }
  const own = ownDays(text);
  if (own === null || (own.first === '' && own.last === '')) return null;
  return { fromDay: own.first === '' ? null : own.first, beforeDay: own.last === '' ? null : nextDay(own.last) };
}

/** The two days of « 2026-01-01..2026-03-31 », each empty where it is left out; null for any other text. */
export function ownDays(text: string | undefined): { readonly first: string; readonly last: string } | null {
  const parts = (text ?? '').split('..');
  const [first = '', last = ''] = parts;
  return parts.length === 2 && [first, last].every((day) => day === '' || isDay(day)) ? { first, last } : null;
}

/** A day that the calendar has, of this millennium. */
export function isDay(text: string): boolean {
  const at = /^2\d{3}-\d\d-\d\d$/u.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
