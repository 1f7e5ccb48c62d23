-- Signing in through somebody else's word (AU-05, AU-06, AU-11, AU-12): OpenID providers, a company's SAML service, wallets.

-- A sign-in that left for a provider and has not come back. The state it carries is known by its hash alone; what must be
-- remembered for the way back (the verifier, the nonce, the request's id) is sealed.
create table auth.provider_flows (
  id uuid primary key default gen_random_uuid(),
  state_hash bytea not null,
  provider text not null,
  sealed bytea not null,
  redirect_to text not null,
  -- Of the client that began: it gets a code in place of the session itself.
  code_challenge text,
  -- Who adds an identity to their account, and from which session.
  linking_user_id uuid references auth.users (id) on delete cascade,
  linking_session_id uuid references auth.sessions (id) on delete cascade,
  -- Whose invitation led here.
  invited_user_id uuid references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint provider_flows_state_is_unique unique (state_hash),
  constraint provider_flows_link_from_a_session check ((linking_user_id is null) = (linking_session_id is null))
);
create index provider_flows_by_expiry on auth.provider_flows (expires_at);
create index provider_flows_by_linking_user on auth.provider_flows (linking_user_id) where linking_user_id is not null;
create index provider_flows_by_linking_session on auth.provider_flows (linking_session_id) where linking_session_id is not null;
create index provider_flows_by_invited_user on auth.provider_flows (invited_user_id) where invited_user_id is not null;

-- Signed messages and assertions that were accepted, by their hash, until they lapse: none is good twice.
create table auth.used_proofs (
  proof_hash bytea primary key,
  used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index used_proofs_by_expiry on auth.used_proofs (expires_at);

do $$
declare
  target text;
begin
  foreach target in array array['provider_flows', 'used_proofs'] loop
    execute format('alter table auth.%I enable row level security', target);
    execute format('alter table auth.%I force row level security', target);
    execute format('create policy %I on auth.%I to parrain_service using (true) with check (true)', target || '_service_all', target);
    execute format('grant select, insert, update, delete on auth.%I to parrain_service', target);
  end loop;
end
$$;

create index identities_by_email on auth.identities (email) where email is not null;

-- Holds, whoever asks for the mail: where a person asks to confirm an address of theirs, identities that merely claimed the
-- same address lose their account. Only the provider's own sign-in, which says so, keeps the one it has just made.
create function private.drop_unproven_identities() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.kind in ('confirmation', 'recovery') and coalesce(current_setting('app.provider_sign_in', true), '') <> new.user_id::text then
    delete from auth.identities i using auth.users u
      where u.id = new.user_id and i.user_id = u.id and u.email_confirmed_at is null and u.invited_at is null
        and i.email = u.email and i.provider not in ('email', 'phone')
        and coalesce(i.identity_data ->> 'email_verified', 'false') <> 'true';
  end if;
  return null;
end
$$;
create trigger one_time_tokens_drop_unproven_identities after insert or update of token_hash on auth.one_time_tokens
  for each row execute function private.drop_unproven_identities();
alter function private.drop_unproven_identities() owner to parrain_service;
