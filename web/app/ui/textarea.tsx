import clsx from 'clsx';
import { useState, type ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

export interface TextareaProps extends ComponentProps<'textarea'> {
  /** Shows « 12 / 500 » under the text. The limit itself is the schema's: what is pasted is not cut, unless `maxLength` says so. */
  counterMax?: number | undefined;
}

/** Several lines of text, with a counter where a limit is given. Takes `{...register('name')}`. */
export function Textarea({ counterMax, className, onChange, ref, defaultValue, value, ...rest }: TextareaProps) {
  const control = useFieldControl();
  const [typedLength, setTypedLength] = useState(String(value ?? defaultValue ?? '').length);
  const length = value === undefined ? typedLength : String(value).length;
  const over = counterMax !== undefined && length > counterMax;
  return (
    <div>
      <textarea
        rows={4}
        {...control}
        {...rest}
        {...(value === undefined ? { defaultValue } : { value })}
        ref={(node) => {
          // react-hook-form writes its default value into the node: the counter starts from what is there.
          if (node) setTypedLength(node.value.length);
          if (typeof ref === 'function') return ref(node);
          if (ref) ref.current = node;
          return undefined;
        }}
        onChange={(event) => {
          setTypedLength(event.currentTarget.value.length);
          onChange?.(event);
        }}
        className={clsx(controlClass, 'min-h-24 resize-y py-2.5', className)}
      />
      {counterMax !== undefined && (
        <p
          className={clsx(
            'tabular-digits mt-1 text-right text-xs',
            over ? 'font-medium text-danger' : 'text-encre-faint',
          )}
        >
          <span className="sr-only">Caractères saisis : </span>
          {length} / {counterMax}
        </p>
      )}
    </div>
  );
}
