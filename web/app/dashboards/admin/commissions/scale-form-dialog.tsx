import { zodResolver } from '@hookform/resolvers/zod';
import {
  commissionTypeLabels,
  commissionTypes,
  type CommissionRate,
  type CommissionSide,
  type CommissionType,
} from '@parrain/domain/commission';
import { commissionScaleForm, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { scaleCreated, scaleCreationFailed } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { commissionSideToWire } from '@parrain/domain/wire';
import { useMutation } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { createCommissionRate } from '#api/scales/create-commission-rate';
import { setServerIssues } from '#api/transport/form-issues';
import { useDraft } from '#api/transport/use-draft';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { RadioGroup } from '#ui/radio-group';
import { Textarea } from '#ui/textarea';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { ScalePreview } from './scale-preview.tsx';

export interface ScaleFormDialogProps {
  /** The scale of which this is a new version; null for a new one. */
  replaces: CommissionRate | null;
  onClose: () => void;
}

/** « Nouveau barème » (AD-08, V-02, V-03), with what it gives on an example; or a new version of one (S-12). */
export function ScaleFormDialog({ replaces, onClose }: ScaleFormDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useForm({
    resolver: zodResolver(commissionScaleForm),
    mode: 'onTouched',
    defaultValues: {
      name: replaces?.name ?? '',
      description: replaces?.description ?? '',
      client_commission_type: replaces?.scale.client.type ?? 'percentage',
      client_commission_amount: typed(replaces?.scale.client),
      commercial_commission_type: replaces?.scale.commercial.type ?? 'percentage',
      commercial_commission_amount: typed(replaces?.scale.commercial),
      client_hold_days: String(replaces?.clientHoldDays ?? 0),
      from_contract_amount: replaces?.fromContractAmount ? toWire(replaces.fromContractAmount).replace('.', ',') : '',
    },
  });
  useDraft(form, `scale/${replaces?.id ?? ''}`);
  const { errors } = form.formState;
  const values = useWatch({ control: form.control });
  const creation = useMutation({
    mutationFn: (input: CommissionScaleInput) => createCommissionRate(input, replaces?.id ?? null),
    onSuccess: () => {
      toast.success(t(scaleCreated), replaces ? { description: t('La version précédente est archivée.') } : {});
      onClose();
    },
    onError: (error) =>
      setServerIssues(
        error,
        [
          'name',
          'description',
          'client_commission_amount',
          'commercial_commission_amount',
          'client_hold_days',
          'from_contract_amount',
        ],
        form.setError,
      ),
  });
  const sides = [
    { key: 'client', legend: t('Commission du client parrain'), amountLabel: t('Montant client') },
    { key: 'commercial', legend: t('Commission du commercial'), amountLabel: t('Montant commercial') },
  ] as const;
  return (
    <FormDialog
      title={replaces ? t('Nouvelle version de « {{name}} »', { name: replaces.name }) : t('Nouveau barème')}
      description={
        replaces
          ? t('La version actuelle est archivée ; les ventes qui l’ont utilisée ne changent pas.')
          : t('Il s’applique aux contrats que vous validerez avec lui.')
      }
      onClose={onClose}
      action={replaces ? t('Créer la nouvelle version') : t('Créer le barème')}
      pending={creation.isPending}
      onSubmit={form.handleSubmit((input) => creation.mutate(input))}
      failure={creation.isError ? reasonOf(creation.error) : undefined}
      failureTitle={t(scaleCreationFailed)}
    >
      <Field label={t('Nom')} error={errors.name?.message}>
        <TextInput autoComplete="off" placeholder={t('Barème standard')} {...form.register('name')} />
      </Field>
      <div className="grid gap-6 sm:grid-cols-2">
        {sides.map(({ key, legend, amountLabel }) => (
          <div key={key} className="flex min-w-0 flex-col gap-3">
            <RadioGroup<CommissionType>
              legend={legend}
              look="segmented"
              options={commissionTypes.map((type) => ({ value: type, label: t(commissionTypeLabels[type]) }))}
              {...form.register(`${key}_commission_type`, { deps: [`${key}_commission_amount`] })}
            />
            <Field label={amountLabel} error={errors[`${key}_commission_amount`]?.message}>
              <AmountInput
                unit={values[`${key}_commission_type`] === 'percentage' ? '%' : '€'}
                placeholder={values[`${key}_commission_type`] === 'percentage' ? '10' : '50,00'}
                {...form.register(`${key}_commission_amount`)}
              />
            </Field>
          </div>
        ))}
      </div>
      <ScalePreview values={values} />
      <Field
        label={t('Proposé à partir d’un contrat de')}
        hint={t('Vide : vous le choisissez vous-même, contrat par contrat.')}
        optional
        error={errors.from_contract_amount?.message}
        className="sm:max-w-88"
      >
        <AmountInput placeholder="15 000,00" {...form.register('from_contract_amount')} />
      </Field>
      <Field
        label={t('Délai avant disponibilité pour le client, en jours')}
        hint={t('0 : la commission est disponible dès la validation.')}
        error={errors.client_hold_days?.message}
        className="sm:max-w-88"
      >
        <TextInput inputMode="numeric" autoComplete="off" maxLength={3} {...form.register('client_hold_days')} />
      </Field>
      <Field label={t('Description')} optional error={errors.description?.message}>
        <Textarea rows={2} {...form.register('description')} />
      </Field>
    </FormDialog>
  );
}

/** A side's number as a French hand would type it. */
function typed(side: CommissionSide | undefined): string {
  return side === undefined ? '' : commissionSideToWire(side).amount.replace('.', ',');
}
