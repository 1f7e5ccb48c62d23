import { accountClosureForm, closureDecisionForm } from '@parrain/domain/forms/account-closure';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import { readSender } from '#platform/mail-layout';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { isMailLeft } from '../mail-bounds.ts';
import { closureDecisionMail, closureRequestMail } from '../mails/account-closure.ts';
import type { ClosureOutcome } from '../mails/account-closure.ts';

/** CO-11, CL-09: a person asks for their account to be closed; an admin, never the same person, decides. */
export default {
  request: { callers: ['admin', 'commercial', 'client'], run: requestClosure },
  withdraw: { callers: ['admin', 'commercial', 'client'], run: withdrawRequest },
  decide: { callers: ['admin'], run: decide },
} satisfies ProductFunction;

/** The request and the mails that tell the admins of it are one transaction. */
async function requestClosure(call: UserCall): Promise<FunctionResponse> {
  const { personal_message: message } = parsePayload(accountClosureForm, call.body ?? {});
  const { services } = call;
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows } = await tx.query<{ request: unknown; admin_emails: readonly string[] }>(
      'select to_json(r.request) as request, r.admin_emails from private.request_account_closure($1) r',
      [message],
    );
    const me = await tx.query<{ full_name: string }>('select full_name from public.profiles where id = $1', [
      call.userId,
    ]);
    const sender = await readSender(tx, services.publicUrl());
    for (const to of rows[0]?.admin_emails ?? []) {
      // The request stands on every admin's own page too.
      if (!(await isMailLeft(tx, services))) break;
      await services.mail.enqueue(
        tx,
        closureRequestMail(sender, to, { name: me.rows[0]?.full_name ?? '', role: call.role, message }),
      );
    }
    return answer({
      success: true,
      message: 'Votre demande de fermeture est enregistrée',
      data: rows[0]?.request,
    });
  });
}

async function withdrawRequest(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ request: unknown }>(call.identity, {
    text: 'select to_json(r) as request from private.withdraw_account_closure() r',
  });
  return answer({ success: true, message: 'Votre demande de fermeture est annulée', data: rows[0]?.request });
}

/** The decision and the mail that tells the person of it are one transaction. */
async function decide(call: UserCall): Promise<FunctionResponse> {
  const decision = parsePayload(closureDecisionForm, call.body ?? {});
  const { services } = call;
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows } = await tx.query<{ outcome: ClosureOutcome; full_name: string; email: string | null }>(
      'select outcome, full_name, email from private.decide_account_closure($1, $2, $3, $4)',
      [decision.requestId, decision.isAccepted, decision.notes, decision.reassignTo],
    );
    const [decided] = rows;
    if (decided === undefined) throw new Error('The decision gave nothing');
    if (decided.email !== null && decided.email !== '') {
      // The answer that a person waits for leaves, and counts.
      await isMailLeft(tx, services);
      const sender = await readSender(tx, services.publicUrl());
      await services.mail.enqueue(
        tx,
        closureDecisionMail(sender, decided.email, {
          name: decided.full_name,
          outcome: decided.outcome,
          notes: decision.notes,
        }),
      );
    }
    return answer({ success: true, message: messages[decided.outcome], outcome: decided.outcome });
  });
}

const messages: Readonly<Record<ClosureOutcome, string>> = {
  deleted: 'Compte fermé et supprimé',
  closed: 'Compte fermé',
  rejected: 'Demande de fermeture refusée',
};
