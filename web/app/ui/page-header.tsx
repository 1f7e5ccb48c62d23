import type { ReactNode } from 'react';

export interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** 1 on a page of its own; 2 in a dashboard's section, whose h1 is the dashboard's. */
  level?: 1 | 2 | undefined;
}

/** The head of a page or a section: its name, one sentence, its main action. */
export function PageHeader({ title, description, actions, level = 2 }: PageHeaderProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3 max-sm:mb-4">
      <div className="min-w-0">
        <Heading className="text-xl" tabIndex={-1}>
          {title}
        </Heading>
        {description && <p className="mt-1 max-w-[90ch] text-encre-soft max-sm:text-sm">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  );
}

/** Two actions of long names share one line of a phone. */
export const pairedActionClass = 'max-sm:grow max-sm:gap-0 max-sm:px-3 max-sm:text-sm max-sm:[&_svg]:hidden';
