import type { CommissionType } from '@parrain/domain/commission';
import { scaleCreationFailed } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { ScalePreview } from '../../commissions/scale-preview.tsx';
import { useScaleForm } from '../../commissions/use-scale-form.ts';
import type { StepProps } from './first-run.tsx';

/** The first scale as a sentence (AD-08), with what it gives on a contract. */
export function ScaleStep({ foot, onDone }: StepProps) {
  const { t } = useTranslation();
  const { form, values, creation } = useScaleForm({
    replaces: null,
    firstName: t('Barème standard'),
    onCreated: onDone,
  });
  const { errors } = form.formState;
  const sides = [
    {
      key: 'client',
      words: t('le client parrain touche'),
      amount: t('Montant client'),
      unit: t('Commission du client parrain'),
      example: '5',
    },
    {
      key: 'commercial',
      words: t('et le commercial'),
      amount: t('Montant commercial'),
      unit: t('Commission du commercial'),
      example: '3',
    },
  ] as const;
  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => void form.handleSubmit((input) => creation.mutate(input))(event)}
      className="flex flex-col gap-5"
    >
      {creation.isError && (
        <Notice tone="error" title={t(scaleCreationFailed)}>
          {reasonOf(creation.error)}
        </Notice>
      )}
      <div className="flex flex-col gap-3">
        <p className="text-lg">{t('Pour chaque contrat validé,')}</p>
        {sides.map(({ key, words, amount, unit, example }) => {
          const isShare = values[`${key}_commission_type`] === 'percentage';
          return (
            <div key={key} className="flex flex-wrap items-start gap-x-3 gap-y-2">
              <p aria-hidden className="flex min-h-11 items-center text-lg max-sm:min-h-0 max-sm:basis-full sm:w-56">
                {words}
              </p>
              <Field label={amount} labelHidden error={errors[`${key}_commission_amount`]?.message} className="w-36">
                <AmountInput
                  unit={isShare ? '%' : '€'}
                  placeholder={isShare ? example : '50,00'}
                  {...form.register(`${key}_commission_amount`)}
                />
              </Field>
              <RadioGroup<CommissionType>
                legend={unit}
                legendHidden
                look="segmented"
                options={[
                  { value: 'percentage', label: t('%') },
                  { value: 'fixed', label: t('€') },
                ]}
                {...form.register(`${key}_commission_type`, { deps: [`${key}_commission_amount`] })}
              />
            </div>
          );
        })}
      </div>
      <ScalePreview values={values} />
      {foot(
        <Button type="submit" variant="primary" pending={creation.isPending}>
          {t('Créer le barème')}
        </Button>,
      )}
    </form>
  );
}
