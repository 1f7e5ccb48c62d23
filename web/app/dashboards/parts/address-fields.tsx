import type { UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface Failed {
  readonly message?: string | undefined;
}

export interface AddressFieldsProps {
  street: UseFormRegisterReturn;
  postalCode: UseFormRegisterReturn;
  city: UseFormRegisterReturn;
  errors: { street?: Failed | undefined; postal_code?: Failed | undefined; city?: Failed | undefined };
  /** The browser proposes one's own address, not that of somebody else. */
  isOwn: boolean;
  isAbroad?: boolean;
}

/** A postal address; abroad, with a postal code of any form. */
export function AddressFields({ street, postalCode, city, errors, isOwn, isAbroad = false }: AddressFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('Numéro et rue')} error={errors.street?.message}>
        <TextInput autoComplete={isOwn ? 'street-address' : 'off'} {...street} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-[9rem_1fr]">
        <Field label={t('Code postal')} error={errors.postal_code?.message}>
          <TextInput
            autoComplete={isOwn ? 'postal-code' : 'off'}
            inputMode={isAbroad ? 'text' : 'numeric'}
            className="tabular-digits"
            {...postalCode}
          />
        </Field>
        <Field label={t('Ville')} error={errors.city?.message}>
          <TextInput autoComplete={isOwn ? 'address-level2' : 'off'} {...city} />
        </Field>
      </div>
    </>
  );
}
