import { CloudOff } from 'lucide-react';

export interface StaleNoticeProps {
  /** The last reading failed while rows are on screen. */
  shown: boolean;
  /** When what is on screen was read, in milliseconds. */
  since: number;
  onRetry: () => void;
}

/** Rows are there but the last reading failed: says from when they are, and offers « Réessayer » (E-05). */
export function StaleNotice({ shown, since, onRetry }: StaleNoticeProps) {
  return (
    <div role="status" className="empty:hidden">
      {shown && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-hairline bg-amber-tint px-4 py-2 text-sm text-amber sm:px-5">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          Actualisation impossible : données de {hour.format(since)}.
          <button type="button" onClick={onRetry} className="tap-target rounded-field px-1 font-medium underline underline-offset-4">
            Réessayer
          </button>
        </p>
      )}
    </div>
  );
}

const hour = new Intl.DateTimeFormat('fr-FR', { hour: '2-digit', minute: '2-digit' });
