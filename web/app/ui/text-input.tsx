import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface TextInputProps extends ComponentProps<'input'> {
  icon?: ReactNode;
}

/** One line of text. Takes `{...register('name')}` of react-hook-form as it is. */
export function TextInput({ icon, className, ...rest }: TextInputProps) {
  const control = useFieldControl();
  const input = (
    <input type="text" {...control} {...rest} className={clsx(controlClass, 'h-11', icon && 'pl-10', className)} />
  );
  if (!icon) return input;
  return (
    <div className="relative">
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-encre-faint [&_svg]:size-4"
      >
        {icon}
      </span>
      {input}
    </div>
  );
}
