-- EX-04, TM-01: a commercial hears of referrals that somebody else imported for their clients: once, with how many. What the
-- import's undoing takes away is told of no longer.

alter table public.notices add column import_id uuid references private.imports (id) on delete cascade,
  add column how_many integer,
  drop constraint notices_kind_is_known,
  drop constraint notices_are_about_one_thing,
  add constraint notices_kind_is_known check (kind in (
    'referral_received', 'referral_contacted', 'referral_in_negotiation', 'referral_signed', 'referral_refused',
    'referral_late', 'referral_still_late', 'call_back_due', 'news_asked', 'call_agreed', 'call_declined', 'contacts_to_erase',
    'referrals_imported', 'contract_to_validate', 'contract_validated', 'contract_refused', 'contract_annulled',
    'payment_received', 'payment_to_decide', 'payment_approved', 'payment_refused', 'payment_paid', 'payment_annulled',
    'payment_returned', 'month_rejected', 'dispute_opened', 'dispute_answered', 'dispute_closed', 'adjustment_annulled',
    'archive_ready', 'archive_failed')),
  add constraint notices_are_about_one_thing check (num_nonnulls(sale_id, request_id, dispute_id, archive_id, line_id, import_id) = 1),
  add constraint notices_of_an_import_say_how_many check (
    (kind = 'referrals_imported') = (import_id is not null) and (import_id is not null) = (how_many is not null) and how_many > 0);
create unique index notices_told_once_of_an_import on public.notices (import_id, recipient_id) where import_id is not null;

create function private.tell_import() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.written_at is null then
    with written as (
      insert into public.notices (recipient_id, kind, import_id, how_many)
      select s.commercial_id, 'referrals_imported', new.id, count(*)
      from private.imported_rows r join public.sales s on s.id = r.sale_id
      where r.import_id = new.id and s.commercial_id <> new.made_by
      group by s.commercial_id order by s.commercial_id
      returning id)
    insert into private.notice_mails (notice_id) select w.id from written w;
  else
    with left_over as (
      select n.id, (select count(*) from private.imported_rows r join public.sales s on s.id = r.sale_id
        where r.import_id = new.id and s.commercial_id = n.recipient_id) as referrals
      from public.notices n where n.import_id = new.id),
    gone as (
      delete from public.notices n using left_over o where n.id = o.id and o.referrals = 0)
    update public.notices n set how_many = o.referrals from left_over o
      where n.id = o.id and o.referrals between 1 and n.how_many - 1;
  end if;
  return null;
end
$$;
alter function private.tell_import() owner to parrain_service;
create trigger imports_tell_commercials after update of written_at, undone_at on private.imports for each row
  when (new.kind = 'referrals' and (old.written_at, old.undone_at) is distinct from (new.written_at, new.undone_at))
  execute function private.tell_import();
