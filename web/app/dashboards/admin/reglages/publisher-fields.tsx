import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import type { NoticeForm } from './use-notice-form.ts';

/** Fields that the law wants of every site: its publisher, its host, the ways to reach them (DF-47). */
export function PublisherFields({ form: { register, formState } }: { form: NoticeForm }) {
  const { t } = useTranslation();
  const { errors } = formState;
  return (
    <>
      <FieldGroup title={t('Votre entreprise')}>
        <Field
          label={t('Nom légal, forme et capital')}
          hint={t('« Lumeo Habitat, SARL au capital de 20 000 € »')}
          error={errors.publisher?.message}
        >
          <TextInput autoComplete="organization" {...register('publisher')} />
        </Field>
        <Field
          label={t('Immatriculation')}
          optional
          hint={t('« RCS Rennes 732 829 320 »')}
          error={errors.registration?.message}
        >
          <TextInput autoComplete="off" {...register('registration')} />
        </Field>
        <Field
          label={t('Adresse du siège')}
          hint={t('« 12 rue des Lilas, 35000 Rennes »')}
          error={errors.address?.message}
        >
          <TextInput autoComplete="off" {...register('address')} />
        </Field>
        <Field
          label={t('Qui dirige la publication')}
          hint={t('Le plus souvent, votre représentant légal.')}
          error={errors.director?.message}
        >
          <TextInput autoComplete="off" {...register('director')} />
        </Field>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label={t('E-mail de contact')} error={errors.email?.message}>
            <EmailInput {...register('email')} />
          </Field>
          <Field label={t('Téléphone')} error={errors.phone?.message}>
            <TextInput type="tel" autoComplete="off" {...register('phone')} />
          </Field>
        </div>
      </FieldGroup>
      <FieldGroup title={t('Votre hébergeur')}>
        <Field
          label={t('Nom de l’hébergeur')}
          hint={t('Qui fait tourner le serveur : un prestataire, ou vous-même.')}
          error={errors.host?.message}
        >
          <TextInput autoComplete="off" {...register('host')} />
        </Field>
        <div className="grid gap-5 sm:grid-cols-[1fr_12rem]">
          <Field label={t('Adresse de l’hébergeur')} error={errors.host_address?.message}>
            <TextInput autoComplete="off" {...register('host_address')} />
          </Field>
          <Field label={t('Téléphone de l’hébergeur')} error={errors.host_phone?.message}>
            <TextInput type="tel" autoComplete="off" {...register('host_phone')} />
          </Field>
        </div>
      </FieldGroup>
    </>
  );
}

/** Some fields of a long form, under a title. */
export function FieldGroup({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-5 border-t border-hairline pt-5 first:border-0 first:pt-0">
      <legend className="contents">
        <span className="font-heading text-base font-semibold">{title}</span>
      </legend>
      {text && <p className="-mt-4 text-sm text-encre-soft">{text}</p>}
      {children}
    </fieldset>
  );
}
