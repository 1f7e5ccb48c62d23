import { Failure } from '@parrain/domain/failure';
import { databaseCleaned } from '@parrain/domain/messages';

import { answer } from '../call.ts';
import type { Answer, ProductFunction, UserCall } from '../call.ts';

/**
 * F-11, P-05: removes what was test data from its birth, for an admin, and only where demo data is configured. The
 * source's page sends no body; whoever sends one confirms in it, with the company's name or the word below.
 */
export default { '': { callers: ['admin'], run: cleanDatabase } } satisfies ProductFunction;

const CONFIRMATION_WORD = 'SUPPRIMER';

type Counts = Readonly<
  Record<'sales' | 'commission_payments' | 'payment_requests' | 'commission_rates' | 'clients' | 'commercials', number>
>;

async function cleanDatabase(call: UserCall): Promise<Answer> {
  if (!call.services.config.demo) throw new Failure('cleaning_disabled');
  const { body } = call;
  return call.db.transactionAs(call.identity, async (tx) => {
    if (body !== null) {
      const { rows } = await tx.query<{ company_name: string }>('select company_name from public.company_settings');
      const given = typeof body['confirmation'] === 'string' ? body['confirmation'].trim() : '';
      if (given !== CONFIRMATION_WORD && given !== rows[0]?.company_name) throw new Failure('confirmation_required');
    }
    const { rows } = await tx.query<Counts>('select * from private.clean_test_data()');
    return answer({ success: true, message: databaseCleaned, deleted: rows[0] });
  });
}
