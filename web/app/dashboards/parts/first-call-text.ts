import { countText } from './count-text.ts';

/** Time that a first call takes: « 3 jours », « moins d’un jour », a dash where nobody was called. */
export function firstCallText(days: number | null, t: (key: string) => string): string {
  if (days === null) return '—';
  return days === 0 ? t('moins d’un jour') : countText(days, t('jour'), t('jours'));
}
