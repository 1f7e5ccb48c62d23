/** « de Léa », « d’Alice », « d’Hélène »: the preposition before a name, elided where French elides it. */
export function ofName(name: string): string {
  const first = name.trim().normalize('NFD').charAt(0).toLowerCase();
  return 'aeiouyhœæ'.includes(first) && first !== '' ? `d’${name}` : `de ${name}`;
}
