import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useMutation } from '@tanstack/react-query';
import { Paperclip } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { readProof } from '#api/payments/payment-proof';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';
import { saveFile } from './save-file.ts';

/** PO-03: takes the file that proves a payment; nothing where there is none. */
export function ProofButton({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const toast = useToast();
  const read = useMutation({
    mutationFn: () => readProof(request.id),
    onSuccess: saveFile,
    onError: (error) => toast.error(t('Le fichier n’a pas pu être lu'), { description: messageOf(error, '') }),
  });
  if (request.settlement.proofName === null) return null;
  return (
    <Button
      size="sm"
      icon={<Paperclip />}
      pending={read.isPending}
      title={request.settlement.proofName}
      onClick={() => read.mutate()}
    >
      {t('Justificatif')}
    </Button>
  );
}
