/** « Éloïse » is « Eloise »: letters without their accents, and ligatures such as « ﬁ » taken apart. « œ » stays a letter. */
export function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '');
}
