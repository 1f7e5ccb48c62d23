import { giftReasonRequired, referralGiven } from '@parrain/domain/forms/referral-gift';
import { isOpen, referrerName, type Sale } from '@parrain/domain/sale';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { giveReferral, refusedReferrersQuery, type RefusedReferrer } from '#api/sales/refused-referrers';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { useToast } from '#ui/toast';
import { PersonLink } from './person-link.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

/** CS-02: to whom the referral was refused because its friend had been referred before; nothing where there is nobody. */
export function RefusedReferrers({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  const { data: refused } = useQuery({
    ...refusedReferrersQuery(sale.id),
    enabled: sale.friendReferrerId !== null && sale.correctsSaleId === null,
  });
  const [chosen, setChosen] = useState<RefusedReferrer>();
  if (refused === undefined || refused.length === 0) return null;
  return (
    <section aria-labelledby="refused-referrers">
      <h3 id="refused-referrers" className="text-lg">
        {t('Autres parrains refusés')}
      </h3>
      <p className="mb-3 text-sm text-encre-soft">
        {t('Ils ont recommandé la même personne après coup. Personne n’a appris le nom d’un autre parrain.')}
      </p>
      <ul className="divide-y divide-hairline rounded-field border border-hairline">
        {refused.map((referrer) => (
          <li key={referrer.clientId} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0">
              <span className="font-medium break-words">
                <PersonLink role="client" id={referrer.clientId}>
                  {referrer.name}
                </PersonLink>
              </span>
              <span className="block text-sm text-encre-soft">
                {referrer.tries > 1 && t('{{n}} essais, le dernier : ', { n: referrer.tries })}
                <DateText value={referrer.lastAt} withTime />
              </span>
            </div>
            {isOpen(sale) && (
              <Button
                size="sm"
                aria-label={t('Donner ce parrainage à {{name}}', { name: referrer.name })}
                onClick={() => setChosen(referrer)}
              >
                {t('Donner ce parrainage')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {chosen && <GiveDialog sale={sale} to={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

function GiveDialog({ sale, to, onClose }: { sale: Sale; to: RefusedReferrer; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const gift = useMutation({
    mutationFn: (reason: string) => giveReferral(sale, to.clientId, reason),
    onSuccess: () => {
      toast.success(t(referralGiven));
      onClose();
    },
    // The screen may be stale: it is read again behind the refusal.
    onError: refresh,
  });
  return (
    <ReasonDialog
      title={t('Donner ce parrainage à {{name}} ?', { name: to.name })}
      description={t(
        'Il quitte la liste de {{former}}, et le message écrit à son ami est effacé. Le commercial reste le même. Aucun des deux parrains n’apprend le nom de l’autre.',
        { former: referrerName(sale) },
      )}
      reasonLabel={t('Raison de ce choix')}
      hint={t('Gardée dans l’historique, que seuls les administrateurs lisent.')}
      requiredMessage={giftReasonRequired}
      confirmLabel={t('Donner le parrainage')}
      pending={gift.isPending}
      error={gift.isError ? messageOf(gift.error, t('Le parrainage n’a pas pu être donné.')) : undefined}
      onConfirm={(reason) => gift.mutate(reason)}
      onClose={onClose}
    />
  );
}
