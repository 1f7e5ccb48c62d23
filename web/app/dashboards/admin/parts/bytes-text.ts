/** A size as a person reads it: « 1,2 Go ». */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * power);
  return `${value.toLocaleString('fr-FR', { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power] ?? ''}`;
}

const UNITS = ['octets', 'Ko', 'Mo', 'Go', 'To'];
