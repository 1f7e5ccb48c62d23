import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'size'> {
  open?: boolean;
  onClose: () => void;
  /** The words of the button that sends the form: « Enregistrer » unless said otherwise. */
  action?: string | undefined;
  /** What was sent is on its way. */
  pending: boolean;
  /** Holds the form, whose `id` is the given one; a text of several lines may stand before it. */
  children: (formId: string) => ReactNode;
}

/** A dialog around one form: « Annuler », and the button that sends it. It stays while what it sent is on its way. */
export function FormDialog({ open = true, onClose, action, pending, children, ...dialog }: FormDialogProps) {
  const { t } = useTranslation();
  const formId = useId();
  return (
    <Dialog
      {...dialog}
      open={open}
      onOpenChange={(next) => !next && !pending && onClose()}
      footer={
        <>
          <Button onClick={onClose} disabled={pending}>
            {t('Annuler')}
          </Button>
          <Button type="submit" form={formId} variant="primary" pending={pending}>
            {action ?? t('Enregistrer')}
          </Button>
        </>
      }
    >
      {children(formId)}
    </Dialog>
  );
}
