import { optionalLine, optionalText, requiredText } from '@parrain/domain/forms/fields';
import { notesLengthMax, reasonLengthMax, settlementReferenceLengthMax } from '@parrain/domain/forms/limits';
import { zodResolver } from '@hookform/resolvers/zod';
import { associationNumber, type Settlement } from '@parrain/domain/forms/payment-decision';
import {
  approvalAnnulled,
  cancellationReasonRequired,
  refusalReasonRequired,
  requestApproved,
  requestPaid,
  requestRejected,
  updateFailed,
} from '@parrain/domain/messages';
import { accountChecked, accountCheckRequired, paymentReturned } from '@parrain/domain/payment-messages';
import { isNever } from '@parrain/domain/never';
import { stops } from '@parrain/domain/standing';
import { formatEuros } from '@parrain/domain/money';
import {
  canMovePaymentRequest,
  mayComeBack,
  paymentMethodLabel,
  type PaymentMethod,
  type PaymentRequest,
  type PaymentRequestStatus,
} from '@parrain/domain/payment-request';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { annulApproval } from '#api/payments/annul-approval';
import { reasonOf } from '#api/transport/api-error';
import { decidePaymentRequest } from '#api/payments/decide-payment-request';
import { sendIbanCheck } from '#api/payments/lift-iban-wait';
import { returnPayment } from '#api/payments/return-payment';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { ofName } from '@parrain/domain/of-name';
import { withVat } from '@parrain/domain/vat';
import { VatNote } from '../../parts/vat-note.tsx';
import { PaymentDetails } from './payment-details.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { PaymentDayField, usePaymentDay } from '../parts/payment-day.tsx';
import { ReturnDialog } from '../parts/return-dialog.tsx';
import { StandingNotice } from '../parts/standing.tsx';

export interface RequestDecision {
  request: PaymentRequest;
  to: PaymentRequestStatus;
}

const decisionOrder = [
  'returned',
  'rejected',
  'pending',
  'approved',
  'paid',
] as const satisfies readonly PaymentRequestStatus[];

/** The buttons of a request, in their order; those that take something back stand first, and quieter. */
export function decisionsOn(request: PaymentRequest): readonly PaymentRequestStatus[] {
  return decisionOrder.filter(
    (to) =>
      canMovePaymentRequest('admin', request.status, to) &&
      (to !== 'returned' || mayComeBack(request)) &&
      // A request that a batch pays is decided there.
      ((to !== 'paid' && to !== 'pending') || request.standing?.every(({ code }) => code !== 'batch') !== false),
  );
}

export function isBackward(to: PaymentRequestStatus): boolean {
  return to === 'rejected' || to === 'pending' || to === 'returned';
}

export interface DecisionDialogProps {
  decision: RequestDecision;
  onClose: () => void;
}

/** Before a decision on a payment: who receives what, by which way (V-05, S-09). */
export function DecisionDialog({ decision, onClose }: DecisionDialogProps) {
  const toast = useToast();
  const { t } = useTranslation();
  const { request, to } = decision;
  const move = useMutation({
    mutationFn: async ({ text, settlement, check, day }: Confirmed) => {
      if (check !== null) await sendIbanCheck(request.id, check);
      const seen = { requestId: request.id, seenVersion: request.version };
      if (to === 'pending') return annulApproval({ ...seen, reason: text ?? '' });
      if (to === 'returned') return returnPayment({ ...seen, reason: text ?? '', returnedOn: day });
      return decidePaymentRequest(
        to === 'rejected'
          ? { status: to, ...seen, adminNotes: null, rejectionReason: text ?? '' }
          : { status: to, ...seen, expectedAmount: withVat(request), adminNotes: text, settlement, paidOn: day },
      );
    },
    onSuccess: () => {
      toast.success(t(doneMessages[to]));
      onClose();
    },
    // The screen may be stale: the list is read again behind the refusal.
    onError: refresh,
  });
  const parts = {
    request,
    pending: move.isPending,
    error: move.isError ? `${t(updateFailed)} : ${reasonOf(move.error)}` : undefined,
    onConfirm: (text: string | null, said: Partial<Confirmed> = {}) =>
      move.mutate({ text, settlement: null, check: null, day: null, ...said }),
    onClose,
  };
  if (to === 'rejected') return <Refusal {...parts} />;
  if (to === 'pending') return <Annulment {...parts} />;
  if (to === 'returned')
    return (
      <ReturnDialog
        {...parts}
        clientName={request.client?.fullName ?? ''}
        amount={withVat(request)}
        onConfirm={(reason, day) => parts.onConfirm(reason, { day })}
      />
    );
  return to === 'approved' ? <Approval {...parts} /> : <Payment {...parts} />;
}

const doneMessages = {
  pending: approvalAnnulled,
  approved: requestApproved,
  rejected: requestRejected,
  paid: requestPaid,
  returned: paymentReturned,
} as const;

interface Confirmed {
  text: string | null;
  settlement: Settlement | null;
  /** Note on how an account that still waits was verified (DF-03). */
  check: string | null;
  /** Day of the payment or of the return (AC-01). */
  day: string | null;
}

interface PartProps {
  request: PaymentRequest;
  pending: boolean;
  error: string | undefined;
  onConfirm: (text: string | null, said?: Partial<Confirmed>) => void;
  onClose: () => void;
}

function Approval({ request, pending, error, onConfirm, onClose }: PartProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Approuver la demande {{ofName}} ?', { ofName: ofName(request.client?.fullName ?? '') })}
      description={t(
        'Le montant reste réservé jusqu’au paiement. L’approbation peut être annulée tant que rien n’est payé.',
      )}
      confirmLabel={t('Approuver {{amount}}', { amount: formatEuros(withVat(request)) })}
      confirmDisabled={request.standing?.some((one) => stops(one, 'approved'))}
      pending={pending}
      error={error}
      onConfirm={() => onConfirm(null)}
    >
      <WhoReceivesWhat request={request} />
      <StandingNotice standing={request.standing} decision="approved" clientId={request.clientId} />
    </ConfirmDialog>
  );
}

function Refusal({ request, pending, error, onConfirm, onClose }: PartProps) {
  const { t } = useTranslation();
  return (
    <ReasonDialog
      title={t('Refuser la demande {{ofName}} ?', { ofName: ofName(request.client?.fullName ?? '') })}
      description={t('{{amount}} redeviennent disponibles pour le client.', { amount: formatEuros(request.amount) })}
      reasonLabel={t('Raison du refus')}
      hint={t('Le client la lit.')}
      requiredMessage={refusalReasonRequired}
      confirmLabel={t('Refuser la demande')}
      pending={pending}
      error={error}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}

/** FX-10: until the money has left. */
function Annulment({ request, pending, error, onConfirm, onClose }: PartProps) {
  const { t } = useTranslation();
  return (
    <ReasonDialog
      title={t('Annuler l’approbation de la demande {{ofName}} ?', { ofName: ofName(request.client?.fullName ?? '') })}
      description={t(
        'À faire tant que le paiement n’est pas parti. La demande attend une nouvelle décision, et {{amount}} restent réservés au client.',
        { amount: formatEuros(request.amount) },
      )}
      reasonLabel={t('Raison de l’annulation')}
      hint={t('Le client peut la lire.')}
      requiredMessage={cancellationReasonRequired}
      confirmLabel={t('Annuler l’approbation')}
      cancelLabel={t('Ne rien changer')}
      pending={pending}
      error={error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <WhoReceivesWhat request={request} />
    </ReasonDialog>
  );
}

const paymentForm = z.object({
  notes: optionalText(notesLengthMax),
  reference: optionalLine(settlementReferenceLengthMax),
  name: optionalLine(),
  number: associationNumber,
  check: optionalText(reasonLengthMax),
});
/** DF-03: where the account still waits, how it was verified. */
const checkedPaymentForm = z.extend(paymentForm, { check: requiredText(accountCheckRequired, reasonLengthMax) });

function Payment({ request, pending, error, onConfirm, onClose }: PartProps) {
  const { t } = useTranslation();
  const { paymentDetails: details, standing = [] } = request;
  const kind = details.method;
  const choice = usePaymentDay();
  const waits = standing.some(({ code }) => code === 'iban');
  const isRefused = standing.some((one) => one.code === 'iban' && isNever(one.from));
  const isStopped = standing.some((one) => one.code !== 'iban' && stops(one, 'paid'));
  const form = useForm({
    resolver: zodResolver(waits ? checkedPaymentForm : paymentForm),
    mode: 'onTouched',
    defaultValues: {
      notes: '',
      reference: '',
      name: details.method === 'association' ? details.associationName : '',
      number: '',
      check: waits && !isRefused ? accountChecked : '',
    },
  });
  const submit = form.handleSubmit(({ notes: text, reference, name, number, check }) => {
    const association = kind === 'association' && name !== null ? { name, number } : null;
    const settlement = reference === null && association === null ? null : { reference, association };
    onConfirm(text, { settlement, check, day: choice.day });
  });
  const { errors } = form.formState;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Confirmer le paiement à {{name}} ?', { name: request.client?.fullName ?? '' })}
      description={t('À faire une fois le paiement parti : cette décision est définitive.')}
      confirmLabel={t(
        isRefused ? 'Lever le refus et marquer payé' : waits ? 'Lever l’attente et marquer payé' : 'Marquer payé',
      )}
      confirmDisabled={isStopped || choice.day === null}
      pending={pending}
      error={error}
      onConfirm={() => void submit()}
    >
      <WhoReceivesWhat request={request} />
      <StandingNotice standing={standing} decision="paid" clientId={request.clientId} />
      <PaymentDetails request={request} />
      <form method="post" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {waits && (
          <Field
            label={t(
              isRefused
                ? 'Payer malgré le refus de la banque : comment le compte a été vérifié'
                : 'Payer avant l’échéance : comment le compte a été vérifié',
            )}
            hint={t('Inscrit au journal ; le client en est prévenu.')}
            error={errors.check?.message}
          >
            <TextInput autoComplete="off" {...form.register('check')} />
          </Field>
        )}
        {kind === 'association' && (
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={t('Association')} optional error={errors.name?.message}>
              <TextInput autoComplete="off" {...form.register('name')} />
            </Field>
            <Field label={t('RNA ou SIREN')} optional error={errors.number?.message}>
              <TextInput autoComplete="off" {...form.register('number')} />
            </Field>
          </div>
        )}
        <PaymentDayField label={t('Date du paiement')} choice={choice} />
        {kind !== 'virement' && (
          <Field
            label={t('Référence')}
            optional
            hint={t(
              '{{what}} Sans référence, la pièce du paiement n’en porte pas ; elle peut être ajoutée ensuite à la demande.',
              {
                what: t(referenceHints[details.method]),
              },
            )}
            error={errors.reference?.message}
          >
            <TextInput autoComplete="off" {...form.register('reference')} />
          </Field>
        )}
        <Field
          label={t('Notes')}
          optional
          hint={
            kind === 'virement'
              ? t('Référence du virement… Le client peut les lire.')
              : t('Le client peut les lire. Un justificatif pourra être joint ensuite.')
          }
          error={errors.notes?.message}
        >
          <Textarea rows={2} {...form.register('notes')} />
        </Field>
      </form>
    </ConfirmDialog>
  );
}

const referenceHints: Readonly<Record<PaymentMethod, string>> = {
  virement: '',
  cheque_cadeau: 'Le numéro du chèque ou de la commande.',
  association: 'Le numéro du reçu ou du virement.',
  remise_societe: 'Le numéro de la facture ou de l’avoir.',
};

function WhoReceivesWhat({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  return (
    <div className="flex items-start justify-between gap-4 rounded-field border border-sapin/35 bg-sapin-tint px-4 py-3">
      <p className="min-w-0">
        <span className="font-medium break-words">{request.client?.fullName ?? '—'}</span>
        <span className="block text-sm text-encre-soft">{t(paymentMethodLabel(request.paymentMethod))}</span>
      </p>
      <div className="shrink-0 text-right">
        <Amount cents={request.amount} className="font-heading text-lg font-semibold" />
        <VatNote {...request} />
      </div>
    </div>
  );
}
