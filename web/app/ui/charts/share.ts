const parts = 10_000n;

/** Share of `whole` that a value is, between 0 and 1 to four places: for a drawing's lengths, never for an amount. */
export function shareOf(value: bigint, whole: bigint): number {
  if (whole <= 0n || value <= 0n) return 0;
  return Number.parseInt(String((value * parts) / whole), 10) / 10_000;
}

/** The greatest of some values, 0 where none is above it. */
export function greatest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}
