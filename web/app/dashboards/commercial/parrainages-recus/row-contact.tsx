import { noCallText, type ContactChannel } from '@parrain/domain/call-consent';
import { dialledPhone } from '@parrain/domain/phone';
import clsx from 'clsx';
import { Mail, MessageSquare, Phone } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { lazyPart } from '#ui/lazy-part';
import { reachOf } from './reach.ts';

const WriteOnceDialog = lazyPart(() => import('./write-once-dialog.tsx'));

interface RowContactProps {
  referral: Referral;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
  onReach: (way: ContactChannel) => void;
}

/** The one round button of a phone's row: the call, else the SMS or the mail, as far as the friend and the company let them be (CS-03). */
export function RowContact({ referral, isConsentRequired, onReach }: RowContactProps) {
  const { t } = useTranslation();
  const [isWriting, setIsWriting] = useState(false);
  const { referredContactName: name, referredContactPhone: phone, referredContactEmail: email } = referral;
  const { mayCall, writing } = reachOf(referral, isConsentRequired);
  if (phone !== null && mayCall)
    return (
      <a
        href={`tel:${dialledPhone(phone)}`}
        // Who said nothing of calls may be called, and is not what is offered first.
        className={clsx(
          roundClass,
          referral.callAnswer === true ? 'bg-sapin text-on-sapin hover:bg-sapin-strong' : softClass,
        )}
        aria-label={t('Appeler {{name}} au {{phone}}', { name, phone })}
        onClick={() => onReach('call')}
      >
        <Phone aria-hidden />
      </a>
    );
  if (phone !== null && referral.callAnswer === 'sms')
    return (
      <a
        href={`sms:${dialledPhone(phone)}`}
        className={clsx(roundClass, softClass)}
        aria-label={t('{{choice}} : écrire à {{name}} au {{phone}}', { choice: t(noCallText('sms')), name, phone })}
        onClick={() => onReach('sms')}
      >
        <MessageSquare aria-hidden />
      </a>
    );
  if (email === null) return null;
  if (writing === 'freely')
    return (
      <a
        href={`mailto:${email}`}
        className={clsx(roundClass, softClass)}
        aria-label={t('Écrire à {{name}} : {{email}}', { name, email })}
        onClick={() => onReach('email')}
      >
        <Mail aria-hidden />
      </a>
    );
  return (
    <>
      {writing === 'once' && (
        <button
          type="button"
          className={clsx(roundClass, softClass)}
          aria-label={t('Écrire une seule fois à {{name}}', { name })}
          onClick={() => setIsWriting(true)}
        >
          <Mail aria-hidden />
        </button>
      )}
      {isWriting && <WriteOnceDialog referral={referral} onClose={() => setIsWriting(false)} />}
    </>
  );
}

// Over the button that the whole row is.
const roundClass =
  'relative flex size-11 shrink-0 items-center justify-center rounded-full transition-colors duration-120 [&_svg]:size-4.5';
const softClass = 'border border-edge/60 bg-sheet text-encre-soft hover:border-edge hover:text-encre';
