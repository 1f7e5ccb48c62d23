/** A share between 0 and 1 as « 37,5 % »; null is « — ». */
export function percentText(share: number | null): string {
  return share === null ? '—' : format.format(share);
}

const format = new Intl.NumberFormat('fr-FR', { style: 'percent', maximumFractionDigits: 1 });
