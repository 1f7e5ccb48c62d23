import clsx from 'clsx';
import { useId, type ComponentProps, type ReactNode } from 'react';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: string;
  description?: ReactNode;
}

/** One thing that is so or not. The whole block is the target. */
export function Checkbox({ label, description, className, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <label
      className={clsx(
        'flex cursor-pointer items-start gap-3 rounded-field border border-edge/70 bg-sheet p-3 transition-colors duration-120 hover:border-edge has-checked:border-sapin has-checked:bg-sapin-tint has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sapin has-disabled:cursor-not-allowed has-disabled:opacity-55',
        className,
      )}
    >
      <input
        {...rest}
        type="checkbox"
        aria-labelledby={`${id}-label`}
        aria-describedby={description ? `${id}-description` : undefined}
        className="mt-1 size-4 shrink-0 accent-sapin outline-none"
      />
      <span className="min-w-0">
        <span id={`${id}-label`} className="block font-medium">
          {label}
        </span>
        {description && (
          <span id={`${id}-description`} className="block text-sm text-encre-soft">
            {description}
          </span>
        )}
      </span>
    </label>
  );
}
