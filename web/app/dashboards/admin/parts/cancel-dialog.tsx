import { explainCommission, takenBack } from '@parrain/domain/commission';
import {
  amountInvalid,
  cancellationReasonRequired,
  contractReduced,
  contractReducedDetail,
  correctedAmountOutOfRange,
  validationCancelled,
  validationCancelledDetail,
} from '@parrain/domain/messages';
import { formatEuros, parseEuros, type Cents } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { referrerName, type Sale } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { cancelValidation } from '#api/sales/cancel-validation';
import type { SaleDetail } from '#api/sales/sale';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { RadioGroup } from '#ui/radio-group';
import { useToast } from '#ui/toast';
import { ReasonDialog } from './reason-dialog.tsx';

/** S-11, LG-04: a validated contract is taken back, in whole or in part. The consequence is said before: who gives back what, and why. */
export function CancelDialog({ detail, onClose }: { detail: SaleDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  // What was on screen is what is decided on: a change behind the dialog is refused and shown.
  const [{ sale, contractLeft: before }] = useState(detail);
  const [extent, setExtent] = useState<'whole' | 'part'>('whole');
  const [typed, setTyped] = useState('');
  const [isLeft, setIsLeft] = useState(false);
  const isPart = extent === 'part';
  const { after, fault } = isPart ? readAmount(typed, before) : { after: 0n, fault: undefined };
  const cancellation = useMutation({
    mutationFn: (decided: { reason: string; after: Cents }) =>
      cancelValidation(sale, { before, after: decided.after }, decided.reason),
    onSuccess: () => {
      if (isPart) toast.success(t(contractReduced), { description: t(contractReducedDetail) });
      else toast.success(t(validationCancelled), { description: t(validationCancelledDetail) });
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t('Annuler la validation du contrat {{ofName}} ?', { ofName: ofName(sale.referredContactName) })}
      description={t(
        'Rien n’est effacé : une écriture inverse est enregistrée, et les commissions sont reprises d’autant. Si le client a déjà été payé, son solde devient négatif. Cette décision est définitive.',
      )}
      reasonLabel={t('Raison de l’annulation')}
      requiredMessage={cancellationReasonRequired}
      confirmLabel={isPart ? t('Réduire le contrat') : t('Annuler la validation')}
      cancelLabel={t('Ne rien changer')}
      pending={cancellation.isPending}
      error={cancellation.isError ? messageOf(cancellation.error, t('Erreur lors de la mise à jour')) : undefined}
      onConfirm={(reason) => (after === undefined ? setIsLeft(true) : cancellation.mutate({ reason, after }))}
      onClose={onClose}
    >
      <RadioGroup
        look="segmented"
        legend={t('Ce qui est annulé')}
        options={[
          { value: 'whole', label: t('Tout le contrat') },
          { value: 'part', label: t('Une partie') },
        ]}
        value={extent}
        onValueChange={setExtent}
      />
      {isPart && (
        <Field
          label={t('Nouveau montant du contrat')}
          hint={t('Montant actuel : {{amount}}.', { amount: formatEuros(before) })}
          error={isLeft ? fault : undefined}
        >
          <AmountInput
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => setIsLeft(typed !== '')}
          />
        </Field>
      )}
      {after !== undefined && <Receipt sale={sale} before={before} after={after} />}
    </ReasonDialog>
  );
}

/** What is to be left of the contract, or why it cannot be. */
function readAmount(typed: string, before: Cents): { after: Cents | undefined; fault: string | undefined } {
  const after = parseEuros(typed);
  if (after === null || after === undefined) return { after: undefined, fault: amountInvalid };
  if (after <= 0n || after >= before) return { after: undefined, fault: correctedAmountOutOfRange(before) };
  return { after, fault: undefined };
}

/** What goes back of each commission, computed as the database will compute it. */
function Receipt({ sale, before, after }: { sale: Sale; before: Cents; after: Cents }) {
  const { t } = useTranslation();
  const { scale } = sale;
  if (scale === null) return null;
  const taken = takenBack(sale, { before, after }, scale);
  const lines = [
    { who: referrerName(sale), part: t('Commission client'), side: scale.client, cents: taken.client },
    { who: sale.commercialName, part: t('Commission commercial'), side: scale.commercial, cents: taken.commercial },
  ].filter(({ who }) => who !== null);
  return (
    <section
      aria-label={t('Ce qui sera enregistré')}
      aria-live="polite"
      className="rounded-field border border-hairline bg-papier"
    >
      <dl className="divide-y divide-hairline px-4">
        <div className="flex items-baseline justify-between gap-4 py-2.5">
          <dt>{after === 0n ? t('Contrat') : t('Contrat, ramené à {{amount}}', { amount: formatEuros(after) })}</dt>
          <dd className="shrink-0">
            <Amount cents={after - before} className="font-medium" />
          </dd>
        </div>
        {lines.map(({ who, part, side, cents }) => (
          <div key={part} className="flex items-baseline justify-between gap-4 py-2.5">
            <dt className="min-w-0">
              <span className="break-words">{who}</span>
              <span className="block text-sm text-encre-soft">
                {after === 0n ? part : `${part} · ${explainCommission(after, side)}`}
              </span>
            </dt>
            <dd className="shrink-0">
              <Amount cents={-cents} className="font-medium" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
