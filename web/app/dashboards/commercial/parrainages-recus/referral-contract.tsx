import { callChoiceText, mayBeCalled } from '@parrain/domain/call-consent';
import { correctionAsked } from '@parrain/domain/messages';
import { isEarned, isOpen } from '@parrain/domain/sale';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Amount } from '#ui/amount';
import { CommissionExplain } from '../../parts/commission-explain.tsx';
import { referralReason } from '../../parts/referral-status.tsx';

interface ReferralContractProps {
  sale: Referral;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
}

/** The contract of a referral in its line, with what it earns and what was noted (CO-02). */
export function ReferralContract({ sale, isConsentRequired }: ReferralContractProps) {
  const { t } = useTranslation();
  const { contractAmount, contractDescription, commercialCommissionAmount: commission } = sale;
  const reason =
    sale.correction !== null && isOpen(sale)
      ? { label: t(correctionAsked), text: sale.correction.message }
      : referralReason(sale, t);
  return (
    <div className="col-start-2 row-span-2 row-start-2 flex min-w-0 flex-col gap-1 text-sm xl:col-start-3 xl:row-span-1 xl:row-start-2">
      <CallChoice sale={sale} isConsentRequired={isConsentRequired} />
      {contractAmount !== null && (
        <p className="text-base font-medium">
          <Amount cents={contractAmount} />
        </p>
      )}
      {contractDescription && (
        <p className="line-clamp-3 wrap-anywhere whitespace-pre-line text-encre-soft">{contractDescription}</p>
      )}
      {commission !== null && sale.cancellation === null && (
        <p className="flex flex-wrap items-center gap-x-1.5 text-encre-soft">
          {isEarned(sale) ? t('Commission :') : t('Commission prévue :')}{' '}
          <Amount cents={commission} className="font-medium text-encre" />
          <CommissionExplain sale={sale} side="commercial" />
        </p>
      )}
      {reason !== null && (
        <p className="wrap-anywhere text-encre">
          <span className="text-encre-soft">{t('{{label}} :', { label: reason.label })}</span> {reason.text}
        </p>
      )}
      {sale.commercialNotes && (
        <p className="line-clamp-2 wrap-anywhere text-encre-faint">
          {t('Notes, que le parrain peut lire :')} {sale.commercialNotes}
        </p>
      )}
      {sale.followUp?.note && (
        <p className="line-clamp-2 wrap-anywhere text-encre-faint">
          {t('Note privée :')} {sale.followUp.note}
        </p>
      )}
    </div>
  );
}

/** DF-41: what the friend chose about being called, beside a call that the company's setting lets one make. */
function CallChoice({ sale, isConsentRequired }: ReferralContractProps) {
  const { t } = useTranslation();
  const { callAnswer, referredContactPhone } = sale;
  if (referredContactPhone === null || !isOpen(sale)) return null;
  // Where nobody may call, these words stand in place of the call.
  if (!mayBeCalled(callAnswer, { isConsentRequired, hasContract: false })) return null;
  return <p className="text-xs text-encre-soft">{t(callChoiceText(callAnswer))}</p>;
}
