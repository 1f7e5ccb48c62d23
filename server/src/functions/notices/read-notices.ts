import { fromWire } from '@parrain/domain/money';
import { noticeDeliveryDefault, noticeTopicOf } from '@parrain/domain/notice';
import type { NoticeDelivery, NoticeFacts, NoticeKind, NoticeTopic } from '@parrain/domain/notice';
import { noticesBeforeTax } from '@parrain/domain/notice-before-tax';
import type { Role } from '@parrain/domain/role';

import type { Transaction } from '#platform/database';

/** A notice, with what it is about as its recipient may see it. */
export type ToldNotice = NoticeFacts & {
  readonly id: string;
  readonly topic: NoticeTopic;
  readonly isRead: boolean;
};

/** A notice that is to be mailed. */
export type DueNotice = ToldNotice & {
  readonly recipient: { readonly id: string; readonly name: string; readonly email: string };
  /** False of a client whose mailbox never answered and whom nobody of the company invited: they are told on screen alone. */
  readonly isReachable: boolean;
  readonly delivery: NoticeDelivery;
  /** It was to leave before, and the bound of an hour was reached. */
  readonly wasHeld: boolean;
};

/** A notice as `NOTICE_FACTS` reads it. */
export type NoticeRow = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly sale_id: string | null;
  readonly request_id: string | null;
  readonly dispute_id: string | null;
  readonly debtor_id: string | null;
  readonly client_id: string | null;
  readonly month: string | null;
  readonly how_many: number | null;
  readonly role: Role;
  readonly is_read: boolean;
  readonly contact_name: string | null;
  readonly person_name: string | null;
  readonly amount: string | null;
  readonly reason: string | null;
  readonly contract_left: string | null;
  readonly contract_amount: string | null;
};

type MailRow = NoticeRow & {
  readonly recipient_id: string;
  readonly full_name: string;
  readonly email: string;
  readonly is_reachable: boolean;
  readonly was_held: boolean;
  readonly choices: Readonly<Partial<Record<NoticeTopic, NoticeDelivery>>> | null;
};

/** NV-09: of a move that its commercial can still take back nobody is told but on screen. */
export const undoableKinds: readonly NoticeKind[] = [
  'referral_contacted',
  'referral_in_negotiation',
  'referral_signed',
  'referral_refused',
  'contract_to_validate',
];

/** Columns read of a notice `n` of the person `p`, over `NOTICE_JOINS`. */
export const NOTICE_FACTS = `
  n.id, n.kind, n.sale_id, n.request_id, n.dispute_id, owed.payee_id as debtor_id, n.client_id, n.how_many, coalesce(l.month, bill.month)::text as month, p.role, n.read_at is not null as is_read,
  s.referred_contact_name as contact_name,
  case when n.request_id is not null then asker.full_name when n.invoice_id is not null then biller.full_name when n.dispute_id is not null then payee.full_name
    when n.debt_act_id is not null then debtor.full_name
    when n.client_id is not null then newcomer.full_name
    when n.kind in ('contract_to_validate', 'referral_still_late') then seller.full_name else referrer.full_name end as person_name,
  case when n.kind in (${noticesBeforeTax.map((kind) => `'${kind}'`).join(', ')}) then r.amount when n.request_id is not null then r.amount + coalesce(r.vat_amount, 0) when n.invoice_id is not null then bill.amount + coalesce(bill.vat_amount, 0) when n.dispute_id is not null then q.adjustment when n.debt_act_id is not null then owed.amount when n.line_id is not null then l.amount + coalesce(l.vat_amount, 0) when p.role = 'client' then s.client_commission_amount
    when p.role = 'commercial' then s.commercial_commission_amount end::text as amount,
  case n.kind when 'debt_waived' then owed.reason when 'waiver_to_confirm' then owed.reason when 'debt_act_annulled' then owed.annulled_reason
    when 'payment_refused' then r.rejection_reason when 'payment_annulled' then r.approval_annulled_reason
    when 'payment_returned' then r.return_reason when 'month_rejected' then l.reason when 'month_returned' then l.reason
    when 'iban_checked' then i.lift_reason when 'contract_annulled' then s.correction_reason when 'correction_asked' then ask.message else s.rejection_reason end as reason, s.contract_left::text as contract_left, s.contract_amount::text as contract_amount`;

/** From an outbox `m`, whose rows name notices. */
export const NOTICE_JOINS = `
  join public.notices n on n.id = m.notice_id
  join public.profiles p on p.id = n.recipient_id
  left join public.payment_requests r on r.id = n.request_id
  left join public.profiles asker on asker.id = r.client_id
  left join public.payment_batch_lines l on l.id = n.line_id
  left join public.payee_invoices bill on bill.id = n.invoice_id
  left join public.profiles biller on biller.id = bill.payee_id
  left join public.payee_ibans i on i.id = n.iban_id
  left join public.disputes q on q.id = n.dispute_id
  left join public.profiles payee on payee.id = q.payee_id
  left join public.debt_acts owed on owed.id = n.debt_act_id
  left join public.profiles debtor on debtor.id = owed.payee_id
  left join public.profiles newcomer on newcomer.id = n.client_id
  left join public.sales s on s.id = n.sale_id
    and (p.role = 'admin' or p.id in (s.commercial_id, s.friend_referrer_id, s.client_referrer_id))
  left join public.correction_requests ask on ask.sale_id = s.id and n.kind = 'correction_asked'
  left join public.profiles seller on seller.id = s.commercial_id
  left join public.profiles referrer on referrer.id = coalesce(s.friend_referrer_id, s.client_referrer_id)`;

/**
 * Up to `most` notices of a state that are still to be mailed, those of a person together, locked until the transaction ends;
 * what another node is mailing is passed over.
 */
export async function takeNotices(tx: Transaction, state: 'due' | 'morning', most: number): Promise<DueNotice[]> {
  const { rows } = await tx.query<MailRow>(
    `select ${NOTICE_FACTS}, n.recipient_id, p.full_name, p.email,
       p.role <> 'client' or u.email_proven_at is not null or u.invited_at is not null as is_reachable,
       m.held_until > '-infinity' as was_held,
       (select json_object_agg(c.topic, c.delivery) from public.notice_preferences c where c.profile_id = p.id) as choices
     from private.notice_mails m ${NOTICE_JOINS}
     join auth.users u on u.id = p.id
     where m.state = $1 and m.held_until <= now()
       and (n.kind <> all ($3) or n.created_at < now() - private.undo_window() - interval '10 seconds')
     order by n.recipient_id, n.created_at, n.id
     limit $2
     for update of m skip locked`,
    [state, most, undoableKinds],
  );
  return rows.map((row) => {
    const told = toldNotice(row);
    return {
      ...told,
      delivery: row.choices?.[told.topic] ?? noticeDeliveryDefault,
      wasHeld: row.was_held,
      isReachable: row.is_reachable && row.email !== '',
      recipient: { id: row.recipient_id, name: row.full_name, email: row.email },
    };
  });
}

export function toldNotice(row: NoticeRow): ToldNotice {
  return {
    id: row.id,
    kind: row.kind,
    role: row.role,
    saleId: row.sale_id,
    requestId: row.request_id,
    disputeId: row.dispute_id,
    debtorId: row.debtor_id,
    clientId: row.client_id,
    month: row.month,
    howMany: row.how_many,
    contactName: row.contact_name,
    personName: row.person_name,
    amount: row.amount === null ? null : fromWire(row.amount),
    reason: row.reason,
    contractLeft: row.contract_left === null ? null : fromWire(row.contract_left),
    contractAmount: row.contract_amount === null ? null : fromWire(row.contract_amount),
    topic: noticeTopicOf[row.kind],
    isRead: row.is_read,
  };
}
