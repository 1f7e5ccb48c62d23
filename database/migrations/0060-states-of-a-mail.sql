-- A mail says where it is: waiting, being handed over, accepted, refused for ever, or withdrawn before it left. Its sealed
-- text stands beside its state, so that a mail without one can never leave.
alter table private.mails
  add column sealed bytea,
  add column status_since timestamptz not null default now(),
  drop constraint mails_status_is_known,
  add constraint mails_status_is_known check (status in ('queued', 'sending', 'accepted', 'failed', 'withdrawn')),
  add constraint mails_lose_their_text_in_the_end check (sealed is null or status in ('queued', 'sending', 'failed'));
create index mails_by_state on private.mails (status, status_since) where status <> 'accepted';
