import { formatEuros, groupThousands, toWire } from '@parrain/domain/money';
import { monthsOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { openByAgeQuery, ownMonthsQuery } from '#api/sales/own-activity';
import { Bars } from '#ui/charts/bars';
import { Figure } from '#ui/charts/figure';
import { Skeleton } from '#ui/skeleton';
import { countText } from '../../parts/count-text.ts';
import type { SectionProps } from '../../shell/sections.ts';

/** PI-02: the commercial's month beside the one before, and their open referrals by age. */
export function OwnActivity({
  commercialId,
  openSection,
}: Pick<SectionProps, 'openSection'> & { commercialId: string }) {
  return (
    <div className="mt-5 grid gap-4 lg:grid-cols-2">
      <OwnMonth commercialId={commercialId} />
      <OpenByAge commercialId={commercialId} openSection={openSection} />
    </div>
  );
}

function OwnMonth({ commercialId }: { commercialId: string }) {
  const { t } = useTranslation();
  const [month] = useState(() => monthsOf('mois', new Date()).fromMonth);
  const { data, isPending } = useQuery(ownMonthsQuery(commercialId, month));
  if (!data) return isPending ? <Skeleton className={`${skeletonClass} max-lg:h-55 max-sm:h-68`} /> : null;
  const { current, before } = data;
  const lines = [
    {
      id: 'contracts',
      label: t('Contrats validés'),
      now: groupThousands(String(current.contractsCount)),
      past: groupThousands(String(before.contractsCount)),
      cells: [{ number: String(current.contractsCount) }, { number: String(before.contractsCount) }],
    },
    {
      id: 'revenue',
      label: t('CA généré'),
      now: formatEuros(current.revenue),
      past: formatEuros(before.revenue),
      cells: [euroCell(current.revenue), euroCell(before.revenue)],
    },
    {
      id: 'commissions',
      label: t('Commissions gagnées'),
      now: formatEuros(current.commissions),
      past: formatEuros(before.commissions),
      cells: [euroCell(current.commissions), euroCell(before.commissions)],
    },
  ];
  return (
    <Figure
      level={3}
      title={t('Mon mois')}
      fileName="mon-mois"
      summary={t('{{now}} de commissions ce mois, {{before}} le mois dernier.', {
        now: formatEuros(current.commissions),
        before: formatEuros(before.commissions),
      })}
      head={[t('Chiffre'), t('Ce mois'), t('Mois dernier')]}
      rows={lines.map(({ label, now, past, cells }) => [
        { text: label, cell: label },
        { text: now, cell: cells[0] ?? '' },
        { text: past, cell: cells[1] ?? '' },
      ])}
    >
      <Bars
        bars={[
          { id: 'now', label: t('CA de ce mois'), cents: current.revenue },
          { id: 'before', label: t('CA du mois dernier'), cents: before.revenue },
        ].map(({ id, label, cents }) => ({
          id,
          label,
          value: cents,
          text: formatEuros(cents),
          words: formatEuros(cents),
        }))}
      />
      <p className="mt-3 text-sm text-encre-soft">
        {t('{{now}} ce mois, {{before}} le mois dernier.', {
          now: countText(current.contractsCount, t('contrat validé'), t('contrats validés')),
          before: groupThousands(String(before.contractsCount)),
        })}
      </p>
    </Figure>
  );
}

const ageLabels: Readonly<Record<number, string>> = {
  0: 'Moins d’une semaine',
  7: 'De 7 à 13 jours',
  14: 'De 14 à 29 jours',
  30: '30 jours et plus',
};

function OpenByAge({ commercialId, openSection }: Pick<SectionProps, 'openSection'> & { commercialId: string }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(openByAgeQuery(commercialId));
  if (!data) return isPending ? <Skeleton className={`${skeletonClass} max-lg:h-70 max-sm:h-104`} /> : null;
  const all = data.reduce((count, age) => count + age.count, 0);
  const old = data.at(-1)?.count ?? 0;
  return (
    <Figure
      level={3}
      title={t('Parrainages à suivre, par ancienneté')}
      fileName="parrainages-a-suivre"
      summary={t('{{all}} à suivre, dont {{old}} depuis 30 jours ou plus.', {
        all: countText(all, t('parrainage'), t('parrainages')),
        old: groupThousands(String(old)),
      })}
      head={[t('Ancienneté'), t('Parrainages')]}
      rows={data.map(({ fromDays, count }) => {
        const label = t(ageLabels[fromDays] ?? '');
        return [
          { text: label, cell: label },
          { text: groupThousands(String(count)), cell: { number: String(count) } },
        ];
      })}
    >
      <Bars
        bars={data.map(({ fromDays, count }) => ({
          id: String(fromDays),
          label: t(ageLabels[fromDays] ?? ''),
          value: BigInt(count),
          text: groupThousands(String(count)),
          words: groupThousands(String(count)),
          onOpen: () => openSection('parrainages-recus', { statut: 'all' }),
        }))}
      />
    </Figure>
  );
}

/** As high as what comes, so that the list below stays in its place. */
const skeletonClass = 'h-76 w-full rounded-card';

function euroCell(cents: bigint) {
  return { number: toWire(cents).replace('.', ',') };
}
