import clsx from 'clsx';
import { Eye, EyeOff } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { controlClass, useFieldControl } from './field.tsx';

/** A password that its owner may look at. Paste and password managers work: nothing is intercepted. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const control = useFieldControl();
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <input
        {...control}
        {...rest}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className={clsx(controlClass, 'h-11 pr-12', className)}
      />
      <button
        type="button"
        aria-pressed={shown}
        aria-controls={control.id}
        aria-label="Afficher le mot de passe"
        // Two may stand in a form: which field it is of.
        aria-describedby={control['aria-labelledby']}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded-field text-encre-faint hover:text-encre"
      >
        {shown ? <EyeOff aria-hidden className="size-4.5" /> : <Eye aria-hidden className="size-4.5" />}
      </button>
    </div>
  );
}
