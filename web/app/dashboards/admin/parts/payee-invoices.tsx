import { formatDate } from '@parrain/domain/date';
import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import {
  payeeInvoiceLabels,
  payeeInvoiceTones,
  type PayeeInvoice,
  type PayeeInvoiceStatus,
} from '@parrain/domain/payee-invoice';
import { isVatAccepted } from '@parrain/domain/payee';
import { formatPercent } from '@parrain/domain/percent';
import { withVat } from '@parrain/domain/vat';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { BadgeCheck, CircleX, Clock3, Undo2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { decideInvoice, payeeInvoicesQuery, type InvoicedPayment } from '#api/payments/payee-invoices';
import { payeeQuery } from '#api/payments/papers';
import { messageOf, reasonOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { InvoiceButton } from '../../parts/invoice-button.tsx';
import VatAcceptance from '../../parts/vat-acceptance.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

/** AC-04: the invoices that a payee sent for one request or month, to compare with it and to decide; nothing where there is none. */
export default function PayeeInvoices({ payment, payeeId }: { payment: InvoicedPayment; payeeId: string }) {
  const { t } = useTranslation();
  const invoices = useQuery(payeeInvoicesQuery(payment)).data ?? [];
  if (invoices.length === 0) return null;
  return (
    <section className="grid gap-4">
      <h3 className="text-lg">{invoices.length === 1 ? t('Facture reçue') : t('Factures reçues')}</h3>
      {invoices.map((invoice) => (
        <div key={invoice.id} className="grid gap-3">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <InvoiceButton invoice={invoice} />
            <Badge tone={payeeInvoiceTones[invoice.status]} icon={icons[invoice.status]}>
              {t(payeeInvoiceLabels[invoice.status])}
            </Badge>
          </div>
          <Facts items={factsOf(invoice, t)} />
          {invoice.status === 'sent' && <Decision invoice={invoice} payeeId={payeeId} />}
        </div>
      ))}
    </section>
  );
}

function Decision({ invoice, payeeId }: { invoice: PayeeInvoice; payeeId: string }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isRefusing, setRefusing] = useState(false);
  const details = useQuery({ ...payeeQuery(payeeId), enabled: invoice.vat !== null }).data?.details ?? null;
  const decision = useMutation({
    mutationFn: (reason: string | null) => decideInvoice(invoice.id, reason === null ? 'accepted' : 'refused', reason),
    onSuccess: (message) => {
      setRefusing(false);
      toast.success(t(message));
    },
  });
  const vatNumber = details?.vatNumber ?? null;
  return (
    <>
      {vatNumber !== null && !isVatAccepted(details) && <VatAcceptance payeeId={payeeId} vatNumber={vatNumber} />}
      {decision.isError && !isRefusing && <Notice tone="error">{reasonOf(decision.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          pending={decision.isPending && !isRefusing}
          onClick={() => decision.mutate(null)}
        >
          {t('Accepter la facture')}
        </Button>
        <Button size="sm" onClick={() => setRefusing(true)}>
          {t('Refuser la facture')}
        </Button>
      </div>
      {isRefusing && (
        <ReasonDialog
          title={t('Refuser la facture n° {{number}} ?', { number: invoice.number })}
          description={t(
            'Le bénéficiaire lit la raison et peut en envoyer une autre. Ce qui lui est dû reste à payer.',
          )}
          reasonLabel={t('Raison du refus')}
          requiredMessage={refusalReasonRequired}
          confirmLabel={t('Refuser la facture')}
          pending={decision.isPending}
          error={decision.isError ? messageOf(decision.error, t('La facture n’a pas pu être refusée.')) : undefined}
          onConfirm={(reason) => decision.mutate(reason)}
          onClose={() => setRefusing(false)}
        />
      )}
    </>
  );
}

function factsOf(invoice: PayeeInvoice, t: TFunction) {
  const { amount, vat, refusalReason } = invoice;
  return [
    { label: t('Datée du'), value: formatDate(`${invoice.invoicedOn}T12:00:00Z`) },
    { label: t('Montant hors taxe'), value: formatEuros(amount) },
    {
      label: vat === null ? t('TVA') : t('TVA {{rate}}', { rate: formatPercent(vat.rate) }),
      value: vat === null ? t('Aucune') : formatEuros(vat.amount),
    },
    { label: t('Total à payer'), value: formatEuros(withVat({ amount, vat })) },
    ...(refusalReason === null ? [] : [{ label: t('Raison du refus'), value: refusalReason }]),
  ];
}

const icons: Readonly<Record<PayeeInvoiceStatus, ReactNode>> = {
  sent: <Clock3 aria-hidden />,
  accepted: <BadgeCheck aria-hidden />,
  refused: <CircleX aria-hidden />,
  lapsed: <Undo2 aria-hidden />,
};
