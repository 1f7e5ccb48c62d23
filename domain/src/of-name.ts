import { withoutAccents } from './without-accents.ts';

/** « de Léa », « d’Alice », « d’Hélène »: the preposition before a name, elided where French elides it. */
export function ofName(name: string): string {
  const first = withoutAccents(name.trim()).charAt(0).toLowerCase();
  return 'aeiouyhœæ'.includes(first) && first !== '' ? `d’${name}` : `de ${name}`;
}
