import type { Scale } from '#api/scales/commission-rates';
import type { Action } from '../../shell/actions.tsx';
import { scaleActions } from '../actions.tsx';

export interface ScaleActs {
  onNewVersion: (scale: Scale) => void;
  onArchive: (scale: Scale) => void;
  onMakeDefault: (scale: Scale) => void;
}

/** Acts on a scale, in its card's menu and its panel's footer; none once it is archived (S-12). */
export function scaleActs(
  scale: Scale,
  { onNewVersion, onArchive, onMakeDefault }: ScaleActs,
): readonly { action: Action; onRun: () => void }[] {
  if (scale.archivedAt !== null) return [];
  return [
    ...(scale.isDefault ? [] : [{ action: scaleActions.makeDefault, onRun: () => onMakeDefault(scale) }]),
    { action: scaleActions.newVersion, onRun: () => onNewVersion(scale) },
    { action: scaleActions.archive, onRun: () => onArchive(scale) },
  ];
}
