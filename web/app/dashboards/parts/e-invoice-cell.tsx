import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EInvoice } from '#api/payments/e-invoices';
import { lazyPart } from '#ui/lazy-part';
import { EInvoiceBadge } from './e-invoice-badge.tsx';

const EInvoiceDialog = lazyPart(() => import('./e-invoice-dialog.tsx'));

/** EI-01: the state of an invoice in a list, which opens its history. */
export function EInvoiceCell({ label, invoice }: { label: string; invoice: EInvoice | undefined }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (invoice === undefined) return null;
  return (
    <>
      <button
        type="button"
        className="min-h-11 cursor-pointer sm:min-h-0"
        aria-label={t('Facture électronique {{label}} : ses étapes', { label })}
        onClick={() => setOpen(true)}
      >
        <EInvoiceBadge invoice={invoice} />
      </button>
      {isOpen && <EInvoiceDialog label={label} invoice={invoice} onClose={() => setOpen(false)} />}
    </>
  );
}
