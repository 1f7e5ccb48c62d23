import { zodResolver } from '@hookform/resolvers/zod';
import { saleStatusForm } from '@parrain/domain/forms/sale-status';
import { contractDescriptionLengthMax } from '@parrain/domain/forms/limits';
import { saleStatusUpdateFailed } from '@parrain/domain/messages';
import { formatAmount } from '@parrain/domain/money';
import {
  needsContractDetails,
  referrerName,
  saleChoiceLabels,
  saleChoiceOf,
  saleChoices,
  type Sale,
  type SaleChoice,
} from '@parrain/domain/sale';
import { ofName } from '@parrain/domain/of-name';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleX, Clock3, Handshake, Hourglass, Phone } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf, responseMessageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import { useEdit, type Changes } from '#api/transport/use-edit';
import { undoSaleStatus, updateSaleStatus } from '#api/sales/update-sale-status';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';

export interface SaleStatusDialogProps {
  /** The referral being moved; none, and the dialog is closed. */
  sale: Sale | undefined;
  onClose: () => void;
}

/** « Mettre à jour » (CO-03): one of the six statuses, the contract where it is signed, notes. */
export function SaleStatusDialog({ sale, onClose }: SaleStatusDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const describe = (choice: SaleChoice) => `${shown?.referredContactName ?? ''} : ${t(saleChoiceLabels[choice])}`;
  const update = useMutation({
    mutationFn: (move: Move) => updateSaleStatus(move),
    onSuccess: ({ message, version }, { saleId, choice }) => {
      const before = shown && saleChoiceOf(shown);
      const takeBack = async () => {
        try {
          toast.info(t(await undoSaleStatus({ saleId, version })), before && { description: describe(before) });
        } catch (error) {
          toast.error(messageOf(error, t(saleStatusUpdateFailed)));
        }
        refresh();
      };
      // NV-09: a signature is final, as the dialog said.
      const canReturn = choice !== before && choice !== 'validated';
      toast.success(t(message), {
        description: describe(choice),
        action: canReturn ? { label: t('Annuler'), onClick: () => void takeBack() } : undefined,
      });
      close();
    },
    // What is on screen may be old.
    onError: refresh,
  });
  // The sale stays in place while the dialog closes: nothing jumps.
  const [shown, setShown] = useState(sale);
  if (sale !== undefined && sale !== shown) setShown(sale);
  const close = () => {
    update.reset();
    onClose();
  };
  const referrer = shown && referrerName(shown);
  return (
    <FormDialog
      open={sale !== undefined}
      title={t('Mettre à jour le parrainage')}
      description={
        shown &&
        (referrer
          ? t('{{name}} · Recommandation {{ofName}}', { name: shown.referredContactName, ofName: ofName(referrer) })
          : shown.referredContactName)
      }
      onClose={close}
      pending={update.isPending}
    >
      {(formId) =>
        shown && (
          <SaleStatusForm
            key={shown.id}
            id={formId}
            sale={shown}
            error={update.error}
            onSubmit={(move, onRefused) => update.mutate(move, { onError: onRefused })}
          />
        )
      }
    </FormDialog>
  );
}

interface Move {
  saleId: string;
  choice: SaleChoice;
  changes: Changes;
}

interface SaleStatusFormProps {
  id: string;
  sale: Sale;
  error: Error | null;
  onSubmit: (move: Move, onRefused: (error: Error) => void) => void;
}

function SaleStatusForm({ id, sale, error, onSubmit }: SaleStatusFormProps) {
  const { t } = useTranslation();
  const [opened] = useState({
    sale_id: sale.id,
    status: saleChoiceOf(sale),
    contract_amount: sale.contractAmount === null ? '' : formatAmount(sale.contractAmount),
    contract_description: sale.contractDescription ?? '',
    commercial_notes: sale.commercialNotes ?? '',
  });
  const edited = useForm({ resolver: zodResolver(saleStatusForm), mode: 'onTouched', defaultValues: opened });
  const { register, control, handleSubmit, setError, formState } = edited;
  const edit = useEdit(edited, opened);
  useDraft(edited, `sale-status/${sale.id}`);
  const choice = choiceOf(useWatch({ control, name: 'status' }));
  const { errors } = formState;
  const consequence = consequences[choice];
  const isFinal = needsContractDetails(choice);
  const hasContract =
    isFinal || choice === 'in_negotiation' || sale.contractAmount !== null || sale.contractDescription !== null;
  return (
    <form
      method="post"
      id={id}
      noValidate
      onSubmit={(event) =>
        void handleSubmit((form) =>
          onSubmit(
            { saleId: sale.id, choice: form.choice, changes: edit.changes() },
            (refused) => edit.showChanged(refused) || setServerIssues(refused, fields, setError),
          ),
        )(event)
      }
      className="flex flex-col gap-5"
    >
      {error && <Notice tone="error">{responseMessageOf(error, t(saleStatusUpdateFailed))}</Notice>}
      <RadioGroup<SaleChoice>
        legend={t('Statut')}
        columns={2}
        options={saleChoices.map((value) => ({ value, label: t(saleChoiceLabels[value]), icon: icons[value] }))}
        error={errors.status?.message}
        {...register('status')}
      />
      {consequence && <Notice tone={choice === 'validated' ? 'warning' : 'info'}>{t(consequence)}</Notice>}
      {hasContract && (
        <>
          <Field label={t('Montant du contrat')} optional={!isFinal} error={errors.contract_amount?.message}>
            <AmountInput {...register('contract_amount')} />
          </Field>
          <Field label={t('Description du contrat')} optional={!isFinal} error={errors.contract_description?.message}>
            <Textarea rows={3} counterMax={contractDescriptionLengthMax} {...register('contract_description')} />
          </Field>
        </>
      )}
      <Field
        label={t('Notes')}
        optional
        hint={t('Le client parrain peut les lire.')}
        error={errors.commercial_notes?.message}
      >
        <Textarea rows={3} {...register('commercial_notes')} />
      </Field>
    </form>
  );
}

const fields = ['status', 'contract_amount', 'contract_description', 'commercial_notes'] as const;

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

/** The consequence of a choice, where there is one. */
const consequences: Readonly<Partial<Record<SaleChoice, string>>> = {
  pending_validation:
    'Le contrat part en validation chez votre société. Vous pourrez encore le modifier d’ici sa décision.',
  validated: 'Une fois enregistré, ce parrainage n’est plus modifiable : il attend la validation de votre société.',
};
