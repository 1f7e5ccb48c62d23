import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface CodeInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'type' | 'value'> {
  value: string;
  onValueChange: (figures: string) => void;
  /** Called once all the figures are there: typed, pasted, or filled in by the phone. */
  onComplete?: ((figures: string) => void) | undefined;
  /** How many figures the code has. */
  figures?: number | undefined;
}

/** A code of figures: one field, which paste and the phone's own suggestion fill; spaces between figures are left out. */
export function CodeInput({ value, onValueChange, onComplete, figures = 6, className, ...rest }: CodeInputProps) {
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
        const next = event.target.value.replaceAll(/\D/gu, '').slice(0, figures);
        onValueChange(next);
        if (next.length === figures && next !== value) onComplete?.(next);
      }}
      className={clsx(
        controlClass,
        'figures h-14 max-w-60 pl-[calc(0.75rem+0.32em)] text-center text-xl tracking-[0.32em]',
        className,
      )}
    />
  );
}
