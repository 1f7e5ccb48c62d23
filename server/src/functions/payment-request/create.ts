import { availableBalance, debt } from '@parrain/domain/balance';
import { Failure } from '@parrain/domain/failure';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { paymentDetailsForms, paymentRequestForm } from '@parrain/domain/forms/payment-request';
import { paymentRequestSent } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { paymentMethodDefault, type PaymentDetails, type SameAccount } from '@parrain/domain/payment-request';
import { balanceToDomain, requestRulesToDomain } from '@parrain/domain/wire';
import type { BalanceRow, RequestRulesRow } from '@parrain/domain/wire';
import * as z from 'zod/mini';

import type { Transaction } from '#platform/database';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { once } from '../once.ts';
import { openDetails, toStored } from './bank-details.ts';
import { tellOfChangedIban } from './changed-iban.ts';
import { checkNamedClient } from './own-requests.ts';
import type { RequestRow } from './own-requests.ts';

/**
 * F-10, V-14 to V-16: asks for a part of what was earned. The form's bounds are those of the balance as it is read here;
 * the database decides under the balance's lock, whatever happened meanwhile.
 */
export async function createRequest(call: UserCall): Promise<FunctionResponse> {
  checkNamedClient(call);
  return once(call, async (tx) => {
    const { balance, rules } = await ownBalance(tx, call.userId);
    if (debt(balance) > 0n) throw new Failure('balance_in_debt');
    const input = parsePayload(paymentRequestForm(availableBalance(balance), rules), {
      ...call.body,
      payment_method: call.body?.['payment_method'] ?? paymentMethodDefault,
    });
    const details = 'sameAs' in input.details ? await knownAccount(call, tx, input.details) : input.details;
    const { shown, sealed, ibanMark } = toStored(call.services.secrets, details);
    const { rows } = await tx.query<{ request: RequestRow }>(
      'select to_json(r) as request from private.request_payment($1::numeric, $2, $3, $4, $5) r',
      [toWire(input.amount), details.method, shown, sealed, ibanMark],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('request_payment gave no row');
    if (ibanMark !== null) await tellOfChangedIban(call.services, tx, row.request.id);
    return answer({ success: true, message: paymentRequestSent, data: row.request });
  });
}

/**
 * UI-10: the account of an earlier transfer of the caller, which the sealed details hold. One that was refused or came back may
 * be wrong: it is asked for.
 */
async function knownAccount(call: UserCall, tx: Transaction, same: SameAccount): Promise<PaymentDetails> {
  const { rows } = await tx.query<{ sealed: Buffer | null }>(
    `select private.reveal_payment_details(id) as sealed from public.payment_requests
     where id = $1 and client_id = $2 and payment_method = 'virement' and status not in ('rejected', 'returned')`,
    [same.sameAs, call.userId],
  );
  const sealed = rows[0]?.sealed ?? null;
  const known = sealed === null ? {} : openDetails(call.services.secrets, sealed);
  const { payment_details: asked } = parsePayload(accountForm, {
    payment_details: { ...known, beneficiary_name: same.beneficiaryName },
  });
  return asked;
}

const accountForm = z.object({ payment_details: paymentDetailsForms.virement });

const NOTHING = { earned: 0, reversed: 0, held: 0, reserved: 0, paid: 0 };

async function ownBalance(tx: Transaction, userId: string) {
  const { rows } = await tx.query<BalanceRow & RequestRulesRow>(
    // An expired hold is available, whether or not the job has said so (LG-03), unless it is under check (FD-01).
    `select profile_id, earned, reversed, reserved, paid, (select coalesce(sum(h.amount), 0) from public.commission_holds h
       where h.payee_id = profile_id and h.ended_at is null and (h.until > now() or h.is_under_check)) as held
       , smallest_request, payment_methods, requests_from_day, requests_to_day
     from public.company_settings left join public.balances on profile_id = $1`,
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A company has its settings');
  const balance = row.profile_id === null ? { profile_id: userId, ...NOTHING } : row;
  return { balance: balanceToDomain(balance), rules: requestRulesToDomain(row) };
}
