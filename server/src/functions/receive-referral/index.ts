import { Failure } from '@parrain/domain/failure';
import { receivedReferralForm } from '@parrain/domain/forms/received-referral';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { toWire } from '@parrain/domain/money';

import { failureOf } from '#platform/errors';

import { answer } from '../call.ts';
import type { ActorCall, FunctionResponse, ProductFunction } from '../call.ts';
import { knownMarks } from '../friend-link.ts';
import { once } from '../once.ts';

/** WH-03: another tool creates or moves a referral by its own reference. */
export default { '': { callers: ['admin'], scope: 'referrals', run: receiveReferral } } satisfies ProductFunction;

const clientsOwn: ReadonlySet<string> = new Set(['friend_already_invited', 'commercial_missing', 'self_referral']);

type Received = { readonly sale: unknown; readonly created: boolean; readonly changed: boolean };

async function receiveReferral(call: ActorCall): Promise<FunctionResponse> {
  const form = parsePayload(receivedReferralForm, call.body ?? {});
  return once(call, async (tx) => {
    const [mark] = await knownMarks(tx, call.services, [form]);
    const receiving = tx.query<Received>(
      `select to_json(r.sale) as sale, r.created, r.changed
       from private.receive_referral($1, $2, $3, $4, $5, $6, $7, $8, $9::numeric, $10) r`,
      [
        form.source,
        form.reference,
        form.referrer_email,
        form.name ?? null,
        form.email,
        form.phone,
        mark,
        form.status ?? null,
        form.contract_amount === null ? null : toWire(form.contract_amount),
        form.contract_description,
      ],
    );
    const { rows } = await receiving.catch((error: unknown) => {
      const failure = failureOf(error);
      // The client's own refusals, said to who refers in their place.
      throw clientsOwn.has(failure.code)
        ? new Failure(failure.code, { ...failure.params, isInTheirPlace: true })
        : error;
    });
    const [received] = rows;
    if (received === undefined) throw new Error('receive_referral gave no row');
    const { sale, created, changed } = received;
    return answer({ success: true, created, changed, data: sale }, created ? 201 : 200);
  });
}
