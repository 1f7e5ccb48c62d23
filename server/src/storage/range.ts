/** Part of a file: its first and last byte, both included. */
export type ByteRange = { readonly first: number; readonly last: number };

/**
 * The part that a Range header asks of a file of that size. Null means the whole file: there is no header, another unit,
 * or several ranges, which a server may ignore. « unsatisfiable » means that the part is outside the file.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(?<first>\d{0,15})-(?<last>\d{0,15})$/u.exec(header?.replaceAll(' ', '') ?? '');
  const { first: from = '', last: to = '' } = match?.groups ?? {};
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Number(to);
    return length === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= size ? 'unsatisfiable' : { first, last };
}
