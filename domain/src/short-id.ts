/** The first 8 characters of an id, by which people name a row (I-03). */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
