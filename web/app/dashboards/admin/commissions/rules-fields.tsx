import type { CommissionType } from '@parrain/domain/commission';
import { stepsMax, type ScaleSteps, type StepWindow } from '@parrain/domain/scale-rules';
import { Plus, X } from 'lucide-react';
import { useRef, useState, type FocusEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { IconButton } from '#ui/icon-button';
import { Select } from '#ui/select';
import {
  emptyStep,
  readRules,
  stepsChoices,
  type RuleAmount,
  type RuleFaults,
  type RuleField,
  type RulesDraft,
  type StepDraft,
  type StepsChoice,
} from './rules-draft.ts';

interface RulesFieldsProps {
  /** « Commission du client parrain ». */
  legend: string;
  type: CommissionType;
  value: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  /** True once the form was sent: what is still empty is said too. */
  wasSent: boolean;
  /** True where somebody has just asked for it: the focus was on what it stands in place of. */
  isAsked: boolean;
}

const stepsLabels: Readonly<Record<StepsChoice, string>> = {
  none: 'Aucun',
  slice: 'Par tranche',
  reached: 'Au palier atteint',
  count: 'Par nombre de contrats',
};
const stepsHints: Readonly<Record<StepsChoice, string | undefined>> = {
  none: undefined,
  slice: 'Chaque part du contrat au taux de sa tranche.',
  reached: 'Le contrat entier au palier que le cumul atteint.',
  count: 'Chaque contrat au taux de son rang.',
};
const windowLabels: Readonly<Record<StepWindow, string>> = {
  year: 'Par an',
  quarter: 'Par trimestre',
  lifetime: 'Depuis le début',
};
const capLabels: Readonly<Record<StepWindow, string>> = {
  year: 'Plafond par an',
  quarter: 'Plafond par trimestre',
  lifetime: 'Plafond en tout',
};
const countsLabels: Readonly<Record<ScaleSteps['countsOver'], string>> = {
  scale: 'De ce barème',
  all: 'De tous les barèmes',
};

/** Steps, caps, smallest contract and bonus of one side of a scale, on demand (SC-02). */
export default function RulesFields({ legend, type, value, onChange, wasSent, isAsked }: RulesFieldsProps) {
  const { t } = useTranslation();
  // A field is not corrected while somebody is in it for the first time.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { faults } = readRules(value, type);
  const faultOf = (field: RuleField) =>
    faults[field] !== undefined && (field === 'steps' || wasSent || left.has(field)) ? t(faults[field]) : undefined;
  const leave = ({ target }: FocusEvent<HTMLInputElement>) => setLeft((names) => new Set([...names, target.name]));
  const change = (part: Partial<RulesDraft>) => onChange({ ...value, ...part });
  const hasWindow = value.steps !== 'none' || value.capPeriod.trim() !== '';
  const amounts: readonly { key: RuleAmount; label: string }[] = [
    { key: 'capContract', label: t('Plafond par contrat') },
    { key: 'capPeriod', label: t(capLabels[value.window]) },
    { key: 'minContract', label: t('Contrat minimum') },
    { key: 'bonusFirst', label: t('Prime du premier contrat') },
  ];
  return (
    <fieldset ref={isAsked ? focusFirst : undefined} className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">{t('{{side}} : paliers, plafonds, prime', { side: legend })}</legend>
      <Field label={t('Paliers')} hint={optionalText(stepsHints[value.steps], t)} error={faultOf('steps')}>
        <Select<StepsChoice>
          value={value.steps}
          onValueChange={(steps) =>
            change({ steps, above: steps !== 'none' && value.above.length === 0 ? [emptyStep] : value.above })
          }
          options={stepsChoices.map((choice) => ({ value: choice, label: t(stepsLabels[choice]) }))}
        />
      </Field>
      {value.steps !== 'none' && (
        <StepRows draft={value} type={type} onChange={change} onLeave={leave} faultOf={faultOf} />
      )}
      {hasWindow && (
        <Field label={t('Période')}>
          <Select<StepWindow>
            value={value.window}
            onValueChange={(window) => change({ window })}
            options={options(windowLabels, t)}
          />
        </Field>
      )}
      {value.steps !== 'none' && (
        <Field label={t('Contrats comptés')}>
          <Select<ScaleSteps['countsOver']>
            value={value.countsOver}
            onValueChange={(countsOver) => change({ countsOver })}
            options={options(countsLabels, t)}
          />
        </Field>
      )}
      {amounts.map(({ key, label }) => (
        <Field key={key} label={label} optional error={faultOf(key)}>
          <AmountInput
            name={key}
            value={value[key]}
            onChange={(event) => change({ [key]: event.target.value })}
            onBlur={leave}
          />
        </Field>
      ))}
    </fieldset>
  );
}

function focusFirst(fields: HTMLElement | null) {
  fields?.querySelector('button')?.focus();
}

interface StepRowsProps {
  draft: RulesDraft;
  type: CommissionType;
  onChange: (part: Pick<RulesDraft, 'above'>) => void;
  onLeave: (event: FocusEvent<HTMLInputElement>) => void;
  faultOf: (field: keyof RuleFaults) => string | undefined;
}

/** The steps beyond the first, which is the side's own rate or amount. */
function StepRows({ draft: { steps, above }, type, onChange, onLeave, faultOf }: StepRowsProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLOListElement>(null);
  const added = useRef(false);
  const isShare = type === 'percentage';
  const set = (index: number, part: Partial<StepDraft>) =>
    onChange({ above: above.map((row, place) => (place === index ? { ...row, ...part } : row)) });
  const remove = (index: number) => {
    // The rows after it move up: the one before it keeps its place and takes the focus.
    list.current?.querySelectorAll('li')[Math.max(index - 1, 0)]?.querySelector('input')?.focus();
    onChange({ above: above.filter((_, place) => place !== index) });
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-encre-soft">
        {isShare ? t('Le taux ci-dessus vaut d’abord, puis :') : t('Le montant ci-dessus vaut d’abord, puis :')}
      </p>
      <ol ref={list} aria-label={t('Paliers')} className="flex flex-col gap-2">
        {above.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a step is its place
          <li key={index} className="flex items-start gap-2">
            <Field
              label={t('Palier {{number}}, à partir de', { number: index + 2 })}
              labelHidden
              error={faultOf(`from.${index}`)}
              className="min-w-0 flex-1"
            >
              <AmountInput
                name={`from.${index}`}
                unit={steps === 'count' ? 'e' : '€'}
                placeholder={steps === 'count' ? t('dès le 4') : t('dès 10 000')}
                value={row.from}
                ref={(input) => {
                  if (input === null || !added.current || index !== above.length - 1) return;
                  added.current = false;
                  input.focus();
                }}
                onChange={(event) => set(index, { from: event.target.value })}
                onBlur={onLeave}
              />
            </Field>
            <Field
              label={t('Palier {{number}}, commission', { number: index + 2 })}
              labelHidden
              error={faultOf(`value.${index}`)}
              className="w-28 shrink-0"
            >
              <AmountInput
                name={`value.${index}`}
                unit={isShare ? '%' : '€'}
                placeholder={isShare ? '4' : '80,00'}
                value={row.value}
                onChange={(event) => set(index, { value: event.target.value })}
                onBlur={onLeave}
              />
            </Field>
            {above.length > 1 && (
              <IconButton
                label={t('Retirer le palier {{number}}', { number: index + 2 })}
                icon={<X />}
                className="mt-1"
                onClick={() => remove(index)}
              />
            )}
          </li>
        ))}
      </ol>
      {above.length < stepsMax - 1 && (
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          className="self-start"
          onClick={() => {
            added.current = true;
            onChange({ above: [...above, emptyStep] });
          }}
        >
          {t('Ajouter un palier')}
        </Button>
      )}
    </div>
  );
}

function options<Value extends string>(labels: Readonly<Record<Value, string>>, t: (key: string) => string) {
  return (Object.keys(labels) as Value[]).map((value) => ({ value, label: t(labels[value]) }));
}

function optionalText(text: string | undefined, t: (key: string) => string): string | undefined {
  return text === undefined ? undefined : t(text);
}
