import { parseEuros, toWire } from '@parrain/domain/money';
import { paymentMethodLabels, paymentRequestLabels, type PaymentRequest } from '@parrain/domain/payment-request';
import { plainLetters } from '@parrain/domain/without-accents';
import { paymentRequestRow, paymentRequestToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';

const pageSize = 20;

export interface OwnPaymentRequestsAsked {
  clientId: string;
  search: string;
  page: PageMark;
}

/** CL-07: a client's own requests, newest first; the IBAN comes masked. */
export function ownPaymentRequestsQuery(asked: OwnPaymentRequestsAsked) {
  return queryOptions({
    queryKey: ['payment_requests', 'own', asked],
    queryFn: () => readOwnPaymentRequests(asked),
    placeholderData: previousPage,
    ...live,
  });
}

async function readOwnPaymentRequests({
  clientId,
  search,
  page,
}: OwnPaymentRequestsAsked): Promise<Page<PaymentRequest>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('payment_requests')
        .select(
          'id,client_id,amount,vat_rate,vat_amount,payment_method,payment_details,status,admin_notes,rejection_reason,approval_annulled_reason,version,created_at,approved_at,paid_at,returned_at,return_reason,settlement_reference,association_name,association_number,proof:payment_proofs(name),iban:payee_ibans(usable_from)',
          options,
        )
        .eq('client_id', clientId);
      return search.trim() === '' ? query : query.or(requestSearch(search));
    },
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    (row) => paymentRequestToDomain(paymentRequestRow.parse(row)),
  );
}

/** By what a client sees of a request: its amount, its means and status in words, its reference, association or reason. */
function requestSearch(search: string): string {
  const conditions = [inTerms(search)];
  const amount = parseEuros(search.replace(/[\s\u00a0\u202f]*€\s*$/u, ''));
  if (amount !== null) conditions.push(`amount.eq.${toWire(amount)}`);
  const named = (labels: Readonly<Record<string, string>>) =>
    Object.keys(labels).filter((word) => plainLetters(labels[word] ?? '').includes(plainLetters(search.trim())));
  const [methods, statuses] = [named(paymentMethodLabels), named(paymentRequestLabels)];
  if (methods.length > 0) conditions.push(`payment_method.in.(${methods.join(',')})`);
  if (statuses.length > 0) conditions.push(`status.in.(${statuses.join(',')})`);
  return conditions.join(',');
}
