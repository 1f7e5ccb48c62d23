import { groupThousands } from '@parrain/domain/money';

/** « 1 contrat », « 12 contrats », « 0 contrat »: French makes a plural from two up. */
export function countText(count: number, one: string, many: string): string {
  return `${groupThousands(String(count))}\u00a0${Math.abs(count) > 1 ? many : one}`;
}
