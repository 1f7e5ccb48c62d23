import { groupThousands } from './money.ts';

/** A rate in hundredths of a percent: 10 % is 1000n, 12,5 % is 1250n. */
export type BasisPoints = bigint;

/** 100 %: no rate is above it (V-17). */
export const percentMaxBasisPoints: BasisPoints = 10_000n;

const noBreakSpace = '\u00a0';
const percentPattern = /^(\d{1,3})(?:[.,](\d{1,2}))?$/;

/** Reads a rate that a person typed or a caller sent: above 0, at most 100, at most two decimals (V-17); else null. */
export function parsePercent(input: string | number): BasisPoints | null {
  if (typeof input === 'number' && !Number.isFinite(input)) return null;
  const match = percentPattern.exec(String(input).trim());
  if (match === null) return null;
  const basisPoints = BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
  return basisPoints > 0n && basisPoints <= percentMaxBasisPoints ? basisPoints : null;
}

/** The rate as the wire carries it: « 10 », « 12.5 ». */
export function percentToWire(basisPoints: BasisPoints): string {
  return decimal(basisPoints, '.');
}

/** The rate the wire carries; throws on anything else, for such a row is a bug. */
export function percentFromWire(value: number | string): BasisPoints {
  const basisPoints = parsePercent(value);
  if (basisPoints === null) throw new Error(`Not a percentage: ${String(value)}`);
  return basisPoints;
}

/** « 10 % », « 12,5 % », with U+00A0 before the sign (I-02). */
export function formatPercent(basisPoints: BasisPoints): string {
  return `${decimal(basisPoints, ',')}${noBreakSpace}%`;
}

function decimal(basisPoints: BasisPoints, separator: string): string {
  const decimals = String(basisPoints % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '');
  const whole = groupThousands(String(basisPoints / 100n));
  return decimals === '' ? whole : `${whole}${separator}${decimals}`;
}
