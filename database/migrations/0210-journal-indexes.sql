-- no transaction
-- The journal is read by time, of an author, of a kind, of a period: each through an index, on a trail of ten years.
drop index concurrently if exists public.audit_entries_by_time;
create index concurrently audit_entries_by_time on public.audit_entries (at desc, id desc);
drop index concurrently if exists public.audit_entries_by_author;
create index concurrently audit_entries_by_author on public.audit_entries (actor_id, at desc, id desc);
drop index concurrently if exists public.audit_entries_by_kind_and_time;
create index concurrently audit_entries_by_kind_and_time on public.audit_entries (entity, at desc, id desc);
-- The one by kind and id has no reader left: pages come in the order of time.
drop index concurrently if exists public.audit_entries_by_kind;
