// Lengths of the texts that people send, in characters. Counters and schemas take them from here; the database's constraints
// say the same numbers, and database/tests/limits.test.ts compares them.

export const nameLengthMax = 120;
export const legalFormLengthMax = 60;
/** As the authentication protocol has it. RFC 5321 delivers to 254 characters at most. */
export const emailLengthMax = 255;
export const phoneLengthMax = 30;
export const companyLengthMax = 120;
export const notesLengthMax = 2_000;
/** The friend's invitation (V-12). */
export const personalMessageLengthMax = 500;
export const contractDescriptionLengthMax = 2_000;
export const reasonLengthMax = 500;
/** Names of another software and of its referrals (WH-03). */
export const sourceLengthMax = 40;
export const referenceLengthMax = 120;
/** Of a payment, or of money that comes back (PO-04, AC-05). */
export const settlementReferenceLengthMax = 140;
/** As typed, with its spaces: an IBAN itself has 34 at most. */
export const ibanLengthMax = 60;
/** The number and the street of an address. */
export const addressLineLengthMax = 200;
/** Of a name in a SEPA order. */
export const sepaNameLengthMax = 70;
/** The name of a second step, which stands on buttons. */
export const factorNameLengthMax = 60;
/** The name under which a list's filters are kept (NV-05), and those filters as an address has them. */
export const viewNameLengthMax = 60;
export const viewSettingsLengthMax = 1_000;
/** The address and the name of a webhook. */
export const webhookUrlLengthMax = 2_000;
export const webhookDescriptionLengthMax = 120;
/** The address that a push service gives a browser. */
export const pushEndpointLengthMax = 2_000;
export const passwordLengthMin = 10;
/** Counted in bytes of UTF-8, as the authentication service counts. */
export const passwordBytesMax = 72;
