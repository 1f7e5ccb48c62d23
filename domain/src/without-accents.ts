/** « Éloïse » is « Eloise »: letters without their accents, and ligatures such as « ﬁ » taken apart. « œ » stays a letter. */
export function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

/** A text as the database's search terms write it (`private.plain_letters`): « Œuvre d’Éloïse » is « oeuvre d'eloise ». */
export function plainLetters(text: string): string {
  return (
    text
      .toLowerCase()
      .normalize('NFKD')
      // Not every mark, as above: those that the database takes away.
      .replaceAll(/[\u0300-\u036f]/gu, '')
      .replaceAll('œ', 'oe')
      .replaceAll('æ', 'ae')
      .replaceAll('’', "'")
  );
}
