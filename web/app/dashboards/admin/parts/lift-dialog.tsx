import { accountChecked, accountCheckRequired, ibanWaitLifted } from '@parrain/domain/payment-messages';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { liftIbanWait } from '#api/payments/lift-iban-wait';
import { reasonOf } from '#api/transport/api-error';
import { useToast } from '#ui/toast';
import { ReasonDialog } from './reason-dialog.tsx';

export interface LiftDialogProps {
  /** Of a request, or of a payee. */
  id: string;
  name: string;
  /** True where the bank refused the account, false where it was changed and still waits. */
  isRefused: boolean;
  description: string;
  onClose: () => void;
}

export function liftLabel(isRefused: boolean): string {
  return isRefused ? 'Lever le refus' : 'Lever l’attente';
}

/** DF-03, AC-09: the account was verified with its owner: it is paid before its day, or although its bank refused it. */
export function LiftDialog({ id, name, isRefused, description, onClose }: LiftDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const lift = useMutation({
    mutationFn: (reason: string) => liftIbanWait(id, reason),
    onSuccess: () => {
      toast.success(t(ibanWaitLifted));
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t(
        isRefused
          ? 'Payer {{name}} sur ce compte malgré le refus de la banque ?'
          : 'Payer {{name}} sur son nouvel IBAN sans attendre ?',
        { name },
      )}
      description={description}
      reasonLabel={t('Comment le compte a été vérifié')}
      hint={t('Inscrit au journal ; le bénéficiaire en est prévenu.')}
      initial={isRefused ? '' : t(accountChecked)}
      requiredMessage={accountCheckRequired}
      confirmLabel={t(liftLabel(isRefused))}
      pending={lift.isPending}
      error={lift.isError ? reasonOf(lift.error) : undefined}
      onConfirm={(reason) => lift.mutate(reason)}
      onClose={onClose}
    />
  );
}
