import { zodResolver } from '@hookform/resolvers/zod';
import { saleStatusForm } from '@parrain/domain/forms/sale-status';
import { contractDescriptionLengthMax, notesLengthMax } from '@parrain/domain/forms/limits';
import { saleStatusUpdateFailed } from '@parrain/domain/messages';
import { formatAmount, formatEuros } from '@parrain/domain/money';
import { isOpen, needsContractDetails, saleChoiceLabels, saleChoiceOf, saleChoices } from '@parrain/domain/sale';
import type { SaleChoice } from '@parrain/domain/sale';
import { isOpenChoice } from '@parrain/domain/today';
import { CircleCheck, CircleX, Clock3, Handshake, Hourglass, Phone } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { responseMessageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { useDraft } from '#api/transport/use-draft';
import { useEdit, type Changes } from '#api/transport/use-edit';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { Textarea } from '#ui/textarea';
import { CorrectionNotice } from '../../parts/correction-notice.tsx';
import { CallBackField, inDays } from './call-back-field.tsx';
import { NoAnswer } from './no-answer.tsx';

export interface Move {
  saleId: string;
  choice: SaleChoice;
  changes: Changes;
}

export interface SaleStatusFormProps {
  id: string;
  sale: Referral;
  /** Somebody was just called, and may not have answered. */
  isCalled: boolean;
  /** The status that the form opens on, where it is not the referral's own. */
  proposed: SaleChoice | undefined;
  error: Error | null;
  onSubmit: (move: Move, onRefused: (error: Error) => void) => void;
}

/** After a call, all in one save: the status, the contract where there is one, when to call again, the notes (UI-06). */
export function SaleStatusForm({ id, sale, isCalled, proposed, error, onSubmit }: SaleStatusFormProps) {
  const { t } = useTranslation();
  const [opened] = useState({
    sale_id: sale.id,
    status: saleChoiceOf(sale),
    contract_amount: sale.contractAmount === null ? '' : formatAmount(sale.contractAmount),
    contract_description: sale.contractDescription ?? '',
    commercial_notes: sale.commercialNotes ?? '',
    private_note: sale.followUp?.note ?? '',
    call_back_on: sale.followUp?.callBackOn ?? '',
  });
  const edited = useForm({
    resolver: zodResolver(saleStatusForm),
    mode: 'onTouched',
    defaultValues: proposed === undefined ? opened : { ...opened, status: proposed },
  });
  const { register, control, handleSubmit, setError, setValue, formState } = edited;
  const edit = useEdit(edited, opened);
  const noteSent = useDraft(edited, `sale-status/${sale.id}`);
  const choice = choiceOf(useWatch({ control, name: 'status' }));
  const amount = useWatch({ control, name: 'contract_amount' });
  const [isUnanswered, setIsUnanswered] = useState(false);
  const { errors } = formState;
  const consequence = consequences[choice];
  const isFinal = needsContractDetails(choice);
  const hasContract =
    isFinal || choice === 'in_negotiation' || sale.contractAmount !== null || sale.contractDescription !== null;
  const commission = sale.commercialCommissionAmount;
  return (
    <form
      method="post"
      id={id}
      noValidate
      onSubmit={(event) =>
        void handleSubmit((form) => {
          noteSent(null);
          onSubmit({ saleId: sale.id, choice: form.choice, changes: edit.changes() }, (refused) => {
            noteSent(refused);
            return edit.showChanged(refused) || setServerIssues(refused, fields, setError);
          });
        })(event)
      }
      className="flex flex-col gap-5"
    >
      {error && <Notice tone="error">{responseMessageOf(error, t(saleStatusUpdateFailed))}</Notice>}
      {sale.correction !== null && isOpen(sale) && <CorrectionNotice correction={sale.correction} />}
      <RadioGroup<SaleChoice>
        legend={t('Statut')}
        columns="always 2"
        options={saleChoices.map((value) => ({ value, label: t(saleChoiceLabels[value]), icon: icons[value] }))}
        error={errors.status?.message}
        {...register('status')}
      />
      {isCalled && isOpen(sale) && (
        <NoAnswer
          isChosen={choice === opened.status && isUnanswered}
          status={opened.status}
          onChoose={(chosen) => {
            setIsUnanswered(chosen);
            setValue('status', chosen ? opened.status : (proposed ?? opened.status), { shouldDirty: true });
            setValue('call_back_on', chosen ? inDays(1) : opened.call_back_on, { shouldDirty: true });
          }}
        />
      )}
      {consequence && <Notice tone={choice === 'validated' ? 'warning' : 'info'}>{t(consequence)}</Notice>}
      {hasContract && (
        <>
          <Field
            label={t('Montant du contrat')}
            optional={!isFinal}
            // What another amount would earn is told once it is saved, and in « Si ce contrat signe à … ».
            hint={
              commission !== null && amount === opened.contract_amount
                ? t('Votre commission prévue : {{amount}}', { amount: formatEuros(commission) })
                : undefined
            }
            error={errors.contract_amount?.message}
          >
            <AmountInput {...register('contract_amount')} />
          </Field>
          <Field label={t('Description du contrat')} optional={!isFinal} error={errors.contract_description?.message}>
            <Textarea rows={2} counterMax={contractDescriptionLengthMax} {...register('contract_description')} />
          </Field>
        </>
      )}
      {isOpenChoice(choice) && (
        <CallBackField
          error={errors.call_back_on?.message}
          onPick={(day) => setValue('call_back_on', day, { shouldDirty: true, shouldValidate: true })}
          // Gone with the field: nobody is called back about what is decided.
          {...register('call_back_on', { shouldUnregister: true })}
        />
      )}
      <Field
        label={t('Note privée')}
        optional
        hint={t('Pour vous et votre entreprise.')}
        error={errors.private_note?.message}
      >
        <Textarea rows={2} counterMax={notesLengthMax} {...register('private_note')} />
      </Field>
      <Field
        label={t('Notes')}
        optional
        hint={t('Le client parrain peut les lire.')}
        error={errors.commercial_notes?.message}
      >
        <Textarea rows={2} counterMax={notesLengthMax} {...register('commercial_notes')} />
      </Field>
    </form>
  );
}

const fields = [
  'status',
  'contract_amount',
  'contract_description',
  'call_back_on',
  'private_note',
  'commercial_notes',
] as const;

function choiceOf(value: unknown): SaleChoice {
  return saleChoices.find((choice) => choice === value) ?? 'pending';
}

const icons: Readonly<Record<SaleChoice, ReactNode>> = {
  pending: <Clock3 aria-hidden />,
  contacted: <Phone aria-hidden />,
  in_negotiation: <Handshake aria-hidden />,
  pending_validation: <Hourglass aria-hidden />,
  validated: <CircleCheck aria-hidden />,
  rejected: <CircleX aria-hidden />,
};

/** The consequence of a choice, and how it differs from the one beside it. */
const consequences: Readonly<Partial<Record<SaleChoice, string>>> = {
  pending_validation:
    'Votre société valide le contrat, que vous pouvez modifier jusqu’à sa décision. « Contrat signé et validé » est définitif.',
  validated:
    'Définitif : vous ne pourrez plus rien modifier. Votre société le valide. Un point reste à voir ? Choisissez « En attente validation finale ».',
};
