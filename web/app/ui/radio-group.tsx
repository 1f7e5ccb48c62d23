import clsx from 'clsx';
import { useId, type ChangeEventHandler, type FocusEventHandler, type ReactNode, type Ref } from 'react';
import { FieldError } from './field.tsx';

export interface RadioOption<Value extends string> {
  value: Value;
  label: string;
  description?: ReactNode;
  icon?: ReactNode;
  /** In a segmented row: the icon alone is shown, the label is its name and its tooltip. */
  iconOnly?: boolean | undefined;
  disabled?: boolean | undefined;
}

export interface RadioGroupProps<Value extends string> {
  legend: string;
  legendHidden?: boolean | undefined;
  options: readonly RadioOption<Value>[];
  /** `cards`: one block a choice, with its description. `segmented`: two to four words side by side. */
  look?: 'cards' | 'segmented' | undefined;
  /** Cards side by side: on a wide screen, or on a phone too, closer together and without their icons. */
  columns?: 1 | 2 | 'always 2' | undefined;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string | undefined;
  /** Controlled use; leave out (with defaultValue) when `{...register('name')}` is spread. */
  value?: Value | undefined;
  defaultValue?: Value | undefined;
  onValueChange?: ((value: Value) => void) | undefined;
  name?: string | undefined;
  onChange?: ChangeEventHandler<HTMLInputElement> | undefined;
  onBlur?: FocusEventHandler<HTMLInputElement> | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** One choice, all of them visible. Native radio buttons: arrows move, the form library reads them. */
export function RadioGroup<Value extends string>({
  legend,
  legendHidden = false,
  options,
  look = 'cards',
  columns = 1,
  hint,
  error,
  className,
  value,
  defaultValue,
  onValueChange,
  name,
  onChange,
  onBlur,
  ref,
}: RadioGroupProps<Value>) {
  const id = useId();
  const segmented = look === 'segmented';
  const isClose = columns === 'always 2';
  return (
    <fieldset
      className={clsx('flex min-w-0 flex-col gap-1.5', className)}
      aria-describedby={[hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined}
    >
      <legend className={legendHidden ? 'sr-only' : 'mb-1.5 text-sm font-medium'}>{legend}</legend>
      <div
        className={
          segmented
            ? 'inline-flex self-start rounded-field border border-edge bg-well p-0.5'
            : clsx('grid gap-2', isClose ? 'grid-cols-2' : columns === 2 && 'sm:grid-cols-2')
        }
      >
        {options.map((option) => (
          <label
            key={option.value}
            title={option.iconOnly ? option.label : undefined}
            className={clsx(
              'relative cursor-pointer transition-colors duration-120 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sapin has-disabled:cursor-not-allowed has-disabled:opacity-55',
              segmented
                ? 'tap-target flex h-9 items-center justify-center gap-2 rounded-[6px] px-3.5 text-sm font-medium text-encre-soft has-checked:bg-sheet has-checked:text-sapin-strong has-checked:shadow-[inset_0_0_0_1.5px_var(--sapin)]'
                : 'flex items-start gap-3 rounded-field border border-edge/70 bg-sheet p-3 hover:border-edge has-checked:border-sapin has-checked:bg-sapin-tint',
              isClose && 'min-h-11 max-sm:items-center max-sm:gap-2 max-sm:px-2.5 max-sm:py-1.5 max-sm:text-sm/4.5',
            )}
          >
            <input
              type="radio"
              name={name ?? id}
              value={option.value}
              disabled={option.disabled}
              {...(value === undefined ? {} : { checked: value === option.value })}
              {...(defaultValue === undefined ? {} : { defaultChecked: defaultValue === option.value })}
              onChange={(event) => {
                onChange?.(event);
                onValueChange?.(option.value);
              }}
              onBlur={onBlur}
              ref={ref}
              className={
                segmented ? 'sr-only' : clsx('size-4 shrink-0 accent-sapin outline-none', isClose ? 'sm:mt-1' : 'mt-1')
              }
            />
            {option.icon && (
              <span
                className={clsx(
                  'shrink-0 text-encre-soft [&_svg]:size-4.5 in-[.items-start]:mt-0.5',
                  isClose && 'max-sm:hidden',
                )}
              >
                {option.icon}
              </span>
            )}
            {segmented ? (
              <span className={option.iconOnly ? 'sr-only' : undefined}>{option.label}</span>
            ) : (
              <span className="min-w-0">
                <span className="block font-medium">{option.label}</span>
                {option.description && <span className="block text-sm text-encre-soft">{option.description}</span>}
              </span>
            )}
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-encre-faint">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </fieldset>
  );
}
