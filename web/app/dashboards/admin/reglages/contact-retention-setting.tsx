import { zodResolver } from '@hookform/resolvers/zod';
import {
  companyContactMonthsForm,
  contactMonthsMax,
  contactMonthsMin,
} from '@parrain/domain/forms/company-contact-months';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** CS-04: for how many months a contact without contract is kept. */
export function ContactRetentionSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  const [opened] = useState({ contact_months: String(settings.contactMonths) });
  const form = useForm({ resolver: zodResolver(companyContactMonthsForm), mode: 'onTouched', defaultValues: opened });
  const change = useSetting(form, opened, 'update_contact_months');
  return (
    <SettingForm
      title={title}
      description={t(
        'Leurs coordonnées sont effacées quand plus rien ne s’est passé depuis ce temps. Trente jours avant, la liste est dans « Ventes », où vous pouvez en garder.',
      )}
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Appliquer la durée')}
    >
      <Field
        label={t('Effacer après (mois)')}
        hint={t('Au plus 36 mois, soit trois ans.')}
        error={form.formState.errors.contact_months?.message}
      >
        <TextInput
          type="number"
          min={contactMonthsMin}
          max={contactMonthsMax}
          inputMode="numeric"
          className="max-w-28"
          {...form.register('contact_months')}
        />
      </Field>
    </SettingForm>
  );
}
