import { zodResolver } from '@hookform/resolvers/zod';
import { answerDaysMax } from '@parrain/domain/answer-delay';
import {
  companyPresentationForm,
  friendGainLengthMax,
  presentationLengthMax,
} from '@parrain/domain/forms/company-presentation';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { publicPage, type PublicPage } from '#api/company/public-page';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { PagePictureSetting } from './page-picture-setting.tsx';
import { SettingForm, SettingWaits } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** CS-01, UI-03: what friends who follow a client's link read of the company. */
export function PresentationSetting({ title }: SettingProps) {
  const page = useQuery(publicPage);
  return page.data === undefined ? (
    <SettingWaits title={title} query={page} />
  ) : (
    <PresentationForm title={title} page={page.data} />
  );
}

function PresentationForm({ title, page }: { title: string; page: PublicPage }) {
  const { t } = useTranslation();
  const [opened] = useState({
    presentation: page.presentation ?? '',
    friend_gain: page.friendGain ?? '',
    answer_days: String(page.answerDays ?? ''),
  });
  const form = useForm({ resolver: zodResolver(companyPresentationForm), mode: 'onTouched', defaultValues: opened });
  const change = useSetting(form, opened, 'update_presentation');
  const { errors } = form.formState;
  return (
    <SettingForm
      title={title}
      description={
        <>
          {t('Chaque client a un lien personnel ; ses amis y lisent qui vous êtes, puis laissent leurs coordonnées.')}{' '}
          <a href="/p/apercu" target="_blank" rel="noreferrer" className="text-sapin underline">
            {t('Voir la page')}
          </a>
        </>
      }
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Enregistrer la présentation')}
      failed={t('La présentation n’a pas pu être enregistrée. Réessayez.')}
      foot={<PagePictureSetting url={page.pictureUrl} />}
    >
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
    </SettingForm>
  );
}
