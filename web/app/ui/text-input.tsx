import clsx from 'clsx';
import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface TextInputProps extends ComponentProps<'input'> {
  icon?: ReactNode;
}

/** One line of text. Takes `{...register('name')}` of react-hook-form as it is. */
export function TextInput({ icon, className, ...rest }: TextInputProps) {
  const control = useFieldControl();
  const isDate = rest.type === 'date';
  const input = (
    <input
      type="text"
      {...control}
      {...rest}
      className={clsx(controlClass, 'h-11', icon && 'pl-10', isDate && 'empty-date', className)}
    />
  );
  if (isDate) return <MarkedWhereEmpty>{input}</MarkedWhereEmpty>;
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

/** Marks the field in it with `data-empty` while it holds nothing, which no selector tells of a date: WebKit shows today there. */
function MarkedWhereEmpty({ children }: { children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  // After each drawing: what a form puts into its field is told by no event.
  useEffect(() => mark(place.current));
  return (
    <span ref={place} className="contents" onInput={() => mark(place.current)} onChange={() => mark(place.current)}>
      {children}
    </span>
  );
}

function mark(place: HTMLElement | null): void {
  const field = place?.querySelector('input');
  field?.toggleAttribute('data-empty', field.value === '');
}
