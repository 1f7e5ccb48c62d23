import { dayOf, formatDate } from '@parrain/domain/date';
import { sideSentence } from '@parrain/domain/scale-rules';
import { versionOn, type ScaleVersion } from '@parrain/domain/scale-version';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { scaleVersionsQuery } from '#api/scales/scale-versions';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Select } from '#ui/select';
import { Textarea } from '#ui/textarea';

/** Another version of a scale than that of the day, and why (SC-01). */
export interface ChosenVersion {
  scaleId: string;
  version: ScaleVersion;
  reason: string;
}

interface VersionChoiceProps {
  scaleId: string;
  chosen: ChosenVersion | null;
  onChange: (chosen: ChosenVersion | null) => void;
}

/** On demand: another version of the scale, with its reason. Nothing where the scale has had one alone. */
export default function VersionChoice({ scaleId, chosen, onChange }: VersionChoiceProps) {
  const { t } = useTranslation();
  const { data: versions = [] } = useQuery(scaleVersionsQuery(scaleId));
  const [today] = useState(() => dayOf(new Date()));
  const standing = versions.filter(({ withdrawnAt }) => withdrawnAt === null);
  const current = versionOn(standing, today);
  const others = standing.filter(({ id }) => id !== current?.id);
  // One that has ruled was promised more often than one to come.
  const other = others.find(({ firstDay }) => firstDay <= today) ?? others[0];
  if (current === undefined || other === undefined) return null;
  if (chosen === null || chosen.scaleId !== scaleId) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-sm text-encre-soft">
          {t('Version {{number}} du {{day}}, celle d’aujourd’hui.', {
            number: current.number,
            day: formatDate(current.firstDay),
          })}
        </p>
        <Button size="sm" onClick={() => onChange({ scaleId, version: other, reason: '' })}>
          {t('Prendre une autre version')}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Field label={t('Version du barème')}>
        <Select
          value={chosen.version.id}
          onValueChange={(id) => {
            const version = standing.find((each) => each.id === id);
            if (version !== undefined) onChange(version.id === current.id ? null : { ...chosen, version });
          }}
          options={standing.map(({ id, number, firstDay, scale }) => ({
            value: id,
            label: t(firstDay > today ? 'Version {{number}} du {{day}}, à venir' : 'Version {{number}} du {{day}}', {
              number,
              day: formatDate(firstDay),
            }),
            description: t('{{client}} client · {{commercial}} commercial', {
              client: sideSentence(scale.client),
              commercial: sideSentence(scale.commercial),
            }),
          }))}
        />
      </Field>
      <Field
        label={t('Pourquoi cette version')}
        hint={t('Gardé avec le contrat : le parrain et le commercial le lisent sous « Pourquoi ? ».')}
      >
        <Textarea
          rows={2}
          value={chosen.reason}
          onChange={(event) => onChange({ ...chosen, reason: event.currentTarget.value })}
        />
      </Field>
    </div>
  );
}
