import { zodResolver } from '@hookform/resolvers/zod';
import { answerDaysMax } from '@parrain/domain/answer-delay';
import {
  companyPresentationForm,
  friendGainLengthMax,
  presentationLengthMax,
} from '@parrain/domain/forms/company-presentation';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { editCompanySettings } from '#api/company/edit-company-settings';
import type { PublicPage } from '#api/company/public-page';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Textarea } from '#ui/textarea';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { PagePictureSetting } from './page-picture-setting.tsx';

/** CS-01, UI-03: what friends who follow a client's link read of the company; saved on its own. */
export function PresentationSettings({ page }: { page: PublicPage }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    presentation: page.presentation ?? '',
    friend_gain: page.friendGain ?? '',
    answer_days: String(page.answerDays ?? ''),
  });
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
  const { errors } = form.formState;
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
          {t('Chaque client a un lien personnel ; ses amis y lisent qui vous êtes, puis laissent leurs coordonnées.')}{' '}
          <a href="/p/apercu" target="_blank" rel="noreferrer" className="text-sapin underline">
            {t('Voir la page')}
          </a>
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">
          {messageOf(change.error, t('La présentation n’a pas pu être enregistrée. Réessayez.'))}
        </Notice>
      )}
      <Field label={t('Ce que fait l’entreprise')} optional error={errors.presentation?.message}>
        <Textarea
          rows={3}
          counterMax={presentationLengthMax}
          maxLength={presentationLengthMax}
          placeholder={t('Toitures et charpentes en Loire-Atlantique, depuis 1987.')}
          {...form.register('presentation')}
        />
      </Field>
      <Field label={t('Ce que gagne l’ami')} optional error={errors.friend_gain?.message}>
        <Textarea
          rows={2}
          counterMax={friendGainLengthMax}
          maxLength={friendGainLengthMax}
          placeholder={t('Un diagnostic offert de votre toit.')}
          {...form.register('friend_gain')}
        />
      </Field>
      <Field
        label={t('Réponse promise sous, en jours ouvrés')}
        optional
        hint={t('Vide : la page dit « prochainement ».')}
        error={errors.answer_days?.message}
      >
        <TextInput
          type="number"
          min={1}
          max={answerDaysMax}
          inputMode="numeric"
          className="max-w-28"
          {...form.register('answer_days')}
        />
      </Field>
      <Button type="submit" className="self-start" pending={change.isPending}>
        {t('Enregistrer la présentation')}
      </Button>
      <PagePictureSetting url={page.pictureUrl} />
    </form>
  );
}
