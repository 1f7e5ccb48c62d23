import clsx from 'clsx';
import { Mail, Phone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '#ui/button';

/** An address that breaks before its @ first, and anywhere else only if it must. */
export function EmailText({ email }: { email: string }) {
  const at = email.indexOf('@');
  return (
    <span className="min-w-0 wrap-anywhere">
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </span>
  );
}

export interface ContactLinksProps {
  name: string;
  email: string | null;
  phone: string | null;
  /** Stands where there is no address. */
  emailMissing?: string | undefined;
  /** From which width on they are lines of text; below, buttons for a thumb. */
  textFrom: 'wide' | 'lg';
}

/** One tap calls, one tap writes: two big buttons on a phone, the number and the address as text on a wide screen. */
export function ContactLinks({ name, email, phone, emailMissing, textFrom }: ContactLinksProps) {
  const { t } = useTranslation();
  const look = looks[textFrom];
  return (
    <div className={look.group}>
      {phone !== null && (
        <a
          href={`tel:${phone.replaceAll(/[^+\d]/gu, '')}`}
          className={clsx(buttonClass(), look.link, 'figures')}
          aria-label={t('Appeler {{name}} au {{phone}}', { name, phone })}
        >
          <Phone aria-hidden />
          <span className="min-w-0 truncate">{phone}</span>
        </a>
      )}
      {email !== null && (
        <a
          href={`mailto:${email}`}
          className={clsx(buttonClass(), look.link, look.soft)}
          aria-label={t('Écrire à {{name}} : {{email}}', { name, email })}
        >
          <Mail aria-hidden />
          <EmailText email={email} />
        </a>
      )}
      {email === null && emailMissing && <span className="text-sm text-encre-faint">{emailMissing}</span>}
    </div>
  );
}

// The classes are written out twice: Tailwind reads them, it does not run them.
const looks = {
  wide: {
    group:
      'flex min-w-0 flex-col gap-2 max-wide:flex-1 wide:flex-row wide:items-center wide:gap-3 [&_svg]:text-encre-faint wide:[&_svg]:hidden',
    link: 'min-w-0 max-wide:h-auto max-wide:min-h-11 max-wide:whitespace-normal! max-wide:px-3 max-wide:py-1.5 wide:h-6 wide:justify-start wide:border-0 wide:bg-transparent wide:px-0 wide:text-left wide:text-sm wide:font-normal wide:hover:bg-transparent wide:hover:text-sapin wide:hover:underline',
    soft: 'text-sm max-wide:font-normal wide:block wide:shrink wide:truncate wide:leading-6 wide:text-encre-soft',
  },
  lg: {
    group: 'flex min-w-0 flex-col gap-2 sm:max-lg:flex-row lg:gap-0.5 [&_svg]:text-encre-faint lg:[&_svg]:size-3.5',
    link: 'min-w-0 whitespace-normal! max-lg:h-auto max-lg:min-h-11 max-lg:px-3 max-lg:py-1.5 sm:max-lg:flex-1 lg:h-auto lg:min-h-6 lg:justify-start lg:border-0 lg:bg-transparent lg:px-0 lg:text-left lg:font-normal lg:hover:bg-transparent lg:hover:text-sapin lg:hover:underline',
    soft: 'text-sm max-lg:font-normal lg:text-encre-soft',
  },
} as const;
