import { separatorLabels, separators, textEncodingLabels, textEncodings } from '@parrain/domain/table-file';
import { useTranslation } from 'react-i18next';
import type { FileReading, ReadingChoice } from '#api/people/imports';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { countText } from '../count-text.ts';

export interface ReadingChoicesProps {
  reading: FileReading;
  chosen: ReadingChoice;
  /** The file is read again, as the person says. */
  onChoose: (choice: ReadingChoice) => void;
  disabled: boolean;
}

/** DF-31: how the file was read, each of it to be put right: sheet, line of titles, separator, encoding; and what was not read. */
export function ReadingChoices({ reading, chosen, onChoose, disabled }: ReadingChoicesProps) {
  const { t } = useTranslation();
  const { sheets, sheet, separator, encoding, header, head, oddLine, columnsLeft } = reading;
  // Another sheet, separator or encoding makes other lines: the titles are looked for anew.
  const { header: _, ...withoutTitles } = chosen;
  const above = head.filter(({ line }) => line < header);
  return (
    <section aria-label={t('Lecture du fichier')} className="flex flex-col gap-3">
      <div className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
        {sheets.length > 1 && sheet !== null && (
          <Field label={t('Feuille')} hint={t('Une seule feuille est importée à la fois.')}>
            <Select
              size="sm"
              disabled={disabled}
              value={sheet}
              options={sheets.map(({ name, isHidden }) => ({
                value: name,
                label: isHidden ? t('{{sheet}} (masquée)', { sheet: name }) : name,
              }))}
              onValueChange={(next) => onChoose({ ...withoutTitles, sheet: next })}
            />
          </Field>
        )}
        <Field label={t('Ligne des titres')}>
          <Select
            size="sm"
            disabled={disabled}
            value={String(header)}
            options={[
              { value: '0', label: t('Aucune') },
              ...head.map(({ line, text }) => ({
                value: String(line),
                label: t('{{line}} : {{text}}', { line, text }),
              })),
            ]}
            onValueChange={(next) => onChoose({ ...chosen, header: Number.parseInt(next, 10) })}
          />
        </Field>
        {separator !== null && (
          <Field label={t('Séparateur')}>
            <Select
              size="sm"
              disabled={disabled}
              value={separator}
              options={separators.map((value) => ({ value, label: t(separatorLabels[value]) }))}
              onValueChange={(next) => onChoose({ ...withoutTitles, separator: next })}
            />
          </Field>
        )}
        {encoding !== null && (
          <Field label={t('Encodage')}>
            <Select
              size="sm"
              disabled={disabled}
              value={encoding}
              options={textEncodings.map((value) => ({ value, label: t(textEncodingLabels[value]) }))}
              onValueChange={(next) => onChoose({ ...withoutTitles, encoding: next })}
            />
          </Field>
        )}
      </div>
      {above.length > 0 && (
        <Notice tone="info">
          {t('Au-dessus des titres, {{lines}}.', {
            lines: countText(above.length, t('ligne n’est pas importée'), t('lignes ne sont pas importées')),
          })}
        </Notice>
      )}
      {columnsLeft > 0 && (
        <Notice tone="warning">
          {countText(columnsLeft, t('colonne de trop n’est pas lue'), t('colonnes de trop ne sont pas lues'))}
          {t(' : déplacez au début du fichier celles qui comptent.')}
        </Notice>
      )}
      {oddLine !== null && (
        <Notice tone="warning">
          {t('La ligne {{line}} a un caractère d’un autre encodage que le reste : vérifiez-la.', { line: oddLine })}
        </Notice>
      )}
    </section>
  );
}
