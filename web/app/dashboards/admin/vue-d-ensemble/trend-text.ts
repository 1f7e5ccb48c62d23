import type { TFunction } from 'i18next';
import { formatEuros, groupThousands, type Cents } from '@parrain/domain/money';
import type { Trend } from '#api/company/month-trends';
import { takenOff } from '../../parts/count-lines.ts';

/** « 12 ce mois-ci, 3 de plus que le mois d’avant à la même date »; the month alone where the one before had nothing. */
export function countTrendText({ thisMonth, monthBefore }: Trend<number>, t: TFunction): string {
  const now = t('{{count}} ce mois-ci', { count: signed(thisMonth) });
  if (monthBefore <= 0) return now;
  const change = thisMonth - monthBefore;
  if (change === 0) return t('{{now}}, autant que le mois d’avant à la même date', { now });
  const count = groupThousands(String(Math.abs(change)));
  return change > 0
    ? t('{{now}}, {{count}} de plus que le mois d’avant à la même date', { now, count })
    : t('{{now}}, {{count}} de moins que le mois d’avant à la même date', { now, count });
}

/** « 8 400,00 € ce mois-ci, + 12 % par rapport au mois dernier à la même date »; the month alone where there is nothing to compare with. */
export function amountTrendText({ thisMonth, monthBefore }: Trend<Cents>, t: TFunction): string {
  const now = t('{{amount}} ce mois-ci', { amount: formatEuros(thisMonth) });
  if (monthBefore <= 0n || thisMonth < 0n) return now;
  return t('{{now}}, {{change}} par rapport au mois dernier à la même date', {
    now,
    change: percentOfChange(thisMonth, monthBefore),
  });
}

/** « + 12 % », « − 8 % », « 0 % »: whole percents, rounded half away from zero. */
function percentOfChange(now: Cents, before: Cents): string {
  const change = now - before;
  const rounded = (2n * 100n * (change < 0n ? -change : change) + before) / (2n * before);
  const digits = `${groupThousands(String(rounded))}\u00a0%`;
  return rounded === 0n ? digits : `${change < 0n ? '−' : '+'}\u00a0${digits}`;
}

function signed(count: number): string {
  return count < 0 ? takenOff(-count) : groupThousands(String(count));
}
