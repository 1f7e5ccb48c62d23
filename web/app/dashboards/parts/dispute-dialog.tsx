import { zodResolver } from '@hookform/resolvers/zod';
import {
  adjustmentAnnulled,
  disputeAnswered,
  disputeClosed,
  disputeOpened,
  formatSignedEuros,
} from '@parrain/domain/dispute';
import {
  adjustmentDirectionLabels,
  adjustmentDirections,
  adjustmentOf,
  disputeReplyForm,
} from '@parrain/domain/forms/dispute';
import { notesLengthMax } from '@parrain/domain/forms/limits';
import { parseEuros, type Cents } from '@parrain/domain/money';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { accountLineQuery, type AccountLine } from '#api/payments/account-lines';
import {
  annulAdjustment,
  answerDispute,
  closeDispute,
  disputeQuery,
  openDispute,
  type DisputeThread,
} from '#api/payments/disputes';
import { namesQuery } from '#api/people/names';
import { isGone, messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { useDraft } from '#api/transport/use-draft';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { Skeleton } from '#ui/skeleton';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { AccountOperation } from './account-operation.tsx';
import { ProposedAdjustment } from './proposed-adjustment.tsx';

export type DisputeDialogProps = { onClose: () => void } & (
  | { disputeId: string }
  /** A line that nobody has questioned yet. */
  | { line: AccountLine }
);

/** LG-06: a line of an account, and what its payee and the company say of it until it is closed. */
export default function DisputeDialog(props: DisputeDialogProps) {
  return 'line' in props ? <NewDispute {...props} /> : <Thread {...props} />;
}

function NewDispute({ line, onClose }: { line: AccountLine; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const sending = useMutation({
    mutationFn: (message: string) => openDispute(line.id, message),
    onSuccess: () => {
      toast.success(t(disputeOpened), { description: t('L’entreprise vous répondra ici, et vous en serez averti.') });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={() => !sending.isPending && onClose()}
      title={t('Contester cette ligne')}
      description={t('Dites ce qui ne vous semble pas juste : l’entreprise le lit et vous répond.')}
      footer={
        <>
          <Button onClick={onClose} disabled={sending.isPending}>
            {t('Annuler')}
          </Button>
          <Button variant="primary" type="submit" form={formId} pending={sending.isPending}>
            {t('Envoyer')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Line line={line} />
        <MessageForm
          about={line.id}
          onSend={({ message }) => sending.mutate(message)}
          error={sending.isError ? messageOf(sending.error, t('Erreur lors de l’envoi')) : undefined}
        />
      </div>
    </Dialog>
  );
}

function Thread({ disputeId, onClose }: { disputeId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { role } = useProfile();
  const found = useQuery(disputeQuery(disputeId));
  const dispute = found.data;
  const line = useQuery({
    ...accountLineQuery(dispute?.payeeId ?? '', dispute?.entryId ?? ''),
    enabled: dispute !== undefined && dispute.entryId !== null,
  });
  const isAdmin = role === 'admin';
  const sending = useMutation({
    mutationFn: ({
      reply: { message, adjustment },
      seen,
      closes,
    }: {
      reply: DisputeReply;
      seen: DisputeThread;
      closes: boolean;
    }) =>
      seen.closedAt !== null
        ? annulAdjustment(seen, message)
        : closes
          ? closeDispute(seen, message, adjustment)
          : answerDispute(seen.id, message),
    onSuccess: (_done, { seen, closes }) => {
      toast.success(t(seen.closedAt !== null ? adjustmentAnnulled : closes ? disputeClosed : disputeAnswered));
      if (closes || seen.closedAt !== null) onClose();
    },
    // The thread may have gone on: it is read again behind the refusal.
    onError: refresh,
  });
  const send = (reply: DisputeReply, done: () => void, closes: boolean) =>
    dispute && sending.mutate({ reply, seen: dispute, closes }, { onSuccess: done });
  const error = sending.isError ? messageOf(sending.error, t('Erreur lors de l’envoi')) : undefined;
  const [adjustment, setAdjustment] = useState<Cents | null>(null);
  const [isAnnulling, setIsAnnulling] = useState(false);
  const mayAnnul = isAdmin && (dispute?.adjustment ?? null) !== null && dispute?.adjustmentAnnulledAt === null;
  if (isAdmin && dispute?.openedBy && dispute.closedAt === null) {
    return <ProposedAdjustment dispute={dispute} onClose={onClose} />;
  }
  return (
    <Dialog
      open
      onOpenChange={() => !sending.isPending && onClose()}
      title={
        dispute?.openedBy
          ? t('Ajustement du compte')
          : isAdmin && dispute?.payeeName
            ? t('Contestation de {{name}}', { name: dispute.payeeName })
            : t('Ma contestation')
      }
      footer={
        dispute?.closedAt === null ? (
          <>
            <Button type="submit" form={formId} value="answer" disabled={sending.isPending || adjustment !== null}>
              {isAdmin ? t('Répondre') : t('Envoyer')}
            </Button>
            {isAdmin && (
              <Button variant="primary" type="submit" form={formId} value="close" pending={sending.isPending}>
                {adjustment === null
                  ? t('Répondre et clore')
                  : t('Clôturer et ajuster de {{amount}}', { amount: formatSignedEuros(adjustment) })}
              </Button>
            )}
          </>
        ) : isAnnulling ? (
          <>
            <Button onClick={() => setIsAnnulling(false)} disabled={sending.isPending}>
              {t('Garder l’ajustement')}
            </Button>
            <Button variant="danger" type="submit" form={formId} pending={sending.isPending}>
              {t('Annuler l’ajustement')}
            </Button>
          </>
        ) : (
          <>
            {mayAnnul && <Button onClick={() => setIsAnnulling(true)}>{t('Annuler l’ajustement')}</Button>}
            <Button onClick={onClose}>{t('Fermer')}</Button>
          </>
        )
      }
    >
      {dispute === undefined ? (
        isGone(found.error) ? (
          <Notice>{t('Cette contestation n’existe plus.')}</Notice>
        ) : (
          <Skeleton className="h-40 w-full" />
        )
      ) : (
        <div className="flex flex-col gap-5">
          {line.data && <Line line={line.data} />}
          <Messages dispute={dispute} />
          {dispute.closedAt === null ? (
            <MessageForm
              about={dispute.id}
              onSend={send}
              error={error}
              onAdjust={isAdmin ? setAdjustment : undefined}
            />
          ) : (
            <>
              <Outcome dispute={dispute} />
              {isAnnulling && (
                <MessageForm
                  about={dispute.id}
                  onSend={send}
                  error={error}
                  label={t('Raison, dite à la personne et sur son relevé')}
                />
              )}
            </>
          )}
        </div>
      )}
    </Dialog>
  );
}

const formId = 'message-de-contestation';

/** The line that is questioned. */
function Line({ line }: { line: AccountLine }) {
  return (
    <div className="flex items-baseline justify-between gap-4 rounded-field border border-hairline bg-papier px-4 py-3">
      <div className="min-w-0">
        <AccountOperation line={line} />
        <DateText value={line.at} withTime className="text-sm text-encre-faint" />
      </div>
      <Amount cents={line.change} signed className="shrink-0 font-medium" />
    </div>
  );
}

function Messages({ dispute }: { dispute: DisputeThread }) {
  const { t } = useTranslation();
  const me = useProfile();
  const ids = [...new Set(dispute.messages.map(({ authorId }) => authorId))];
  const { data: names } = useQuery({ ...namesQuery(ids), enabled: me.role === 'admin' });
  const nameOf = (authorId: string) => {
    if (authorId === me.id) return t('Vous');
    if (me.role !== 'admin') return t('L’entreprise');
    return authorId === dispute.payeeId ? (dispute.payeeName ?? '—') : (names?.get(authorId) ?? t('L’entreprise'));
  };
  return (
    <ol aria-label={t('Messages')} className="flex flex-col gap-3">
      {dispute.messages.map((message) => (
        <li
          key={message.id}
          className={
            message.authorId === dispute.payeeId
              ? 'mr-6 rounded-field border border-hairline bg-sheet px-4 py-3'
              : 'ml-6 rounded-field bg-sapin-tint px-4 py-3'
          }
        >
          <p className="text-sm text-encre-soft">
            <span className="font-medium text-encre">{nameOf(message.authorId)}</span> ·{' '}
            <DateText value={message.at} withTime />
          </p>
          <p className="mt-1 break-words whitespace-pre-line">{message.body}</p>
        </li>
      ))}
    </ol>
  );
}

/** Closing of a dispute: its instant, and what came of it. */
function Outcome({ dispute: { closedAt, openedBy, adjustment, adjustmentAnnulledAt } }: { dispute: DisputeThread }) {
  const { t } = useTranslation();
  return (
    <div className="text-sm text-encre-soft">
      {adjustment !== null && (
        <p>
          {t('Compte ajusté de')} <Amount cents={adjustment} signed className="font-medium text-encre" />
        </p>
      )}
      {adjustmentAnnulledAt !== null && (
        <p>
          {t('Ajustement annulé le')} <DateText value={adjustmentAnnulledAt} withTime />
        </p>
      )}
      <p>
        {openedBy === null ? t('Contestation close le') : t('Le')} <DateText value={closedAt ?? ''} withTime />
      </p>
    </div>
  );
}

interface DisputeReply {
  message: string;
  /** Of a closing alone; null for none. */
  adjustment: Cents | null;
}

/** One message, of the company with what it adjusts; the button that sends it says whether it is the last. */
function MessageForm({
  about,
  onSend,
  onAdjust,
  error,
  label,
}: {
  /** The line or the dispute that it is about. */
  about: string;
  onSend: (reply: DisputeReply, done: () => void, closes: boolean) => void;
  /** Tells the adjustment as it is typed; none may be given where it is left out. */
  onAdjust?: ((adjustment: Cents | null) => void) | undefined;
  error: string | undefined;
  label?: string;
}) {
  const { t } = useTranslation();
  const form = useForm({
    resolver: zodResolver(disputeReplyForm),
    mode: 'onSubmit',
    defaultValues: { message: '', direction: 'none' as (typeof adjustmentDirections)[number], amount: '' },
  });
  const { errors } = form.formState;
  const direction = useWatch({ control: form.control, name: 'direction' }) ?? 'none';
  const amount = useWatch({ control: form.control, name: 'amount' }) ?? '';
  useDraft(form, `dispute/${about}`);
  useEffect(() => {
    onAdjust?.(adjustmentOf({ direction, amount: parseEuros(amount) }));
  }, [onAdjust, direction, amount]);
  return (
    <form
      method="post"
      id={formId}
      noValidate
      onSubmit={(event) => {
        const { submitter } = event.nativeEvent;
        const closes = submitter instanceof HTMLButtonElement && submitter.value === 'close';
        void form.handleSubmit((fields) =>
          onSend({ message: fields.message, adjustment: adjustmentOf(fields) }, () => form.reset(), closes),
        )(event);
      }}
    >
      <Field label={label ?? t('Votre message')} error={errors.message?.message}>
        <Textarea rows={4} counterMax={notesLengthMax} {...form.register('message')} />
      </Field>
      {onAdjust && (
        <RadioGroup
          className="mt-4"
          look="segmented"
          legend={t('Ajuster le compte')}
          options={adjustmentDirections.map((value) => ({ value, label: t(adjustmentDirectionLabels[value]) }))}
          {...form.register('direction')}
        />
      )}
      {onAdjust && direction !== 'none' && (
        <Field
          className="mt-3"
          label={direction === 'more' ? t('Montant à ajouter') : t('Montant à retirer')}
          hint={t('Une opération de son relevé, avec votre message pour raison. La contestation est alors close.')}
          error={errors.amount?.message}
        >
          {/* An amount typed and no longer shown is not sent. */}
          <AmountInput {...form.register('amount', { shouldUnregister: true })} />
        </Field>
      )}
      {error && (
        <Notice tone="error" className="mt-3">
          {error}
        </Notice>
      )}
    </form>
  );
}
