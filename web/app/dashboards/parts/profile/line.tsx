import clsx from 'clsx';
import type { ReactNode } from 'react';

export interface LineProps {
  icon: ReactNode;
  title: ReactNode;
  /** A second line, quieter: dates, the address behind it. */
  detail?: ReactNode;
  /** A badge beside the title. */
  mark?: ReactNode;
  /** Its buttons, right. */
  actions?: ReactNode;
  className?: string | undefined;
}

/** One device, key or account in a list of the profile. */
export function Line({ icon, title, detail, mark, actions, className }: LineProps) {
  return (
    <li className={clsx('flex items-center gap-x-3.5 gap-y-2 py-3', className)}>
      <span
        aria-hidden
        className="flex size-9 shrink-0 items-center justify-center rounded-full border border-hairline bg-papier text-encre-soft [&_svg]:size-4.5"
      >
        {icon}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium wrap-anywhere">
          {title}
          {mark}
        </p>
        {detail && <p className="text-sm text-encre-soft wrap-anywhere">{detail}</p>}
      </div>
      {actions && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
    </li>
  );
}
