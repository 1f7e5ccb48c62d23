import { groupThousands } from '@parrain/domain/money';

/** « 74 − 1 annulée »: how a count of validated contracts comes about, where some validations were taken back. */
export function lessCancelledText(count: number, cancelled: number, t: (key: string) => string): string {
  const words = cancelled > 1 ? t('annulées') : t('annulée');
  return `${digits(count + cancelled)} − ${digits(cancelled)} ${words}`;
}

/** A count taken off, with the minus of French typography. */
export function takenOff(count: number): string {
  return `−${digits(count)}`;
}

function digits(count: number): string {
  return groupThousands(String(count));
}
