import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { approvalAnnulmentForm } from '@parrain/domain/forms/payment-decision';
import { approvalAnnulled } from '@parrain/domain/messages';
import { fromWire } from '@parrain/domain/money';

import { answer } from '../call.ts';
import type { Answer, UserCall } from '../call.ts';
import { approvalAnnulledMail } from '../mails/approval-annulled.ts';
import { readSender } from '../mails/layout.ts';
import { once } from '../once.ts';

type Annulled = {
  readonly request: { readonly amount: number | string };
  readonly already: boolean;
  readonly full_name: string;
  readonly email: string;
};

/**
 * FX-10: an approved request waits for a decision again. The move and the mail that tells its client why are one transaction;
 * the same annulment again is the same answer, and no second mail.
 */
export async function annulApproval(call: UserCall): Promise<Answer> {
  const { requestId, reason, seenVersion } = parsePayload(approvalAnnulmentForm, call.body);
  const { services } = call;
  return once(call, async (tx) => {
    const { rows } = await tx.query<Annulled>(
      'select to_json(a.request) as request, a.already, a.full_name, a.email from private.annul_approval($1, $2, $3) a',
      [requestId, reason, seenVersion],
    );
    const [annulled] = rows;
    if (annulled === undefined) throw new Error('annul_approval gave no row');
    const { request, already, full_name: name, email } = annulled;
    if (!already) {
      const sender = await readSender(tx, services.publicUrl());
      await services.mail.enqueue(
        tx,
        approvalAnnulledMail(sender, email, { name, amount: fromWire(request.amount), reason }),
      );
    }
    return answer({ success: true, message: approvalAnnulled, already, data: request });
  });
}
