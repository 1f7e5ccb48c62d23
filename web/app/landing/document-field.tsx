import type { ReactNode } from 'react';
import { Field } from '#ui/field';

/** A field of a form of the public page, with the place where show-error.ts writes what is wrong with it. */
export function DocumentField({
  form,
  name,
  label,
  optional,
  className,
  children,
}: {
  form: string;
  name: string;
  label: string;
  optional?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={className}>
      <Field label={label} optional={optional}>
        {children}
      </Field>
      <p
        data-error={name}
        id={`${form}-${name}-error`}
        aria-live="polite"
        className="mt-1.5 text-sm text-danger empty:hidden"
      />
    </div>
  );
}
