import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  /** The exact sentence of the screen. */
  title: string;
  /** Teaches the next step. */
  description?: ReactNode;
  /** The first things to do, in their order. */
  steps?: readonly string[] | undefined;
  action?: ReactNode;
}

/** Nothing yet: says so, and what to do next. */
export function EmptyState({ icon, title, description, steps, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      {icon && (
        <span className="mb-3 flex size-11 items-center justify-center rounded-full border border-hairline bg-papier text-encre-faint [&_svg]:size-5">
          {icon}
        </span>
      )}
      <p className="font-medium text-encre">{title}</p>
      {description && <p className="max-w-[44ch] text-encre-soft">{description}</p>}
      {steps && (
        <ol className="mt-4 grid max-w-[52ch] gap-2 text-left">
          {steps.map((step, index) => (
            <li key={step} className="flex items-baseline gap-3">
              <span
                aria-hidden
                className="tabular-digits flex size-6 shrink-0 items-center justify-center rounded-full border border-edge text-sm text-encre-soft"
              >
                {index + 1}
              </span>
              <span className="min-w-0 text-encre-soft">{step}</span>
            </li>
          ))}
        </ol>
      )}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
