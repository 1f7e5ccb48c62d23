import { validationCancelled } from '@parrain/domain/messages';
import type { SaleAudience } from '@parrain/domain/sale';
import { Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Badge } from '#ui/badge';
import { SaleStatus } from './sale-status.tsx';

/** Where a referral stands: its status, or the cancellation that came after it (S-11). */
export function ReferralStatus({ referral, audience }: { referral: Referral; audience: SaleAudience }) {
  const { t } = useTranslation();
  if (referral.cancellation === null) return <SaleStatus sale={referral} audience={audience} />;
  return (
    <Badge tone="neutral" icon={<Undo2 aria-hidden />}>
      {t(validationCancelled)}
    </Badge>
  );
}

/** Why a referral was refused or cancelled, where it was. */
export function referralReason(referral: Referral): string | null {
  return referral.cancellation?.reason ?? referral.rejectionReason;
}
