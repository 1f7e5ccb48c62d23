-- no transaction
-- FD-01: each referral is compared with everybody; built while people work.
drop index if exists public.profiles_by_loose_mailbox;
create index concurrently profiles_by_loose_mailbox on public.profiles (private.loose_mailbox_of(email)) where email <> '';
drop index if exists public.profiles_by_phone;
create index concurrently profiles_by_phone on public.profiles (private.phone_of(phone)) where phone is not null;
