import { useId, type BaseSyntheticEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Notice } from './notice.tsx';

interface SharedProps extends Pick<DialogProps, 'title' | 'description' | 'size'> {
  open?: boolean;
  onClose: () => void;
  /** The words of the button that sends the form: « Enregistrer » unless said otherwise. */
  action?: string | undefined;
  /** True while what was sent is on its way. */
  pending: boolean;
}

interface FieldsProps extends SharedProps {
  onSubmit: (event: BaseSyntheticEvent) => unknown;
  /** Why what was sent was refused: stands over the fields. */
  failure?: string | undefined;
  /** Title of a refusal, over its reason. */
  failureTitle?: string | undefined;
  /** The fields. */
  children: ReactNode;
}

interface OwnFormProps extends SharedProps {
  onSubmit?: undefined;
  /** Holds a form of its own, whose `id` is the given one; a text of several lines may stand before it. */
  children: (formId: string) => ReactNode;
}

export type FormDialogProps = FieldsProps | OwnFormProps;

/** A dialog around one form: « Annuler », and the button that sends it. It stays while what it sent is on its way. */
export function FormDialog(props: FormDialogProps) {
  const { open = true, onClose, action, pending, title, description, size } = props;
  const { t } = useTranslation();
  const formId = useId();
  return (
    <Dialog
      title={title}
      description={description}
      size={size}
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
      {props.onSubmit === undefined ? (
        props.children(formId)
      ) : (
        <form
          method="post"
          id={formId}
          noValidate
          className="flex flex-col gap-5"
          onSubmit={(event) => void props.onSubmit(event)}
        >
          {props.failure !== undefined && (
            <Notice tone="error" title={props.failureTitle}>
              {props.failure}
            </Notice>
          )}
          {props.children}
        </form>
      )}
    </Dialog>
  );
}
