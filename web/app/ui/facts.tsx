import clsx from 'clsx';
import type { ReactNode } from 'react';

export interface Fact {
  label: string;
  value: ReactNode;
}

/** Names and their values, as in a side panel: e-mail, phone, IBAN, dates. */
export function Facts({ items, className }: { items: readonly Fact[]; className?: string | undefined }) {
  return (
    <dl className={clsx('divide-y divide-hairline', className)}>
      {items.map((item) => (
        <div key={item.label} className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-2.5">
          <dt className="text-encre-soft">{item.label}</dt>
          <dd className="ml-auto min-w-0 text-right font-medium break-words">{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
