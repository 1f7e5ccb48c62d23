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

/** The ways to be reached that a friend chooses among on the page of a personal link (UI-03). */
export const contactChannels = ['call', 'sms', 'email'] as const;
export type ContactChannel = (typeof contactChannels)[number];
/** A way to be reached that is no call. */
export type WrittenChannel = Exclude<ContactChannel, 'call'>;

export const contactChannelLabels: Readonly<Record<ContactChannel, string>> = {
  call: 'Appel',
  sms: 'SMS',
  email: 'E-mail',
};

/** The version of the sentences below. */
export const contactConsentVersion = '2026-11-choix';

/** What a friend agrees to by choosing how to be reached: shown with the choice, and kept as it was read. */
export function contactConsentStatement(channel: ContactChannel, companyName: string): string {
  const agreed = {
    call: `j’accepte d’être appelé par ${companyName}`,
    sms: `j’accepte de recevoir des SMS de ${companyName}`,
    email: `j’accepte de recevoir des e-mails de ${companyName}`,
  };
  return `${contactChannelLabels[channel]} : ${agreed[channel]} au sujet de cette recommandation.`;
}

/**
 * What a friend said last of being called: true or false, or how they want to be written to instead; null where they said nothing.
 */
export type CallAnswer = boolean | WrittenChannel | null;

export const answeredNo = 'A répondu non : ne pas écrire';
export const notAgreedToBeCalled = 'Pas d’accord pour être appelé';
const agreedToBeCalled = 'D’accord pour être appelé';
const saidNothingOfCalls = 'N’a pas dit s’il accepte les appels';
const prefersWriting: Readonly<Record<WrittenChannel, string>> = {
  sms: 'Préfère un SMS',
  email: 'Préfère un e-mail',
};

/** What a friend chose about being called, in words, whatever the company's setting lets one do (DF-41). */
export function callChoiceText(answer: CallAnswer): string {
  if (answer === null) return saidNothingOfCalls;
  if (typeof answer === 'string') return prefersWriting[answer];
  return answer ? agreedToBeCalled : notAgreedToBeCalled;
}

/** What the words of `callChoiceText` are about. */
export function callChoiceLabel(answer: CallAnswer): string {
  return typeof answer === 'string' ? 'Pour répondre' : 'Appels';
}

/** What stands in place of a call that must not be made. */
export function noCallText(answer: CallAnswer): string {
  return typeof answer === 'string' ? prefersWriting[answer] : notAgreedToBeCalled;
}

/**
 * Whether a friend may be called (CS-03): as they said last; where they said nothing, unless the company asks for their agreement.
 * Who signed a contract is a customer, whom the law lets call about it.
 */
export function mayBeCalled(
  answer: CallAnswer,
  { isConsentRequired, hasContract }: { readonly isConsentRequired: boolean; readonly hasContract: boolean },
): boolean {
  if (typeof answer === 'string') return false;
  return answer ?? (hasContract || !isConsentRequired);
}

/** How a friend may be written to: as often as needed, once and no more, or no more. */
export type Writing = 'freely' | 'once' | 'written' | 'never';

/**
 * How a friend may be written to (CS-03): who may be called or chose to be written to, freely; who said no, never; who said nothing where the company asks for
 * their agreement, once. A customer is written to about their contract, though they want no calls.
 */
export function writingTo(
  answer: CallAnswer,
  {
    isConsentRequired,
    hasContract,
    isWritten,
  }: { readonly isConsentRequired: boolean; readonly hasContract: boolean; readonly isWritten: boolean },
): Writing {
  if (typeof answer === 'string' || hasContract || mayBeCalled(answer, { isConsentRequired, hasContract }))
    return 'freely';
  if (answer === false) return 'never';
  return isWritten ? 'written' : 'once';
}
