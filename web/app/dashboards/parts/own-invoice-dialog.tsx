import { zodResolver } from '@hookform/resolvers/zod';
import { dayOf } from '@parrain/domain/date';
import { payeeInvoiceForm } from '@parrain/domain/forms/payee-invoice';
import { formatAmount, formatEuros, type Cents } from '@parrain/domain/money';
import { isVatAccepted, type PayeeDetails } from '@parrain/domain/payee';
import { expectedInvoice, invoiceFileRequired, payeeInvoiceNumberLengthMax } from '@parrain/domain/payee-invoice';
import { proofBytesMax } from '@parrain/domain/payment-proof';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { InvoicedPayment } from '#api/payments/payee-invoices';
import { sendInvoice, type SentInvoice } from '#api/payments/send-invoice';
import { reasonOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { FormDialog } from '#ui/form-dialog';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { useCompanyName } from './use-company-name.ts';

export interface OwnInvoiceDialogProps {
  payment: InvoicedPayment;
  /** Before tax. */
  amount: Cents;
  details: PayeeDetails;
  onClose: () => void;
}

const fields = ['number', 'day', 'amount', 'vat', 'total'] as const;

/** AC-04: a payee's own invoice, beside what it has to say. */
export default function OwnInvoiceDialog({ payment, amount, details, onClose }: OwnInvoiceDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [today] = useState(() => dayOf(new Date()));
  const [file, setFile] = useState<File>();
  const [fileError, setFileError] = useState<string>();
  const chargesVat = details.chargesVat === true;
  const of = 'requestId' in payment ? 'request' : 'month';
  const expected = expectedInvoice({ amount, chargesVat }, today);
  // The day of the first commission is the server's to know.
  const schema = useMemo(
    () => payeeInvoiceForm({ of, amount, chargesVat, today, from: '2000-01-01' }),
    [of, amount, chargesVat, today],
  );
  const form = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: {
      number: '',
      day: today,
      amount: formatAmount(expected.amount),
      vat: formatAmount(expected.vat),
      total: formatAmount(expected.total),
    },
  });
  const { register, setError, formState } = form;
  const { errors } = formState;
  const sending = useMutation({
    mutationFn: (invoice: SentInvoice) => sendInvoice(invoice),
    onSuccess: (message) => {
      toast.success(t(message));
      onClose();
    },
    onError: (error) => setServerIssues(error, fields, setError),
  });
  const submit = form.handleSubmit(
    (invoice) => {
      if (file === undefined) setFileError(invoiceFileRequired);
      else sending.mutate({ payment, ...invoice, file });
    },
    () => file === undefined && setFileError(invoiceFileRequired),
  );
  const choose = (chosen: File) => {
    setFile(chosen);
    setFileError(chosen.size > proofBytesMax ? invoiceFileRequired : undefined);
  };
  return (
    <FormDialog
      title={t('Joindre ma facture')}
      description={t('Facturez {{company}} pour {{total}} : votre facture est vérifiée, puis payée.', {
        company: useCompanyName(),
        total: formatEuros(expected.total),
      })}
      action={t('Envoyer la facture')}
      pending={sending.isPending}
      failure={sending.isError ? reasonOf(sending.error) : undefined}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t('Facture en PDF')} error={fileError === undefined ? undefined : t(fileError)}>
        <FileInput accept=".pdf,application/pdf" fileName={file?.name} disabled={sending.isPending} onFile={choose} />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('Numéro de la facture')} error={errors.number?.message}>
          <TextInput autoComplete="off" maxLength={payeeInvoiceNumberLengthMax} {...register('number')} />
        </Field>
        <Field label={t('Datée du')} error={errors.day?.message}>
          <TextInput type="date" max={today} {...register('day')} />
        </Field>
      </div>
      <div className="grid gap-5 sm:grid-cols-3">
        <Field label={t('Montant hors taxe')} error={errors.amount?.message}>
          <AmountInput {...register('amount')} />
        </Field>
        <Field label={t('TVA')} error={errors.vat?.message}>
          <AmountInput {...register('vat')} />
        </Field>
        <Field label={t('Total')} error={errors.total?.message}>
          <AmountInput {...register('total')} />
        </Field>
      </div>
      <p className="text-sm text-encre-soft">
        {of === 'month'
          ? t('Ces montants sont ceux de votre mois : votre facture doit dire les mêmes.')
          : t('Ces montants sont ceux de votre demande : votre facture doit dire les mêmes.')}
        {chargesVat && !isVatAccepted(details) && (
          <> {t('L’entreprise doit aussi accepter votre numéro de TVA avant de payer.')}</>
        )}
      </p>
    </FormDialog>
  );
}
