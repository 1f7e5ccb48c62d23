/** « Camille B. » for « Camille Bernard »: as much as strangers are told of a person. A single word stands as it is. */
export function shortName(fullName: string): string {
  const [first = '', ...others] = fullName.trim().split(/\s+/u);
  const initial = others.at(-1)?.match(/\p{L}/u)?.[0];
  return initial === undefined ? first : `${first} ${initial.toLocaleUpperCase('fr')}.`;
}
