import type { Scale } from '#api/scales/commission-rates';
import { monthsOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { Percent } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commissionRatesQuery } from '#api/scales/commission-rates';
import { scaleFiguresQuery } from '#api/scales/scale-figures';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import { PageHeader } from '#ui/page-header';
import { lazyPart } from '#ui/lazy-part';
import { CardList } from '../../parts/card-list.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { adminActions } from '../actions.tsx';
import { SalePanel } from '../parts/sale-panel.tsx';
import { ArchiveScaleDialog } from './archive-scale-dialog.tsx';
import { CreditedCommissions } from './credited-commissions.tsx';
import { DefaultScaleDialog } from './default-scale-dialog.tsx';
import type { ScaleActs } from './scale-acts.tsx';
import { ScaleCard } from './scale-card.tsx';
import { useArchiveScale } from './use-archive-scale.ts';
import { ScaleFormDialog } from './scale-form-dialog.tsx';

const ScalePanel = lazyPart(() => import('./scale-panel.tsx'));

const views = ['live', 'archives', 'creditees'] as const;
/** The setting of the figures' period in a scale's panel: « periode » narrows the list of commissions. */
const yieldPeriodKey = 'sur';
type View = (typeof views)[number];

/** AD-08: the scales in force and the archived ones; a scale that served is never edited, it gets a new version (S-12). */
export default function Commissions(props: SectionProps) {
  const { t } = useTranslation();
  const view = views.find((word) => word === props.detail['vue']) ?? 'live';
  const isOfSales = view === 'creditees';
  const list = useListState('commissions', props, isOfSales ? 'vente' : 'bareme');
  const archived = view === 'archives';
  const scales = useQuery({ ...commissionRatesQuery({ archived, page: list.page }), enabled: !isOfSales });
  const { data: figures } = useQuery({
    ...scaleFiguresQuery(monthsOf('12-mois', list.openedAt)),
    enabled: !isOfSales,
  });
  const neighbours = useNeighbours(
    list,
    scales,
    (scales.data?.rows ?? []).map(({ id }) => id),
  );
  const wasOpened = useOnce(!isOfSales && list.openId !== undefined);
  const [form, setForm] = useState<{ replaces: Scale | null }>();
  const [archiving, setArchiving] = useState<Scale>();
  const [promoting, setPromoting] = useState<Scale>();
  // One primary action at a time: an empty list has it in its middle.
  const isEmpty = view === 'live' && scales.data?.rowCount === 0;
  const archive = useArchiveScale();
  const acts: ScaleActs = {
    onNewVersion: (scale) => setForm({ replaces: scale }),
    onArchive: (scale) => (scale.isDefault ? setArchiving(scale) : archive.mutate(scale)),
    onMakeDefault: setPromoting,
  };
  const newButton = (
    <ActionButton variant="primary" action={adminActions.createScale} onRun={() => setForm({ replaces: null })} />
  );
  return (
    <>
      <PageHeader
        title={t('Commissions')}
        description={
          isOfSales
            ? t('Ce que chaque contrat validé a crédité.')
            : t('Un barème dit ce que gagnent le client parrain et le commercial sur un contrat validé.')
        }
        actions={isEmpty || isOfSales ? undefined : newButton}
      />
      <div className="mb-4">
        <FilterChips<View>
          label={t('Affichage')}
          value={view}
          onValueChange={(next) => list.set({ vue: next === 'live' ? undefined : next })}
          options={[
            { value: 'live', label: t('Barèmes en vigueur') },
            { value: 'archives', label: t('Barèmes archivés') },
            { value: 'creditees', label: t('Commissions créditées') },
          ]}
        />
      </div>
      {isOfSales ? (
        <CreditedCommissions list={list} onOpenSale={list.openRow} saleHref={list.hrefOf} />
      ) : (
        <>
          <StaleNotice query={scales} />
          <CardList
            label={archived ? t('Barèmes archivés') : t('Barèmes en vigueur')}
            query={scales}
            rowKey={(scale) => scale.id}
            card={(scale) => (
              <ScaleCard
                scale={scale}
                figures={figures?.get(scale.id)}
                href={list.hrefOf(scale.id)}
                onOpen={() => list.openRow(scale.id)}
                {...acts}
              />
            )}
            empty={
              archived ? (
                <EmptyState icon={<Percent />} title={t('Aucun barème archivé')} />
              ) : (
                <EmptyState
                  icon={<Percent />}
                  title={t('Aucun barème pour le moment')}
                  description={t(
                    'Créez le premier : il servira par défaut à calculer les commissions des contrats à valider.',
                  )}
                  action={newButton}
                />
              )
            }
            onMove={list.setPage}
          />
        </>
      )}
      <SalePanel saleId={isOfSales ? list.openId : undefined} onClose={list.closeRow} onOpenSale={list.openRow} />
      {wasOpened && (
        <ScalePanel
          scaleId={isOfSales ? undefined : list.openId}
          onClose={list.closeRow}
          onOpenScale={list.openRow}
          neighbours={neighbours}
          period={props.detail[yieldPeriodKey]}
          onPeriodChange={(period) =>
            props.openSection(
              'commissions',
              { ...props.detail, [yieldPeriodKey]: period },
              { replace: true, keepScroll: true },
            )
          }
          {...acts}
        />
      )}
      {form && <ScaleFormDialog replaces={form.replaces} onClose={() => setForm(undefined)} />}
      {archiving && <ArchiveScaleDialog scale={archiving} onClose={() => setArchiving(undefined)} />}
      {promoting && <DefaultScaleDialog scale={promoting} onClose={() => setPromoting(undefined)} />}
    </>
  );
}
