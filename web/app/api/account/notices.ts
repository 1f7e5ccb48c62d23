import type { NoticeDelivery, NoticeFacts, NoticeKind, NoticeTopic } from '@parrain/domain/notice';
import { noticeSum } from '@parrain/domain/notice-before-tax';
import { fromWire } from '@parrain/domain/money';
import type { Role } from '@parrain/domain/role';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import { rowsOf } from '../transport/read.ts';

/** Something that the reader is told of (TM-03). */
export interface OwnNotice extends NoticeFacts {
  id: string;
  createdAt: string;
  isRead: boolean;
}

/** The newest notices of the signed-in person, `most` of them at most. */
export function ownNoticesQuery(role: Role, most: number) {
  return queryOptions({
    queryKey: ['notices', 'list', role, most],
    queryFn: () => readNotices(role, most),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readNotices(role: Role, most: number): Promise<{ notices: readonly OwnNotice[]; goesOn: boolean }> {
  const client = await supabase();
  const rows = rowsOf(
    await client
      .from('notices')
      .select(columns)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .limit(most + 1)
      .overrideTypes<NoticeRow[], { merge: false }>(),
  );
  return { notices: rows.slice(0, most).map((row) => toDomain(row, role)), goesOn: rows.length > most };
}

const columns =
  `id,kind,created_at,read_at,sale_id,request_id,dispute_id,client_id,how_many,newcomer:profiles!client_id(full_name),line:payment_batch_lines(month,amount,vat_amount,reason),iban:payee_ibans(lift_reason),dispute:disputes(adjustment,payee:profiles!payee_id(full_name)),bill:payee_invoices(month,amount,vat_amount,payee:profiles(full_name)),owed:debt_acts(payee_id,amount,reason,annulled_reason,payee:profiles!payee_id(full_name)),
  sale:sales(referred_contact_name,client_commission_amount,commercial_commission_amount,rejection_reason,correction_reason,contract_left,contract_amount,correction:correction_requests(message),
    commercial:profiles!sales_commercial_id_fkey(full_name),friend:profiles!sales_friend_referrer_id_fkey(full_name),
    referrer:profiles!sales_client_referrer_id_fkey(full_name)),
  request:payment_requests(amount,vat_amount,rejection_reason,approval_annulled_reason,return_reason,client:profiles(full_name))`.replace(
    /\s+/gu,
    '',
  );

type Amount = string | number | null;
type Named = { full_name: string } | null;

interface NoticeRow {
  id: string;
  kind: NoticeKind;
  created_at: string;
  read_at: string | null;
  sale_id: string | null;
  request_id: string | null;
  dispute_id: string | null;
  client_id: string | null;
  newcomer: Named;
  line: { month: string; amount: Amount; vat_amount: Amount; reason: string | null } | null;
  iban: { lift_reason: string | null } | null;
  how_many: number | null;
  bill: { month: string | null; amount: Amount; vat_amount: Amount; payee: Named } | null;
  dispute: { payee: Named; adjustment: Amount } | null;
  owed: {
    payee_id: string;
    payee: Named;
    amount: Amount;
    reason: string | null;
    annulled_reason: string | null;
  } | null;
  sale: {
    referred_contact_name: string;
    client_commission_amount: Amount;
    commercial_commission_amount: Amount;
    rejection_reason: string | null;
    correction_reason: string | null;
    contract_left: Amount;
    contract_amount: Amount;
    correction: { message: string } | null;
    commercial: Named;
    friend: Named;
    referrer: Named;
  } | null;
  request: {
    amount: Amount;
    vat_amount: Amount;
    rejection_reason: string | null;
    approval_annulled_reason: string | null;
    return_reason: string | null;
    client: Named;
  } | null;
}

function toDomain(
  {
    id,
    kind,
    created_at: createdAt,
    read_at: readAt,
    sale_id: saleId,
    request_id: requestId,
    dispute_id: disputeId,
    client_id: clientId,
    newcomer,
    line,
    iban,
    how_many: howMany,
    bill,
    dispute,
    owed,
    sale,
    request,
  }: NoticeRow,
  role: Role,
): OwnNotice {
  const commission = role === 'client' ? sale?.client_commission_amount : sale?.commercial_commission_amount;
  const payment = request ?? line ?? bill;
  const asked =
    payment === null || payment.amount === null
      ? null
      : noticeSum(kind, fromWire(payment.amount), fromWire(payment.vat_amount ?? 0));
  const amount = dispute?.adjustment ?? owed?.amount ?? (role === 'admin' ? null : (commission ?? null));
  const person =
    request?.client ??
    bill?.payee ??
    dispute?.payee ??
    owed?.payee ??
    newcomer ??
    (kind === 'contract_to_validate' || kind === 'referral_still_late'
      ? sale?.commercial
      : (sale?.friend ?? sale?.referrer)) ??
    null;
  const reason = {
    payment_refused: request?.rejection_reason,
    payment_annulled: request?.approval_annulled_reason,
    payment_returned: request?.return_reason,
    month_rejected: line?.reason,
    month_returned: line?.reason,
    debt_waived: owed?.reason,
    waiver_to_confirm: owed?.reason,
    debt_act_annulled: owed?.annulled_reason,
    iban_checked: iban?.lift_reason,
    contract_annulled: sale?.correction_reason,
    correction_asked: sale?.correction?.message,
  }[kind as string];
  return {
    id,
    kind,
    createdAt,
    isRead: readAt !== null,
    role,
    saleId,
    requestId,
    disputeId,
    debtorId: owed?.payee_id ?? null,
    clientId,
    month: line?.month ?? bill?.month ?? null,
    howMany,
    contactName: sale?.referred_contact_name ?? null,
    personName: person?.full_name ?? null,
    amount: asked ?? (amount === null ? null : fromWire(amount)),
    reason: reason ?? sale?.rejection_reason ?? null,
    contractLeft: sale === null || sale.contract_left === null ? null : fromWire(sale.contract_left),
    contractAmount: sale === null || sale.contract_amount === null ? null : fromWire(sale.contract_amount),
  };
}

/** Marks notices as read, or as new again. */
export async function markNotices(ids: readonly string[], isRead: boolean): Promise<void> {
  await callFunction('notices', { query: { action: 'mark' }, body: { ids, is_read: isRead } });
  await queryClient.invalidateQueries({ queryKey: ['notices'] });
}

/** Marks as read all that there was at an instant: that of the newest on screen. Gives the instant that names them. */
export async function markAllNotices(until: string): Promise<string> {
  const { read_at: readAt } = await callFunction<{ read_at: string }>('notices', {
    query: { action: 'mark_all' },
    body: { until },
  });
  await queryClient.invalidateQueries({ queryKey: ['notices'] });
  return readAt;
}

/** NV-09: what was marked as read together is new again. */
export async function unmarkAllNotices(readAt: string): Promise<void> {
  await callFunction('notices', { query: { action: 'unmark_all' }, body: { read_at: readAt } });
  await queryClient.invalidateQueries({ queryKey: ['notices'] });
}

/** Mail delivery of a topic, and whether it is told on phones too. */
export interface NoticeChoice {
  delivery: NoticeDelivery;
  onPhone: boolean;
}

/** Choices of the person by topic; a topic that is not there is as by default (TM-02). */
export const noticeChoicesQuery = queryOptions({
  queryKey: ['notice-choices'],
  queryFn: async (): Promise<ReadonlyMap<NoticeTopic, NoticeChoice>> => {
    const client = await supabase();
    const rows = rowsOf(
      await client
        .from('notice_preferences')
        .select('topic,delivery,on_phone')
        .overrideTypes<{ topic: NoticeTopic; delivery: NoticeDelivery; on_phone: boolean }[], { merge: false }>(),
    );
    return new Map(rows.map(({ topic, delivery, on_phone: onPhone }) => [topic, { delivery, onPhone }]));
  },
});

/** TM-02: when a topic is mailed to me. */
export async function chooseNotices(topic: NoticeTopic, delivery: NoticeDelivery): Promise<void> {
  await callFunction('notices', { query: { action: 'choose' }, body: { topic, delivery } });
  await queryClient.invalidateQueries({ queryKey: ['notice-choices'] });
}

/** TM-02: no more of some mails, with the link of one and no session. Gives the topics, in words. */
export async function refuseMails(token: string): Promise<readonly string[]> {
  const { topics } = await callFunction<{ topics: readonly string[] }>('notice-refusal', {
    body: { token },
    anonymous: true,
  });
  return topics;
}
