import clsx from 'clsx';
import { Mail, Phone } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Profile } from '@parrain/domain/profile';
import { Avatar } from '#ui/avatar';
import { DateText } from '#ui/date';
import { EmailText } from '../../parts/email-text.tsx';

export interface PersonCardProps {
  person: Pick<Profile, 'fullName' | 'email' | 'phone' | 'createdAt'>;
  /** Stands under the name: the company, a badge. */
  subtitle?: ReactNode;
  /** Icons, top right. */
  actions?: ReactNode;
  /** The rare actions, behind one icon, bottom right: the name keeps its room. */
  menu?: ReactNode;
  /** Stands above the registration date. */
  children?: ReactNode;
  /** Someone who can no longer sign in. */
  dimmed?: boolean | undefined;
}

/** Name, e-mail, phone and registration date of a commercial or a client (AD-04, AD-06). */
export function PersonCard({ person, subtitle, actions, menu, children, dimmed = false }: PersonCardProps) {
  const { t } = useTranslation();
  return (
    <article className="flex h-full min-w-0 flex-col rounded-card border border-hairline bg-sheet p-4 sm:p-5">
      <header className="flex items-start gap-3">
        <span className={dimmed ? 'opacity-60 grayscale' : undefined}>
          <Avatar name={person.fullName} />
        </span>
        <div className="flex min-h-9 min-w-0 flex-1 flex-col justify-center">
          <h3 className="font-sans text-base font-semibold tracking-normal break-words">{person.fullName}</h3>
          {subtitle && <div className="text-sm break-words text-encre-soft">{subtitle}</div>}
        </div>
        {actions && <div className="-mr-2 flex shrink-0">{actions}</div>}
      </header>
      <div className="mt-3.5 grid gap-1 text-encre-soft">
        <p className="flex min-w-0 items-center gap-2.5">
          <Mail aria-hidden className="size-4 shrink-0 text-encre-faint" />
          <a href={`mailto:${person.email}`} className="min-w-0 hover:text-encre hover:underline">
            <span className="sr-only">{t('Email : ')}</span>
            <EmailText email={person.email} />
          </a>
        </p>
        <p className="flex min-w-0 items-center gap-2.5">
          <Phone aria-hidden className="size-4 shrink-0 text-encre-faint" />
          {person.phone === null ? (
            <span className="text-encre-faint">{t('Téléphone non renseigné')}</span>
          ) : (
            <a href={`tel:${person.phone.replace(/[^\d+]/g, '')}`} className="figures hover:text-encre hover:underline">
              <span className="sr-only">{t('Téléphone : ')}</span>
              {person.phone}
            </a>
          )}
        </p>
      </div>
      {children}
      <footer className={clsx('mt-auto flex items-center justify-between gap-3 pt-3.5', menu && '-mr-2 -mb-2')}>
        <p className="text-sm text-encre-faint">
          {t('Inscrit le')} <DateText value={person.createdAt} />
        </p>
        {menu}
      </footer>
    </article>
  );
}
