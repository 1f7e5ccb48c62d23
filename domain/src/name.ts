// Content rules of names and other lines (FX-04, FX-06). Names stand in the subjects of mails to people who did not ask for them,
// and mail programs turn every address into a link. private.has_site of the database says the same.

/** A letter or digit of any alphabet: the characters of a host name. */
const letter = String.raw`a-z\u00c0-\u1fff\u2c00-\ud7ff`;
const site = new RegExp(
  String.raw`@|://|www\.|[0-9${letter}][0-9${letter}-]*[0-9${letter}]\.[${letter}]{2,}|[0-9a-z]\.[a-z]{2,}/`,
  'iu',
);

/** True if a text holds the address of a site or mailbox: « https:// », « www. », « exemple.fr », « t.co/x ». */
export function hasSite(text: string): boolean {
  return site.test(text);
}

/** True if a text holds a run of digits that could be called, marks between them or not (DF-28). */
export function hasPhoneNumber(text: string): boolean {
  return /\d(?:[\s./()-]*\d){5}/u.test(text);
}

/** True if a text is a sentence, or sells something: its marks, a full stop after a word, more words than a name has (DF-28). */
export function hasSentence(text: string): boolean {
  return /[!?;:¿¡…€$£]|\p{Ll}{4}\.\s+\S/u.test(text) || text.trim().split(/\s+/u).length > 8;
}

/** True if a text is one plain line: no control character, no half of a character, no bidirectional override. */
export function isLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u.test(text);
}

/** True if a text of several words holds an explicit address; a bare dot between words may be a typing slip there. */
export function hasLink(text: string): boolean {
  return /:\/\/|www\./iu.test(text);
}
