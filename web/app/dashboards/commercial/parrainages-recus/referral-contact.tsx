import { answeredNo, mayBeCalled, noCallText, writingTo } from '@parrain/domain/call-consent';
import { emailMissing } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';
import { ContactLinks, type ContactLinksProps } from '../../parts/contact-links.tsx';

const WriteOnceDialog = lazyPart(() => import('./write-once-dialog.tsx'));

export interface ReferralContactProps extends Pick<ContactLinksProps, 'look' | 'inRow'> {
  referral: Referral;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
}

/** How the friend of a referral is reached, as far as their answer and the company's setting let them be (CS-03). */
export function ReferralContact({ referral, isConsentRequired, look, inRow }: ReferralContactProps) {
  const { t } = useTranslation();
  const [isWriting, setIsWriting] = useState(false);
  const { callAnswer, writtenAt } = referral;
  const rule = { isConsentRequired, hasContract: referral.status === 'validated', isWritten: writtenAt !== null };
  const writing = writingTo(callAnswer, rule);
  return (
    <>
      <ContactLinks
        name={referral.referredContactName}
        email={referral.referredContactEmail}
        phone={referral.referredContactPhone}
        noCall={mayBeCalled(callAnswer, rule) ? undefined : t(noCallText(callAnswer))}
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
        inRow={inRow}
      />
      {isWriting && <WriteOnceDialog referral={referral} onClose={() => setIsWriting(false)} />}
    </>
  );
}
