import { commissionScaleForm } from '@parrain/domain/forms/commission-scale';
import { parseForm } from '@parrain/domain/forms/parse-form';
import { formatEuros, sum, type Cents } from '@parrain/domain/money';
import { nothingSentence, simulationSentence } from '@parrain/domain/scale-simulation';
import { useTranslation } from 'react-i18next';
import type { ScaleSimulation as Said } from '#api/scales/simulate-scale';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Columns } from '#ui/charts/columns';
import { Figure } from '#ui/charts/figure';
import { Notice } from '#ui/notice';
import { axisEuros } from '../../parts/axis-euros.ts';
import { amountCell, monthText, shortMonthText } from '../parts/month-charts.tsx';
import { termsKey, typedScale, type ScaleValues } from './use-scale-form.ts';

export interface ScaleSimulationProps {
  /** Values typed now: what was said is of those typed then. */
  values: ScaleValues;
  said: (Said & { readonly terms: string }) | undefined;
  pending: boolean;
  failure: string | undefined;
  onSimulate: () => void;
}

/** « Sur vos douze derniers mois » (SC-05): what the draft would have cost beside what the scale did, before it is published. */
export default function ScaleSimulation({ values, said, pending, failure, onSimulate }: ScaleSimulationProps) {
  const { t } = useTranslation();
  const isOld = said !== undefined && said.terms !== termsOfTyped(values);
  return (
    <section
      aria-label={t('Sur vos douze derniers mois')}
      aria-busy={pending}
      className="flex flex-col gap-4 rounded-field border border-hairline bg-papier p-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 basis-60 grow">
          <h3 className="text-base">{t('Sur vos douze derniers mois')}</h3>
          <p className="text-sm text-encre-soft">
            {t('Ce que cette version aurait coûté sur vos contrats validés avec ce barème. Rien n’est enregistré.')}
          </p>
        </div>
        <Button size="sm" pending={pending} onClick={onSimulate}>
          {t(said === undefined ? 'Simuler' : 'Simuler de nouveau')}
        </Button>
      </div>
      <div role="status" className="flex flex-col gap-3 empty:hidden">
        {pending && <p className="text-sm text-encre-soft">{t('Calcul sur douze mois de contrats…')}</p>}
        {said !== undefined && !pending && (
          <>
            <p className="text-lg font-medium">{t(simulationSentence(said.totals))}</p>
            {isOld && <Notice tone="warning">{t('Le barème a changé depuis : simulez de nouveau.')}</Notice>}
          </>
        )}
      </div>
      {failure !== undefined && !pending && (
        <Notice tone="error" title={t('La simulation n’a pas abouti.')}>
          {failure}
        </Notice>
      )}
      {said !== undefined && !pending && said.totals.contracts > 0 && <Details said={said} />}
    </section>
  );
}

function Details({ said }: { said: Said }) {
  const { t } = useTranslation();
  const change = ({ given, wouldGive }: { given: Cents; wouldGive: Cents }) => wouldGive - given;
  const gaining = said.most.filter((payee) => change(payee) > 0n);
  const losing = said.most.filter((payee) => change(payee) < 0n);
  return (
    <>
      <Months months={said.months} />
      {(gaining.length > 0 || losing.length > 0) && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Lines
            title={t('Gagneraient plus')}
            none={t('Personne.')}
            total={{ count: said.payees.gain, change: said.gained }}
            lines={gaining.map((each) => ({ name: each.name, of: sideNames[each.side], change: change(each) }))}
          />
          <Lines
            title={t('Gagneraient moins')}
            none={t('Personne.')}
            total={{ count: said.payees.lose, change: said.lost }}
            lines={losing.map((each) => ({ name: each.name, of: sideNames[each.side], change: change(each) }))}
          />
        </div>
      )}
      {said.largest.length > 0 && (
        <Lines
          title={t('Les plus grands écarts')}
          none=""
          lines={said.largest.map((each) => ({
            key: `${each.saleId} ${each.side}`,
            name: each.name,
            of: t('contrat de {{amount}}', { amount: formatEuros(each.contract) }),
            change: change(each),
          }))}
        />
      )}
      {said.nothing.length > 0 && (
        <div>
          <h4 className="text-sm font-medium">{t('N’auraient rien donné')}</h4>
          <ul className="mt-1 flex flex-col gap-1 text-sm text-encre-soft">
            {said.nothing.map((each) => (
              <li key={`${each.side} ${each.reason}`}>{t(nothingSentence(each))}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

const sideNames = { client: 'client', commercial: 'commercial' } as const;

function Months({ months }: Pick<Said, 'months'>) {
  const { t } = useTranslation();
  return (
    <Figure
      title={t('Commissions par mois')}
      fileName="simulation"
      summary={t('Le trait est ce que le barème a coûté, la colonne ce que la nouvelle version aurait coûté.')}
      head={[t('Mois'), t('En réalité'), t('Nouvelle version'), t('Écart')]}
      rows={months.map(({ month, given, wouldGive }) => [
        { text: monthText(month), cell: month.slice(0, 7) },
        amountCell(given),
        amountCell(wouldGive),
        { ...amountCell(wouldGive - given), text: <Amount cents={wouldGive - given} signed /> },
      ])}
    >
      <Columns
        label={t('Mois de la simulation')}
        axisText={axisEuros}
        beforeLabel={t('En réalité')}
        points={months.map(({ month, given, wouldGive }) => ({
          label: shortMonthText(month),
          value: wouldGive,
          before: given,
          words: t('{{month}} : {{now}} au lieu de {{before}}', {
            month: monthText(month),
            now: formatEuros(wouldGive),
            before: formatEuros(given),
          }),
        }))}
      />
    </Figure>
  );
}

interface LinesProps {
  title: string;
  /** Said where there is no line. */
  none: string;
  /** Of all of them, of whom the lines are the first; none where the lines are no persons. */
  total?: { count: number; change: Cents };
  lines: readonly { key?: string; name: string; of: string; change: Cents }[];
}

function Lines({ title, none, total, lines }: LinesProps) {
  const { t } = useTranslation();
  const rest = (total?.count ?? lines.length) - lines.length;
  const restChange = (total?.change ?? 0n) - sum(lines.map(({ change }) => change));
  return (
    <div className="min-w-0">
      <h4 className="text-sm font-medium">{title}</h4>
      {lines.length === 0 ? (
        <p className="mt-1 text-sm text-encre-soft">{none}</p>
      ) : (
        <ul className="mt-1 divide-y divide-hairline text-sm">
          {lines.map(({ key, name, of, change }) => (
            <li key={key ?? `${name} ${of} ${change}`} className="flex items-baseline justify-between gap-3 py-1.5">
              <span className="min-w-0 wrap-anywhere">
                {name} <span className="text-encre-faint">{of}</span>
              </span>
              <Amount cents={change} signed />
            </li>
          ))}
          {rest > 0 && (
            <li className="flex items-baseline justify-between gap-3 py-1.5 text-encre-soft">
              <span>{t(rest === 1 ? 'et {{count}} autre' : 'et {{count}} autres', { count: rest })}</span>
              <Amount cents={restChange} signed />
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

/** The terms that are typed now; null where they are not whole. */
function termsOfTyped(values: ScaleValues): string | null {
  const parsed = parseForm(commissionScaleForm, typedScale(values));
  return parsed.ok ? termsKey(parsed.value) : null;
}
