/** The version of the sentence below: another sentence gets another version. */
export const callConsentVersion = '2026-11';

/**
 * Consent to be called that a friend gives by ticking its box (CS-01, C. conso. L223-1): kept as it was read, with its version and its
 * time.
 */
export function callConsentStatement(companyName: string): string {
  return `J’accepte d’être appelé par ${companyName} au sujet de cette recommandation.`;
}

/** Refusal to be called that a friend gives by the other button. */
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

/** Consent that a friend gives by choosing a channel: shown with the choice, and kept as it was read. */
export function contactConsentStatement(channel: ContactChannel, companyName: string): string {
  const agreed = {
    call: `j’accepte d’être appelé par ${companyName}`,
    sms: `j’accepte de recevoir des SMS de ${companyName}`,
    email: `j’accepte de recevoir des e-mails de ${companyName}`,
  };
  return `${contactChannelLabels[channel]} : ${agreed[channel]} au sujet de cette recommandation.`;
}

/** Last answer of a friend about calls: true or false, or the channel that they prefer in writing; null where they gave none. */
export type CallAnswer = boolean | WrittenChannel | null;

export const answeredNo = 'A répondu non : ne pas écrire';
export const notAgreedToBeCalled = 'Pas d’accord pour être appelé';
const agreedToBeCalled = 'D’accord pour être appelé';
const saidNothingOfCalls = 'N’a pas dit s’il accepte les appels';
const prefersWriting: Readonly<Record<WrittenChannel, string>> = {
  sms: 'Préfère un SMS',
  email: 'Préfère un e-mail',
};

/** Text of a friend's last answer about calls, independent of the company's consent setting (DF-41). */
export function callChoiceText(answer: CallAnswer): string {
  if (answer === null) return saidNothingOfCalls;
  if (typeof answer === 'string') return prefersWriting[answer];
  return answer ? agreedToBeCalled : notAgreedToBeCalled;
}

/** Label of the text that `callChoiceText` gives. */
export function callChoiceLabel(answer: CallAnswer): string {
  return typeof answer === 'string' ? 'Pour répondre' : 'Appels';
}

/** Text shown in place of a call that must not be made. */
export function noCallText(answer: CallAnswer): string {
  return typeof answer === 'string' ? prefersWriting[answer] : notAgreedToBeCalled;
}

/**
 * True when a friend may be called (CS-03): their last answer decides; without an answer they may be called unless the company requires
 * consent. A friend with a contract is a customer, whom the law lets the company call about it.
 */
export function mayBeCalled(
  answer: CallAnswer,
  { isConsentRequired, hasContract }: { readonly isConsentRequired: boolean; readonly hasContract: boolean },
): boolean {
  if (typeof answer === 'string') return false;
  return answer ?? (hasContract || !isConsentRequired);
}

/** Permission to write to a friend: as often as needed, once, no more since that once, or never. */
export type Writing = 'freely' | 'once' | 'written' | 'never';

/**
 * Decides how often a friend may be written to (CS-03): freely where they may be called or chose a written channel, never where they said
 * no, once where they gave no answer and the company requires consent. A customer who refuses calls is still written to about their
 * contract.
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
