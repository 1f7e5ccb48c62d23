import { eeaCountries, sepaCountriesOutsideEea } from '@parrain/domain/eea';
import { useState } from 'react';
import { Controller, type Control, type FieldPath, type FieldValues, type UseFormRegister } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';

interface AbroadFieldsProps<Form extends FieldValues, Sent> {
  control: Control<Form, unknown, Sent>;
  register: UseFormRegister<Form>;
  nameOf: (field: AbroadField) => FieldPath<Form>;
  errorOf: (field: AbroadField) => string | undefined;
}

type AbroadField = 'bic' | 'street' | 'postal_code' | 'city' | 'country';

/** Asked of an account outside the European Economic Area (AC-09): the BIC of its bank, the address of its holder. */
export function AbroadFields<Form extends FieldValues, Sent>({
  control,
  register,
  nameOf,
  errorOf,
}: AbroadFieldsProps<Form, Sent>) {
  const { t } = useTranslation();
  const [countries] = useState(countryOptions);
  return (
    <>
      <Field
        label={t('BIC')}
        hint={t('Ce compte est hors de l’Espace économique européen : la banque demande le BIC et votre adresse.')}
        error={errorOf('bic')}
      >
        <TextInput
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="UBSWCHZH80A"
          {...register(nameOf('bic'))}
        />
      </Field>
      <Field label={t('Numéro et rue')} error={errorOf('street')}>
        <TextInput autoComplete="street-address" {...register(nameOf('street'))} />
      </Field>
      <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field label={t('Code postal')} error={errorOf('postal_code')}>
          <TextInput autoComplete="postal-code" {...register(nameOf('postal_code'))} />
        </Field>
        <Field label={t('Ville')} error={errorOf('city')}>
          <TextInput autoComplete="address-level2" {...register(nameOf('city'))} />
        </Field>
      </div>
      <Field label={t('Pays')} error={errorOf('country')}>
        <Controller
          control={control}
          name={nameOf('country')}
          render={({ field }) => (
            <Select
              options={countries}
              value={countries.find(({ value }) => value === field.value)?.value ?? null}
              onValueChange={field.onChange}
              onBlur={field.onBlur}
            />
          )}
        />
      </Field>
    </>
  );
}

/** Countries of SEPA, by their French names. */
function countryOptions() {
  const names = new Intl.DisplayNames('fr', { type: 'region' });
  return [...eeaCountries, ...sepaCountriesOutsideEea]
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, 'fr'));
}
