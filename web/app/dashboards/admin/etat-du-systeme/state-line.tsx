import type { ReactNode } from 'react';

export interface StateLineProps {
  label: string;
  /** The meaning, and the next step. */
  hint?: ReactNode;
  value: ReactNode;
}

/** One thing of the system's state: its name, its meaning, its value. Stands in a `<dl>`. */
export function StateLine({ label, hint, value }: StateLineProps) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 px-4 py-3 sm:px-5">
      <dt className="min-w-0 flex-1 basis-60">
        <span className="font-medium">{label}</span>
        {hint && <span className="block max-w-[64ch] text-sm text-encre-soft">{hint}</span>}
      </dt>
      <dd className="min-w-0 wrap-anywhere sm:text-right">{value}</dd>
    </div>
  );
}
