import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface AmountInputProps extends ComponentProps<'input'> {
  /** The unit after the figure: « € » by default, « % » for a rate. */
  unit?: string | undefined;
  /** Tells assistive tools how much may be typed, and lets the up and down arrows step. */
  range?: AmountRange | undefined;
}

/** In the unit, as decimal text with a point: « 240.50 ». */
export interface AmountRange {
  min: string;
  max: string;
  /** Undefined while what is typed is no amount. */
  now: string | undefined;
  onStep: (direction: 1 | -1) => void;
}

/** An amount in euros (or a rate), typed as the French write it: « 1 234,56 ». Parsing is the schema's. */
export function AmountInput({ unit = '€', range, className, ...rest }: AmountInputProps) {
  const control = useFieldControl();
  return (
    <div className="relative">
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        placeholder="0,00"
        // Where a dialog opens on an amount, what is typed replaces it, as where one came by Tab.
        onFocus={({ currentTarget }) => currentTarget.select()}
        {...control}
        {...(range && spinButton(range, unit))}
        {...rest}
        className={clsx(controlClass, 'tabular-digits h-11 pr-10 text-right', className)}
      />
      <span aria-hidden className="pointer-events-none absolute inset-y-0 right-3.5 flex items-center text-encre-faint">
        {unit}
      </span>
    </div>
  );
}

/** A text field that announces its bounds as a number field does, and still takes « 1 234,56 ». */
function spinButton({ min, max, now, onStep }: AmountRange, unit: string): ComponentProps<'input'> {
  return {
    role: 'spinbutton',
    'aria-valuemin': Number(min),
    'aria-valuemax': Number(max),
    'aria-valuenow': now === undefined ? undefined : Number(now),
    // Without it an empty field is read as 0, and a number in the English way.
    'aria-valuetext': now === undefined ? 'Aucun montant' : `${now.replace('.', ',')} ${unit}`,
    onKeyDown: (event) => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      onStep(event.key === 'ArrowUp' ? 1 : -1);
    },
  };
}
