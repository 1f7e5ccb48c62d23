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

type Screen = { readonly name: string; readonly who: SignedIn; readonly path: string };

/** P9: the lists of the screens as the pages ask for them, counted exactly; sorted, searched, filtered, and far behind. */
export async function screens(bench: Bench): Promise<Section> {
  const [admin, commercial, client] = [
    await signIn(bench, adminEmail),
    await signIn(bench, commercialEmail(7)),
    await signIn(bench, clientEmail(7)),
  ];
  const page = (number: number): string => `&offset=${(number - 1) * PAGE}&limit=${PAGE}`;
  const lastPage = Math.floor(bench.sizes.sales / PAGE);
  const anywhere = (columns: readonly string[], text: string): string =>
    `&or=(${columns.map((column) => `${column}.ilike."%25${encodeURIComponent(text)}%25"`).join(',')})`;
  const contact = ['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'contract_description'];
  const all = `/rest/v1/sales?select=${SALE},commercial_notes,${COMMERCIAL},${REFERRERS}`;
  const newest = '&order=created_at.desc,id.desc';
  const middle = Math.floor(lastPage * 0.45);
  const received = `/rest/v1/sales?select=${SALE},commercial_notes,${REFERRERS}&commercial_id=eq.${commercial.id}&corrects_sale_id=is.null`;
  const clients = `/rest/v1/profiles?select=${PERSON}&role=eq.client`;
  const summaries = `/rest/v1/client_summaries?select=*&commercial_id=eq.${commercial.id}`;
  const lists: readonly Screen[] = [
    { name: 'admin, sales, page 1', who: admin, path: `${all}${newest}${page(1)}` },
    { name: `admin, sales, page ${middle}`, who: admin, path: `${all}${newest}${page(middle)}` },
    {
      name: `admin, validated sales, page ${Math.floor(lastPage / 8)}`,
      who: admin,
      path: `${all}&admin_validated=is.true${newest}${page(Math.floor(lastPage / 8))}`,
    },
    {
      name: `admin, sales by amount, page ${middle}`,
      who: admin,
      path: `${all}&order=contract_amount.desc.nullslast,id.desc${page(middle)}`,
    },
    {
      name: `admin, sales by contact, page ${middle}`,
      who: admin,
      path: `${all}&order=referred_contact_name.asc,id.asc${page(middle)}`,
    },
    { name: `admin, sales, page ${lastPage}`, who: admin, path: `${all}${newest}${page(lastPage)}` },
    {
      name: 'admin, sales by amount',
      who: admin,
      path: `${all}&order=contract_amount.desc.nullslast,id.desc${page(1)}`,
    },
    {
      name: 'admin, sales by contact',
      who: admin,
      path: `${all}&order=referred_contact_name.asc,id.asc${page(1)}`,
    },
    { name: 'admin, sales by status', who: admin, path: `${all}&order=status.asc,id.asc${page(1)}` },
    {
      name: 'admin, sales of a commercial',
      who: admin,
      path: `${all}&commercial_id=eq.${commercial.id}${newest}${page(1)}`,
    },
    { name: 'admin, validated sales', who: admin, path: `${all}&admin_validated=is.true${newest}${page(1)}` },
    {
      name: 'admin, sales to validate',
      who: admin,
      path: `${all}&ready_for_validation=is.true&admin_validated=is.false&order=created_at.asc,id.asc${page(1)}`,
    },
    {
      name: 'admin, search among sales',
      who: admin,
      path: `${all}${anywhere(contact, 'Éloïse Lefèvre 77')}${newest}${page(1)}`,
    },
    { name: 'admin, clients, page 1', who: admin, path: `${clients}&order=created_at.desc,id.asc${page(1)}` },
    {
      name: 'admin, search among clients',
      who: admin,
      path: `${clients}${anywhere(['full_name', 'email', 'phone', 'company'], 'lefèvre 13')}&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'admin, payment requests',
      who: admin,
      path: `/rest/v1/payment_requests?select=*,client:profiles(full_name,email,phone)&status=eq.pending&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'admin, commissions',
      who: admin,
      path: `/rest/v1/commission_payments?select=*,recipient:profiles(full_name),sale:sales(referred_contact_name)&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'admin, trail of changes',
      who: admin,
      path: `/rest/v1/audit_entries?select=id,at,actor_id,actor,entity,entity_id,action,before,after,reason&order=at.desc,id.desc${page(1)}`,
    },
    {
      name: 'admin, trail of the settings',
      who: admin,
      path: `/rest/v1/audit_entries?select=id,at,actor_id,actor,entity,entity_id,action,before,after,reason&entity=eq.company_settings&order=at.desc,id.desc${page(1)}`,
    },
    {
      name: 'commercial, referrals, page 1',
      who: commercial,
      path: `${received}&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'commercial, rejected referrals',
      who: commercial,
      path: `${received}&status=eq.rejected&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'commercial, search among referrals',
      who: commercial,
      path: `${received}${anywhere(contact, 'lefèvre')}&order=created_at.desc,id.asc${page(1)}`,
    },
    {
      name: 'commercial, clients by revenue',
      who: commercial,
      path: `${summaries}&order=revenue_generated.desc,id.asc${page(1)}`,
    },
    {
      name: 'client, own referrals',
      who: client,
      path: `/rest/v1/sales?select=${SALE},${COMMERCIAL}&friend_referrer_id=eq.${client.id}&order=created_at.desc,id.asc${page(1)}`,
    },
  ];
  const rows: Row[] = [];
  for (const { name, who, path } of lists) {
    bench.say(`screen: ${name}`);
    const request = requestBytes(bench, { path, who, headers: { prefer: 'count=exact' } });
    rows.push({ what: name, ours: await timesOf(bench, request), goal: 'p99 ≤ 15 ms' });
  }
  return { title: 'Lists of the screens, one page each, counted exactly', rows };
}

async function timesOf(bench: Bench, request: Buffer): Promise<string> {
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
