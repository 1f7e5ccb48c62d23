import { commissionsOf, exceedsContract, explainCommission } from '@parrain/domain/commission';
import { commissionScaleForm } from '@parrain/domain/forms/commission-scale';
import { parseForm } from '@parrain/domain/forms/parse-form';
import { parseEuros, type Cents } from '@parrain/domain/money';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';

/** A preview of the typed scale on a contract, computed as the validation will (AD-08, M-01). */
export function ScalePreview({ values }: { values: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation();
  const [example, setExample] = useState('1 000,00');
  const contractAmount = parseEuros(example);
  const client = sideOf('client', values, contractAmount, t);
  const commercial = sideOf('commercial', values, contractAmount, t);
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
          <AmountInput value={example} onChange={(event) => setExample(event.currentTarget.value)} />
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

/** Commission of one side, as soon as that side is typed: the other may still be empty. Where it says no scale yet, what is missing or wrong. */
function sideOf(
  side: 'client' | 'commercial',
  values: Readonly<Record<string, unknown>>,
  contractAmount: Cents | null,
  t: (text: string) => string,
): { detail: string; cents?: Cents } {
  const type = values[`${side}_commission_type`];
  const amount = values[`${side}_commission_amount`];
  const parsed = parseForm(commissionScaleForm, {
    name: 'x',
    description: null,
    client_commission_type: type,
    client_commission_amount: amount,
    commercial_commission_type: type,
    commercial_commission_amount: amount,
    client_hold_days: 0,
    from_contract_amount: null,
  });
  if (typeof amount !== 'string' || amount.trim() === '') return { detail: t(missing[side]) };
  // The field says what is wrong of it.
  if (!parsed.ok) return { detail: t('Montant à corriger') };
  if (contractAmount === null || contractAmount <= 0n) return { detail: t('Saisissez le montant du contrat') };
  const { scale } = parsed.value;
  return { cents: commissionsOf(contractAmount, scale)[side], detail: explainCommission(contractAmount, scale[side]) };
}

const missing = { client: 'Saisissez le montant client', commercial: 'Saisissez le montant commercial' } as const;

function Line({ label, detail, cents }: { label: string; detail: string; cents?: Cents }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="min-w-0">
        {label}
        <span className="block text-sm text-encre-faint">{detail}</span>
      </dt>
      <dd className="font-heading text-lg font-semibold">
        {cents === undefined ? <span className="text-encre-faint">—</span> : <Amount cents={cents} />}
      </dd>
    </div>
  );
}
