import * as z from 'zod/mini';
import { personNotSelected, refusalReasonRequired, requestNotSelected } from '../messages.ts';
import { invoiceNotSelected } from '../payee-invoice.ts';
import { supplierNotSelected } from '../received-invoice.ts';
import { id, requiredText } from './fields.ts';
import { reasonLengthMax } from './limits.ts';
import { invoicedMonthForm } from './payee-invoice.ts';

/** EI-02: an invoice that the platform brought. */
export const receivedInvoiceForm = z.object({ received_id: id(invoiceNotSelected, { failure: 'not_found' }) });

/** EI-02: the request that an admin matches it to by hand. */
export const matchReceivedForm = z.object({
  ...receivedInvoiceForm.shape,
  request_id: id(requestNotSelected, { failure: 'request_not_found' }),
});

/** AC-04: the month of a commercial that an admin matches it to by hand. */
export const matchReceivedMonthForm = z.object({
  ...receivedInvoiceForm.shape,
  ...invoicedMonthForm.shape,
  payee_id: id(personNotSelected, { failure: 'payee_unknown' }),
});

/** EI-02: an invoice that is refused says why: its sender reads it. */
export const refuseReceivedForm = z.object({
  ...receivedInvoiceForm.shape,
  reason: requiredText(refusalReasonRequired, reasonLengthMax),
});

/** EI-02: the supplier whose invoices wait once more. */
export const restoreSupplierForm = z.object({
  siren: z.string(supplierNotSelected).check(z.regex(/^\d{9}$/u, supplierNotSelected)),
});
