import { TextInput, type TextInputProps } from './text-input.tsx';

/** An e-mail address, as phones like to type it: no capital letter, no correction, « @ » on the keyboard. */
export function EmailInput(props: TextInputProps) {
  return <TextInput type="email" inputMode="email" autoCapitalize="none" spellCheck={false} {...props} />;
}
