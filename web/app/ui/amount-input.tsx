import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface AmountInputProps extends ComponentProps<'input'> {
  /** What stands after the figure: « € » unless said otherwise (« % » for a rate). */
  unit?: string | undefined;
}

/** An amount in euros (or a rate), typed as the French write it: « 1 234,56 ». Parsing is the schema's. */
export function AmountInput({ unit = '€', className, ...rest }: AmountInputProps) {
  const control = useFieldControl();
  return (
    <div className="relative">
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        placeholder="0,00"
        {...control}
        {...rest}
        className={clsx(controlClass, 'figures h-11 pr-10 text-right', className)}
      />
      <span aria-hidden className="pointer-events-none absolute inset-y-0 right-3.5 flex items-center text-encre-faint">
        {unit}
      </span>
    </div>
  );
}
