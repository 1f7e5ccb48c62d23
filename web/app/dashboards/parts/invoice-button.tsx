import type { PayeeInvoice } from '@parrain/domain/payee-invoice';
import { useMutation } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { readInvoice } from '#api/payments/payee-invoices';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';
import { saveFile } from './save-file.ts';

/** AC-04: takes the PDF of an invoice that a payee sent. */
export function InvoiceButton({ invoice }: { invoice: PayeeInvoice }) {
  const { t } = useTranslation();
  const toast = useToast();
  const read = useMutation({
    mutationFn: () => readInvoice(invoice.id),
    onSuccess: saveFile,
    onError: (error) => toast.error(t('Le fichier n’a pas pu être lu'), { description: messageOf(error, '') }),
  });
  return (
    <Button
      size="sm"
      icon={<FileText aria-hidden />}
      pending={read.isPending}
      // A number of forty signs is written on two lines.
      className="h-auto! min-h-8 max-w-full py-1"
      onClick={() => read.mutate()}
    >
      <span className="min-w-0 text-left wrap-anywhere whitespace-normal">
        {t('Facture n° {{number}}', { number: invoice.number })}
      </span>
    </Button>
  );
}
