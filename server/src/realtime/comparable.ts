/** A value of a column as it is compared, exactly: what PostgreSQL tells apart is never taken for the same. */
export type Comparable =
  | { readonly kind: 'decimal'; readonly units: bigint; readonly scale: number }
  /** Microseconds, for times; 0 and 1, for truth. */
  | { readonly kind: 'whole'; readonly units: bigint }
  | { readonly kind: 'text'; readonly text: string };

const INTEGERS = new Set(['int2', 'int4', 'int8', 'oid']);
const DECIMALS = new Set(['numeric', 'float4', 'float8']);
const TIMES = new Set(['timestamptz', 'timestamp', 'date']);
const TRUTHS: ReadonlyMap<string, bigint> = new Map([
  ...['t', 'true', 'y', 'yes', 'on', '1'].map((word) => [word, 1n] as const),
  ...['f', 'false', 'n', 'no', 'off', '0'].map((word) => [word, 0n] as const),
]);

/** What the text means as a value of the type (PostgreSQL's short name); null where it means none. */
export function comparableOf(text: string, type: string): Comparable | null {
  if (INTEGERS.has(type)) return /^\s*[+-]?\d+\s*$/u.test(text) ? decimalOf(text) : null;
  if (DECIMALS.has(type)) return decimalOf(text);
  if (TIMES.has(type)) return whole(microsecondsOf(text));
  if (type === 'bool') return whole(TRUTHS.get(text.trim().toLowerCase()));
  if (type === 'uuid') {
    const digits = text
      .trim()
      .toLowerCase()
      .replace(/^\{(.*)\}$/u, '$1')
      .replaceAll('-', '');
    return /^[\da-f]{32}$/u.test(digits) ? { kind: 'text', text: digits } : null;
  }
  return { kind: 'text', text };
}

function whole(units: bigint | null | undefined): Comparable | null {
  return units === null || units === undefined ? null : { kind: 'whole', units };
}

function decimalOf(text: string): Comparable | null {
  const { minus, integer, fraction, exponent } =
    /^\s*(?<minus>[+-]?)(?=\.?\d)(?<integer>\d{0,300})(?:\.(?<fraction>\d{0,300}))?(?:e(?<exponent>[+-]?\d{1,3}))?\s*$/iu.exec(
      text,
    )?.groups ?? {};
  if (integer === undefined) return null;
  const units = BigInt(`${integer}${fraction ?? ''}`) * (minus === '-' ? -1n : 1n);
  const scale = (fraction ?? '').length - Number(exponent ?? '0');
  return { kind: 'decimal', units: units * 10n ** BigInt(Math.max(0, -scale)), scale: Math.max(0, scale) };
}

/** A time as ISO 8601 writes it, in UTC where it names no zone: the words PostgreSQL knows besides depend on the day. */
function microsecondsOf(text: string): bigint | null {
  const found =
    /^\s*(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,6})\d*)?)?)?\s*(?<zone>Z|[+-]\d\d(?::?\d\d)?)?\s*$/iu.exec(
      text,
    )?.groups;
  if (found === undefined) return null;
  const { date = '', minute = '00:00', second = '00', fraction = '', zone = 'Z' } = found;
  const plain = `${date}T${minute}:${second}`;
  const milliseconds = Date.parse(`${plain}Z`);
  // A thirtieth of February is read as another day.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(plain)) return null;
  const [, direction, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/u.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (direction === '-' ? -60_000 : 60_000);
  return BigInt(milliseconds - offset) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** The order of words where the database says none of its own: the one it is created with. */
const { compare: compareWords } = new Intl.Collator('fr-FR');

/** Negative, zero or positive, as `left` stands to `right`; null where they are no values of one type. */
export function compared(left: Comparable, right: Comparable): number | null {
  if (left.kind === 'decimal' && right.kind === 'decimal') {
    const scale = Math.max(left.scale, right.scale);
    const scaled = ({ units, scale: own }: typeof left): bigint => units * 10n ** BigInt(scale - own);
    return orderOf(scaled(left), scaled(right));
  }
  if (left.kind === 'whole' && right.kind === 'whole') return orderOf(left.units, right.units);
  if (left.kind !== 'text' || right.kind !== 'text') return null;
  if (left.text === right.text) return 0;
  const order = compareWords(left.text, right.text);
  return order === 0 ? (left.text < right.text ? -1 : 1) : order;
}

function orderOf(left: bigint, right: bigint): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
