import type { PaymentMethod, PaymentRequest, PaymentRequestStatus } from '@parrain/domain/payment-request';
import type { Days } from '@parrain/domain/period';
import { paymentRequestRow, paymentRequestToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import {
  inTerms,
  firstPage,
  readPage,
  selectableMax,
  previousPage,
  type Page,
  type PageMark,
} from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { within } from '../transport/within.ts';

/** The columns the server sorts by. */
export const paymentRequestSorts = ['amount', 'payment_method', 'created_at', 'paid_at'] as const;

export interface AllPaymentRequestsAsked {
  status: PaymentRequestStatus | 'all';
  /** The client's name or e-mail. */
  search: string;
  method: PaymentMethod | null;
  /** Of the payment where only paid ones are asked for, else of the request. */
  days: Days | null;
  /** The date of a payment where only paid ones are asked for. */
  sort: (typeof paymentRequestSorts)[number];
  desc: boolean;
  /** Only this client's; everybody's where it is left out. */
  clientId?: string | undefined;
  page: PageMark;
}

const pageSize = 25;

const columns =
  'id,client_id,amount,vat_rate,vat_amount,payment_method,payment_details,status,admin_notes,rejection_reason,approval_annulled_reason,version,created_at,approved_at,paid_at,returned_at,return_reason,settlement_reference,association_name,association_number,proof:payment_proofs(name),iban:payee_ibans(usable_from),standing,' +
  'client:profiles(full_name,email,phone)';

/** RE-10, AD-10: one page of every client's requests, the newest first; IBANs masked (V-18). */
export function allPaymentRequestsQuery(asked: AllPaymentRequestsAsked) {
  return queryOptions({
    queryKey: ['payment-requests', 'all', asked],
    queryFn: () => readAllPaymentRequests(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One request as it is now. */
export function paymentRequestQuery(id: string) {
  return queryOptions({ queryKey: ['payment-requests', 'one', id], queryFn: () => readPaymentRequest(id), ...live });
}

/** NV-04: the requests that the list's filters leave, from the first one, as they are now. */
export async function readSelectableRequests(asked: AllPaymentRequestsAsked): Promise<readonly PaymentRequest[]> {
  return (await readAllPaymentRequests({ ...asked, page: firstPage }, selectableMax)).rows;
}

/** These requests as they are now, in no order. */
export async function readPaymentRequests(ids: readonly string[]): Promise<readonly PaymentRequest[]> {
  const client = await supabase();
  // An address has its length.
  const parts = Array.from({ length: Math.ceil(ids.length / 100) }, (_, at) => ids.slice(at * 100, at * 100 + 100));
  const rows = await Promise.all(
    parts.map(async (part) => rowsOf(await client.from('payment_requests').select(columns).in('id', part))),
  );
  return rows.flat().map(toRequest);
}

async function readAllPaymentRequests(
  { status, search, method, days, sort, desc, clientId, page }: AllPaymentRequestsAsked,
  size = pageSize,
): Promise<Page<PaymentRequest>> {
  const client = await supabase();
  const isSearched = search.trim() !== '';
  return readPage(
    (options) => {
      // A request is its client's: those that the search finds.
      let query = client
        .from('payment_requests')
        .select(isSearched ? columns.replace('profiles(', 'profiles!inner(') : columns, options);
      if (status !== 'all') query = query.eq('status', status);
      if (clientId !== undefined) query = query.eq('client_id', clientId);
      if (method !== null) query = query.eq('payment_method', method);
      if (isSearched) query = query.or(inTerms(search), { referencedTable: 'client' });
      return within(query, status === 'paid' ? 'paid_at' : 'created_at', days);
    },
    // As the indexes have it: ids go the other way.
    {
      mark: page,
      pageSize: size,
      order: [
        { column: sort, desc },
        { column: 'id', desc: !desc },
      ],
    },
    toRequest,
  );
}

async function readPaymentRequest(id: string): Promise<PaymentRequest> {
  const client = await supabase();
  return toRequest(rowsOf(await client.from('payment_requests').select(columns).eq('id', id).single()));
}

function toRequest(row: unknown): PaymentRequest {
  return paymentRequestToDomain(paymentRequestRow.parse(row));
}
