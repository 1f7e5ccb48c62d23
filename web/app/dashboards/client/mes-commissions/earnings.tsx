import { formatEuros, sum, toWire } from '@parrain/domain/money';
import { monthsBetween, monthsOf } from '@parrain/domain/period';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientMonth } from '#api/payments/client-months';
import { Amount } from '#ui/amount';
import { Columns } from '#ui/charts/columns';
import { Figure } from '#ui/charts/figure';
import { axisEuros } from '../../parts/axis-euros.ts';

/** PI-02: what the client earned over time, from their first commission on. */
export default function Earnings({ months: data }: { months: readonly ClientMonth[] }) {
  const { t } = useTranslation();
  const [next] = useState(() => monthsOf('mois', new Date()).toMonth);
  const [first] = data;
  if (first === undefined) return null;
  const found = new Map(data.map(({ month, earned }) => [month, earned]));
  const months = monthsBetween(first.month, next);
  return (
    <div className="mt-4">
      <Figure
        level={3}
        title={t('Mes gains par mois')}
        fileName="mes-gains"
        summary={t('{{amount}} gagnés depuis {{month}}.', {
          amount: formatEuros(sum(data.map(({ earned }) => earned))),
          month: monthFormat.format(new Date(first.month)),
        })}
        head={[t('Mois'), t('Gagné')]}
        rows={months.map((month) => {
          const earned = found.get(month) ?? 0n;
          return [
            { text: monthFormat.format(new Date(month)), cell: month.slice(0, 7) },
            { text: <Amount cents={earned} />, cell: { number: toWire(earned).replace('.', ',') } },
          ];
        })}
      >
        <Columns
          label={t('Mois')}
          axisText={axisEuros}
          points={months.map((month) => ({
            label: shortMonthFormat.format(new Date(month)),
            value: found.get(month) ?? 0n,
            before: 0n,
            words: `${monthFormat.format(new Date(month))} : ${formatEuros(found.get(month) ?? 0n)}`,
          }))}
        />
      </Figure>
    </div>
  );
}

const monthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'long', year: 'numeric' });
const shortMonthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'short', year: '2-digit' });
