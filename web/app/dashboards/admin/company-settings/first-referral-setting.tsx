import { zodResolver } from '@hookform/resolvers/zod';
import { companyFirstReferralForm, firstReferralMonthsMax } from '@parrain/domain/forms/company-first-referral';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { editCompanySettings } from '#api/company/edit-company-settings';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

/** CS-02: for how many months the first referral of a person counts; saved on its own. */
export function FirstReferralSetting({ months }: { months: number | null }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ first_referral_months: String(months ?? '') });
  const form = useForm({
    resolver: zodResolver(companyFirstReferralForm),
    mode: 'onTouched',
    defaultValues: opened,
  });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_first_referral', edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Premier parrain')}
      className="flex flex-col gap-4 border-t border-hairline pt-5"
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Premier parrain')}</h3>
        <p className="text-sm text-encre-soft">
          {t(
            'Un ami déjà parrainé, reconnu à son e-mail ou à son téléphone, est refusé au parrain suivant. Vide : plusieurs parrains peuvent le recommander.',
          )}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
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
      <Button type="submit" size="sm" className="self-start" pending={change.isPending}>
        {t('Appliquer la priorité')}
      </Button>
    </form>
  );
}
