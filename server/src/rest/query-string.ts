import { RestError } from './rest-error.ts';

export type Pair = { readonly key: string; readonly value: string };

/**
 * The pairs of a raw query string, in order, repeated keys included: each is one more condition.
 * @throws RestError where an escape is not UTF-8.
 */
export function pairsOf(rawQuery: string): Pair[] {
  if (rawQuery === '') return [];
  return rawQuery
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals === -1
        ? { key: decoded(part), value: '' }
        : { key: decoded(part.slice(0, equals)), value: decoded(part.slice(equals + 1)) };
    });
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new RestError(400, 'PGRST100', 'The query string is not valid percent-encoded UTF-8', { cause });
  }
}
