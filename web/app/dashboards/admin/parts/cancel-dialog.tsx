import { cancellationReasonRequired, validationCancelled, validationCancelledDetail } from '@parrain/domain/messages';
import { ofName } from '@parrain/domain/of-name';
import { referrerName } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { cancelValidation, commissionsLeft } from '#api/sales/cancel-validation';
import type { SaleDetail } from '#api/sales/sale';
import { Amount } from '#ui/amount';
import { useToast } from '#ui/toast';
import { ReasonDialog } from './reason-dialog.tsx';

/** S-11: a validated contract is taken back. The consequence is said before: who gives back what, and why. */
export function CancelDialog({ detail, onClose }: { detail: SaleDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  // The decision is on the sale as it was on screen: a change behind the dialog is refused and shown.
  const [seen] = useState(detail);
  const { sale } = seen;
  const cancellation = useMutation({
    mutationFn: (reason: string) => cancelValidation(seen, reason),
    onSuccess: () => {
      toast.success(t(validationCancelled), { description: t(validationCancelledDetail) });
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
      confirmLabel={t('Annuler la validation')}
      cancelLabel={t('Ne rien changer')}
      pending={cancellation.isPending}
      error={cancellation.isError ? messageOf(cancellation.error, t('Erreur lors de la mise à jour')) : undefined}
      onConfirm={(reason) => cancellation.mutate(reason)}
      onClose={onClose}
    >
      <Receipt detail={seen} />
    </ReasonDialog>
  );
}

/** Receipt of what goes back of each commission: all that is left of it. */
function Receipt({ detail }: { detail: SaleDetail }) {
  const { t } = useTranslation();
  const { sale, contractLeft: before } = detail;
  const taken = commissionsLeft(detail);
  const lines = [
    { who: referrerName(sale), part: t('Commission client'), cents: taken.client },
    { who: sale.commercialName, part: t('Commission commercial'), cents: taken.commercial },
  ].filter(({ who }) => who !== null);
  return (
    <section aria-label={t('Ce qui sera enregistré')} className="rounded-field border border-hairline bg-papier">
      <dl className="divide-y divide-hairline px-4">
        <div className="flex items-baseline justify-between gap-4 py-2.5">
          <dt>{t('Contrat')}</dt>
          <dd className="shrink-0">
            <Amount cents={-before} className="font-medium" />
          </dd>
        </div>
        {lines.map(({ who, part, cents }) => (
          <div key={part} className="flex items-baseline justify-between gap-4 py-2.5">
            <dt className="min-w-0">
              <span className="break-words">{who}</span>
              <span className="block text-sm text-encre-soft">{part}</span>
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
