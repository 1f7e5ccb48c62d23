-- Ways in without a password (AU-04 to AU-13): one-time links and codes, exchanges with a verifier, somebody else's word.

create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null,
  -- Only hashes are kept: of the 256-bit link token, and of the short code.
  token_hash bytea not null,
  code_hash bytea,
  relates_to text not null default '',
  redirect_to text,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The code of a mail is good for a shorter time than its link; a link asked for with a challenge gives a code to exchange.
  code_expires_at timestamptz,
  code_challenge text,
  -- Of the two confirmations of a change of address: whether the other is still to come.
  needs_other boolean not null default false,
  constraint one_time_tokens_kind_is_known check (kind in
    ('confirmation', 'recovery', 'email_change_current', 'email_change_new', 'phone_change', 'reauthentication')),
  constraint one_time_tokens_one_per_kind unique (user_id, kind),
  constraint one_time_tokens_hash_is_unique unique (token_hash),
  constraint one_time_tokens_code_challenge_is_a_line check (private.is_line(code_challenge, 500)),
  constraint one_time_tokens_redirect_to_is_a_line check (private.is_line(redirect_to, 8000)),
  constraint one_time_tokens_relates_to_is_a_line check (private.is_line(relates_to, 320))
);
-- Links and codes are looked up by their hash; those that lapsed are removed by age.
create index one_time_tokens_by_expiry on auth.one_time_tokens (expires_at);
-- Whose code was sent to an address or a number.
create index one_time_tokens_by_destination on auth.one_time_tokens (relates_to, kind);
grant select, insert, update, delete on auth.one_time_tokens to parrain_service;

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

-- What a browser that proved itself elsewhere exchanges for its session, once, with the verifier only it has.
create table auth.flow_states (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- Of the code only the hash is kept.
  code_hash bytea not null,
  code_challenge text not null,
  -- How the person proved who they are, as the session will say.
  method text not null,
  provider text,
  -- The provider's own tokens, which the client gets with its session. Sealed.
  provider_tokens_sealed bytea,
  session_not_after timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint flow_states_code_is_unique unique (code_hash),
  constraint flow_states_code_challenge_is_a_line check (private.is_line(code_challenge, 500)),
  constraint flow_states_provider_is_a_line check (private.is_line(provider, 255))
);
create index flow_states_by_user on auth.flow_states (user_id);
create index flow_states_by_expiry on auth.flow_states (expires_at);
grant select, insert, update, delete on auth.flow_states to parrain_service;

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
  constraint provider_flows_link_from_a_session check ((linking_user_id is null) = (linking_session_id is null)),
  constraint provider_flows_code_challenge_is_a_line check (private.is_line(code_challenge, 500)),
  constraint provider_flows_provider_is_a_line check (private.is_line(provider, 255)),
  constraint provider_flows_redirect_to_is_a_line check (private.is_line(redirect_to, 8000))
);
create index provider_flows_by_expiry on auth.provider_flows (expires_at);
create index provider_flows_by_linking_user on auth.provider_flows (linking_user_id) where linking_user_id is not null;
create index provider_flows_by_linking_session on auth.provider_flows (linking_session_id) where linking_session_id is not null;
create index provider_flows_by_invited_user on auth.provider_flows (invited_user_id) where invited_user_id is not null;
grant select, insert, update, delete on auth.provider_flows to parrain_service;

-- Signed messages and assertions that were accepted, by their hash, until they lapse: none is good twice.
create table auth.used_proofs (
  proof_hash bytea primary key,
  used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index used_proofs_by_expiry on auth.used_proofs (expires_at);
grant select, insert, update, delete on auth.used_proofs to parrain_service;
