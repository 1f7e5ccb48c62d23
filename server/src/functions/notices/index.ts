import { noticePreferenceForm } from '@parrain/domain/forms/notice-preference';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { choosePhone, readPhones, subscribePhone, unsubscribePhone } from './phones.ts';

/** TM-03: a person's own notices, read over REST and marked here; UI-16: on which devices they are told. */
export default {
  mark: { callers: ['admin', 'commercial', 'client'], run: mark },
  choose: { callers: ['admin', 'commercial', 'client'], run: choose },
  mark_all: { callers: ['admin', 'commercial', 'client'], run: markAll },
  unmark_all: { callers: ['admin', 'commercial', 'client'], run: unmarkAll },
  phones: { method: 'GET', callers: ['admin', 'commercial', 'client'], run: readPhones },
  choose_phone: { callers: ['admin', 'commercial', 'client'], run: choosePhone },
  subscribe: { callers: ['admin', 'commercial', 'client'], run: subscribePhone },
  unsubscribe: { callers: ['admin', 'commercial', 'client'], run: unsubscribePhone },
} satisfies ProductFunction;

const some = z.object({ ids: z.array(z.uuid()).check(z.minLength(1), z.maxLength(200)), is_read: z.boolean() });

/** Marks some as read, or as unread again; another person's are not among them. */
async function mark(call: UserCall): Promise<FunctionResponse> {
  const { ids, is_read: isRead } = parsePayload(some, call.body ?? {});
  const { rows } = await call.db.queryAs<{ changed: number }>(call.identity, {
    text: 'select private.mark_notices($1::uuid[], $2) as changed',
    values: [ids, isRead],
  });
  return answer({ success: true, changed: rows[0]?.changed ?? 0 });
}

/** TM-02: when a topic is mailed to the caller; notices on screen stay. */
async function choose(call: UserCall): Promise<FunctionResponse> {
  const { topic, delivery } = parsePayload(noticePreferenceForm, call.body ?? {});
  await call.db.queryAs(call.identity, {
    text: 'select from private.choose_notices($1, $2)',
    values: [topic, delivery],
  });
  return answer({ success: true, message: 'Préférence enregistrée' });
}

const until = z.object({ until: z.iso.datetime({ offset: true }) });

/** Marks as read all that were there at an instant: that of the newest one on screen. Gives the instant that names them. */
async function markAll(call: UserCall): Promise<FunctionResponse> {
  const { until: instant } = parsePayload(until, call.body ?? {});
  const { rows } = await call.db.queryAs<{ changed: number; read_at: string }>(call.identity, {
    // As JSON has it: a Date would lose the microseconds.
    text: `select private.mark_all_notices($1) as changed, to_json(now()) as read_at`,
    values: [instant],
  });
  return answer({ success: true, changed: rows[0]?.changed ?? 0, read_at: rows[0]?.read_at });
}

const marked = z.object({ read_at: z.iso.datetime({ offset: true }) });

/** NV-09: what was marked as read together at an instant is new again. */
async function unmarkAll(call: UserCall): Promise<FunctionResponse> {
  const { read_at: readAt } = parsePayload(marked, call.body ?? {});
  const { rows } = await call.db.queryAs<{ changed: number }>(call.identity, {
    text: 'select private.unmark_all_notices($1) as changed',
    values: [readAt],
  });
  return answer({ success: true, changed: rows[0]?.changed ?? 0 });
}
