import { correctionAsked } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';

/** Notice of the correction that the admin asked for on a contract, word for word (UI-11). */
export function CorrectionNotice({ correction }: { correction: NonNullable<Referral['correction']> }) {
  const { t } = useTranslation();
  return (
    <Notice tone="warning" title={t(correctionAsked)}>
      <p className="wrap-anywhere whitespace-pre-line text-encre">« {correction.message} »</p>
      <p>
        {t('Demandée le')} <DateText value={correction.askedAt} withTime />
      </p>
    </Notice>
  );
}
