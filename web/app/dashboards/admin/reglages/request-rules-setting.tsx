import { zodResolver } from '@hookform/resolvers/zod';
import { requestRulesForm } from '@parrain/domain/forms/company-payments';
import { formatAmount } from '@parrain/domain/money';
import { paymentMethodLabels, paymentMethods } from '@parrain/domain/payment-request';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { AmountInput } from '#ui/amount-input';
import { Checkbox } from '#ui/checkbox';
import { Field, FieldError } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** PO-06: what the company accepts of payment requests. */
export function RequestRulesSetting({ title, settings: { requestRules: rules } }: SettingProps) {
  const { t } = useTranslation();
  const [opened] = useState({
    smallest_request: formatAmount(rules.smallest),
    payment_methods: [...rules.methods],
    requests_from_day: String(rules.days?.from ?? ''),
    requests_to_day: String(rules.days?.to ?? ''),
  });
  const form = useForm({ resolver: zodResolver(requestRulesForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, formState } = form;
  const { errors } = formState;
  const change = useSetting(form, opened, 'update_request_rules');
  const day = { type: 'number', min: 1, inputMode: 'numeric', className: 'max-w-28' } as const;
  return (
    <SettingForm
      title={title}
      description={t('S’applique aux nouvelles demandes : celles qui attendent ne changent pas.')}
      onSubmit={handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Enregistrer les règles')}
    >
      <Field label={t('Montant le plus petit d’une demande')} error={errors.smallest_request?.message}>
        <AmountInput {...register('smallest_request')} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t('Moyens de paiement proposés')}</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {paymentMethods.map((method) => (
            <Checkbox
              key={method}
              label={t(paymentMethodLabels[method])}
              value={method}
              {...register('payment_methods')}
            />
          ))}
        </div>
        <FieldError error={errors.payment_methods?.message} />
      </fieldset>
      <fieldset>
        <legend className="text-sm font-medium">{t('Jours où une demande peut être faite')}</legend>
        <p className="mt-1 text-sm text-encre-faint">
          {t('Chaque mois, les deux jours compris. Vides : tous les jours.')}
        </p>
        <div className="mt-3 grid grid-cols-2 gap-4 sm:max-w-80">
          <Field label={t('Du')} optional error={errors.requests_from_day?.message}>
            <TextInput {...day} max={28} {...register('requests_from_day')} />
          </Field>
          <Field label={t('Au')} optional error={errors.requests_to_day?.message}>
            <TextInput {...day} max={31} {...register('requests_to_day')} />
          </Field>
        </div>
      </fieldset>
    </SettingForm>
  );
}
