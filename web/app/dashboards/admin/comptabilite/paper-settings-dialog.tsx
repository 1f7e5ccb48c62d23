import { zodResolver } from '@hookform/resolvers/zod';
import { capitalText, companyIdentityForm } from '@parrain/domain/forms/payee';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updatePaperSettings, type PaperSettings } from '#api/payments/papers';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { AddressFields } from '../../parts/address-fields.tsx';
import { RegistrationFields } from '../../parts/registration-fields.tsx';

/** PP-01: who the company is on its papers, and whether it has them made. */
export default function PaperSettingsDialog({
  settings,
  onClose,
}: {
  settings: PaperSettings | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    issues_papers: settings?.issuesPapers ?? false,
    legal_name: settings?.legalName ?? '',
    street: settings?.address.street ?? '',
    postal_code: settings?.address.postalCode ?? '',
    city: settings?.address.city ?? '',
    siren: settings?.siren ?? '',
    siret: settings?.siret ?? '',
    legal_form: settings?.legalForm ?? '',
    capital: capitalText(settings?.capital ?? null),
    registry_city: settings?.registryCity ?? '',
    vat_number: settings?.vatNumber ?? '',
    vat_franchise: settings?.vatFranchise ?? false,
    contest_days: String(settings?.contestDays ?? 15),
  });
  const form = useForm({ resolver: zodResolver(companyIdentityForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, formState } = form;
  const edit = useEdit(form, opened, settings === null);
  const { errors } = formState;
  const change = useMutation({
    mutationFn: () => updatePaperSettings(edit.changes()),
    onError: edit.showChanged,
    onSuccess: () => {
      onClose();
      toast.success(t(settingsSaved));
    },
  });
  const number = { autoComplete: 'off', spellCheck: false, className: 'tabular-digits max-w-64' } as const;
  return (
    <FormDialog
      title={t('Réglages des pièces')}
      description={t('Votre entreprise, telle que les pièces la nomment. Votre comptable décide de leur usage.')}
      onClose={onClose}
      pending={change.isPending}
      onSubmit={handleSubmit(() => change.mutate())}
      failure={change.isError ? messageOf(change.error, t('Le réglage n’a pas pu être enregistré.')) : undefined}
    >
      <Checkbox
        label={t('Établir une pièce pour chaque paiement')}
        description={t('Sans ses informations légales, un bénéficiaire n’est pas payé.')}
        {...register('issues_papers')}
      />
      <Field label={t('Nom légal')} error={errors.legal_name?.message}>
        <TextInput autoComplete="organization" {...register('legal_name')} />
      </Field>
      <AddressFields
        street={register('street')}
        postalCode={register('postal_code')}
        city={register('city')}
        errors={errors}
        isOwn
      />
      <Field label={t('SIREN')} hint={t('Neuf chiffres.')} error={errors.siren?.message}>
        <TextInput inputMode="numeric" {...number} {...register('siren')} />
      </Field>
      <Field
        label={t('SIRET')}
        optional
        hint={t('Le SIREN, puis cinq chiffres : de l’établissement qui paie.')}
        error={errors.siret?.message}
      >
        <TextInput inputMode="numeric" {...number} {...register('siret')} />
      </Field>
      <RegistrationFields
        company={{ legalForm: register('legal_form'), capital: register('capital') }}
        registryCity={register('registry_city')}
        registry="RCS"
        errors={errors}
        isOptional
      />
      <Field label={t('Numéro de TVA')} optional error={errors.vat_number?.message}>
        <TextInput {...number} {...register('vat_number')} />
      </Field>
      <Checkbox
        label={t('En franchise en base de TVA (article 293 B du CGI)')}
        description={t('Le journal ne déduit alors aucune TVA, même avec un numéro de TVA.')}
        {...register('vat_franchise')}
      />
      <Field
        label={t('Délai de contestation, en jours')}
        hint={t('Chaque pièce dit jusqu’à quel jour elle peut être contestée.')}
        error={errors.contest_days?.message}
      >
        <TextInput
          inputMode="numeric"
          autoComplete="off"
          className="tabular-digits max-w-32"
          {...register('contest_days')}
        />
      </Field>
    </FormDialog>
  );
}
