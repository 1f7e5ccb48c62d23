import type { UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface Failed {
  readonly message?: string | undefined;
}

export interface RegistrationFieldsProps {
  /** Null of an agent commercial, who has neither. */
  company: { readonly legalForm: UseFormRegisterReturn; readonly capital: UseFormRegisterReturn } | null;
  registryCity: UseFormRegisterReturn;
  registry: 'RCS' | 'RSAC';
  errors: {
    legal_form?: Failed | undefined;
    capital?: Failed | undefined;
    registry_city?: Failed | undefined;
  };
  /** An admin may not know them of somebody else. */
  isOptional: boolean;
}

/** Legal form, capital and registry, which the law asks of a company's papers; the registry, of an agent's (AC-07). */
export function RegistrationFields({ company, registryCity, registry, errors, isOptional }: RegistrationFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      {company !== null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={t('Forme juridique')}
            optional={isOptional}
            hint={t('Par exemple SARL, ou SAS à capital variable.')}
            error={errors.legal_form?.message}
          >
            <TextInput autoComplete="off" {...company.legalForm} />
          </Field>
          <Field
            label={t('Capital social')}
            optional={isOptional}
            hint={t('En euros.')}
            error={errors.capital?.message}
          >
            <TextInput autoComplete="off" inputMode="decimal" className="tabular-digits" {...company.capital} />
          </Field>
        </div>
      )}
      <Field
        label={t('Greffe du {{registry}}', { registry })}
        optional={isOptional}
        hint={
          registry === 'RCS'
            ? t('La ville de l’immatriculation, par exemple Rennes.')
            : t('La ville de l’inscription au registre spécial des agents commerciaux, par exemple Rennes.')
        }
        error={errors.registry_city?.message}
      >
        <TextInput autoComplete="off" {...registryCity} />
      </Field>
    </>
  );
}
