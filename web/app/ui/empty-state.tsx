import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  /** The exact sentence of the screen. */
  title: string;
  /** Teaches the next step. */
  description?: ReactNode;
  action?: ReactNode;
}

/** Nothing yet: says so, and what to do next. */
export function EmptyState({ icon, title, description, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      {icon && (
        <span className="mb-3 flex size-11 items-center justify-center rounded-full border border-hairline bg-papier text-encre-faint [&_svg]:size-5">
          {icon}
        </span>
      )}
      <p className="font-medium text-encre">{title}</p>
      {description && <p className="max-w-[44ch] text-encre-soft">{description}</p>}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
