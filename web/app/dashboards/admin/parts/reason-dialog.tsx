import { zodResolver } from '@hookform/resolvers/zod';
import { requiredText } from '@parrain/domain/forms/fields';
import { reasonLengthMax } from '@parrain/domain/forms/limits';
import { useMemo, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { useDraft } from '#api/transport/use-draft';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { Textarea } from '#ui/textarea';

export interface ReasonDialogProps {
  title: string;
  description: ReactNode;
  children?: ReactNode;
  /** Fields after the reason, which is asked first. */
  after?: ReactNode;
  reasonLabel: string;
  hint?: string | undefined;
  /** Initial text of the field. */
  initial?: string | undefined;
  /** Said where no reason is given: « Veuillez indiquer la raison du refus ». */
  requiredMessage: string;
  confirmLabel: string;
  cancelLabel?: string | undefined;
  tone?: 'danger' | 'primary' | undefined;
  pending: boolean;
  confirmDisabled?: boolean | undefined;
  error: string | undefined;
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** A decision that must say why (V-04, V-05, S-11, UI-11). */
export function ReasonDialog({
  reasonLabel,
  hint,
  initial = '',
  requiredMessage,
  onConfirm,
  onClose,
  children,
  after,
  ...dialog
}: ReasonDialogProps) {
  const schema = useMemo(() => z.object({ reason: requiredText(requiredMessage, reasonLengthMax) }), [requiredMessage]);
  const form = useForm({ resolver: zodResolver(schema), mode: 'onTouched', defaultValues: { reason: initial } });
  useDraft(form, `reason/${dialog.title}`);
  const submit = form.handleSubmit(({ reason }) => onConfirm(reason));
  return (
    <ConfirmDialog {...dialog} open onOpenChange={onClose} onConfirm={() => void submit()}>
      {children}
      <form method="post" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={reasonLabel} hint={hint} error={form.formState.errors.reason?.message}>
          <Textarea rows={3} counterMax={reasonLengthMax} {...form.register('reason')} />
        </Field>
        {after}
      </form>
    </ConfirmDialog>
  );
}
