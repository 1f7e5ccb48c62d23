import { failureMessage } from '@parrain/domain/failure';
import type { FailureCode } from '@parrain/domain/failure';
import { bankAccountForm } from '@parrain/domain/forms/company-payments';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { commercialAsked, settingsSaved } from '@parrain/domain/messages';
import { roles } from '@parrain/domain/role';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { toStored } from '../payment-request/bank-details.ts';
import { tellOfChangedIban } from '../payment-request/changed-iban.ts';

/** CO-11, CL-09: the caller's own account as the authentication service knows it. */
export default {
  sessions: { method: 'GET', callers: roles, isPrivate: true, run: listSessions },
  end_session: { callers: roles, run: endSession },
  invitation: { method: 'GET', callers: ['client'], run: mayInvite },
  ask_commercial: { callers: ['client'], run: askCommercial },
  set_bank_account: { callers: ['commercial'], run: setBankAccount },
  personal_data: { method: 'GET', callers: ['admin', 'commercial', 'client'], isPrivate: true, run: personalData },
} satisfies ProductFunction;

type Session = {
  readonly id: string;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly is_current: boolean;
};

/** The open sessions, this one first: device, first and last use (to the hour: a session is used when it is refreshed). */
async function listSessions(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<Session>(
    call.identity,
    { text: 'select id, created_at, last_used_at, user_agent, ip, is_current from private.my_sessions()' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

const payload = z.object({ session_id: id('Choisissez un appareil.') });

/** Ends one session, at once; one that is already over is no trouble. */
async function endSession(call: UserCall): Promise<FunctionResponse> {
  const { session_id: sessionId } = parsePayload(payload, call.body ?? {});
  const { rows } = await call.db.queryAs<{ ended: boolean }>(call.identity, {
    text: 'select private.end_my_session($1) as ended',
    values: [sessionId],
  });
  return answer({ success: true, message: 'Appareil déconnecté', ended: rows[0]?.ended === true });
}

/** PO-05: the account that one's commissions are paid on; of one that replaces another its owner is told (PO-04). */
async function setBankAccount(call: UserCall): Promise<FunctionResponse> {
  const { holder, iban, abroad } = parsePayload(bankAccountForm, call.body ?? {});
  const { shown, sealed, ibanMark } = toStored(call.services.secrets, {
    method: 'virement',
    iban,
    beneficiaryName: holder,
    abroad,
  });
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows } = await tx.query<{ id: string; holder: string; iban: string }>(
      'select a.id, a.holder, a.iban from private.set_bank_account($1, $2, $3, $4, $5) a',
      [holder, shown['iban'], sealed, ibanMark, abroad?.bic ?? null],
    );
    const [account] = rows;
    if (account === undefined) throw new Error('set_bank_account gave no row');
    await tellOfChangedIban(call.services, tx, account.id);
    return answer({ success: true, message: settingsSaved, data: { holder: account.holder, iban: account.iban } });
  });
}

/**
 * Reads the obstacles that keep a client from inviting a friend now (FX-04): failure codes, each with the remedy in French; none where the
 * client may. Tells too whether a mail goes to the friend at all (FX-65).
 */
async function mayInvite(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ obstacles: readonly FailureCode[]; asked_at: string | null }>(
    call.identity,
    {
      text: 'select private.referral_obstacles($1) as obstacles, private.commercial_asked_at() as asked_at',
      values: [call.services.mail.isConfigured],
    },
    { readOnly: true },
  );
  const obstacles = rows[0]?.obstacles ?? [];
  return answer({
    success: true,
    data: {
      obstacles: obstacles.map((code) => ({ code, message: failureMessage(code) })),
      is_mail_sent: call.services.mail.isConfigured,
      commercial_asked_at: rows[0]?.asked_at ?? null,
    },
  });
}

/** DF-06: « Demander un commercial », told to the admins once a day at most; nothing where one follows the client already. */
async function askCommercial(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ asked_at: string | null }>(call.identity, {
    text: 'select private.ask_commercial() as asked_at',
  });
  return answer({ success: true, message: commercialAsked, asked_at: rows[0]?.asked_at ?? null });
}

/** Account, identities, sessions, second factors, passkeys and account events; the product's own rows are read over REST. */
async function personalData(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.my_account_data() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}
