import type { FieldErrors, UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { RadioGroup } from '#ui/radio-group';
import { TextInput } from '#ui/text-input';

interface FileFieldsProps {
  day: UseFormRegisterReturn<'execution_on'>;
  format: UseFormRegisterReturn<'format'>;
  errors: FieldErrors<{ execution_on?: string | null | undefined }>;
}

/** PO-01: the day on which the bank pays, and the version of its file. */
export function FileFields({ day, format, errors }: FileFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('Jour d’exécution')} hint={t('Jour ouvré bancaire.')} error={errors.execution_on?.message}>
        <TextInput type="date" className="max-w-48" {...day} />
      </Field>
      {/* Folded: banks take the present one. */}
      <details>
        <summary className="tap-target cursor-pointer text-sm text-encre-soft">{t('Format du fichier')}</summary>
        <div className="mt-3">
          <RadioGroup
            legend={t('Format du fichier')}
            legendHidden
            options={[
              { value: '09', label: t('Format SEPA actuel'), description: 'pain.001.001.09' },
              {
                value: '03',
                label: t('Ancien format, si votre banque l’exige encore'),
                description: 'pain.001.001.03',
              },
            ]}
            {...format}
          />
        </div>
      </details>
    </>
  );
}
