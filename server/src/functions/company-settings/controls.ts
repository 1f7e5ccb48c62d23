import { controlWords } from '@parrain/domain/control';
import type { Control } from '@parrain/domain/control';
import { formatDateTime } from '@parrain/domain/date';
import { controlForm } from '@parrain/domain/forms/control';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { controlWaits, settingsSaved } from '@parrain/domain/messages';

import type { Query } from '#platform/database';
import { readSender } from '#platform/mail-layout';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { controlChangeMail } from '../mails/control-change.ts';
import { once } from '../once.ts';

type WaitingRow = {
  readonly value: unknown;
  readonly due_at: Date;
  readonly asked_by_name: string;
  readonly is_new: boolean;
};

/**
 * Sets a control that binds admins. One that would bind them less waits for another admin, or for 72 hours, and every admin is
 * written to, whatever notices they chose (DF-24).
 */
export async function changeControl(call: UserCall, control: Control, query: Query): Promise<FunctionResponse> {
  return once(call, async (tx) => {
    const { rows } = await tx.query<Record<string, unknown>>(query);
    const waiting = await tx.query<WaitingRow>(
      `select value, due_at, asked_by_name, asked_at = now() as is_new from private.waiting_controls() where control = $1`,
      [control],
    );
    const [change] = waiting.rows;
    if (change === undefined) return answer({ success: true, message: settingsSaved, data: rows[0] });
    if (change.is_new) {
      const admins = await tx.query<{ email: string }>(
        `select email from public.profiles where role = 'admin' and deactivated_at is null and email <> '' order by id`,
      );
      const sender = await readSender(tx, call.services.publicUrl());
      for (const { email } of admins.rows) {
        await call.services.mail.enqueue(
          tx,
          controlChangeMail(sender, {
            email,
            askedBy: change.asked_by_name,
            change: controlWords(control, change.value),
            dueAt: change.due_at.toISOString(),
            settingsUrl: `${call.services.publicUrl()}/admin/dashboard`,
          }),
        );
      }
    }
    return answer({
      success: true,
      message: controlWaits(formatDateTime(change.due_at.toISOString())),
      waits: true,
      data: rows[0],
    });
  });
}

/** The changes that wait, the oldest first. */
export async function readControls(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs(
    call.identity,
    { text: 'select id, control, value, asked_at, due_at, asked_by_name, is_own from private.waiting_controls()' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

export const confirmControl = (call: UserCall): Promise<FunctionResponse> => endControl(call, true);
export const withdrawControl = (call: UserCall): Promise<FunctionResponse> => endControl(call, false);

async function endControl(call: UserCall, isConfirmed: boolean): Promise<FunctionResponse> {
  const { changeId } = parsePayload(controlForm, call.body ?? {});
  await call.db.queryAs(call.identity, {
    text: 'select from private.end_control($1, $2)',
    values: [changeId, isConfirmed],
  });
  return answer({ success: true, message: settingsSaved });
}
