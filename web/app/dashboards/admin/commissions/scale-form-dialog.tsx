import { commissionTypeLabels, commissionTypes, type CommissionType } from '@parrain/domain/commission';
import { dayOf } from '@parrain/domain/date';
import type { CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { scaleCreationFailed, scaleVersionFailed } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type BaseSyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Scale } from '#api/scales/commission-rates';
import { simulateScale } from '#api/scales/simulate-scale';
import { scaleVersionsQuery } from '#api/scales/scale-versions';
import { reasonOf } from '#api/transport/api-error';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { RadioGroup } from '#ui/radio-group';
import { Textarea } from '#ui/textarea';
import { TextInput } from '#ui/text-input';
import { lazyPart } from '#ui/lazy-part';
import { ScalePreview } from './scale-preview.tsx';
import { FirstDay } from './first-day.tsx';
import { LastDay, isLastDay } from './last-day.tsx';
import { SideRules } from './side-rules.tsx';
import { termsKey, useScaleForm } from './use-scale-form.ts';

const ScaleSimulation = lazyPart(() => import('./scale-simulation.tsx'));

export interface ScaleFormDialogProps {
  /** The scale of which this is a new version; null for a new one. */
  replaces: Scale | null;
  onClose: () => void;
}

/** « Nouveau barème » (AD-08, V-02, V-03), with what it gives on an example; or a new version of one (S-12, SC-01). */
export function ScaleFormDialog({ replaces, onClose }: ScaleFormDialogProps) {
  const { t } = useTranslation();
  const versions = useQuery({ ...scaleVersionsQuery(replaces?.id ?? ''), enabled: replaces !== null });
  const [seenNumber, setSeenNumber] = useState<number>();
  const [firstDay, setFirstDay] = useState<string | null>(null);
  const newest = versions.data?.[0]?.number;
  // What another admin publishes while the form is open is looked at first.
  if (seenNumber === undefined && newest !== undefined) setSeenNumber(newest);
  const simulation = useMutation({
    mutationFn: async (input: CommissionScaleInput) => ({
      ...(await simulateScale(input, { scaleId: replaces?.id ?? '', firstDay: firstDay === '' ? null : firstDay })),
      terms: termsKey(input),
    }),
  });
  const { form, values, creation } = useScaleForm({
    replaces,
    version: { seenNumber: seenNumber ?? 0, firstDay, simulated: simulation.data },
    onCreated: onClose,
  });
  const { errors, isSubmitted } = form.formState;
  const [today] = useState(() => dayOf(new Date()));
  const lastDay = values.last_day;
  const firstLastDay = firstDay !== null && firstDay > today ? firstDay : today;
  const daysAreRight = firstDay !== '' && isLastDay(lastDay, firstLastDay);
  const sides = [
    { key: 'client', legend: t('Commission du client parrain'), amountLabel: t('Montant client') },
    { key: 'commercial', legend: t('Commission du commercial'), amountLabel: t('Montant commercial') },
  ] as const;
  return (
    <FormDialog
      title={replaces ? t('Nouvelle version de « {{name}} »', { name: replaces.name }) : t('Nouveau barème')}
      description={
        replaces
          ? t('Elle compte pour les contrats que vous validerez ensuite ; ceux qui sont validés ne changent pas.')
          : t('Il s’applique aux contrats que vous validerez avec lui.')
      }
      onClose={onClose}
      action={replaces ? t('Publier la version') : t('Créer le barème')}
      pending={creation.isPending || (replaces !== null && seenNumber === undefined && !versions.isError)}
      onSubmit={form.handleSubmit((input) => daysAreRight && creation.mutate(input), focusFirstFault)}
      failure={creation.isError ? reasonOf(creation.error) : undefined}
      failureTitle={t(replaces ? scaleVersionFailed : scaleCreationFailed)}
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
            <SideRules
              legend={legend}
              type={values[`${key}_commission_type`]}
              value={values[`${key}_rules`]}
              onChange={(draft) => form.setValue(`${key}_rules`, draft, { shouldDirty: true })}
              wasSent={isSubmitted}
            />
          </div>
        ))}
      </div>
      <ScalePreview values={values} />
      {replaces !== null && <FirstDay value={firstDay} onChange={setFirstDay} />}
      <LastDay
        value={lastDay}
        min={firstLastDay}
        onChange={(day) => form.setValue('last_day', day, { shouldDirty: true })}
      />
      <Field
        label={t('Proposé à partir d’un contrat de')}
        hint={t(
          replaces?.isDefault
            ? 'Vide : il est proposé quand aucun autre ne l’est.'
            : 'Vide : vous le choisissez vous-même, contrat par contrat.',
        )}
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
      {replaces !== null && (
        <ScaleSimulation
          values={values}
          said={simulation.data}
          pending={simulation.isPending}
          failure={simulation.isError ? reasonOf(simulation.error) : undefined}
          onSimulate={() =>
            void form.handleSubmit((input) => daysAreRight && simulation.mutate(input), focusFirstFault)()
          }
        />
      )}
    </FormDialog>
  );
}

/** Rules are no fields of the form library: where one of them is wrong, it stands where nobody may be looking. */
function focusFirstFault(_errors: unknown, event: BaseSyntheticEvent | undefined) {
  const form: unknown = event?.target;
  requestAnimationFrame(() => {
    if (form instanceof HTMLFormElement) form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}
