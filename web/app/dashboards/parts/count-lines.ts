import { groupThousands } from '@parrain/domain/money';

/** « 74 validations, dont 1 annulée depuis »: how a count of validated contracts comes about, where some validations were taken back. */
export function lessCancelledText(count: number, cancelled: number, t: (key: string) => string): string {
  const all = count + cancelled;
  const validated = all > 1 ? t('validations, dont') : t('validation, dont');
  return `${digits(all)} ${validated} ${digits(cancelled)} ${cancelled > 1 ? t('annulées depuis') : t('annulée depuis')}`;
}

/** A count taken off, with the minus of French typography. */
export function takenOff(count: number): string {
  return `−${digits(count)}`;
}

function digits(count: number): string {
  return groupThousands(String(count));
}
