import { RestError } from './rest-error.ts';

export type CountKind = 'exact' | 'planned' | 'estimated';

/** The known preferences of the `Prefer` header. */
export type Preferences = {
  readonly return: 'minimal' | 'representation' | 'headers-only' | null;
  readonly count: CountKind | null;
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | null;
  readonly missing: 'default' | 'null' | null;
  readonly handling: 'strict' | 'lenient' | null;
  readonly maxAffected: number | null;
  readonly tx: 'commit' | 'rollback' | null;
  readonly timezone: string | null;
};

const KNOWN = {
  return: ['minimal', 'representation', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
  tx: ['commit', 'rollback'],
} as const;

/**
 * Parses `Prefer`. The first of two equal preferences counts.
 * @throws RestError PGRST122 for an unknown preference where handling is strict.
 */
export function parsePreferences(header: string | readonly string[] | undefined): Preferences {
  const given = new Map<string, string>();
  const unknown: string[] = [];
  const text = header === undefined ? '' : typeof header === 'string' ? header : header.join(',');
  for (const part of text.split(',')) {
    const preference = part.trim();
    if (preference === '') continue;
    const equals = preference.indexOf('=');
    const name = (equals === -1 ? preference : preference.slice(0, equals)).trim();
    const value = equals === -1 ? '' : preference.slice(equals + 1).trim();
    if (isKnown(name, value)) {
      if (!given.has(name)) given.set(name, value);
    } else unknown.push(preference);
  }
  if (given.get('handling') === 'strict' && unknown.length > 0) {
    throw new RestError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${unknown.join(', ')}`,
    });
  }

  function among<Name extends keyof typeof KNOWN>(name: Name): (typeof KNOWN)[Name][number] | null {
    const value = given.get(name);
    const values: readonly (typeof KNOWN)[Name][number][] = KNOWN[name];
    return values.find((known) => known === value) ?? null;
  }

  const maxAffected = given.get('max-affected');
  return {
    return: among('return'),
    count: among('count'),
    resolution: among('resolution'),
    missing: among('missing'),
    handling: among('handling'),
    // It has a meaning only with handling=strict.
    maxAffected: maxAffected === undefined || among('handling') !== 'strict' ? null : Number(maxAffected),
    tx: among('tx'),
    timezone: given.get('timezone') ?? null,
  };
}

function isKnown(name: string, value: string): boolean {
  if (name === 'max-affected') return /^\d{1,9}$/u.test(value);
  if (name === 'timezone') return /^[\w+/-]{1,64}$/u.test(value);
  const values: readonly string[] | undefined = Object.hasOwn(KNOWN, name)
    ? KNOWN[name as keyof typeof KNOWN]
    : undefined;
  return values?.includes(value) === true;
}

/** The `Preference-Applied` header: those of `honoured` that were asked for; null where there is none. */
export function appliedPreferences(preferences: Preferences, honoured: readonly (keyof Preferences)[]): string | null {
  const applied = honoured
    .filter((name) => preferences[name] !== null)
    .map((name) => `${name === 'maxAffected' ? 'max-affected' : name}=${String(preferences[name])}`);
  return applied.length === 0 ? null : applied.join(', ');
}
