import { formatEuros, sum } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dueQuery, type Due as DueFigures, type DuePart } from '#api/company/steering-figures';
import { Amount } from '#ui/amount';
import { Bars } from '#ui/charts/bars';
import { Figure } from '#ui/charts/figure';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';
import type { SectionProps } from '../../shell/sections.ts';
import { amountCell } from '../parts/month-charts.tsx';

/** UI-08, PI-01: all that the company owes, once, in its parts; each leads to where it is settled or listed. */
export default function Due({ openSection }: Pick<SectionProps, 'openSection'>) {
  const query = useQuery(dueQuery);
  return (
    <section className="mt-4">
      {query.data ? (
        <DueFigure due={query.data} openSection={openSection} />
      ) : query.isError ? (
        <div className="rounded-card border border-hairline bg-sheet">
          <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
        </div>
      ) : (
        <Skeleton className="h-120 w-full rounded-card" />
      )}
    </section>
  );
}

export function DueFigure({ due, openSection }: { due: DueFigures } & Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  const parts = due.parts.filter(({ amount }) => amount !== 0n);
  const all = sum(parts.map(({ amount }) => amount));
  const { forecast } = due;
  const beside = besides.flatMap(({ of, words }) =>
    due[of] === 0n ? [] : [t(words, { amount: formatEuros(due[of]) })],
  );
  return (
    <Figure
      title={t('Dû')}
      level={3}
      fileName="du"
      summary={
        forecast.amount === 0n
          ? t('Aujourd’hui, aux clients et aux commerciaux.')
          : t(
              'Aujourd’hui, aux clients et aux commerciaux ; {{all}} d’ici 90 jours si tous les contrats à valider le sont.',
              {
                all: formatEuros(all + forecast.amount),
              },
            )
      }
      head={[t('Ce qui est dû'), t('Nombre'), t('Montant')]}
      rows={[
        ...parts.map(({ id, count, amount }) => [
          { text: t(labels[id]), cell: t(labels[id]) },
          count === null ? { text: '—', cell: '' } : { text: count, cell: { number: String(count) } },
          amountCell(amount),
        ]),
        [{ text: t('Dû'), cell: t('Dû') }, { text: '', cell: '' }, amountCell(all)],
      ]}
      note={
        <>
          {t('Hors TVA des factures.')}{' '}
          {beside.length > 0 &&
            t('Dont {{what}}, que « Commissions en attente » ne compte pas.', { what: listFormat.format(beside) })}
        </>
      }
    >
      <p className="tabular-digits mb-3 font-heading text-xl font-semibold tracking-tight">
        <Amount cents={all} />
      </p>
      <Bars
        bars={parts.map(({ id, count, amount }) => ({
          id,
          label: count === null ? t(labels[id]) : `${t(labels[id])} (${count.toLocaleString('fr-FR')})`,
          value: amount,
          text: <Amount cents={amount} />,
          words: formatEuros(amount),
          onOpen: () => openSection(...places[id]),
        }))}
      />
    </Figure>
  );
}

const listFormat = new Intl.ListFormat('fr', { type: 'conjunction' });

/** Amounts by which what is due differs from what commissions leave (LG-06, AC-05). */
const besides: readonly { of: 'adjusted' | 'waived' | 'repaid'; words: string }[] = [
  { of: 'repaid', words: '{{amount}} de dettes remboursées' },
  { of: 'waived', words: '{{amount}} de dettes abandonnées' },
  { of: 'adjusted', words: '{{amount}} d’ajustements de comptes' },
];

const labels: Readonly<Record<DuePart['id'], string>> = {
  to_pay: 'Demandes approuvées, hors virements groupés',
  to_decide: 'Demandes à traiter',
  in_batch: 'Dans un virement groupé, pas encore payé',
  months_due: 'Mois des commerciaux à payer',
  available: 'Disponible chez les clients, pas encore demandé',
  month_open: 'Mois en cours des commerciaux',
  held: 'Retenu jusqu’à la fin du délai',
  checked: 'Retenu pendant une vérification',
  overpaid: 'Trop versé, à récupérer',
};

const places: Readonly<Record<DuePart['id'], [section: string, detail?: Record<string, string>]>> = {
  to_pay: ['demandes-de-paiement', { statut: 'approved' }],
  to_decide: ['demandes-de-paiement', { statut: 'pending' }],
  in_batch: ['virements'],
  months_due: ['commissions-des-commerciaux'],
  available: ['controle-des-comptes'],
  month_open: ['commissions-des-commerciaux'],
  held: ['controle-des-comptes'],
  checked: ['cas-douteux', { statut: 'open' }],
  overpaid: ['controle-des-comptes'],
};
