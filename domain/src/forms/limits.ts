// Limits of what people may send; counters, schemas and SQL checks name the same figures.

export const nameLengthMax = 120;
/** RFC 5321: the longest address that can be delivered to. */
export const emailLengthMax = 254;
export const phoneLengthMax = 30;
export const companyLengthMax = 120;
export const notesLengthMax = 2_000;
/** The friend's invitation (V-12). */
export const personalMessageLengthMax = 500;
export const contractDescriptionLengthMax = 2_000;
export const reasonLengthMax = 500;
export const passwordLengthMin = 10;
/** Counted in bytes of UTF-8, as the authentication service counts. */
export const passwordBytesMax = 72;
