import { importFieldsOf, type ImportKind } from '@parrain/domain/forms/import';
import { missingColumns, type ImportColumns } from '@parrain/domain/forms/import-file';
import { sourceLengthMax } from '@parrain/domain/forms/limits';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReadFile, ReadingChoice } from '#api/people/imports';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';
import { ReadingChoices } from './reading-choices.tsx';

export interface ColumnsStepProps {
  kind: ImportKind;
  file: ReadFile;
  columns: ImportColumns;
  onChange: (columns: ImportColumns) => void;
  /** Reading that the person chose for the file; `isReading` while the file is read again. */
  chosen: ReadingChoice;
  onChoose: (choice: ReadingChoice) => void;
  isReading: boolean;
  /** Chooses whose the clients become; none where they are one's own. */
  commercial: ReactNode;
  /** The software whose references a column holds. */
  source: string;
  onSourceChange: (source: string) => void;
  error: string | undefined;
}

/** Each column of the file with some of its cells, and what it is. */
export function ColumnsStep({
  kind,
  file,
  columns,
  onChange,
  chosen,
  onChoose,
  isReading,
  commercial,
  source,
  onSourceChange,
  error,
}: ColumnsStepProps) {
  const { t } = useTranslation();
  const definition = importFieldsOf[kind];
  const options = [
    { value: 'none', label: t('Ne pas importer') },
    ...definition.fields
      .filter((field) => field !== 'commercial' || commercial !== undefined)
      .map((field) => ({ value: field, label: t(definition.labels[field] ?? field) })),
  ];
  const choose = (place: number, field: string) =>
    onChange(
      columns.map((known, other) => {
        if (other === place) return field === 'none' ? '' : field;
        // A field is one column: the one that it was lets it go.
        return known === field ? '' : known;
      }),
    );
  const missing = missingColumns(definition, columns);
  return (
    <div className="flex flex-col gap-5">
      <ReadingChoices reading={file.reading} chosen={chosen} onChoose={onChoose} disabled={isReading} />
      <ul className="divide-y divide-hairline rounded-field border border-hairline px-4">
        {file.titles.map((title, place) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- a column is its place in the file
            key={place}
            className="flex items-center justify-between gap-x-6 gap-y-2 py-3 max-sm:flex-col max-sm:items-stretch"
          >
            <span className="min-w-0 flex-1">
              <span className="block font-medium break-words">
                {title || t('Colonne {{place}}', { place: place + 1 })}
              </span>
              <span className="block truncate text-sm text-encre-soft">
                {file.samples[place]?.join(' · ') || t('Colonne vide')}
              </span>
            </span>
            <Select
              size="sm"
              label={t('Contenu de « {{title}} »', { title: title || String(place + 1) })}
              value={columns[place] || 'none'}
              options={options}
              onValueChange={(field) => choose(place, field)}
              className="sm:w-72"
            />
          </li>
        ))}
      </ul>
      {missing !== null && <Notice tone="warning">{t(missing)}.</Notice>}
      {columns.includes('reference') && (
        <Field
          label={t('Logiciel d’où viennent ces références')}
          hint={t('Toujours le même nom : un parrainage se retrouve par ce nom et sa référence.')}
        >
          <TextInput
            value={source}
            maxLength={sourceLengthMax}
            onChange={(event) => onSourceChange(event.target.value)}
          />
        </Field>
      )}
      {columns.includes('call_agreement') && (
        <Notice tone="info">
          {t('Un « non » est suivi. Un « oui » n’est pas enregistré : seul le filleul peut donner son accord.')}
        </Notice>
      )}
      {commercial !== undefined && (
        <Field
          label={t('Commercial des clients importés')}
          optional
          hint={t('Là où le fichier n’en nomme pas. Sans commercial, un client ne peut pas encore parrainer.')}
        >
          {commercial}
        </Field>
      )}
      {error && <Notice tone="error">{error}</Notice>}
    </div>
  );
}
