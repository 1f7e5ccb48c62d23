import { isOpen } from '@parrain/domain/sale';
import { emailMissing } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { MessageCircleQuestionMark } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { askForNews } from '#api/sales/follow-up';
import { ownReferralQuery } from '#api/sales/own-referrals';
import type { Referral } from '#api/sales/referral';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { useToast } from '#ui/toast';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { useLast } from '../../parts/use-last.ts';
import { FriendProgress } from './friend-progress.tsx';

const IfSigned = lazyPart(() => import('../../parts/if-signed.tsx'));

export interface FriendPanelProps {
  referralId: string | undefined;
  onClose: () => void;
  /** Commission that the referral may bring, as the list shows it. */
  commissionOf: (referral: Referral) => ReactNode;
  neighbours?: Neighbours | undefined;
}

/** A friend's referral, where a notice's mail leads too; its referrer may ask for news (TM-05). */
export function FriendPanel({ referralId, onClose, commissionOf, neighbours }: FriendPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(referralId);
  const found = useQuery({ ...ownReferralQuery(shownId ?? ''), enabled: referralId !== undefined });
  const referral = found.data;
  const reason = referral ? referralReason(referral, t) : null;
  return (
    <SidePanel
      open={referralId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={referral?.referredContactName ?? t('Parrainage')}
      subtitle={
        referral && (
          <>
            <ReferralStatus referral={referral} audience="client" />
            <FriendProgress referral={referral} />
          </>
        )
      }
    >
      {referral ? (
        <div className="flex flex-col gap-5">
          <Facts
            items={[
              { label: t('E-mail'), value: referral.referredContactEmail ?? t(emailMissing) },
              ...(referral.referredContactPhone === null
                ? []
                : [{ label: t('Téléphone'), value: referral.referredContactPhone }]),
              { label: t('Commercial'), value: referral.commercialName ?? t('Pas encore attribué') },
              { label: t('Invité le'), value: <DateText value={referral.createdAt} withTime /> },
              { label: t('Commission potentielle'), value: commissionOf(referral) },
            ]}
          />
          <TextBlock label={reason?.label ?? ''} text={reason?.text ?? null} />
          <TextBlock label={t('Votre message')} text={referral.personalMessage} />
          {isOpen(referral) && referral.commercialName !== null && <News referral={referral} />}
          {isOpen(referral) && (
            <IfSigned key={referral.id} saleId={referral.id} contractAmount={referral.contractAmount} />
          )}
        </div>
      ) : (
        <AbsentRecord
          query={found}
          goneTitle={t('Ce parrainage n’est pas le vôtre')}
          goneDescription={t('Il a été supprimé, ou cette adresse ne mène à aucun de vos parrainages.')}
          onClose={onClose}
          loading={t('Chargement du parrainage')}
          skeletons={['h-40 w-full', 'h-24 w-full']}
        />
      )}
    </SidePanel>
  );
}

const AGAIN_AFTER_MS = 30 * 86_400_000;

function isRecent(instant: string): boolean {
  return Date.now() - Date.parse(instant) < AGAIN_AFTER_MS;
}

/** Once, and again after thirty days: the database holds it. */
function News({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  const toast = useToast();
  const ask = useMutation({
    mutationFn: () => askForNews(referral.id),
    onSuccess: (message) => toast.success(t(message)),
  });
  const { newsAskedAt } = referral;
  if (newsAskedAt !== null && isRecent(newsAskedAt)) {
    return (
      <Notice tone="info" title={t('Nouvelles demandées')}>
        {t('Le')} <DateText value={newsAskedAt} />
        {t(' : {{commercial}} est prévenu. Vous pourrez le refaire après trente jours.', {
          commercial: referral.commercialName ?? '',
        })}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col items-start gap-3">
      {ask.isError && (
        <Notice tone="error">{messageOf(ask.error, t('Votre demande n’a pas pu être transmise. Réessayez.'))}</Notice>
      )}
      <Button icon={<MessageCircleQuestionMark />} pending={ask.isPending} onClick={() => ask.mutate()}>
        {t('Demander des nouvelles')}
      </Button>
      <p className="text-sm text-encre-soft">
        {t('Votre commercial est prévenu, et chaque étape qu’il note vous est dite.')}
      </p>
    </div>
  );
}
