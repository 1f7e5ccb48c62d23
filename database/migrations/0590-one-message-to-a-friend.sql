-- CS-03: a friend who said nothing, where the company asks for their agreement, is written to once, and who said no is not.

-- That the commercial wrote, kept as the proof that it was once: nothing of the friend and not the message. Nothing is ever changed.
create table public.friend_messages (
  sale_id uuid primary key references public.sales (id) on delete cascade,
  written_by uuid not null references public.profiles (id) on delete restrict,
  written_at timestamptz not null default private.now()
);
create index friend_messages_by_writer on public.friend_messages (written_by);
alter table public.friend_messages enable row level security;
alter table public.friend_messages force row level security;
grant select, insert on public.friend_messages to parrain_service;
grant select on public.friend_messages to authenticated, service_role;
create policy friend_messages_service_all on public.friend_messages to parrain_service using (true) with check (true);
create policy friend_messages_secret_read on public.friend_messages for select to service_role using (true);
-- As public.call_consents: the referral's commercial, and the admins.
create policy friend_messages_authenticated_read on public.friend_messages for select to authenticated using (
  case when (select private.user_role()) = 'admin' then true
    when (select private.user_role()) = 'commercial' then exists (
      select from public.sales s where s.id = sale_id and s.commercial_id = (select private.uid()))
    else false end);

-- How a friend may be written to: `writingTo` of domain/src/call-consent.ts.
create function private.writing_to(p_answer boolean, p_is_consent_required boolean, p_has_contract boolean, p_is_written boolean)
returns text language sql immutable set search_path = ''
return case
  when p_has_contract or p_answer then 'freely'
  when not p_answer then 'never'
  when not p_is_consent_required then 'freely'
  when p_is_written then 'written'
  else 'once' end;

-- The commercial's one message to a friend of theirs who said nothing. The row's lock puts two at once in a queue.
create function private.write_to_friend(p_sale_id uuid) returns public.sales
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  v_refusal text;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me and s.corrects_sale_id is null for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.referred_contact_email is null then perform private.refuse('friend_without_email'); end if;
  v_refusal := case private.writing_to(
      (select c.is_given from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1),
      (select c.require_call_consent from public.company_settings c), sale.status = 'validated',
      exists (select from public.friend_messages m where m.sale_id = sale.id))
    when 'freely' then 'friend_written_freely' when 'never' then 'friend_declined' when 'written' then 'friend_already_written' end;
  if v_refusal is not null then perform private.refuse(v_refusal); end if;
  insert into public.friend_messages (sale_id, written_by) values (sale.id, me);
  perform private.append_audit('sales', sale.id, 'write_to_friend', '{}', '{}', null);
  -- Screens that show the referral show it with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[me]);
  return sale;
end
$$;

-- As 0470 has it; who was written to is not taken away, for a second import would open a second message.
create or replace function private.undo_imported_referrals(p_import uuid) returns table (removed integer, kept integer)
language plpgsql security definer set search_path = '' as $$
declare
  v_gone uuid[];
begin
  perform 1 from public.sales s join private.imported_rows r on r.sale_id = s.id where r.import_id = p_import order by s.id for update of s;
  update private.imported_rows r set left_because = case
      when exists (select from public.call_consents c where c.sale_id = s.id and c.place <> 'imported_file') then 'answered'
      when s.version > 1
        or exists (select from public.follow_ups f where f.sale_id = s.id)
        or exists (select from public.news_requests n where n.sale_id = s.id)
        or exists (select from public.friend_messages m where m.sale_id = s.id)
        or exists (select from public.doubtful_cases d where d.sale_id = s.id and d.status <> 'open') then 'changed' end
    from public.sales s
    where r.import_id = p_import and s.id = r.sale_id;
  v_gone := array(select r.sale_id from private.imported_rows r where r.import_id = p_import and r.left_because is null);
  perform private.append_audits('sales', 'delete', array(
    select to_jsonb(s) from public.sales s where s.id = any (v_gone) order by s.id));
  perform set_config('app.importing', 'on', true);
  delete from public.sales s where s.id = any (v_gone);
  perform set_config('app.importing', '', true);
  -- Months that were counted with them are counted anew, as private.forget_counted does.
  delete from figures.counted_until;
  delete from figures.validated_months;
  delete from figures.referral_months;
  delete from figures.best_referrers;
  update private.imports i set undone_at = private.now(), removed = i.removed + cardinality(v_gone) where i.id = p_import;
  return query select cardinality(v_gone), (select count(*)::integer from private.imported_rows r where r.import_id = p_import);
end
$$;

do $$
declare
  f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
      and p.proname in ('writing_to', 'write_to_friend') loop
    execute format('alter function %s owner to parrain_service', f);
    execute format('grant execute on function %s to parrain_service', f);
  end loop;
end
$$;
grant execute on function private.write_to_friend(uuid) to authenticated;
