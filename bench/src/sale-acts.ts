import type { Client } from 'pg';

import type { Statement } from './capture.ts';
import { FRIEND, NOTE } from './plain-sale.ts';

/** Our own functions for the acts on a sale that are not a decision, each with the identity that the server gives it. */
export type SaleActs = Readonly<Record<'referral' | 'statusMove', readonly Statement[]>>;

/**
 * Sessions for every client and every commercial, so that no bound per day (FX-07) ends the bench: a client refers friends in
 * turn with all others, a commercial moves the sales that nobody followed up. After the last sale comes the first, moved on.
 */
export async function makeSaleActs(owner: Client, login: string): Promise<SaleActs> {
  await owner.query(`
    create table bench.people as
      with opened as (
        insert into auth.sessions (user_id, refresh_key_sealed)
        select id, '\\x00' from public.profiles where role <> 'admin' returning id, user_id)
      select p.id, p.role, jsonb_build_object('sub', p.id, 'session_id', o.id, 'role', 'authenticated', 'aal', 'aal1')::text as claims
      from opened o join public.profiles p on p.id = o.user_id;
    create table bench.clients as select row_number() over (order by md5(id::text)) as n, claims from bench.people where role = 'client';
    create table bench.moving as
      select row_number() over (order by md5(s.id::text)) as n, s.id, p.claims
      from public.sales s join bench.people p on p.id = s.commercial_id where s.status = 'pending' and not s.ready_for_validation;
    alter table bench.clients add primary key (n);
    alter table bench.moving add primary key (n);
    create sequence bench.referred;
    create sequence bench.moved;
    grant select on bench.clients, bench.moving to ${login}, authenticated;
    grant usage on sequence bench.referred, bench.moved to ${login}, authenticated;
    analyze bench.clients, bench.moving, auth.sessions`);
  const { rows } = await owner.query<{ clients: string; moving: string }>(
    'select (select count(*) from bench.clients) as clients, (select count(*) from bench.moving) as moving',
  );
  const [counted] = rows;
  if (counted === undefined || counted.clients === '0' || counted.moving === '0')
    throw new Error(
      'There is nobody to refer a friend, or no sale to follow up: ask for more with --sales and --clients',
    );
  const identityOf = (table: string, place: string): string => `
    select set_config('request.jwt.claims', claims, true), set_config('app.request_id', 'bench', true),
      set_config('app.reason', '', true), set_config('statement_timeout', '5000', true), private.identify(),
      set_config('role', 'authenticated', true)
    from bench.${table} where n = (select ${place})`;
  const moved = `1 + currval('bench.moved') % ${counted.moving}`;
  const acts = {
    referral: [
      identityOf('clients', `1 + nextval('bench.referred') % ${counted.clients}`),
      `select to_json(s) as sale from private.invite_friend('${FRIEND.name}', 'ami' || currval('bench.referred') || '@ailleurs.example',
        '${FRIEND.phone}', '${FRIEND.message}', false) s`,
    ],
    statusMove: [
      identityOf('moving', `1 + nextval('bench.moved') % ${counted.moving}`),
      `select to_json(s) as sale from private.update_sale_status((select id from bench.moving where n = (select ${moved})),
        case when currval('bench.moved') / ${counted.moving} % 2 = 0 then 'contacted' else 'in_negotiation' end,
        null, null, '${NOTE}', '{}') s`,
    ],
  };
  const statements = (texts: readonly string[]): readonly Statement[] => texts.map((text) => ({ text, values: [] }));
  return { referral: statements(acts.referral), statusMove: statements(acts.statusMove) };
}
