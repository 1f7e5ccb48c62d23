import { zodResolver } from '@hookform/resolvers/zod';
import { companyFollowUpsForm, followUpDaysMax } from '@parrain/domain/forms/company-follow-ups';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** TM-05: after how many days a referral that nobody contacted is reminded of. */
export function FollowUpSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  const [opened] = useState({
    follow_up_days: String(settings.followUpDays ?? ''),
    follow_up_admin_days: String(settings.followUpAdminDays ?? ''),
  });
  const form = useForm({ resolver: zodResolver(companyFollowUpsForm), mode: 'onTouched', defaultValues: opened });
  const change = useSetting(form, opened, 'update_follow_ups');
  const { errors } = form.formState;
  const days = { type: 'number', min: 1, max: followUpDaysMax, inputMode: 'numeric', className: 'max-w-28' } as const;
  return (
    <SettingForm
      title={title}
      description={t('Pour un parrainage que personne n’a encore contacté. Vide : aucune relance.')}
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Appliquer les relances')}
    >
      <Field label={t('Prévenir le commercial après, en jours')} optional error={errors.follow_up_days?.message}>
        <TextInput {...days} {...form.register('follow_up_days')} />
      </Field>
      <Field
        label={t('Puis les administrateurs, en jours de plus')}
        optional
        error={errors.follow_up_admin_days?.message}
      >
        <TextInput {...days} {...form.register('follow_up_admin_days')} />
      </Field>
    </SettingForm>
  );
}
