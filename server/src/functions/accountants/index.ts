import { Failure } from '@parrain/domain/failure';
import { accountantInvitationForm, dossierSendingForm } from '@parrain/domain/forms/accountant';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { personNotSelected } from '@parrain/domain/messages';
import type { StatementPeriod } from '@parrain/domain/statement';
import * as z from 'zod/mini';

import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';

import { answer, issue } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { inviteAccount, stateOf } from '../invitation.ts';
import { requireMailLeft } from '../mail-bounds.ts';
import { accountantDossierMail } from '../mails/accountant-dossier.ts';
import { onceThen } from '../once.ts';

/** UI-12: who reads the company's accounting without changing anything, and what they are told of. */
export default {
  list: { method: 'GET', callers: ['admin'], run: listAccountants },
  invite: { callers: ['admin'], run: invite },
  withdraw: { callers: ['admin'], run: (call: UserCall) => change(call, 'select private.withdraw_accountant($1)') },
  give_back: { callers: ['admin'], run: (call: UserCall) => change(call, 'select private.give_accountant_back($1)') },
  sent: { method: 'GET', callers: ['admin'], run: readSending },
  send: { callers: ['admin'], run: send },
} satisfies ProductFunction;

type Accountant = {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly created_at: Date;
  readonly deactivated_at: Date | null;
  readonly last_sign_in_at: Date | null;
};

async function listAccountants({ db, identity }: UserCall): Promise<FunctionResponse> {
  const { rows } = await db.queryAs<Accountant>(
    identity,
    { text: 'select * from private.accountants()' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

async function invite(call: UserCall): Promise<FunctionResponse> {
  const person = parsePayload(accountantInvitationForm, call.body ?? {});
  return inviteAccount(call, 'comptable', person, ({ id: newId, passwordHash, temporaryUntil }) => ({
    text: 'select id, full_name, email from private.invite_accountant($1, $2, $3, $4, $5)',
    values: [newId, person.email, person.name, passwordHash, temporaryUntil],
  }));
}

const named = z.object({ accountant_id: id(personNotSelected) });

async function change(call: UserCall, text: string): Promise<FunctionResponse> {
  const { accountant_id: accountantId } = parsePayload(named, call.body ?? {});
  await call.db.queryAs(call.identity, { text, values: [accountantId] });
  return answer({ success: true });
}

/** Instant at which a period was last sent; null where it never was. */
async function readSending({ db, identity, request }: UserCall): Promise<FunctionResponse> {
  const { period } = parsePayload(dossierSendingForm, request.query as Record<string, unknown>);
  const { rows } = await db.queryAs<{ at: Date | null }>(
    identity,
    { text: 'select private.dossier_sent_at($1) as at', values: [period.name] },
    { readOnly: true },
  );
  return answer({ success: true, sent_at: rows[0]?.at ?? null });
}

type Sending = {
  readonly mailIds: readonly (string | null)[];
  readonly names: readonly string[];
  readonly sentAt: string | null;
};

/** Tells each accountant that a period is ready; pressed again within ten minutes, it says when it was sent. */
async function send(call: UserCall): Promise<FunctionResponse> {
  const { period } = parsePayload(dossierSendingForm, call.body ?? {});
  return onceThen<Sending>(
    call,
    (tx) => enqueue(call, tx, period),
    async ({ mailIds, names, sentAt }) => {
      const fates = await Promise.all(mailIds.map((mailId) => call.services.mail.waitForFate(mailId)));
      const states = new Set(fates.map(stateOf));
      const worst = (['not_sent', 'sending'] as const).find((state) => states.has(state)) ?? 'sent';
      return answer({ success: true, emailState: worst, already: mailIds.length === 0, sent_at: sentAt, names });
    },
  );
}

async function enqueue(call: UserCall, tx: Transaction, period: StatementPeriod): Promise<Sending> {
  const { services, userId } = call;
  const { rows: accountants } = await tx.query<Accountant>(
    'select * from private.accountants() a where a.deactivated_at is null',
  );
  if (accountants.length === 0) {
    throw new Failure('invalid_input', {}, [issue('period', 'Donnez d’abord un accès à votre comptable.')]);
  }
  if (!services.mail.isConfigured) return { mailIds: [null], names: [], sentAt: null };
  const noted = await tx.query<{ is_new: boolean }>('select private.note_dossier_sent($1, $2) as is_new', [
    period.name,
    accountants.length,
  ]);
  const known = await tx.query<{ at: Date; by: string; lines: number; total: string }>(
    `select private.dossier_sent_at($1) as at, (select p.full_name from public.profiles p where p.id = $4) as by,
      m.lines::float8 as lines, m.total::text as total
     from private.accounting_total($2, $3) m`,
    [period.name, period.fromDay, period.beforeDay, userId],
  );
  const [{ at, by, lines, total } = noPeriod()] = known.rows;
  const names = accountants.map((accountant) => accountant.full_name);
  const mailIds: (string | null)[] = [];
  if (noted.rows[0]?.is_new === true) {
    const sender = await readSender(tx, services.publicUrl());
    for (const { email, full_name: name } of accountants) {
      await requireMailLeft(tx, services);
      const ready = { email, name, sentBy: by, period, lines, total };
      mailIds.push(await services.mail.enqueue(tx, accountantDossierMail(sender, ready)));
    }
  }
  return { mailIds, names, sentAt: at.toISOString() };
}

function noPeriod(): never {
  throw new Error('The sums of a period gave no row');
}
