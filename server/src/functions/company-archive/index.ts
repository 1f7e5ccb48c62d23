import { archiveAsked } from '@parrain/domain/messages';

import { rateLimited } from '#platform/errors';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** EX-03: the company's whole data as an archive, made by a job of the exports' door. */
export default {
  get: { method: 'GET', callers: ['admin'], run: getArchives },
  ask: { callers: ['admin'], run: askArchive },
} satisfies ProductFunction;

async function getArchives(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: object }>(
    call.identity,
    { text: 'select private.archives_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

/** Each reads the whole database. */
const PER_COMPANY = { capacity: 10, perSeconds: 86_400 } as const;

/** One is made at a time: whoever asks meanwhile waits for that one. */
async function askArchive(call: UserCall): Promise<FunctionResponse> {
  const { services, db, identity } = call;
  const wait = await services.rateLimit.takeToken('archives', PER_COMPANY);
  if (wait > 0) throw rateLimited(wait);
  await db.transactionAs(identity, async (tx) => {
    await tx.query('select private.ask_archive()');
    // The job of the exports’ door, which also looks each minute.
    await services.jobs.enqueue(tx, 'exports_make_archive', {}, { maxAttempts: 1 });
  });
  return answer({ success: true, message: archiveAsked });
}
