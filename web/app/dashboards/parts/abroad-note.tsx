import { dayOf } from '@parrain/domain/date';
import { isReverseCharged, type PayeeStatus } from '@parrain/domain/payee';
import { abroadSentence, reverseChargeRefusal } from '@parrain/domain/reverse-charge';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Payee } from '#api/payments/papers';
import { Notice } from '#ui/notice';

interface AbroadNoteProps {
  status: PayeeStatus;
  country: string;
  payee: Payee;
  isOwn: boolean;
  className?: string | undefined;
}

/** AC-08: what being abroad changes for a payee, or why they cannot be paid; nothing for one in France. */
export default function AbroadNote({ status, country, payee, isOwn, className }: AbroadNoteProps) {
  const { t } = useTranslation();
  const [day] = useState(() => dayOf(new Date()));
  const { isAsked, reverseChargeObstacle: obstacle, companyVatNumber } = payee;
  if (obstacle !== null && isReverseCharged({ status, country })) {
    return (
      <Notice tone="warning" className={className}>
        {t(reverseChargeRefusal(obstacle, isOwn))}
      </Notice>
    );
  }
  const sentence = abroadSentence({ status, country }, { isOwn, isAsked, companyVatNumber, day });
  return sentence === null ? null : <Notice className={className}>{t(sentence)}</Notice>;
}
