import { withoutAccents } from './without-accents.ts';

/** « de Léa », « d’Alice », « d’Hélène »: the preposition before a name, elided where French elides it. */
export function ofName(name: string): string {
  const plain = withoutAccents(name.trim()).toLowerCase();
  // « d’Yves », but « de Yasmine »: before a vowel Y is a consonant.
  return /^(?:[aeiouhœæ]|y(?![aeiou]))/u.test(plain) ? `d’${name}` : `de ${name}`;
}
