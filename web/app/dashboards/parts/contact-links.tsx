import type { ContactChannel } from '@parrain/domain/call-consent';
import { dialledPhone } from '@parrain/domain/phone';
import clsx from 'clsx';
import { Mail, MessageSquare, Phone } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '#ui/button';
import { EmailText } from './email-text.tsx';

export interface ContactLinksProps {
  name: string;
  email: string | null;
  phone: string | null;
  /** Stands in place of the call where there must be none (CS-03). */
  noCall?: string | undefined;
  /** In place of the call a message to the telephone is written (UI-03). */
  bySms?: boolean | undefined;
  /** Stands in place of the mail where there must be none. */
  noEmail?: ReactNode;
  /** Opens the one message that may be written, in place of one's own mail program. */
  onWriteOnce?: (() => void) | undefined;
  /** Stands where there is no address. */
  emailMissing?: string | undefined;
  /** The classes: lines of text on a wide screen; below, buttons for a thumb. They stand with the list, and come with its code. */
  look: { group: string; link: string; soft: string };
  /** The phone is about to dial, or the program that writes to open. */
  onReach?: ((way: ContactChannel) => void) | undefined;
}

/** One tap calls, one tap writes: big buttons on a phone, the number and the address as text on a wide screen. */
export function ContactLinks({
  name,
  email,
  phone,
  noCall,
  bySms = false,
  noEmail,
  onWriteOnce,
  emailMissing,
  look,
  onReach,
}: ContactLinksProps) {
  const { t } = useTranslation();
  return (
    <div className={look.group}>
      {phone !== null && noCall !== undefined && <span className="text-sm text-encre-faint">{noCall}</span>}
      {phone !== null && noCall !== undefined && bySms && (
        <a
          href={`sms:${dialledPhone(phone)}`}
          className={clsx(buttonClass(), look.link, 'tabular-digits')}
          aria-label={t('{{choice}} : écrire à {{name}} au {{phone}}', { choice: noCall, name, phone })}
          onClick={() => onReach?.('sms')}
        >
          <MessageSquare aria-hidden />
          <span className="min-w-0 truncate">{phone}</span>
        </a>
      )}
      {phone !== null && noCall === undefined && (
        <a
          href={`tel:${dialledPhone(phone)}`}
          className={clsx(buttonClass(), look.link, 'tabular-digits')}
          aria-label={t('Appeler {{name}} au {{phone}}', { name, phone })}
          onClick={() => onReach?.('call')}
        >
          <Phone aria-hidden />
          <span className="min-w-0 truncate">{phone}</span>
        </a>
      )}
      {email !== null && noEmail !== undefined && <span className="text-sm text-encre-faint">{noEmail}</span>}
      {email !== null && noEmail === undefined && onWriteOnce !== undefined && (
        <Button
          icon={<Mail aria-hidden />}
          className={clsx(look.link, look.soft)}
          aria-label={t('Écrire une seule fois à {{name}}', { name })}
          onClick={onWriteOnce}
        >
          {t('Écrire une seule fois')}
        </Button>
      )}
      {email !== null && noEmail === undefined && onWriteOnce === undefined && (
        <a
          href={`mailto:${email}`}
          title={email}
          className={clsx(buttonClass(), look.link, look.soft)}
          aria-label={t('Écrire à {{name}} : {{email}}', { name, email })}
          onClick={() => onReach?.('email')}
        >
          <Mail aria-hidden />
          <EmailText email={email} />
        </a>
      )}
      {email === null && emailMissing && <span className="text-sm text-encre-faint">{emailMissing}</span>}
    </div>
  );
}
