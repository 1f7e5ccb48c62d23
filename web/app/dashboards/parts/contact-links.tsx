import { Mail, Phone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '#ui/button';

/** Where a phone number leads: the digits and the plus alone. */
export function telHref(phone: string): string {
  return `tel:${phone.replace(/[^+\d]/g, '')}`;
}

/** An address that breaks after its @ before it breaks anywhere else. */
export function EmailText({ email }: { email: string }) {
  const at = email.indexOf('@');
  return (
    <span className="wrap-anywhere">
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </span>
  );
}

/** The two big buttons: call, write. */
export function ContactButtons({ name, email, phone }: { name: string; email: string | null; phone: string | null }) {
  const { t } = useTranslation();
  return (
    <>
      {phone !== null && (
        <a
          href={telHref(phone)}
          className={`${buttonClass()} figures min-w-0 flex-auto px-2.5`}
          aria-label={t('Appeler {{name}} au {{phone}}', { name, phone })}
        >
          <Phone aria-hidden />
          <span className="truncate">{phone}</span>
        </a>
      )}
      {email !== null && (
        <a
          href={`mailto:${email}`}
          className={`${buttonClass()} min-w-0 flex-auto px-2.5`}
          aria-label={t('Écrire à {{name}}', { name })}
        >
          <Mail aria-hidden />
          {t('Écrire')}
        </a>
      )}
    </>
  );
}

export interface ContactLinksProps {
  name: string;
  email: string | null;
  phone: string | null;
  /** Stands where there is no address. */
  emailMissing?: string | undefined;
}

/**
 * One tap calls, one tap writes: two big buttons on a phone, the number and the address themselves on a wide screen.
 * Both are there in the document; only the ones that are seen can be reached.
 */
export function ContactLinks({ name, email, phone, emailMissing }: ContactLinksProps) {
  return (
    <div className="min-w-0">
      <div className="flex gap-2 lg:hidden">
        <ContactButtons name={name} email={email} phone={phone} />
      </div>
      <p className="mt-1.5 text-sm text-encre-faint lg:hidden">
        {email === null ? emailMissing : <EmailText email={email} />}
      </p>
      <ul className="grid gap-0.5 text-sm max-lg:hidden">
        {phone !== null && (
          <li>
            <a href={telHref(phone)} className={`${linkClass} figures text-base text-encre`}>
              <Phone aria-hidden className={iconClass} />
              {phone}
            </a>
          </li>
        )}
        <li className="min-w-0">
          {email === null ? (
            <span className="text-encre-faint">{emailMissing}</span>
          ) : (
            <a href={`mailto:${email}`} className={`${linkClass} text-encre-soft`}>
              <Mail aria-hidden className={iconClass} />
              <EmailText email={email} />
            </a>
          )}
        </li>
      </ul>
    </div>
  );
}

const linkClass = 'inline-flex min-h-6 max-w-full items-center gap-2 rounded-field hover:text-sapin hover:underline';
const iconClass = 'size-3.5 shrink-0 text-encre-faint';
