import { useLayoutEffect, useRef, type Ref } from 'react';
import { Controller, type Control, type FieldPath, type FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface IbanFieldProps<Form extends FieldValues, Sent> {
  control: Control<Form, unknown, Sent>;
  name: FieldPath<Form>;
  error: string | undefined;
  /** An account that is known, masked: it serves where none is typed (UI-10). */
  known?: string | undefined;
}

/** The IBAN of a form, with what becomes of it. */
export function IbanField<Form extends FieldValues, Sent>({ control, name, error, known }: IbanFieldProps<Form, Sent>) {
  const { t } = useTranslation();
  return (
    <Field
      label={t('IBAN')}
      optional={known !== undefined}
      hint={
        known === undefined
          ? t('Chiffré dès réception, masqué ensuite.')
          : t('Laissé vide, le virement va sur votre compte connu : {{known}}.', { known })
      }
      error={error}
    >
      <Controller
        control={control}
        name={name}
        render={({ field }) => (
          <IbanInput
            name={field.name}
            placeholder={known}
            ref={field.ref}
            value={typeof field.value === 'string' ? field.value : ''}
            onValueChange={field.onChange}
            onBlur={field.onBlur}
          />
        )}
      />
    </Field>
  );
}

interface IbanInputProps {
  value: string;
  onValueChange: (value: string) => void;
  name: string;
  placeholder?: string | undefined;
  onBlur: () => void;
  ref: Ref<HTMLInputElement>;
}

/** An IBAN, grouped by four while it is typed or pasted; the caret stays after the character that was typed. */
function IbanInput({
  value,
  onValueChange,
  name,
  placeholder = 'FR76 1234 5678 9012 3456 7890 123',
  onBlur,
  ref,
}: IbanInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number>(undefined);
  // The caret is the input's own: grouping moves what stands after it.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  return (
    <TextInput
      name={name}
      value={value}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      placeholder={placeholder}
      className="tabular-digits"
      onBlur={onBlur}
      ref={(node) => {
        input.current = node;
        if (typeof ref === 'function') return ref(node);
        if (ref) ref.current = node;
        return undefined;
      }}
      onChange={(event) => {
        const { value: typed, selectionStart } = event.currentTarget;
        const before = compact(typed.slice(0, selectionStart ?? typed.length)).length;
        caret.current = before + Math.max(0, Math.ceil(before / 4) - 1);
        onValueChange(groupIban(typed));
      }}
    />
  );
}

/** « FR7630006000011234567890189 » as « FR76 3000 6000 0112 3456 7890 189 ». */
function groupIban(typed: string): string {
  return (compact(typed).match(/.{1,4}/g) ?? []).join(' ');
}

function compact(typed: string): string {
  return typed.replace(/[^\da-z]/gi, '').toUpperCase();
}
