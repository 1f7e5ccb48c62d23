import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { ibanCheckForm } from '@parrain/domain/forms/payment-decision';
import { ibanWaitLifted } from '@parrain/domain/payment-messages';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/** DF-03: an admin who verified a changed account with its payee lets it be paid before its day; the payee is told, and by whom is kept. */
export async function liftIbanWait(call: UserCall): Promise<FunctionResponse> {
  const { id, reason } = parsePayload(ibanCheckForm, call.body);
  return onceInOneStatement<{ outcome: 'lifted' | 'usable' }>(
    call,
    { text: 'select private.lift_iban_wait($1, $2) as outcome', values: [id, reason] },
    ({ outcome }) => answer({ success: true, message: ibanWaitLifted, already: outcome === 'usable' }),
  );
}
