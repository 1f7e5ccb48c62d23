import { parseRna, parseSiren } from './siren.ts';

/**
 * Number of an association: that of the national register (RNA, « W751234567 », « W2A1000123 » in Corsica) or its SIREN with its key,
 * without spaces and in capitals; null where the text is neither (PO-03).
 */
export function parseAssociationNumber(typed: string): string | null {
  return parseRna(typed) ?? parseSiren(typed);
}
