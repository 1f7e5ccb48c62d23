import { validationCancelled } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import type { SaleAudience } from '@parrain/domain/sale';
import type { TFunction } from 'i18next';
import { Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Badge } from '#ui/badge';
import { SaleStatus } from './sale-status.tsx';

/** Badge of a referral's status, or of the cancellation that came after it (S-11). */
export function ReferralStatus({ referral, audience }: { referral: Referral; audience: SaleAudience }) {
  const { t } = useTranslation();
  if (referral.cancellation === null) return <SaleStatus sale={referral} audience={audience} />;
  return (
    <Badge tone="neutral" icon={<Undo2 aria-hidden />}>
      {t(validationCancelled)}
    </Badge>
  );
}

/** Why a referral was refused, cancelled or corrected, under the name of what was decided; null where it was not. */
export function referralReason(
  { cancellation, amended, rejectionReason }: Referral,
  t: TFunction,
): { readonly label: string; readonly text: string } | null {
  if (cancellation !== null) return { label: t('Motif de l’annulation'), text: cancellation.reason };
  if (amended !== null) {
    return {
      label: t('Contrat corrigé, signé pour {{amount}}', { amount: formatEuros(amended.from) }),
      text: amended.reason,
    };
  }
  return rejectionReason === null ? null : { label: t('Motif du refus'), text: rejectionReason };
}
