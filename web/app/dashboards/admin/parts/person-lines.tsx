import { dialledPhone } from '@parrain/domain/phone';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { DateText } from '#ui/date';
import { EmailText } from '../../parts/email-text.tsx';

/** Lines of a person's card: the ways to reach them, and since when they are there (AD-04, AD-06). */
export function personLines(
  { email, phone, createdAt }: { email: string; phone: string | null; createdAt: string },
  t: TFunction,
): readonly ReactNode[] {
  return [
    <a key="email" href={`mailto:${email}`} className="hover:underline">
      <EmailText email={email} />
    </a>,
    phone === null ? (
      t('Téléphone non renseigné')
    ) : (
      <a key="phone" href={`tel:${dialledPhone(phone)}`} className="tabular-digits hover:underline">
        {phone}
      </a>
    ),
    <span key="since">
      {t('Inscrit le')} <DateText value={createdAt} />
    </span>,
  ];
}
