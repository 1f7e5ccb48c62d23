import { formatExact } from '@parrain/domain/commission-steps';
import { amountInvalid, contractAmountNotPositive } from '@parrain/domain/messages';
import { formatAmount, formatEuros, parseEuros, type Cents } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { previewOwnCommission, type OwnPreview } from '#api/sales/own-preview';
import { messageOf } from '#api/transport/api-error';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { SumLines } from './sum-explain.tsx';

export interface IfSignedProps {
  saleId: string;
  /** The amount that is noted already. */
  contractAmount: Cents | null;
}

/** SC-05: « Si ce contrat signe à … »: what its reader would earn, step by step. It promises nothing. */
export default function IfSigned({ saleId, contractAmount }: IfSignedProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(contractAmount === null ? '' : formatAmount(contractAmount));
  const [wrong, setWrong] = useState<string>();
  const ask = useMutation({ mutationFn: (contract: Cents) => previewOwnCommission(saleId, contract) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const contract = parseEuros(typed);
    const isPositive = contract !== null && contract > 0n;
    setWrong(isPositive ? undefined : t(contract === null ? amountInvalid : contractAmountNotPositive));
    if (isPositive) ask.mutate(contract);
  };
  return (
    <section className="border-t border-hairline pt-5">
      <form method="post" noValidate className="flex flex-col items-start gap-3" onSubmit={submit}>
        <Field label={t('Si ce contrat signe à')} className="w-full sm:max-w-60" error={wrong}>
          <AmountInput
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              ask.reset();
            }}
          />
        </Field>
        <Button type="submit" pending={ask.isPending}>
          {t('Calculer ma commission')}
        </Button>
      </form>
      <div aria-live="polite" className="mt-3 text-sm">
        {ask.isError && <Notice tone="error">{messageOf(ask.error, t('Le calcul n’a pas abouti. Réessayez.'))}</Notice>}
        {ask.data === null && (
          <p>{t('Aucun barème ne s’applique encore à ce contrat : l’entreprise le choisit à la validation.')}</p>
        )}
        {ask.data && <Answer preview={ask.data} />}
      </div>
    </section>
  );
}

function Answer({ preview: { contract, steps, amount, sentences } }: { preview: OwnPreview }) {
  const { t } = useTranslation();
  return (
    <>
      {sentences.length > 0 && <p className="text-encre">{sentences.join(' ')}</p>}
      <SumLines
        lines={[
          { label: t('Contrat'), value: formatEuros(contract) },
          ...steps.map(({ label, amount: part }) => ({ label: t(label), value: formatExact(part) })),
        ]}
        result={{ label: t('Votre commission'), value: <Amount cents={amount} /> }}
      />
      <p className="mt-2 text-encre-soft">
        {t(
          'Une estimation d’aujourd’hui : la validation retient le barème de ce jour-là, et compte ce qui sera signé avant.',
        )}
      </p>
    </>
  );
}
