import { fromWire, type Cents } from '@parrain/domain/money';
import {
  paymentMethodOf,
  paymentRequestStatuses,
  type PaymentMethod,
  type PaymentRequestStatus,
} from '@parrain/domain/payment-request';
import { searchedPhone } from '@parrain/domain/phone';
import { saleStatuses, type SaleFacts } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** A person, a sale or a payment request that a text leads to, as far as the reader may read them. */
export type Found =
  | { kind: 'commercial' | 'client'; id: string; name: string; detail: string | null; isActive: boolean }
  | {
      kind: 'sale';
      id: string;
      name: string;
      detail: string | null;
      amount: Cents | null;
      sale: SaleFacts & { rejectionReason: null };
    }
  | {
      kind: 'request';
      id: string;
      name: string;
      method: PaymentMethod;
      amount: Cents;
      status: PaymentRequestStatus;
      createdAt: string;
    };

/** The least that a search looks for. */
export const findLengthMin = 3;

/** NV-03: the people, sales and payment requests that fit a text best; accents and typing errors are forgiven. */
export function findAnythingQuery(text: string) {
  return queryOptions({
    queryKey: ['find', text],
    queryFn: () => findAnything(text),
    enabled: text.length >= findLengthMin,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

async function findAnything(text: string): Promise<readonly Found[]> {
  const client = await supabase();
  const rows = rowsOf(await client.rpc('find_anything', { p_text: searchedPhone(text) ?? text })) as unknown[];
  return rows.map((row) => toFound(foundRow.parse(row)));
}

const foundRow = z.object({
  kind: z.enum(['commercial', 'client', 'sale', 'request']),
  id: z.string(),
  name: z.string(),
  detail: z.nullable(z.string()),
  amount: z.nullable(z.union([z.number(), z.string()])),
  status: z.nullable(z.string()),
  ready_for_validation: z.nullable(z.boolean()),
  admin_validated: z.nullable(z.boolean()),
  is_cancelled: z.nullable(z.boolean()),
  created_at: z.string(),
});

function toFound(row: z.infer<typeof foundRow>): Found {
  const { kind, id, name, detail } = row;
  const amount = row.amount === null ? null : fromWire(row.amount);
  switch (kind) {
    case 'sale':
      return {
        kind,
        id,
        name,
        detail,
        amount,
        sale: {
          status: saleStatuses.find((status) => status === row.status) ?? 'pending',
          readyForValidation: row.ready_for_validation === true,
          adminValidated: row.admin_validated === true,
          // A sale that was taken back reads as its correction: « Validation annulée ».
          correctsSaleId: row.is_cancelled === true ? id : null,
          rejectionReason: null,
        },
      };
    case 'request':
      return {
        kind,
        id,
        name,
        method: paymentMethodOf(detail ?? ''),
        amount: amount ?? 0n,
        status: paymentRequestStatuses.find((status) => status === row.status) ?? 'pending',
        createdAt: row.created_at,
      };
    default:
      return { kind, id, name, detail, isActive: row.is_cancelled !== true };
  }
}
