/** A share between 0 and 1 as « 37,5 % » and « 39,0 % », whose commas stand under each other; null is « — ». */
export function percentText(share: number | null): string {
  return share === null ? '—' : format.format(share);
}

const format = new Intl.NumberFormat('fr-FR', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
