import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface CodeInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'type' | 'value'> {
  value: string;
  onValueChange: (digits: string) => void;
  /** Called once all the digits are there: typed, pasted, or filled in by the phone. */
  onComplete?: ((digits: string) => void) | undefined;
  /** Number of digits of the code. */
  digits?: number | undefined;
}

/** A code of digits: one field, which paste and the phone's own suggestion fill; spaces between digits are left out. */
export function CodeInput({ value, onValueChange, onComplete, digits = 6, className, ...rest }: CodeInputProps) {
  const control = useFieldControl();
  return (
    <input
      {...control}
      {...rest}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      spellCheck={false}
      value={value}
      onChange={(event) => {
        const next = event.target.value.replaceAll(/\D/gu, '').slice(0, digits);
        onValueChange(next);
        if (next.length === digits && next !== value) onComplete?.(next);
      }}
      className={clsx(
        controlClass,
        'tabular-digits h-14 max-w-60 pl-[calc(0.75rem+0.32em)] text-center text-xl tracking-[0.32em]',
        className,
      )}
    />
  );
}
