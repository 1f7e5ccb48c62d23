import { zodResolver } from '@hookform/resolvers/zod';
import {
  companyContactMonthsForm,
  contactMonthsMax,
  contactMonthsMin,
} from '@parrain/domain/forms/company-contact-months';
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

/** CS-04: for how many months a contact without contract is kept; saved on its own. */
export function ContactRetentionSetting({ months }: { months: number }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ contact_months: String(months) });
  const form = useForm({
    resolver: zodResolver(companyContactMonthsForm),
    mode: 'onTouched',
    defaultValues: opened,
  });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_contact_months', edit.changes()),
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
      aria-label={t('Contacts sans contrat')}
      className="flex flex-col gap-4 border-t border-hairline pt-5"
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Contacts sans contrat')}</h3>
        <p className="text-sm text-encre-soft">
          {t(
            'Leurs coordonnées sont effacées quand plus rien ne s’est passé depuis ce temps. Trente jours avant, la liste est dans « Ventes », où vous pouvez en garder.',
          )}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
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
      <Button type="submit" size="sm" className="self-start" pending={change.isPending}>
        {t('Appliquer la durée')}
      </Button>
    </form>
  );
}
