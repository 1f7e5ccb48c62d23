import { zodResolver } from '@hookform/resolvers/zod';
import { burstMax, doubtRules, doubtRuleWords } from '@parrain/domain/doubt';
import { doubtRuleForm } from '@parrain/domain/forms/doubtful-case';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import {
  doubtHoldQuery,
  doubtRulesQuery,
  setDoubtHold,
  setDoubtRule,
  type DoubtRuleFigures,
} from '#api/company/doubtful-cases';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { Checkbox } from '#ui/checkbox';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';

/** FD-01: the rules, each with what became of its cases: one that errs can be told, and turned off. */
export function Rules() {
  const { t } = useTranslation();
  const rules = useQuery(doubtRulesQuery);
  return (
    <Card className="mt-5">
      <CardHeader
        title={t('Règles')}
        description={t('Une règle décochée ne signale plus rien. Les chiffres sont ceux des douze derniers mois.')}
        level={3}
      />
      {rules.data === undefined ? (
        rules.isError ? (
          <ErrorState onRetry={() => void rules.refetch()} pending={rules.isFetching} />
        ) : (
          <div role="status" className="p-5">
            <span className="sr-only">{t('Chargement : règles')}</span>
            <Skeleton className="h-40 w-full" />
          </div>
        )
      ) : (
        <>
          <Hold />
          <ul className="grid gap-3 p-4 sm:p-5 lg:grid-cols-2">
            {doubtRules.map((code) => {
              const rule = rules.data.find((one) => one.code === code);
              return rule && <Rule key={code} rule={rule} />;
            })}
            {rules.data.map((rule) => rule.most !== null && <Burst key={rule.code} rule={rule} most={rule.most} />)}
          </ul>
        </>
      )}
    </Card>
  );
}

/** Checkbox that keeps the money of a case; in force as soon as it is ticked. */
function Hold() {
  const { t } = useTranslation();
  const toast = useToast();
  const { data: isHeld } = useQuery(doubtHoldQuery);
  const [asked, setAsked] = useState<boolean>();
  const change = useMutation({
    mutationFn: setDoubtHold,
    onSuccess: ({ message, waits }) => {
      toast.success(message);
      // A change that waits for another admin is not in force.
      if (waits === true) setAsked(undefined);
    },
    onError: () => setAsked(undefined),
  });
  return (
    <div className="flex flex-col gap-3 px-4 pt-4 sm:px-5 sm:pt-5">
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Checkbox
        label={t('Retenir l’argent jusqu’à votre décision')}
        description={t(
          'Les commissions du client et du commercial sont gagnées et restent « à venir » ; la demande de paiement ne peut pas être approuvée. Chacun lit qu’une vérification est en cours, pas laquelle. Ce qui est déjà retenu le reste, même si vous décochez.',
        )}
        checked={asked ?? isHeld ?? false}
        disabled={isHeld === undefined}
        aria-busy={change.isPending}
        onChange={(event) => {
          if (change.isPending) return;
          setAsked(event.target.checked);
          change.mutate(event.target.checked);
        }}
      />
    </div>
  );
}

function Rule({ rule }: { rule: DoubtRuleFigures }) {
  const { t } = useTranslation();
  const toast = useToast();
  // Ticked at once, and unticked again where the server refuses.
  const [asked, setAsked] = useState<boolean>();
  const change = useMutation({
    mutationFn: (isOn: boolean) => setDoubtRule(rule.code, { is_on: isOn, seen: {} }),
    onSuccess: () => toast.success(t(settingsSaved)),
    onError: () => setAsked(undefined),
  });
  const { label, looksAt } = doubtRuleWords[rule.code];
  return (
    <li className="flex flex-col gap-3">
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Checkbox
        className="h-full"
        label={t(label)}
        description={
          <>
            <span className="block">{t(looksAt)}</span>
            <span className="tabular-digits mt-1 block">{figuresText(rule, t)}</span>
          </>
        }
        checked={asked ?? rule.isOn}
        aria-busy={change.isPending}
        onChange={(event) => {
          if (change.isPending) return;
          setAsked(event.target.checked);
          change.mutate(event.target.checked);
        }}
      />
    </li>
  );
}

/** « 12 cas : 2 confirmés, 9 sans suite ». */
function figuresText({ opened, confirmed, cleared }: DoubtRuleFigures, t: (key: string) => string): string {
  if (opened === 0) return t('Aucun cas');
  const ends = [
    confirmed > 0 && countText(confirmed, t('confirmé'), t('confirmés')),
    cleared > 0 && `${cleared} ${t('sans suite')}`,
  ].filter(Boolean);
  return `${countText(opened, t('cas'), t('cas'))}${ends.length > 0 ? ` : ${ends.join(', ')}` : ''}`;
}

function Burst({ rule, most }: { rule: DoubtRuleFigures; most: number }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ rule: rule.code, is_on: rule.isOn, most: String(most) as string | number | null });
  const form = useForm({ resolver: zodResolver(doubtRuleForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => setDoubtRule(rule.code, edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  return (
    <li>
      <form
        method="post"
        noValidate
        aria-label={t('Nombre habituel')}
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
      >
        <Field label={t('Parrainages habituels en une heure')} error={form.formState.errors.most?.message}>
          <TextInput
            type="number"
            min={1}
            max={burstMax}
            inputMode="numeric"
            className="max-w-28"
            {...form.register('most')}
          />
        </Field>
        <Button type="submit" size="sm" pending={change.isPending}>
          {t('Appliquer')}
        </Button>
        {change.isError && (
          <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
        )}
      </form>
    </li>
  );
}
