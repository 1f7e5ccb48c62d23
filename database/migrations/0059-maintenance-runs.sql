-- Backups and verifications that were run, by hand or on a schedule: what « État du système » and its alarms read.
create table private.maintenance_runs (
  id bigint generated always as identity primary key,
  kind text not null,
  started_at timestamptz not null,
  -- Both null while it runs, and for ever where its process died.
  finished_at timestamptz,
  succeeded boolean,
  -- A backup: its place and its size. A verification: the invariants that are broken.
  details jsonb,
  constraint maintenance_runs_kind_is_known check (kind in ('backup', 'verification')),
  constraint maintenance_runs_end_with_a_verdict check ((finished_at is null) = (succeeded is null)),
  constraint maintenance_runs_end_after_their_start check (finished_at >= started_at)
);
create index maintenance_runs_by_kind on private.maintenance_runs (kind, started_at desc);
alter table private.maintenance_runs enable row level security;
alter table private.maintenance_runs force row level security;
create policy maintenance_runs_service_all on private.maintenance_runs to parrain_service using (true) with check (true);
grant select, insert, update, delete on private.maintenance_runs to parrain_service;
