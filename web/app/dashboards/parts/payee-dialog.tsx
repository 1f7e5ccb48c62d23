import { zodResolver } from '@hookform/resolvers/zod';
import {
  euVatPrefix,
  hasEuVatNumbers,
  isMonaco,
  numberAbroadLabel,
  payeeCountryOptions,
} from '@parrain/domain/country';
import { capitalText, payeeForm } from '@parrain/domain/forms/payee';
import { payeeDetailsSaved } from '@parrain/domain/messages';
import {
  france,
  isAbroad,
  isBusiness,
  isNamedOnPapers,
  isPerson,
  namesIn,
  payeeStatusesOf,
  payeeStatusHint,
  payeeStatusLabel,
  type PayeeDetails,
  type PayeeStatus,
} from '@parrain/domain/payee';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updatePayee, type Payee } from '#api/payments/papers';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { RadioGroup } from '#ui/radio-group';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import AbroadNote from './abroad-note.tsx';
import { AddressFields } from './address-fields.tsx';
import { FrenchNumbers, numberProps, VatFields } from './french-numbers.tsx';

export interface PayeeDialogProps {
  payeeId: string;
  payee: Payee;
  isOwn: boolean;
  onClose: () => void;
}

/** PP-01: the status of a payee, and what it asks for. */
export default function PayeeDialog({ payeeId, payee, isOwn, onClose }: PayeeDialogProps) {
  const { t } = useTranslation();
  const { role, details, companySiren } = payee;
  const [countries] = useState(payeeCountryOptions);
  const toast = useToast();
  const form = useMemo(() => payeeForm(role, { asksMentions: isOwn, companySiren }), [role, isOwn, companySiren]);
  const [opened] = useState({
    status: details?.status ?? null,
    legal_name: details?.legalName ?? '',
    first_name: details?.firstName ?? '',
    last_name: details?.lastName ?? '',
    street: details?.address?.street ?? '',
    postal_code: details?.address?.postalCode ?? '',
    city: details?.address?.city ?? '',
    country: details?.country ?? france,
    number_abroad: details?.numberAbroad ?? '',
    siren: details?.siren ?? '',
    siret: details?.siret ?? '',
    rna: details?.rna ?? '',
    // Null of who writes no invoice: false would be taken for a change that somebody else made.
    charges_vat: details === null ? false : details.chargesVat,
    vat_number: details?.vatNumber ?? '',
    legal_form: details?.legalForm ?? '',
    capital: capitalText(details?.capital ?? null),
    registry_city: details?.registryCity ?? '',
  });
  const { register, control, handleSubmit, formState, getValues, setError, setValue } = useForm({
    resolver: zodResolver(form),
    mode: 'onTouched',
    defaultValues: { ...opened, ...suggested(details), legal_name: wholeName(opened, opened.status) },
  });
  const edit = useEdit({ getValues, setError }, opened, details === null);
  const { errors } = formState;
  const status = useWatch({ control, name: 'status' }) as PayeeStatus | null;
  const country = useWatch({ control, name: 'country' }) ?? france;
  const chargesVat = useWatch({ control, name: 'charges_vat' });
  const change = useMutation({
    mutationFn: () => updatePayee(payeeId, edit.changes()),
    onError: edit.showChanged,
    onSuccess: () => {
      onClose();
      toast.success(t(payeeDetailsSaved));
    },
  });
  const isElsewhere = isAbroad(country);
  const statuses = payeeStatusesOf(role, country);
  return (
    <FormDialog
      title={t('Informations légales')}
      description={
        isOwn
          ? t('Elles servent aux pièces de vos paiements et à la déclaration DAS2 de l’entreprise, et à rien d’autre.')
          : t('Elles servent aux pièces de paiement et à la DAS2, et à rien d’autre.')
      }
      onClose={onClose}
      pending={change.isPending}
      onSubmit={handleSubmit(() => change.mutate())}
      failure={
        change.isError ? messageOf(change.error, t('Les informations n’ont pas pu être enregistrées.')) : undefined
      }
    >
      <Field label={t('Pays')} error={errors.country?.message}>
        <Select
          options={countries}
          value={country}
          onValueChange={(value) => {
            setValue('country', value);
            if (status !== null && !payeeStatusesOf(role, value).includes(status)) setValue('status', null);
          }}
        />
      </Field>
      <RadioGroup
        legend={isOwn ? t('Vous êtes') : t('Statut')}
        columns={2}
        options={statuses.map((value) => ({
          value,
          label: t(payeeStatusLabel(value, country)),
          description: t(payeeStatusHint(value, country)),
        }))}
        error={errors.status?.message}
        {...register('status', {
          onChange: () => setValue('legal_name', wholeName(opened, getValues('status') as PayeeStatus | null)),
        })}
      />
      {status !== null && isNamedOnPapers(status) && (
        <>
          {isPerson(status) ? (
            <>
              <Field label={t('Prénom')} error={errors.first_name?.message}>
                <TextInput autoComplete={isOwn ? 'given-name' : 'off'} {...register('first_name')} />
              </Field>
              <Field label={t('Nom')} error={errors.last_name?.message}>
                <TextInput autoComplete={isOwn ? 'family-name' : 'off'} {...register('last_name')} />
              </Field>
            </>
          ) : (
            <Field label={t('Nom légal')} error={errors.legal_name?.message}>
              <TextInput autoComplete={isOwn ? 'organization' : 'off'} {...register('legal_name')} />
            </Field>
          )}
          <AddressFields
            street={register('street')}
            postalCode={register('postal_code')}
            city={register('city')}
            errors={errors}
            isOwn={isOwn}
            isAbroad={isElsewhere}
          />
          {isElsewhere ? (
            <>
              {isBusiness(status) && (
                <Field
                  label={t(numberAbroadLabel(country))}
                  hint={
                    hasEuVatNumbers(country)
                      ? t('{{prefix}}, puis le numéro.', { prefix: euVatPrefix(country) })
                      : t('Le numéro que donne le registre de ce pays.')
                  }
                  error={errors.number_abroad?.message}
                >
                  <TextInput {...numberProps} {...register('number_abroad')} />
                </Field>
              )}
              {isMonaco(country) && isBusiness(status) && (
                <VatFields
                  isOwn={isOwn}
                  isOfMonaco
                  chargesVat={chargesVat === true}
                  register={register}
                  errors={errors}
                />
              )}
              <AbroadNote status={status} country={country} payee={payee} isOwn={isOwn} />
            </>
          ) : (
            <FrenchNumbers
              status={status}
              isOwn={isOwn}
              chargesVat={chargesVat === true}
              register={register}
              errors={errors}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** The name of a company, which is none of a person's: they have a first and a last one. */
function wholeName(opened: { status: PayeeStatus | null; legal_name: string }, status: PayeeStatus | null): string {
  return [opened.status, status].some((one) => one !== null && isPerson(one)) ? '' : opened.legal_name;
}

/** A name that is known in one piece is offered in its two parts, to be corrected (AC-10). */
function suggested(details: PayeeDetails | null) {
  if (details === null || details.legalName === null || details.lastName !== null || !isPerson(details.status))
    return {};
  const { firstName, lastName } = namesIn(details.legalName);
  return { first_name: firstName, last_name: lastName };
}
