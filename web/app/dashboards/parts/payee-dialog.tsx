import { zodResolver } from '@hookform/resolvers/zod';
import { capitalText, payeeForm } from '@parrain/domain/forms/payee';
import { payeeDetailsSaved } from '@parrain/domain/messages';
import {
  isBusiness,
  isNamedOnPapers,
  isPerson,
  namesIn,
  payeeStatusesOf,
  payeeStatusHints,
  payeeStatusLabels,
  registryOf,
  type PayeeDetails,
  type PayeeStatus,
} from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updatePayee } from '#api/payments/papers';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { AddressFields } from './address-fields.tsx';
import { RegistrationFields } from './registration-fields.tsx';

export interface PayeeDialogProps {
  payeeId: string;
  role: Role;
  details: PayeeDetails | null;
  isOwn: boolean;
  onClose: () => void;
}

/** PP-01: the status of a payee, and what it asks for. */
export default function PayeeDialog({ payeeId, role, details, isOwn, onClose }: PayeeDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useMemo(() => payeeForm(role, { asksMentions: isOwn }), [role, isOwn]);
  const [opened] = useState({
    status: details?.status ?? null,
    legal_name: details?.legalName ?? '',
    first_name: details?.firstName ?? '',
    last_name: details?.lastName ?? '',
    street: details?.address?.street ?? '',
    postal_code: details?.address?.postalCode ?? '',
    city: details?.address?.city ?? '',
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
  const chargesVat = useWatch({ control, name: 'charges_vat' });
  const change = useMutation({
    mutationFn: () => updatePayee(payeeId, edit.changes()),
    onError: edit.showChanged,
    onSuccess: () => {
      onClose();
      toast.success(t(payeeDetailsSaved));
    },
  });
  const number = { autoComplete: 'off', spellCheck: false, className: 'tabular-digits max-w-64' } as const;
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
      <RadioGroup
        legend={isOwn ? t('Vous êtes') : t('Statut')}
        columns={2}
        options={payeeStatusesOf(role).map((value) => ({
          value,
          label: t(payeeStatusLabels[value]),
          description: t(payeeStatusHints[value]),
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
          />
          {(isBusiness(status) || status === 'association') && (
            <Field
              label={t('SIREN')}
              optional={status === 'association'}
              hint={t('Neuf chiffres.')}
              error={errors.siren?.message}
            >
              <TextInput inputMode="numeric" {...number} {...register('siren')} />
            </Field>
          )}
          {(isBusiness(status) || status === 'association') && (
            <Field
              label={t('SIRET')}
              optional={!isOwn || status === 'association'}
              hint={t('Le SIREN, puis cinq chiffres. Les pièces et la déclaration DAS2 le portent.')}
              error={errors.siret?.message}
            >
              <TextInput inputMode="numeric" {...number} {...register('siret')} />
            </Field>
          )}
          {status === 'association' && (
            <Field
              label={t('Numéro au répertoire (RNA)')}
              optional
              hint={t('À défaut de SIREN : W suivi de neuf signes.')}
              error={errors.rna?.message}
            >
              <TextInput {...number} {...register('rna')} />
            </Field>
          )}
          {(status === 'societe' || status === 'agent') && (
            <RegistrationFields
              company={
                status === 'societe' ? { legalForm: register('legal_form'), capital: register('capital') } : null
              }
              registryCity={register('registry_city')}
              registry={registryOf(status)}
              errors={errors}
              isOptional={!isOwn}
            />
          )}
          {isBusiness(status) && (
            <>
              <Checkbox
                label={isOwn ? t('Je facture la TVA') : t('Facture la TVA')}
                description={t('Sinon : « TVA non applicable, art. 293 B du CGI ».')}
                {...register('charges_vat')}
              />
              {chargesVat === true && (
                <>
                  <Field label={t('Numéro de TVA')} error={errors.vat_number?.message}>
                    <TextInput {...number} {...register('vat_number')} />
                  </Field>
                  <Notice>
                    {t(
                      'Les barèmes s’entendent alors hors taxes. Avec le mandat d’autofacturation, la TVA est versée en plus ; sans lui, elle se facture à part.',
                    )}
                  </Notice>
                </>
              )}
            </>
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
