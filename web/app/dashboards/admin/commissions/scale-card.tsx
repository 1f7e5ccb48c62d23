import {
  commissionTypeLabels,
  formatCommissionSide,
  type CommissionRate,
  type CommissionSide,
} from '@parrain/domain/commission';
import { Archive, BadgeCheck, EllipsisVertical, GitBranchPlus, Star } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';
import { DateText } from '#ui/date';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';

export interface ScaleCardProps {
  scale: CommissionRate;
  onNewVersion: () => void;
  onArchive: () => void;
  onMakeDefault: () => void;
}

/** One scale: its two sides as two figures, and what may be done with it (AD-08, S-12). */
export function ScaleCard({ scale, onNewVersion, onArchive, onMakeDefault }: ScaleCardProps) {
  const { t } = useTranslation();
  const archived = scale.archivedAt !== null;
  return (
    <article className="flex h-full min-w-0 flex-col rounded-card border border-hairline bg-sheet p-4 sm:p-5">
      <header className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-sans text-base font-semibold tracking-normal break-words">{scale.name}</h3>
          {scale.isDefault && (
            <span className="mt-1 inline-flex">
              <Badge tone="green" icon={<BadgeCheck aria-hidden />}>
                {t('Par défaut')}
              </Badge>
            </span>
          )}
          {archived && (
            <span className="mt-1 inline-flex">
              <Badge tone="neutral" icon={<Archive aria-hidden />}>
                {t('Archivé')}
              </Badge>
            </span>
          )}
        </div>
        {!archived && (
          <div className="-mt-1.5 -mr-2">
            <Menu
              trigger={
                <IconButton label={t('Actions sur {{name}}', { name: scale.name })} icon={<EllipsisVertical />} />
              }
              items={[
                ...(scale.isDefault
                  ? []
                  : [
                      {
                        id: 'default',
                        label: t('Définir par défaut'),
                        icon: <Star aria-hidden />,
                        onSelect: onMakeDefault,
                      },
                    ]),
                {
                  id: 'version',
                  label: t('Nouvelle version'),
                  icon: <GitBranchPlus aria-hidden />,
                  onSelect: onNewVersion,
                },
                {
                  id: 'archive',
                  label: t('Archiver'),
                  icon: <Archive aria-hidden />,
                  onSelect: onArchive,
                  tone: 'danger',
                },
              ]}
            />
          </div>
        )}
      </header>
      <dl className="mt-4 grid grid-cols-2 divide-x divide-hairline rounded-field border border-hairline bg-papier">
        <Side label={t('Client')} side={scale.scale.client} />
        <Side label={t('Commercial')} side={scale.scale.commercial} />
      </dl>
      {scale.clientHoldDays > 0 && (
        <p className="mt-3.5 text-sm text-encre-soft">
          {scale.clientHoldDays === 1
            ? t('Disponible pour le client un jour après la validation.')
            : t('Disponible pour le client {{days}} jours après la validation.', { days: scale.clientHoldDays })}
        </p>
      )}
      {scale.description !== null && (
        <p className="mt-3.5 break-words whitespace-pre-line text-encre-soft">{scale.description}</p>
      )}
      <p className="mt-auto pt-3.5 text-sm text-encre-faint">
        {t('Créé le')} <DateText value={scale.createdAt} />
        {archived && (
          <>
            {' · '}
            {t('archivé le')} <DateText value={scale.archivedAt} />
          </>
        )}
      </p>
    </article>
  );
}

function Side({ label, side }: { label: string; side: CommissionSide }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 px-4 py-3">
      <dt className="text-sm text-encre-faint">{label}</dt>
      <dd className="figures mt-0.5 font-heading text-lg font-semibold tracking-tight">{formatCommissionSide(side)}</dd>
      <dd className="text-sm text-encre-soft">{t(commissionTypeLabels[side.type])}</dd>
    </div>
  );
}
