import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

/** A sheet on the page: a hairline, no shadow. */
export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section {...rest} className={clsx('rounded-card border border-hairline bg-sheet', className)} />;
}

export interface CardHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons of the block, right. */
  actions?: ReactNode;
  level?: 2 | 3 | 4 | undefined;
}

/** The head of a card: what it holds, and what can be done with it. */
export function CardHeader({ title, description, actions, level = 2 }: CardHeaderProps) {
  const Heading = `h${level}` as const;
  return (
    <header className="flex flex-wrap items-center justify-between gap-3 border-b border-hairline px-4 py-4 sm:px-5">
      <div className="min-w-0">
        <Heading className={level === 4 ? 'text-base' : 'text-lg'}>{title}</Heading>
        {description && <p className="text-sm text-encre-soft">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  );
}

/** The content of a card, with its margins. */
export function CardBody({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={clsx('p-4 sm:p-5', className)} />;
}
