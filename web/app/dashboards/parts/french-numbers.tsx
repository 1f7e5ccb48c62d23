import type { PayeeFormInput } from '@parrain/domain/forms/payee';
import { isBusiness, registryOf, type PayeeStatus } from '@parrain/domain/payee';
import type { FieldErrors, UseFormRegister } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { RegistrationFields } from './registration-fields.tsx';

interface FrenchNumbersProps {
  status: PayeeStatus;
  isOwn: boolean;
  chargesVat: boolean;
  register: UseFormRegister<PayeeFormInput>;
  errors: FieldErrors<PayeeFormInput>;
}

/** Numbers and registration of a payee in France, as their status asks for them (PP-01), and their VAT. */
export function FrenchNumbers({ status, isOwn, chargesVat, register, errors }: FrenchNumbersProps) {
  const { t } = useTranslation();
  return (
    <>
      {(isBusiness(status) || status === 'association') && (
        <Field
          label={t('SIREN')}
          optional={status === 'association'}
          hint={t('Neuf chiffres.')}
          error={errors.siren?.message}
        >
          <TextInput inputMode="numeric" {...numberProps} {...register('siren')} />
        </Field>
      )}
      {(isBusiness(status) || status === 'association') && (
        <Field
          label={t('SIRET')}
          optional={!isOwn || status === 'association'}
          hint={t('Le SIREN, puis cinq chiffres. Les pièces et la déclaration DAS2 le portent.')}
          error={errors.siret?.message}
        >
          <TextInput inputMode="numeric" {...numberProps} {...register('siret')} />
        </Field>
      )}
      {status === 'association' && (
        <Field
          label={t('Numéro au répertoire (RNA)')}
          optional
          hint={t('À défaut de SIREN : W suivi de neuf signes.')}
          error={errors.rna?.message}
        >
          <TextInput {...numberProps} {...register('rna')} />
        </Field>
      )}
      {(status === 'societe' || status === 'agent') && (
        <RegistrationFields
          company={status === 'societe' ? { legalForm: register('legal_form'), capital: register('capital') } : null}
          registryCity={register('registry_city')}
          registry={registryOf(status)}
          errors={errors}
          isOptional={!isOwn}
        />
      )}
      {isBusiness(status) && <VatFields isOwn={isOwn} chargesVat={chargesVat} register={register} errors={errors} />}
    </>
  );
}

/** French VAT of a business, and its number: of Monaco's too, which gives no mandate (AC-08). */
export function VatFields({
  isOwn,
  isOfMonaco = false,
  chargesVat,
  register,
  errors,
}: Omit<FrenchNumbersProps, 'status'> & { isOfMonaco?: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Checkbox
        label={isOwn ? t('Je facture la TVA') : t('Facture la TVA')}
        description={isOfMonaco ? undefined : t('Sinon : « TVA non applicable, art. 293 B du CGI ».')}
        {...register('charges_vat')}
      />
      {chargesVat && (
        <>
          <Field
            label={t('Numéro de TVA')}
            hint={isOfMonaco ? t('FR, une clé de deux signes, puis 000 et six chiffres.') : undefined}
            error={errors.vat_number?.message}
          >
            <TextInput {...numberProps} {...register('vat_number')} />
          </Field>
          <Notice>
            {isOfMonaco
              ? t('Les barèmes s’entendent alors hors taxes. La TVA est versée en plus, avec une facture acceptée.')
              : t(
                  'Les barèmes s’entendent alors hors taxes. Avec le mandat d’autofacturation, la TVA est versée en plus ; sans lui, elle se facture à part.',
                )}
          </Notice>
        </>
      )}
    </>
  );
}

/** Look of the field of a number. */
export const numberProps = { autoComplete: 'off', spellCheck: false, className: 'tabular-digits max-w-64' } as const;
