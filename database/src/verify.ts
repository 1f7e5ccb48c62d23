import type { ClientBase } from 'pg';

import { catalogueOf, differencesOf } from './catalogue.ts';

/** One thing that must hold over the whole database: what it speaks of, counted, and the rows that break it. */
export type Invariant = {
  readonly id: string;
  readonly sentence: string;
  /** Counts the things the invariant speaks of. */
  readonly counted: string;
  /** Lists what breaks it: nothing, in a sound database. */
  readonly violations: string;
};

export type Finding = {
  readonly invariant: Pick<Invariant, 'id' | 'sentence'>;
  readonly counted: number;
  readonly violations: readonly Record<string, unknown>[];
};

const OUR_TABLES = `relkind = 'r' and relname <> 'migrations' and relnamespace in
  ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'storage'::regnamespace, 'figures'::regnamespace)`;

/**
 * Sums that each payee earned and asked for, counted from the rows alone: everybody with a commission, a request or a balance, whether or
 * not the others are there.
 */
const PAYEES = `
  select payee as id, sum(earned) as earned, sum(reversed) as reversed, sum(reserved) as reserved, sum(paid) as paid,
    sum(held) as held, sum(repaid) as repaid
  from (
    select recipient_id as payee, greatest(amount, 0) as earned, greatest(-amount, 0) as reversed, 0 as reserved, 0 as paid, 0 as held,
      0 as repaid
    from public.commission_payments
    union all
    select client_id, 0, 0, case when status in ('pending', 'approved') then amount else 0 end,
      case when status = 'paid' then amount else 0 end, 0, 0
    from public.payment_requests
    union all
    select payee_id, 0, 0, 0, 0, case when ended_at is null then amount else 0 end, 0 from public.commission_holds
    union all
    select payee_id, greatest(adjustment, 0) + case when adjustment_annulled_at is null then 0 else greatest(-adjustment, 0) end,
      greatest(-adjustment, 0) + case when adjustment_annulled_at is null then 0 else greatest(adjustment, 0) end, 0, 0, 0, 0
    from public.disputes where adjustment is not null
    union all
    select payee_id, amount, case when annulled_at is null then 0 else amount end, 0, 0, 0,
      case when kind = 'repayment' and annulled_at is null then amount else 0 end
    from public.debt_acts where at is not null
    union all
    select payee_id, 0, 0, 0, amount, 0, 0 from public.paid_periods where returned_at is null
    union all
    select profile_id, 0, 0, 0, 0, 0, 0 from public.balances) entries
  group by payee`;

/** The rows of one side alone: `recounted` names columns of the same names, in the same order, as `kept` selects. */
const differences = (recounted: string, kept: string): string => `
  select * from (
    (select 'compté' as side, r.* from ${recounted} r except all select 'compté', k.* from (${kept}) k)
    union all
    (select 'tenu', k.* from (${kept}) k except all select 'tenu', r.* from ${recounted} r)) difference`;

/** The invariants of money, of states and of the audit trail. */
export const invariants: readonly Invariant[] = [
  {
    id: 'I1',
    sentence: 'une vente validée a exactement une commission par bénéficiaire, une autre n’en a aucune',
    counted: 'select count(*) from public.sales',
    violations: `
      select s.id, s.admin_validated, count(p.id) as commissions
      from public.sales s left join public.commission_payments p on p.sale_id = s.id
      group by s.id
      having count(p.id) <> case when s.admin_validated
        then 1 + (coalesce(s.friend_referrer_id, s.client_referrer_id) is not null)::integer else 0 end`,
  },
  {
    id: 'I2',
    sentence: 'nul n’a demandé plus que ce qu’il a gagné',
    counted: `select count(*) from (${PAYEES}) payees`,
    violations: `
      select p.id, p.earned, p.reversed, p.reserved, p.paid from (${PAYEES}) p where p.reserved + p.paid + p.held > p.earned
      union all
      select b.profile_id, b.earned, b.reversed, b.reserved, b.paid from public.balances b
      where b.reserved + b.paid + b.held > b.earned or least(b.earned, b.reversed, b.reserved, b.paid, b.held) < 0`,
  },
  {
    id: 'I2b',
    sentence:
      'chaque solde est la somme de ses commissions, de ses délais, de ses ajustements, de ses dettes remboursées ou abandonnées, de ses demandes et de ses mois payés',
    counted: `select count(*) from (${PAYEES}) payees`,
    violations: `
      select p.id, b.earned, b.reversed, b.reserved, b.paid, b.held, b.repaid
      from (${PAYEES}) p
      left join public.balances b on b.profile_id = p.id
      where (coalesce(b.earned, 0), coalesce(b.reversed, 0), coalesce(b.reserved, 0), coalesce(b.paid, 0), coalesce(b.held, 0),
          coalesce(b.repaid, 0))
        <> (p.earned, p.reversed, p.reserved, p.paid, p.held, p.repaid)`,
  },
  {
    id: 'I2c',
    sentence: 'chaque solde est la somme de ses écritures au grand livre',
    counted: 'select count(*) from public.ledger_entries',
    violations: differences(
      '(select * from figures.recounted_balances where (earned, reversed, reserved, paid, held, repaid) <> (0, 0, 0, 0, 0, 0))',
      `select profile_id, earned, reversed, reserved, paid, held, repaid from public.balances
      where (earned, reversed, reserved, paid, held, repaid) <> (0, 0, 0, 0, 0, 0)`,
    ),
  },
  {
    id: 'I2d',
    sentence:
      'chaque commission, fin de délai, ajustement, dette remboursée ou abandonnée, demande, refus, paiement et mois payé a son écriture au grand livre, et aucune autre n’y est',
    counted: `select (select count(*) from public.commission_payments) + (select count(*) from public.payment_requests)`,
    violations: differences(
      '(select source_id, act, line, payee_id, debit, credit, amount, detail, is_test from figures.expected_ledger)',
      'select source_id, act, line, payee_id, debit, credit, amount, detail, is_test from public.ledger_entries',
    ),
  },
  {
    id: 'I2e',
    sentence: 'un délai est celui du barème, et finit à son jour ou par l’annulation de sa commission',
    counted: 'select count(*) from public.commission_holds',
    violations: `
      select h.commission_id, h.until, h.ended_at, h.is_corrected
      from public.commission_holds h
      join public.commission_payments p on p.id = h.commission_id
      join public.sales s on s.id = p.sale_id
      join public.sale_terms e on e.sale_id = coalesce(s.corrects_sale_id, s.id)
      join public.scale_versions v on v.id = e.version_id
      -- What a correction in part took of a hold, or added to it, is a hold of its own, of the commission it corrects.
      left join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = p.type
      left join lateral (
        select coalesce(sum(-sign(k.amount) * t.amount), 0) as amount, coalesce(sum(k.amount), 0) as corrected,
          coalesce(bool_or(c.contract_left is null), false) as is_whole
        from public.sales c
        join public.commission_payments k on k.sale_id = c.id and k.type = p.type
        left join public.commission_holds t on t.commission_id = k.id
        where c.corrects_sale_id = s.id) taken on true
      where h.payee_id <> p.recipient_id
        or case when s.corrects_sale_id is null
          then h.amount + taken.amount <> p.amount or taken.is_whole and h.ended_at is null
            or h.is_corrected and taken.corrected <> -p.amount
          else h.amount <> abs(p.amount) or not h.is_corrected end
        or h.until <> coalesce(o.created_at, p.created_at)
          + make_interval(days => case p.type when 'client' then coalesce((v.rules ->> 'client_hold_days')::integer, 0) else 0 end)
        or h.ended_at < h.until and not h.is_corrected`,
  },
  {
    id: 'I2f',
    sentence: 'une commission en vérification a un cas douteux qui n’est pas classé',
    counted: 'select count(*) from public.commission_holds where is_under_check',
    violations: `
      select h.commission_id, h.payee_id
      from public.commission_holds h
      join public.commission_payments p on p.id = h.commission_id join public.sales s on s.id = p.sale_id
      where h.is_under_check and not exists (
        select from public.doubtful_cases c where c.status <> 'cleared' and (c.sale_id = p.sale_id
          or c.payee_id = coalesce(s.friend_referrer_id, s.client_referrer_id) and c.sale_id is null and c.request_id is null))`,
  },
  {
    id: 'I3',
    sentence: 'chaque commission est, au centime, ce que donne le barème gardé par la vente',
    counted: 'select count(*) from public.commission_payments',
    violations: `
      select p.id, p.amount, s.contract_amount
      from public.commission_payments p
      join public.sales s on s.id = p.sale_id
      cross join lateral (select
        case p.type when 'client' then s.client_commission_type else s.commercial_commission_type end as type,
        case p.type when 'client' then s.client_commission_rate else s.commercial_commission_rate end as rate,
        case p.type when 'client' then s.client_commission_amount else s.commercial_commission_amount end as recorded,
        case p.type when 'client' then coalesce(s.friend_referrer_id, s.client_referrer_id) else s.commercial_id end as beneficiary) side
      left join public.commission_terms e on e.sale_id = coalesce(s.corrects_sale_id, s.id) and e.type = p.type
      -- A correction gives what the scale gives for what it leaves, less what it gave before; I3b has those of steps and caps.
      where e.sale_id is null and p.amount is distinct from case side.type
          when 'percentage' then round(coalesce(s.contract_left, 0) * side.rate / 100, 2)
            - round((coalesce(s.contract_left, 0) - s.contract_amount) * side.rate / 100, 2)
          else (sign(coalesce(s.contract_left, 0)) - sign(coalesce(s.contract_left, 0) - s.contract_amount)) * side.rate end
        or p.amount is distinct from side.recorded or p.recipient_id is distinct from side.beneficiary`,
  },
  {
    id: 'I3b',
    sentence: 'chaque contrat validé garde la version de son barème, qui redonne ses commissions au centime',
    counted: 'select count(*) from public.sale_terms',
    violations: `
      select s.id, t.number as version, c.type, p.amount
      from public.sales s
      left join public.sale_terms t on t.sale_id = coalesce(s.corrects_sale_id, s.id)
      left join public.scale_versions v on v.id = t.version_id
      cross join (values ('client'), ('commercial')) c (type)
      left join public.commission_payments p on p.sale_id = s.id and p.type = c.type
      left join public.commission_terms e on e.sale_id = t.sale_id and e.type = c.type
      cross join lateral (select v.rules -> c.type as rules, v.rules #>> array[c.type, 'kind'] as kind,
        (v.rules #>> array[c.type, 'value'])::bigint as value, private.has_rules(v.rules -> c.type) as has_rules,
        coalesce(s.contract_left, case when s.corrects_sale_id is null then s.contract_amount else 0 end) as left_) k
      where s.admin_validated and (v.id is null or v.rate_id <> s.commission_rate
        or p.id is not null and (k.has_rules and (e.rules is distinct from k.rules or (e.position is null) = (k.rules ? 'steps')
            or (e.cap_room is null) = (k.rules ? 'cap_period') or (e.is_first is null) = (k.rules ? 'bonus_first')
            or (e.window_key is null) = (k.rules ?| '{steps,cap_period}'))
          or e.sale_id is not null and not k.has_rules
          or p.amount is distinct from case when k.has_rules then
              private.earned(k.rules, k.left_, e.position, e.is_first, e.cap_room) - case when s.corrects_sale_id is null then 0
                else private.earned(k.rules, k.left_ - s.contract_amount, e.position, e.is_first, e.cap_room) end
            when k.kind = 'percentage' then round(k.left_ * k.value / 10000, 2)
              - case when s.corrects_sale_id is null then 0 else round((k.left_ - s.contract_amount) * k.value / 10000, 2) end
            else (sign(k.left_) - case when s.corrects_sale_id is null then 0 else sign(k.left_ - s.contract_amount) end)
              * k.value / 100 end))
      union all
      select t.sale_id, t.number, null, null from public.sale_terms t
      left join public.sales s on s.id = t.sale_id where s.admin_validated is not true or s.corrects_sale_id is not null`,
  },
  {
    id: 'I3c',
    sentence: 'la version d’un contrat est celle du jour de sa validation, sauf raison donnée',
    counted: 'select count(*) from public.sale_terms where chosen_reason is null',
    // A validation that waited for a publication took what it published: its own instant is that of its beginning.
    violations: `
      select t.sale_id, t.number, s.validated_at
      from public.sale_terms t
      join public.sales s on s.id = t.sale_id
      join public.scale_versions v on v.id = t.version_id
      where t.chosen_reason is null and (
        v.number > 1 and (v.first_day > (s.validated_at at time zone 'Europe/Paris')::date
          or v.published_at > s.validated_at + interval '1 minute' or v.withdrawn_at is not null)
        or exists (select from public.scale_versions o
          where o.rate_id = v.rate_id and (o.first_day, o.number) > (v.first_day, v.number)
            and o.first_day <= (s.validated_at at time zone 'Europe/Paris')::date
            and o.published_at < s.validated_at and o.withdrawn_at is null))`,
  },
  {
    id: 'I3d',
    sentence:
      'une version publiée d’un barème a les règles avec lesquelles elle a été publiée, et son numéro suit celui d’avant',
    counted: 'select count(*) from public.scale_versions',
    violations: `
      select v.rate_id, v.number, v.first_day from (
        select o.*, lag(o.number, 1, 0) over (partition by o.rate_id order by o.number) as former from public.scale_versions o) v
      where v.sha256 <> private.rules_hash(v.rules) or v.number <> v.former + 1
      union all
      select r.id, null, null from public.commission_rates r
      where not exists (select from public.scale_versions v where v.rate_id = r.id)`,
  },
  {
    id: 'I4',
    sentence: 'aucune écriture du journal n’a été modifiée ni retirée, sauf rupture reconnue',
    counted: 'select count(*) from public.audit_entries',
    violations: `
      select id, entity, entity_id, at, case cause when 'changed' then 'modifiée'
        when 'simultaneous' then 'écrite en même temps qu’une autre' else 'celle d’avant manque' end as cause
      from figures.audit_breaks where not is_acknowledged order by id`,
  },
  {
    id: 'I4c',
    sentence: 'chaque écriture du journal est rangée auprès de ceux qu’elle concerne',
    counted: 'select count(*) from figures.audit_subjects',
    // A former holder of a sale keeps the entries of that time: more may be filed than today's rows tell.
    violations: `
      select about_id, at, entry_id, entity from figures.expected_audit_subjects
      except select about_id, at, entry_id, entity from figures.audit_subjects`,
  },
  {
    id: 'I4b',
    sentence:
      'les corrections d’une vente se suivent, chacune depuis ce que laisse l’autre, et ce qu’elle garde a les commissions de son barème',
    counted: 'select count(*) from public.sales where corrects_sale_id is not null',
    violations: `
      select s.id, s.contract_amount, c.corrected, c.contract_left
      from public.sales s
      join (select k.corrects_sale_id, sum(k.contract_amount) as corrected,
          (array_agg(coalesce(k.contract_left, 0) order by k.created_at desc, coalesce(k.contract_left, 0)))[1] as contract_left,
          sum(k.client_commission_amount) as client, sum(k.commercial_commission_amount) as commercial,
          bool_or((k.client_commission_type, k.client_commission_rate, k.commercial_commission_type, k.commercial_commission_rate)
            is distinct from (o.client_commission_type, o.client_commission_rate, o.commercial_commission_type,
              o.commercial_commission_rate)) as is_of_other_terms,
          bool_or(k.is_broken) as is_broken
        from (select k.*, coalesce(k.contract_left, 0) - k.contract_amount is distinct from lag(coalesce(k.contract_left, 0),
            1, (select o.contract_amount from public.sales o where o.id = k.corrects_sale_id))
            over (partition by k.corrects_sale_id order by k.created_at, coalesce(k.contract_left, 0) desc) as is_broken
          from public.sales k where k.corrects_sale_id is not null) k
        join public.sales o on o.id = k.corrects_sale_id
        group by k.corrects_sale_id) c on c.corrects_sale_id = s.id
      where s.contract_amount + c.corrected <> c.contract_left or c.is_broken or c.is_of_other_terms
        or s.client_commission_amount + c.client <> case
          when s.friend_referrer_id is null and s.client_referrer_id is null then 0
          when exists (select from public.commission_terms e where e.sale_id = s.id and e.type = 'client')
            then private.earned_of_sale(s.id, 'client', null, null, c.contract_left)
          when s.client_commission_type = 'percentage' then round(c.contract_left * s.client_commission_rate / 100, 2)
          else sign(c.contract_left) * s.client_commission_rate end
        or s.commercial_commission_amount + c.commercial <> case
          when exists (select from public.commission_terms e where e.sale_id = s.id and e.type = 'commercial')
            then private.earned_of_sale(s.id, 'commercial', null, null, c.contract_left)
          when s.commercial_commission_type = 'percentage' then round(c.contract_left * s.commercial_commission_rate / 100, 2)
          else sign(c.contract_left) * s.commercial_commission_rate end`,
  },
  {
    id: 'I5',
    sentence: 'chaque état d’une vente a son écriture au journal, et une seule',
    counted: 'select count(*) from public.sales',
    violations: `
      select s.id, s.version, count(a.id) as entries
      from public.sales s
      left join public.audit_entries a on a.entity = 'sales' and a.entity_id = s.id and a.action in ('insert', 'update')
      group by s.id having count(a.id) <> s.version`,
  },
  {
    id: 'I5b',
    sentence: 'chaque état d’une demande de paiement a son écriture au journal, et une seule',
    counted: 'select count(*) from public.payment_requests',
    violations: `
      select r.id, r.version, count(a.id) as entries
      from public.payment_requests r
      left join public.audit_entries a on a.entity = 'payment_requests' and a.entity_id = r.id and a.action in ('insert', 'update')
      group by r.id having count(a.id) <> r.version`,
  },
  {
    id: 'I5c',
    sentence: 'ni vente ni demande n’a suivi un chemin interdit',
    counted: `select count(*) from public.audit_entries where action = 'update' and after ? 'status'`,
    violations: `
      select a.id, a.entity, a.entity_id, a.before ->> 'status' as before, a.after ->> 'status' as after
      from public.audit_entries a
      where a.action = 'update' and a.after ? 'status' and (
        (a.entity = 'payment_requests'
          and (a.before ->> 'status', a.after ->> 'status') not in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'), ('approved', 'rejected'), ('paid', 'returned')))
        or (a.entity = 'sales' and a.before ->> 'status' = 'validated' and a.after ->> 'status' <> 'rejected'))`,
  },
  {
    id: 'I7',
    sentence: 'une demande est dans une ligne de virement au plus qui la paie, et en a le résultat',
    counted: 'select count(*) from public.payment_batch_lines',
    violations: `
      select l.batch_id, l.request_id, l.status, r.status as request
      from public.payment_batch_lines l join public.payment_requests r on r.id = l.request_id
      where (l.status, r.status) not in (('queued', 'approved'), ('paid', 'paid'), ('rejected', 'rejected'), ('returned', 'returned'))
      union all
      select null, l.request_id, 'twice', null from public.payment_batch_lines l
      where l.status in ('queued', 'paid') and l.request_id is not null group by l.request_id having count(*) > 1`,
  },
  {
    id: 'I7d',
    sentence:
      'un mois de commercial est dans une ligne de virement au plus qui le paie, n’est payé qu’une fois, et revient avec sa ligne',
    counted: 'select count(*) from public.payment_batch_lines where month is not null',
    violations: `
      select l.id, l.payee_id, l.month, l.status, q.amount
      from public.payment_batch_lines l left join public.paid_periods q on q.line_id = l.id
      where l.month is not null and case
        when l.status in ('paid', 'returned') then (q.payee_id, q.month, q.amount, q.returned_at is not null)
          is distinct from (l.payee_id, l.month, l.amount, l.status = 'returned')
        when l.status = 'queued' then q.id is not null or exists (
          select from public.paid_periods o where o.payee_id = l.payee_id and o.month >= l.month and o.returned_at is null)
        else q.id is not null end
      union all
      select null, q.payee_id, q.month, 'twice', sum(q.amount) from public.paid_periods q
      where q.returned_at is null group by q.payee_id, q.month having count(*) > 1
      union all
      select null, q.payee_id, q.month, 'without a line', q.amount from public.paid_periods q
      where (q.method = 'virement') <> (q.line_id is not null)`,
  },
  {
    id: 'I7b',
    sentence: 'une demande approuvée n’est refusée que par le rejet de sa ligne à la banque',
    counted: `select count(*) from public.payment_requests where status = 'rejected'`,
    violations: `
      select a.entity_id from public.audit_entries a
      where a.entity = 'payment_requests' and a.action = 'update'
        and a.before ->> 'status' = 'approved' and a.after ->> 'status' = 'rejected'
        and not exists (select from public.payment_batch_lines l where l.request_id = a.entity_id and l.status = 'rejected')
        and exists (select from public.payment_requests r where r.id = a.entity_id)`,
  },
  {
    id: 'I7c',
    sentence: 'un virement groupé validé a son fichier, un brouillon n’en a pas, un soldé n’attend plus rien',
    counted: 'select count(*) from public.payment_batches',
    violations: `
      select b.id, b.status from public.payment_batches b
      where (b.status = 'draft') = exists (select from private.batch_files f where f.batch_id = b.id)
        or (b.status = 'settled') = exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued')
          and b.status <> 'draft'`,
  },
  {
    id: 'I10',
    sentence:
      'un mois payé à un commercial est ce qui lui était dû à sa fin, moins ses mois payés avant et non revenus',
    counted: 'select count(*) from public.paid_periods',
    violations: `
      select q.payee_id, q.month, q.amount, k.due
      from public.paid_periods q
      join public.ledger_entries p on p.source_id = q.id and p.act = 'payroll'
      -- The ledger's order is that in which the account changed: what came later counts in the month that is paid next.
      cross join lateral (
        select coalesce(sum(case when e.credit = 'available' then e.amount else -e.amount end), 0) as due
        from public.ledger_entries e
        where e.payee_id = q.payee_id and e.id < p.id and 'available' in (e.debit, e.credit)
          and (e.act in ('payroll', 'return') or e.at < private.month_start((q.month + interval '1 month')::date))) k
      where q.amount <> k.due or exists (
        select from public.paid_periods o join public.ledger_entries b on b.source_id = o.id and b.act = 'payroll'
        where o.payee_id = q.payee_id and o.month < q.month and b.id > p.id
          -- What came back is paid no longer, and an earlier month is then paid after it.
          and not exists (select from public.ledger_entries r where r.source_id = q.id and r.act = 'return' and r.id < b.id))`,
  },
  {
    id: 'I11',
    sentence:
      'la TVA d’un paiement est celle de son taux et d’un mandat de son bénéficiaire, et son autofacture la porte',
    counted: `select (select count(*) from public.payment_requests where vat_mandate_id is not null)
      + (select count(*) from public.paid_periods where vat_mandate_id is not null) as count`,
    violations: `
      select v.id, v.payee_id, v.amount, v.vat_rate, v.vat_amount
      from (
        select r.id, r.client_id as payee_id, r.amount, r.vat_rate, r.vat_amount, r.vat_mandate_id, r.paid_at, r.returned_at,
          r.payment_method
        from public.payment_requests r where r.vat_mandate_id is not null
        union all
        select q.id, q.payee_id, q.amount, q.vat_rate, q.vat_amount, q.vat_mandate_id, q.paid_at, q.returned_at, 'virement'
        from public.paid_periods q where q.vat_mandate_id is not null) v
      join private.mandates m on m.id = v.vat_mandate_id
      cross join lateral (
        select count(*) filter (where p.series ~ '^T?(F|R$)') as invoices, count(*) filter (where p.series ~ '^T?A([0-9]|R$)') as credits
        from public.papers p
        where v.id in (p.request_id, p.period_id) and p.amount = v.amount + v.vat_amount
          -- A mandate that its payee revoked since makes receipts.
          and case when p.series ~ 'R$' then m.revoked_at is not null else right(p.series, 9) = m.payee_siren
            and (p.content #>> '{vat,amount}')::numeric = v.vat_amount and p.content #>> '{payee,vat_number}' = m.vat_number end) k
      where m.payee_id <> v.payee_id or m.vat_number is null or v.vat_amount <> private.vat_of(v.amount, v.vat_rate)
        or v.payment_method <> 'virement' or k.invoices <> (v.paid_at is not null)::integer
        or k.credits <> (v.returned_at is not null)::integer`,
  },
  {
    id: 'I12',
    sentence:
      'une facture reçue qui a été acceptée est celle de sa demande ou de son mois et de son bénéficiaire, au centime, et son fichier est celui que le journal connaît',
    counted: 'select count(*) from public.payee_invoices',
    violations: `
      select i.id, i.request_id, i.number
      from public.payee_invoices i
      left join public.payment_requests r on r.id = i.request_id
      left join private.payee_invoice_files f on f.invoice_id = i.id
      where i.month is null and (i.payee_id <> r.client_id or i.amount <> r.amount
          or coalesce(i.id = r.payee_invoice_id, false) <> (i.status <> 'refused' and i.decided_at is not null)
          or i.id = r.payee_invoice_id and (i.vat_rate, i.vat_amount) is distinct from (r.vat_rate, r.vat_amount))
        or f.invoice_id is null or i.size <> length(f.bytes)
        or not exists (select from public.audit_entries a where a.after ->> 'invoice_sha256' = encode(f.hash, 'hex')
          and case when i.month is null then a.entity = 'payment_requests' and a.entity_id = i.request_id
            else a.entity = 'profiles' and a.entity_id = i.payee_id end)
      union all
      select r.payee_invoice_id, r.id, null from public.payment_requests r
      where r.payee_invoice_id is not null and r.status = 'paid' and not exists (select from public.papers p
        where p.request_id = r.id and p.series in ('R', 'TR') and p.amount = r.amount + coalesce(r.vat_amount, 0)
          and p.content -> 'invoice' is not null)
      union all
      select i.id, q.id, i.number
      from public.paid_periods q join public.payee_invoices i on i.id = q.payee_invoice_id
      where (i.payee_id, i.month, i.amount, i.vat_rate, i.vat_amount) is distinct from (q.payee_id, q.month, q.amount, q.vat_rate, q.vat_amount)
        or i.status <> case when q.returned_at is null then 'accepted' else 'lapsed' end
        or not exists (select from public.papers p where p.period_id = q.id and p.series in ('R', 'TR')
          and p.amount = q.amount + coalesce(q.vat_amount, 0) and p.content -> 'invoice' is not null)
      union all
      -- What waits or was accepted says what its month is due, until it is paid.
      select i.id, i.payee_id, i.number
      from public.payee_invoices i cross join lateral private.period_due(i.payee_id, i.month) d
      where i.month is not null and i.status in ('sent', 'accepted') and d.due <> i.amount and not private.is_invoice_used(i.id)`,
  },
  {
    id: 'I6',
    sentence: 'les commissions des ventes validées sont la somme de leurs écritures',
    counted: 'select count(*) from public.sales where admin_validated',
    violations: `
      select v.commissions, p.payments from
        (select coalesce(sum(client_commission_amount + commercial_commission_amount), 0) as commissions
          from public.sales where admin_validated) v,
        (select coalesce(sum(amount), 0) as payments from public.commission_payments) p
      where v.commissions <> p.payments`,
  },
  {
    id: 'I6b',
    sentence: 'les totaux des tableaux de bord sont ceux que donnent les ventes, au centime',
    counted: 'select count(*) from figures.sale_totals',
    violations: differences(
      'figures.recounted_sales',
      `select commercial_id, state, sum(sales) as sales, sum(contract_amount) as contract_amount,
        sum(client_commission) as client_commission, sum(commercial_commission) as commercial_commission,
        sum(commissions) as commissions, sum(partial_corrections) as partial_corrections
      from figures.sale_totals group by commercial_id, state
      having (sum(sales), sum(contract_amount), sum(client_commission), sum(commercial_commission), sum(commissions),
        sum(partial_corrections)) <> (0, 0, 0, 0, 0, 0)`,
    ),
  },
  {
    id: 'I6c',
    sentence: 'ce que chaque client a apporté est ce que donnent ses parrainages, au centime',
    counted: 'select count(*) from figures.referrer_totals',
    violations: differences(
      'figures.recounted_referrers',
      `select referrer_id, commercial_id, as_friend, sum(referrals) as referrals, sum(signed_contracts) as signed_contracts,
        sum(revenue) as revenue
      from figures.referrer_totals group by referrer_id, commercial_id, as_friend
      having (sum(referrals), sum(signed_contracts), sum(revenue)) <> (0, 0, 0)`,
    ),
  },
  {
    id: 'I6d',
    sentence: 'personnes, demandes et écritures du journal comptées sont ce que donnent leurs lignes, au centime',
    counted: 'select count(*) from figures.company_totals',
    violations: differences(
      '(select * from figures.recounted_company where (number, amount) <> (0, 0))',
      `select what, sum(number) as number, sum(amount) as amount from figures.company_totals group by what
      having (sum(number), sum(amount)) <> (0, 0)`,
    ),
  },
  {
    id: 'I6e',
    sentence: 'ce qui est compté par mois est ce que donnent les ventes validées de ces mois, au centime',
    counted: 'select count(*) from figures.validated_months',
    violations: differences(
      `(select private.month_of(s.validated_at) as month, s.commercial_id, s.commission_rate, 
        sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end) as contracts,
        sum(s.contract_amount) as revenue, sum(s.client_commission_amount) as client_commission,
        sum(s.commercial_commission_amount) as commercial_commission
      from public.sales s where s.admin_validated and s.validated_at < (select c.at from figures.counted_until c)
      group by 1, 2, 3)`,
      'select * from figures.validated_months',
    ),
  },
  {
    id: 'I6f',
    sentence:
      'ce qui est compté par mois pour le contrôle des comptes est ce que donnent les écritures et les listes, au centime',
    counted: 'select count(*) from figures.control_months',
    violations: differences(
      `(select c.source, c.act, c.detail, c.month, c.amount from figures.control_until u
        cross join lateral private.control_between('-infinity', u.at) c)`,
      'select source, act, detail, month, amount from figures.control_months',
    ),
  },
  {
    id: 'I6g',
    sentence: 'les étapes d’un parrainage se suivent dans le temps, et aucune n’est au-delà de là où il en est',
    counted: 'select count(*) from public.sales s where num_nonnulls(s.contacted_at, s.negotiated_at, s.signed_at) > 0',
    violations: `
      select s.id, s.status, s.contacted_at, s.negotiated_at, s.signed_at
      from public.sales s
      where s.contacted_at < s.created_at
        or s.negotiated_at < greatest(s.created_at, s.contacted_at)
        or s.signed_at < greatest(s.created_at, s.contacted_at, s.negotiated_at)
        or s.corrects_sale_id is not null and num_nonnulls(s.contacted_at, s.negotiated_at, s.signed_at) > 0
        or case private.funnel_step(s)
          when 0 then num_nonnulls(s.contacted_at, s.negotiated_at, s.signed_at) > 0
          when 1 then num_nonnulls(s.negotiated_at, s.signed_at) > 0
          when 2 then s.signed_at is not null else false end`,
  },
  {
    id: 'I8',
    sentence: 'un mois clos du journal comptable a les écritures avec lesquelles il a été clos',
    counted: 'select count(*) from private.accounting_months',
    violations: `
      select k.month, k.last_number, l.transfers, k.last as kept, k.unbalanced
      from (select m.month, m.last_number, m.transfers, coalesce(max(n.last) over w, 0) as last, coalesce(sum(n.entries) over w, 0) as entries,
          coalesce(n.unbalanced, 0) as unbalanced
        from private.accounting_months m
        left join (select i.month, max(i.number) as last, count(*) as entries, count(*) filter (where i.balance <> 0) as unbalanced
          from (select e.month, e.number, sum(e.debit - e.credit) as balance from private.accounting_entries e group by e.month, e.number) i
          group by i.month) n on n.month = m.month
        window w as (order by m.month)) k
      cross join lateral (select count(*) as transfers from public.ledger_entries e
        where e.at < private.month_start((k.month + interval '1 month')::date) and private.is_accounted(e.debit, e.credit)) l
      where l.transfers <> coalesce(k.transfers, k.last_number) or k.last <> k.last_number or k.entries <> k.last_number or k.unbalanced > 0`,
  },
  {
    id: 'I9',
    sentence:
      'les numéros des pièces se suivent sans trou, leurs jours ne reculent pas, leurs fichiers sont ceux que le journal connaît',
    counted: 'select count(*) from public.papers',
    violations: `
      select s.series, s.year, s.last, n.papers
      from private.paper_series s
      left join lateral (select count(*) as papers, max(p.number) as last,
          bool_or(p.is_back) as goes_back
        from (select number, issued_on < lag(issued_on) over (order by number) as is_back
          from public.papers q where q.series = s.series and q.year = s.year) p) n on true
      where not starts_with(s.series, 'T') and (n.papers <> s.last or n.last is distinct from s.last) or n.goes_back
      union all
      select p.series, p.year, p.number, 1
      from public.papers p join private.paper_files f on f.paper_id = p.id
      where not exists (select from public.audit_entries a where a.entity in ('payment_requests', 'paid_periods', 'profiles')
          and a.entity_id = coalesce(p.request_id, p.period_id, p.payee_id)
        and a.after ->> 'paper' = p.label and a.after ->> 'paper_hash' = encode(f.hash, 'hex'))`,
  },
  {
    id: 'P-04',
    sentence: 'chaque table est sous sécurité par ligne, imposée à tous',
    counted: `select count(*) from pg_class where ${OUR_TABLES}`,
    violations: `select oid::regclass::text as name from pg_class where ${OUR_TABLES} and not (relrowsecurity and relforcerowsecurity)`,
  },
];

/** Invariant that an incomplete restore breaks: every difference is named. */
const AS_MIGRATED: Finding['invariant'] = {
  id: 'P-04b',
  sentence:
    'tables, colonnes, contraintes, index, propriétaires, droits, politiques, déclencheurs et fonctions sont ceux que font les migrations',
};

/**
 * Checks every invariant over the whole database. `query` runs SQL with the owner's rights, inside one repeatable-read
 * transaction, so that all invariants speak of the same instant.
 */
export async function verify(
  query: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const invariant of invariants) {
    const [total] = await query(invariant.counted);
    const violations = await query(`${invariant.violations} limit 20`);
    findings.push({ invariant, counted: Number(total?.['count'] ?? 0), violations });
  }
  const entries = await catalogueOf(query);
  findings.push({ invariant: AS_MIGRATED, counted: entries.length, violations: await differencesOf(entries) });
  return findings;
}

/**
 * The same on an owner's connection, in one transaction that sees every row: row level security is forced on owners too, and
 * only the service's policies let everything through.
 */
export async function verifyAsOwner(client: ClientBase): Promise<readonly Finding[]> {
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query('set local role parrain_service');
    return await verify(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
  } finally {
    await client.query('rollback');
  }
}
