import { exceedsContract, explainCommission } from '@parrain/domain/commission';
import { commissionScaleForm } from '@parrain/domain/forms/commission-scale';
import { parseForm } from '@parrain/domain/forms/parse-form';
import { formatAmount, parseEuros, type Cents } from '@parrain/domain/money';
import {
  earned,
  exampleContract,
  freshStanding,
  hasExtraRules,
  sideExample,
  sideSentence,
  type RuledSide,
} from '@parrain/domain/scale-rules';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { rulesToSend } from './rules-draft.ts';
import type { ScaleValues } from './use-scale-form.ts';

const ScaleCurve = lazyPart(() => import('./scale-curve.tsx'));

/** A preview of the typed scale on a payee's first contract, computed as the validation will (AD-08, M-01, SC-02). */
export function ScalePreview({ values }: { values: Partial<ScaleValues> }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string>();
  const sides = { client: sideOf('client', values), commercial: sideOf('commercial', values) };
  const example = typed ?? formatAmount(exampleOf(Object.values(sides)));
  const contractAmount = parseEuros(example);
  const client = gainOf(sides.client, contractAmount, t);
  const commercial = gainOf(sides.commercial, contractAmount, t);
  const exceeds =
    client.cents !== undefined &&
    commercial.cents !== undefined &&
    contractAmount !== null &&
    exceedsContract(contractAmount, { client: client.cents, commercial: commercial.cents });
  return (
    <section aria-label={t('Aperçu')} className="rounded-field border border-hairline bg-papier p-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p className="min-w-0 basis-40 text-sm text-encre-soft">{t('Aperçu sur un contrat de')}</p>
        <Field label={t('Montant du contrat en exemple')} labelHidden optional className="w-40">
          <AmountInput value={example} onChange={(event) => setTyped(event.currentTarget.value)} />
        </Field>
      </div>
      <dl aria-live="polite" className="mt-3 grid gap-2 border-t border-hairline pt-3">
        <Line label={t('Le client reçoit')} {...client} />
        <Line label={t('Le commercial reçoit')} {...commercial} />
      </dl>
      {exceeds && (
        <Notice tone="warning" className="mt-3">
          {t('Sur ce montant, les commissions dépasseraient le contrat.')}
        </Notice>
      )}
    </section>
  );
}

/** A side that is typed, as soon as it is whole: the other may still be empty. Else what is missing or wrong. */
function sideOf(side: 'client' | 'commercial', values: Partial<ScaleValues>): RuledSide | string {
  const type = values[`${side}_commission_type`] ?? 'percentage';
  const amount = values[`${side}_commission_amount`] ?? '';
  const rules = rulesToSend(values[`${side}_rules`], type);
  const plain = {
    name: 'x',
    description: null,
    client_commission_type: type,
    client_commission_amount: amount,
    commercial_commission_type: type,
    commercial_commission_amount: amount,
    client_hold_days: 0,
    from_contract_amount: null,
  };
  if (amount.trim() === '') return missing[side];
  // The field says what is wrong of it.
  if (!parseForm(commissionScaleForm, plain).ok) return 'Montant à corriger';
  const parsed = parseForm(commissionScaleForm, { ...plain, client_rules: rules });
  return parsed.ok ? parsed.value.scale.client : 'Paliers, plafonds ou prime à compléter';
}

const missing = { client: 'Saisissez le montant client', commercial: 'Saisissez le montant commercial' } as const;

/** A contract that shows the rules of both sides. */
function exampleOf(sides: readonly (RuledSide | string)[]): Cents {
  const examples = sides.flatMap((side) =>
    typeof side === 'string' || !hasExtraRules(side) ? [] : [exampleContract(side)],
  );
  return examples.reduce((most, each) => (each > most ? each : most), examples[0] ?? 100_000n);
}

interface Gain {
  readonly detail: string;
  readonly cents?: Cents;
  /** Drawn where the rules are more than a rate or an amount. */
  readonly curve?: { readonly side: RuledSide; readonly contract: Cents };
}

function gainOf(side: RuledSide | string, contract: Cents | null, t: (text: string) => string): Gain {
  if (typeof side === 'string') return { detail: t(side) };
  if (contract === null || contract <= 0n) return { detail: t('Saisissez le montant du contrat') };
  const cents = earned(contract, side, freshStanding(side)).amount;
  if (!hasExtraRules(side)) return { detail: explainCommission(contract, side), cents };
  return { detail: `${sideSentence(side)}\u00a0; ${sideExample(side, contract)}`, cents, curve: { side, contract } };
}

function Line({ label, detail, cents, curve }: Gain & { label: string }) {
  return (
    <div className="grid grid-cols-[1fr_auto] items-baseline gap-x-4 gap-y-1">
      <dt className="min-w-0">
        {label}
        <span className="block text-sm wrap-anywhere text-encre-faint">{detail}</span>
      </dt>
      <dd className="font-heading text-lg font-semibold">
        {cents === undefined ? <span className="text-encre-faint">—</span> : <Amount cents={cents} />}
      </dd>
      {curve && (
        <dd className="col-span-full">
          <ScaleCurve {...curve} label={label} />
        </dd>
      )}
    </div>
  );
}
