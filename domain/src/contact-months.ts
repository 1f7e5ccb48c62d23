/** « trois ans », « dix-huit mois » as « 18 mois »: for how long a contact without contract is kept (CS-04). */
export function contactMonthsText(months: number): string {
  const years: Readonly<Record<number, string>> = { 12: 'un an', 24: 'deux ans', 36: 'trois ans' };
  return years[months] ?? `${months} mois`;
}
