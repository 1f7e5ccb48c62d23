import { formatEuros, sum, toWire, type Cents } from '@parrain/domain/money';
import { addMonths, monthsBetween, type Months } from '@parrain/domain/period';
import { useTranslation } from 'react-i18next';
import type { MonthFigures } from '#api/company/steering-figures';
import { Amount } from '#ui/amount';
import { Columns } from '#ui/charts/columns';
import { Figure } from '#ui/charts/figure';
import { axisEuros } from '../../parts/axis-euros.ts';

export interface MonthChartsProps {
  /** From a year before the period to its end; a month without a row had nothing. */
  rows: readonly Pick<MonthFigures, 'month' | 'revenue' | 'commissions'>[];
  months: Months;
  current: Months;
}

/** PI-01, PI-03: revenue and commissions of a period by month, beside the year before where that had any. */
export function MonthCharts({ rows, months, current }: MonthChartsProps) {
  const { t } = useTranslation();
  const found = new Map(rows.map((row) => [row.month, row]));
  const shown = spanOf(months, current, rows);
  const one = (month: string, of: 'revenue' | 'commissions') => found.get(month)?.[of] ?? 0n;
  const charts = [
    { of: 'revenue', title: t('Chiffre d’affaires par mois'), fileName: 'chiffre-d-affaires' },
    { of: 'commissions', title: t('Commissions par mois'), fileName: 'commissions' },
  ] as const;
  return charts.map(({ of, title, fileName }) => {
    const now = sum(shown.map((month) => one(month, of)));
    const yearBefore = shown.map((month) => one(addMonths(month, -12), of));
    const hasBefore = yearBefore.some((amount) => amount !== 0n);
    return (
      <Figure
        key={of}
        title={title}
        fileName={fileName}
        summary={
          hasBefore
            ? t('{{now}} sur la période, {{before}} un an plus tôt.', {
                now: formatEuros(now),
                before: formatEuros(sum(yearBefore)),
              })
            : t('{{now}} sur la période.', { now: formatEuros(now) })
        }
        head={[t('Mois'), t('Période'), ...(hasBefore ? [t('Un an plus tôt')] : [])]}
        rows={shown.map((month, at) => [
          { text: monthText(month), cell: month.slice(0, 7) },
          amountCell(one(month, of)),
          ...(hasBefore ? [amountCell(yearBefore[at] ?? 0n)] : []),
        ])}
      >
        <Columns
          label={`${t('Mois')} : ${title}`}
          axisText={axisEuros}
          beforeLabel={t('Un an plus tôt')}
          points={shown.map((month, at) => ({
            label: shortMonthText(month),
            value: one(month, of),
            before: yearBefore[at] ?? 0n,
            words: t(hasBefore ? '{{month}} : {{now}}, {{before}} un an plus tôt' : '{{month}} : {{now}}', {
              month: monthText(month),
              now: formatEuros(one(month, of)),
              before: formatEuros(yearBefore[at] ?? 0n),
            }),
          }))}
        />
      </Figure>
    );
  });
}

/** The months to draw: all of the period up to now; since the beginning, those since the first validation. */
function spanOf({ fromMonth, toMonth }: Months, current: Months, rows: MonthChartsProps['rows']): string[] {
  const first = rows.map(({ month }) => month).find((month) => month >= fromMonth) ?? current.fromMonth;
  const isEver = fromMonth < '2001';
  return monthsBetween(isEver ? first : fromMonth, toMonth < current.toMonth ? toMonth : current.toMonth);
}

/** An amount of a figure's table twin. */
export function amountCell(cents: Cents) {
  return { text: <Amount cents={cents} />, cell: { number: toWire(cents).replace('.', ',') } };
}

const monthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'long', year: 'numeric' });
const shortMonthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'short', year: '2-digit' });

/** « novembre 2026 » */
export function monthText(month: string): string {
  return monthFormat.format(new Date(month));
}

/** « nov. 26 » */
export function shortMonthText(month: string): string {
  return shortMonthFormat.format(new Date(month));
}
