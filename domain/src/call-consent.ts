/** The version of the sentence below: another sentence gets another version. */
export const callConsentVersion = '2026-11';

/** What a friend agrees to by ticking its box (CS-01, C. conso. L223-1): kept as it was read, with its version and its time. */
export function callConsentStatement(companyName: string): string {
  return `J’accepte d’être appelé par ${companyName} au sujet de cette recommandation.`;
}

/** What a friend refuses by the other button. */
export function callRefusalStatement(companyName: string): string {
  return `Je ne veux pas être appelé par ${companyName}.`;
}

export const answeredNo = 'A répondu non : ne pas écrire';
export const notAgreedToBeCalled = 'Pas d’accord pour être appelé';
const agreedToBeCalled = 'D’accord pour être appelé';
const saidNothingOfCalls = 'N’a pas donné son accord pour être appelé';

/** What a friend chose about being called, in words, whatever the company's setting lets one do (DF-41). */
export function callChoiceText(answer: boolean | null): string {
  if (answer === null) return saidNothingOfCalls;
  return answer ? agreedToBeCalled : notAgreedToBeCalled;
}

/**
 * Whether a friend may be called (CS-03): as they said last; where they said nothing, unless the company asks for their agreement.
 * Who signed a contract is a customer, whom the law lets call about it.
 * @param answer true or false as they said, null where they did not.
 */
export function mayBeCalled(
  answer: boolean | null,
  { isConsentRequired, hasContract }: { readonly isConsentRequired: boolean; readonly hasContract: boolean },
): boolean {
  return answer ?? (hasContract || !isConsentRequired);
}

/** How a friend may be written to: as often as needed, once and no more, or no more. */
export type Writing = 'freely' | 'once' | 'written' | 'never';

/**
 * How a friend may be written to (CS-03): who may be called, freely; who said no, never; who said nothing where the company asks for
 * their agreement, once. A customer is written to about their contract, though they want no calls.
 * @param answer true or false as they said, null where they did not.
 */
export function writingTo(
  answer: boolean | null,
  {
    isConsentRequired,
    hasContract,
    isWritten,
  }: { readonly isConsentRequired: boolean; readonly hasContract: boolean; readonly isWritten: boolean },
): Writing {
  if (hasContract || mayBeCalled(answer, { isConsentRequired, hasContract })) return 'freely';
  if (answer === false) return 'never';
  return isWritten ? 'written' : 'once';
}
