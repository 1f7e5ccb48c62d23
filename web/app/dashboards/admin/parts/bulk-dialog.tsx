import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { oneByOne } from '#api/transport/one-by-one';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';

export interface BulkDialogProps<Row extends { id: string }, Input> {
  /** As they were seen when they were selected. */
  rows: readonly Row[];
  /** Count and amount, before anything is done. */
  title: string;
  description: ReactNode;
  tone: 'primary' | 'danger';
  confirmLabel: string;
  /** Some input is missing: nothing can be confirmed. */
  confirmDisabled?: boolean | undefined;
  /** Checks what the form says: calls back with it where it holds. */
  submit: (go: (input: Input) => void) => void;
  /** The act on one of them: a transaction of its own. */
  act: (row: Row, input: Input) => Promise<unknown>;
  /** Names one that was left out: « Léa Martin, 120,00 € ». */
  name: (row: Row) => ReactNode;
  /** « Laissées de côté : 1 sur 6 ». */
  leftTitle: (left: number, all: number) => string;
  /** These are done: they leave the selection. */
  onDone: (rows: readonly Row[]) => void;
  onClose: () => void;
  children: ReactNode;
}

/** NV-04: one act on many rows: how many and how much before it, one outcome a row after it, those left out named. */
export function BulkDialog<Row extends { id: string }, Input>(props: BulkDialogProps<Row, Input>) {
  const { rows, title, description, tone, confirmLabel, confirmDisabled, submit, act, name, leftTitle } = props;
  const { onDone, onClose, children } = props;
  const { t } = useTranslation();
  const [behind, setBehind] = useState(0);
  const [left, setLeft] = useState<readonly { row: Row; reason: string }[]>([]);
  const acting = useMutation({
    mutationFn: (input: Input) => oneByOne(rows, (row) => act(row, input), setBehind),
    onSuccess: (outcomes) => {
      const failed = outcomes.flatMap((one) => (one.isDone ? [] : [{ row: one.item, reason: reasonOf(one.error) }]));
      const done = outcomes.flatMap((one) => (one.isDone ? [one.item] : []));
      if (done.length > 0) onDone(done);
      if (failed.length === 0) onClose();
      else setLeft(failed);
    },
  });
  const confirm = () => submit((input) => acting.mutate(input));
  const isOver = left.length > 0;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      isWide
      isOver={isOver}
      tone={tone}
      title={title}
      description={description}
      confirmLabel={acting.isPending ? `${behind} / ${rows.length}` : confirmLabel}
      cancelLabel={isOver ? t('Fermer') : t('Annuler')}
      confirmDisabled={confirmDisabled}
      pending={acting.isPending}
      error={acting.isError ? reasonOf(acting.error) : undefined}
      onConfirm={confirm}
    >
      {isOver ? (
        <Notice tone="warning" title={leftTitle(left.length, rows.length)}>
          <ul className="mt-1 grid gap-1.5">
            {left.map(({ row, reason }) => (
              <li key={row.id} className="break-words">
                {name(row)} : {reason}
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <form
          method="post"
          noValidate
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            confirm();
          }}
        >
          {children}
        </form>
      )}
    </ConfirmDialog>
  );
}
