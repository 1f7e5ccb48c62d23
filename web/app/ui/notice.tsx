import clsx from 'clsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

export type NoticeTone = 'info' | 'success' | 'warning' | 'error';

export interface NoticeProps {
  tone?: NoticeTone | undefined;
  title?: string | undefined;
  children?: ReactNode;
  /** A button, to the right or below. */
  action?: ReactNode;
  className?: string | undefined;
}

/** A message in the page, that stays. Errors interrupt a screen reader, the rest waits its turn. */
export function Notice({ tone = 'info', title, children, action, className }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={clsx(
        'flex flex-wrap items-start gap-x-3 gap-y-2 rounded-field border px-3.5 py-3',
        looks[tone],
        className,
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0" />
      <div className="min-w-0 flex-1 basis-48">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={title ? 'text-encre-soft' : 'text-encre'}>{children}</div>}
      </div>
      {action}
    </div>
  );
}

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, error: CircleAlert } as const;

const looks: Record<NoticeTone, string> = {
  info: 'border-blue/25 bg-blue-tint [&>svg]:text-blue',
  success: 'border-green/25 bg-green-tint [&>svg]:text-green',
  warning: 'border-amber/30 bg-amber-tint [&>svg]:text-amber',
  error: 'border-danger/30 bg-danger-tint [&>svg]:text-danger',
};
