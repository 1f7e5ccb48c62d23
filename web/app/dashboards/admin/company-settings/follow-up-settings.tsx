import { zodResolver } from '@hookform/resolvers/zod';
import { companyFollowUpsForm, followUpDaysMax } from '@parrain/domain/forms/company-follow-ups';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import type { CompanySettings } from '#api/company/company-settings';
import { editCompanySettings } from '#api/company/edit-company-settings';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

/** TM-05: after how many days a referral that nobody contacted is reminded of; saved on its own. */
export function FollowUpSettings({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    follow_up_days: String(settings.followUpDays ?? ''),
    follow_up_admin_days: String(settings.followUpAdminDays ?? ''),
  });
  const form = useForm({
    resolver: zodResolver(companyFollowUpsForm),
    mode: 'onTouched',
    defaultValues: opened,
  });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_follow_ups', edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  const { errors } = form.formState;
  const days = { type: 'number', min: 1, max: followUpDaysMax, inputMode: 'numeric', className: 'max-w-28' } as const;
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Relances')}
      className="flex flex-col gap-4 border-t border-hairline pt-5"
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Relances')}</h3>
        <p className="text-sm text-encre-soft">
          {t('Pour un parrainage que personne n’a encore contacté. Vide : aucune relance.')}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
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
      <Button type="submit" size="sm" className="self-start" pending={change.isPending}>
        {t('Appliquer les relances')}
      </Button>
    </form>
  );
}
