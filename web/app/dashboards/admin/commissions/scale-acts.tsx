import type { CommissionRate } from '@parrain/domain/commission';
import { Archive, GitBranchPlus, Star } from 'lucide-react';
import type { MenuItem } from '#ui/menu';

export interface ScaleActs {
  onNewVersion: (scale: CommissionRate) => void;
  onArchive: (scale: CommissionRate) => void;
  onMakeDefault: (scale: CommissionRate) => void;
}

/** What may be done with a scale, for its card's menu and its panel's footer; nothing once it is archived (S-12). */
export function scaleActs(scale: CommissionRate, { onNewVersion, onArchive, onMakeDefault }: ScaleActs): MenuItem[] {
  if (scale.archivedAt !== null) return [];
  return [
    ...(scale.isDefault
      ? []
      : [
          {
            id: 'default',
            label: 'Définir par défaut',
            icon: <Star aria-hidden />,
            onSelect: () => onMakeDefault(scale),
          },
        ]),
    {
      id: 'version',
      label: 'Nouvelle version',
      icon: <GitBranchPlus aria-hidden />,
      onSelect: () => onNewVersion(scale),
    },
    {
      id: 'archive',
      label: 'Archiver',
      icon: <Archive aria-hidden />,
      onSelect: () => onArchive(scale),
      tone: 'danger',
    },
  ];
}
