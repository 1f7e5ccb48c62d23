import clsx from 'clsx';
import { useId } from 'react';

export interface FilterChip<Value extends string> {
  value: Value;
  label: string;
  /** Number of entries, beside the word. */
  count?: number | undefined;
}

export interface FilterChipsProps<Value extends string> {
  /** Names the filter for assistive tools: « Filtrer par statut ». */
  label: string;
  options: readonly FilterChip<Value>[];
  /** Undefined while it is not known which one is chosen. */
  value: Value | undefined;
  onValueChange: (value: Value) => void;
}

/** One filter among a few words, all of them visible; scrolls sideways on a phone. Native radio buttons: arrows move. */
export function FilterChips<Value extends string>({ label, options, value, onValueChange }: FilterChipsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      <div className="-mx-4 flex gap-1.5 overflow-x-auto px-4 py-0.5 [scrollbar-width:none] sm:mx-0 sm:flex-wrap sm:px-0.5">
        {options.map((option) => (
          <label
            key={option.value}
            className={clsx(
              'tap-target relative flex h-8 shrink-0 cursor-pointer items-center rounded-full border border-hairline bg-sheet px-3 text-sm whitespace-nowrap text-encre-soft transition-colors duration-120 select-none',
              'hover:border-edge hover:text-encre has-checked:border-sapin has-checked:bg-sapin-tint has-checked:font-medium has-checked:text-sapin-strong',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sapin',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onValueChange(option.value)}
              className="sr-only"
            />
            <span>{option.label}</span>
            {option.count !== undefined && (
              <span className="tabular-digits ml-1.5 text-xs text-encre-faint">{option.count}</span>
            )}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
