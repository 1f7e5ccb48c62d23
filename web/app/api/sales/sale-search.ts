import { inTerms } from '../transport/read-page.ts';

/** The contact's name, mail or phone, the contract's words, or the short id (I-03). */
export function saleSearch(search: string): string {
  const conditions = [inTerms(search)];
  const short = search.trim().toLowerCase();
  if (/^[\da-f]{8}$/.test(short)) {
    conditions.push(`and(id.gte.${short}-0000-0000-0000-000000000000,id.lte.${short}-ffff-ffff-ffff-ffffffffffff)`);
  }
  return conditions.join(',');
}
