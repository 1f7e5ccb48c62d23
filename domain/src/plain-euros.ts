import { formatEuros, type Cents } from './money.ts';

/** « 10 000 € », or « 10 000,50 € » where there are cents: amounts of rules and limits are round most of the time. */
export function plainEuros(cents: Cents): string {
  return formatEuros(cents).replace(',00', '');
}
