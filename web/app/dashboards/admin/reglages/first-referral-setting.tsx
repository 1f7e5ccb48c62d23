import { zodResolver } from '@hookform/resolvers/zod';
import { companyFirstReferralForm, firstReferralMonthsMax } from '@parrain/domain/forms/company-first-referral';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** CS-02: for how many months the first referral of a person counts. */
export function FirstReferralSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  const [opened] = useState({ first_referral_months: String(settings.firstReferralMonths ?? '') });
  const form = useForm({ resolver: zodResolver(companyFirstReferralForm), mode: 'onTouched', defaultValues: opened });
  const change = useSetting(form, opened, 'update_first_referral');
  return (
    <SettingForm
      title={title}
      description={t(
        'Un ami déjà parrainé, reconnu à son e-mail ou à son téléphone, est refusé au parrain suivant. Vide : plusieurs parrains peuvent le recommander.',
      )}
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Appliquer la priorité')}
    >
      <Field
        label={t('Priorité au premier parrain, en mois')}
        optional
        hint={t('Le plus souvent 12.')}
        error={form.formState.errors.first_referral_months?.message}
      >
        <TextInput
          type="number"
          min={1}
          max={firstReferralMonthsMax}
          inputMode="numeric"
          className="max-w-28"
          {...form.register('first_referral_months')}
        />
      </Field>
    </SettingForm>
  );
}
