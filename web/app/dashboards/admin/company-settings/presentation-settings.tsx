import { zodResolver } from '@hookform/resolvers/zod';
import { companyPresentationForm, presentationLengthMax } from '@parrain/domain/forms/company-presentation';
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
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';

/** CS-01: what friends who follow a client's link read of the company; saved on its own. */
export function PresentationSettings({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ presentation: settings.presentation ?? '' });
  const form = useForm({
    resolver: zodResolver(companyPresentationForm),
    mode: 'onTouched',
    defaultValues: opened,
  });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_presentation', edit.changes()),
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
      aria-label={t('Page publique')}
      className="flex flex-col gap-4 border-t border-hairline pt-5"
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Page publique')}</h3>
        <p className="text-sm text-encre-soft">
          {t('Chaque client a un lien personnel ; ses amis y lisent qui vous êtes, puis laissent leurs coordonnées.')}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">
          {messageOf(change.error, t('La présentation n’a pas pu être enregistrée. Réessayez.'))}
        </Notice>
      )}
      <Field label={t('Ce que fait l’entreprise')} optional error={form.formState.errors.presentation?.message}>
        <Textarea
          rows={3}
          counterMax={presentationLengthMax}
          maxLength={presentationLengthMax}
          placeholder={t('Toitures et charpentes en Loire-Atlantique, depuis 1987.')}
          {...form.register('presentation')}
        />
      </Field>
      <Button type="submit" className="self-start" pending={change.isPending}>
        {t('Enregistrer la présentation')}
      </Button>
    </form>
  );
}
