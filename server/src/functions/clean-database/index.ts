import { Failure } from '@parrain/domain/failure';
import { databaseCleaned } from '@parrain/domain/messages';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/**
 * F-11, P-05, FX-67: for an admin, and only where demo data is configured. Without a body, which is the specification's call, it
 * deletes (DF-01). With `preview` it answers what would be deleted and what holds it, and changes nothing; a `confirmation`,
 * which the page asks for, must be the company's name.
 */
export default { '': { callers: ['admin'], run: cleanDatabase } } satisfies ProductFunction;

/** Runs under an exclusive lock: it waits for running writes, and no write starts before it ends. */
const CLEANING_TIMEOUT_MS = 60_000;

type Preview = {
  readonly would_delete: unknown;
  readonly held_by: readonly unknown[];
  readonly is_session_fresh: boolean;
};

async function cleanDatabase(call: UserCall): Promise<FunctionResponse> {
  if (!call.services.config.demo) throw new Failure('cleaning_disabled');
  if (call.body === null) return clean(call, null);
  if (call.body['preview'] === true) return preview(call);
  const typed = call.body['confirmation'];
  return clean(call, typeof typed === 'string' ? typed : '');
}

async function preview(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<Preview>(
    call.identity,
    { text: 'select would_delete, held_by, is_session_fresh from private.preview_cleaning()' },
    { readOnly: true },
  );
  const [found] = rows;
  if (found === undefined) throw new Error('preview_cleaning gave no row');
  return answer({
    success: true,
    deleted: null,
    would_delete: found.would_delete,
    held_by: found.held_by,
    reauthentication_required: !found.is_session_fresh,
  });
}

async function clean(call: UserCall, typed: string | null): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ deleted: unknown; password_change_required: boolean }>(
    call.identity,
    {
      text: 'select deleted, password_change_required from private.clean_test_data($1)',
      values: [typed],
    },
    { statementTimeoutMs: CLEANING_TIMEOUT_MS },
  );
  return answer({ success: true, message: databaseCleaned, ...rows[0] });
}
