import { answeredNo, noCallText } from '@parrain/domain/call-consent';
import { emailMissing } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';
import { ContactLinks, type ContactLinksProps } from '../../parts/contact-links.tsx';
import { reachOf } from './reach.ts';

const WriteOnceDialog = lazyPart(() => import('./write-once-dialog.tsx'));

export interface ReferralContactProps extends Pick<ContactLinksProps, 'look' | 'onReach'> {
  referral: Referral;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
}

/** Ways to reach the friend of a referral, as far as their answer and the company's setting allow (CS-03). */
export function ReferralContact({ referral, isConsentRequired, look, onReach }: ReferralContactProps) {
  const { t } = useTranslation();
  const [isWriting, setIsWriting] = useState(false);
  const { callAnswer, writtenAt } = referral;
  const { mayCall, writing } = reachOf(referral, isConsentRequired);
  return (
    <>
      <ContactLinks
        name={referral.referredContactName}
        email={referral.referredContactEmail}
        phone={referral.referredContactPhone}
        noCall={mayCall ? undefined : t(noCallText(callAnswer))}
        bySms={callAnswer === 'sms'}
        noEmail={
          writing === 'never' ? (
            t(answeredNo)
          ) : writing === 'written' && writtenAt !== null ? (
            <>
              {t('Message envoyé le')} <DateText value={writtenAt} />
            </>
          ) : undefined
        }
        onWriteOnce={writing === 'once' ? () => setIsWriting(true) : undefined}
        emailMissing={t(emailMissing)}
        look={look}
        onReach={onReach}
      />
      {isWriting && <WriteOnceDialog referral={referral} onClose={() => setIsWriting(false)} />}
    </>
  );
}
