// Characters that no reader sees: what is pasted from a web page, a mail or a spreadsheet carries them. private.without_invisible
// of the database takes the same away.

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** A text without what nobody sees: zero-width spaces, soft hyphens, direction marks, variation selectors. */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, '');
}

/** True if a text shows something: a letter, a digit, a sign. Blanks, marks without a letter and invisible characters do not. */
export function isVisible(text: string): boolean {
  // U+2800 is the Braille pattern without a dot.
  return /[^\s\p{C}\p{Z}\p{M}\u2800]/u.test(withoutInvisible(text));
}
