import { Share2 } from 'lucide-react';
import { Button } from './button.tsx';
import { CopyButton, type CopyButtonProps } from './copy-button.tsx';

export interface ShareButtonProps extends CopyButtonProps {
  /** The button's word where the device has a share sheet; else it copies, under the other label. */
  shareLabel?: string | undefined;
  /** Names what is shared, where the sheet shows a name. */
  title: string;
}

/** Hands a text to the device's share sheet (a message, an e-mail); copies it where there is none. */
export function ShareButton({ shareLabel = 'Partager', title, ...copy }: ShareButtonProps) {
  if (!('share' in navigator)) return <CopyButton {...copy} />;
  return (
    <Button
      size="sm"
      icon={<Share2 />}
      onClick={() => {
        // Closing the sheet without a choice is no failure.
        navigator.share({ title, text: copy.text }).catch(() => undefined);
      }}
    >
      {shareLabel}
    </Button>
  );
}
