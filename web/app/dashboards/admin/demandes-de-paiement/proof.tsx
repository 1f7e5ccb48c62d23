import { proofAttached } from '@parrain/domain/payment-messages';
import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { attachProof } from '#api/payments/payment-proof';
import { reasonOf } from '#api/transport/api-error';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { useToast } from '#ui/toast';
import { ProofButton } from '../../parts/proof-button.tsx';

/** PO-03: the file that proves a payment: to read, to attach, to replace. */
export function Proof({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const toast = useToast();
  const attach = useMutation({
    mutationFn: (file: File) => attachProof(request.id, file),
    onSuccess: () => toast.success(t(proofAttached)),
  });
  const known = request.settlement.proofName;
  return (
    <section className="grid justify-items-start gap-3">
      <h3 className="text-lg">{t('Justificatif')}</h3>
      <ProofButton request={request} />
      <div className="w-full">
        <Field
          label={known === null ? t('Joindre un justificatif') : t('Remplacer le justificatif')}
          hint={t('PDF ou image, 5 Mo au plus. Le client peut le lire.')}
          error={attach.isError ? reasonOf(attach.error) : undefined}
        >
          <FileInput
            accept=".pdf,image/png,image/jpeg,image/webp"
            disabled={attach.isPending}
            onFile={(file) => attach.mutate(file)}
          />
        </Field>
      </div>
    </section>
  );
}
