import { saleState, type SaleState } from '@parrain/domain/sale';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';

const steps = ['Invité', 'Contacté', 'Contrat en cours', 'Contrat signé'] as const;

const reached: Readonly<Record<SaleState, number | null>> = {
  pending: 1,
  contacted: 2,
  in_negotiation: 3,
  awaiting_final_validation: 3,
  awaiting_admin_validation: 4,
  validated: 4,
  rejected: null,
  correction: null,
};

/** PI-02: how far a friend has come, in four steps; nothing once it is over without a contract. */
export function FriendProgress({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  const step = referral.cancellation === null ? reached[saleState(referral)] : null;
  if (step === null) return null;
  return (
    <p className="mt-1 wide:mt-0.5 flex items-center max-wide:flex-wrap gap-x-2 text-sm wide:text-xs/3.5 text-encre-faint">
      <span aria-hidden className="flex gap-1">
        {steps.map((name, index) => (
          <span key={name} className={`h-1.5 w-4 rounded-full wide:w-2 ${index < step ? 'bg-sapin' : 'bg-hairline'}`} />
        ))}
      </span>
      <span className="whitespace-nowrap">
        {step}/4 · {t(steps[step - 1] ?? '')}
      </span>
    </p>
  );
}
