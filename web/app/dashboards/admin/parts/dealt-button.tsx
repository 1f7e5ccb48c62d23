import { useMutation } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { dealWithRegularity, type RegularPayee } from '#api/payments/regular-payees';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';

/** « C’est traité »: says no more of a regular particulier until the year ends or their status changes (AC-10). */
export function DealtButton({ payee: { id, fullName } }: { payee: RegularPayee }) {
  const { t } = useTranslation();
  const toast = useToast();
  const deal = useMutation({
    mutationFn: () => dealWithRegularity(id),
    onSuccess: () => toast.success(t('C’est noté. Rien ne sera rappelé avant l’année prochaine.')),
    onError: (error) => toast.error(messageOf(error, t('Cela n’a pas pu être noté.'))),
  });
  return (
    <Button size="sm" icon={<Check aria-hidden />} pending={deal.isPending} onClick={() => deal.mutate()}>
      {t('C’est traité')}
      <span className="sr-only"> {t('pour {{name}}', { name: fullName })}</span>
    </Button>
  );
}
