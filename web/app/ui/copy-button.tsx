import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button, type ButtonSize } from './button.tsx';
import { copyText } from './copy-text.ts';

export interface CopyButtonProps {
  /** The text that goes to the clipboard. */
  text: string;
  label?: string | undefined;
  copiedLabel?: string | undefined;
  size?: ButtonSize;
}

/** Copies a text and says that it did; where the clipboard is closed, says so too. */
export function CopyButton({ text, label = 'Copier', copiedLabel = 'Copié', size = 'sm' }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  return (
    <Button
      size={size}
      icon={state === 'copied' ? <Check /> : <Copy />}
      onClick={() => {
        copyText(text).then(
          () => setState('copied'),
          () => setState('refused'),
        );
        setTimeout(() => setState('idle'), 2500);
      }}
    >
      <span aria-live="polite">{state === 'idle' ? label : state === 'copied' ? copiedLabel : 'Copie impossible'}</span>
    </Button>
  );
}
