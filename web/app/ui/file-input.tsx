import clsx from 'clsx';
import { Upload } from 'lucide-react';
import { useState } from 'react';
import { useFieldControl } from './field.tsx';

export interface FileInputProps {
  onFile: (file: File) => void;
  /** The `accept` attribute: a comfort, the server looks at the content. */
  accept?: string | undefined;
  /** The text once a file is chosen; its name by default. */
  fileName?: string | undefined;
  disabled?: boolean | undefined;
}

/** Choose a file by click, keyboard or drop: the native input covers the whole area, so all three are its own. */
export function FileInput({ onFile, accept, fileName, disabled = false }: FileInputProps) {
  const control = useFieldControl();
  const [over, setOver] = useState(false);
  return (
    <div
      className={clsx(
        'relative flex min-h-24 flex-col items-center justify-center gap-1 rounded-field border border-dashed px-4 py-5 text-center transition-colors duration-120',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sapin',
        over ? 'border-sapin bg-sapin-tint' : 'border-edge bg-well/50 hover:bg-well',
        control['aria-invalid'] && 'border-danger',
        disabled && 'opacity-55',
      )}
    >
      <Upload aria-hidden className="size-5 text-encre-faint" />
      <span className="text-base font-medium">{fileName ?? 'Choisir un fichier'}</span>
      <span className="text-sm text-encre-faint">ou le déposer ici</span>
      <input
        {...control}
        type="file"
        accept={accept}
        disabled={disabled}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The same file may be chosen again after a refusal: the input forgets it.
          event.currentTarget.value = '';
          if (file) onFile(file);
        }}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
    </div>
  );
}
