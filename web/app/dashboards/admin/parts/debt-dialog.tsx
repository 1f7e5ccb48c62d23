import { zodResolver } from '@hookform/resolvers/zod';
import { debtReasonRequired, repaymentMethodLabels, repaymentMethods } from '@parrain/domain/debt';
import { adjustmentDirectionLabels } from '@parrain/domain/forms/dispute';
import { repaymentFields, startedAdjustmentFields, startedDirections, waiverFields } from '@parrain/domain/forms/debt';
import { reasonLengthMax } from '@parrain/domain/forms/limits';
import { formatEuros, toWire } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { annulDebtAct, repayDebt, startAdjustment, waiveDebt, type SeenAccount } from '#api/payments/debt-acts';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { RadioGroup } from '#ui/radio-group';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import type { OpenAct } from './account-acts.tsx';
import { PaymentDayField, usePaymentDay } from './payment-day.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

interface ActDialogProps {
  seen: SeenAccount;
  name: string;
  onClose: () => void;
}

/** AC-05: one act on a payee's account, with what it changes. */
export default function DebtDialog({ open, ...props }: ActDialogProps & { open: OpenAct }) {
  if (open === 'repay') return <Repayment {...props} />;
  if (open === 'waive') return <Waiver {...props} />;
  if (open === 'adjust') return <Adjustment {...props} />;
  return <Annulment {...props} act={open.annuls} />;
}

/** Sends an act, says what became of it and closes; the account is read again behind a refusal. */
function useAct<Given>(act: (given: Given) => Promise<string>, onClose: () => void) {
  const { t } = useTranslation();
  const toast = useToast();
  const sending = useMutation({
    mutationFn: act,
    onSuccess: (message) => {
      toast.success(t(message));
      onClose();
    },
    onError: refresh,
  });
  const failure = sending.isError ? messageOf(sending.error, t('Erreur lors de l’envoi')) : undefined;
  return { send: sending.mutate, pending: sending.isPending, failure };
}

/** Amount as a field has it: « 40,00 ». */
const typed = (cents: bigint): string => toWire(cents).replace('.', ',');

function Repayment({ seen, name, onClose }: ActDialogProps) {
  const { t } = useTranslation();
  const choice = usePaymentDay();
  const form = useForm({
    resolver: zodResolver(repaymentFields),
    mode: 'onTouched',
    defaultValues: {
      amount: typed(seen.debt),
      method: 'virement',
      reference: '',
    },
  });
  const { send, pending, failure } = useAct((paid: Parameters<typeof repayDebt>[1]) => repayDebt(seen, paid), onClose);
  const { errors } = form.formState;
  return (
    <FormDialog
      title={t('Enregistrer un remboursement')}
      description={t('{{name}} doit {{debt}}. Notez ce que vous avez reçu : un reçu est prêt aussitôt.', {
        name,
        debt: formatEuros(seen.debt),
      })}
      pending={pending}
      failure={failure}
      onClose={onClose}
      onSubmit={form.handleSubmit((paid) => choice.day !== null && send({ ...paid, paidOn: choice.day }))}
    >
      <Field label={t('Montant reçu')} error={errors.amount?.message}>
        <AmountInput {...form.register('amount')} />
      </Field>
      <RadioGroup
        legend={t('Moyen')}
        look="segmented"
        options={repaymentMethods.map((value) => ({ value, label: t(repaymentMethodLabels[value]) }))}
        {...form.register('method')}
      />
      <PaymentDayField
        label={t('Jour du remboursement')}
        hint={t('Le relevé et le journal comptable suivent ce jour.')}
        choice={choice}
      />
      <Field label={t('Référence (facultatif)')} error={errors.reference?.message}>
        <TextInput {...form.register('reference')} />
      </Field>
    </FormDialog>
  );
}

function Waiver({ seen, name, onClose }: ActDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    resolver: zodResolver(waiverFields),
    mode: 'onTouched',
    defaultValues: { amount: typed(seen.debt), reason: '' },
  });
  const { send, pending, failure } = useAct(
    ({ amount, reason }: { amount: bigint; reason: string }) => waiveDebt(seen, amount, reason),
    onClose,
  );
  const { errors } = form.formState;
  return (
    <FormDialog
      title={t('Abandonner la dette {{ofName}} ?', { ofName: ofName(name) })}
      description={t(
        'Vous ne lui demanderez plus ce montant. Au-dessus du montant de la double validation, un autre administrateur doit le confirmer.',
      )}
      action={t('Abandonner la dette')}
      pending={pending}
      failure={failure}
      onClose={onClose}
      onSubmit={form.handleSubmit((given) => send(given))}
    >
      <Field
        label={t('Montant abandonné')}
        hint={t('Dette actuelle : {{debt}}', { debt: formatEuros(seen.debt) })}
        error={errors.amount?.message}
      >
        <AmountInput {...form.register('amount')} />
      </Field>
      <Field label={t('Raison, dite à la personne et sur son relevé')} error={errors.reason?.message}>
        <Textarea rows={3} counterMax={reasonLengthMax} {...form.register('reason')} />
      </Field>
    </FormDialog>
  );
}

function Adjustment({ seen, name, onClose }: ActDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    resolver: zodResolver(startedAdjustmentFields),
    mode: 'onTouched',
    defaultValues: { direction: 'more', amount: '', reason: '' },
  });
  const { send, pending, failure } = useAct(
    ({ adjustment, reason }: { adjustment: bigint; reason: string }) => startAdjustment(seen, adjustment, reason),
    onClose,
  );
  const { errors } = form.formState;
  return (
    <FormDialog
      title={t('Ajuster le solde {{ofName}}', { ofName: ofName(name) })}
      description={t(
        'Une opération de son relevé, avec votre raison. Solde actuel : {{available}}. En sa faveur au-dessus du montant de la double validation, un autre administrateur doit le confirmer.',
        {
          available: formatEuros(seen.available),
        },
      )}
      action={t('Ajuster le solde')}
      pending={pending}
      failure={failure}
      onClose={onClose}
      onSubmit={form.handleSubmit(({ direction, amount, reason }) =>
        send({ adjustment: direction === 'more' ? amount : -amount, reason }),
      )}
    >
      <RadioGroup
        legend={t('Sens')}
        look="segmented"
        options={startedDirections.map((value) => ({ value, label: t(adjustmentDirectionLabels[value]) }))}
        {...form.register('direction')}
      />
      <Field label={t('Montant')} error={errors.amount?.message}>
        <AmountInput {...form.register('amount')} />
      </Field>
      <Field label={t('Raison, dite à la personne et sur son relevé')} error={errors.reason?.message}>
        <Textarea rows={3} counterMax={reasonLengthMax} {...form.register('reason')} />
      </Field>
    </FormDialog>
  );
}

function Annulment({ act, name, onClose }: ActDialogProps & { act: Extract<OpenAct, object>['annuls'] }) {
  const { t } = useTranslation();
  const { send, pending, failure } = useAct((reason: string) => annulDebtAct(act.id, reason), onClose);
  return (
    <ReasonDialog
      title={act.kind === 'repayment' ? t('Annuler ce remboursement ?') : t('Annuler cet abandon de dette ?')}
      description={t('L’opération inverse s’ajoute au relevé : {{name}} doit de nouveau {{amount}}.', {
        name,
        amount: formatEuros(act.amount),
      })}
      reasonLabel={t('Raison, dite à la personne et sur son relevé')}
      requiredMessage={debtReasonRequired}
      confirmLabel={t('Annuler l’opération')}
      cancelLabel={t('Garder')}
      pending={pending}
      error={failure}
      onConfirm={(reason) => send(reason)}
      onClose={onClose}
    />
  );
}
