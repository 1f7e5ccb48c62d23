import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import type { CommercialSummary } from '#api/people/commercial-summaries';
import { commercialDependentsQuery, type CommercialDependents } from '#api/people/commercial-dependents';
import { removeCommercial } from '#api/people/remove-commercial';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { RadioGroup } from '#ui/radio-group';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { CommercialPicker } from '../parts/commercial-picker.tsx';

export interface RemoveCommercialDialogProps {
  commercial: { id: string; fullName: string };
  /** The account is gone: its panel too. */
  onRemoved: () => void;
  onClose: () => void;
}

/** AD-05: one with nothing is removed; one with clients or sales is deactivated, after handing them over where asked. */
export function RemoveCommercialDialog({ commercial, onRemoved, onClose }: RemoveCommercialDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [handover, setHandover] = useState<'keep' | 'reassign'>('keep');
  const [heirId, setHeirId] = useState<string | null>(null);
  const dependents = useQuery(commercialDependentsQuery(commercial.id));
  const name = commercial.fullName;
  const removal = useMutation({
    mutationFn: () => removeCommercial(commercial.id, handover === 'reassign' ? heirId : null),
    onSuccess: (outcome) => {
      if (outcome === 'removed') onRemoved();
      toast.success(
        outcome === 'removed'
          ? t('Commercial {{name}} supprimé avec succès !', { name })
          : t('Commercial {{name}} désactivé', { name }),
        outcome === 'removed' ? {} : { description: t('Ses ventes et ses commissions sont conservées.') },
      );
      onClose();
    },
  });
  const hasDependents = dependents.data !== undefined && dependents.data.clientsCount + dependents.data.salesCount > 0;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={hasDependents ? t('Désactiver {{name}} ?', { name }) : t('Supprimer {{name}} ?', { name })}
      description={
        dependents.data ? (
          <Consequence name={name} dependents={dependents.data} />
        ) : (
          t('Vérification de ce qui lui est rattaché…')
        )
      }
      confirmLabel={hasDependents ? t('Désactiver le commercial') : t('Supprimer le commercial')}
      pending={removal.isPending}
      confirmDisabled={dependents.data === undefined || (handover === 'reassign' && heirId === null)}
      error={removal.isError ? messageOf(removal.error, t('Erreur lors de la suppression du commercial')) : undefined}
      onConfirm={() => removal.mutate()}
    >
      {dependents.data === undefined ? (
        dependents.isError ? (
          <ErrorState onRetry={() => void dependents.refetch()} pending={dependents.isFetching} />
        ) : (
          <Skeleton className="h-16 w-full" />
        )
      ) : (
        hasDependents && (
          <>
            <RadioGroup<'keep' | 'reassign'>
              legend={t('Ses clients et ses parrainages en cours')}
              value={handover}
              onValueChange={setHandover}
              options={[
                {
                  value: 'keep',
                  label: t('Les laisser à son nom'),
                  description: t('Vous pourrez les confier à quelqu’un plus tard.'),
                },
                { value: 'reassign', label: t('Les confier à un autre commercial') },
              ]}
            />
            {handover === 'reassign' && (
              <Field label={t('Commercial qui reprend')}>
                <CommercialPicker
                  commercialId={heirId}
                  onChange={setHeirId}
                  activeOnly
                  exceptId={commercial.id}
                  placeholder={t('Choisir un commercial…')}
                />
              </Field>
            )}
          </>
        )
      )}
    </ConfirmDialog>
  );
}

/** True where nothing hangs on them; whoever has a client or a referral is deactivated, and kept. */
export function isRemovable({
  clientsCount,
  referralsCount,
}: Pick<CommercialSummary, 'clientsCount' | 'referralsCount'>): boolean {
  return clientsCount === 0 && referralsCount === 0;
}

function Consequence({ name, dependents }: { name: string; dependents: CommercialDependents }) {
  const { t } = useTranslation();
  const { clientsCount, salesCount } = dependents;
  if (clientsCount + salesCount === 0) {
    return t('{{name}} n’a ni client ni vente : son compte est supprimé, définitivement.', { name });
  }
  const clients = countText(clientsCount, t('client'), t('clients'));
  const sales = countText(salesCount, t('vente ou parrainage'), t('ventes ou parrainages'));
  return t(
    '{{clients}} et {{sales}} lui sont rattachés. {{name}} ne pourra plus se connecter ; tout son historique est conservé, et son compte peut être réactivé.',
    {
      clients,
      sales,
      name,
    },
  );
}
