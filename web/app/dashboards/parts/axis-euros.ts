const format = new Intl.NumberFormat('fr-FR', { notation: 'compact', maximumFractionDigits: 1 });

/** Cents on a chart's axis, in short euros: « 150 k€ », « 500 € ». */
export function axisEuros(cents: bigint): string {
  const text = format.format(cents / 100n);
  // « k » and « M » are written against the sign, a figure is not.
  return /\d$/u.test(text) ? `${text}\u00A0€` : `${text}€`;
}
