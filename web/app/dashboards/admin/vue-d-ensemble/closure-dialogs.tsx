import { refusalReasonRequired } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { decideClosure, type PendingClosure } from '#api/account/account-closure';
import { clientBalanceQuery } from '#api/payments/client-balance';
import { commercialDependentsQuery } from '#api/people/commercial-dependents';
import { messageOf } from '#api/transport/api-error';
import { Amount } from '#ui/amount';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { useToast } from '#ui/toast';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';

/** Before the account is closed: what is left of it, what is kept, who takes over. */
export function AcceptDialog({ request, onClose }: { request: PendingClosure; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { person } = request;
  const [heirId, setHeirId] = useState<string | null>(null);
  const closing = useMutation({
    mutationFn: () => decideClosure({ requestId: request.id, accept: true, notes: null, reassignTo: heirId }),
    onSuccess: (outcome) => {
      toast.success(
        outcome === 'deleted'
          ? t('Compte de {{name}} fermé et supprimé', { name: person.fullName })
          : t('Compte de {{name}} fermé', { name: person.fullName }),
      );
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Fermer le compte de {{name}} ?', { name: person.fullName })}
      description={t(
        'Plus personne ne s’y connectera, et c’est définitif. Ce que la loi impose de conserver (contrats, commissions, paiements) reste dix ans avec son nom ; le reste est effacé. Un compte sans historique est supprimé.',
      )}
      confirmLabel={t('Fermer le compte')}
      pending={closing.isPending}
      error={closing.isError ? messageOf(closing.error, t('Le compte n’a pas pu être fermé. Réessayez.')) : undefined}
      onConfirm={() => closing.mutate()}
    >
      {person.role === 'client' && <ClientLeft clientId={person.id} />}
      {person.role === 'commercial' && <CommercialLeft commercialId={person.id} heirId={heirId} onHeir={setHeirId} />}
    </ConfirmDialog>
  );
}

function ClientLeft({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(clientBalanceQuery(clientId));
  if (!data) return null;
  return (
    <Facts
      className="border-y border-hairline"
      items={[
        { label: t('Disponible, qui ne sera pas versé'), value: <Amount cents={data.available} /> },
        { label: t('En cours de paiement'), value: <Amount cents={data.reserved} /> },
      ]}
    />
  );
}

function CommercialLeft({
  commercialId,
  heirId,
  onHeir,
}: {
  commercialId: string;
  heirId: string | null;
  onHeir: (id: string | null) => void;
}) {
  const { t } = useTranslation();
  const { data } = useQuery(commercialDependentsQuery(commercialId));
  if (!data || data.clientsCount + data.salesCount === 0) return null;
  return (
    <Field
      label={t('Commercial qui reprend ses clients et ses parrainages')}
      optional
      hint={t('Sans repreneur, ils restent à son nom.')}
    >
      <CommercialPicker
        commercialId={heirId}
        onChange={onHeir}
        activeOnly
        exceptId={commercialId}
        placeholder={t('Choisir un commercial…')}
      />
    </Field>
  );
}

/** Asks why the account stays open. */
export function RejectDialog({ request, onClose }: { request: PendingClosure; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const rejection = useMutation({
    mutationFn: (notes: string) => decideClosure({ requestId: request.id, accept: false, notes }),
    onSuccess: () => {
      toast.success(t('Demande de fermeture refusée'));
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t('Refuser la fermeture du compte de {{name}} ?', { name: request.person.fullName })}
      description={t('Votre raison se lit dans son profil. Son compte reste ouvert.')}
      reasonLabel={t('Raison du refus')}
      hint={t('Par exemple : un paiement à terminer, un contrat en cours de signature.')}
      requiredMessage={refusalReasonRequired}
      confirmLabel={t('Refuser la demande')}
      pending={rejection.isPending}
      error={rejection.isError ? messageOf(rejection.error, t('Le refus n’a pas pu être enregistré.')) : undefined}
      onConfirm={(reason) => rejection.mutate(reason)}
      onClose={onClose}
    />
  );
}
