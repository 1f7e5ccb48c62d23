import type { Cents } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { Paperclip } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { payeeInvoicesQuery, type InvoicedPayment } from '#api/payments/payee-invoices';
import { payeeQuery } from '#api/payments/papers';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import { InvoiceButton } from './invoice-button.tsx';

const OwnInvoiceDialog = lazyPart(() => import('./own-invoice-dialog.tsx'));

export interface OwnInvoiceProps {
  payment: InvoicedPayment;
  /** Before tax. */
  amount: Cents;
  /** The payment waits, and carries no tax yet. */
  isDue: boolean;
}

/** AC-04: the invoice that a business without a mandate sends for its transfer or its month, and what became of it; nothing for others. */
export default function OwnInvoice({ payment, amount, isDue }: OwnInvoiceProps) {
  const { t } = useTranslation();
  const [isAsked, setAsked] = useState(false);
  const payee = useQuery(payeeQuery(useProfile().id)).data;
  const isBusiness = payee?.mayInvoice === true;
  const invoices = useQuery({ ...payeeInvoicesQuery(payment), enabled: isBusiness }).data;
  const [newest] = invoices ?? [];
  if (!isBusiness || invoices === undefined) return null;
  const isOffered = isDue && payee.mandate?.isInForce !== true && newest?.status !== 'accepted';
  return (
    <>
      {newest && (
        <div className="mt-1 min-w-0 text-xs text-encre-soft">
          <InvoiceButton invoice={newest} />
          {newest.status === 'sent' && <p>{t('L’entreprise vérifie votre facture avant de vous payer.')}</p>}
          {newest.status === 'accepted' && <p>{t('Votre facture est acceptée.')}</p>}
          {newest.status === 'refused' && (
            <p className="break-words text-amber">
              {t('Facture refusée : {{reason}}', { reason: newest.refusalReason ?? '' })}
            </p>
          )}
          {newest.status === 'lapsed' && isOffered && (
            <p className="text-amber">{t('Cette facture n’est plus celle de ce paiement : envoyez-en une autre.')}</p>
          )}
        </div>
      )}
      {isOffered && (
        <span className="mt-1 block">
          <Button size="sm" icon={<Paperclip aria-hidden />} onClick={() => setAsked(true)}>
            {newest === undefined
              ? t('Joindre ma facture')
              : newest.status === 'sent'
                ? t('Remplacer ma facture')
                : t('Joindre une autre facture')}
          </Button>
        </span>
      )}
      {isAsked && payee.details && (
        <OwnInvoiceDialog payment={payment} amount={amount} details={payee.details} onClose={() => setAsked(false)} />
      )}
    </>
  );
}
