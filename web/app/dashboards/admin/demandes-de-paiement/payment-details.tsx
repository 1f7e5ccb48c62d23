import { paymentDetailLines, paymentMethodLabel, type PaymentRequest } from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paymentRequestDetailsQuery } from '#api/payments/payment-request-details';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';

/** Details of the payment. A bank account is masked until it is asked for, for each reading in clear is in the audit trail (V-18). */
export function PaymentDetails({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const sealed = request.paymentDetails.method === 'virement';
  const [asked, setAsked] = useState(false);
  const clear = useQuery({
    ...paymentRequestDetailsQuery(request.id, request.paymentMethod),
    enabled: sealed && asked,
  });
  const lines = paymentDetailLines(clear.data ?? request.paymentDetails);
  return (
    <section>
      <h3 className="mb-1 text-lg">{t(paymentMethodLabel(request.paymentMethod))}</h3>
      <Facts
        items={lines.map(({ label, value }) => ({
          label: t(label),
          value:
            label === 'IBAN' ? (
              <span className="flex flex-wrap items-center justify-end gap-2">
                <span className="tabular-digits">{clear.data ? groupedIban(value) : value}</span>
                {clear.data && <CopyButton text={value} label={t('Copier')} />}
              </span>
            ) : (
              <span className="flex flex-wrap items-center justify-end gap-2">
                <span className="min-w-0 break-words whitespace-pre-line">{value || '—'}</span>
                {clear.data && value !== '' && <CopyButton text={value} label={t('Copier')} />}
              </span>
            ),
        }))}
      />
      {lines.length === 0 && <p className="text-encre-soft">{t('Aucune coordonnée à renseigner pour ce mode.')}</p>}
      {sealed && (
        <div className="mt-2 flex flex-col items-start gap-2">
          {clear.isError && <Notice tone="error">{messageOf(clear.error, t('Le chargement a échoué'))}</Notice>}
          {clear.data === undefined && (
            <Button
              size="sm"
              icon={<Eye />}
              pending={clear.isFetching}
              onClick={() => (clear.isError ? void clear.refetch() : setAsked(true))}
            >
              {t('Afficher l’IBAN complet')}
            </Button>
          )}
          <p className="text-sm text-encre-faint">{t('Chaque consultation est inscrite au journal.')}</p>
        </div>
      )}
    </section>
  );
}

/** « FR76 3000 6000… »: groups of four, as on paper. */
export function groupedIban(iban: string): string {
  return iban.replace(/\s/g, '').replace(/(.{4})(?=.)/g, '$1\u00a0');
}
