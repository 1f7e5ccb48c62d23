-- Messages of private topics that their sender asked to keep: whoever joins later is told them again.
create table private.kept_broadcasts (
  id uuid primary key default gen_random_uuid(),
  room text not null,
  event text not null,
  -- JSON as text, or bytes.
  json text,
  bytes bytea,
  at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint kept_broadcasts_say_one_thing check (num_nonnulls(json, bytes) = 1),
  constraint kept_broadcasts_are_bounded check (
    octet_length(room) <= 300 and octet_length(event) <= 1020 and octet_length(json) <= 65536 and octet_length(bytes) <= 65536
  ),
  constraint kept_broadcasts_end_within_three_days check (expires_at <= at + interval '72 hours 1 minute')
);
create index kept_broadcasts_by_room on private.kept_broadcasts (room, at desc);
create index kept_broadcasts_by_end on private.kept_broadcasts (expires_at);
alter table private.kept_broadcasts enable row level security;
alter table private.kept_broadcasts force row level security;
create policy kept_broadcasts_service_all on private.kept_broadcasts to parrain_service using (true) with check (true);
grant select, insert, delete on private.kept_broadcasts to parrain_service;
