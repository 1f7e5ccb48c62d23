import { Failure } from '@parrain/domain/failure';
import { batchReleaseForm } from '@parrain/domain/forms/payment-batch';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { isOutsideEea } from '@parrain/domain/eea';
import { isSepaIban, parseIban } from '@parrain/domain/iban';
import { fromWire, toWire } from '@parrain/domain/money';
import { sepaText } from '@parrain/domain/sepa';
import { abroadFromWire } from '@parrain/domain/wire';
import { createHash } from 'node:crypto';
import { z } from 'zod';

import type { Secrets } from '#platform/secrets';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { once } from '../once.ts';
import { openAccount } from '../company-account.ts';
import { openDetails } from '../payment-request/bank-details.ts';
import { creditTransfers } from './pain-001.ts';
import type { BatchOrder, TransferOrder } from './pain-001.ts';
import { sealFile } from './sealed-file.ts';

/** Line of a draft with its sealed bank details. */
export type SealedOrder = {
  readonly request_id: string;
  readonly amount: string;
  readonly details_sealed: Buffer;
  readonly account_sealed: Buffer;
};

const transferDetails = z.object({
  iban: z.string(),
  beneficiary_name: z.string(),
  bic: z.string().optional(),
  street: z.string().optional(),
  postal_code: z.string().optional(),
  city: z.string().optional(),
  country: z.string().optional(),
});

/**
 * PO-01: a draft is released. Its file is made here, once, from rows that stay locked until it is kept: what is downloaded later, by
 * whomever, is these bytes.
 */
export async function releaseBatch(call: UserCall): Promise<FunctionResponse> {
  const { batchId, seenVersion, total, executionOn, format } = parsePayload(batchReleaseForm, call.body);
  const { secrets } = call.services;
  const seen = [batchId, seenVersion, toWire(total), executionOn];
  return once(call, async (tx) => {
    const { rows: orders } = await tx.query<SealedOrder>(
      'select request_id, amount, details_sealed, account_sealed from private.batch_orders($1, $2, $3::numeric, $4::date)',
      seen,
    );
    const { rows } = await tx.query<{ company_name: string; made_at: string }>(
      `select company_name, to_char(now() at time zone 'Europe/Paris', 'YYYY-MM-DD"T"HH24:MI:SS') as made_at
       from public.company_settings`,
    );
    const batch = {
      batchId,
      format,
      executionOn,
      madeAt: rows[0]?.made_at ?? '',
      companyName: rows[0]?.company_name ?? '',
    };
    const file = makeFile(secrets, batch, orders);
    await tx.query('select private.release_batch($1, $2, $3::numeric, $4::date, $5, $6, $7)', [
      ...seen,
      format,
      file.sealed,
      file.sha256,
    ]);
    return answer({ success: true });
  });
}

/**
 * The bank's file of a batch as it is kept, and its hash.
 * @throws Failure `batch_changed` where there is no line, `batch_blocked` where a bank would refuse one.
 */
export function makeFile(
  secrets: Secrets,
  batch: Omit<BatchOrder, 'debtor' | 'transfers'>,
  orders: readonly SealedOrder[],
): { readonly sealed: Buffer; readonly sha256: Buffer } {
  const [first] = orders;
  if (first === undefined) throw new Failure('batch_changed');
  const file = creditTransfers({
    ...batch,
    debtor: openAccount(secrets, first.account_sealed),
    transfers: orders.map((order) => transferOf(secrets, order)),
  });
  return { sealed: sealFile(secrets, batch.batchId, file), sha256: createHash('sha256').update(file).digest() };
}

/**
 * Transfer order of a line. Refuses what a bank would refuse, with the payee's name: an IBAN kept before its check, a name without a Latin
 * letter, an account outside the European Economic Area without its BIC and address (AC-09).
 */
function transferOf(secrets: Secrets, order: SealedOrder): TransferOrder {
  const details = transferDetails.parse(openDetails(secrets, order.details_sealed));
  const { beneficiary_name: name } = details;
  const iban = parseIban(details.iban);
  if (iban === null || !isSepaIban(iban) || sepaText(name, 70) === '')
    throw new Failure('batch_blocked', { payees: name });
  const abroad = isOutsideEea(iban) ? abroadFromWire(details) : undefined;
  if (abroad === null) throw new Failure('batch_blocked', { payees: name });
  return { requestId: order.request_id, amount: fromWire(order.amount), name, iban, abroad };
}
