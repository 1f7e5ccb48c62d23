import { monthsOf, periodDefault } from '@parrain/domain/period';
import { adminEmail, clientEmail } from '@parrain/database/seed';

import { requestBytes, signIn } from './company.ts';
import type { Bench } from './company.ts';
import type { Row, Section } from './report.ts';
import { timesOf } from './screens.ts';

const ACCOUNT = 'id,full_name,role,earned,reversed,adjusted,held,reserved,paid,vat_paid,available';

/** LG-02: what « Contrôle des comptes » asks for, all at once, and a balance. */
export async function controlPage(bench: Bench): Promise<Section> {
  const [admin, client] = [await signIn(bench, adminEmail), await signIn(bench, clientEmail(7))];
  const { fromMonth, toMonth } = monthsOf(periodDefault, new Date());
  const asked = [
    {
      what: 'the ledger beside the lists, twelve months',
      method: 'POST',
      path: '/rest/v1/rpc/account_control',
      who: admin,
      body: { p_from: fromMonth, p_to: toMonth },
    },
    {
      what: 'its accounts, page 1, counted',
      path: `/rest/v1/payee_accounts?select=${ACCOUNT}&order=full_name.asc,id.asc&limit=21`,
      who: admin,
      headers: { prefer: 'count=exact' },
    },
    {
      what: 'a client’s own balance',
      path: `/rest/v1/balances?select=earned,reversed,held,reserved,paid&profile_id=eq.${client.id}`,
      who: client,
    },
  ];
  const rows: Row[] = [];
  for (const { what, ...request } of asked) {
    bench.say(`control page: ${what}`);
    rows.push({ what, ours: await timesOf(bench, requestBytes(bench, request)), goal: 'p99 ≤ 20 ms' });
  }
  return { title: 'The control page, and a balance', rows };
}
