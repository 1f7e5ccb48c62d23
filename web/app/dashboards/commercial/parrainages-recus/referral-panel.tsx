import { callChoiceLabel, callChoiceText, type ContactChannel } from '@parrain/domain/call-consent';
import { saleNotEditable } from '@parrain/domain/messages';
import { isEditableByCommercial, isOpen, referrerName } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { Lock, SquarePen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import { receivedReferralQuery } from '#api/sales/received-referrals';
import type { Referral } from '#api/sales/referral';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { SidePanel } from '#ui/side-panel';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { CorrectionNotice } from '../../parts/correction-notice.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { useLast } from '../../parts/use-last.ts';
import { FollowUpForm } from './follow-up-form.tsx';
import { ReferralContact } from './referral-contact.tsx';

const contactLook = {
  group: 'flex min-w-0 flex-col gap-2 sm:max-lg:flex-row lg:gap-0.5 [&_svg]:text-encre-faint lg:[&_svg]:size-3.5',
  link: 'min-w-0 whitespace-normal! max-lg:h-auto max-lg:min-h-11 max-lg:px-3 max-lg:py-1.5 sm:max-lg:flex-1 lg:h-auto lg:min-h-6 lg:justify-start lg:border-0 lg:bg-transparent lg:px-0 lg:text-left lg:font-normal lg:hover:bg-transparent lg:hover:text-sapin lg:hover:underline',
  soft: 'text-sm max-lg:font-normal lg:text-encre-soft',
} as const;

const IfSigned = lazyPart(() => import('../../parts/if-signed.tsx'));

export interface ReferralPanelProps {
  referralId: string | undefined;
  onClose: () => void;
  onUpdate: (referral: Referral) => void;
  /** The friend is about to be called or written to. */
  onReach: (referral: Referral, way: ContactChannel) => void;
}

/** All about one referral, where a notice's mail leads too; with its follow-up (TM-05). */
export default function ReferralPanel({ referralId, onClose, onUpdate, onReach }: ReferralPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(referralId);
  const found = useQuery({ ...receivedReferralQuery(shownId ?? ''), enabled: referralId !== undefined });
  const referral = found.data;
  return (
    <SidePanel
      open={referralId !== undefined}
      onOpenChange={onClose}
      title={referral?.referredContactName ?? t('Parrainage')}
      subtitle={referral && <ReferralStatus referral={referral} audience="commercial" />}
      footer={
        referral &&
        (isEditableByCommercial(referral) ? (
          <Button variant="primary" icon={<SquarePen />} onClick={() => onUpdate(referral)}>
            {t('Mettre à jour')}
          </Button>
        ) : (
          <p className="inline-flex items-center gap-1.5 text-sm text-encre-faint">
            <Lock aria-hidden className="size-3.5 shrink-0" />
            {t(saleNotEditable)}
          </p>
        ))
      }
    >
      {referral ? (
        <Detail referral={referral} onReach={(way) => onReach(referral, way)} />
      ) : (
        <AbsentRecord
          query={found}
          goneTitle={t('Ce parrainage n’est pas dans votre liste')}
          goneDescription={t('Il a été supprimé, ou il est suivi par quelqu’un d’autre.')}
          onClose={onClose}
          loading={t('Chargement du parrainage')}
          skeletons={['h-11 w-full', 'h-40 w-full', 'h-56 w-full']}
        />
      )}
    </SidePanel>
  );
}

function Detail({ referral, onReach }: { referral: Referral; onReach: (way: ContactChannel) => void }) {
  const { t } = useTranslation();
  const reason = referralReason(referral, t);
  const settings = useQuery(companySettings);
  return (
    <div className="flex flex-col gap-7">
      <section className="flex flex-col gap-4">
        <ReferralContact
          referral={referral}
          isConsentRequired={settings.data?.requireCallConsent === true}
          look={contactLook}
          onReach={onReach}
        />
        {referral.correction !== null && isOpen(referral) && <CorrectionNotice correction={referral.correction} />}
        {referral.newsAskedAt !== null && isOpen(referral) && (
          <Notice tone="warning" title={t('Le parrain demande des nouvelles')}>
            {t('Demandées le')} <DateText value={referral.newsAskedAt} />
            {t('. Chaque étape que vous notez lui est dite.')}
          </Notice>
        )}
        <Facts
          items={[
            { label: t('Parrain'), value: referrerName(referral) ?? t('Aucun') },
            ...(referral.referredContactPhone === null && referral.callAnswer === null
              ? []
              : [
                  {
                    label: t(callChoiceLabel(referral.callAnswer)),
                    value: t(callChoiceText(referral.callAnswer)),
                  },
                ]),
            { label: t('Reçu le'), value: <DateText value={referral.createdAt} withTime /> },
            ...(referral.contractAmount === null
              ? []
              : [{ label: t('Montant du contrat'), value: <Amount cents={referral.contractAmount} /> }]),
          ]}
        />
        <TextBlock label={reason?.label ?? ''} text={reason?.text ?? null} />
        <TextBlock label={t('Message du parrain')} text={referral.personalMessage} />
        <TextBlock label={t('Contrat')} text={referral.contractDescription} />
        <TextBlock label={t('Notes, que le parrain peut lire')} text={referral.commercialNotes} />
      </section>
      <FollowUpForm key={referral.id} referral={referral} />
      {isOpen(referral) && (
        <IfSigned key={`if ${referral.id}`} saleId={referral.id} contractAmount={referral.contractAmount} />
      )}
    </div>
  );
}
