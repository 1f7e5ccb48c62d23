import { EllipsisVertical, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';
import { menuItemOf } from '../../shell/actions.tsx';
import { personActions } from '../actions.tsx';

export interface PersonActionsProps {
  name: string;
  /** Why the person cannot be removed: said on the button, before any dialog. */
  obstacle?: string | null | undefined;
  onDelete?: (() => void) | undefined;
  /** The person stays, closed: what `onDelete` asks is to deactivate them. */
  isKept?: boolean;
  /** Only where there is a second factor to take away (AU-17). */
  onResetSecondFactor: (() => void) | undefined;
  /** The buttons that come first. */
  children?: React.ReactNode;
}

/** Actions on a person, at the end of their row. */
export function PersonActions({
  name,
  obstacle = null,
  onDelete,
  isKept = false,
  onResetSecondFactor,
  children,
}: PersonActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex justify-end">
      {children}
      {onDelete && (
        <IconButton
          tone="danger"
          label={isKept ? t('Désactiver {{name}}', { name }) : t('Supprimer {{name}}', { name })}
          tooltip={obstacle ?? undefined}
          icon={<Trash2 />}
          aria-disabled={obstacle !== null}
          onClick={obstacle === null ? onDelete : undefined}
          className="aria-disabled:cursor-default aria-disabled:opacity-40 aria-disabled:hover:bg-transparent aria-disabled:hover:text-encre-soft"
        />
      )}
      {onResetSecondFactor && (
        <Menu
          trigger={<IconButton label={t('Autres actions pour {{name}}', { name })} icon={<EllipsisVertical />} />}
          items={[menuItemOf(personActions.resetSecondFactor, onResetSecondFactor, t)]}
        />
      )}
    </div>
  );
}
