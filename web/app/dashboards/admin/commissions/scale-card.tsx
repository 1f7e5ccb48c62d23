import { commissionTypeLabels } from '@parrain/domain/commission';
import { dayOf, formatDate } from '@parrain/domain/date';
import { hasExtraRules, sideSentence, sideShort, type RuledSide } from '@parrain/domain/scale-rules';
import { yieldOf, type ScaleFigures } from '@parrain/domain/scale-yield';
import { formatEuros } from '@parrain/domain/money';
import { formatPercent } from '@parrain/domain/percent';
import { Archive, BadgeCheck, CalendarX, EllipsisVertical } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isOver, type Scale } from '#api/scales/commission-rates';
import { Badge } from '#ui/badge';
import { DateText } from '#ui/date';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';
import { RecordLink } from '#ui/record-link';
import { countText } from '../../parts/count-text.ts';
import { menuItemOf } from '../../shell/actions.tsx';
import { scaleActs, type ScaleActs } from './scale-acts.tsx';

export interface ScaleCardProps extends ScaleActs {
  scale: Scale;
  /** Of the last twelve months; undefined where no contract was validated with it. */
  figures: ScaleFigures | undefined;
  href: string;
  onOpen: () => void;
}

/** One scale: its two sides as two figures, what it cost, and what may be done with it (AD-08, S-12, PI-03). */
export function ScaleCard({ scale, figures, href, onOpen, ...does }: ScaleCardProps) {
  const { t } = useTranslation();
  const acts = scaleActs(scale, does).map(({ action, onRun }) => menuItemOf(action, onRun, t));
  return (
    <article className="relative flex h-full min-w-0 flex-col rounded-card border border-hairline bg-sheet p-4 transition-colors duration-120 hover:border-edge/70 sm:p-5">
      <header className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="mb-1 font-sans text-base font-semibold tracking-normal break-words">
            <RecordLink href={href} onOpen={onOpen} className="after:absolute after:inset-0 after:rounded-card">
              {scale.name}
            </RecordLink>
          </h3>
          <ScaleBadges scale={scale} />
        </div>
        {acts.length > 0 && (
          <div className="relative z-1 -mt-1.5 -mr-2">
            <Menu
              trigger={
                <IconButton label={t('Actions sur {{name}}', { name: scale.name })} icon={<EllipsisVertical />} />
              }
              items={acts}
            />
          </div>
        )}
      </header>
      <div className="mt-4">
        <ScaleSides scale={scale} />
      </div>
      <div className="mt-3.5 empty:hidden">
        <ScaleConditions scale={scale} />
      </div>
      {scale.description !== null && (
        <p className="mt-3.5 break-words whitespace-pre-line text-encre-soft">{scale.description}</p>
      )}
      <div className="mt-auto pt-3.5 text-sm">
        {figures && <LastYear figures={figures} />}
        <p className="text-encre-faint">
          {t('Créé le')} <DateText value={scale.createdAt} />
          {scale.archivedAt !== null && (
            <>
              {' · '}
              {t('archivé le')} <DateText value={scale.archivedAt} />
            </>
          )}
        </p>
      </div>
    </article>
  );
}

function LastYear({ figures }: { figures: ScaleFigures }) {
  const { t } = useTranslation();
  const { cost, costShare } = yieldOf(figures);
  return (
    <p className="mb-1 text-encre-soft">
      {t('12 derniers mois :')} {countText(figures.contractsCount, t('contrat'), t('contrats'))},{' '}
      {t('{{cost}} de commissions', { cost: formatEuros(cost) })}
      {costShare !== null && ` (${t('{{share}} du chiffre d’affaires', { share: formatPercent(costShare) })})`}
    </p>
  );
}

/** « Par défaut », « Archivé », « Terminé le … ». */
export function ScaleBadges({ scale }: { scale: Scale }) {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  if (scale.archivedAt !== null)
    return (
      <Badge tone="neutral" icon={<Archive aria-hidden />}>
        {t('Archivé')}
      </Badge>
    );
  if (scale.lastDay !== null && isOver(scale, today))
    return (
      <Badge tone="neutral" icon={<CalendarX aria-hidden />}>
        {t('Terminé le {{day}}', { day: formatDate(scale.lastDay) })}
      </Badge>
    );
  if (!scale.isDefault) return null;
  return (
    <Badge tone="green" icon={<BadgeCheck aria-hidden />}>
      {t('Par défaut')}
    </Badge>
  );
}

/** Commission of each side; its sentence whole where there is room for it. */
export function ScaleSides({ scale: { scale }, isWhole = false }: { scale: Scale; isWhole?: boolean }) {
  const { t } = useTranslation();
  return (
    <dl className="grid grid-cols-2 divide-x divide-hairline rounded-field border border-hairline bg-papier">
      <Side label={t('Client')} side={scale.client} isWhole={isWhole} />
      <Side label={t('Commercial')} side={scale.commercial} isWhole={isWhole} />
    </dl>
  );
}

/** The contracts it is proposed for (SC-03), and when the client's part may be asked for (LG-03). */
export function ScaleConditions({ scale }: { scale: Scale }) {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  const { fromContractAmount, clientHoldDays: days, lastDay } = scale;
  return (
    <>
      {lastDay !== null && !isOver(scale, today) && (
        <p className="text-sm text-encre-soft">{t('Jusqu’au {{day}} compris.', { day: formatDate(lastDay) })}</p>
      )}
      {fromContractAmount !== null && (
        <p className="text-sm text-encre-soft">
          {t('Proposé pour les contrats à partir de {{threshold}}.', { threshold: formatEuros(fromContractAmount) })}
        </p>
      )}
      {days > 0 && (
        <p className="text-sm text-encre-soft">
          {days === 1
            ? t('Disponible pour le client un jour après la validation.')
            : t('Disponible pour le client {{days}} jours après la validation.', { days })}
        </p>
      )}
    </>
  );
}

function Side({ label, side, isWhole }: { label: string; side: RuledSide; isWhole: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 px-4 py-3">
      <dt className="text-sm text-encre-faint">{label}</dt>
      <dd className="mt-0.5 font-heading text-lg font-semibold tracking-tight tabular-nums">{sideShort(side)}</dd>
      <dd className={isWhole ? 'text-sm text-encre-soft' : 'line-clamp-3 text-sm text-encre-soft'}>
        {hasExtraRules(side) ? sideSentence(side) : t(commissionTypeLabels[side.type])}
      </dd>
    </div>
  );
}
