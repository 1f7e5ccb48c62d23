/** The version of the sentence below: another sentence gets another version. */
export const callConsentVersion = '2026-11';

/** What a friend agrees to by ticking its box (CS-01, C. conso. L223-1): kept as it was read, with its version and its time. */
export function callConsentStatement(companyName: string): string {
  return `J’accepte d’être appelé par ${companyName} au sujet de cette recommandation.`;
}
