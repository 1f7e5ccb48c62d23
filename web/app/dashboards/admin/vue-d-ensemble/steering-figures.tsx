import { formatEuros, groupThousands } from '@parrain/domain/money';
import { monthsOf, periodLabels, periodNames, periodOf, type Months } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  funnelQuery,
  rankingQuery,
  salesByMonthQuery,
  type FunnelStep,
  type StepDelay,
} from '#api/company/steering-figures';
import { Amount } from '#ui/amount';
import { Bars } from '#ui/charts/bars';
import { Figure } from '#ui/charts/figure';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Select } from '#ui/select';
import { Skeleton } from '#ui/skeleton';
import { countText } from '../../parts/count-text.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { amountCell, MonthCharts } from '../parts/month-charts.tsx';

/** PI-01: the charts of the overview, for a period that stays in the address. */
export default function SteeringFigures({ openSection, detail }: Pick<SectionProps, 'openSection' | 'detail'>) {
  const { t } = useTranslation();
  const period = periodOf(detail['periode']);
  const [now] = useState(() => new Date());
  const months = monthsOf(period, now);
  return (
    <section aria-label={t('Pilotage')} className="mt-8">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-lg">{t('Pilotage')}</h3>
        <div className="w-52">
          <Select
            label={t('Période')}
            size="sm"
            options={periodNames.map((value) => ({ value, label: t(periodLabels[value]) }))}
            value={period}
            onValueChange={(value) =>
              openSection('vue-d-ensemble', { ...detail, periode: value }, { replace: true, keepScroll: true })
            }
          />
        </div>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <SalesByMonth months={months} current={monthsOf('mois', now)} />
        <div className="lg:col-span-2">
          <ReferralFunnel months={months} />
        </div>
        <Best of="best_commercials" months={months} openSection={openSection} />
        <Best of="best_referrers" months={months} openSection={openSection} />
      </div>
    </section>
  );
}

interface PartProps {
  months: Months;
}

function SalesByMonth({ months, current }: PartProps & { current: Months }) {
  const query = useQuery(salesByMonthQuery(months));
  if (!query.data) return <Waiting query={query} isWide />;
  return <MonthCharts rows={query.data} months={months} current={current} />;
}

const stepLabels: Readonly<Record<FunnelStep, string>> = {
  invited: 'Amis invités',
  contacted: 'Contactés',
  negotiated: 'En négociation ou plus loin',
  signed: 'Contrats transmis ou signés',
  validated: 'Contrats validés',
};

function ReferralFunnel({ months }: PartProps) {
  const { t } = useTranslation();
  const query = useQuery(funnelQuery(months));
  const { data } = query;
  if (!data) return <Waiting query={query} />;
  const [invited] = data.steps;
  const all = invited?.count ?? 0;
  const rate = (count: number) => percentFormat.format(all === 0 ? 0 : count / all);
  const ofPrevious = (index: number) => {
    const [previous, here] = [data.steps[index - 1]?.count ?? all, data.steps[index]?.count ?? 0];
    return percentFormat.format(previous === 0 ? 0 : here / previous);
  };
  /** « délai médian 3 jours », and of how many referrals where it is not known of all. */
  const delayText = (delay: StepDelay | null, count: number) => {
    if (delay === null) return t('délai inconnu');
    const median = t('délai médian {{days}}', {
      days: delay.medianDays === 0 ? t('moins d’un jour') : countText(delay.medianDays, t('jour'), t('jours')),
    });
    if (delay.count === count) return median;
    const referrals = countText(delay.count, t('parrainage'), t('parrainages'));
    return t('{{median}} sur {{referrals}}', { median, referrals });
  };
  const last = data.steps.at(-1)?.count ?? 0;
  const isPartial = data.steps.some(({ delay, count }, index) => index > 0 && (delay?.count ?? 0) < count);
  return (
    <Figure
      title={t('De l’invitation au contrat')}
      fileName="de-l-invitation-au-contrat"
      summary={
        data.medianDays === null
          ? t('{{rate}} des amis invités sur la période ont un contrat validé.', { rate: rate(last) })
          : t(
              '{{rate}} des amis invités sur la période ont un contrat validé ; un sur deux signe en {{days}} ou moins.',
              {
                rate: rate(last),
                days: countText(data.medianDays, t('jour'), t('jours')),
              },
            )
      }
      head={[
        t('Étape'),
        t('Nombre'),
        t('Part des invités'),
        t('Part de l’étape d’avant'),
        t('Délai médian, en jours'),
        ...(isPartial ? [t('Délais connus')] : []),
      ]}
      rows={data.steps.map(({ id, count, delay }, index) => [
        { text: t(stepLabels[id]), cell: t(stepLabels[id]) },
        countCell(count),
        { text: rate(count), cell: rate(count) },
        { text: ofPrevious(index), cell: ofPrevious(index) },
        delay === null ? noCell : countCell(delay.medianDays),
        ...(isPartial ? [index === 0 ? noCell : countCell(delay?.count ?? 0)] : []),
      ])}
      note={
        <>
          {t('{{refused}} et {{cancelled}} depuis.', {
            refused: countText(data.refusedCount, t('refusé'), t('refusés')),
            cancelled: countText(data.cancelledCount, t('annulé'), t('annulés')),
          })}{' '}
          {t('Un délai part de l’étape où était le parrainage ; une étape sautée n’en a pas.')}{' '}
          <CountedAt at={data.countedAt} />
        </>
      }
    >
      <Bars
        bars={data.steps.map(({ id, count, delay }, index) => ({
          id,
          label: t(stepLabels[id]),
          value: BigInt(count),
          text: `${groupThousands(String(count))} · ${rate(count)}`,
          words: `${groupThousands(String(count))} · ${rate(count)}`,
          detail:
            index === 0
              ? undefined
              : [t('{{rate}} passent cette étape', { rate: ofPrevious(index) }), delayText(delay, count)].join(' · '),
        }))}
      />
    </Figure>
  );
}

function Best({
  of,
  months,
  openSection,
}: PartProps & Pick<SectionProps, 'openSection'> & { of: 'best_commercials' | 'best_referrers' }) {
  const { t } = useTranslation();
  const query = useQuery(rankingQuery(of, months));
  const { data } = query;
  if (!data) return <Waiting query={query} />;
  const isCommercials = of === 'best_commercials';
  const [first] = data.people;
  return (
    <Figure
      title={isCommercials ? t('Meilleurs commerciaux') : t('Meilleurs parrains')}
      fileName={isCommercials ? 'meilleurs-commerciaux' : 'meilleurs-parrains'}
      summary={
        first
          ? t('{{name}} en tête : {{amount}} de contrats validés.', {
              name: first.fullName,
              amount: formatEuros(first.revenue),
            })
          : t('Aucun contrat validé sur la période.')
      }
      head={[t('Nom'), t('Contrats'), t('Chiffre d’affaires')]}
      rows={data.people.map((person) => [
        { text: person.fullName, cell: person.fullName },
        countCell(person.contractsCount),
        amountCell(person.revenue),
      ])}
      note={data.countedAt !== null && <CountedAt at={data.countedAt} />}
    >
      <Bars
        bars={data.people.map((person) => ({
          id: person.id,
          label: person.fullName,
          value: person.revenue,
          text: <Amount cents={person.revenue} />,
          words: formatEuros(person.revenue),
          onOpen: () => openSection(isCommercials ? 'ventes' : 'clients', { recherche: person.fullName }),
        }))}
      />
    </Figure>
  );
}

function CountedAt({ at }: { at: string | null }) {
  const { t } = useTranslation();
  if (at === null) return null;
  return (
    <>
      {t('Arrêté au')} <DateText value={at} withTime />.
    </>
  );
}

interface WaitingProps {
  query: { isError: boolean; isFetching: boolean; refetch: () => unknown };
  isWide?: boolean;
}

function Waiting({ query, isWide = false }: WaitingProps) {
  if (query.isError) {
    return (
      <div className="rounded-card border border-hairline bg-sheet">
        <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
      </div>
    );
  }
  return <Skeleton className={`h-80 w-full rounded-card ${isWide ? 'lg:col-span-2' : ''}`} />;
}

function countCell(count: number) {
  return { text: groupThousands(String(count)), cell: { number: String(count) } };
}

const noCell = { text: '—', cell: '' };

const percentFormat = new Intl.NumberFormat('fr-FR', { style: 'percent', maximumFractionDigits: 0 });
