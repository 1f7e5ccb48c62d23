import type { Scale } from '#api/scales/commission-rates';
import { yieldOf } from '@parrain/domain/scale-yield';
import { groupThousands, sum } from '@parrain/domain/money';
import { monthsOf, periodLabels, periodNames, periodOf, type Months, type PeriodName } from '@parrain/domain/period';
import { formatPercent } from '@parrain/domain/percent';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { scaleByMonthQuery, scaleMonthsExportQuery, type ScaleMonth } from '#api/scales/scale-figures';
import { scaleQuery, type OtherScale, type ScaleDetail } from '#api/scales/scale';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Select } from '#ui/select';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { Skeleton } from '#ui/skeleton';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { useLast } from '../../parts/use-last.ts';
import { ActionButton } from '../../shell/actions.tsx';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { MonthCharts } from '../parts/month-charts.tsx';
import { inlineLinkClass } from '../parts/place-link.tsx';
import { scaleActs, type ScaleActs } from './scale-acts.tsx';
import { ScaleBadges, ScaleConditions, ScaleSides } from './scale-card.tsx';
import { ScaleVersions } from './scale-versions.tsx';

export interface ScalePanelProps extends ScaleActs {
  scaleId: string | undefined;
  onClose: () => void;
  onOpenScale: (scaleId: string) => void;
  neighbours: Neighbours;
  period: string | undefined;
  onPeriodChange: (period: PeriodName) => void;
}

/** NV-02, PI-03: all about a scale: what it gives, what it cost and brought in, its versions and its history. */
export default function ScalePanel(props: ScalePanelProps) {
  const { scaleId, onClose, onOpenScale, neighbours, period, onPeriodChange } = props;
  const { t } = useTranslation();
  const shownId = useLast(scaleId);
  const query = useQuery({ ...scaleQuery(shownId ?? ''), enabled: scaleId !== undefined });
  const scale = query.data?.scale;
  const acts = scale === undefined ? [] : scaleActs(scale, props);
  return (
    <SidePanel
      open={scaleId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={scale?.name ?? t('Barème')}
      subtitle={
        shownId !== undefined && <span className="tabular-digits">{t('Barème {{id}}', { id: shortId(shownId) })}</span>
      }
      footer={
        acts.length > 0 &&
        acts.map(({ action, onRun }) => <ActionButton key={action.id} action={action} onRun={onRun} />)
      }
    >
      {query.data === undefined ? (
        <AbsentRecord
          query={query}
          goneTitle={t('Ce barème n’existe plus')}
          goneDescription={t('Il a été supprimé, ou cette adresse ne mène à aucun barème.')}
          onClose={onClose}
          loading={t('Chargement : barème')}
          skeletons={['h-7 w-40', 'h-24 w-full', 'h-48 w-full']}
        />
      ) : (
        <div className="flex flex-col gap-7">
          <Terms detail={query.data} onOpenScale={onOpenScale} />
          <ScaleVersions scaleId={query.data.scale.id} />
          <Yield scale={query.data.scale} period={periodOf(period)} onPeriodChange={onPeriodChange} />
          <section>
            <h3 className="mb-3 text-lg">{t('Historique')}</h3>
            <AuditTimeline entity="commission_rates" entityId={query.data.scale.id} />
          </section>
        </div>
      )}
    </SidePanel>
  );
}

function Terms({ detail, onOpenScale }: { detail: ScaleDetail; onOpenScale: (scaleId: string) => void }) {
  const { t } = useTranslation();
  const { scale, before, after } = detail;
  const linked = (label: string, other: OtherScale | null) =>
    other === null
      ? []
      : [
          {
            label,
            value: (
              <button type="button" onClick={() => onOpenScale(other.id)} className={inlineLinkClass}>
                {other.name}
              </button>
            ),
          },
        ];
  return (
    <section className="flex flex-col gap-4">
      <div className="flex empty:hidden">
        <ScaleBadges scale={scale} />
      </div>
      <ScaleSides scale={scale} isWhole />
      <ScaleConditions scale={scale} />
      <TextBlock label={t('Description')} text={scale.description} />
      <Facts
        items={[
          { label: t('Créé le'), value: <DateText value={scale.createdAt} withTime /> },
          ...(scale.archivedAt === null
            ? []
            : [{ label: t('Archivé le'), value: <DateText value={scale.archivedAt} withTime /> }]),
          ...linked(t('Remplace'), before),
          ...linked(t('Remplacé par'), after),
        ]}
      />
    </section>
  );
}

interface YieldProps {
  scale: Scale;
  period: PeriodName;
  onPeriodChange: (period: PeriodName) => void;
}

function Yield({ scale, period, onPeriodChange }: YieldProps) {
  const { t } = useTranslation();
  const [now] = useState(() => new Date());
  const months = monthsOf(period, now);
  const query = useQuery(scaleByMonthQuery(scale.id, months));
  return (
    <section aria-label={t('Coût et rendement')} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-lg">{t('Coût et rendement')}</h3>
        <div className="flex flex-wrap items-center gap-2">
          <div className="w-44">
            <Select
              label={t('Période')}
              size="sm"
              options={periodNames.map((value) => ({ value, label: t(periodLabels[value]) }))}
              value={period}
              onValueChange={onPeriodChange}
            />
          </div>
          {Boolean(query.data?.length) && (
            <ExportMenu list="scale-months" page={{ query: scaleMonthsExportQuery(scale.id, months) }} />
          )}
        </div>
      </div>
      {query.data === undefined ? (
        query.isError ? (
          <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
        ) : (
          <Skeleton className="h-64 w-full rounded-card" />
        )
      ) : (
        <YieldFigures rows={query.data} months={months} current={monthsOf('mois', now)} />
      )}
    </section>
  );
}

function YieldFigures({ rows, months, current }: { rows: readonly ScaleMonth[]; months: Months; current: Months }) {
  const { t } = useTranslation();
  const inside = rows.filter(({ month }) => month >= months.fromMonth);
  const figures = {
    contractsCount: inside.reduce((total, { contractsCount }) => total + contractsCount, 0),
    revenue: sum(inside.map(({ revenue }) => revenue)),
    clientCommissions: sum(inside.map(({ clientCommissions }) => clientCommissions)),
    commercialCommissions: sum(inside.map(({ commercialCommissions }) => commercialCommissions)),
  };
  const { cost, costPerContract, costShare, revenuePerEuro } = yieldOf(figures);
  if (inside.length === 0 && rows.length === 0)
    return <p className="text-encre-soft">{t('Aucun contrat validé avec ce barème sur la période.')}</p>;
  return (
    <>
      <Facts
        items={[
          { label: t('Contrats validés'), value: groupThousands(String(figures.contractsCount)) },
          { label: t('Chiffre d’affaires'), value: <Amount cents={figures.revenue} /> },
          { label: t('Commissions des clients'), value: <Amount cents={figures.clientCommissions} /> },
          { label: t('Commissions des commerciaux'), value: <Amount cents={figures.commercialCommissions} /> },
          { label: t('Coût total'), value: <Amount cents={cost} /> },
          { label: t('Coût par contrat'), value: <AmountOrNone cents={costPerContract} /> },
          {
            label: t('Coût en part du chiffre d’affaires'),
            value: costShare === null ? '—' : formatPercent(costShare),
          },
          { label: t('Chiffre d’affaires pour 1 € de commission'), value: <AmountOrNone cents={revenuePerEuro} /> },
        ]}
      />
      <MonthCharts
        rows={rows.map((row) => ({ ...row, commissions: row.clientCommissions + row.commercialCommissions }))}
        months={months}
        current={current}
      />
    </>
  );
}

function AmountOrNone({ cents }: { cents: bigint | null }) {
  return cents === null ? '—' : <Amount cents={cents} />;
}
