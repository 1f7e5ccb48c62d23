import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros, type Cents } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { bankRejection } from '@parrain/domain/sepa';
import { useTranslation } from 'react-i18next';
import { PaymentDayField, usePaymentDay } from './payment-day.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

export interface ReturnDialogProps {
  clientName: string;
  amount: Cents;
  /** True when it paid the month of a commercial (PO-05), not a client's request. */
  isOfMonth?: boolean;
  pending: boolean;
  error: string | undefined;
  onConfirm: (reason: string, returnedOn: string | null) => void;
  onClose: () => void;
}

/** PO-02: a transfer that was paid came back; its payee reads why. */
export function ReturnDialog({ clientName, amount, isOfMonth = false, onConfirm, ...dialog }: ReturnDialogProps) {
  const { t } = useTranslation();
  const choice = usePaymentDay();
  return (
    <ReasonDialog
      {...dialog}
      title={t('Le virement {{ofName}} est revenu de la banque ?', { ofName: ofName(clientName) })}
      description={t(
        isOfMonth
          ? 'À noter une fois {{amount}} recrédités sur votre compte. Ils sont de nouveau dus à ce commercial, qui reçoit le motif.'
          : 'À noter une fois {{amount}} recrédités sur votre compte. La commission redevient disponible pour ce client, qui reçoit le motif.',
        { amount: formatEuros(amount) },
      )}
      reasonLabel={t('Motif')}
      hint={t('Par exemple : {{reason}}', { reason: bankRejection('AC04') })}
      requiredMessage={refusalReasonRequired}
      confirmLabel={t('Noter le retour')}
      confirmDisabled={choice.day === null}
      onConfirm={(reason) => onConfirm(reason, choice.day)}
      after={<PaymentDayField label={t('Date du retour')} choice={choice} />}
    />
  );
}
