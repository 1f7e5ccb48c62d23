import {
  contractCorrected,
  contractCorrectedDetail,
  correctedAmountInvalid,
  correctionReasonRequired,
} from '@parrain/domain/correction-messages';
import { amountInvalid } from '@parrain/domain/messages';
import { formatEuros, parseEuros, type Cents } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { correctContract } from '#api/sales/correct-contract';
import { correctionBasisQuery } from '#api/sales/correction-basis';
import type { SaleDetail } from '#api/sales/sale';
import { messageOf } from '#api/transport/api-error';
import { AmountInput } from '#ui/amount-input';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { CorrectionPreview, correctedCommissions } from './correction-preview.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

/** UI-11: a validated contract gets its right amount, below or above; before and after stand side by side, as they will be written. */
export function CorrectDialog({ detail, onClose }: { detail: SaleDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  // What was on screen is what is decided on: a change behind the dialog is refused and shown.
  const [seen] = useState(detail);
  const { sale, contractLeft: before } = seen;
  const basis = useQuery(correctionBasisQuery(sale));
  const [typed, setTyped] = useState('');
  const [isLeft, setIsLeft] = useState(false);
  const { after, fault } = readAmount(typed, before);
  const correction = useMutation({
    mutationFn: async (decided: { reason: string; after: Cents }) => {
      const gives = correctedCommissions(sale, seen.terms, { before, after: decided.after });
      if (gives === null) throw new Error('A validated sale keeps its scale');
      await correctContract(seen, decided.after, gives.after, decided.reason);
    },
    onSuccess: () => {
      toast.success(t(contractCorrected), { description: t(contractCorrectedDetail) });
      onClose();
    },
  });
  return (
    <ReasonDialog
      tone="primary"
      title={t('Corriger le contrat {{ofName}}', { ofName: ofName(sale.referredContactName) })}
      description={t(
        'Rien n’est effacé : une écriture de plus corrige les commissions, au barème retenu à la validation.',
      )}
      reasonLabel={t('Raison de la correction')}
      hint={t('Le commercial et le parrain la lisent.')}
      requiredMessage={correctionReasonRequired}
      confirmLabel={t('Corriger le contrat')}
      cancelLabel={t('Ne rien changer')}
      pending={correction.isPending}
      confirmDisabled={basis.isPending}
      error={correction.isError ? messageOf(correction.error, t('Erreur lors de la mise à jour')) : undefined}
      onConfirm={(reason) => (after === undefined ? setIsLeft(true) : correction.mutate({ reason, after }))}
      onClose={onClose}
    >
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
      {basis.data ? (
        <CorrectionPreview sale={sale} terms={seen.terms} before={before} after={after} basis={basis.data} />
      ) : basis.isError ? (
        <ErrorState onRetry={() => void basis.refetch()} pending={basis.isFetching} />
      ) : (
        <Skeleton className="h-48 w-full" />
      )}
    </ReasonDialog>
  );
}

/** The contract's new amount, or why it cannot be. */
export function readAmount(typed: string, before: Cents): { after: Cents | undefined; fault: string | undefined } {
  const after = parseEuros(typed);
  if (after === null || after === undefined) return { after: undefined, fault: amountInvalid };
  if (after <= 0n || after === before) return { after: undefined, fault: correctedAmountInvalid(before) };
  return { after, fault: undefined };
}
