import { requestBytes, signIn } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { figuresOf } from './load.ts';
import { milliseconds } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminEmail, clientEmail, commercialEmail } from '@parrain/database/seed';

const SALE =
  'id,created_at,status,referred_contact_name,referred_contact_email,referred_contact_phone,personal_message,' +
  'contract_amount,contract_description,commercial_id,client_referrer_id,friend_referrer_id,commission_rate,' +
  'ready_for_validation,admin_validated,rejection_reason,validated_at,validated_by,client_commission_amount,' +
  'commercial_commission_amount,client_commission_type,client_commission_rate,commercial_commission_type,' +
  'commercial_commission_rate,corrects_sale_id,correction_reason,contract_left,version,is_test';
const COMMERCIAL = 'commercial:profiles!commercial_id(full_name)';
const REFERRERS =
  'client_referrer:profiles!client_referrer_id(full_name),friend_referrer:profiles!friend_referrer_id(full_name)';
const PERSON = 'id,full_name,email,phone,role,created_at,company,notes,commercial_id,deactivated_at,is_test';
const PAGE = 25;

type Screen = {
  readonly name: string;
  readonly who: SignedIn;
  readonly path: string;
  /** The rows after a row: the whole list is then counted apart. */
  readonly isAfter?: true;
};

/** P9, NV-07: the lists of the screens as the pages ask for them; sorted, searched, filtered, and by cursor far behind. */
export async function screens(bench: Bench): Promise<Section> {
  const [admin, commercial, client] = [
    await signIn(bench, adminEmail),
    await signIn(bench, commercialEmail(7)),
    await signIn(bench, clientEmail(7)),
  ];
  // One row more tells whether the list goes on.
  const first = `&limit=${PAGE + 1}`;
  // As the pages say what a person typed: among the terms of a row, whatever its accents.
  const holding = (text: string): string => `&or=(terms.like."%25${encodeURIComponent(text)}%25")`;
  const all = `/rest/v1/sales?select=${SALE},commercial_notes,${COMMERCIAL},${REFERRERS}`;
  const newest = '&order=created_at.desc,id.desc';
  const validated = '&admin_validated=is.true';
  const received = `/rest/v1/sales?select=${SALE},commercial_notes,${REFERRERS}&commercial_id=eq.${commercial.id}&corrects_sale_id=is.null`;
  const clients = `/rest/v1/profiles?select=${PERSON}&role=eq.client`;
  const summaries = `/rest/v1/client_summaries?select=*&commercial_id=eq.${commercial.id}`;
  const lists: readonly Screen[] = [
    { name: 'admin, sales, page 1', who: admin, path: `${all}${newest}${first}` },
    {
      name: 'admin, sales, far behind',
      who: admin,
      path: `${all}${await pageAfter(bench, { column: 'created_at', desc: true })}`,
      isAfter: true,
    },
    {
      name: 'admin, validated sales, far behind',
      who: admin,
      path: `${all}${validated}${await pageAfter(bench, { column: 'created_at', desc: true })}`,
      isAfter: true,
    },
    {
      name: 'admin, sales by amount, far behind',
      who: admin,
      path: `${all}${await pageAfter(bench, { column: 'contract_amount', desc: true, nulls: true })}`,
      isAfter: true,
    },
    {
      name: 'admin, sales by contact, far behind',
      who: admin,
      path: `${all}${await pageAfter(bench, { column: 'referred_contact_name', desc: false })}`,
      isAfter: true,
    },
    { name: 'admin, sales, last page', who: admin, path: `${all}&order=created_at.asc,id.asc${first}` },
    {
      name: 'admin, sales by amount',
      who: admin,
      path: `${all}&order=contract_amount.desc.nullslast,id.desc${first}`,
    },
    {
      name: 'admin, sales by contact',
      who: admin,
      path: `${all}&order=referred_contact_name.asc,id.asc${first}`,
    },
    { name: 'admin, sales by status', who: admin, path: `${all}&order=status.asc,id.asc${first}` },
    {
      name: 'admin, sales of a commercial',
      who: admin,
      path: `${all}&commercial_id=eq.${commercial.id}${newest}${first}`,
    },
    { name: 'admin, validated sales', who: admin, path: `${all}${validated}${newest}${first}` },
    {
      name: 'admin, sales to validate',
      who: admin,
      path: `${all}&ready_for_validation=is.true&admin_validated=is.false&order=created_at.asc,id.asc${first}`,
    },
    {
      name: 'admin, search among sales',
      who: admin,
      path: `${all}${holding('eloise lefevre 77')}${newest}${first}`,
    },
    { name: 'admin, clients, page 1', who: admin, path: `${clients}&order=created_at.desc,id.asc${first}` },
    {
      name: 'admin, search among clients',
      who: admin,
      path: `${clients}${holding('lefevre 13')}&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'admin, payment requests',
      who: admin,
      path: `/rest/v1/payment_requests?select=*,client:profiles(full_name,email,phone)&status=eq.pending&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'admin, commissions',
      who: admin,
      path: `/rest/v1/commission_payments?select=*,recipient:profiles(full_name),sale:sales(referred_contact_name)&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'admin, trail of changes',
      who: admin,
      path: `/rest/v1/audit_entries?select=id,at,actor_id,actor,entity,entity_id,action,before,after,reason&order=at.desc,id.desc${first}`,
    },
    {
      name: 'admin, trail of the settings',
      who: admin,
      path: `/rest/v1/audit_entries?select=id,at,actor_id,actor,entity,entity_id,action,before,after,reason&entity=eq.company_settings&order=at.desc,id.desc${first}`,
    },
    {
      name: 'commercial, referrals, page 1',
      who: commercial,
      path: `${received}&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'commercial, rejected referrals',
      who: commercial,
      path: `${received}&status=eq.rejected&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'commercial, search among referrals',
      who: commercial,
      path: `${received}${holding('lefevre')}&order=created_at.desc,id.asc${first}`,
    },
    {
      name: 'commercial, clients by revenue',
      who: commercial,
      path: `${summaries}&order=revenue_generated.desc,id.asc${first}`,
    },
    {
      name: 'client, own referrals',
      who: client,
      path: `/rest/v1/sales?select=${SALE},${COMMERCIAL}&friend_referrer_id=eq.${client.id}&order=created_at.desc,id.asc${first}`,
    },
  ];
  const rows: Row[] = [];
  for (const { name, who, path, isAfter } of lists) {
    bench.say(`screen: ${name}`);
    const request = requestBytes(bench, { path, who, headers: isAfter === true ? {} : { prefer: 'count=exact' } });
    rows.push({ what: name, ours: await timesOf(bench, request), goal: 'p99 ≤ 15 ms' });
  }
  return { title: 'Lists of the screens, one page each; counted exactly, unless they come after a row', rows };
}

type Order = { readonly column: string; readonly desc: boolean; readonly nulls?: true };

/** The page after the row at 45 % of all sales, as the pages ask for it: by the row's place, in arms that exclude each other. */
async function pageAfter(bench: Bench, { column, desc, nulls }: Order): Promise<string> {
  const { rows } = await bench.owner.query<{ value: string; id: string }>(
    `select ${column}::text as value, id from public.sales where ${column} is not null
     order by ${column} ${desc ? 'desc' : 'asc'}, id ${desc ? 'desc' : 'asc'} offset $1 limit 1`,
    [Math.floor(bench.sizes.sales * 0.45)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('There are too few sales for a page far behind');
  const step = desc ? 'lt' : 'gt';
  const value = `"${row.value}"`;
  const arms = [
    `${column}.${step}.${value}`,
    ...(nulls === undefined ? [] : [`${column}.is.null`]),
    `and(${column}.eq.${value},id.${step}."${row.id}")`,
  ];
  const direction = desc ? 'desc' : 'asc';
  const order = `${column}.${direction}${nulls === undefined ? '' : '.nullslast'},id.${direction}`;
  return `&or=${encodeURIComponent(`(${arms.join(',')})`)}&order=${order}&limit=${PAGE + 1}`;
}

/** One request again and again, one at a time: the middle of its times, and the hundredth. */
export async function timesOf(bench: Bench, request: Buffer): Promise<string> {
  const outcomes = [];
  try {
    for (let round = 0; round < bench.rounds; round += 1) {
      outcomes.push(
        await bench.load.run({
          connections: 1,
          seconds: bench.seconds / 2,
          warmUpSeconds: bench.warmUpSeconds,
          requests: { kind: 'cycle', requests: [request] },
        }),
      );
    }
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 80) : String(error);
  }
  const figures = figuresOf(outcomes);
  return `p50 ${milliseconds(figures.p50)}, p99 ${milliseconds(figures.p99)}`;
}
