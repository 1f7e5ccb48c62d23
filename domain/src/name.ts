// What names and other lines may not hold (FX-04, FX-06). Names stand in the subjects of mails that go to people who did not ask for them, and
// mail programs make a link of every address. private.has_site of the database says the same.

/** A letter or a figure, of any alphabet: what the name of a machine is made of. */
const letter = String.raw`a-z\u00c0-\u1fff\u2c00-\ud7ff`;
const site = new RegExp(
  String.raw`@|://|www\.|[0-9${letter}][0-9${letter}-]*[0-9${letter}]\.[${letter}]{2,}|[0-9a-z]\.[a-z]{2,}/`,
  'iu',
);

/** Whether a text holds an address of a site or of a mailbox: « https:// », « www. », « exemple.fr », « t.co/x ». */
export function hasSite(text: string): boolean {
  return site.test(text);
}

/** Whether a text is one line that reads as it is written: no control character, no mark that turns the direction of reading. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text);
}

/** Whether a text of several words holds an address that says itself to be one: a dot between words may be a slip there. */
export function hasLink(text: string): boolean {
  return /:\/\/|www\./iu.test(text);
}
