-- The schema that the migrations make, as PostgreSQL says it: to be read, and its difference reviewed. Never run: the migrations are.
-- Written anew by: cd database && npx vitest run tests/schema.test.ts -u
--
-- Every table has row level security on and forced, and a policy « <table>_service_all » for parrain_service. Security-definer
-- functions belong to parrain_service. A function is granted to nobody but those that are named.

-- auth
create schema auth;
grant usage on schema auth to anon;
grant usage on schema auth to authenticated;
grant usage on schema auth to authenticator;
grant usage on schema auth to parrain_service;
grant usage on schema auth to service_role;

create table auth.audit_entries (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  user_id uuid,
  action text not null,
  ip text,
  detail jsonb not null default '{}'::jsonb,
  constraint audit_entries_detail_is_bounded CHECK ((octet_length((detail)::text) <= 8000)),
  constraint audit_entries_ip_is_a_line CHECK (private.is_line(ip, 100)),
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_by_user ON auth.audit_entries USING btree (user_id, id DESC);
create policy audit_entries_kept_a_year on auth.audit_entries as restrictive for delete to parrain_service using (((at < (now() - '1 year'::interval)) AND (action <> ALL (ARRAY['user_created'::text, 'verified'::text]))));
grant delete, insert, select on auth.audit_entries to parrain_service;

create table auth.challenges (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  factor_id uuid,
  user_id uuid,
  webauthn_challenge text,
  code_hash bytea,
  ip text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  constraint challenges_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.factors(id) ON DELETE CASCADE,
  constraint challenges_ip_is_a_line CHECK (private.is_line(ip, 100)),
  constraint challenges_kind_is_known CHECK ((kind = ANY (ARRAY['factor'::text, 'passkey_registration'::text, 'passkey_authentication'::text]))),
  constraint challenges_of_factors_name_them CHECK (((kind = 'factor'::text) = (factor_id IS NOT NULL))),
  constraint challenges_pkey PRIMARY KEY (id),
  constraint challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint challenges_webauthn_challenge_is_a_line CHECK (private.is_line(webauthn_challenge, 500))
);
CREATE INDEX challenges_by_expiry ON auth.challenges USING btree (expires_at);
CREATE INDEX challenges_by_factor ON auth.challenges USING btree (factor_id);
CREATE INDEX challenges_by_user ON auth.challenges USING btree (user_id);
grant delete, insert, select, update on auth.challenges to parrain_service;

create table auth.factors (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  factor_type text not null,
  status text not null default 'unverified'::text,
  friendly_name text not null default ''::text,
  phone text,
  secret_sealed bytea,
  last_step bigint,
  failures integer not null default 0,
  failed_at timestamp with time zone,
  last_challenged_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint factors_friendly_name_is_a_line CHECK (private.is_line(friendly_name, 120)),
  constraint factors_have_what_their_type_needs CHECK ((((factor_type = 'totp'::text) = (secret_sealed IS NOT NULL)) AND ((factor_type = 'phone'::text) = (phone IS NOT NULL)))),
  constraint factors_name_is_unique UNIQUE (user_id, friendly_name),
  constraint factors_phone_is_a_line CHECK (private.is_line(phone, 40)),
  constraint factors_pkey PRIMARY KEY (id),
  constraint factors_status_is_known CHECK ((status = ANY (ARRAY['unverified'::text, 'verified'::text]))),
  constraint factors_type_is_known CHECK ((factor_type = ANY (ARRAY['totp'::text, 'phone'::text, 'webauthn'::text, 'recovery_code'::text]))),
  constraint factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX factors_unverified_by_age ON auth.factors USING btree (created_at) WHERE (status = 'unverified'::text);
CREATE TRIGGER factors_keep_second_factors AFTER INSERT OR DELETE OR UPDATE OF status ON auth.factors FOR EACH ROW EXECUTE FUNCTION private.keep_second_factors();
grant delete, insert, select, update on auth.factors to parrain_service;

create table auth.flow_states (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  code_hash bytea not null,
  code_challenge text not null,
  method text not null,
  provider text,
  provider_tokens_sealed bytea,
  session_not_after timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint flow_states_code_challenge_is_a_line CHECK (private.is_line(code_challenge, 500)),
  constraint flow_states_code_is_unique UNIQUE (code_hash),
  constraint flow_states_pkey PRIMARY KEY (id),
  constraint flow_states_provider_is_a_line CHECK (private.is_line(provider, 255)),
  constraint flow_states_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX flow_states_by_expiry ON auth.flow_states USING btree (expires_at);
CREATE INDEX flow_states_by_user ON auth.flow_states USING btree (user_id);
grant delete, insert, select, update on auth.flow_states to parrain_service;

create table auth.identities (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null default '{}'::jsonb,
  email text generated always as (lower((identity_data ->> 'email'::text))) stored,
  last_sign_in_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint identities_identity_data_is_bounded CHECK ((octet_length((identity_data)::text) <= 65536)),
  constraint identities_pkey PRIMARY KEY (id),
  constraint identities_provider_id_is_a_line CHECK (private.is_line(provider_id, 2000)),
  constraint identities_provider_is_a_line CHECK (private.is_line(provider, 255)),
  constraint identities_subject_is_unique UNIQUE (provider, provider_id),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX identities_by_email ON auth.identities USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX identities_by_user ON auth.identities USING btree (user_id);
grant delete, insert, select, update on auth.identities to parrain_service;

create table auth.one_time_tokens (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  kind text not null,
  token_hash bytea not null,
  code_hash bytea,
  relates_to text not null default ''::text,
  redirect_to text,
  attempts integer not null default 0,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  code_expires_at timestamp with time zone,
  code_challenge text,
  needs_other boolean not null default false,
  constraint one_time_tokens_code_challenge_is_a_line CHECK (private.is_line(code_challenge, 500)),
  constraint one_time_tokens_hash_is_unique UNIQUE (token_hash),
  constraint one_time_tokens_kind_is_known CHECK ((kind = ANY (ARRAY['confirmation'::text, 'recovery'::text, 'email_change_current'::text, 'email_change_new'::text, 'phone_change'::text, 'reauthentication'::text]))),
  constraint one_time_tokens_one_per_kind UNIQUE (user_id, kind),
  constraint one_time_tokens_pkey PRIMARY KEY (id),
  constraint one_time_tokens_redirect_to_is_a_line CHECK (private.is_line(redirect_to, 8000)),
  constraint one_time_tokens_relates_to_is_a_line CHECK (private.is_line(relates_to, 320)),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX one_time_tokens_by_destination ON auth.one_time_tokens USING btree (relates_to, kind);
CREATE INDEX one_time_tokens_by_expiry ON auth.one_time_tokens USING btree (expires_at);
CREATE TRIGGER one_time_tokens_drop_unproven_identities AFTER INSERT OR UPDATE OF token_hash ON auth.one_time_tokens FOR EACH ROW EXECUTE FUNCTION private.drop_unproven_identities();
grant delete, insert, select, update on auth.one_time_tokens to parrain_service;

create table auth.provider_flows (
  id uuid not null default gen_random_uuid(),
  state_hash bytea not null,
  provider text not null,
  sealed bytea not null,
  redirect_to text not null,
  code_challenge text,
  linking_user_id uuid,
  linking_session_id uuid,
  invited_user_id uuid,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint provider_flows_code_challenge_is_a_line CHECK (private.is_line(code_challenge, 500)),
  constraint provider_flows_invited_user_id_fkey FOREIGN KEY (invited_user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint provider_flows_link_from_a_session CHECK (((linking_user_id IS NULL) = (linking_session_id IS NULL))),
  constraint provider_flows_linking_session_id_fkey FOREIGN KEY (linking_session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE,
  constraint provider_flows_linking_user_id_fkey FOREIGN KEY (linking_user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint provider_flows_pkey PRIMARY KEY (id),
  constraint provider_flows_provider_is_a_line CHECK (private.is_line(provider, 255)),
  constraint provider_flows_redirect_to_is_a_line CHECK (private.is_line(redirect_to, 8000)),
  constraint provider_flows_state_is_unique UNIQUE (state_hash)
);
CREATE INDEX provider_flows_by_expiry ON auth.provider_flows USING btree (expires_at);
CREATE INDEX provider_flows_by_invited_user ON auth.provider_flows USING btree (invited_user_id) WHERE (invited_user_id IS NOT NULL);
CREATE INDEX provider_flows_by_linking_session ON auth.provider_flows USING btree (linking_session_id) WHERE (linking_session_id IS NOT NULL);
CREATE INDEX provider_flows_by_linking_user ON auth.provider_flows USING btree (linking_user_id) WHERE (linking_user_id IS NOT NULL);
grant delete, insert, select, update on auth.provider_flows to parrain_service;

create table auth.recovery_codes (
  factor_id uuid not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.factors(id) ON DELETE CASCADE,
  constraint recovery_codes_pkey PRIMARY KEY (factor_id, code_hash)
);
grant delete, insert, select, update on auth.recovery_codes to parrain_service;

create table auth.session_methods (
  session_id uuid not null,
  method text not null,
  provider text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  factor_id uuid,
  constraint session_methods_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.factors(id) ON DELETE CASCADE,
  constraint session_methods_pkey PRIMARY KEY (session_id, method),
  constraint session_methods_provider_is_a_line CHECK (private.is_line(provider, 255)),
  constraint session_methods_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE
);
CREATE INDEX session_methods_by_factor ON auth.session_methods USING btree (factor_id) WHERE (factor_id IS NOT NULL);
grant delete, insert, select, update on auth.session_methods to parrain_service;

create table auth.sessions (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  created_at timestamp with time zone not null default now(),
  refreshed_at timestamp with time zone not null default now(),
  not_after timestamp with time zone,
  aal text not null default 'aal1'::text,
  factor_id uuid,
  user_agent text,
  ip text,
  tag text,
  refresh_counter bigint not null default 0,
  refresh_key_sealed bytea not null,
  refresh_counter_min bigint not null default 0,
  provider_not_after timestamp with time zone,
  password_free_until timestamp with time zone,
  constraint sessions_aal_is_known CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text]))),
  constraint sessions_ip_is_a_line CHECK (private.is_line(ip, 100)),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_tag_is_a_line CHECK (private.is_line(tag, 255)),
  constraint sessions_user_agent_is_bounded CHECK ((octet_length(user_agent) <= 2000)),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_end ON auth.sessions USING btree (not_after) WHERE (not_after IS NOT NULL);
CREATE INDEX sessions_by_user ON auth.sessions USING btree (user_id);
CREATE TRIGGER sessions_limit AFTER INSERT ON auth.sessions FOR EACH ROW EXECUTE FUNCTION private.limit_sessions();
grant delete, insert, select, update on auth.sessions to parrain_service;

create table auth.signing_keys (
  kid text not null,
  algorithm text not null default 'ES256'::text,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  signs_from timestamp with time zone not null default now(),
  retired_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid)
);
grant delete, insert, select, update on auth.signing_keys to parrain_service;

create table auth.used_proofs (
  proof_hash bytea not null,
  used_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint used_proofs_pkey PRIMARY KEY (proof_hash)
);
CREATE INDEX used_proofs_by_expiry ON auth.used_proofs USING btree (expires_at);
grant delete, insert, select, update on auth.used_proofs to parrain_service;

create table auth.users (
  id uuid not null default gen_random_uuid(),
  email text,
  phone text,
  encrypted_password text,
  temporary_password_until timestamp with time zone,
  password_change_required boolean not null default false,
  email_confirmed_at timestamp with time zone,
  phone_confirmed_at timestamp with time zone,
  invited_at timestamp with time zone,
  confirmation_sent_at timestamp with time zone,
  recovery_sent_at timestamp with time zone,
  new_email text,
  email_change_sent_at timestamp with time zone,
  new_phone text,
  phone_change_sent_at timestamp with time zone,
  reauthentication_sent_at timestamp with time zone,
  last_sign_in_at timestamp with time zone,
  raw_app_meta_data jsonb not null default '{}'::jsonb,
  raw_user_meta_data jsonb not null default '{}'::jsonb,
  is_sso_user boolean not null default false,
  is_anonymous boolean not null default false,
  banned_until timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  has_verified_factor boolean not null default false,
  email_proven_at timestamp with time zone,
  invitation_mail_id uuid,
  wrong_codes integer,
  wrong_codes_since timestamp with time zone,
  constraint users_email_is_a_line CHECK (private.is_line(email, 255)),
  constraint users_email_is_lower_case CHECK ((email = lower(email))),
  constraint users_encrypted_password_is_a_line CHECK (private.is_line(encrypted_password, 2000)),
  constraint users_new_email_is_a_line CHECK (private.is_line(new_email, 255)),
  constraint users_new_phone_is_a_line CHECK (private.is_line(new_phone, 40)),
  constraint users_phone_is_a_line CHECK (private.is_line(phone, 40)),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_raw_app_meta_data_is_bounded CHECK ((octet_length((raw_app_meta_data)::text) <= 65536)),
  constraint users_raw_user_meta_data_is_bounded CHECK ((octet_length((raw_user_meta_data)::text) <= 65536))
);
CREATE INDEX users_anonymous_by_age ON auth.users USING btree (created_at) WHERE is_anonymous;
CREATE INDEX users_by_creation ON auth.users USING btree (created_at DESC);
CREATE INDEX users_by_new_phone ON auth.users USING btree (new_phone) WHERE (new_phone IS NOT NULL);
CREATE UNIQUE INDEX users_email_is_unique ON auth.users USING btree (email) WHERE ((NOT is_sso_user) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX users_phone_is_unique ON auth.users USING btree (phone) WHERE ((phone IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER users_forget_email_proof BEFORE UPDATE OF email ON auth.users FOR EACH ROW WHEN ((old.email IS DISTINCT FROM new.email)) EXECUTE FUNCTION private.forget_email_proof();
CREATE TRIGGER users_received AFTER UPDATE OF email_confirmed_at, phone_confirmed_at ON auth.users FOR EACH ROW WHEN (((num_nonnulls(old.email_confirmed_at, old.phone_confirmed_at) = 0) AND (num_nonnulls(new.email_confirmed_at, new.phone_confirmed_at) > 0))) EXECUTE FUNCTION private.receive_registered();
CREATE TRIGGER users_tell_proof AFTER UPDATE OF email_proven_at ON auth.users FOR EACH ROW WHEN ((old.email_proven_at IS DISTINCT FROM new.email_proven_at)) EXECUTE FUNCTION private.tell_person('id');
grant delete, insert, select, update on auth.users to parrain_service;

create table auth.webauthn_credentials (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  factor_id uuid,
  credential_id text not null,
  public_key bytea not null,
  sign_count bigint not null default 0,
  transports text[] not null default '{}'::text[],
  aaguid text not null default ''::text,
  is_backed_up boolean not null default false,
  friendly_name text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint webauthn_credentials_aaguid_is_a_line CHECK (private.is_line(aaguid, 64)),
  constraint webauthn_credentials_credential_id_is_a_line CHECK (private.is_line(credential_id, 2000)),
  constraint webauthn_credentials_factor_has_one UNIQUE (factor_id),
  constraint webauthn_credentials_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.factors(id) ON DELETE CASCADE,
  constraint webauthn_credentials_friendly_name_is_a_line CHECK (private.is_line(friendly_name, 120)),
  constraint webauthn_credentials_id_is_unique UNIQUE (credential_id),
  constraint webauthn_credentials_pkey PRIMARY KEY (id),
  constraint webauthn_credentials_transports_is_bounded CHECK ((octet_length((transports)::text) <= 500)),
  constraint webauthn_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE INDEX webauthn_credentials_by_user ON auth.webauthn_credentials USING btree (user_id);
grant delete, insert, select, update on auth.webauthn_credentials to parrain_service;

CREATE FUNCTION auth.jwt()
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('request.jwt.claims'::text, true), ''::text))::jsonb;
grant execute on function auth.jwt() to anon;
grant execute on function auth.jwt() to authenticated;
grant execute on function auth.jwt() to parrain_service;
grant execute on function auth.jwt() to service_role;

CREATE FUNCTION auth.role()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((NULLIF(current_setting('request.jwt.claims'::text, true), ''::text))::jsonb ->> 'role'::text);
grant execute on function auth.role() to anon;
grant execute on function auth.role() to authenticated;
grant execute on function auth.role() to parrain_service;
grant execute on function auth.role() to service_role;

CREATE FUNCTION auth.uid()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN private.uid();
grant execute on function auth.uid() to anon;
grant execute on function auth.uid() to authenticated;
grant execute on function auth.uid() to parrain_service;
grant execute on function auth.uid() to service_role;

-- figures
create schema figures;
grant usage on schema figures to authenticated;
grant usage on schema figures to parrain_service;
grant usage on schema figures to service_role;

create table figures.audit_subjects (
  about_id uuid not null,
  at timestamp with time zone not null,
  entry_id bigint not null,
  entity text not null,
  constraint audit_subjects_pkey PRIMARY KEY (about_id, at, entry_id, entity)
);
create policy audit_subjects_admin_read on figures.audit_subjects for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE false END);
create policy audit_subjects_secret_read on figures.audit_subjects for select to service_role using (true);
grant select on figures.audit_subjects to authenticated;
grant insert, select on figures.audit_subjects to parrain_service;
grant select on figures.audit_subjects to service_role;

create table figures.best_referrers (
  from_month date not null,
  to_month date not null,
  referrer_id uuid not null,
  contracts bigint not null,
  revenue numeric(16,2) not null,
  constraint best_referrers_pkey PRIMARY KEY (from_month, to_month, referrer_id),
  constraint best_referrers_referrer_id_fkey FOREIGN KEY (referrer_id) REFERENCES public.profiles(id) ON DELETE CASCADE
);
CREATE INDEX best_referrers_by_referrer ON figures.best_referrers USING btree (referrer_id);
create policy best_referrers_admin_read on figures.best_referrers for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy best_referrers_secret_read on figures.best_referrers for select to service_role using (true);
grant select on figures.best_referrers to authenticated;
grant delete, insert, select, update on figures.best_referrers to parrain_service;
grant select on figures.best_referrers to service_role;

create table figures.company_totals (
  id bigint not null generated always as identity,
  what text not null,
  number bigint not null,
  amount numeric(16,2) not null,
  constraint company_totals_pkey PRIMARY KEY (id),
  constraint company_totals_what_is_known CHECK (((what = ANY (ARRAY['clients'::text, 'active_commercials'::text, 'requests_pending'::text, 'requests_approved'::text, 'requests_paid'::text, 'requests_returned'::text, 'requests_rejected'::text, 'role_admin'::text, 'role_commercial'::text, 'role_client'::text, 'role_comptable'::text])) OR (what ~~ 'trail\_%'::text)))
) with (fillfactor=50);
CREATE INDEX company_totals_by_key ON figures.company_totals USING btree (what);
create policy company_totals_admin_read on figures.company_totals for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy company_totals_secret_read on figures.company_totals for select to service_role using (true);
grant select on figures.company_totals to authenticated;
grant delete, insert, select, update on figures.company_totals to parrain_service;
grant select on figures.company_totals to service_role;

create table figures.control_months (
  source text not null,
  act text not null,
  detail text not null default ''::text,
  month date not null,
  amount numeric(16,2) not null,
  constraint control_months_pkey PRIMARY KEY (source, act, detail, month),
  constraint control_months_source_is_known CHECK ((source = ANY (ARRAY['ledger'::text, 'lists'::text])))
);
create policy control_months_admin_read on figures.control_months for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy control_months_secret_read on figures.control_months for select to service_role using (true);
grant select on figures.control_months to authenticated;
grant delete, insert, select, update on figures.control_months to parrain_service;
grant select on figures.control_months to service_role;

create table figures.control_until (
  id boolean not null default true,
  at timestamp with time zone not null,
  constraint control_until_is_one_row CHECK (id),
  constraint control_until_pkey PRIMARY KEY (id)
);
create policy control_until_admin_read on figures.control_until for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy control_until_secret_read on figures.control_until for select to service_role using (true);
grant select on figures.control_until to authenticated;
grant delete, insert, select, update on figures.control_until to parrain_service;
grant select on figures.control_until to service_role;

create table figures.counted_until (
  id boolean not null default true,
  at timestamp with time zone not null,
  constraint counted_until_is_one_row CHECK (id),
  constraint counted_until_pkey PRIMARY KEY (id)
);
create policy counted_until_authenticated_read on figures.counted_until for select to authenticated using ((( SELECT private.user_role() AS user_role) = ANY (ARRAY['admin'::text, 'commercial'::text])));
create policy counted_until_secret_read on figures.counted_until for select to service_role using (true);
CREATE TRIGGER counted_until_last_referrals AFTER INSERT ON figures.counted_until REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_last_referrals();
CREATE TRIGGER counted_until_last_referrals_forgotten AFTER DELETE ON figures.counted_until FOR EACH STATEMENT EXECUTE FUNCTION private.count_last_referrals();
CREATE TRIGGER counted_until_referral_delays AFTER INSERT ON figures.counted_until REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_referral_delays();
CREATE TRIGGER counted_until_referral_delays_forgotten AFTER DELETE ON figures.counted_until FOR EACH STATEMENT EXECUTE FUNCTION private.count_referral_delays();
grant select on figures.counted_until to authenticated;
grant delete, insert, select, update on figures.counted_until to parrain_service;
grant select on figures.counted_until to service_role;

create table figures.last_referrals (
  referrer_id uuid not null,
  commercial_id uuid not null,
  at timestamp with time zone not null,
  constraint last_referrals_pkey PRIMARY KEY (referrer_id, commercial_id),
  constraint last_referrals_referrer_id_fkey FOREIGN KEY (referrer_id) REFERENCES public.profiles(id) ON DELETE CASCADE
);
create policy last_referrals_authenticated_read on figures.last_referrals for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (commercial_id = ( SELECT private.uid() AS uid)) END);
create policy last_referrals_secret_read on figures.last_referrals for select to service_role using (true);
grant select on figures.last_referrals to authenticated;
grant delete, insert, select, update on figures.last_referrals to parrain_service;
grant select on figures.last_referrals to service_role;

create table figures.referral_delays (
  month date not null,
  step text not null,
  days integer not null,
  referrals bigint not null,
  constraint referral_delays_pkey PRIMARY KEY (month, step, days)
);
create policy referral_delays_admin_read on figures.referral_delays for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy referral_delays_secret_read on figures.referral_delays for select to service_role using (true);
grant select on figures.referral_delays to authenticated;
grant delete, insert, select, update on figures.referral_delays to parrain_service;
grant select on figures.referral_delays to service_role;

create table figures.referral_months (
  month date not null,
  state text not null,
  days integer not null,
  referrals bigint not null,
  constraint referral_months_pkey PRIMARY KEY (month, state, days)
);
create policy referral_months_admin_read on figures.referral_months for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy referral_months_secret_read on figures.referral_months for select to service_role using (true);
grant select on figures.referral_months to authenticated;
grant delete, insert, select, update on figures.referral_months to parrain_service;
grant select on figures.referral_months to service_role;

create table figures.referrer_totals (
  id bigint not null generated always as identity,
  referrer_id uuid not null,
  commercial_id uuid not null,
  as_friend boolean not null,
  referrals bigint not null,
  signed_contracts bigint not null,
  revenue numeric(16,2) not null,
  constraint referrer_totals_pkey PRIMARY KEY (id)
) with (fillfactor=50);
CREATE INDEX referrer_totals_by_key ON figures.referrer_totals USING btree (referrer_id, commercial_id, as_friend);
create policy referrer_totals_authenticated_read on figures.referrer_totals for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE ((commercial_id = ( SELECT private.uid() AS uid)) OR (as_friend AND (referrer_id = ( SELECT private.uid() AS uid)))) END);
create policy referrer_totals_secret_read on figures.referrer_totals for select to service_role using (true);
grant select on figures.referrer_totals to authenticated;
grant delete, insert, select, update on figures.referrer_totals to parrain_service;
grant select on figures.referrer_totals to service_role;

create table figures.sale_totals (
  id bigint not null generated always as identity,
  commercial_id uuid not null,
  state text not null,
  sales bigint not null,
  contract_amount numeric(16,2) not null,
  client_commission numeric(16,2) not null,
  commercial_commission numeric(16,2) not null,
  commissions bigint not null,
  partial_corrections bigint not null default 0,
  constraint sale_totals_pkey PRIMARY KEY (id)
) with (fillfactor=50);
CREATE INDEX sale_totals_by_key ON figures.sale_totals USING btree (commercial_id, state);
create policy sale_totals_authenticated_read on figures.sale_totals for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (commercial_id = ( SELECT private.uid() AS uid)) END);
create policy sale_totals_secret_read on figures.sale_totals for select to service_role using (true);
grant select on figures.sale_totals to authenticated;
grant delete, insert, select, update on figures.sale_totals to parrain_service;
grant select on figures.sale_totals to service_role;

create table figures.validated_months (
  month date not null,
  commercial_id uuid not null,
  commission_rate uuid not null,
  contracts bigint not null,
  revenue numeric(16,2) not null,
  client_commission numeric(16,2) not null,
  commercial_commission numeric(16,2) not null,
  constraint validated_months_pkey PRIMARY KEY (month, commercial_id, commission_rate)
);
create policy validated_months_authenticated_read on figures.validated_months for select to authenticated using (((( SELECT private.user_role() AS user_role) = 'admin'::text) OR (commercial_id = ( SELECT private.uid() AS uid))));
create policy validated_months_secret_read on figures.validated_months for select to service_role using (true);
grant select on figures.validated_months to authenticated;
grant delete, insert, select, update on figures.validated_months to parrain_service;
grant select on figures.validated_months to service_role;

create view figures.audit_breaks with (security_invoker=true) as
 WITH broken AS MATERIALIZED (
         SELECT e.id,
            e.entity,
            e.entity_id,
            e.at,
            e.hash_again,
            e.previous_hash,
            (e.hash <> e.hash_again) AS is_changed
           FROM ( SELECT a.id,
                    a.at,
                    a.actor_id,
                    a.actor,
                    a.entity,
                    a.entity_id,
                    a.action,
                    a.before,
                    a.after,
                    a.reason,
                    a.request_id,
                    a.previous_hash,
                    a.hash,
                    private.audit_hash(a.*) AS hash_again,
                    lag(a.hash) OVER (PARTITION BY a.entity, a.entity_id ORDER BY a.id) AS previous_again
                   FROM public.audit_entries a) e
          WHERE ((e.previous_hash IS DISTINCT FROM e.previous_again) OR (e.hash <> e.hash_again))
        ), caused AS (
         SELECT b.id,
            b.entity,
            b.entity_id,
            b.at,
            encode(b.hash_again, 'hex'::text) AS hash,
                CASE
                    WHEN b.is_changed THEN 'changed'::text
                    WHEN ((EXISTS ( SELECT
                       FROM public.audit_entries a
                      WHERE ((a.entity = b.entity) AND (a.entity_id = b.entity_id) AND (a.id < b.id) AND (NOT (a.hash IS DISTINCT FROM b.previous_hash))))) OR (b.previous_hash IS NULL)) THEN 'simultaneous'::text
                    ELSE 'missing'::text
                END AS cause
           FROM broken b
        )
 SELECT id,
    entity,
    entity_id,
    at,
    hash,
    cause,
    (EXISTS ( SELECT
           FROM public.audit_entries k
          WHERE ((k.entity = 'company_settings'::text) AND (k.entity_id = '00000000-0000-0000-0000-000000000001'::uuid) AND (k.action = 'acknowledge_break'::text) AND (((k.after ->> 'entry'::text))::bigint = c.id) AND ((k.after ->> 'hash'::text) = c.hash) AND ((k.after ->> 'cause'::text) = c.cause)))) AS is_acknowledged
   FROM caused c;
grant select on figures.audit_breaks to parrain_service;

create view figures.counted_audit_entries with (security_invoker=true) as
 SELECT substr(what, (length('trail_'::text) + 1)) AS entity,
    number AS row_count
   FROM figures.company_totals t
  WHERE (what ~~ 'trail\_%'::text);
grant select on figures.counted_audit_entries to authenticated;
grant select on figures.counted_audit_entries to service_role;

create view figures.counted_commission_payments with (security_invoker=true) as
 SELECT commissions AS row_count
   FROM figures.sale_totals t;
grant select on figures.counted_commission_payments to authenticated;
grant select on figures.counted_commission_payments to service_role;

create view figures.counted_payee_accounts with (security_invoker=true) as
 SELECT count(*) AS row_count
   FROM public.balances;
grant select on figures.counted_payee_accounts to authenticated;
grant select on figures.counted_payee_accounts to service_role;

create view figures.counted_payment_requests with (security_invoker=true) as
 SELECT substr(what, (length('requests_'::text) + 1)) AS status,
    number AS row_count
   FROM figures.company_totals t
  WHERE (what = ANY (ARRAY['requests_pending'::text, 'requests_approved'::text, 'requests_paid'::text, 'requests_returned'::text, 'requests_rejected'::text]));
grant select on figures.counted_payment_requests to authenticated;
grant select on figures.counted_payment_requests to service_role;

create view figures.counted_profiles with (security_invoker=true) as
 SELECT substr(what, (length('role_'::text) + 1)) AS role,
    number AS row_count
   FROM figures.company_totals t
  WHERE (what = ANY (ARRAY['role_admin'::text, 'role_commercial'::text, 'role_client'::text, 'role_comptable'::text]));
grant select on figures.counted_profiles to authenticated;
grant select on figures.counted_profiles to service_role;

create view figures.counted_sales with (security_invoker=true) as
 SELECT NULLIF(t.commercial_id, '00000000-0000-0000-0000-000000000000'::uuid) AS commercial_id,
    s.status,
    s.ready_for_validation,
    s.admin_validated,
        CASE
            WHEN (t.state = 'correction'::text) THEN '00000000-0000-0000-0000-000000000000'::uuid
            ELSE NULL::uuid
        END AS corrects_sale_id,
    (t.sales + t.partial_corrections) AS row_count
   FROM (figures.sale_totals t
     JOIN ( VALUES ('pending'::text,'pending'::text,false,false), ('contacted'::text,'contacted'::text,false,false), ('in_negotiation'::text,'in_negotiation'::text,false,false), ('rejected'::text,'rejected'::text,false,false), ('awaiting_final_validation'::text,'pending'::text,true,false), ('awaiting_admin_validation'::text,'validated'::text,true,false), ('validated'::text,'validated'::text,true,true), ('correction'::text,'validated'::text,true,true)) s(state, status, ready_for_validation, admin_validated) ON ((s.state = t.state)));
grant select on figures.counted_sales to authenticated;
grant select on figures.counted_sales to service_role;

create view figures.expected_audit_subjects with (security_invoker=true) as
 SELECT DISTINCT i.id AS about_id,
    a.at,
    a.id AS entry_id,
    a.entity
   FROM (((((public.audit_entries a
     LEFT JOIN public.sales s ON (((a.entity = 'sales'::text) AND (s.id = a.entity_id))))
     LEFT JOIN public.commission_payments c ON (((a.entity = 'commission_payments'::text) AND (c.id = a.entity_id))))
     LEFT JOIN public.payment_requests r ON (((a.entity = 'payment_requests'::text) AND (r.id = a.entity_id))))
     LEFT JOIN public.account_closure_requests q ON (((a.entity = 'account_closure_requests'::text) AND (q.id = a.entity_id))))
     CROSS JOIN LATERAL ( VALUES (s.commercial_id), (s.client_referrer_id), (s.friend_referrer_id), (s.corrects_sale_id), (c.sale_id), (c.recipient_id), (r.client_id), (q.profile_id), (((a.before ->> 'commercial_id'::text))::uuid), (((a.before ->> 'client_referrer_id'::text))::uuid), (((a.before ->> 'friend_referrer_id'::text))::uuid), (((a.before ->> 'corrects_sale_id'::text))::uuid), (((a.before ->> 'sale_id'::text))::uuid), (((a.before ->> 'recipient_id'::text))::uuid), (((a.before ->> 'client_id'::text))::uuid), (((a.before ->> 'profile_id'::text))::uuid), (
                CASE
                    WHEN (a.entity = 'paid_periods'::text) THEN ((a.after ->> 'payee_id'::text))::uuid
                    ELSE NULL::uuid
                END)) i(id))
  WHERE ((a.entity = ANY (ARRAY['sales'::text, 'commission_payments'::text, 'payment_requests'::text, 'account_closure_requests'::text, 'paid_periods'::text])) AND (i.id IS NOT NULL));
grant select on figures.expected_audit_subjects to parrain_service;

create view figures.expected_ledger with (security_invoker=true) as
 SELECT c.id AS source_id,
    'validation'::text AS act,
    (1)::smallint AS line,
    c.recipient_id AS payee_id,
    'charged'::text AS debit,
        CASE
            WHEN (h.commission_id IS NULL) THEN 'available'::text
            ELSE 'held'::text
        END AS credit,
    c.amount,
    c.type AS detail,
    c.is_test,
    c.created_at AS at
   FROM (public.commission_payments c
     LEFT JOIN public.commission_holds h ON ((h.commission_id = c.id)))
  WHERE (c.amount > (0)::numeric)
UNION ALL
 SELECT c.id AS source_id,
    'correction'::text AS act,
    1 AS line,
    c.recipient_id AS payee_id,
        CASE
            WHEN (k.commission_id IS NULL) THEN 'available'::text
            ELSE 'held'::text
        END AS debit,
    'charged'::text AS credit,
    (abs(c.amount))::numeric(12,2) AS amount,
    c.type AS detail,
    c.is_test,
    c.created_at AS at
   FROM ((((public.commission_payments c
     LEFT JOIN public.commission_holds h ON ((h.commission_id = c.id)))
     LEFT JOIN public.sales s ON ((s.id = c.sale_id)))
     LEFT JOIN public.commission_payments o ON (((o.sale_id = s.corrects_sale_id) AND (o.type = c.type))))
     LEFT JOIN public.commission_holds k ON (((k.commission_id =
        CASE
            WHEN (h.commission_id IS NULL) THEN o.id
            ELSE c.id
        END) AND k.is_corrected)))
  WHERE (c.amount < (0)::numeric)
UNION ALL
 SELECT h.commission_id AS source_id,
    'release'::text AS act,
    1 AS line,
    h.payee_id,
    'held'::text AS debit,
    'available'::text AS credit,
    h.amount,
    NULL::text AS detail,
    h.is_test,
    h.ended_at AS at
   FROM public.commission_holds h
  WHERE ((h.ended_at IS NOT NULL) AND (NOT h.is_corrected))
UNION ALL
 SELECT d.id AS source_id,
        CASE
            WHEN (k.amount > (0)::numeric) THEN 'adjustment'::text
            ELSE 'deduction'::text
        END AS act,
    1 AS line,
    d.payee_id,
        CASE
            WHEN (k.amount > (0)::numeric) THEN 'adjusted'::text
            ELSE 'available'::text
        END AS debit,
        CASE
            WHEN (k.amount > (0)::numeric) THEN 'available'::text
            ELSE 'adjusted'::text
        END AS credit,
    (abs(k.amount))::numeric(12,2) AS amount,
    NULL::text AS detail,
    d.is_test,
    k.at
   FROM (public.disputes d
     CROSS JOIN LATERAL ( VALUES (d.adjustment,d.closed_at), ((- d.adjustment),d.adjustment_annulled_at)) k(amount, at))
  WHERE ((d.adjustment IS NOT NULL) AND (k.at IS NOT NULL))
UNION ALL
 SELECT r.id AS source_id,
    'request'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'available'::text AS debit,
    'reserved'::text AS credit,
    r.amount,
    NULL::text AS detail,
    r.is_test,
    r.created_at AS at
   FROM public.payment_requests r
UNION ALL
 SELECT r.id AS source_id,
    'refusal'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'reserved'::text AS debit,
    'available'::text AS credit,
    r.amount,
    NULL::text AS detail,
    r.is_test,
    r.updated_at AS at
   FROM public.payment_requests r
  WHERE (r.status = 'rejected'::text)
UNION ALL
 SELECT r.id AS source_id,
    'settlement'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'reserved'::text AS debit,
    'paid'::text AS credit,
    r.amount,
    r.payment_method AS detail,
    r.is_test,
    r.paid_at AS at
   FROM public.payment_requests r
  WHERE (r.paid_at IS NOT NULL)
UNION ALL
 SELECT r.id AS source_id,
    'return'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'paid'::text AS debit,
    'available'::text AS credit,
    r.amount,
    r.payment_method AS detail,
    r.is_test,
    r.returned_at AS at
   FROM public.payment_requests r
  WHERE (r.returned_at IS NOT NULL)
UNION ALL
 SELECT q.id AS source_id,
    'payroll'::text AS act,
    1 AS line,
    q.payee_id,
    'available'::text AS debit,
    'paid'::text AS credit,
    q.amount,
    q.method AS detail,
    q.is_test,
    q.paid_at AS at
   FROM public.paid_periods q
UNION ALL
 SELECT r.id AS source_id,
    'vat'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'vat'::text AS debit,
    'vat_paid'::text AS credit,
    r.vat_amount AS amount,
    r.payment_method AS detail,
    r.is_test,
    r.paid_at AS at
   FROM public.payment_requests r
  WHERE ((r.paid_at IS NOT NULL) AND (r.vat_amount > (0)::numeric))
UNION ALL
 SELECT r.id AS source_id,
    'vat_return'::text AS act,
    1 AS line,
    r.client_id AS payee_id,
    'vat_paid'::text AS debit,
    'vat'::text AS credit,
    r.vat_amount AS amount,
    r.payment_method AS detail,
    r.is_test,
    r.returned_at AS at
   FROM public.payment_requests r
  WHERE ((r.returned_at IS NOT NULL) AND (r.vat_amount > (0)::numeric))
UNION ALL
 SELECT q.id AS source_id,
    'vat'::text AS act,
    1 AS line,
    q.payee_id,
    'vat'::text AS debit,
    'vat_paid'::text AS credit,
    q.vat_amount AS amount,
    q.method AS detail,
    q.is_test,
    q.paid_at AS at
   FROM public.paid_periods q
  WHERE (q.vat_amount > (0)::numeric)
UNION ALL
 SELECT q.id AS source_id,
    'return'::text AS act,
    1 AS line,
    q.payee_id,
    'paid'::text AS debit,
    'available'::text AS credit,
    q.amount,
    q.method AS detail,
    q.is_test,
    q.returned_at AS at
   FROM public.paid_periods q
  WHERE (q.returned_at IS NOT NULL)
UNION ALL
 SELECT q.id AS source_id,
    'vat_return'::text AS act,
    1 AS line,
    q.payee_id,
    'vat_paid'::text AS debit,
    'vat'::text AS credit,
    q.vat_amount AS amount,
    q.method AS detail,
    q.is_test,
    q.returned_at AS at
   FROM public.paid_periods q
  WHERE ((q.returned_at IS NOT NULL) AND (q.vat_amount > (0)::numeric))
UNION ALL
 SELECT t.id AS source_id,
    (t.kind || k.suffix) AS act,
    1 AS line,
    t.payee_id,
        CASE
            WHEN (k.suffix <> ''::text) THEN 'available'::text
            WHEN (t.kind = 'repayment'::text) THEN 'repaid'::text
            ELSE 'adjusted'::text
        END AS debit,
        CASE
            WHEN (k.suffix = ''::text) THEN 'available'::text
            WHEN (t.kind = 'repayment'::text) THEN 'repaid'::text
            ELSE 'adjusted'::text
        END AS credit,
    t.amount,
    NULL::text AS detail,
    t.is_test,
    k.at
   FROM (public.debt_acts t
     CROSS JOIN LATERAL ( VALUES (''::text,t.at), ('_annulment'::text,t.annulled_at)) k(suffix, at))
  WHERE (k.at IS NOT NULL);
grant select on figures.expected_ledger to authenticated;
grant select on figures.expected_ledger to parrain_service;
grant select on figures.expected_ledger to service_role;

create view figures.recounted_balances with (security_invoker=true) as
 SELECT payee_id AS profile_id,
    COALESCE(sum(amount) FILTER (WHERE (debit = ANY (ARRAY['charged'::text, 'adjusted'::text, 'repaid'::text]))), (0)::numeric) AS earned,
    COALESCE(sum(amount) FILTER (WHERE (credit = ANY (ARRAY['charged'::text, 'adjusted'::text, 'repaid'::text]))), (0)::numeric) AS reversed,
    COALESCE(sum(
        CASE
            WHEN (credit = 'reserved'::text) THEN amount
            WHEN (debit = 'reserved'::text) THEN (- amount)
            ELSE NULL::numeric
        END), (0)::numeric) AS reserved,
    COALESCE(sum(
        CASE
            WHEN (credit = 'paid'::text) THEN amount
            WHEN (debit = 'paid'::text) THEN (- amount)
            ELSE NULL::numeric
        END), (0)::numeric) AS paid,
    COALESCE(sum(
        CASE
            WHEN (credit = 'held'::text) THEN amount
            WHEN (debit = 'held'::text) THEN (- amount)
            ELSE NULL::numeric
        END), (0)::numeric) AS held,
    COALESCE(sum(
        CASE
            WHEN (debit = 'repaid'::text) THEN amount
            WHEN (credit = 'repaid'::text) THEN (- amount)
            ELSE NULL::numeric
        END), (0)::numeric) AS repaid
   FROM public.ledger_entries e
  GROUP BY payee_id;
grant select on figures.recounted_balances to parrain_service;

create view figures.recounted_company with (security_invoker=true) as
 SELECT 'clients'::text AS what,
    count(*) AS number,
    (0)::numeric AS amount
   FROM public.profiles p
  WHERE (p.role = 'client'::text)
UNION ALL
 SELECT 'active_commercials'::text AS what,
    count(*) AS number,
    0 AS amount
   FROM public.profiles p
  WHERE ((p.role = 'commercial'::text) AND (p.deactivated_at IS NULL))
UNION ALL
 SELECT ('requests_'::text || r.status) AS what,
    count(*) AS number,
    sum(r.amount) AS amount
   FROM public.payment_requests r
  GROUP BY r.status
UNION ALL
 SELECT ('role_'::text || p.role) AS what,
    count(*) AS number,
    0 AS amount
   FROM public.profiles p
  GROUP BY p.role
UNION ALL
 SELECT ('trail_'::text || a.entity) AS what,
    count(*) AS number,
    0 AS amount
   FROM public.audit_entries a
  GROUP BY a.entity;
grant select on figures.recounted_company to parrain_service;

create view figures.recounted_referrers with (security_invoker=true) as
 SELECT COALESCE(friend_referrer_id, client_referrer_id) AS referrer_id,
    COALESCE(commercial_id, '00000000-0000-0000-0000-000000000000'::uuid) AS commercial_id,
    (friend_referrer_id IS NOT NULL) AS as_friend,
    count(*) FILTER (WHERE (corrects_sale_id IS NULL)) AS referrals,
    (count(*) FILTER (WHERE ((status = 'validated'::text) AND (corrects_sale_id IS NULL))) - count(*) FILTER (WHERE ((corrects_sale_id IS NOT NULL) AND (contract_left IS NULL)))) AS signed_contracts,
    COALESCE(sum(contract_amount) FILTER (WHERE (status = 'validated'::text)), (0)::numeric) AS revenue
   FROM public.sales s
  WHERE (COALESCE(friend_referrer_id, client_referrer_id) IS NOT NULL)
  GROUP BY COALESCE(friend_referrer_id, client_referrer_id), COALESCE(commercial_id, '00000000-0000-0000-0000-000000000000'::uuid), (friend_referrer_id IS NOT NULL);
grant select on figures.recounted_referrers to parrain_service;

create view figures.recounted_sales with (security_invoker=true) as
 SELECT COALESCE(commercial_id, '00000000-0000-0000-0000-000000000000'::uuid) AS commercial_id,
    private.sale_state(status, ready_for_validation, admin_validated, corrects_sale_id) AS state,
    count(*) FILTER (WHERE (contract_left IS NULL)) AS sales,
    COALESCE(sum(contract_amount), (0)::numeric) AS contract_amount,
    COALESCE(sum(client_commission_amount), (0)::numeric) AS client_commission,
    COALESCE(sum(commercial_commission_amount), (0)::numeric) AS commercial_commission,
    (count(*) FILTER (WHERE admin_validated) + count(COALESCE(friend_referrer_id, client_referrer_id)) FILTER (WHERE admin_validated)) AS commissions,
    count(contract_left) AS partial_corrections
   FROM public.sales s
  GROUP BY COALESCE(commercial_id, '00000000-0000-0000-0000-000000000000'::uuid), (private.sale_state(status, ready_for_validation, admin_validated, corrects_sale_id));
grant select on figures.recounted_sales to parrain_service;

create view figures.step_delays with (security_invoker=true) as
 SELECT s.created_at,
    d.step,
    (GREATEST(floor((EXTRACT(epoch FROM (d.reached - d.since)) / (86400)::numeric)), (0)::numeric))::integer AS days
   FROM ((public.sales s
     LEFT JOIN public.sales c ON (((c.corrects_sale_id = s.id) AND (c.contract_left IS NULL) AND s.admin_validated)))
     CROSS JOIN LATERAL ( VALUES ('contacted'::text,s.created_at,
                CASE
                    WHEN (s.contacted_at IS DISTINCT FROM s.negotiated_at) THEN s.contacted_at
                    ELSE NULL::timestamp with time zone
                END), ('negotiated'::text,
                CASE
                    WHEN (s.contacted_at = s.negotiated_at) THEN s.created_at
                    ELSE s.contacted_at
                END,
                CASE
                    WHEN (s.negotiated_at IS DISTINCT FROM s.signed_at) THEN s.negotiated_at
                    ELSE NULL::timestamp with time zone
                END), ('signed'::text,
                CASE
                    WHEN (s.negotiated_at IS DISTINCT FROM s.signed_at) THEN s.negotiated_at
                    WHEN (s.contacted_at = s.negotiated_at) THEN s.created_at
                    ELSE s.contacted_at
                END,s.signed_at), ('validated'::text,s.signed_at,
                CASE
                    WHEN (c.id IS NULL) THEN s.validated_at
                    ELSE NULL::timestamp with time zone
                END)) d(step, since, reached))
  WHERE ((s.corrects_sale_id IS NULL) AND (s.status <> 'rejected'::text) AND (d.reached IS NOT NULL) AND (d.since IS NOT NULL));
grant select on figures.step_delays to authenticated;
grant select on figures.step_delays to parrain_service;

-- private
create schema private;
grant usage on schema private to anon;
grant usage on schema private to api_key;
grant usage on schema private to authenticated;
grant usage on schema private to authenticator;
grant create, usage on schema private to parrain_service;
grant usage on schema private to service_role;

create table private.accounting_codes (
  payee_id uuid not null,
  code text not null,
  constraint accounting_codes_are_of_one_payee UNIQUE (code),
  constraint accounting_codes_code_is_one CHECK ((code ~ '^[0-9A-Z]{1,17}$'::text)),
  constraint accounting_codes_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint accounting_codes_pkey PRIMARY KEY (payee_id)
);
grant delete, insert, select, update on private.accounting_codes to parrain_service;

create table private.accounting_entries (
  number bigint not null,
  place integer not null,
  month date not null,
  at timestamp with time zone not null,
  use text not null,
  payee_id uuid,
  account_number text not null,
  account_label text not null,
  auxiliary_code text,
  auxiliary_name text,
  piece text not null,
  piece_at timestamp with time zone not null,
  label text not null,
  debit numeric(14,2) not null,
  credit numeric(14,2) not null,
  lettering text,
  lettered_at timestamp with time zone,
  constraint accounting_entries_have_one_side CHECK ((((debit > (0)::numeric) <> (credit > (0)::numeric)) AND (debit >= (0)::numeric) AND (credit >= (0)::numeric))),
  constraint accounting_entries_month_fkey FOREIGN KEY (month) REFERENCES private.accounting_months(month) ON DELETE CASCADE,
  constraint accounting_entries_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint accounting_entries_pkey PRIMARY KEY (number, place)
);
CREATE INDEX accounting_entries_by_month ON private.accounting_entries USING btree (month, number, place);
CREATE INDEX accounting_entries_by_payee ON private.accounting_entries USING btree (payee_id);
CREATE INDEX accounting_entries_to_reverse ON private.accounting_entries USING btree (use) WHERE (use = ANY (ARRAY['accrued'::text, 'former'::text]));
CREATE TRIGGER accounting_entries_guard BEFORE DELETE OR UPDATE ON private.accounting_entries FOR EACH ROW EXECUTE FUNCTION private.guard_accounting();
CREATE TRIGGER accounting_entries_stay BEFORE TRUNCATE ON private.accounting_entries FOR EACH STATEMENT EXECUTE FUNCTION private.guard_accounting();
grant delete, insert, select, update on private.accounting_entries to parrain_service;

create table private.accounting_months (
  month date not null,
  settings_id bigint not null,
  last_number bigint not null,
  closed_at timestamp with time zone not null,
  closed_by uuid,
  transfers bigint,
  constraint accounting_months_last_number_is_not_negative CHECK ((last_number >= 0)),
  constraint accounting_months_month_is_its_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint accounting_months_pkey PRIMARY KEY (month),
  constraint accounting_months_settings_id_fkey FOREIGN KEY (settings_id) REFERENCES private.accounting_settings(id) ON DELETE RESTRICT
);
CREATE TRIGGER accounting_months_guard BEFORE DELETE OR UPDATE ON private.accounting_months FOR EACH ROW EXECUTE FUNCTION private.guard_accounting();
CREATE TRIGGER accounting_months_stay BEFORE TRUNCATE ON private.accounting_months FOR EACH STATEMENT EXECUTE FUNCTION private.guard_accounting();
grant delete, insert, select, update on private.accounting_months to parrain_service;

create table private.accounting_settings (
  id bigint not null generated always as identity,
  journal_code text not null,
  journal_label text not null,
  accounts jsonb not null,
  set_at timestamp with time zone not null default now(),
  set_by uuid,
  posts_payments boolean not null default true,
  posts_payroll boolean not null default false,
  accrues boolean not null default false,
  year_ends_in integer not null default 12,
  constraint accounting_settings_accounts_are_a_chart CHECK (private.is_chart(accounts)),
  constraint accounting_settings_journal_code_is_one CHECK ((journal_code ~ '^[0-9A-Z]{1,10}$'::text)),
  constraint accounting_settings_journal_label_is_a_line CHECK ((private.is_line(journal_label, 100) AND (btrim(journal_label) <> ''::text))),
  constraint accounting_settings_pkey PRIMARY KEY (id),
  constraint accounting_settings_year_ends_in_a_month CHECK (((year_ends_in >= 1) AND (year_ends_in <= 12)))
);
CREATE TRIGGER accounting_settings_guard BEFORE DELETE OR UPDATE ON private.accounting_settings FOR EACH ROW EXECUTE FUNCTION private.guard_accounting();
CREATE TRIGGER accounting_settings_uses BEFORE INSERT ON private.accounting_settings FOR EACH ROW WHEN ((new.set_by IS NOT NULL)) EXECUTE FUNCTION private.check_chart_of_uses();
grant delete, insert, select, update on private.accounting_settings to parrain_service;

create table private.alarms (
  id bigint not null generated always as identity,
  kind text not null,
  raised_at timestamp with time zone not null default now(),
  cleared_at timestamp with time zone,
  details jsonb not null,
  constraint alarms_end_after_their_start CHECK ((cleared_at >= raised_at)),
  constraint alarms_kind_is_known CHECK ((kind = ANY (ARRAY['mail_stuck'::text, 'disk_nearly_full'::text, 'backup_too_old'::text, 'invariant_broken'::text, 'webhook_failing'::text, 'legal_notice_missing'::text, 'e_invoices_stuck'::text]))),
  constraint alarms_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX alarms_are_raised_once ON private.alarms USING btree (kind) WHERE (cleared_at IS NULL);
grant delete, insert, select, update on private.alarms to parrain_service;

create table private.announced_erasures (
  sale_id uuid not null,
  announced_at timestamp with time zone not null default private.now(),
  erase_on date not null,
  kept_at timestamp with time zone,
  constraint announced_erasures_pkey PRIMARY KEY (sale_id),
  constraint announced_erasures_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX announced_erasures_by_day ON private.announced_erasures USING btree (erase_on, sale_id) WHERE (kept_at IS NULL);
grant delete, insert, select, update on private.announced_erasures to parrain_service;

create table private.api_key_secrets (
  key_id uuid not null,
  hash bytea not null,
  constraint api_key_secrets_hash_is_one CHECK ((octet_length(hash) = 32)),
  constraint api_key_secrets_hash_key UNIQUE (hash),
  constraint api_key_secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE,
  constraint api_key_secrets_pkey PRIMARY KEY (key_id)
);
grant delete, insert, select on private.api_key_secrets to parrain_service;

create table private.appointment_requests (
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  phone text,
  preferred_slot text,
  message text,
  created_at timestamp with time zone not null default now(),
  handled_at timestamp with time zone,
  handled_by uuid,
  constraint appointment_requests_email_is_a_line CHECK (private.is_line(email, 255)),
  constraint appointment_requests_handled_by_fkey FOREIGN KEY (handled_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint appointment_requests_message_is_a_text CHECK (private.is_text(message, 2000)),
  constraint appointment_requests_name_is_a_name CHECK (private.is_name(name)),
  constraint appointment_requests_phone_is_a_line CHECK (private.is_line(phone, 40)),
  constraint appointment_requests_pkey PRIMARY KEY (id),
  constraint appointment_requests_preferred_slot_is_a_line CHECK (private.is_line(preferred_slot, 120))
);
CREATE INDEX appointment_requests_by_handler ON private.appointment_requests USING btree (handled_by) WHERE (handled_by IS NOT NULL);
CREATE INDEX appointment_requests_waiting ON private.appointment_requests USING btree (created_at) WHERE (handled_at IS NULL);
grant delete, insert, select, update on private.appointment_requests to parrain_service;

create unlogged table private.archive_parts (
  archive_id uuid not null,
  place integer not null,
  bytes bytea not null,
  constraint archive_parts_archive_id_fkey FOREIGN KEY (archive_id) REFERENCES private.archives(id) ON DELETE CASCADE,
  constraint archive_parts_pkey PRIMARY KEY (archive_id, place)
);
grant delete, insert, select, update on private.archive_parts to parrain_service;

create table private.archives (
  id uuid not null default gen_random_uuid(),
  asked_by uuid,
  asked_at timestamp with time zone not null default now(),
  status text not null default 'making'::text,
  attempt integer not null default 0,
  row_count bigint,
  size bigint,
  ended_at timestamp with time zone,
  constraint archives_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint archives_end_once CHECK (((status = 'making'::text) = (ended_at IS NULL))),
  constraint archives_pkey PRIMARY KEY (id),
  constraint archives_ready_have_bytes CHECK ((((status = 'ready'::text) = (size IS NOT NULL)) AND ((status = 'ready'::text) = (row_count IS NOT NULL)))),
  constraint archives_size_is_positive CHECK ((size > 0)),
  constraint archives_status_is_known CHECK ((status = ANY (ARRAY['making'::text, 'ready'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX archives_are_made_one_at_a_time ON private.archives USING btree ((true)) WHERE (status = 'making'::text);
grant delete, insert, select, update on private.archives to parrain_service;

create table private.bank_account_secrets (
  account_id uuid not null,
  details_sealed bytea not null,
  constraint bank_account_secrets_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.bank_accounts(id) ON DELETE CASCADE,
  constraint bank_account_secrets_pkey PRIMARY KEY (account_id)
);
grant delete, insert, select, update on private.bank_account_secrets to parrain_service;

create table private.batch_files (
  batch_id uuid not null,
  sealed bytea not null,
  sha256 bytea not null,
  constraint batch_files_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.payment_batches(id) ON DELETE CASCADE,
  constraint batch_files_pkey PRIMARY KEY (batch_id),
  constraint batch_files_sha256_is_one CHECK ((octet_length(sha256) = 32))
);
grant delete, insert, select, update on private.batch_files to parrain_service;

create table private.changes (
  id bigint not null generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  table_name text not null,
  operation text not null,
  key text not null,
  audience uuid[],
  at timestamp with time zone not null default clock_timestamp(),
  constraint changes_operation_is_known CHECK ((operation = ANY (ARRAY['INSERT'::text, 'UPDATE'::text, 'DELETE'::text]))),
  constraint changes_pkey PRIMARY KEY (xid, id)
);
CREATE INDEX changes_by_age ON private.changes USING brin (at);
grant delete, insert, select on private.changes to parrain_service;

create table private.commercial_wishes (
  client_id uuid not null,
  asked_at timestamp with time zone not null,
  constraint commercial_wishes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint commercial_wishes_pkey PRIMARY KEY (client_id)
);
grant delete, insert, select, update on private.commercial_wishes to parrain_service;

create table private.company_account (
  id boolean not null default true,
  holder text not null,
  iban_shown text not null,
  bic text,
  sealed bytea not null,
  updated_at timestamp with time zone not null default now(),
  constraint company_account_bic_is_one CHECK ((private.is_line(bic, 11) AND (bic ~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$'::text))),
  constraint company_account_holder_is_a_line CHECK ((private.is_line(holder, 70) AND (btrim(holder) <> ''::text))),
  constraint company_account_iban_is_masked CHECK ((private.is_line(iban_shown, 23) AND (iban_shown ~ '^[A-Z]{2}[0-9]{2} •••• •••• [0-9A-Z]{4}$'::text))),
  constraint company_account_is_one_row CHECK (id),
  constraint company_account_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on private.company_account to parrain_service;

create table private.control_changes (
  id uuid not null default gen_random_uuid(),
  control text not null,
  value jsonb not null,
  asked_by uuid,
  asked_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default (now() + '72:00:00'::interval),
  outcome text,
  ended_by uuid,
  ended_at timestamp with time zone,
  constraint control_changes_another_confirms CHECK (((outcome <> 'confirmed'::text) OR (ended_by IS DISTINCT FROM asked_by))),
  constraint control_changes_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint control_changes_control_is_known CHECK ((control = ANY (ARRAY['release_above'::text, 'require_admin_two_factor'::text, 'hold_doubtful'::text]))),
  constraint control_changes_end_once CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  constraint control_changes_ended_by_fkey FOREIGN KEY (ended_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint control_changes_outcome_is_known CHECK ((outcome = ANY (ARRAY['confirmed'::text, 'applied'::text, 'withdrawn'::text]))),
  constraint control_changes_pkey PRIMARY KEY (id),
  constraint control_changes_value_is_small CHECK ((octet_length((value)::text) <= 40))
);
CREATE INDEX control_changes_by_asker ON private.control_changes USING btree (asked_by);
CREATE INDEX control_changes_by_ender ON private.control_changes USING btree (ended_by);
CREATE UNIQUE INDEX control_changes_wait_one_at_a_time ON private.control_changes USING btree (control) WHERE (outcome IS NULL);
grant delete, insert, select, update on private.control_changes to parrain_service;

create table private.das2_settings (
  id boolean not null default true,
  counts_gift_cards boolean not null default true,
  counts_discounts boolean not null default false,
  regular_from integer not null default 3,
  constraint das2_settings_is_one_row CHECK (id),
  constraint das2_settings_pkey PRIMARY KEY (id),
  constraint das2_settings_regular_from_is_a_count CHECK (((regular_from >= 1) AND (regular_from <= 99)))
);
grant delete, insert, select, update on private.das2_settings to parrain_service;

create table private.e_invoice_statuses (
  id bigint not null generated always as identity,
  paper_id uuid not null,
  code text not null,
  words text,
  at timestamp with time zone not null,
  flow_id text,
  created_at timestamp with time zone not null default now(),
  constraint e_invoice_statuses_code_is_a_line CHECK ((private.is_line(code, 20) AND (code <> ''::text))),
  constraint e_invoice_statuses_flow_is_a_line CHECK (private.is_line(flow_id, 100)),
  constraint e_invoice_statuses_paper_id_fkey FOREIGN KEY (paper_id) REFERENCES private.e_invoices(paper_id) ON DELETE CASCADE,
  constraint e_invoice_statuses_pkey PRIMARY KEY (id),
  constraint e_invoice_statuses_words_are_a_text CHECK (private.is_text(words, 1000))
);
CREATE UNIQUE INDEX e_invoice_statuses_are_said_once ON private.e_invoice_statuses USING btree (flow_id, paper_id, code) WHERE (flow_id IS NOT NULL);
CREATE INDEX e_invoice_statuses_by_paper ON private.e_invoice_statuses USING btree (paper_id, id);
CREATE TRIGGER e_invoice_statuses_are_never_changed BEFORE DELETE OR UPDATE ON private.e_invoice_statuses FOR EACH ROW EXECUTE FUNCTION private.guard_e_invoice_status();
grant insert, select on private.e_invoice_statuses to parrain_service;

create table private.e_invoices (
  paper_id uuid not null,
  state text not null default 'waiting'::text,
  code text,
  code_at timestamp with time zone,
  words text,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  asked_at timestamp with time zone,
  flow_id text,
  deposited_at timestamp with time zone,
  checked_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  exported_at timestamp with time zone,
  elsewhere_on date,
  failing_since timestamp with time zone,
  constraint e_invoices_code_is_a_line CHECK (private.is_line(code, 20)),
  constraint e_invoices_deposited_has_a_flow CHECK (((state <> ALL (ARRAY['deposited'::text, 'accepted'::text, 'collected'::text])) OR (flow_id IS NOT NULL))),
  constraint e_invoices_elsewhere_has_its_day CHECK (((state <> 'elsewhere'::text) OR (elsewhere_on IS NOT NULL))),
  constraint e_invoices_exported_has_its_time CHECK (((state <> 'exported'::text) OR (exported_at IS NOT NULL))),
  constraint e_invoices_flow_is_a_line CHECK (private.is_line(flow_id, 100)),
  constraint e_invoices_paper_id_fkey FOREIGN KEY (paper_id) REFERENCES public.papers(id) ON DELETE CASCADE,
  constraint e_invoices_pkey PRIMARY KEY (paper_id),
  constraint e_invoices_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'deposited'::text, 'accepted'::text, 'collected'::text, 'refused'::text, 'exported'::text, 'elsewhere'::text]))),
  constraint e_invoices_words_are_a_text CHECK (private.is_text(words, 1000))
);
CREATE INDEX e_invoices_due ON private.e_invoices USING btree (run_at, paper_id) WHERE (state = 'waiting'::text);
CREATE INDEX e_invoices_to_check ON private.e_invoices USING btree (checked_at) WHERE (state = 'deposited'::text);
CREATE TRIGGER e_invoices_note_failures BEFORE UPDATE OF state, words ON private.e_invoices FOR EACH ROW EXECUTE FUNCTION private.note_failing_queue();
grant insert, select, update on private.e_invoices to parrain_service;

create table private.e_invoicing (
  id boolean not null default true,
  flow_url text not null,
  directory_url text not null,
  token_url text not null,
  client_id text not null,
  secret_sealed bytea not null,
  tried_at timestamp with time zone not null default now(),
  is_on boolean not null default false,
  read_until timestamp with time zone not null default now(),
  paused_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  received_until timestamp with time zone not null default (now() - '30 days'::interval),
  constraint e_invoicing_addresses_are_some CHECK ((private.is_line(flow_url, 500) AND private.is_line(directory_url, 500) AND private.is_line(token_url, 500) AND (flow_url ~ '^https?://[^/?#@]+'::text) AND (directory_url ~ '^https?://[^/?#@]+'::text) AND (token_url ~ '^https?://[^/?#@]+'::text))),
  constraint e_invoicing_client_is_a_line CHECK ((private.is_line(client_id, 200) AND (btrim(client_id) <> ''::text))),
  constraint e_invoicing_is_one_row CHECK (id),
  constraint e_invoicing_pkey PRIMARY KEY (id)
);
grant insert, select, update on private.e_invoicing to parrain_service;

create table private.former_follow_ups (
  sale_id uuid not null,
  version integer not null,
  private_note text,
  call_back_on date,
  reminded_on date,
  kept_at timestamp with time zone not null default private.now(),
  constraint former_follow_ups_pkey PRIMARY KEY (sale_id),
  constraint former_follow_ups_private_note_is_a_text CHECK (private.is_text(private_note, 2000)),
  constraint former_follow_ups_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX former_follow_ups_by_instant ON private.former_follow_ups USING btree (kept_at);
grant delete, insert, select, update on private.former_follow_ups to parrain_service;

create table private.idempotency_keys (
  user_id uuid,
  key text not null,
  request_hash bytea not null,
  status integer,
  body text,
  created_at timestamp with time zone not null default now(),
  api_key_id uuid,
  constraint idempotency_keys_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE,
  constraint idempotency_keys_are_of_one CHECK ((num_nonnulls(user_id, api_key_id) = 1)),
  constraint idempotency_keys_body_is_bounded CHECK ((octet_length(body) <= 1000000)),
  constraint idempotency_keys_key_is_bounded CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  constraint idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX idempotency_keys_are_used_once ON private.idempotency_keys USING btree (COALESCE(user_id, api_key_id), key);
CREATE INDEX idempotency_keys_by_age ON private.idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_by_api_key ON private.idempotency_keys USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX idempotency_keys_by_user ON private.idempotency_keys USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER idempotency_keys_limit AFTER INSERT ON private.idempotency_keys FOR EACH ROW EXECUTE FUNCTION private.limit_writes('idempotency', '500', '5000');
grant delete, insert, select, update on private.idempotency_keys to parrain_service;

create table private.import_columns (
  profile_id uuid not null,
  kind text not null,
  title text not null,
  field text not null,
  used_at timestamp with time zone not null default private.now(),
  constraint import_columns_field_is_a_line CHECK (private.is_line(field, 30)),
  constraint import_columns_kind_is_known CHECK ((kind = ANY (ARRAY['clients'::text, 'referrals'::text]))),
  constraint import_columns_pkey PRIMARY KEY (profile_id, kind, title),
  constraint import_columns_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint import_columns_title_is_a_line CHECK (private.is_line(title, 120))
);
grant delete, insert, select, update on private.import_columns to parrain_service;

create table private.imported_rows (
  import_id uuid not null,
  line integer not null,
  profile_id uuid,
  invitation text,
  left_because text,
  sale_id uuid,
  constraint imported_rows_import_id_fkey FOREIGN KEY (import_id) REFERENCES private.imports(id) ON DELETE CASCADE,
  constraint imported_rows_invitation_is_known CHECK ((invitation = ANY (ARRAY['due'::text, 'sent'::text, 'never'::text]))),
  constraint imported_rows_invitation_is_of_a_client CHECK (((invitation IS NULL) OR (profile_id IS NOT NULL))),
  constraint imported_rows_left_because_is_known CHECK ((left_because = ANY (ARRAY['signed_in'::text, 'referral'::text, 'money'::text, 'changed'::text, 'answered'::text]))),
  constraint imported_rows_made_one_thing CHECK ((num_nonnulls(profile_id, sale_id) = 1)),
  constraint imported_rows_pkey PRIMARY KEY (import_id, line),
  constraint imported_rows_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint imported_rows_profile_once UNIQUE (profile_id),
  constraint imported_rows_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint imported_rows_sale_once UNIQUE (sale_id)
);
CREATE INDEX imported_rows_to_invite ON private.imported_rows USING btree (import_id, line) WHERE (invitation = 'due'::text);
grant delete, insert, select, update on private.imported_rows to parrain_service;

create table private.imports (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  made_by uuid not null,
  file_name text not null,
  read_at timestamp with time zone not null default private.now(),
  lines jsonb,
  written_at timestamp with time zone,
  written integer,
  left_out integer,
  undone_at timestamp with time zone,
  removed integer not null default 0,
  constraint imports_file_name_is_a_line CHECK (private.is_line(file_name, 255)),
  constraint imports_kind_is_known CHECK ((kind = ANY (ARRAY['clients'::text, 'referrals'::text]))),
  constraint imports_lines_is_bounded CHECK ((octet_length((lines)::text) <= 20000000)),
  constraint imports_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint imports_pkey PRIMARY KEY (id),
  constraint imports_undone_was_written CHECK (((undone_at IS NULL) OR (written_at IS NOT NULL))),
  constraint imports_wait_or_are_written CHECK (((lines IS NULL) = (written_at IS NOT NULL))),
  constraint imports_written_says_how_many CHECK ((num_nulls(written_at, written, left_out) = ANY (ARRAY[0, 3])))
);
CREATE INDEX imports_by_age ON private.imports USING btree (read_at) WHERE (written_at IS NULL);
CREATE INDEX imports_by_person ON private.imports USING btree (made_by, written_at DESC);
CREATE TRIGGER imports_tell_commercials AFTER UPDATE OF written_at, undone_at ON private.imports FOR EACH ROW WHEN (((new.kind = 'referrals'::text) AND ((old.written_at IS DISTINCT FROM new.written_at) OR (old.undone_at IS DISTINCT FROM new.undone_at)))) EXECUTE FUNCTION private.tell_import();
grant delete, insert, select, update on private.imports to parrain_service;

create table private.kept_broadcasts (
  id uuid not null default gen_random_uuid(),
  room text not null,
  event text not null,
  "json" text,
  bytes bytea,
  at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  constraint kept_broadcasts_are_bounded CHECK (((octet_length(room) <= 300) AND (octet_length(event) <= 1020) AND (octet_length("json") <= 65536) AND (octet_length(bytes) <= 65536))),
  constraint kept_broadcasts_end_within_three_days CHECK ((expires_at <= (at + '72:01:00'::interval))),
  constraint kept_broadcasts_pkey PRIMARY KEY (id),
  constraint kept_broadcasts_say_one_thing CHECK ((num_nonnulls("json", bytes) = 1))
);
CREATE INDEX kept_broadcasts_by_end ON private.kept_broadcasts USING btree (expires_at);
CREATE INDEX kept_broadcasts_by_room ON private.kept_broadcasts USING btree (room, at DESC);
grant delete, insert, select on private.kept_broadcasts to parrain_service;

create table private.known_words (
  word text not null,
  holders integer not null,
  constraint known_words_pkey PRIMARY KEY (word)
);
CREATE INDEX known_words_by_letters ON private.known_words USING gin (word public.gin_trgm_ops);
grant delete, insert, select, update on private.known_words to parrain_service;

create table private.legal_notice (
  id boolean not null default true,
  publisher text not null,
  registration text,
  address text not null,
  director text not null,
  email text not null,
  phone text not null,
  host text not null,
  host_address text not null,
  host_phone text not null,
  audited_on date,
  audited_by text,
  audit_rate integer,
  audit_gaps text,
  updated_at timestamp with time zone not null default now(),
  constraint legal_notice_address_is_a_line CHECK ((private.is_line(address, 200) AND (btrim(address) <> ''::text))),
  constraint legal_notice_audit_gaps_are_a_text CHECK ((private.is_text(audit_gaps, 2000) AND ((audit_gaps IS NULL) OR (audited_on IS NOT NULL)))),
  constraint legal_notice_audit_is_whole CHECK ((num_nonnulls(audited_on, audited_by, audit_rate) = ANY (ARRAY[0, 3]))),
  constraint legal_notice_audit_rate_is_a_share CHECK (((audit_rate >= 0) AND (audit_rate <= 100))),
  constraint legal_notice_audited_by_is_a_line CHECK (private.is_line(audited_by, 120)),
  constraint legal_notice_director_is_a_line CHECK ((private.is_line(director, 120) AND (btrim(director) <> ''::text))),
  constraint legal_notice_email_is_one CHECK ((private.is_line(email, 255) AND (email ~~ '%_@_%'::text))),
  constraint legal_notice_host_address_is_a_line CHECK ((private.is_line(host_address, 200) AND (btrim(host_address) <> ''::text))),
  constraint legal_notice_host_is_a_line CHECK ((private.is_line(host, 120) AND (btrim(host) <> ''::text))),
  constraint legal_notice_host_phone_is_a_line CHECK ((private.is_line(host_phone, 30) AND (btrim(host_phone) <> ''::text))),
  constraint legal_notice_is_one_row CHECK (id),
  constraint legal_notice_phone_is_a_line CHECK ((private.is_line(phone, 30) AND (btrim(phone) <> ''::text))),
  constraint legal_notice_pkey PRIMARY KEY (id),
  constraint legal_notice_publisher_is_a_line CHECK ((private.is_line(publisher, 200) AND (btrim(publisher) <> ''::text))),
  constraint legal_notice_registration_is_a_line CHECK (private.is_line(registration, 120))
);
grant delete, insert, select, update on private.legal_notice to parrain_service;

create table private.list_views (
  id uuid not null default gen_random_uuid(),
  profile_id uuid not null,
  list text not null,
  name text not null,
  settings text not null,
  created_at timestamp with time zone not null default now(),
  constraint list_views_list_is_a_word CHECK ((list ~ '^[a-z][a-z-]{0,39}$'::text)),
  constraint list_views_name_is_a_line CHECK (((length(btrim(name)) > 0) AND private.is_line(name, 60))),
  constraint list_views_name_once UNIQUE (profile_id, list, name),
  constraint list_views_pkey PRIMARY KEY (id),
  constraint list_views_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint list_views_settings_are_short CHECK (private.is_line(settings, 1000))
);
grant delete, insert, select, update on private.list_views to parrain_service;

create table private.mails (
  id uuid not null default gen_random_uuid(),
  status text not null default 'queued'::text,
  template text not null default ''::text,
  attempts integer not null default 0,
  last_error text,
  created_at timestamp with time zone not null default now(),
  accepted_at timestamp with time zone,
  sealed bytea,
  status_since timestamp with time zone not null default now(),
  recipient text,
  is_secret boolean not null default true,
  may_be_sent_again boolean not null generated always as (((status = 'failed'::text) AND (sealed IS NOT NULL))) stored,
  constraint mails_lose_their_text_in_the_end CHECK (((sealed IS NULL) OR (status = ANY (ARRAY['queued'::text, 'sending'::text, 'failed'::text])))),
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_recipient_is_a_line CHECK (private.is_line(recipient, 320)),
  constraint mails_secret_goes_with_the_last_try CHECK ((NOT (is_secret AND (status = 'failed'::text) AND (sealed IS NOT NULL)))),
  constraint mails_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'accepted'::text, 'failed'::text, 'withdrawn'::text])))
);
CREATE INDEX mails_by_recipient ON private.mails USING btree (recipient) WHERE (recipient IS NOT NULL);
CREATE INDEX mails_by_recipient_terms ON private.mails USING gin (private.plain_letters(recipient) public.gin_trgm_ops) WHERE (recipient IS NOT NULL);
CREATE INDEX mails_by_state ON private.mails USING btree (status, status_since) WHERE (status <> 'accepted'::text);
CREATE INDEX mails_newest ON private.mails USING btree (created_at DESC, id DESC);
grant delete, insert, select, update on private.mails to parrain_service;

create table private.maintenance_runs (
  id bigint not null generated always as identity,
  kind text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  succeeded boolean,
  details jsonb,
  constraint maintenance_runs_end_after_their_start CHECK ((finished_at >= started_at)),
  constraint maintenance_runs_end_with_a_verdict CHECK (((finished_at IS NULL) = (succeeded IS NULL))),
  constraint maintenance_runs_kind_is_known CHECK ((kind = ANY (ARRAY['backup'::text, 'verification'::text]))),
  constraint maintenance_runs_pkey PRIMARY KEY (id)
);
CREATE INDEX maintenance_runs_by_kind ON private.maintenance_runs USING btree (kind, started_at DESC);
grant delete, insert, select, update on private.maintenance_runs to parrain_service;

create table private.mandates (
  id bigint not null generated always as identity,
  payee_id uuid not null,
  version text not null,
  text text not null,
  hash bytea not null,
  payee_siren text not null,
  company_siren text not null,
  accepted_at timestamp with time zone not null default private.now(),
  revoked_at timestamp with time zone,
  vat_number text,
  seller jsonb,
  constraint mandates_are_revoked_afterwards CHECK ((revoked_at >= accepted_at)),
  constraint mandates_company_siren_is_one CHECK ((private.is_line(company_siren, 9) AND private.is_siren(company_siren))),
  constraint mandates_hash_is_of_the_text CHECK ((hash = sha256(convert_to(text, 'UTF8'::name)))),
  constraint mandates_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint mandates_payee_siren_is_one CHECK ((private.is_line(payee_siren, 9) AND private.is_siren(payee_siren))),
  constraint mandates_pkey PRIMARY KEY (id),
  constraint mandates_seller_is_kept_with_vat CHECK (((seller IS NULL) = (vat_number IS NULL))),
  constraint mandates_text_is_whole CHECK (((length(text) >= 200) AND (length(text) <= 10000))),
  constraint mandates_vat_number_is_the_payees CHECK ((private.is_line(vat_number, 13) AND private.is_vat_number(vat_number, payee_siren))),
  constraint mandates_version_is_a_line CHECK ((private.is_line(version, 20) AND (btrim(version) <> ''::text)))
);
CREATE INDEX mandates_by_payee ON private.mandates USING btree (payee_id, id DESC);
CREATE UNIQUE INDEX mandates_one_of_a_payee ON private.mandates USING btree (payee_id) WHERE (revoked_at IS NULL);
CREATE TRIGGER mandates_are_never_changed BEFORE UPDATE ON private.mandates FOR EACH ROW EXECUTE FUNCTION private.guard_mandate();
CREATE TRIGGER mandates_tell AFTER INSERT OR UPDATE ON private.mandates FOR EACH ROW EXECUTE FUNCTION private.tell_person('payee_id');
grant insert, select on private.mandates to parrain_service;
grant update (revoked_at) on private.mandates to parrain_service;

create unlogged table private.node_messages (
  id uuid not null default gen_random_uuid(),
  content text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint node_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX node_messages_by_age ON private.node_messages USING btree (at);
grant delete, insert, select on private.node_messages to parrain_service;

create table private.notice_mails (
  notice_id uuid not null,
  state text not null default 'due'::text,
  held_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint notice_mails_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES public.notices(id) ON DELETE CASCADE,
  constraint notice_mails_pkey PRIMARY KEY (notice_id),
  constraint notice_mails_state_is_known CHECK ((state = ANY (ARRAY['due'::text, 'morning'::text])))
);
CREATE INDEX notice_mails_by_state ON private.notice_mails USING btree (state, held_until);
CREATE TRIGGER notice_mails_queue_pushes AFTER INSERT ON private.notice_mails REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.queue_pushes();
grant delete, insert, select, update on private.notice_mails to parrain_service;

create table private.opted_out (
  mark bytea not null,
  opted_out_at timestamp with time zone not null default private.now(),
  constraint opted_out_mark_is_a_digest CHECK ((octet_length(mark) = 32)),
  constraint opted_out_pkey PRIMARY KEY (mark)
);
grant insert, select on private.opted_out to parrain_service;

create table private.paper_files (
  paper_id uuid not null,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint paper_files_are_pdfs CHECK (((bytes IS NULL) OR ((substr(bytes, 1, 5) = '\x255044462d'::bytea) AND (length(bytes) <= 5000000)))),
  constraint paper_files_paper_id_fkey FOREIGN KEY (paper_id) REFERENCES public.papers(id) ON DELETE CASCADE,
  constraint paper_files_pkey PRIMARY KEY (paper_id)
);
CREATE TRIGGER paper_files_are_never_changed BEFORE DELETE OR UPDATE ON private.paper_files FOR EACH ROW EXECUTE FUNCTION private.guard_paper();
CREATE TRIGGER paper_files_are_never_emptied BEFORE TRUNCATE ON private.paper_files FOR EACH STATEMENT EXECUTE FUNCTION private.guard_paper();
grant insert, select on private.paper_files to parrain_service;

create table private.paper_series (
  series text not null,
  year integer not null,
  last integer not null,
  last_on date not null,
  constraint paper_series_days_are_of_their_year CHECK ((EXTRACT(year FROM last_on) = (year)::numeric)),
  constraint paper_series_numbers_begin_at_1 CHECK ((last >= 1)),
  constraint paper_series_pkey PRIMARY KEY (series, year),
  constraint paper_series_series_is_known CHECK (((length(series) <= 12) AND private.is_paper_series(series)))
);
grant insert, select, update on private.paper_series to parrain_service;

create table private.paper_settings (
  id boolean not null default true,
  issues_papers boolean not null default false,
  legal_name text not null,
  street text not null,
  postal_code text not null,
  city text not null,
  siren text not null,
  vat_number text,
  updated_at timestamp with time zone not null default now(),
  contest_days integer not null default 15,
  siret text,
  legal_form text,
  capital numeric(14,2),
  registry_city text,
  vat_franchise boolean not null default false,
  constraint paper_settings_capital_is_some CHECK ((capital > (0)::numeric)) NOT VALID,
  constraint paper_settings_city_is_a_line CHECK ((private.is_line(city, 120) AND (btrim(city) <> ''::text))),
  constraint paper_settings_contest_days_are_some CHECK (((contest_days >= 1) AND (contest_days <= 90))),
  constraint paper_settings_is_one_row CHECK (id),
  constraint paper_settings_legal_form_is_a_line CHECK ((private.is_line(legal_form, 60) AND (btrim(legal_form) <> ''::text))) NOT VALID,
  constraint paper_settings_legal_name_is_a_line CHECK ((private.is_line(legal_name, 120) AND (btrim(legal_name) <> ''::text))),
  constraint paper_settings_pkey PRIMARY KEY (id),
  constraint paper_settings_postal_code_is_one CHECK ((private.is_line(postal_code, 5) AND (postal_code ~ '^[0-9]{5}$'::text))),
  constraint paper_settings_registry_city_is_a_line CHECK ((private.is_line(registry_city, 120) AND (btrim(registry_city) <> ''::text))) NOT VALID,
  constraint paper_settings_siren_is_one CHECK ((private.is_line(siren, 9) AND private.is_siren(siren))),
  constraint paper_settings_siret_is_of_the_siren CHECK (((siret IS NULL) OR (("left"(siret, 9) = siren) IS TRUE))) NOT VALID,
  constraint paper_settings_siret_is_one CHECK ((private.is_line(siret, 14) AND private.is_siret(siret))) NOT VALID,
  constraint paper_settings_street_is_a_line CHECK ((private.is_line(street, 200) AND (btrim(street) <> ''::text))),
  constraint paper_settings_vat_number_is_one CHECK ((private.is_line(vat_number, 13) AND private.is_vat_number(vat_number, siren)))
);
CREATE TRIGGER paper_settings_siren_becomes_no_payee_s BEFORE UPDATE OF siren ON private.paper_settings FOR EACH ROW WHEN ((new.siren <> old.siren)) EXECUTE FUNCTION private.guard_payee_siren();
CREATE TRIGGER paper_settings_siren_is_no_payee_s BEFORE INSERT ON private.paper_settings FOR EACH ROW EXECUTE FUNCTION private.guard_payee_siren();
grant delete, insert, select, update on private.paper_settings to parrain_service;

create table private.payee_details (
  payee_id uuid not null,
  status text not null,
  legal_name text,
  street text,
  postal_code text,
  city text,
  siren text,
  rna text,
  charges_vat boolean,
  vat_number text,
  updated_at timestamp with time zone not null default now(),
  vat_accepted_at timestamp with time zone,
  vat_accepted_by uuid,
  vat_register text,
  regularity_dealt_at timestamp with time zone,
  first_name text,
  last_name text,
  siret text,
  legal_form text,
  capital numeric(14,2),
  registry_city text,
  country text not null default 'FR'::text,
  number_abroad text,
  constraint payee_details_abroad_has_no_french_number CHECK (((country = 'FR'::text) OR (((charges_vat IS NOT TRUE) OR (country = 'MC'::text)) AND (num_nonnulls(siren, siret, legal_form, capital, registry_city) = 0)))),
  constraint payee_details_abroad_is_somebody CHECK (((country = 'FR'::text) OR (status = ANY (ARRAY['particulier'::text, 'societe'::text, 'agent'::text])))),
  constraint payee_details_business_has_a_siren CHECK (((country <> 'FR'::text) OR (siren IS NOT NULL) OR ((status <> ALL (ARRAY['micro'::text, 'societe'::text, 'agent'::text])) AND ((status <> 'association'::text) OR (rna IS NOT NULL))))),
  constraint payee_details_capital_is_some CHECK ((capital > (0)::numeric)) NOT VALID,
  constraint payee_details_city_is_a_line CHECK ((private.is_line(city, 120) AND (btrim(city) <> ''::text))),
  constraint payee_details_country_is_one CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint payee_details_first_name_is_a_line CHECK ((private.is_line(first_name, 120) AND (btrim(first_name) <> ''::text))),
  constraint payee_details_form_is_of_a_company CHECK (((status = 'societe'::text) OR (num_nonnulls(legal_form, capital) = 0))) NOT VALID,
  constraint payee_details_last_name_is_a_line CHECK ((private.is_line(last_name, 120) AND (btrim(last_name) <> ''::text))),
  constraint payee_details_legal_form_is_a_line CHECK ((private.is_line(legal_form, 60) AND (btrim(legal_form) <> ''::text))) NOT VALID,
  constraint payee_details_legal_name_is_a_line CHECK ((private.is_line(legal_name, 120) AND (btrim(legal_name) <> ''::text))),
  constraint payee_details_names_make_the_legal_name CHECK (((num_nonnulls(first_name, last_name) = 0) OR ((status = ANY (ARRAY['particulier'::text, 'micro'::text, 'agent'::text])) AND ((legal_name = ((first_name || ' '::text) || last_name)) IS TRUE)))),
  constraint payee_details_names_whom_papers_name CHECK ((num_nonnulls(legal_name, street, postal_code, city) = CASE status WHEN 'salarie'::text THEN 0 ELSE 4 END)),
  constraint payee_details_number_abroad_is_of_a_business CHECK (((number_abroad IS NOT NULL) = ((country <> 'FR'::text) AND (status = ANY (ARRAY['societe'::text, 'agent'::text]))))),
  constraint payee_details_number_abroad_is_one CHECK ((private.is_line(number_abroad, 30) AND (btrim(number_abroad) <> ''::text) AND ((NOT private.is_in_eu(country)) OR (number_abroad ~ '^[A-Z]{2}[0-9A-Z+*]{2,12}$'::text)))),
  constraint payee_details_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint payee_details_person_has_no_number CHECK (((status <> ALL (ARRAY['particulier'::text, 'salarie'::text])) OR (num_nonnulls(siren, rna) = 0))),
  constraint payee_details_pkey PRIMARY KEY (payee_id),
  constraint payee_details_postal_code_is_one CHECK ((private.is_line(postal_code, 16) AND CASE WHEN (country = 'FR'::text) THEN (postal_code ~ '^[0-9]{5}$'::text) ELSE (btrim(postal_code) <> ''::text) END)),
  constraint payee_details_registry_city_is_a_line CHECK ((private.is_line(registry_city, 120) AND (btrim(registry_city) <> ''::text))) NOT VALID,
  constraint payee_details_registry_is_of_who_has_one CHECK (((status = ANY (ARRAY['societe'::text, 'agent'::text])) OR (registry_city IS NULL))) NOT VALID,
  constraint payee_details_regularity_is_of_a_person CHECK (((regularity_dealt_at IS NULL) OR (status = 'particulier'::text))),
  constraint payee_details_rna_is_of_an_association CHECK (((rna IS NULL) OR (status = 'association'::text))),
  constraint payee_details_rna_is_one CHECK ((private.is_line(rna, 10) AND private.is_rna(rna))),
  constraint payee_details_siren_is_one CHECK ((private.is_line(siren, 9) AND private.is_siren(siren))),
  constraint payee_details_siret_is_of_the_siren CHECK (((siret IS NULL) OR (("left"(siret, 9) = siren) IS TRUE))),
  constraint payee_details_siret_is_one CHECK ((private.is_line(siret, 14) AND private.is_siret(siret))),
  constraint payee_details_status_is_known CHECK ((status = ANY (ARRAY['particulier'::text, 'micro'::text, 'societe'::text, 'association'::text, 'agent'::text, 'salarie'::text]))),
  constraint payee_details_street_is_a_line CHECK ((private.is_line(street, 200) AND (btrim(street) <> ''::text))),
  constraint payee_details_vat_acceptance_is_of_a_number CHECK (((vat_accepted_at IS NULL) OR (vat_number IS NOT NULL))),
  constraint payee_details_vat_acceptance_is_whole CHECK (((vat_accepted_at IS NULL) = (vat_accepted_by IS NULL))),
  constraint payee_details_vat_accepted_by_fkey FOREIGN KEY (vat_accepted_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint payee_details_vat_is_of_a_business CHECK (((charges_vat IS NOT NULL) = (status = ANY (ARRAY['micro'::text, 'societe'::text, 'agent'::text])))),
  constraint payee_details_vat_number_is_of_its_country CHECK (((country <> 'MC'::text) OR (substr(vat_number, 5, 3) = '000'::text))),
  constraint payee_details_vat_number_is_of_who_charges_it CHECK (((vat_number IS NOT NULL) = COALESCE(charges_vat, false))),
  constraint payee_details_vat_number_is_one CHECK ((private.is_line(vat_number, 13) AND private.is_vat_number(vat_number, siren))),
  constraint payee_details_vat_register_is_known CHECK (((vat_register IS NULL) OR ((vat_register = ANY (ARRAY['confirmed'::text, 'unreachable'::text])) AND (vat_accepted_at IS NOT NULL))))
);
CREATE INDEX payee_details_by_vat_admin ON private.payee_details USING btree (vat_accepted_by) WHERE (vat_accepted_by IS NOT NULL);
CREATE TRIGGER payee_details_siren_is_not_the_company_s BEFORE INSERT OR UPDATE OF siren ON private.payee_details FOR EACH ROW EXECUTE FUNCTION private.guard_payee_siren();
CREATE TRIGGER payee_details_tell AFTER INSERT OR UPDATE ON private.payee_details FOR EACH ROW EXECUTE FUNCTION private.tell_person('payee_id');
grant delete, insert, select, update on private.payee_details to parrain_service;

create table private.payee_invoice_files (
  invoice_id uuid not null,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint payee_invoice_files_are_invoices CHECK (((length(bytes) <= 5242880) AND ((substr(bytes, 1, 5) = '\x255044462d'::bytea) OR (substr(bytes, 1, 1) = '\x3c'::bytea) OR (substr(bytes, 1, 4) = '\xefbbbf3c'::bytea)))),
  constraint payee_invoice_files_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.payee_invoices(id) ON DELETE CASCADE,
  constraint payee_invoice_files_pkey PRIMARY KEY (invoice_id)
);
CREATE TRIGGER payee_invoice_files_are_never_changed BEFORE DELETE OR UPDATE ON private.payee_invoice_files FOR EACH ROW EXECUTE FUNCTION private.guard_payee_invoice();
CREATE TRIGGER payee_invoice_files_are_never_emptied BEFORE TRUNCATE ON private.payee_invoice_files FOR EACH STATEMENT EXECUTE FUNCTION private.guard_payee_invoice();
CREATE TRIGGER payee_invoice_files_stand_once BEFORE INSERT ON private.payee_invoice_files FOR EACH ROW EXECUTE FUNCTION private.refuse_invoice_twice();
grant insert, select on private.payee_invoice_files to parrain_service;

create table private.payment_secrets (
  request_id uuid not null,
  details_sealed bytea not null,
  constraint payment_secrets_pkey PRIMARY KEY (request_id),
  constraint payment_secrets_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE
);
grant delete, insert, select, update on private.payment_secrets to parrain_service;

create table private.personal_links (
  client_id uuid not null,
  token text not null,
  made_at timestamp with time zone not null default private.now(),
  constraint personal_links_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint personal_links_pkey PRIMARY KEY (client_id),
  constraint personal_links_token_is_a_token CHECK ((token ~ '^[0-9a-z]{12,40}$'::text)),
  constraint personal_links_token_is_unique UNIQUE (token)
);
grant insert, select, update on private.personal_links to parrain_service;

create table private.programme_rules (
  version integer not null,
  body text not null,
  sha256 bytea not null,
  published_at timestamp with time zone not null default private.now(),
  published_by uuid not null,
  constraint programme_rules_body_is_a_text CHECK ((private.is_text(body, 20000) AND (btrim(body) <> ''::text))),
  constraint programme_rules_pkey PRIMARY KEY (version),
  constraint programme_rules_sha256_is_one CHECK ((octet_length(sha256) = 32)),
  constraint programme_rules_version_is_counted CHECK ((version >= 1))
);
CREATE TRIGGER programme_rules_tell AFTER INSERT ON private.programme_rules FOR EACH STATEMENT EXECUTE FUNCTION private.tell_new_rules();
grant insert, select on private.programme_rules to parrain_service;

create table private.programme_rules_draft (
  is_only boolean not null default true,
  body text not null,
  saved_at timestamp with time zone not null default private.now(),
  constraint programme_rules_draft_body_is_a_text CHECK (private.is_text(body, 20000)),
  constraint programme_rules_draft_is_one CHECK (is_only),
  constraint programme_rules_draft_pkey PRIMARY KEY (is_only)
);
grant delete, insert, select, update on private.programme_rules_draft to parrain_service;

create table private.proof_files (
  request_id uuid not null,
  sealed bytea not null,
  constraint proof_files_pkey PRIMARY KEY (request_id),
  constraint proof_files_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_proofs(request_id) ON DELETE CASCADE
);
grant delete, insert, select, update on private.proof_files to parrain_service;

create table private.push_messages (
  notice_id uuid not null,
  session_id uuid not null,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint push_messages_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES public.notices(id) ON DELETE CASCADE,
  constraint push_messages_pkey PRIMARY KEY (notice_id, session_id),
  constraint push_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES private.push_subscriptions(session_id) ON DELETE CASCADE
);
CREATE INDEX push_messages_by_session ON private.push_messages USING btree (session_id);
CREATE INDEX push_messages_by_time ON private.push_messages USING btree (run_at);
grant delete, insert, select, update on private.push_messages to parrain_service;

create table private.push_subscriptions (
  session_id uuid not null,
  profile_id uuid not null,
  endpoint text not null,
  p256dh bytea not null,
  auth bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint push_subscriptions_auth_is_a_secret CHECK ((octet_length(auth) = 16)),
  constraint push_subscriptions_endpoint_is_a_line CHECK (private.is_line(endpoint, 2000)),
  constraint push_subscriptions_endpoint_once UNIQUE (endpoint),
  constraint push_subscriptions_p256dh_is_a_point CHECK ((octet_length(p256dh) = 65)),
  constraint push_subscriptions_pkey PRIMARY KEY (session_id),
  constraint push_subscriptions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE
);
CREATE INDEX push_subscriptions_by_profile ON private.push_subscriptions USING btree (profile_id);
grant delete, insert, select, update on private.push_subscriptions to parrain_service;

create unlogged table private.rate_limits (
  bucket text not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null default clock_timestamp(),
  constraint rate_limits_pkey PRIMARY KEY (bucket)
);
CREATE INDEX rate_limits_by_age ON private.rate_limits USING btree (refilled_at);
grant delete, insert, select, update on private.rate_limits to parrain_service;

create table private.received_invoice_files (
  received_id uuid not null,
  bytes bytea not null,
  hash bytea not null generated always as (sha256(bytes)) stored,
  constraint received_invoice_files_are_bounded CHECK (((length(bytes) >= 1) AND (length(bytes) <= 5242880))),
  constraint received_invoice_files_pkey PRIMARY KEY (received_id),
  constraint received_invoice_files_received_id_fkey FOREIGN KEY (received_id) REFERENCES private.received_invoices(id) ON DELETE RESTRICT
);
CREATE TRIGGER received_invoice_files_are_never_changed BEFORE DELETE OR UPDATE ON private.received_invoice_files FOR EACH ROW EXECUTE FUNCTION private.guard_received_invoice_file();
CREATE TRIGGER received_invoice_files_are_never_emptied BEFORE TRUNCATE ON private.received_invoice_files FOR EACH STATEMENT EXECUTE FUNCTION private.guard_received_invoice_file();
grant delete, insert, select on private.received_invoice_files to parrain_service;

create table private.received_invoice_statuses (
  id uuid not null default gen_random_uuid(),
  received_id uuid not null,
  code text not null,
  reason text,
  at timestamp with time zone not null default now(),
  place bigint not null generated always as identity,
  state text not null default 'waiting'::text,
  words text,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  asked_at timestamp with time zone,
  flow_id text,
  checked_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  failing_since timestamp with time zone,
  constraint received_invoice_statuses_code_is_known CHECK ((code = ANY (ARRAY['205'::text, '210'::text]))),
  constraint received_invoice_statuses_deposited_has_a_flow CHECK ( CASE state WHEN 'waiting'::text THEN (flow_id IS NULL) WHEN 'refused'::text THEN true ELSE (flow_id IS NOT NULL) END),
  constraint received_invoice_statuses_flow_is_a_line CHECK (private.is_line(flow_id, 100)),
  constraint received_invoice_statuses_pkey PRIMARY KEY (id),
  constraint received_invoice_statuses_reason_is_a_text CHECK (private.is_text(reason, 500)),
  constraint received_invoice_statuses_received_id_fkey FOREIGN KEY (received_id) REFERENCES private.received_invoices(id) ON DELETE RESTRICT,
  constraint received_invoice_statuses_refusal_has_a_reason CHECK (((code = '210'::text) = (reason IS NOT NULL))),
  constraint received_invoice_statuses_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'deposited'::text, 'accepted'::text, 'refused'::text]))),
  constraint received_invoice_statuses_words_are_a_text CHECK (private.is_text(words, 1000))
);
CREATE INDEX received_invoice_statuses_by_invoice ON private.received_invoice_statuses USING btree (received_id, place);
CREATE INDEX received_invoice_statuses_due ON private.received_invoice_statuses USING btree (run_at, place) WHERE (state = 'waiting'::text);
CREATE TRIGGER received_invoice_statuses_note_failures BEFORE UPDATE OF state, words ON private.received_invoice_statuses FOR EACH ROW EXECUTE FUNCTION private.note_failing_queue();
grant insert, select, update on private.received_invoice_statuses to parrain_service;

create table private.received_invoices (
  id uuid not null default gen_random_uuid(),
  platform text not null,
  flow_id text not null,
  noted_at timestamp with time zone not null default now(),
  state text not null default 'noted'::text,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  words text,
  data jsonb,
  is_credit boolean not null default false,
  iban_marks bytea[] not null default '{}'::bytea[],
  reason text,
  tried_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  payee_id uuid,
  invoice_id uuid,
  name text,
  decided_at timestamp with time zone,
  refusal_reason text,
  by_rule boolean not null default false,
  constraint received_invoices_are_noted_once UNIQUE (platform, flow_id),
  constraint received_invoices_by_rule_are_aside CHECK (((NOT by_rule) OR (state = 'aside'::text))),
  constraint received_invoices_credits_are_never_matched CHECK ((NOT (is_credit AND (invoice_id IS NOT NULL)))),
  constraint received_invoices_data_is_bounded CHECK ((length((data)::text) <= 8000)),
  constraint received_invoices_decision_has_a_time CHECK (((state = ANY (ARRAY['accepted'::text, 'refused'::text, 'aside'::text])) = (decided_at IS NOT NULL))),
  constraint received_invoices_flow_is_a_line CHECK ((private.is_line(flow_id, 100) AND (flow_id <> ''::text))),
  constraint received_invoices_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.payee_invoices(id) ON DELETE RESTRICT,
  constraint received_invoices_matched_have_an_invoice CHECK ( CASE WHEN (state = ANY (ARRAY['matched'::text, 'accepted'::text])) THEN (invoice_id IS NOT NULL) WHEN (state = 'refused'::text) THEN true ELSE (invoice_id IS NULL) END),
  constraint received_invoices_name_is_a_line CHECK ((private.is_line(name, 255) AND (btrim(name) <> ''::text))),
  constraint received_invoices_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint received_invoices_pkey PRIMARY KEY (id),
  constraint received_invoices_platform_is_a_line CHECK ((private.is_line(platform, 255) AND (platform <> ''::text))),
  constraint received_invoices_reason_is_a_line CHECK (private.is_line(reason, 40)),
  constraint received_invoices_refusal_has_a_reason CHECK (((state = 'refused'::text) = (refusal_reason IS NOT NULL))),
  constraint received_invoices_refusal_is_a_text CHECK ((private.is_text(refusal_reason, 500) AND (btrim(refusal_reason) <> ''::text))),
  constraint received_invoices_state_is_known CHECK ((state = ANY (ARRAY['noted'::text, 'listed'::text, 'matched'::text, 'accepted'::text, 'refused'::text, 'aside'::text]))),
  constraint received_invoices_words_are_a_text CHECK (private.is_text(words, 1000))
);
CREATE UNIQUE INDEX received_invoices_by_invoice ON private.received_invoices USING btree (invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX received_invoices_by_payee ON private.received_invoices USING btree (payee_id) WHERE (payee_id IS NOT NULL);
CREATE INDEX received_invoices_decided ON private.received_invoices USING btree (decided_at DESC) WHERE (decided_at IS NOT NULL);
CREATE INDEX received_invoices_due ON private.received_invoices USING btree (run_at, id) WHERE (state = 'noted'::text);
CREATE INDEX received_invoices_listed ON private.received_invoices USING btree (tried_at, id) WHERE (state = 'listed'::text);
CREATE INDEX received_invoices_matched ON private.received_invoices USING btree (noted_at DESC) WHERE (state = 'matched'::text);
grant insert, select, update on private.received_invoices to parrain_service;

create table private.refused_referrals (
  sale_id uuid not null,
  client_id uuid not null,
  refused_at timestamp with time zone not null default private.now(),
  constraint refused_referrals_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint refused_referrals_pkey PRIMARY KEY (sale_id, client_id, refused_at),
  constraint refused_referrals_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX refused_referrals_by_age ON private.refused_referrals USING btree (refused_at);
CREATE INDEX refused_referrals_by_client ON private.refused_referrals USING btree (client_id);
grant delete, insert, select on private.refused_referrals to parrain_service;

create table private.reminders (
  sale_id uuid not null,
  step text not null,
  told_at timestamp with time zone not null default now(),
  constraint reminders_pkey PRIMARY KEY (sale_id, step),
  constraint reminders_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint reminders_step_is_known CHECK ((step = ANY (ARRAY['commercial'::text, 'admin'::text])))
);
grant delete, insert, select, update on private.reminders to parrain_service;

create table private.rules_acceptances (
  client_id uuid not null,
  version integer not null,
  sha256 bytea not null,
  accepted_at timestamp with time zone not null default private.now(),
  constraint rules_acceptances_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint rules_acceptances_pkey PRIMARY KEY (client_id, version),
  constraint rules_acceptances_version_fkey FOREIGN KEY (version) REFERENCES private.programme_rules(version) ON DELETE RESTRICT
);
CREATE INDEX rules_acceptances_by_version ON private.rules_acceptances USING btree (version, accepted_at DESC, client_id);
grant insert, select on private.rules_acceptances to parrain_service;

create table private.secrets (
  name text not null,
  value bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint secrets_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update on private.secrets to parrain_service;

create table private.set_aside_suppliers (
  siren text not null,
  name text,
  since timestamp with time zone not null default now(),
  invoices integer not null default 0,
  last_at timestamp with time zone,
  constraint set_aside_suppliers_name_is_a_line CHECK ((private.is_line(name, 200) AND (btrim(name) <> ''::text))),
  constraint set_aside_suppliers_pkey PRIMARY KEY (siren),
  constraint set_aside_suppliers_siren_is_one CHECK ((private.is_line(siren, 9) AND (siren ~ '^[0-9]{9}$'::text)))
);
grant delete, insert, select, update on private.set_aside_suppliers to parrain_service;

create unlogged table private.sign_in_failures (
  account text not null,
  failures integer not null,
  last_at timestamp with time zone not null default clock_timestamp(),
  constraint sign_in_failures_pkey PRIMARY KEY (account)
);
CREATE INDEX sign_in_failures_by_age ON private.sign_in_failures USING btree (last_at);
grant delete, insert, select, update on private.sign_in_failures to parrain_service;

create table private.turns (
  commercial_id uuid not null,
  taken_at timestamp with time zone not null,
  constraint turns_commercial_id_fkey FOREIGN KEY (commercial_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint turns_pkey PRIMARY KEY (commercial_id)
);
grant delete, insert, select, update on private.turns to parrain_service;

create table private.undoubted_pairs (
  rule text not null,
  one_id uuid not null,
  other_id uuid not null,
  constraint undoubted_pairs_are_in_order CHECK ((one_id <= other_id)),
  constraint undoubted_pairs_one_id_fkey FOREIGN KEY (one_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint undoubted_pairs_other_id_fkey FOREIGN KEY (other_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint undoubted_pairs_pkey PRIMARY KEY (one_id, other_id, rule),
  constraint undoubted_pairs_rule_fkey FOREIGN KEY (rule) REFERENCES public.doubt_rules(code) ON DELETE RESTRICT
);
CREATE INDEX undoubted_pairs_by_other ON private.undoubted_pairs USING btree (other_id);
CREATE INDEX undoubted_pairs_by_rule ON private.undoubted_pairs USING btree (rule);
grant insert, select on private.undoubted_pairs to parrain_service;

create table private.webhook_deliveries (
  id uuid not null default gen_random_uuid(),
  number bigint not null generated always as identity,
  webhook_id uuid not null,
  type text not null,
  object_id uuid,
  stream_id uuid not null,
  data jsonb not null,
  occurred_at timestamp with time zone not null default private.now(),
  created_at timestamp with time zone not null default now(),
  is_single_try boolean not null default false,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  run_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  answered_at timestamp with time zone,
  answer_status integer,
  answer text,
  error text,
  took_ms integer,
  constraint webhook_deliveries_answer_is_bounded CHECK ((octet_length(answer) <= 4096)),
  constraint webhook_deliveries_error_is_a_line CHECK (private.is_line(error, 200)),
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'dropped'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES private.webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_by_age ON private.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_object ON private.webhook_deliveries USING btree (object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX webhook_deliveries_in_order ON private.webhook_deliveries USING btree (webhook_id, stream_id, number) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_newest ON private.webhook_deliveries USING btree (webhook_id, number DESC);
CREATE INDEX webhook_deliveries_waiting ON private.webhook_deliveries USING btree (webhook_id, number) WHERE (status = 'pending'::text);
grant delete, insert, select, update on private.webhook_deliveries to parrain_service;

create table private.webhooks (
  id uuid not null,
  url text not null,
  description text,
  events text[] not null,
  secret_sealed bytea not null,
  former_secret_sealed bytea,
  former_secret_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  failures integer not null default 0,
  failing_since timestamp with time zone,
  off_since timestamp with time zone,
  off_because text,
  constraint webhooks_description_is_a_line CHECK ((private.is_line(description, 120) AND (btrim(description) <> ''::text))),
  constraint webhooks_events_are_known CHECK (((cardinality(events) > 0) AND (events <@ ARRAY['sale.pending'::text, 'sale.contacted'::text, 'sale.in_negotiation'::text, 'sale.awaiting_final_validation'::text, 'sale.awaiting_admin_validation'::text, 'sale.validated'::text, 'sale.rejected'::text, 'sale.correction'::text, 'payment_request.pending'::text, 'payment_request.approved'::text, 'payment_request.rejected'::text, 'payment_request.paid'::text, 'payment_request.returned'::text, 'payout.queued'::text, 'payout.removed'::text, 'payout.paid'::text, 'payout.rejected'::text, 'payout.returned'::text, 'person.created'::text, 'person.updated'::text, 'person.deactivated'::text, 'person.reactivated'::text, 'person.deleted'::text]))),
  constraint webhooks_failures_have_their_start CHECK (((failures = 0) = (failing_since IS NULL))),
  constraint webhooks_former_secret_has_its_end CHECK (((former_secret_sealed IS NULL) = (former_secret_until IS NULL))),
  constraint webhooks_off_has_a_reason CHECK ((((off_since IS NULL) = (off_because IS NULL)) AND (off_because = ANY (ARRAY['admin'::text, 'gone'::text, 'failures'::text])))),
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_url_is_an_address CHECK ((private.is_line(url, 2000) AND (url ~ '^https?://[^/?#@]+'::text)))
);
grant delete, insert, select, update on private.webhooks to parrain_service;

create type private.doubt as (rule text, compared text, person_id uuid);

create type private.sale_effect as (commercial_id uuid, state text, referrer_id uuid, as_friend boolean, sales integer, contract_amount numeric, client_commission numeric, commercial_commission numeric, commissions integer, partial_corrections integer);

CREATE FUNCTION private.abroad_obstacle(p_payee_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT private.reverse_charge_obstacle() AS reverse_charge_obstacle FROM private.payee_details d WHERE ((d.payee_id = abroad_obstacle.p_payee_id) AND private.is_reverse_charged(d.*)));
grant execute on function private.abroad_obstacle(uuid) to authenticated;
grant execute on function private.abroad_obstacle(uuid) to service_role;

CREATE FUNCTION private.accept_mandate(p_version text, p_text text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client', 'commercial');
  payee public.profiles := private.payee_named(me);
  text_hash constant bytea := sha256(convert_to(p_text, 'UTF8'));
begin
  if not private.may_be_self_billed(me) then perform private.refuse('mandate_not_offered'); end if;
  if exists (select from private.mandates m where m.id = private.mandate_in_force(me) and m.hash = text_hash) then
    return private.payee_shown(me);
  end if;
  update private.mandates m set revoked_at = private.now() where m.payee_id = me and m.revoked_at is null;
  insert into private.mandates (payee_id, version, text, hash, payee_siren, company_siren, vat_number, seller)
  select me, p_version, p_text, text_hash, d.siren, s.siren, d.vat_number,
    case when d.vat_number is not null then jsonb_build_object('status', d.status, 'legal_name', d.legal_name, 'street', d.street,
      'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'vat_number', d.vat_number) end
  from private.payee_details d cross join private.paper_settings s where d.payee_id = me;
  perform private.append_audit('profiles', me, 'update', null,
    jsonb_build_object('mandate', p_version, 'mandate_hash', encode(text_hash, 'hex')), null);
  return private.payee_shown(me);
end
$function$;
grant execute on function private.accept_mandate(text,text) to authenticated;

CREATE FUNCTION private.accept_rules(p_version integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
  v_current private.programme_rules := private.rules_in_force();
  v_accepted_at timestamptz;
begin
  if v_current.version is distinct from p_version then perform private.refuse('rules_changed'); end if;
  insert into private.rules_acceptances (client_id, version, sha256) values (me, v_current.version, v_current.sha256)
  on conflict do nothing returning accepted_at into v_accepted_at;
  if not found then
    return (select a.accepted_at from private.rules_acceptances a where a.client_id = me and a.version = p_version);
  end if;
  perform private.append_audit('profiles', me, 'update', '{}',
    jsonb_build_object('rules_accepted', v_current.version, 'rules_sha256', encode(v_current.sha256, 'hex')), null);
  return v_accepted_at;
end
$function$;
grant execute on function private.accept_rules(integer) to authenticated;

CREATE FUNCTION private.accept_vat(p_payee_id uuid, p_vat_number text, p_register text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
  d private.payee_details;
begin
  select * into d from private.payee_details t where t.payee_id = payee.id for update;
  if d.vat_number is distinct from p_vat_number or p_vat_number is null then perform private.refuse('vat_changed'); end if;
  if d.vat_accepted_at is null then
    update private.payee_details t set vat_accepted_at = private.now(), vat_accepted_by = me, vat_register = p_register
      where t.payee_id = payee.id;
    perform private.append_audit('profiles', payee.id, 'update', null,
      jsonb_strip_nulls(jsonb_build_object('vat_accepted', p_vat_number, 'vat_register', p_register)), null);
  end if;
  return private.payee_shown(payee.id);
end
$function$;
grant execute on function private.accept_vat(uuid,text,text) to authenticated;

CREATE FUNCTION private.accepts_requests_on(p_day integer, p_from integer, p_to integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE(CASE WHEN (p_from <= p_to) THEN ((p_day >= p_from) AND (p_day <= p_to)) ELSE ((p_day >= p_from) OR (p_day <= p_to)) END, true);
grant execute on function private.accepts_requests_on(integer,integer,integer) to parrain_service;

CREATE FUNCTION private.accountants()
 RETURNS TABLE(id uuid, full_name text, email text, created_at timestamp with time zone, deactivated_at timestamp with time zone, last_sign_in_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select p.id, p.full_name, p.email, p.created_at, p.deactivated_at, u.last_sign_in_at
    from public.profiles p join auth.users u on u.id = p.id where p.role = 'comptable'
    order by p.deactivated_at is not null, p.full_name, p.id;
end
$function$;
grant execute on function private.accountants() to authenticated;

CREATE FUNCTION private.accounting_codes_shown(p_search text)
 RETURNS TABLE(payee_id uuid, name text, email text, code text, is_chosen boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return query
  select p.id, coalesce(d.legal_name, p.full_name), p.email, coalesce(k.code, upper(left(p.id::text, 8))), k.code is not null
  from public.profiles p
  left join private.payee_details d on d.payee_id = p.id
  left join private.accounting_codes k on k.payee_id = p.id
  where p.role in ('client', 'commercial') and exists (select from public.ledger_entries e where e.payee_id = p.id)
    and (p_search = '' or private.plain_letters(coalesce(d.legal_name, p.full_name) || ' ' || p.email || ' ' || coalesce(k.code, '')) ilike
      '%' || replace(replace(private.plain_letters(p_search), '\', '\\'), '%', '\%') || '%')
  order by 2, p.id limit 50;
end
$function$;
grant execute on function private.accounting_codes_shown(text) to authenticated;

CREATE FUNCTION private.accounting_lines(p_from date, p_before date)
 RETURNS TABLE("JournalCode" text, "JournalLib" text, "EcritureNum" bigint, "EcritureDate" timestamp with time zone, "CompteNum" text, "CompteLib" text, "CompAuxNum" text, "CompAuxLib" text, "PieceRef" text, "PieceDate" timestamp with time zone, "EcritureLib" text, "Debit" numeric, "Credit" numeric, "EcritureLet" text, "DateLet" timestamp with time zone, "ValidDate" timestamp with time zone, "Montantdevise" text, "Idevise" text, side integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return query
  select s.journal_code, s.journal_label, i.number, i.at, i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, i.piece, i.piece_at,
    i.label, i.debit, i.credit, i.lettering, i.lettered_at, i.closed_at, null::text, null::text, i.place
  from (
    select e.number, e.place, e.at, e.account_number, e.account_label, e.auxiliary_code, e.auxiliary_name, e.piece, e.piece_at, e.label,
      e.debit, e.credit, e.lettering, e.lettered_at, m.closed_at, m.settings_id
    from private.accounting_entries e join private.accounting_months m on m.month = e.month
    where e.month >= p_from and e.month < p_before
    union all
    select o.number, o.place, o.at, o.account_number, o.account_label, o.auxiliary_code, o.auxiliary_name, o.piece, o.piece_at, o.label,
      o.debit, o.credit, o.lettering, o.lettered_at, null, (select max(l.id) from private.accounting_settings l)
    from private.open_entries(p_before) o where o.at >= private.month_start(p_from)) i
  join private.accounting_settings s on s.id = i.settings_id;
end
$function$;
grant execute on function private.accounting_lines(date,date) to authenticated;

CREATE FUNCTION private.accounting_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return (select jsonb_build_object('journal_code', s.journal_code, 'journal_label', s.journal_label, 'accounts', s.accounts,
      'posts_payments', s.posts_payments, 'posts_payroll', s.posts_payroll, 'accrues', s.accrues, 'year_ends_in', s.year_ends_in,
      -- Commercials whom the journal takes for employees because nobody has said their status.
      'without_status', (select count(*) from public.profiles p where p.role = 'commercial' and p.deactivated_at is null
        and not exists (select from private.payee_details d where d.payee_id = p.id)),
      'closed_until', (select max(m.month) from private.accounting_months m))
    from private.accounting_settings s order by s.id desc limit 1);
end
$function$;
grant execute on function private.accounting_shown() to authenticated;

CREATE FUNCTION private.accounting_total(p_from date, p_before date)
 RETURNS TABLE(lines bigint, total numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select count(*), coalesce(sum(l."Debit"), 0.00) from private.accounting_lines(p_from, p_before) l;
end
$function$;
grant execute on function private.accounting_total(date,date) to authenticated;

CREATE FUNCTION private.accounting_words(s private.accounting_settings)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((((((((((s).journal_code || ' '::text) || (s).journal_label) || ' · '::text) || (SELECT string_agg((((a.value ->> 'number'::text) || ' '::text) || (a.value ->> 'label'::text)), ' · '::text ORDER BY a.key) AS string_agg FROM jsonb_each((accounting_words.s).accounts) a(key, value))) || CASE WHEN (s).posts_payments THEN ''::text ELSE ' · sans les paiements'::text END) || CASE WHEN (s).posts_payroll THEN ' · avec les salariés'::text ELSE ''::text END) || CASE WHEN (s).accrues THEN ' · factures non parvenues en fin d’exercice'::text ELSE ''::text END) || ' · exercice clos au mois '::text) || ((s).year_ends_in)::text);
grant execute on function private.accounting_words(private.accounting_settings) to parrain_service;

CREATE FUNCTION private.acknowledge_break(p_entry bigint, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b figures.audit_breaks;
begin
  if coalesce(length(btrim(p_reason)), 0) not between 10 and 500 then raise exception 'a break is acknowledged with a reason'; end if;
  perform private.hold_chain('company_settings', '00000000-0000-0000-0000-000000000001');
  select * into b from figures.audit_breaks t where t.id = p_entry;
  if not found then return null; end if;
  if not b.is_acknowledged then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'acknowledge_break', null,
      jsonb_build_object('entry', b.id, 'entity', b.entity, 'entity_id', b.entity_id, 'cause', b.cause, 'hash', b.hash), btrim(p_reason));
  end if;
  return b.cause;
end
$function$;

CREATE FUNCTION private.active_admins()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(array_agg(p.id), '{}'::uuid[]) AS "coalesce"
    FROM public.profiles p
   WHERE ((p.role = 'admin'::text) AND (p.deactivated_at IS NULL));
END;

CREATE FUNCTION private.add_archive_part(p_id uuid, p_attempt integer, p_place integer, p_bytes bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from private.archives a where a.id = p_id and a.attempt = p_attempt and a.status = 'making' for share;
  if not found then perform private.refuse('archive_gone'); end if;
  insert into private.archive_parts (archive_id, place, bytes) values (p_id, p_place, p_bytes);
end
$function$;

CREATE FUNCTION private.add_sale_effects(p_effects private.sale_effect[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with change as (
    select e.commercial_id, e.state, sum(e.sales) as sales, sum(e.contract_amount) as contract_amount,
      sum(e.client_commission) as client_commission, sum(e.commercial_commission) as commercial_commission,
      sum(e.commissions) as commissions,
      sum(e.partial_corrections) as partial_corrections
    from unnest((select p_effects)) e
    group by e.commercial_id, e.state
    having (sum(e.sales), sum(e.contract_amount), sum(e.client_commission), sum(e.commercial_commission), sum(e.commissions),
      sum(e.partial_corrections)) <> (0, 0, 0, 0, 0, 0)),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.sale_totals f where f.commercial_id = c.commercial_id and f.state = c.state
      limit 1 for update skip locked) free on true),
  added as (
    update figures.sale_totals t set sales = t.sales + p.sales, contract_amount = t.contract_amount + p.contract_amount,
      client_commission = t.client_commission + p.client_commission,
      commercial_commission = t.commercial_commission + p.commercial_commission, commissions = t.commissions + p.commissions,
      partial_corrections = t.partial_corrections + p.partial_corrections
    from place p where t.id = p.id)
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions,
    partial_corrections)
  select p.commercial_id, p.state, p.sales, p.contract_amount, p.client_commission, p.commercial_commission, p.commissions,
    p.partial_corrections
  from place p where p.id is null;

  with change as (
    select e.referrer_id, e.commercial_id, e.as_friend,
      coalesce(sum(e.sales) filter (where e.state <> 'correction'), 0) as referrals,
      coalesce(sum(case e.state when 'correction' then -e.sales else e.sales end)
        filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as signed_contracts,
      coalesce(sum(e.contract_amount) filter (where e.state in ('awaiting_admin_validation', 'validated', 'correction')), 0) as revenue
    from unnest((select p_effects)) e
    where e.referrer_id is not null
    group by e.referrer_id, e.commercial_id, e.as_friend),
  place as (
    select c.*, free.id
    from change c
    left join lateral (select f.id from figures.referrer_totals f
      where f.referrer_id = c.referrer_id and f.commercial_id = c.commercial_id and f.as_friend = c.as_friend
      limit 1 for update skip locked) free on true
    where (c.referrals, c.signed_contracts, c.revenue) <> (0, 0, 0)),
  added as (
    update figures.referrer_totals t set referrals = t.referrals + p.referrals,
      signed_contracts = t.signed_contracts + p.signed_contracts, revenue = t.revenue + p.revenue
    from place p where t.id = p.id)
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select p.referrer_id, p.commercial_id, p.as_friend, p.referrals, p.signed_contracts, p.revenue
  from place p where p.id is null;
end
$function$;

CREATE FUNCTION private.add_to_company(p_what text, p_number bigint, p_amount numeric)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- Where this transaction left its row of this total.
  setting constant text := 'app.total_' || p_what;
  place tid := nullif(current_setting(setting, true), '');
begin
  if p_number = 0 and p_amount = 0 then return; end if;
  if place is not null then
    update figures.company_totals t set number = t.number + p_number, amount = t.amount + p_amount
    where t.ctid = place and t.what = p_what returning t.ctid into place;
  end if;
  if place is null then
    update figures.company_totals t set number = t.number + p_number, amount = t.amount + p_amount
    where t.id = (select f.id from figures.company_totals f where f.what = p_what limit 1 for update skip locked)
    returning t.ctid into place;
  end if;
  if place is null then
    insert into figures.company_totals as t (what, number, amount) values (p_what, p_number, p_amount) returning t.ctid into place;
  end if;
  perform set_config(setting, place::text, true);
end
$function$;

CREATE FUNCTION private.add_webhook(p_id uuid, p_url text, p_description text, p_events text[], p_secret_sealed bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  -- It tells of everything for longer than the session lasts, as a key of the company does.
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  -- One after the other, so that the count holds.
  lock table private.webhooks in share row exclusive mode;
  if (select count(*) from private.webhooks) >= 10 then perform private.refuse('webhooks_full'); end if;
  insert into private.webhooks (id, url, description, events, secret_sealed)
    values (p_id, p_url, nullif(btrim(p_description), ''), p_events, p_secret_sealed);
  perform private.audit_webhook('webhook', null, private.host_of_url(p_url));
end
$function$;
grant execute on function private.add_webhook(uuid,text,text,text[],bytea) to authenticated;

CREATE FUNCTION private.address_of(p_email text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  folded text;
  name text;
begin
  -- Nearly all of them.
  if p_email !~ '[^\x01-\x7f]' then return lower(btrim(p_email, e' \t\n\v\f\r')); end if;
  folded := normalize(lower(btrim(private.without_invisible(normalize(p_email, nfkc)), e' \t\n\v\f\r\u1680\u2028\u2029')), nfc);
  name := substring(folded from '^(.*)@');
  if name is null then return folded; end if;
  return name || '@' || (
    select string_agg(private.ascii_label(l.label), '.' order by l.place)
    from string_to_table(replace(substring(folded from length(name) + 2), '。', '.'), '.') with ordinality l (label, place));
end
$function$;
grant execute on function private.address_of(text) to anon;
grant execute on function private.address_of(text) to api_key;
grant execute on function private.address_of(text) to authenticated;
grant execute on function private.address_of(text) to parrain_service;
grant execute on function private.address_of(text) to service_role;

CREATE FUNCTION private.announce_erasures()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.contacts_heard_since();
  v_announced uuid[];
begin
  with announced as (
    insert into private.announced_erasures as a (sale_id, erase_on)
    select s.id, private.today() + 30 from public.sales s
      where not s.ready_for_validation and s.corrects_sale_id is null
        and num_nonnulls(s.referred_contact_email, s.referred_contact_phone) > 0 and s.updated_at < v_since
        and private.is_forgettable(s, v_since)
        and not exists (select from private.announced_erasures o where o.sale_id = s.id and o.kept_at is null)
    on conflict (sale_id) do update set announced_at = excluded.announced_at, erase_on = excluded.erase_on, kept_at = null
      where a.kept_at is not null
    returning a.sale_id)
  select array_agg(a.sale_id order by a.sale_id) into v_announced from announced a;
  if v_announced is null then return 0; end if;
  perform private.tell('contacts_to_erase', private.active_admins(), v_announced[1], null);
  return cardinality(v_announced);
end
$function$;

CREATE FUNCTION private.annul_adjustment(p_dispute_id uuid, p_body text, p_seen_version integer)
 RETURNS TABLE(dispute public.disputes, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  lock table public.balances in row exclusive mode;
  select * into d from public.disputes t where t.id = p_dispute_id for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if d.adjustment is null then perform private.refuse('adjustment_not_found'); end if;
  if d.adjustment_annulled_at is not null then
    if d.adjustment_annulled_by <> me or p_seen_version <> d.version - 1 or btrim(p_body) is distinct from (
        select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at desc, m.id desc limit 1) then
      perform private.refuse('adjustment_annulled');
    end if;
    return query select d, true;
    return;
  end if;
  if p_seen_version <> d.version then perform private.refuse('dispute_changed'); end if;
  update public.disputes t set version = t.version + 1, adjustment_annulled_at = private.now(), adjustment_annulled_by = me
    where t.id = d.id returning * into d;
  perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', d.adjustment),
    jsonb_build_object('adjustment', null, 'payee_id', d.payee_id), btrim(p_body));
  perform private.say_in_dispute(d, 'adjustment_annulled', p_body);
  return query select d, false;
end
$function$;
grant execute on function private.annul_adjustment(uuid,text,integer) to authenticated;

CREATE FUNCTION private.annul_approval(p_request_id uuid, p_reason text, p_seen_version integer)
 RETURNS TABLE(request public.payment_requests, already boolean, full_name text, email text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  is_again boolean;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  is_again := coalesce(p_seen_version = r.version - 1 and r.approval_annulled_reason = btrim(p_reason), false);
  if not is_again then
    if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
    if r.status <> 'approved' then perform private.refuse('request_illegal_move'); end if;
    update public.payment_requests t set status = 'pending', approved_at = null, approval_annulled_reason = btrim(p_reason)
      where t.id = r.id returning * into r;
  end if;
  return query select r, is_again, p.full_name, p.email from public.profiles p
    where p.id = r.client_id;
end
$function$;
grant execute on function private.annul_approval(uuid,text,integer) to authenticated;

CREATE FUNCTION private.annul_debt_act(p_act_id uuid, p_reason text)
 RETURNS TABLE(act public.debt_acts, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  t public.debt_acts;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('message_required'); end if;
  lock table public.balances in row exclusive mode;
  select * into t from public.debt_acts a where a.id = p_act_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if t.annulled_at is not null and t.annulled_by = me and t.annulled_reason = btrim(p_reason) then
    return query select t, true;
    return;
  end if;
  if t.at is null or t.annulled_at is not null then perform private.refuse('account_changed'); end if;
  update public.debt_acts a set annulled_at = private.now(), annulled_by = me, annulled_reason = btrim(p_reason) where a.id = t.id returning * into t;
  perform private.append_audit('debt_acts', t.id, 'update', jsonb_build_object('amount', t.amount),
    jsonb_build_object('kind', t.kind, 'amount', t.amount, 'payee_id', t.payee_id, 'annulled', true), t.annulled_reason);
  perform private.tell_of_debt_act('debt_act_annulled', t);
  return query select t, false;
end
$function$;
grant execute on function private.annul_debt_act(uuid,text) to authenticated;

CREATE FUNCTION private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
  v_before boolean;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  -- A friend who was forgotten is nobody's to call.
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_is_given and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id;
  end if;
  select c.is_given into v_before from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1;
  if v_before is not distinct from p_is_given then return; end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place)
  values (sale.id, p_is_given, p_statement, p_version, 'mailed_link');
  if not p_is_given then perform private.withdraw_friend_mails(sale.referred_contact_email); end if;
  -- Screens that show the referral show its answer with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case when p_is_given then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$function$;

CREATE FUNCTION private.answer_call(p_sale_id uuid, p_is_given boolean, p_statement text, p_version text, p_phone text, p_place text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
  v_before boolean;
  v_channel text;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  -- A friend who was forgotten is nobody's to call.
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0
    or p_place <> 'mailed_link'
      and exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link') then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_is_given and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id;
  end if;
  select c.is_given into v_before from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1;
  if v_before is not distinct from p_is_given
    and (p_place <> 'mailed_link' or exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link'))
  then return; end if;
  if not p_is_given then
    select c.channel into v_channel from public.call_consents c where c.sale_id = sale.id and c.channel in ('sms', 'email')
      order by c.said_at desc, c.id limit 1;
  end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
  values (sale.id, p_is_given, p_statement, p_version, p_place, v_channel);
  if not p_is_given and v_channel is null and p_place = 'mailed_link' then
    perform private.withdraw_friend_mails(sale.referred_contact_email);
  end if;
  -- Screens that show the referral show its answer with it.
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case when p_is_given then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$function$;

CREATE FUNCTION private.answer_dispute(p_dispute_id uuid, p_body text)
 RETURNS public.disputes
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'client', 'commercial');
  dispute public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  select * into dispute from public.disputes d
    where d.id = p_dispute_id and (d.payee_id = me or private.user_role() = 'admin') for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if dispute.closed_at is not null then perform private.refuse('dispute_closed'); end if;
  update public.disputes d set version = d.version + 1 where d.id = dispute.id returning * into dispute;
  perform private.say_in_dispute(dispute, 'dispute_answered', p_body);
  return dispute;
end
$function$;
grant execute on function private.answer_dispute(uuid,text) to authenticated;

CREATE FUNCTION private.answer_received_again(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s private.received_invoice_statuses;
begin
  perform private.require_role('admin');
  perform 1 from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  select * into s from private.received_invoice_statuses x where x.received_id = p_id order by x.place desc limit 1;
  if s.state = 'waiting' then return; end if;
  if s.state is distinct from 'refused' then perform private.refuse('invoice_too_late'); end if;
  insert into private.received_invoice_statuses (received_id, code, reason) values (p_id, s.code, s.reason);
  perform private.audit_received_invoice(p_id, 'answer_invoice_again', jsonb_build_object('e_invoice_status', s.code), null);
end
$function$;
grant execute on function private.answer_received_again(uuid) to authenticated;

CREATE FUNCTION private.append_audit(p_entity text, p_entity_id uuid, p_action text, p_before jsonb, p_after jsonb, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.hold_chain(p_entity, p_entity_id);
  perform private.chain_entry(p_entity, p_entity_id, p_action, p_before, p_after, p_reason);
end
$function$;

CREATE FUNCTION private.append_audits(p_entity text, p_action text, p_rows jsonb[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_action <> 'insert' then
    perform private.hold_chain(p_entity, i.id) from (select (u.row_ ->> 'id')::uuid as id from unnest(p_rows) u (row_) order by 1) i;
  end if;
  with entries as materialized (
    select row(0, clock_timestamp(), nullif(current_setting('app.user_id', true), '')::uuid,
      coalesce(nullif(current_setting('app.user_role', true), ''), nullif(current_setting('app.actor', true), ''), session_user),
      p_entity, (r.row_ ->> 'id')::uuid, p_action,
      private.without_personal_data(case p_action when 'delete' then r.row_ end),
      private.without_personal_data(case p_action when 'insert' then r.row_ end),
      nullif(current_setting('app.reason', true), ''), nullif(current_setting('app.request_id', true), ''),
      (select a.hash from public.audit_entries a where a.entity = p_entity and a.entity_id = (r.row_ ->> 'id')::uuid
        order by a.id desc limit 1), ''::bytea)::public.audit_entries as entry
    from (select jsonb_strip_nulls(u.row_ - 'updated_at') as row_ from unnest(p_rows) u (row_)) r)
  insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, before, after, reason, request_id, previous_hash, hash)
  select (e.entry).at, (e.entry).actor_id, (e.entry).actor, (e.entry).entity, (e.entry).entity_id, (e.entry).action, (e.entry).before,
    (e.entry).after, (e.entry).reason, (e.entry).request_id, (e.entry).previous_hash, private.audit_hash(e.entry)
  from entries e;
  perform private.add_to_company('trail_' || p_entity, coalesce(cardinality(p_rows), 0), 0);
end
$function$;

CREATE FUNCTION private.apply_control(p_control text, p_value jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.company_settings c set
    release_above = case when p_control = 'release_above' then (p_value #>> '{}')::numeric else c.release_above end,
    require_admin_two_factor = case when p_control = 'require_admin_two_factor' then p_value::boolean else c.require_admin_two_factor end,
    hold_doubtful = case when p_control = 'hold_doubtful' then p_value::boolean else c.hold_doubtful end,
    updated_at = now();
end
$function$;

CREATE FUNCTION private.apply_due_controls()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  change private.control_changes;
  applied integer := 0;
begin
  for change in select * from private.control_changes c where c.outcome is null and c.due_at <= private.now()
      order by c.asked_at for update skip locked loop
    update private.control_changes c set outcome = 'applied', ended_at = now() where c.id = change.id;
    perform set_config('app.reason', '72 heures après la demande', true);
    perform private.apply_control(change.control, change.value);
    perform set_config('app.reason', '', true);
    applied := applied + 1;
  end loop;
  return applied;
end
$function$;

CREATE FUNCTION private.appointments_shown()
 RETURNS TABLE(id uuid, name text, email text, phone text, preferred_slot text, message text, created_at timestamp with time zone, total bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select a.id, a.name, a.email, a.phone, a.preferred_slot, a.message, a.created_at, count(*) over ()
    from private.appointment_requests a where a.handled_at is null order by a.created_at, a.id limit 100;
end
$function$;
grant execute on function private.appointments_shown() to authenticated;

CREATE FUNCTION private.archive_commission_rate(p_id uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  update public.commission_rates r set archived_at = coalesce(r.archived_at, private.now()), is_default = false where r.id = p_id
    returning * into scale;
  if not found then perform private.refuse('scale_not_found'); end if;
  return scale;
end
$function$;
grant execute on function private.archive_commission_rate(uuid) to authenticated;

CREATE FUNCTION private.archive_expires_at(p_ended_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (p_ended_at + '7 days'::interval);

CREATE FUNCTION private.archive_taken(p_id uuid)
 RETURNS TABLE(asked_at timestamp with time zone, row_count bigint, size bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select a.asked_at, a.row_count, a.size from private.archives a
    where a.id = p_id and private.is_archive_whole(a) and private.archive_expires_at(a.ended_at) > now();
  if not found then perform private.refuse('archive_gone'); end if;
end
$function$;
grant execute on function private.archive_taken(uuid) to authenticated;

CREATE FUNCTION private.archives_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return coalesce((select jsonb_agg(jsonb_build_object(
      'id', a.id, 'asked_at', a.asked_at, 'asked_by', p.full_name, 'ended_at', a.ended_at, 'size', a.size, 'row_count', a.row_count,
      'status', case when a.status = 'ready' and not private.is_archive_whole(a) then 'failed' else a.status end,
      'expires_at', private.archive_expires_at(a.ended_at)) order by a.asked_at desc)
    from private.archives a left join public.profiles p on p.id = a.asked_by
    where a.ended_at is null or private.archive_expires_at(a.ended_at) > now()), '[]');
end
$function$;
grant execute on function private.archives_shown() to authenticated;

CREATE FUNCTION private.ascii_label(p_label text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points constant integer[] := array(select ascii(c) from regexp_split_to_table(p_label, '') c);
  made text := regexp_replace(p_label, '[^\x01-\x7f]', '', 'g');
  basic constant integer := length(made);
  done integer := basic;
  n integer := 128;
  delta bigint := 0;
  bias integer := 72;
  next_point integer;
  point integer;
  q bigint;
  k integer;
  t integer;
begin
  if p_label !~ '[^\x01-\x7f]' then return p_label; end if;
  if basic > 0 then made := made || '-'; end if;
  while done < cardinality(points) loop
    select min(p) into next_point from unnest(points) p where p >= n;
    delta := delta + (next_point - n)::bigint * (done + 1);
    n := next_point;
    foreach point in array points loop
      if point < n then delta := delta + 1; end if;
      continue when point <> n;
      q := delta;
      k := 36;
      loop
        t := least(greatest(k - bias, 1), 26);
        exit when q < t;
        made := made || substr(digits, (t + (q - t) % (36 - t))::integer + 1, 1);
        q := (q - t) / (36 - t);
        k := k + 36;
      end loop;
      made := made || substr(digits, q::integer + 1, 1);
      -- How the next delta is written depends on this one.
      delta := case when done = basic then delta / 700 else delta / 2 end;
      delta := delta + delta / (done + 1);
      k := 0;
      while delta > 455 loop
        delta := delta / 35;
        k := k + 36;
      end loop;
      bias := k + (36 * delta / (delta + 38))::integer;
      delta := 0;
      done := done + 1;
    end loop;
    delta := delta + 1;
    n := n + 1;
  end loop;
  return 'xn--' || made;
end
$function$;
grant execute on function private.ascii_label(text) to anon;
grant execute on function private.ascii_label(text) to api_key;
grant execute on function private.ascii_label(text) to authenticated;
grant execute on function private.ascii_label(text) to parrain_service;
grant execute on function private.ascii_label(text) to service_role;

CREATE FUNCTION private.ask_appointment(p_name text, p_email text, p_phone text, p_slot text, p_message text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  insert into private.appointment_requests (name, email, phone, preferred_slot, message)
    values (p_name, p_email, p_phone, p_slot, p_message) returning id into v_id;
  with written as (
    insert into public.notices (recipient_id, kind, appointment_id)
    select p.id, 'appointment_asked', v_id from public.profiles p
    where p.id = any ((select private.active_admins())::uuid[])
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.ask_archive()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  asked private.archives;
begin
  insert into private.archives as a (asked_by) values (me) on conflict do nothing returning * into asked;
  if not found then return; end if;
  delete from private.archives a where a.status = 'failed';
  perform private.append_audit('exports', asked.id, 'ask', null, jsonb_build_object('list', 'archive'), null);
end
$function$;
grant execute on function private.ask_archive() to authenticated;

CREATE FUNCTION private.ask_commercial()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
  v_asked_at timestamptz;
begin
  perform from public.profiles p where p.id = me for no key update;
  if 'commercial_missing' <> all (private.obstacles_of(me, false)) then return null; end if;
  insert into private.commercial_wishes as w (client_id, asked_at) values (me, private.now())
    on conflict (client_id) do update set asked_at = excluded.asked_at where w.asked_at <= private.now() - interval '1 day'
    returning asked_at into v_asked_at;
  if found then
    perform private.tell_of_client('commercial_asked', private.active_admins(), me);
    return v_asked_at;
  end if;
  select w.asked_at into v_asked_at from private.commercial_wishes w where w.client_id = me;
  return v_asked_at;
end
$function$;
grant execute on function private.ask_commercial() to authenticated;

CREATE FUNCTION private.ask_correction(p_sale_id uuid, p_message text, p_seen_version integer)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_message), '') = '' then perform private.refuse('correction_message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.status = 'in_negotiation' and exists (
      select from public.correction_requests r where r.sale_id = s.id and r.message = btrim(p_message)) then
    return query select s, true;
    return;
  end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if p_seen_version <> s.version then perform private.refuse('sale_changed'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  insert into public.correction_requests as r (sale_id, message, asked_by) values (s.id, btrim(p_message), me)
    on conflict (sale_id) do update set message = excluded.message, asked_at = excluded.asked_at, asked_by = excluded.asked_by;
  perform set_config('app.correction_asked', btrim(p_message), true);
  update public.sales t set
    status = 'in_negotiation', ready_for_validation = false,
    commission_rate = null, client_commission_type = null, client_commission_rate = null, commercial_commission_type = null,
    commercial_commission_rate = null, client_commission_amount = null, commercial_commission_amount = null
    where t.id = s.id returning * into s;
  perform set_config('app.correction_asked', '', true);
  return query select s, false;
end
$function$;
grant execute on function private.ask_correction(uuid,text,integer) to authenticated;

CREATE FUNCTION private.ask_for_news(p_sale_id uuid)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
  sale public.sales;
  v_asked_at timestamptz;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.friend_referrer_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.commercial_id is null or not private.is_open(sale) then perform private.refuse('news_not_expected'); end if;
  insert into public.news_requests as n (sale_id) values (sale.id)
  on conflict (sale_id) do update set asked_at = private.now() where n.asked_at <= private.now() - interval '30 days'
  returning asked_at into v_asked_at;
  if not found then perform private.refuse('news_already_asked'); end if;
  perform private.tell('news_asked', array[sale.commercial_id], sale.id, null);
  return v_asked_at;
end
$function$;
grant execute on function private.ask_for_news(uuid) to authenticated;

CREATE FUNCTION private.assign_client(p_id uuid, p_commercial_id uuid, p_seen_commercial_id uuid, p_only uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_id and p.role = 'client' for update;
  if not found then perform private.refuse('client_not_found'); end if;
  if client.commercial_id is distinct from p_seen_commercial_id then perform private.refuse('client_changed'); end if;
  if client.commercial_id = p_commercial_id then return '{}'; end if;
  return private.hand_over_client(client, p_commercial_id, p_only);
end
$function$;
grant execute on function private.assign_client(uuid,uuid,uuid,uuid[]) to authenticated;

CREATE FUNCTION private.attach_proof(p_request_id uuid, p_name text, p_content_type text, p_size integer, p_sha256 bytea, p_sealed bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status <> 'paid' then perform private.refuse('request_illegal_move'); end if;
  insert into public.payment_proofs as p (request_id, name, content_type, size, sha256)
  values (r.id, p_name, p_content_type, p_size, p_sha256)
  on conflict (request_id) do update set name = excluded.name, content_type = excluded.content_type, size = excluded.size,
    sha256 = excluded.sha256, added_at = private.now();
  insert into private.proof_files as f (request_id, sealed) values (r.id, p_sealed)
  on conflict (request_id) do update set sealed = excluded.sealed;
  perform private.append_audit('payment_requests', r.id, 'attach_proof', null,
    jsonb_build_object('proof_sha256', encode(p_sha256, 'hex')), null);
end
$function$;
grant execute on function private.attach_proof(uuid,text,text,integer,bytea,bytea) to authenticated;

CREATE FUNCTION private.audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  old_row jsonb;
  new_row jsonb;
  id uuid;
  why text;
begin
  if tg_op <> 'INSERT' then old_row := to_jsonb(old) - array['updated_at']; end if;
  if tg_op <> 'DELETE' then new_row := to_jsonb(new) - array['updated_at']; end if;
  id := case when tg_table_name = 'company_settings' then '00000000-0000-0000-0000-000000000001'
    else coalesce(new_row ->> 'id', old_row ->> 'id')::uuid end;
  why := coalesce(new_row ->> 'correction_reason',
    case when new_row ->> 'rejection_reason' is distinct from old_row ->> 'rejection_reason' then new_row ->> 'rejection_reason' end,
    case when new_row ->> 'approval_annulled_reason' is distinct from old_row ->> 'approval_annulled_reason'
      then new_row ->> 'approval_annulled_reason' end,
    case when new_row ->> 'return_reason' is distinct from old_row ->> 'return_reason' then new_row ->> 'return_reason' end,
    case when tg_table_name = 'sales' then nullif(current_setting('app.correction_asked', true), '') end);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, new_row -> o.key) into old_row, new_row
      from jsonb_each(old_row) o where o.value is distinct from new_row -> o.key;
    if old_row is null then return null; end if;
    -- What a validation gives, and to whom, whether these changed in it or not. A correction is a new sale, whose entry says all of it.
    if tg_table_name = 'sales' and new_row -> 'admin_validated' = 'true' then
      new_row := new_row || jsonb_strip_nulls(jsonb_build_object(
        'client_commission_amount', new.client_commission_amount, 'commercial_commission_amount', new.commercial_commission_amount,
        'friend_referrer_id', new.friend_referrer_id, 'client_referrer_id', new.client_referrer_id,
        'commercial_id', new.commercial_id));
    end if;
  end if;
  if tg_op = 'INSERT' then new_row := jsonb_strip_nulls(new_row); end if;
  if tg_op = 'DELETE' then old_row := jsonb_strip_nulls(old_row); end if;
  -- These chains are held by something else than the row; of the others, the change that fired this holds the row already.
  if tg_table_name in ('company_settings', 'payment_batches') then perform private.hold_chain(tg_table_name, id); end if;
  perform private.chain_entry(tg_table_name, id, lower(tg_op), private.without_personal_data(old_row),
    private.without_personal_data(new_row), why);
  return null;
end
$function$;

CREATE FUNCTION private.audit_hash(e public.audit_entries)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return sha256(coalesce(e.previous_hash, ''::bytea) || convert_to(jsonb_build_array(
  extract(epoch from e.at), e.actor_id, e.actor, e.entity, e.entity_id, e.action, e.before, e.after, e.reason, e.request_id)::text, 'UTF8'));
end
$function$;
grant execute on function private.audit_hash(public.audit_entries) to parrain_service;

CREATE FUNCTION private.audit_received_invoice(p_id uuid, p_act text, p_after jsonb, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.payee_invoices;
  v_hash text;
begin
  select encode(f.hash, 'hex') into v_hash from private.received_invoice_files f where f.received_id = p_id;
  select n.* into i from private.received_invoices r join public.payee_invoices n on n.id = r.invoice_id where r.id = p_id;
  perform private.append_audit(
    case when i.request_id is not null then 'payment_requests' when i.month is not null then 'profiles' else 'company_settings' end,
    coalesce(i.request_id, case when i.month is not null then i.payee_id end, '00000000-0000-0000-0000-000000000001'), p_act, null,
    p_after || jsonb_strip_nulls(jsonb_build_object('invoice_sha256', v_hash, 'month', to_char(i.month, 'YYYY-MM'))), p_reason);
end
$function$;

CREATE FUNCTION private.audit_webhook(p_what text, p_before text, p_after text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT private.append_audit('company_settings'::text, '00000000-0000-0000-0000-000000000001'::uuid, 'update'::text, jsonb_build_object(p_what, p_before), jsonb_build_object(p_what, p_after), NULL::text) AS append_audit;
END;

CREATE FUNCTION private.bank_account_of(p_payee_id uuid)
 RETURNS public.bank_accounts
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select a from public.bank_accounts a where a.payee_id = p_payee_id order by a.created_at desc, a.id limit 1
$function$;
grant execute on function private.bank_account_of(uuid) to authenticated;
grant execute on function private.bank_account_of(uuid) to parrain_service;
grant execute on function private.bank_account_of(uuid) to service_role;

CREATE FUNCTION private.batch_file(p_batch_id uuid)
 RETURNS TABLE(number integer, sealed bytea, sha256 bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER ROWS 1
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select b.number, f.sealed, f.sha256
    from public.payment_batches b join private.batch_files f on f.batch_id = b.id where b.id = p_batch_id;
  if not found then perform private.refuse('batch_not_found'); end if;
  perform private.append_audit('payment_batches', p_batch_id, 'export', null, null, null);
end
$function$;
grant execute on function private.batch_file(uuid) to authenticated;

CREATE FUNCTION private.batch_orders(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
 RETURNS TABLE(request_id uuid, amount numeric, details_sealed bytea, account_sealed bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.payment_batches := private.require_releasable(p_batch_id, p_seen_version, p_expected_total, p_execution_on);
begin
  return query select l.id, coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0)), coalesce(s.details_sealed, t.details_sealed), c.sealed
    from public.payment_batch_lines l
    left join public.payment_requests r on r.id = l.request_id
    left join private.payment_secrets s on s.request_id = l.request_id
    left join private.bank_account_secrets t on t.account_id = l.account_id
    cross join private.company_account c
    where l.batch_id = b.id order by l.id;
end
$function$;
grant execute on function private.batch_orders(uuid,integer,numeric,date) to authenticated;

CREATE FUNCTION private.begin_archive()
 RETURNS private.archives
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  begun private.archives;
begin
  update private.archives a set attempt = a.attempt + 1 where a.status = 'making' returning * into begun;
  delete from private.archive_parts p where p.archive_id = begun.id;
  return begun;
end
$function$;

CREATE FUNCTION private.begin_e_invoice(p_paper_id uuid, p_attempt integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.e_invoices e set asked_at = now()
    where e.paper_id = p_paper_id and e.attempts = p_attempt and e.state = 'waiting' and e.leased_until >= now();
  return found;
end
$function$;

CREATE FUNCTION private.begin_key_request(p_hash bytea)
 RETURNS TABLE(id uuid, wait double precision)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  select t.* into k from private.api_key_secrets s join public.api_keys t on t.id = s.key_id
    where s.hash = p_hash and private.is_key_alive(t);
  if not found then return; end if;
  update public.api_keys t set last_used_at = now()
    where t.id = k.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute');
  return query select k.id, private.take_token('api-key:' || k.id, 300, 60);
end
$function$;

CREATE FUNCTION private.begin_received_status(p_id uuid, p_attempt integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.received_invoice_statuses s set asked_at = now()
    where s.id = p_id and s.attempts = p_attempt and s.state = 'waiting' and s.leased_until >= now();
  return found;
end
$function$;

CREATE FUNCTION private.begin_scale_versions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  begun integer;
begin
  -- In most minutes nothing begins: no validation waits then.
  if not exists (select from private.scales_to_move()) then return 0; end if;
  perform private.hold_versions(true);
  update public.commission_rates r set name = d.name, description = d.description,
    client_commission_type = d.rules #>> '{client,kind}', client_commission_amount = (d.rules #>> '{client,value}')::numeric / 100,
    commercial_commission_type = d.rules #>> '{commercial,kind}',
    commercial_commission_amount = (d.rules #>> '{commercial,value}')::numeric / 100,
    client_hold_days = coalesce((d.rules ->> 'client_hold_days')::smallint, 0),
    from_contract_amount = (d.rules ->> 'from_contract_amount')::numeric / 100,
    client_rules = nullif((d.rules -> 'client') - '{kind,value}'::text[], '{}'),
    commercial_rules = nullif((d.rules -> 'commercial') - '{kind,value}'::text[], '{}'),
    last_day = (d.rules ->> 'last_day')::date
  from private.scales_to_move() d
  where r.id = d.id;
  get diagnostics begun = row_count;
  return begun;
end
$function$;

CREATE FUNCTION private.begin_sign_in(p_email text, p_network text, p_ip text)
 RETURNS double precision
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_account text := private.sign_in_account(p_email);
  v_wait double precision;
  v_tried private.sign_in_failures;
begin
  v_wait := greatest(
    private.take_token('auth:password:' || p_network, 30, 60),
    private.take_token('auth:password:' || p_network || ':' || v_account, 10, 60));
  if v_wait > 0 then return v_wait; end if;

  select * into v_tried from private.sign_in_failures f
    where f.account = v_account and f.failures >= 5 and f.last_at > clock_timestamp() - interval '15 minutes'
    for update;
  if not found then return 0; end if;
  -- Someone is guessing. Whoever comes from where the owner signed in before is not made to wait for it.
  if exists (
      select 1 from auth.audit_entries e
      where e.action = 'login' and e.ip = p_ip and e.at > now() - interval '90 days' and e.user_id in (
        select u.id from auth.users u where u.email = lower(p_email) and not u.is_sso_user and u.deleted_at is null
        union all
        select u.id from auth.users u where u.phone = p_email and u.deleted_at is null)) then
    return 0;
  end if;
  v_wait := least(2 ^ least(v_tried.failures - 5, 10), 60)
    - extract(epoch from clock_timestamp() - v_tried.last_at);
  if v_wait > 0 then return v_wait; end if;
  -- One try per delay, however many come at the same instant.
  update private.sign_in_failures f set last_at = clock_timestamp() where f.account = v_account;
  return 0;
end
$function$;
grant execute on function private.begin_sign_in(text,text,text) to parrain_service;

CREATE FUNCTION private.begin_view(p_person_id uuid)
 RETURNS TABLE(email text, full_name text, role text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person_id;
  if not found then perform private.refuse('not_found'); end if;
  if not private.may_be_viewed(person) then perform private.refuse('forbidden'); end if;
  perform private.append_audit('profiles', person.id, 'view', null, null, null);
  return query select person.email, person.full_name, person.role;
end
$function$;
grant execute on function private.begin_view(uuid) to authenticated;

CREATE FUNCTION private.bound_open_requests()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.client_id = private.uid() and (select count(*) from public.payment_requests r
      where r.client_id = new.client_id and r.status = 'pending') >= 20 then
    perform private.refuse('too_many_open_requests', jsonb_build_object('most', 20));
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.cancel_validation(p_sale_id uuid, p_reason text, p_seen_version integer, p_expected_client_commission numeric, p_expected_commercial_commission numeric, p_contract_left numeric DEFAULT NULL::numeric, p_seen_contract numeric DEFAULT NULL::numeric)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  after constant numeric := coalesce(p_contract_left, 0);
  from_client numeric;
  from_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_expected_client_commission, p_expected_commercial_commission) > 0
    or after > 0 and p_seen_contract is null then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('sale_not_cancellable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
  before := private.left_of_contract(s.id);
  -- The same decision again is the same answer.
  if latest.id is not null and after = before then
    if p_seen_version <> s.version or p_expected_client_commission <> -latest.client_commission_amount
      or p_expected_commercial_commission <> -latest.commercial_commission_amount
      or p_seen_contract <> before - latest.contract_amount then
      perform private.refuse('sale_changed');
    end if;
    return query select latest, true;
    return;
  end if;
  if before = 0 then perform private.refuse('sale_not_cancellable'); end if;
  if p_seen_version <> s.version or p_seen_contract <> before then perform private.refuse('sale_changed'); end if;
  if after < 0 or after >= before or after <> round(after, 2) then
    perform private.refuse('corrected_amount_out_of_range', jsonb_build_object('left', before::text));
  end if;
  from_client := case when coalesce(s.friend_referrer_id, s.client_referrer_id) is null then 0
    else private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, before)
      - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, after) end;
  from_commercial := private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, before)
    - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, after);
  if p_expected_client_commission <> from_client or p_expected_commercial_commission <> from_commercial then
    perform private.refuse('sale_changed');
  end if;
  return query select private.write_correction(s, before, after, -from_client, -from_commercial, p_reason), false;
end
$function$;
grant execute on function private.cancel_validation(uuid,text,integer,numeric,numeric,numeric,numeric) to authenticated;

CREATE FUNCTION private.canonical_json(j jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
begin
  return case jsonb_typeof(j)
    when 'object' then (select '{' || coalesce(string_agg(to_json(e.key)::text || ':' || private.canonical_json(e.value), ','
      order by e.key collate "C"), '') || '}' from jsonb_each(j) e)
    when 'array' then (select '[' || coalesce(string_agg(private.canonical_json(e.value), ',' order by e.place), '') || ']'
      from jsonb_array_elements(j) with ordinality e (value, place))
    else j::text end;
end
$function$;
grant execute on function private.canonical_json(jsonb) to parrain_service;

CREATE FUNCTION private.chain_entry(p_entity text, p_entity_id uuid, p_action text, p_before jsonb, p_after jsonb, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  entry public.audit_entries;
begin
  entry.id := 0;
  entry.at := coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp());
  entry.actor_id := nullif(current_setting('app.user_id', true), '')::uuid;
  entry.actor := coalesce(nullif(current_setting('app.user_role', true), ''), nullif(current_setting('app.actor', true), ''), session_user);
  entry.entity := p_entity;
  entry.entity_id := p_entity_id;
  entry.action := p_action;
  entry.before := p_before;
  entry.after := p_after;
  entry.reason := coalesce(p_reason, nullif(current_setting('app.reason', true), ''));
  entry.request_id := nullif(current_setting('app.request_id', true), '');
  select a.hash into entry.previous_hash from public.audit_entries a
    where a.entity = p_entity and a.entity_id = p_entity_id order by a.id desc limit 1;
  insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, before, after, reason, request_id, previous_hash, hash)
  values (entry.at, entry.actor_id, entry.actor, entry.entity, entry.entity_id, entry.action, entry.before, entry.after,
    entry.reason, entry.request_id, entry.previous_hash, private.audit_hash(entry));
  perform private.add_to_company('trail_' || p_entity, 1, 0);
  -- The trail is kept for ten years: what one person adds in a day is bounded (FX-07). An admin's decisions are the company's own.
  case private.user_role()
    when 'client' then perform private.limit_per_day('audit', private.uid(), 500);
    when 'commercial' then perform private.limit_per_day('audit', private.uid(), 5000);
    else null;
  end case;
end
$function$;

CREATE FUNCTION private.change_control(p_control text, p_value jsonb)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
  is_looser boolean;
begin
  select * into settings from public.company_settings c where c.id = 1 for no key update;
  is_looser := case p_control
    when 'release_above' then settings.release_above is not null
      and (p_value = 'null' or (p_value #>> '{}')::numeric > settings.release_above)
    when 'require_admin_two_factor' then settings.require_admin_two_factor and not p_value::boolean
    when 'hold_doubtful' then settings.hold_doubtful and not p_value::boolean end;
  -- The same again waits on: its hours are not begun anew.
  if is_looser and exists (select from private.control_changes c
      where c.control = p_control and c.outcome is null and c.value = p_value) then
    return settings;
  end if;
  update private.control_changes c set outcome = 'withdrawn', ended_by = me, ended_at = now()
    where c.control = p_control and c.outcome is null;
  if is_looser then
    insert into private.control_changes (control, value, asked_by) values (p_control, p_value, me);
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'ask_control', null,
      jsonb_build_object('control', p_control, 'value', p_value), null);
  else
    perform private.apply_control(p_control, p_value);
  end if;
  select * into settings from public.company_settings c where c.id = 1;
  return settings;
end
$function$;

CREATE FUNCTION private.change_email(p_user uuid, p_email text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.users u set email = lower(p_email), email_confirmed_at = now(), new_email = null, is_anonymous = false, updated_at = now(),
      raw_user_meta_data = u.raw_user_meta_data || case when u.raw_user_meta_data ? 'email'
        then jsonb_build_object('email', lower(p_email), 'email_verified', true) else '{"email_verified": true}' end
    where u.id = p_user;
  insert into auth.identities as i (user_id, provider, provider_id, identity_data)
  values (p_user, 'email', p_user::text, jsonb_build_object('sub', p_user, 'email', lower(p_email), 'email_verified', true, 'phone_verified', false))
  on conflict (provider, provider_id) do update
    set identity_data = i.identity_data || jsonb_build_object('email', lower(p_email), 'email_verified', true), updated_at = now();
  update public.profiles p set email = lower(p_email), updated_at = now() where p.id = p_user;
exception when unique_violation then
  perform private.refuse('email_taken');
end
$function$;

CREATE FUNCTION private.change_phone(p_user uuid, p_phone text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.users u set phone = p_phone, phone_confirmed_at = now(), new_phone = null, is_anonymous = false, updated_at = now(),
      raw_user_meta_data = u.raw_user_meta_data || case when u.raw_user_meta_data ? 'phone_verified' then '{"phone_verified": true}' else '{}' end::jsonb
    where u.id = p_user;
  insert into auth.identities as i (user_id, provider, provider_id, identity_data)
  values (p_user, 'phone', p_user::text, jsonb_build_object('sub', p_user, 'phone', p_phone, 'email_verified', false, 'phone_verified', true))
  on conflict (provider, provider_id) do update
    set identity_data = i.identity_data || jsonb_build_object('phone', p_phone, 'phone_verified', true), updated_at = now();
  update public.profiles p set phone = '+' || p_phone, updated_at = now() where p.id = p_user and p.phone is null;
end
$function$;

CREATE FUNCTION private.check_adjustment(p_payee_id uuid, p_amount numeric)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  given numeric;
begin
  select b.earned - b.reversed - b.repaid into given from public.balances b where b.profile_id = p_payee_id for update;
  if p_amount is null or p_amount = 0 or abs(p_amount) > 10000 or p_amount <> round(p_amount, 2)
    or -p_amount > greatest(coalesce(given, 0), 0) then
    perform private.refuse('adjustment_out_of_range', jsonb_build_object('given', greatest(coalesce(given, 0), 0)::text));
  end if;
end
$function$;

CREATE FUNCTION private.check_chart_of_uses()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from jsonb_each(new.accounts) a where not private.is_account_of(a.key, a.value ->> 'number')) then
    raise exception using errcode = 'check_violation', constraint = 'accounting_settings_accounts_are_of_their_use',
      message = 'an account is of the class that its use needs';
  end if;
  return new;
end
$function$;
grant execute on function private.check_chart_of_uses() to parrain_service;

CREATE FUNCTION private.check_commercial()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.commercial_id is not null
    and not exists (select 1 from public.profiles p where p.id = new.commercial_id and p.role = 'commercial') then
    perform private.refuse('commercial_not_found');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.check_request_is_clear()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.company_settings s where s.hold_doubtful)
      and exists (select from public.doubtful_cases c where c.request_id = new.id and c.status <> 'cleared') then
    perform private.refuse('request_under_check');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.check_rules(p_rules jsonb, p_first_day date)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
begin
  perform private.check_side_rules(p_rules #>> '{client,kind}', (p_rules -> 'client') - '{kind,value}'::text[]),
    private.check_side_rules(p_rules #>> '{commercial,kind}', (p_rules -> 'commercial') - '{kind,value}'::text[]);
  if (p_rules ->> 'last_day')::date < p_first_day then perform private.refuse('scale_rules_wrong', '{"rule": "last_day"}'); end if;
end
$function$;
grant execute on function private.check_rules(jsonb,date) to parrain_service;

CREATE FUNCTION private.check_sale_is_paid()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  contract constant uuid := coalesce(new.corrects_sale_id, new.id);
  has_referrer constant boolean := coalesce(new.friend_referrer_id, new.client_referrer_id) is not null;
  left_ constant numeric := case when new.corrects_sale_id is null then new.contract_amount else coalesce(new.contract_left, 0) end;
  -- Of a correction, what was left before it.
  before constant numeric := left_ - new.contract_amount;
  expected constant integer := 1 + has_referrer::integer;
begin
  if new.admin_validated and (new.client_commission_amount, new.commercial_commission_amount) is distinct from (
      case when has_referrer then private.earned_of_sale(contract, 'client', new.client_commission_type, new.client_commission_rate, left_)
        - private.earned_of_sale(contract, 'client', new.client_commission_type, new.client_commission_rate, before) else 0 end,
      private.earned_of_sale(contract, 'commercial', new.commercial_commission_type, new.commercial_commission_rate, left_)
        - private.earned_of_sale(contract, 'commercial', new.commercial_commission_type, new.commercial_commission_rate, before)) then
    raise exception using errcode = 'check_violation', constraint = 'sales_commissions_are_those_of_their_terms',
      message = 'the commissions of a validated sale are those of its terms';
  end if;
  if new.admin_validated and (select count(*) from public.commission_payments p where p.sale_id = new.id) <> expected then
    raise exception using errcode = 'check_violation', message = 'a validated sale has one commission per beneficiary side';
  end if;
  if new.admin_validated and new.corrects_sale_id is null
    and not exists (select from public.sale_terms t where t.sale_id = new.id) then
    raise exception using errcode = 'check_violation', message = 'a validated sale keeps the version of its scale';
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.check_side_rules(p_kind text, p_rules jsonb)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
declare
  amount constant text := '^[1-9][0-9]{0,11}$';
  counts constant boolean := p_rules ->> 'measure' = 'count';
  wrong text;
  step record;
  last bigint := 0;
begin
  if p_rules is null then return; end if;
  if jsonb_typeof(p_rules) <> 'object' then perform private.refuse('scale_rules_wrong', '{"rule": "rules"}'); end if;
  select e.key into wrong from jsonb_each(p_rules) e
    where not case e.key
      when 'steps' then jsonb_typeof(e.value) = 'array' and jsonb_array_length(e.value) between 1 and 23
      when 'measure' then e.value = '"count"' and p_rules ? 'steps'
      when 'mode' then e.value = '"reached"' and p_rules ? 'steps' and not p_rules ? 'measure'
      when 'counts_over' then e.value = '"all"' and p_rules ? 'steps'
      when 'window' then e.value in ('"quarter"', '"lifetime"') and (p_rules ? 'steps' or p_rules ? 'cap_period')
      when 'cap_contract' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'cap_period' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'min_contract' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      when 'bonus_first' then jsonb_typeof(e.value) = 'number' and e.value::text ~ amount
      else false end
    order by e.key limit 1;
  if found then perform private.refuse('scale_rules_wrong', jsonb_build_object('rule', wrong)); end if;
  -- A fixed amount is not cut into slices: it is that of the step reached.
  if p_rules ? 'steps' and p_kind = 'fixed' and not p_rules ? 'mode' and not coalesce(counts, false) then
    perform private.refuse('scale_rules_wrong', '{"rule": "mode"}');
  end if;
  for step in select s.value as said from jsonb_array_elements(p_rules -> 'steps') with ordinality s (value, place) order by s.place loop
    if jsonb_typeof(step.said) <> 'object' or (select array_agg(k order by k) from jsonb_object_keys(step.said) k) <> '{from,value}'::text[]
      or jsonb_typeof(step.said -> 'from') <> 'number' or jsonb_typeof(step.said -> 'value') <> 'number'
      or not (step.said ->> 'from' ~ amount and step.said ->> 'value' ~ amount)
      or (step.said ->> 'from')::bigint <= last
      or p_kind = 'percentage' and (step.said ->> 'value')::bigint > 10000 then
      perform private.refuse('scale_rules_wrong', '{"rule": "steps"}');
    end if;
    last := (step.said ->> 'from')::bigint;
  end loop;
end
$function$;
grant execute on function private.check_side_rules(text,jsonb) to parrain_service;

CREATE FUNCTION private.choose_channel(p_sale_id uuid, p_channel text, p_statement text, p_version text, p_phone text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0
    or exists (select from public.call_consents c where c.sale_id = sale.id and c.place = 'mailed_link') then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if p_channel <> 'email' and sale.referred_contact_phone is null and p_phone is not null and private.is_open(sale) then
    update public.sales s set referred_contact_phone = p_phone where s.id = sale.id returning * into sale;
  end if;
  if (case p_channel when 'email' then sale.referred_contact_email else sale.referred_contact_phone end) is null then
    perform private.refuse('invalid_input');
  end if;
  if p_channel = (select coalesce(c.channel, case when c.is_given then 'call' end)
    from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1) then
    return;
  end if;
  insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
  values (sale.id, p_channel = 'call', p_statement, p_version, 'page', p_channel);
  insert into private.changes (table_name, operation, key, audience) values ('sales', 'UPDATE', sale.id, array[sale.commercial_id]);
  perform private.tell(case p_channel when 'call' then 'call_agreed' else 'call_declined' end, array[sale.commercial_id], sale.id, null);
end
$function$;

CREATE FUNCTION private.choose_notices(p_topic text, p_delivery text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  insert into public.notice_preferences as c (profile_id, topic, delivery) values (me, p_topic, p_delivery)
  on conflict (profile_id, topic) do update set delivery = excluded.delivery, updated_at = now()
    where c.delivery <> excluded.delivery;
end
$function$;
grant execute on function private.choose_notices(text,text) to authenticated;

CREATE FUNCTION private.choose_phone(p_topic text, p_on_phone boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  -- At once is what a person without a row is mailed.
  insert into public.notice_preferences as c (profile_id, topic, delivery, on_phone) values (me, p_topic, 'at_once', p_on_phone)
  on conflict (profile_id, topic) do update set on_phone = excluded.on_phone, updated_at = now()
    where c.on_phone <> excluded.on_phone;
end
$function$;
grant execute on function private.choose_phone(text,boolean) to authenticated;

CREATE FUNCTION private.claim_e_invoices()
 RETURNS TABLE(paper_id uuid, attempts integer, label text, bytes bytea, refused_flows text[])
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH due AS (
          SELECT e_1.paper_id
            FROM ((private.e_invoices e_1
              JOIN private.paper_files f_1 ON (((f_1.paper_id = e_1.paper_id) AND (f_1.bytes IS NOT NULL))))
              JOIN public.papers p_1 ON ((p_1.id = e_1.paper_id)))
           WHERE ((e_1.state = 'waiting'::text) AND (e_1.run_at <= now()) AND (e_1.leased_until < now()) AND (EXISTS ( SELECT
                    FROM private.e_invoicing s
                   WHERE (s.is_on AND (s.paused_until <= now())))) AND (NOT (EXISTS ( SELECT
                    FROM private.e_invoices i
                   WHERE ((i.paper_id = private.invoice_of_credit_note(p_1.*)) AND (i.state = ANY (ARRAY['waiting'::text, 'refused'::text])) AND (i.deposited_at IS NULL))))))
           ORDER BY e_1.run_at, e_1.paper_id
          LIMIT GREATEST((0)::bigint, (4 - ( SELECT count(*) AS count
                    FROM private.e_invoices busy
                   WHERE ((busy.state = 'waiting'::text) AND (busy.leased_until >= now())))))
          FOR UPDATE OF e_1 SKIP LOCKED
         )
  UPDATE private.e_invoices e SET leased_until = (now() + '00:02:00'::interval), attempts = (e.attempts + 1)
    FROM due,
     public.papers p,
     private.paper_files f
   WHERE ((e.paper_id = due.paper_id) AND (p.id = e.paper_id) AND (f.paper_id = e.paper_id))
   RETURNING e.paper_id,
     e.attempts,
     p.label,
     f.bytes,
     ARRAY( SELECT s.flow_id
            FROM private.e_invoice_statuses s
           WHERE ((s.paper_id = e.paper_id) AND (s.code = ANY (ARRAY['refused'::text, '210'::text, '213'::text, '220'::text])) AND (s.flow_id IS NOT NULL))) AS "array";
END;

CREATE FUNCTION private.claim_idempotency_key(p_key text, p_request_hash bytea)
 RETURNS TABLE(claimed boolean, status integer, body text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.uid();
  is_key boolean := private.user_role() = 'api_key';
  earlier private.idempotency_keys;
begin
  insert into private.idempotency_keys (user_id, api_key_id, key, request_hash)
  values (case when not is_key then me end, case when is_key then me end, p_key, p_request_hash) on conflict do nothing;
  if found then
    return query select true, null::integer, null::text;
    return;
  end if;
  select * into earlier from private.idempotency_keys k where coalesce(k.user_id, k.api_key_id) = me and k.key = p_key;
  if earlier.request_hash <> p_request_hash then perform private.refuse('idempotency_key_reused'); end if;
  if earlier.status is null then perform private.refuse('request_in_progress'); end if;
  return query select false, earlier.status, earlier.body;
end
$function$;
grant execute on function private.claim_idempotency_key(text,bytea) to api_key;
grant execute on function private.claim_idempotency_key(text,bytea) to authenticated;

CREATE FUNCTION private.claim_received_invoices(p_platform text)
 RETURNS TABLE(id uuid, attempts integer, flow_id text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH due AS (
          SELECT r_1.id
            FROM private.received_invoices r_1
           WHERE ((r_1.state = 'noted'::text) AND (r_1.platform = claim_received_invoices.p_platform) AND (r_1.run_at <= now()) AND (r_1.leased_until < now()) AND (EXISTS ( SELECT
                    FROM private.e_invoicing s
                   WHERE (s.is_on AND (s.paused_until <= now())))))
           ORDER BY r_1.run_at, r_1.id
          LIMIT 4
          FOR UPDATE OF r_1 SKIP LOCKED
         )
  UPDATE private.received_invoices r SET leased_until = (now() + '00:02:00'::interval), attempts = (r.attempts + 1)
    FROM due
   WHERE (r.id = due.id)
   RETURNING r.id,
     r.attempts,
     r.flow_id;
END;

CREATE FUNCTION private.claim_received_statuses()
 RETURNS TABLE(id uuid, attempts integer, code text, reason text, at timestamp with time zone, data jsonb, company_siren text, refused_flows text[])
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH due AS (
          SELECT s_1.id
            FROM private.received_invoice_statuses s_1
           WHERE ((s_1.state = 'waiting'::text) AND (s_1.run_at <= now()) AND (s_1.leased_until < now()) AND (EXISTS ( SELECT
                    FROM private.e_invoicing x
                   WHERE (x.is_on AND (x.paused_until <= now())))) AND (NOT (EXISTS ( SELECT
                    FROM private.received_invoice_statuses o
                   WHERE ((o.received_id = s_1.received_id) AND (o.place < s_1.place) AND (o.state = 'waiting'::text))))))
           ORDER BY s_1.run_at, s_1.place
          LIMIT GREATEST((0)::bigint, (4 - ( SELECT count(*) AS count
                    FROM private.received_invoice_statuses b
                   WHERE ((b.state = 'waiting'::text) AND (b.leased_until >= now())))))
          FOR UPDATE OF s_1 SKIP LOCKED
         )
  UPDATE private.received_invoice_statuses s SET leased_until = (now() + '00:02:00'::interval), attempts = (s.attempts + 1)
    FROM due,
     private.received_invoices r
   WHERE ((s.id = due.id) AND (r.id = s.received_id))
   RETURNING s.id,
     s.attempts,
     s.code,
     s.reason,
     s.at,
     r.data,
     ( SELECT p.siren
            FROM private.paper_settings p) AS siren,
     '{}'::text[] AS text;
END;

CREATE FUNCTION private.claim_webhook_deliveries()
 RETURNS TABLE(id uuid, attempts integer, webhook_id uuid, url text, body text, secret_sealed bytea, former_secret_sealed bytea)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH due AS (
          SELECT first.id
            FROM (private.webhooks w_1
              CROSS JOIN LATERAL ( SELECT d_1.id
                    FROM private.webhook_deliveries d_1
                   WHERE ((d_1.webhook_id = w_1.id) AND (d_1.status = 'pending'::text) AND (d_1.run_at <= now()) AND (d_1.leased_until < now()) AND (d_1.is_single_try OR ((w_1.off_since IS NULL) AND (NOT (EXISTS ( SELECT
                            FROM private.webhook_deliveries e
                           WHERE ((e.webhook_id = d_1.webhook_id) AND (e.stream_id = d_1.stream_id) AND (e.status = 'pending'::text) AND (e.number < d_1.number) AND (NOT e.is_single_try))))))))
                   ORDER BY d_1.number
                  LIMIT GREATEST((0)::bigint, (4 - ( SELECT count(*) AS count
                            FROM private.webhook_deliveries busy
                           WHERE ((busy.webhook_id = w_1.id) AND (busy.status = 'pending'::text) AND (busy.leased_until >= now())))))
                  FOR UPDATE OF d_1 SKIP LOCKED) first)
         )
  UPDATE private.webhook_deliveries d SET leased_until = (now() + '00:01:00'::interval), attempts = (d.attempts + 1)
    FROM due,
     private.webhooks w
   WHERE ((d.id = due.id) AND (w.id = d.webhook_id))
   RETURNING d.id,
     d.attempts,
     w.id,
     w.url,
     (jsonb_build_object('id', d.id, 'type', d.type, 'version', 1, 'timestamp', d.occurred_at, 'data', d.data))::text AS jsonb_build_object,
     w.secret_sealed,
         CASE
             WHEN (w.former_secret_until > now()) THEN w.former_secret_sealed
             ELSE NULL::bytea
         END AS "case";
END;

CREATE FUNCTION private.clean_test_data(p_company_name text)
 RETURNS TABLE(deleted jsonb, password_change_required boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  session_id constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
  counted jsonb;
  held jsonb;
  payees uuid[];
  admins uuid[];
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_company_name is not null and not exists (select from public.company_settings c
      where lower(regexp_replace(btrim(c.company_name), '\s+', ' ', 'g') collate "pg_c_utf8")
        = lower(regexp_replace(btrim(p_company_name), '\s+', ' ', 'g') collate "pg_c_utf8")) then
    perform private.refuse('confirmation_required');
  end if;
  perform private.exclude_writers();
  select jsonb_agg(h order by h.kind) into held from private.what_holds_test_data() h;
  if held is not null then perform private.refuse('cleaning_held', jsonb_build_object('held_by', held)); end if;

  perform set_config('app.cleaning', 'on', true);
  select to_jsonb(c) into counted from private.count_test_data() c;
  payees := array(select distinct e.payee_id from public.ledger_entries e where e.is_test);
  delete from public.ledger_entries t where t.is_test;
  delete from public.commission_holds t where t.is_test;
  delete from public.payment_requests t where t.is_test;
  delete from public.commission_payments t where t.is_test;
  delete from public.sales t where t.is_test and t.corrects_sale_id is not null;
  delete from public.sales t where t.is_test;
  update public.commission_rates t set replaces_id = null
    where t.replaces_id in (select r.id from public.commission_rates r where r.is_test);
  delete from public.commission_rates t where t.is_test;
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role = 'client';
  delete from auth.users u using public.profiles p where p.id = u.id and p.is_test and p.role in ('commercial', 'comptable');

  -- A real commercial may have earned on test sales: what they keep is what is left in the ledger.
  delete from public.balances b where b.profile_id = any (payees)
    and not exists (select from public.ledger_entries e where e.payee_id = b.profile_id);
  update public.balances b set (earned, reversed, reserved, paid, held, repaid) =
      (select r.earned, r.reversed, r.reserved, r.paid, r.held, r.repaid from figures.recounted_balances r where r.profile_id = b.profile_id)
    where b.profile_id = any (payees);

  admins := array(select p.id from public.profiles p where p.is_test);
  update public.profiles p set is_test = false where p.id = any (admins);
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = true,
      phone = null, new_email = null, new_phone = null, updated_at = now()
    where u.id = any (admins);
  delete from auth.sessions s where s.user_id = any (admins) and s.id <> session_id;
  delete from auth.one_time_tokens t where t.user_id = any (admins);
  delete from auth.webauthn_credentials c where c.user_id = any (admins) and c.factor_id is null;
  delete from auth.identities i where i.user_id = any (admins) and i.provider <> 'email';

  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'clean', counted, null, null);
  return query select counted, me = any (admins);
end
$function$;
grant execute on function private.clean_test_data(text) to authenticated;

CREATE FUNCTION private.client_line_obstacles(p_lines jsonb)
 RETURNS TABLE(line integer, obstacle text, known_as text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
begin
  return query
    with given as materialized (
      select l.line, lower(btrim(l.email)) as email, l.commercial
      from jsonb_to_recordset(p_lines) as l (line integer, email text, commercial text)),
    unknown as materialized (
      select n.commercial from (select distinct g.commercial from given g) n
      where is_admin and n.commercial is not null and private.commercial_named(n.commercial) is null)
    select g.line, 'email_taken', case when is_admin or p.commercial_id = me then p.full_name end
      from given g join public.profiles p on p.email = g.email and p.email <> ''
    union all
    select g.line, 'email_taken', null from given g
      where exists (select from auth.users u where u.email = g.email and not u.is_sso_user and u.deleted_at is null)
        and not exists (select from public.profiles p where p.email = g.email and p.email <> '')
    union all
    select g.line, 'commercial_not_found', null from given g join unknown u on u.commercial = g.commercial;
end
$function$;
grant execute on function private.client_line_obstacles(jsonb) to authenticated;

CREATE FUNCTION private.client_named(p_name text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH given AS (
          SELECT lower(btrim(p_name)) AS name
         ), ids AS (
          SELECT
                 CASE
                     WHEN (g.name ~ '^#?[0-9a-f]{8}$'::text) THEN ((ltrim(g.name, '#'::text) || '-0000-0000-0000-000000000000'::text))::uuid
                     WHEN (g.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text) THEN (g.name)::uuid
                     ELSE NULL::uuid
                 END AS low,
                 CASE
                     WHEN (g.name ~ '^#?[0-9a-f]{8}$'::text) THEN ((ltrim(g.name, '#'::text) || '-ffff-ffff-ffff-ffffffffffff'::text))::uuid
                     WHEN (g.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text) THEN (g.name)::uuid
                     ELSE NULL::uuid
                 END AS high
            FROM given g
         ), named AS (
          SELECT p.id,
             (p.email = g.name) AS is_exact
            FROM (given g
              JOIN public.profiles p ON (((p.email <> ''::text) AND (private.mailbox_of(p.email) = private.mailbox_of(g.name)) AND (g.name ~~ '%@%'::text))))
           WHERE ((p.role = 'client'::text) AND (p.deactivated_at IS NULL) AND ((private.user_role() = 'admin'::text) OR (p.commercial_id = private.uid())))
         UNION ALL
          SELECT p.id,
             false
            FROM (ids i
              JOIN public.profiles p ON (((p.id >= i.low) AND (p.id <= i.high))))
           WHERE ((p.role = 'client'::text) AND (p.deactivated_at IS NULL) AND ((private.user_role() = 'admin'::text) OR (p.commercial_id = private.uid())))
         )
  SELECT COALESCE(( SELECT n.id
            FROM named n
           WHERE n.is_exact
          LIMIT 1), ( SELECT (array_agg(n.id))[1] AS array_agg
            FROM named n
          HAVING (count(*) = 1))) AS "coalesce";
END;

CREATE FUNCTION private.client_rewards()
 RETURNS TABLE(from_contract_amount numeric, type text, amount numeric)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 3
 SET search_path TO ''
AS $function$
  select null::numeric, r.client_commission_type, r.client_commission_amount
  from private.scale_for_contract(0, null) r where r.id is not null
  union all
  (select distinct on (r.from_contract_amount) r.from_contract_amount, r.client_commission_type, r.client_commission_amount
   from public.commission_rates r where r.archived_at is null and (r.last_day >= private.today()) is not false and r.from_contract_amount is not null
   order by r.from_contract_amount, r.is_default desc, r.created_at desc, r.id)
  order by 1 nulls first
  limit 20
$function$;
grant execute on function private.client_rewards() to authenticated;

CREATE FUNCTION private.close_account(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()), phone = null, company = null, notes = null
    where p.id = p_id;
  update private.mandates m set revoked_at = private.now() where m.payee_id = p_id and m.revoked_at is null;
  delete from private.payee_details d where d.payee_id = p_id;
  -- An account that money went to stays with its line, masked.
  delete from private.bank_account_secrets s using public.bank_accounts a where a.id = s.account_id and a.payee_id = p_id;
  delete from public.bank_accounts a where a.payee_id = p_id
    and not exists (select from public.payment_batch_lines l where l.account_id = a.id);
  delete from auth.sessions s where s.user_id = p_id;
  delete from auth.one_time_tokens t where t.user_id = p_id;
  delete from auth.webauthn_credentials c where c.user_id = p_id;
  delete from auth.factors f where f.user_id = p_id;
  delete from auth.identities i where i.user_id = p_id and i.provider <> 'email';
  update auth.users u set encrypted_password = null, temporary_password_until = null, password_change_required = false,
      phone = null, new_email = null, new_phone = null, raw_user_meta_data = '{}', updated_at = now()
    where u.id = p_id;
end
$function$;

CREATE FUNCTION private.close_accounting_months(p_until date)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  before_ constant date := (p_until + interval '1 month')::date;
  last private.accounting_months;
  from_ date;
  closed integer;
begin
  if extract(day from p_until) <> 1 or p_until >= private.month_of(private.now()) then perform private.refuse('accounting_month_not_over'); end if;
  lock table private.accounting_settings, private.accounting_months, public.ledger_entries in share row exclusive mode;
  select * into last from private.accounting_months m order by m.month desc limit 1;
  from_ := coalesce((last.month + interval '1 month')::date, (select private.month_of(min(e.at)) from public.ledger_entries e), p_until);
  if not exists (select from private.paper_settings) and exists (
      select from public.ledger_entries e
      where e.at >= private.month_start(from_) and e.at < private.month_start(before_)
        and (e.act in ('vat', 'vat_return') or e.act = 'settlement' and e.detail = 'remise_societe'
          and (select s.accounts #>> '{paid_remise_societe,number}' from private.accounting_settings s order by s.id desc limit 1) like '709%')) then
    perform private.refuse('accounting_vat_unknown');
  end if;
  with lines as materialized (select o.* from private.open_entries(before_) o),
  months as (
    insert into private.accounting_months (month, settings_id, last_number, transfers, closed_at, closed_by)
    select k.month::date, (select max(s.id) from private.accounting_settings s),
      coalesce((select max(l.number) from lines l where l.at < private.month_start((k.month + interval '1 month')::date)), last.last_number, 0),
      (select count(*) from public.ledger_entries e
        where e.at < private.month_start((k.month + interval '1 month')::date) and private.is_accounted(e.debit, e.credit)),
      private.now(), me
    from generate_series(from_::timestamp, p_until::timestamp, interval '1 month') k (month)
    returning month),
  kept as (
    insert into private.accounting_entries (number, place, month, at, use, payee_id, account_number, account_label, auxiliary_code, auxiliary_name,
      piece, piece_at, label, debit, credit, lettering, lettered_at)
    select l.number, l.place, private.month_of(l.at), l.at, l.use, l.payee_id, l.account_number, l.account_label, l.auxiliary_code, l.auxiliary_name,
      l.piece, l.piece_at, l.label, l.debit, l.credit, l.lettering, l.lettered_at from lines l)
  select count(*) into closed from months;
  if closed > 0 then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', null,
      jsonb_build_object('accounting_closed', to_char(p_until, 'YYYY-MM')), null);
  end if;
  return closed;
end
$function$;
grant execute on function private.close_accounting_months(date) to authenticated;

CREATE FUNCTION private.close_dispute(p_dispute_id uuid, p_body text, p_seen_version integer, p_adjustment numeric DEFAULT NULL::numeric)
 RETURNS TABLE(dispute public.disputes, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  d public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  -- A cleaning of test data holds balances before it comes to disputes.
  if p_adjustment is not null then lock table public.balances in row exclusive mode; end if;
  select * into d from public.disputes t where t.id = p_dispute_id for update;
  if not found then perform private.refuse('dispute_not_found'); end if;
  if d.closed_at is not null then
    if d.closed_by <> me or p_seen_version <> d.version - 1 or d.adjustment is distinct from p_adjustment
      or btrim(p_body) is distinct from (
        select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at desc, m.id desc limit 1) then
      perform private.refuse('dispute_closed');
    end if;
    return query select d, true;
    return;
  end if;
  if p_seen_version <> d.version then perform private.refuse('dispute_changed'); end if;
  if p_adjustment is not null then
    perform private.check_adjustment(d.payee_id, p_adjustment);
    -- One that the company started waits for another admin, who gives what was proposed or nothing.
    if d.opened_by is not null and p_adjustment <> d.proposed then perform private.refuse('dispute_changed'); end if;
    if d.opened_by = me then perform private.refuse('second_admin_to_confirm'); end if;
  end if;
  update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me, adjustment = p_adjustment
    where t.id = d.id returning * into d;
  if d.adjustment is not null then
    perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', null),
      jsonb_build_object('adjustment', d.adjustment, 'payee_id', d.payee_id), btrim(p_body));
  end if;
  if d.opened_by is null or d.adjustment is not null then
    perform private.say_in_dispute(d, case when d.opened_by is null then 'dispute_closed' else 'account_adjusted' end, p_body);
  else
    insert into public.dispute_messages (dispute_id, author_id, body) values (d.id, me, btrim(p_body));
  end if;
  perform private.end_notices(array['adjustment_to_confirm'], null, null, d.id);
  return query select d, false;
end
$function$;
grant execute on function private.close_dispute(uuid,text,integer,numeric) to authenticated;

CREATE FUNCTION private.close_refused_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.payee_ibans i set usable_from = private.never(), confirmed_at = null, lift_reason = null
    where i.usable_from < private.never() and i.id = coalesce(
      (select r.iban_id from public.payment_requests r where r.id = new.request_id),
      (select a.iban_id from public.bank_accounts a where a.id = new.account_id));
  return null;
end
$function$;

CREATE FUNCTION private.commercial_asked_at()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  return (select w.asked_at from private.commercial_wishes w where w.client_id = me);
end
$function$;
grant execute on function private.commercial_asked_at() to authenticated;

CREATE FUNCTION private.commercial_named(p_name text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(( SELECT c.id
            FROM public.profiles c
           WHERE ((c.email = private.address_of(commercial_named.p_name)) AND (c.role = 'commercial'::text) AND (c.deactivated_at IS NULL))), ( SELECT (array_agg(c.id))[1] AS array_agg
            FROM public.profiles c
           WHERE ((lower(c.full_name) = lower(btrim(commercial_named.p_name))) AND (c.role = 'commercial'::text) AND (c.deactivated_at IS NULL))
          HAVING (count(*) = 1))) AS "coalesce";
END;

CREATE FUNCTION private.commission(type text, rate numeric, contract_amount numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return case type when 'percentage' then round(contract_amount * rate / 100, 2) else sign(contract_amount) * rate end;
end
$function$;
grant execute on function private.commission(text,numeric,numeric) to authenticated;
grant execute on function private.commission(text,numeric,numeric) to parrain_service;

CREATE FUNCTION private.company_account_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return (select jsonb_build_object('holder', a.holder, 'iban', a.iban_shown, 'bic', a.bic) from private.company_account a);
end
$function$;
grant execute on function private.company_account_shown() to authenticated;

CREATE FUNCTION private.complete_settlement(p_request_id uuid, p_reference text, p_association_name text, p_association_number text)
 RETURNS TABLE(request public.payment_requests, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  reference_ constant text := nullif(btrim(p_reference), '');
  name_ constant text := nullif(btrim(p_association_name), '');
begin
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status not in ('paid', 'returned') then perform private.refuse('request_illegal_move'); end if;
  if reference_ <> r.settlement_reference or name_ <> r.association_name or p_association_number <> r.association_number then
    perform private.refuse('settlement_known');
  end if;
  if (coalesce(reference_, r.settlement_reference), coalesce(name_, r.association_name), coalesce(p_association_number, r.association_number))
      is not distinct from (r.settlement_reference, r.association_name, r.association_number) then
    return query select r, true;
    return;
  end if;
  update public.payment_requests t set settlement_reference = coalesce(t.settlement_reference, reference_),
      association_name = coalesce(t.association_name, name_), association_number = coalesce(t.association_number, p_association_number)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$function$;
grant execute on function private.complete_settlement(uuid,text,text,text) to authenticated;

CREATE FUNCTION private.confirm_iban(p_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.payee_ibans;
begin
  select * into i from public.payee_ibans t where t.id = p_id for update;
  if not found then perform private.refuse('iban_link_unknown'); end if;
  if i.usable_from = private.never() then perform private.refuse('iban_refused_by_bank'); end if;
  if i.confirmed_at is not null then return 'already'; end if;
  if i.usable_from <= private.now() then return 'usable'; end if;
  update public.payee_ibans t set usable_from = private.now(), confirmed_at = private.now() where t.id = i.id;
  perform private.append_audit('profiles', i.client_id, 'confirm_iban', null, null, null);
  return 'confirmed';
end
$function$;

CREATE FUNCTION private.connect_e_invoicing(p_flow_url text, p_directory_url text, p_token_url text, p_client_id text, p_secret_sealed bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before text;
begin
  perform private.require_role('admin');
  -- Every invoice leaves by it for longer than the session lasts.
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  select s.flow_url into before from private.e_invoicing s for update;
  insert into private.e_invoicing as s (flow_url, directory_url, token_url, client_id, secret_sealed)
  values (p_flow_url, p_directory_url, p_token_url, p_client_id, p_secret_sealed)
  on conflict (id) do update set (flow_url, directory_url, token_url, client_id, secret_sealed, tried_at, updated_at, paused_until)
    = (excluded.flow_url, excluded.directory_url, excluded.token_url, excluded.client_id, excluded.secret_sealed, now(), now(), '-infinity');
  perform private.audit_webhook('e_invoicing', private.host_of_url(before), private.host_of_url(p_flow_url));
end
$function$;
grant execute on function private.connect_e_invoicing(text,text,text,text,bytea) to authenticated;

CREATE FUNCTION private.contacts_heard_since()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT ((private.now() - make_interval(months => (c.contact_months)::integer)) + '30 days'::interval)
    FROM public.company_settings c;
END;

CREATE FUNCTION private.contacts_to_erase()
 RETURNS TABLE(sale_id uuid, contact_name text, referrer_name text, last_heard_at timestamp with time zone, erase_on date, total bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select s.id, s.referred_contact_name, p.full_name, s.updated_at, a.erase_on, count(*) over ()
    from private.announced_erasures a join public.sales s on s.id = a.sale_id
    left join public.profiles p on p.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
    where a.kept_at is null order by a.erase_on, a.sale_id limit 200;
end
$function$;
grant execute on function private.contacts_to_erase() to authenticated;

CREATE FUNCTION private.contracts_of(p_side text, p_payee_id uuid, p_from timestamp with time zone, p_is_test boolean)
 RETURNS TABLE(rate_id uuid, is_correction boolean, is_whole boolean, contract numeric, given numeric, counted_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select s.commission_rate, s.corrects_sale_id is not null, s.contract_left is null, s.contract_amount, s.commercial_commission_amount,
    case when s.corrects_sale_id is null then s.validated_at
      else (select o.validated_at from public.sales o where o.id = s.corrects_sale_id) end
  from public.sales s
  where p_side = 'commercial' and s.commercial_id = p_payee_id and s.admin_validated and s.validated_at >= p_from and s.is_test = p_is_test
  union all
  select s.commission_rate, s.corrects_sale_id is not null, s.contract_left is null, s.contract_amount, s.client_commission_amount,
    case when s.corrects_sale_id is null then s.validated_at
      else (select o.validated_at from public.sales o where o.id = s.corrects_sale_id) end
  from public.sales s
  where p_side = 'client' and (s.friend_referrer_id = p_payee_id or s.friend_referrer_id is null and s.client_referrer_id = p_payee_id)
    and s.admin_validated and s.validated_at >= p_from and s.is_test = p_is_test
$function$;
grant execute on function private.contracts_of(text,uuid,timestamp with time zone,boolean) to parrain_service;

CREATE FUNCTION private.contracts_settled(p_payee_id uuid, p_source_id uuid, p_amount numeric, p_before timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (WITH due AS (SELECT COALESCE(s.corrects_sale_id, s.id) AS sale_id, CASE WHEN (s.id IS NULL) THEN e.source_id ELSE NULL::uuid END AS other_id, min(e.id) AS place, min(e.at) AS at, sum(CASE WHEN (e.credit = 'available'::text) THEN e.amount ELSE (- e.amount) END) AS amount FROM ((public.ledger_entries e LEFT JOIN public.commission_payments c ON ((c.id = e.source_id))) LEFT JOIN public.sales s ON ((s.id = c.sale_id))) WHERE ((e.payee_id = contracts_settled.p_payee_id) AND (('available'::text = e.debit) OR ('available'::text = e.credit)) AND (e.act <> ALL (ARRAY['request'::text, 'refusal'::text, 'payroll'::text, 'return'::text])) AND ((contracts_settled.p_before IS NULL) OR (e.at < contracts_settled.p_before))) GROUP BY COALESCE(s.corrects_sale_id, s.id), CASE WHEN (s.id IS NULL) THEN e.source_id ELSE NULL::uuid END), span AS (SELECT (COALESCE((SELECT sum(CASE WHEN (e.credit = 'paid'::text) THEN e.amount ELSE (- e.amount) END) AS sum FROM public.ledger_entries e WHERE ((e.payee_id = contracts_settled.p_payee_id) AND (('paid'::text = e.debit) OR ('paid'::text = e.credit)) AND (e.id < (SELECT min(o.id) AS min FROM public.ledger_entries o WHERE ((o.source_id = contracts_settled.p_source_id) AND (o.act = ANY (ARRAY['settlement'::text, 'payroll'::text]))))))), (0)::numeric) - COALESCE((SELECT sum(d.amount) AS sum FROM due d WHERE (d.amount < (0)::numeric)), (0)::numeric)) AS low), placed AS (SELECT d.sale_id, d.other_id, d.place, d.at, d.amount, sum(d.amount) OVER (ORDER BY d.place) AS until FROM due d WHERE (d.amount > (0)::numeric)), paid AS (SELECT p.place, p.sale_id, p.at, p.amount AS whole, (LEAST(p.until, (s.low + contracts_settled.p_amount)) - GREATEST((p.until - p.amount), s.low)) AS amount FROM (placed p CROSS JOIN span s) WHERE ((p.until > s.low) AND ((p.until - p.amount) < (s.low + contracts_settled.p_amount)))), lines AS (SELECT t.place, upper("left"((t.sale_id)::text, 8)) AS contract, ((COALESCE(s.validated_at, t.at) AT TIME ZONE 'Europe/Paris'::text))::date AS day, t.amount, t.whole FROM (paid t LEFT JOIN public.sales s ON ((s.id = t.sale_id))) UNION ALL SELECT NULL::bigint, NULL::text, NULL::date, (contracts_settled.p_amount - COALESCE((SELECT sum(t.amount) AS sum FROM paid t), (0)::numeric)), NULL::numeric) SELECT COALESCE(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('contract', l.contract, 'on', l.day, 'amount', (l.amount)::text, 'of', CASE WHEN (l.amount <> l.whole) THEN (l.whole)::text ELSE NULL::text END)) ORDER BY l.place), '[]'::jsonb) AS "coalesce" FROM lines l WHERE (l.amount > (0)::numeric));

CREATE FUNCTION private.control_between(p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS TABLE(source text, act text, detail text, month date, amount numeric)
 LANGUAGE sql
 STABLE ROWS 100
 SET search_path TO ''
AS $function$
  select 'ledger', case when e.act <> 'release' and 'held' in (e.debit, e.credit) then e.act || '_held' else e.act end, coalesce(e.detail, ''), private.month_of(e.at), sum(e.amount)
  from public.ledger_entries e where e.at >= p_from and e.at < p_to
  group by 2, 3, 4
  union all
  select 'lists', case when x.act <> 'release' and 'held' in (x.debit, x.credit) then x.act || '_held' else x.act end, coalesce(x.detail, ''), private.month_of(x.at), sum(x.amount)
  from figures.expected_ledger x where x.at >= p_from and x.at < p_to
  group by 2, 3, 4
$function$;
grant execute on function private.control_between(timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.control_between(timestamp with time zone,timestamp with time zone) to parrain_service;
grant execute on function private.control_between(timestamp with time zone,timestamp with time zone) to service_role;

CREATE FUNCTION private.correct_contact(p_sale_id uuid, p_name text, p_email text, p_phone text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
  v_email text := lower(nullif(btrim(p_email), ''));
  v_phone text := nullif(btrim(p_phone), '');
  v_is_other_mailbox boolean;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if not found or num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 then
    perform private.refuse('opt_out_link_unknown');
  end if;
  v_is_other_mailbox := private.mailbox_of(v_email) is distinct from private.mailbox_of(sale.referred_contact_email);
  if v_is_other_mailbox and exists (
      select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = private.mailbox_of(v_email)) then
    perform private.refuse('friend_is_client');
  end if;
  if private.is_open(sale) and (v_is_other_mailbox or private.phone_of(v_phone) is distinct from private.phone_of(sale.referred_contact_phone))
    and private.earlier_referral(sale.friend_referrer_id, v_email, v_phone) is not null then
    perform private.refuse('friend_referred_before');
  end if;
  perform set_config('app.friend', 'on', true), set_config('app.reason', 'Corrigé par la personne elle-même', true);
  update public.sales s set referred_contact_name = btrim(p_name), referred_contact_email = v_email, referred_contact_phone = v_phone
    where (s.id = sale.id or s.corrects_sale_id = sale.id)
      and (s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone) is distinct from (btrim(p_name), v_email, v_phone);
  perform set_config('app.friend', '', true), set_config('app.reason', '', true);
end
$function$;

CREATE FUNCTION private.correct_contract(p_sale_id uuid, p_reason text, p_seen_version integer, p_seen_corrections integer, p_seen_contract numeric, p_contract_left numeric, p_expected_client_commission numeric, p_expected_commercial_commission numeric)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  latest public.sales;
  before numeric;
  made integer;
  has_referrer boolean;
  for_client numeric;
  for_commercial numeric;
  more_client numeric;
  more_commercial numeric;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if num_nulls(p_seen_version, p_seen_corrections, p_seen_contract, p_contract_left, p_expected_client_commission,
      p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if not s.admin_validated or s.corrects_sale_id is not null then perform private.refuse('contract_not_correctable'); end if;
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  before := private.left_of_contract(s.id);
  made := (select count(*) from public.sales t where t.corrects_sale_id = s.id);
  has_referrer := coalesce(s.friend_referrer_id, s.client_referrer_id) is not null;
  for_client := case when has_referrer then private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, p_contract_left) else 0 end;
  for_commercial := private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, p_contract_left);
  -- The same decision again is the same answer.
  if made = p_seen_corrections + 1 and before = p_contract_left and p_seen_version = s.version then
    select * into latest from public.sales t where t.corrects_sale_id = s.id order by t.created_at desc limit 1;
    if latest.contract_amount = p_contract_left - p_seen_contract
      and (p_expected_client_commission, p_expected_commercial_commission) = (for_client, for_commercial) then
      return query select latest, true;
      return;
    end if;
  end if;
  if before = 0 then perform private.refuse('contract_not_correctable'); end if;
  if (p_seen_version, p_seen_corrections, p_seen_contract) <> (s.version, made, before) then perform private.refuse('sale_changed'); end if;
  if p_contract_left <= 0 or p_contract_left > 9999999.99 or p_contract_left = before or p_contract_left <> round(p_contract_left, 2) then
    perform private.refuse('corrected_amount_invalid', jsonb_build_object('left', before::text));
  end if;
  if (p_expected_client_commission, p_expected_commercial_commission) <> (for_client, for_commercial) then
    perform private.refuse('sale_changed');
  end if;
  more_client := case when has_referrer
    then for_client - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, before) else 0 end;
  more_commercial := for_commercial - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, before);
  -- What is added is kept with what it is added to. Where that is kept no longer though it should be, it would be free at once.
  if more_client > 0 or more_commercial > 0 then
    if exists (
      select from public.commission_payments p
      join public.commission_rates r on r.id = s.commission_rate
      left join public.commission_holds h on h.commission_id = p.id
      where p.sale_id = s.id and case p.type when 'client' then more_client else more_commercial end > 0
        and (h.commission_id is null or h.ended_at is not null)
        and (h.is_corrected
          or p.type = 'client' and h.commission_id is null and p.created_at + make_interval(days => r.client_hold_days) > private.now()
          or (select c.hold_doubtful from public.company_settings c)
            and private.is_under_check(s.id, coalesce(s.friend_referrer_id, s.client_referrer_id)))) then
      perform private.refuse('contract_cannot_grow');
    end if;
  end if;
  return query select private.write_correction(s, before, p_contract_left, more_client, more_commercial, p_reason), false;
end
$function$;
grant execute on function private.correct_contract(uuid,text,integer,integer,numeric,numeric,numeric,numeric) to authenticated;

CREATE FUNCTION private.count_control()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- Who wrote shortly before midnight may commit shortly after.
  v_until timestamptz := date_trunc('day', private.now() - interval '1 hour', 'Europe/Paris');
begin
  lock table figures.control_until in exclusive mode;
  delete from figures.control_until;
  delete from figures.control_months;
  insert into figures.control_months (source, act, detail, month, amount)
  select c.source, c.act, c.detail, c.month, c.amount from private.control_between('-infinity', v_until) c;
  insert into figures.control_until (at) values (v_until);
end
$function$;

CREATE FUNCTION private.count_file_read()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.limit_per_day('file-read', private.require_role('admin', 'commercial'), 200);
end
$function$;
grant execute on function private.count_file_read() to authenticated;

CREATE FUNCTION private.count_last_referrals()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from figures.last_referrals;
  if tg_op = 'INSERT' then
    insert into figures.last_referrals
    select coalesce(s.friend_referrer_id, s.client_referrer_id),
      coalesce(s.commercial_id, '00000000-0000-0000-0000-000000000000'), max(s.created_at)
    from public.sales s
    where coalesce(s.friend_referrer_id, s.client_referrer_id) is not null and s.corrects_sale_id is null
      and s.created_at < (select max(n.at) from new_rows n)
    group by 1, 2;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.count_months(p_least integer DEFAULT 5000)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- Who wrote shortly before midnight may commit shortly after.
  v_until timestamptz := date_trunc('day', private.now() - interval '1 hour', 'Europe/Paris');
  v_month date := private.month_of(private.now());
  v_period record;
begin
  lock table figures.counted_until in exclusive mode;
  delete from figures.counted_until;
  delete from figures.validated_months;
  delete from figures.referral_months;
  delete from figures.best_referrers;
  if (select count(*) from (select from public.sales s where s.created_at < v_until limit p_least) few) < p_least then return; end if;
  insert into figures.validated_months
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end), sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < v_until
  group by 1, 2, 3;
  insert into figures.referral_months
  select private.month_of(s.created_at),
    case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
    case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400) else -1 end, count(*)
  from public.sales s
  left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null
  where s.corrects_sale_id is null and s.created_at < v_until
  group by 1, 2, 3;
  for v_period in
    select * from (values (v_month, v_month + interval '1 month'), (v_month - interval '1 month', v_month),
      (date_trunc('quarter', v_month), date_trunc('quarter', v_month) + interval '3 months'),
      (date_trunc('year', v_month), date_trunc('year', v_month) + interval '1 year'),
      (v_month - interval '11 months', v_month + interval '1 month'), ('2000-01-01', '2100-01-01')) p (from_month, to_month)
  loop
    insert into figures.best_referrers
    select v_period.from_month, v_period.to_month, b.referrer_id, b.contracts, b.revenue
    from private.referrers_in(v_period.from_month::date, v_period.to_month::date) b
    on conflict do nothing;
  end loop;
  insert into figures.counted_until (at) values (v_until);
end
$function$;

CREATE FUNCTION private.count_payment_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('requests_' || old.status, -1, -old.amount); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('requests_' || new.status, 1, new.amount); end if;
  return null;
end
$function$;

CREATE FUNCTION private.count_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  active constant text := 'active_commercials';
begin
  if tg_op = 'UPDATE' then
    perform private.add_to_company(active, (new.deactivated_at is null)::integer - (old.deactivated_at is null)::integer, 0);
  elsif tg_op = 'INSERT' then
    if new.role = 'client' then perform private.add_to_company('clients', 1, 0); end if;
    if new.role = 'commercial' and new.deactivated_at is null then perform private.add_to_company(active, 1, 0); end if;
  else
    if old.role = 'client' then perform private.add_to_company('clients', -1, 0); end if;
    if old.role = 'commercial' and old.deactivated_at is null then perform private.add_to_company(active, -1, 0); end if;
    delete from figures.sale_totals t where t.commercial_id = old.id;
    delete from figures.referrer_totals t where t.referrer_id = old.id;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.count_referral_delays()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from figures.referral_delays;
  if tg_op = 'INSERT' then
    insert into figures.referral_delays
    select private.month_of(d.created_at), d.step, d.days, count(*)
    from figures.step_delays d where d.created_at < (select max(n.at) from new_rows n)
    group by 1, 2, 3;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.count_role()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op <> 'INSERT' then perform private.add_to_company('role_' || old.role, -1, 0); end if;
  if tg_op <> 'DELETE' then perform private.add_to_company('role_' || new.role, 1, 0); end if;
  return null;
end
$function$;

CREATE FUNCTION private.count_sales()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case tg_op
    when 'INSERT' then
      perform private.add_sale_effects(array(select private.effect_of(n, 1) from new_rows n));
    when 'UPDATE' then
      perform private.add_sale_effects(array(
        select private.effect_of(n, 1) from new_rows n union all select private.effect_of(o, -1) from old_rows o));
    when 'DELETE' then
      perform private.add_sale_effects(array(select private.effect_of(o, -1) from old_rows o));
  end case;
  return null;
end
$function$;

CREATE FUNCTION private.count_test_data()
 RETURNS TABLE(sales bigint, commission_payments bigint, payment_requests bigint, commission_rates bigint, clients bigint, commercials bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT ( SELECT count(*) AS count
            FROM public.sales t
           WHERE t.is_test) AS count,
     ( SELECT count(*) AS count
            FROM public.commission_payments t
           WHERE t.is_test) AS count,
     ( SELECT count(*) AS count
            FROM public.payment_requests t
           WHERE t.is_test) AS count,
     ( SELECT count(*) AS count
            FROM public.commission_rates t
           WHERE t.is_test) AS count,
     ( SELECT count(*) AS count
            FROM public.profiles t
           WHERE (t.is_test AND (t.role = 'client'::text))) AS count,
     ( SELECT count(*) AS count
            FROM public.profiles t
           WHERE (t.is_test AND (t.role = 'commercial'::text))) AS count;
END;

CREATE FUNCTION private.count_words()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  lock table private.known_words in exclusive mode;
  delete from private.known_words;
  insert into private.known_words (word, holders)
  -- Cut roughly first: letters are made plain once for each word, and not once for each row.
  with cut as (
    select w.word, count(*) as holders
    from (
      select concat_ws(' ', s.referred_contact_name, s.referred_contact_email, s.contract_description) as words
      from public.sales s where s.corrects_sale_id is null
      union all
      select concat_ws(' ', p.full_name, p.email, p.company) from public.profiles p where p.role in ('client', 'commercial')) t,
      string_to_table(translate(lower(t.words), e'0123456789@.-_,;:/()\'’«»\n', repeat(' ', 26)), ' ') w (word)
    where length(w.word) >= 3
    group by w.word)
  select left(x.word, 40), sum(c.holders)
  from cut c, regexp_split_to_table(private.plain_letters(c.word), '[^[:alpha:]]+') x (word)
  where length(x.word) >= 3
  group by 1;
end
$function$;

CREATE FUNCTION private.create_account(p_id uuid, p_email text, p_password_hash text, p_role text, p_full_name text, p_phone text DEFAULT NULL::text, p_commercial_id uuid DEFAULT NULL::uuid, p_company text DEFAULT NULL::text, p_notes text DEFAULT NULL::text, p_is_test boolean DEFAULT false, p_temporary_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_email_confirmed_at timestamp with time zone DEFAULT now(), p_user_metadata jsonb DEFAULT '{}'::jsonb)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  created public.profiles;
begin
  insert into auth.users (id, email, encrypted_password, temporary_password_until, password_change_required, email_confirmed_at,
    invited_at, raw_app_meta_data, raw_user_meta_data)
  values (p_id, lower(p_email), p_password_hash, p_temporary_until, p_temporary_until is not null,
    case when p_email is not null then p_email_confirmed_at end,
    case when p_temporary_until is not null then now() end,
    jsonb_build_object('role', p_role)
      || case when p_email is null then '{}' else jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email')) end,
    p_user_metadata);
  if p_email is not null then
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    values (p_id, 'email', p_id::text, jsonb_build_object('sub', p_id, 'email', lower(p_email),
      'email_verified', p_email_confirmed_at is not null, 'phone_verified', false));
  end if;
  insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test)
  values (p_id, btrim(p_full_name), coalesce(lower(p_email), ''), nullif(btrim(p_phone), ''), p_role, nullif(btrim(p_company), ''),
    nullif(btrim(p_notes), ''), p_commercial_id, p_is_test)
  returning * into created;
  return created;
exception when unique_violation then
  perform private.refuse('email_taken');
end
$function$;

CREATE FUNCTION private.create_api_key(p_name text, p_scopes text[], p_expires_on date, p_prefix text, p_hash bytea)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  made public.api_keys;
begin
  if not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  if p_expires_on <= private.today() then perform private.refuse('api_key_end_is_over'); end if;
  -- One after the other, so that the count is right.
  perform pg_advisory_xact_lock(hashtextextended('api-keys', 0));
  if (select count(*) from public.api_keys k where private.is_key_alive(k)) >= 50 then
    perform private.refuse('api_keys_full');
  end if;
  if exists (select from public.api_keys k where lower(k.name) = lower(btrim(p_name)) and k.revoked_at is null) then
    perform private.refuse('api_key_name_taken');
  end if;
  insert into public.api_keys (name, prefix, scopes, expires_at, created_by)
  values (btrim(p_name), p_prefix, p_scopes, (p_expires_on + 1)::timestamp at time zone 'Europe/Paris', me)
  returning * into made;
  insert into private.api_key_secrets (key_id, hash) values (made.id, p_hash);
  perform private.append_audit('api_keys', made.id, 'create', null,
    jsonb_build_object('name', made.name, 'scopes', made.scopes, 'expires_on', p_expires_on), null);
  return made;
end
$function$;
grant execute on function private.create_api_key(text,text[],date,text,bytea) to authenticated;

CREATE FUNCTION private.create_commission_rate(p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_replaces_id uuid DEFAULT NULL::uuid, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  created public.commission_rates;
  replaced public.commission_rates;
begin
  if p_replaces_id is not null then
    select * into replaced from public.commission_rates r where r.id = p_replaces_id for update;
    if not found then perform private.refuse('scale_not_found'); end if;
    if replaced.archived_at is not null then perform private.refuse('scale_archived'); end if;
    update public.commission_rates r set archived_at = private.now(), is_default = false where r.id = p_replaces_id;
  end if;
  -- One default at a time, also when two scales are created at once.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  insert into public.commission_rates (name, description, client_commission_type, client_commission_amount,
    commercial_commission_type, commercial_commission_amount, is_default, replaces_id, is_test,
    client_hold_days, from_contract_amount, client_rules, commercial_rules, last_day)
  values (btrim(p_name), nullif(btrim(p_description), ''), p_client_type, p_client_amount, p_commercial_type, p_commercial_amount,
    coalesce(replaced.is_default, false) or not exists (select 1 from public.commission_rates r where r.is_default),
    p_replaces_id, (select p.is_test from public.profiles p where p.id = me), p_client_hold_days, p_from_contract_amount,
    nullif(jsonb_strip_nulls(p_client_rules), '{}'), nullif(jsonb_strip_nulls(p_commercial_rules), '{}'), p_last_day)
  returning * into created;
  return created;
end
$function$;
grant execute on function private.create_commission_rate(text,text,text,numeric,text,numeric,uuid,integer,numeric,jsonb,jsonb,date) to authenticated;

CREATE FUNCTION private.das2_payees(p_year integer, p_payee_id uuid)
 RETURNS TABLE(id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text, postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric, is_employee boolean, repaid numeric, repaid_left numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  settings constant jsonb := private.das2_settings_shown();
  since timestamptz;
  before timestamptz;
begin
  if p_year is null or p_year not between 2000 and 2999 then perform private.refuse('invalid_input'); end if;
  since := private.month_start(make_date(p_year, 1, 1));
  before := private.month_start(make_date(p_year + 1, 1, 1));
  return query
  select p.id, p.full_name, p.role, d.status, d.legal_name, d.first_name, d.last_name, d.street, d.postal_code, d.city, d.country, d.siren, d.siret,
    d.rna, s.paid, s.gift_cards, s.discounts, greatest(c.counted - s.repaid, 0), coalesce(d.status = 'salarie', false),
    s.repaid, greatest(s.repaid - c.counted, 0)
  from (
    select m.payee_id, coalesce(sum(m.amount) filter (where not m.is_back), 0) as paid,
      coalesce(sum(m.amount) filter (where m.method = 'cheque_cadeau'), 0) as gift_cards,
      coalesce(sum(m.amount) filter (where m.method = 'remise_societe'), 0) as discounts,
      coalesce(sum(m.amount) filter (where m.is_back), 0) as repaid
    from (
      select r.client_id as payee_id, r.amount + coalesce(r.vat_amount, 0) as amount, r.payment_method as method, false as is_back
      from public.payment_requests r
      where r.status = 'paid' and r.paid_at >= since and r.paid_at < before and (p_payee_id is null or r.client_id = p_payee_id)
      union all
      select q.payee_id, q.amount + coalesce(q.vat_amount, 0), null, false
      from public.paid_periods q
      where q.returned_at is null and q.paid_at >= since and q.paid_at < before and (p_payee_id is null or q.payee_id = p_payee_id)
      union all
      -- One that was taken back as a mistake never came in, whichever year it was taken back in.
      select a.payee_id, a.amount, null, true
      from public.debt_acts a
      where a.kind = 'repayment' and a.annulled_at is null and a.at >= since and a.at < before
        and (p_payee_id is null or a.payee_id = p_payee_id)) m
    group by m.payee_id) s
  cross join lateral (select s.paid - case when (settings ->> 'counts_gift_cards')::boolean then 0 else s.gift_cards end
    - case when (settings ->> 'counts_discounts')::boolean then 0 else s.discounts end as counted) c
  join public.profiles p on p.id = s.payee_id
  left join private.payee_details d on d.payee_id = p.id;
end
$function$;
grant execute on function private.das2_payees(integer,uuid) to authenticated;

CREATE FUNCTION private.das2_settings_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable');
begin
  return jsonb_build_object(
    'counts_gift_cards', coalesce((select s.counts_gift_cards from private.das2_settings s), true),
    'counts_discounts', coalesce((select s.counts_discounts from private.das2_settings s), false),
    'regular_from', coalesce((select s.regular_from from private.das2_settings s), 3));
end
$function$;
grant execute on function private.das2_settings_shown() to authenticated;

CREATE FUNCTION private.deal_with_regularity(p_payee_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
begin
  if not exists (select from private.regular_payees(payee.id) r where r.dealt_at is null) then return; end if;
  update private.payee_details d set regularity_dealt_at = private.now() where d.payee_id = payee.id;
  perform private.append_audit('profiles', payee.id, 'update', null, jsonb_build_object('regularity_dealt', true), null);
end
$function$;
grant execute on function private.deal_with_regularity(uuid) to authenticated;

CREATE FUNCTION private.decide_account_closure(p_id uuid, p_accept boolean, p_notes text, p_reassign_to uuid)
 RETURNS TABLE(outcome text, full_name text, email text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  asked public.account_closure_requests;
  leaving public.profiles;
  result text := 'rejected';
begin
  select * into asked from public.account_closure_requests r where r.id = p_id for update;
  if not found then perform private.refuse('closure_not_found'); end if;
  if asked.status <> 'pending' then perform private.refuse('closure_already_decided'); end if;
  if asked.profile_id = me then perform private.refuse('own_closure'); end if;
  if not p_accept and coalesce(btrim(p_notes), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  select * into leaving from public.profiles p where p.id = asked.profile_id for update;
  update public.account_closure_requests r set status = case when p_accept then 'accepted' else 'rejected' end,
      notes = nullif(btrim(p_notes), ''), decided_at = private.now(), decided_by = me
    where r.id = p_id;
  if p_accept then
    case leaving.role
      when 'admin' then
        perform private.require_another_admin(leaving.id);
        perform private.close_account(leaving.id);
        result := 'closed';
      when 'commercial' then
        select case when r.outcome = 'removed' then 'deleted' else 'closed' end into result
          from private.remove_commercial(leaving.id, p_reassign_to) r;
        if result = 'closed' then perform private.close_account(leaving.id); end if;
      else
        perform 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id for update;
        perform private.require_no_open_request(leaving.id);
        if exists (select 1 from public.sales s where s.friend_referrer_id = leaving.id or s.client_referrer_id = leaving.id)
          or exists (select 1 from public.commission_payments c where c.recipient_id = leaving.id)
          or exists (select 1 from public.payment_requests r where r.client_id = leaving.id) then
          perform private.close_account(leaving.id);
          result := 'closed';
        else
          delete from auth.users u where u.id = leaving.id;
          result := 'deleted';
        end if;
    end case;
  end if;
  return query select result, leaving.full_name, leaving.email;
end
$function$;
grant execute on function private.decide_account_closure(uuid,boolean,text,uuid) to authenticated;

CREATE FUNCTION private.decide_doubtful_case(p_case_id uuid, p_decision text, p_reason text, p_seen_version integer, p_is_pair_cleared boolean DEFAULT false)
 RETURNS TABLE(decided public.doubtful_cases, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  c public.doubtful_cases;
  v_before text;
begin
  if p_decision is null or p_decision not in ('confirmed', 'cleared') or coalesce(btrim(p_reason), '') = ''
      or not private.is_text(p_reason, 2000) then
    perform private.refuse('invalid_input');
  end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into c from public.doubtful_cases t where t.id = p_case_id for update;
  if not found then perform private.refuse('case_not_found'); end if;
  if c.status = p_decision and c.decided_by = me and c.reason = btrim(p_reason) and c.version = p_seen_version + 1 then
    return query select c, true;
    return;
  end if;
  if c.version <> p_seen_version then perform private.refuse('case_changed'); end if;
  if (c.status, p_decision) not in (('open', 'confirmed'), ('open', 'cleared'), ('confirmed', 'cleared')) then
    perform private.refuse('case_already_decided');
  end if;
  v_before := c.status;
  update public.doubtful_cases t set status = p_decision, decided_at = private.now(), decided_by = me, reason = btrim(p_reason),
      version = t.version + 1
    where t.id = c.id returning * into c;
  if p_decision = 'cleared' and p_is_pair_cleared then
    insert into private.undoubted_pairs (rule, one_id, other_id)
    select r.rule, least(c.payee_id, r.person_id), greatest(c.payee_id, r.person_id)
    from public.doubt_reasons r where r.case_id = c.id and r.person_id is not null
    on conflict do nothing;
  end if;
  if p_decision = 'cleared' then perform private.end_checks(c); end if;
  perform private.append_audit('doubtful_cases', c.id, 'update', jsonb_build_object('status', v_before),
    jsonb_build_object('status', c.status,
      'rules', (select jsonb_agg(distinct r.rule) from public.doubt_reasons r where r.case_id = c.id))
      || case when p_decision = 'cleared' and p_is_pair_cleared then '{"is_pair_cleared": true}'::jsonb else '{}' end, c.reason);
  return query select c, false;
end
$function$;
grant execute on function private.decide_doubtful_case(uuid,text,text,integer,boolean) to authenticated;

CREATE FUNCTION private.decide_payee_invoice(p_invoice_id uuid, p_accepts boolean, p_reason text)
 RETURNS TABLE(invoice public.payee_invoices, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  r public.payment_requests;
  i public.payee_invoices;
  why constant text := nullif(btrim(p_reason), '');
begin
  if p_accepts is null then perform private.refuse('decision_required'); end if;
  if not p_accepts and why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into i from public.payee_invoices t where t.id = p_invoice_id;
  if not found then perform private.refuse('request_not_found'); end if;
  if i.month is null then
    select * into r from public.payment_requests t where t.id = i.request_id for update;
  else
    perform 1 from public.profiles p where p.id = i.payee_id for no key update;
    perform 1 from public.balances b where b.profile_id = i.payee_id for update;
  end if;
  select * into i from public.payee_invoices t where t.id = p_invoice_id for update;
  if p_accepts and i.status = 'accepted' or not p_accepts and i.status = 'refused' and i.refusal_reason = why then
    return query select i, true;
    return;
  end if;
  if i.status <> 'sent' then perform private.refuse('invoice_too_late'); end if;
  if p_accepts then
    if not exists (select from private.payee_details d where d.payee_id = i.payee_id and (d.charges_vat is true) = (i.vat_rate is not null)
        and (i.vat_rate is null or d.vat_number = i.vat_number and d.vat_accepted_at is not null)) then
      perform private.refuse('invoice_vat_waits');
    end if;
    if i.month is not null and (select d.due from private.period_due(i.payee_id, i.month) d) <> i.amount then
      perform private.refuse('invoice_too_late');
    end if;
    update public.payee_invoices t set status = 'accepted', decided_at = private.now() where t.id = i.id returning * into i;
    if i.month is null then
      update public.payment_requests t set payee_invoice_id = i.id, vat_rate = i.vat_rate, vat_amount = i.vat_amount where t.id = r.id;
    else
      perform private.append_audit('profiles', i.payee_id, 'accept_invoice', null, jsonb_strip_nulls(jsonb_build_object(
        'month', to_char(i.month, 'YYYY-MM'), 'amount', i.amount, 'vat_amount', i.vat_amount)), null);
    end if;
  else
    update public.payee_invoices t set status = 'refused', decided_at = private.now(), refusal_reason = why where t.id = i.id returning * into i;
    if i.month is null then
      perform private.append_audit('payment_requests', r.id, 'refuse_invoice', null, '{}', why);
    else
      perform private.append_audit('profiles', i.payee_id, 'refuse_invoice', null, jsonb_build_object('month', to_char(i.month, 'YYYY-MM')), why);
    end if;
  end if;
  if i.month is null then
    perform private.end_notices(array['invoice_received'], null, r.id, null);
    perform private.tell(case when p_accepts then 'invoice_accepted' else 'invoice_refused' end, array[i.payee_id], null, r.id);
  else
    perform private.tell_of_invoice(case when p_accepts then 'invoice_accepted' else 'invoice_refused' end, array[i.payee_id], i.id);
  end if;
  return query select i, false;
end
$function$;
grant execute on function private.decide_payee_invoice(uuid,boolean,text) to authenticated;

CREATE FUNCTION private.decide_payment_request(p_request_id uuid, p_status text, p_admin_notes text, p_rejection_reason text, p_seen_version integer, p_expected_amount numeric, p_reference text DEFAULT NULL::text, p_association_name text DEFAULT NULL::text, p_association_number text DEFAULT NULL::text, p_paid_on date DEFAULT NULL::date)
 RETURNS TABLE(request public.payment_requests, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role_or_scope('admin', 'payments');
  r public.payment_requests;
  note text := nullif(btrim(p_admin_notes), '');
  -- The source's page has one field for both: the note of a refusal is its reason.
  why text := coalesce(nullif(btrim(p_rejection_reason), ''), note);
begin
  if private.user_role() = 'api_key' and p_status is distinct from 'paid' then perform private.refuse('key_only_pays'); end if;
  if p_status is null or p_status not in ('approved', 'rejected', 'paid') then perform private.refuse('decision_required'); end if;
  if p_status = 'rejected' and why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if p_expected_amount <> r.amount + coalesce(r.vat_amount, 0) then perform private.refuse('request_changed'); end if;
  if r.status = p_status and coalesce(p_seen_version, r.version) in (r.version - 1, r.version)
      and (p_status <> 'rejected' or r.rejection_reason = why) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if not ((r.status, p_status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'))) then
    perform private.refuse('request_illegal_move');
  end if;
  if p_status <> 'rejected' and exists (select 1 from public.profiles p where p.id = r.client_id and p.deactivated_at is not null) then
    perform private.refuse('beneficiary_unavailable');
  end if;
  update public.payment_requests t set
    status = p_status,
    admin_notes = coalesce(note, t.admin_notes),
    rejection_reason = case when p_status = 'rejected' then why end,
    approval_annulled_reason = null,
    approved_at = case when p_status = 'approved' then private.now() else t.approved_at end,
    paid_at = case when p_status = 'paid' then private.payment_instant(p_paid_on, t.created_at) end,
    settlement_reference = case when p_status = 'paid' then nullif(btrim(p_reference), '') end,
    association_name = case when p_status = 'paid' then nullif(btrim(p_association_name), '') end,
    association_number = case when p_status = 'paid' then p_association_number end
    where t.id = r.id returning * into r;
  return query select r, false;
end
$function$;
grant execute on function private.decide_payment_request(uuid,text,text,text,integer,numeric,text,text,text,date) to api_key;
grant execute on function private.decide_payment_request(uuid,text,text,text,integer,numeric,text,text,text,date) to authenticated;

CREATE FUNCTION private.decide_waiver(p_act_id uuid, p_confirms boolean)
 RETURNS TABLE(act public.debt_acts, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  t public.debt_acts;
  account record;
begin
  lock table public.balances in row exclusive mode;
  select * into t from public.debt_acts a where a.id = p_act_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if p_confirms is null then perform private.refuse('decision_required'); end if;
  if t.at is not null or t.given_up_at is not null then
    if (case when p_confirms then t.confirmed_by else t.given_up_by end) is distinct from me or t.annulled_at is not null then
      perform private.refuse('account_changed');
    end if;
    return query select t, true;
    return;
  end if;
  if p_confirms then
    if t.decided_by = me then perform private.refuse('second_admin_to_confirm'); end if;
    select * into account from private.lock_account(t.payee_id);
    if t.amount > account.debt then
      perform private.refuse('debt_changed', jsonb_build_object('debt', account.debt::text));
    end if;
    update public.debt_acts a set at = private.now(), confirmed_by = me, debt_before = account.debt where a.id = t.id returning * into t;
  else
    update public.debt_acts a set given_up_at = private.now(), given_up_by = me where a.id = t.id returning * into t;
  end if;
  perform private.append_audit('debt_acts', t.id, 'update', jsonb_build_object('waits', true),
    jsonb_build_object('kind', t.kind, 'amount', t.amount, 'payee_id', t.payee_id, 'confirmed', p_confirms), t.reason);
  update public.notices n set read_at = private.now() where n.debt_act_id = t.id and n.kind = 'waiver_to_confirm' and n.read_at is null;
  if p_confirms then perform private.tell_of_debt_act('debt_waived', t); end if;
  return query select t, false;
end
$function$;
grant execute on function private.decide_waiver(uuid,boolean) to authenticated;

CREATE FUNCTION private.delete_client(p_client_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_client_id and p.role = 'client'
    and (private.user_role() = 'admin' or p.commercial_id = me) for update;
  if not found then perform private.refuse('client_not_found'); end if;
  perform 1 from public.sales s where s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id for update;
  if (select sum(s.contract_amount) from public.sales s
      where (s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id) and s.status = 'validated') > 0 then
    perform private.refuse('client_has_revenue');
  end if;
  if exists (select 1 from public.commission_payments p where p.recipient_id = p_client_id) then
    perform private.refuse('client_has_commission');
  end if;
  if exists (select 1 from public.payment_requests r where r.client_id = p_client_id) then
    perform private.refuse('client_has_open_request');
  end if;
  if exists (select 1 from public.sales s
      where (s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id) and s.status <> 'rejected') then
    perform private.refuse('client_has_live_referral');
  end if;
  delete from public.sales s where s.friend_referrer_id = p_client_id or s.client_referrer_id = p_client_id;
  delete from auth.users u where u.id = p_client_id;
  return client.full_name;
end
$function$;
grant execute on function private.delete_client(uuid) to authenticated;

CREATE FUNCTION private.delete_list_view(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  delete from private.list_views v where v.id = p_id and v.profile_id = me;
  return found;
end
$function$;
grant execute on function private.delete_list_view(uuid) to authenticated;

CREATE FUNCTION private.deposit_e_invoices(p_paper_ids uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids constant uuid[] := coalesce(p_paper_ids, array(select p.id from public.papers p
    where p.series ~ '^[FA][0-9]{9}$' and not p.is_test and not exists (select from private.e_invoices x where x.paper_id = p.id)));
  asked uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  if not exists (select from private.e_invoicing s where s.is_on) then perform private.refuse('invalid_input'); end if;
  for asked in
    insert into private.e_invoices as e (paper_id)
    select p.id from public.papers p where p.id = any (ids) and private.is_e_invoice(p) order by p.id
    on conflict (paper_id) do update set state = 'waiting', run_at = now(), leased_until = '-infinity', words = null,
        -- An attempt's number is that of one node alone, as long as it waits.
        attempts = case when e.state = 'waiting' then e.attempts else 0 end
      where e.state in ('exported', 'elsewhere') or e.state = 'refused' and e.code is distinct from '210' and e.code is distinct from '220'
        -- One that waits leaves now, unless a node has it.
        or e.state = 'waiting' and e.leased_until < now()
    returning e.paper_id
  loop
    perform private.record_e_invoice_status(asked, 'asked', null, now(), null);
    done := done + 1;
  end loop;
  return done;
end
$function$;
grant execute on function private.deposit_e_invoices(uuid[]) to authenticated;

CREATE FUNCTION private.dossier_sent_at(p_period text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return (select max(a.at) from public.audit_entries a where a.entity = 'exports' and a.action = 'send' and a.after ->> 'period' = p_period);
end
$function$;
grant execute on function private.dossier_sent_at(text) to authenticated;

CREATE FUNCTION private.doubt_bank_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_doubts private.doubt[] := array(
    select row('shared_iban', 'iban', o.client_id)::private.doubt
    from public.payee_ibans i join public.payee_ibans o on o.mark = i.mark and o.client_id <> i.client_id where i.id = new.iban_id);
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(null, null, new.payee_id, v_doubts); end if;
  return null;
end
$function$;

CREATE FUNCTION private.doubt_device(p_sale_id uuid, p_ip text, p_user_agent text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id;
  if exists (select from auth.sessions t where t.user_id = sale.friend_referrer_id and t.ip = p_ip and t.user_agent = p_user_agent
      and greatest(t.created_at, t.refreshed_at) > now() - interval '30 days') then
    perform private.keep_doubts(sale.id, null, sale.friend_referrer_id, array[row('same_device', 'device', null)::private.doubt]);
  end if;
end
$function$;

CREATE FUNCTION private.doubt_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_doubts private.doubt[] := array(
    select row('shared_iban', 'iban', o.client_id)::private.doubt
    from public.payee_ibans i join public.payee_ibans o on o.mark = i.mark and o.client_id <> i.client_id where i.id = new.iban_id
    union all
    select row('changed_iban', 'delay', null)::private.doubt from public.payee_ibans i
    where i.id = new.iban_id and i.confirmed_at is null and i.usable_from > i.created_at
      and i.created_at > private.now() - interval '7 days');
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(null, new.id, new.client_id, v_doubts); end if;
  return null;
end
$function$;

CREATE FUNCTION private.doubt_sale()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_payee constant uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  v_doubts private.doubt[] := array(select d from private.doubts_of_sale(new.id) d);
  v_most integer;
begin
  if cardinality(v_doubts) > 0 then perform private.keep_doubts(new.id, null, v_payee, v_doubts); end if;
  if tg_op = 'INSERT' and new.friend_referrer_id is not null then
    select r.most into v_most from public.doubt_rules r where r.code = 'burst';
    if (select count(*) from (select from public.sales s where s.friend_referrer_id = v_payee
        and s.created_at > new.created_at - interval '1 hour' and s.corrects_sale_id is null
        and not exists (select from private.imported_rows r where r.sale_id = s.id) limit v_most + 1) c) > v_most then
      perform private.keep_doubts(null, null, v_payee, array[row('burst', 'number', null)::private.doubt]);
    end if;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.doubts_of_sale(p_sale_id uuid)
 RETURNS SETOF private.doubt
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  -- A switchboard's number, or one typed in where none was known, says no more of a thousand people than of ten.
  most_named constant integer := 10;
  s record;
  friend_mailbox text;
  own_mailbox text;
  friend_phone text;
  own_phone text;
  own_name text;
begin
  select p.id as payee_id, t.commercial_id, t.referred_contact_name, t.referred_contact_email, t.referred_contact_phone,
      p.email, p.phone, p.full_name into s
    from public.sales t join public.profiles p on p.id = coalesce(t.friend_referrer_id, t.client_referrer_id)
    where t.id = p_sale_id;
  if not found then return; end if;
  friend_mailbox := private.loose_mailbox_of(s.referred_contact_email);
  own_mailbox := private.loose_mailbox_of(s.email);
  friend_phone := private.phone_of(s.referred_contact_phone);
  own_phone := private.phone_of(s.phone);
  if length(friend_phone) < 8 then friend_phone := null; end if;
  if length(own_phone) < 8 then own_phone := null; end if;
  own_name := private.likeness_of_name(s.full_name);
  if friend_mailbox = own_mailbox then return next row('self_referral', 'email', null)::private.doubt; end if;
  if friend_phone = own_phone then return next row('self_referral', 'phone', null)::private.doubt; end if;
  if private.likeness_of_name(s.referred_contact_name) = own_name then
    return next row('self_referral', 'name', null)::private.doubt;
  end if;
  return query select k.rule, 'email', o.id
    from (values ('known_friend', friend_mailbox), ('team_referrer', own_mailbox)) k (rule, mailbox)
    cross join lateral (select p.id from public.profiles p
      where private.loose_mailbox_of(p.email) = k.mailbox and p.email <> '' and p.deactivated_at is null
        and case k.rule when 'known_friend' then p.id <> s.payee_id else p.role <> 'client' end limit most_named) o;
  if num_nonnulls(friend_phone, own_phone) > 0 then
    return query select k.rule, 'phone', o.id
      from (values ('known_friend', friend_phone), ('team_referrer', own_phone)) k (rule, phone)
      cross join lateral (select p.id from public.profiles p
        where private.phone_of(p.phone) = k.phone and p.phone is not null and p.deactivated_at is null
          and case k.rule when 'known_friend' then p.id <> s.payee_id else p.role <> 'client' end limit most_named) o;
  end if;
  return query select 'team_referrer', 'name', p.id from public.profiles p
    where p.id = s.commercial_id and private.likeness_of_name(p.full_name) = own_name;
end
$function$;

CREATE FUNCTION private.drop_empty_batches()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.payment_batches b where b.id in (select o.batch_id from old_rows o)
    and not exists (select from public.payment_batch_lines l where l.batch_id = b.id);
  return null;
end
$function$;

CREATE FUNCTION private.drop_unproven_identities()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.kind in ('confirmation', 'recovery') and coalesce(current_setting('app.provider_sign_in', true), '') <> new.user_id::text then
    delete from auth.identities i using auth.users u
      where u.id = new.user_id and i.user_id = u.id and u.email_confirmed_at is null and u.invited_at is null
        and i.email = u.email and i.provider not in ('email', 'phone')
        and coalesce(i.identity_data ->> 'email_verified', 'false') <> 'true';
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.e_invoice_delay(p_attempt integer, p_retry_after integer)
 RETURNS double precision
 LANGUAGE sql
 SET search_path TO ''
RETURN GREATEST((((ARRAY[60, 300, 900, 3600, 7200, 14400, 28800])[LEAST(p_attempt, 7)])::double precision * ((0.9)::double precision + (random() * (0.2)::double precision))), (CASE WHEN (p_retry_after IS NOT NULL) THEN LEAST(p_retry_after, 28800) ELSE NULL::integer END)::double precision);

CREATE FUNCTION private.e_invoice_history(p_paper_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin', 'comptable', 'commercial', 'client');
  reads_all constant boolean := private.user_role() in ('admin', 'comptable');
begin
  if not exists (select from public.papers p where p.id = p_paper_id and (reads_all or p.payee_id = me)) then
    perform private.refuse('not_found');
  end if;
  return coalesce((select jsonb_agg(jsonb_build_object('code', s.code, 'words', case when reads_all then s.words end, 'at', s.at)
      order by s.at, s.id)
    from private.e_invoice_statuses s where s.paper_id = p_paper_id), '[]');
end
$function$;
grant execute on function private.e_invoice_history(uuid) to authenticated;

CREATE FUNCTION private.e_invoices_shown(p_paper_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin', 'comptable', 'commercial', 'client');
begin
  return coalesce((select jsonb_agg(jsonb_build_object('paper_id', p.id, 'state', coalesce(e.state, 'unsent'), 'code', e.code,
      'words', case when private.user_role() in ('admin', 'comptable') then e.words end, 'deposited_at', e.deposited_at,
      'exported_at', e.exported_at, 'elsewhere_on', e.elsewhere_on,
      'next_at', case when e.state = 'waiting' and e.attempts > 0 then e.run_at end))
    from public.papers p left join private.e_invoices e on e.paper_id = p.id
    where p.id = any (p_paper_ids) and private.is_e_invoice(p) and (private.user_role() in ('admin', 'comptable') or p.payee_id = me)), '[]');
end
$function$;
grant execute on function private.e_invoices_shown(uuid[]) to authenticated;

CREATE FUNCTION private.e_invoices_to_check(p_most integer)
 RETURNS TABLE(paper_id uuid, flow_id text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH asked AS (
          SELECT e_1.paper_id
            FROM private.e_invoices e_1
           WHERE (e_1.state = 'deposited'::text)
           ORDER BY e_1.checked_at
          LIMIT e_invoices_to_check.p_most
          FOR UPDATE OF e_1 SKIP LOCKED
         )
  UPDATE private.e_invoices e SET checked_at = clock_timestamp()
    FROM asked
   WHERE (e.paper_id = asked.paper_id)
   RETURNING e.paper_id,
     e.flow_id;
END;

CREATE FUNCTION private.e_invoicing_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_on constant boolean := exists (select from private.e_invoicing s where s.is_on);
  invoices bigint;
  unsent bigint;
  never bigint;
begin
  perform private.require_role('admin');
  select count(*) filter (where p.issued_on >= date_trunc('year', private.today())::date),
      count(*) filter (where e.paper_id is null or e.state in ('exported', 'refused') or e.state = 'waiting' and not is_on),
      count(*) filter (where e.paper_id is null)
    into invoices, unsent, never
    from public.papers p left join private.e_invoices e on e.paper_id = p.id where p.series ~ '^[FA][0-9]{9}$' and not p.is_test;
  return jsonb_build_object(
    'platform', (select jsonb_build_object('flow_url', s.flow_url, 'directory_url', s.directory_url, 'token_url', s.token_url,
      'client_id', s.client_id, 'tried_at', s.tried_at, 'is_on', s.is_on) from private.e_invoicing s),
    'is_session_fresh', private.is_session_fresh(),
    'siren', (select s.siren from private.paper_settings s),
    'issues_papers', coalesce((select s.issues_papers from private.paper_settings s), false),
    'mandates', (select count(*) from private.mandates m where m.revoked_at is null),
    'invoices', invoices, 'unsent', unsent, 'never', never,
    'waiting', (select count(*) from private.e_invoices e where e.state = 'waiting'),
    'refused', (select count(*) from private.e_invoices e where e.state = 'refused'),
    'trouble', (select e.words from private.e_invoices e where e.state = 'waiting' and e.words is not null order by e.run_at desc limit 1));
end
$function$;
grant execute on function private.e_invoicing_shown() to authenticated;

CREATE FUNCTION private.earlier_referral(p_client uuid, p_email text, p_phone text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH same AS (
          SELECT s_1.id,
             s_1.created_at,
             s_1.friend_referrer_id,
             s_1.corrects_sale_id,
             s_1.status,
             s_1.is_test
            FROM public.sales s_1
           WHERE ((private.mailbox_of(s_1.referred_contact_email) = private.mailbox_of(earlier_referral.p_email)) AND (s_1.referred_contact_email IS NOT NULL))
         UNION ALL
          SELECT s_1.id,
             s_1.created_at,
             s_1.friend_referrer_id,
             s_1.corrects_sale_id,
             s_1.status,
             s_1.is_test
            FROM public.sales s_1
           WHERE ((private.phone_of(s_1.referred_contact_phone) = private.phone_of(earlier_referral.p_phone)) AND (s_1.referred_contact_phone IS NOT NULL))
         )
  SELECT s.id
    FROM ((same s
      JOIN public.profiles c ON ((c.id = earlier_referral.p_client)))
      CROSS JOIN public.company_settings settings)
   WHERE ((s.friend_referrer_id <> c.id) AND (s.is_test = c.is_test) AND (s.corrects_sale_id IS NULL) AND (s.status <> 'rejected'::text) AND (s.created_at > (private.now() - make_interval(months => (settings.first_referral_months)::integer))))
   ORDER BY s.created_at, s.id
  LIMIT 1;
END;

CREATE FUNCTION private.earned(p_side jsonb, p_contract numeric, p_position bigint, p_is_first boolean, p_cap_room bigint)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
declare
  cents constant bigint := p_contract * 100;
  place constant bigint := coalesce(p_position, 0);
  -- Of the first step, or of the whole.
  rate bigint := p_side ->> 'value';
  -- Cents by basis points.
  exact bigint;
  total bigint;
begin
  if cents <= 0 or cents < (p_side ->> 'min_contract')::bigint then return 0; end if;
  if p_side ? 'steps' and not p_side ? 'measure' and not p_side ? 'mode' then
    select sum(greatest(least(place + cents, s.until) - greatest(place, s.since), 0) * s.gives) into exact
    from (
      select k.since, k.gives, lead(k.since, 1, 9223372036854775807) over (order by k.since) as until
      from (select 0::bigint as since, rate as gives
        union all select (e.value ->> 'from')::bigint, (e.value ->> 'value')::bigint from jsonb_array_elements(p_side -> 'steps') e) k) s;
  else
    if p_side ? 'steps' then
      rate := coalesce((select (e.value ->> 'value')::bigint from jsonb_array_elements(p_side -> 'steps') e
        where (e.value ->> 'from')::bigint <= place + case when p_side ? 'measure' then 0 else cents end
        order by (e.value ->> 'from')::bigint desc limit 1), rate);
    end if;
    exact := case p_side ->> 'kind' when 'percentage' then cents * rate else rate * 10000 end;
  end if;
  total := (exact + 5000) / 10000;
  total := least(total, (p_side ->> 'cap_contract')::bigint);
  if p_is_first then total := total + coalesce((p_side ->> 'bonus_first')::bigint, 0); end if;
  if p_side ? 'cap_period' then total := least(total, greatest(coalesce(p_cap_room, (p_side ->> 'cap_period')::bigint), 0)); end if;
  return round(total::numeric / 100, 2);
end
$function$;
grant execute on function private.earned(jsonb,numeric,bigint,boolean,bigint) to parrain_service;

CREATE FUNCTION private.earned_of_sale(p_sale_id uuid, p_side text, p_type text, p_rate numeric, p_contract numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  t public.commission_terms;
begin
  if p_contract <= 0 then return 0; end if;
  select * into t from public.commission_terms k where k.sale_id = p_sale_id and k.type = p_side;
  if not found then return private.commission(p_type, p_rate, p_contract); end if;
  return private.earned(t.rules, p_contract, t.position, t.is_first, t.cap_room);
end
$function$;
grant execute on function private.earned_of_sale(uuid,text,text,numeric,numeric) to parrain_service;

CREATE FUNCTION private.effect_of(s public.sales, p_sign integer)
 RETURNS private.sale_effect
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ROW(COALESCE((s).commercial_id, '00000000-0000-0000-0000-000000000000'::uuid), private.sale_state((s).status, (s).ready_for_validation, (s).admin_validated, (s).corrects_sale_id), COALESCE((s).friend_referrer_id, (s).client_referrer_id), ((s).friend_referrer_id IS NOT NULL), CASE WHEN ((s).contract_left IS NULL) THEN p_sign ELSE 0 END, ((p_sign)::numeric * COALESCE((s).contract_amount, (0)::numeric)), ((p_sign)::numeric * COALESCE((s).client_commission_amount, (0)::numeric)), ((p_sign)::numeric * COALESCE((s).commercial_commission_amount, (0)::numeric)), CASE WHEN (s).admin_validated THEN (p_sign * (1 + ((COALESCE((s).friend_referrer_id, (s).client_referrer_id) IS NOT NULL))::integer)) ELSE 0 END, CASE WHEN ((s).contract_left IS NULL) THEN 0 ELSE p_sign END)::private.sale_effect;
grant execute on function private.effect_of(public.sales,integer) to parrain_service;

CREATE FUNCTION private.end_appointment(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  update private.appointment_requests a set handled_at = now(), handled_by = me where a.id = p_id and a.handled_at is null;
  update public.notices n set read_at = now() where n.appointment_id = p_id and n.read_at is null;
end
$function$;
grant execute on function private.end_appointment(uuid) to authenticated;

CREATE FUNCTION private.end_archive(p_id uuid, p_attempt integer, p_row_count bigint, p_size bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcome constant text := case when p_size is null then 'failed' else 'ready' end;
begin
  update private.archives a set status = outcome, ended_at = now(), row_count = p_row_count, size = p_size
    where a.id = p_id and a.attempt = p_attempt and a.status = 'making';
  if not found then perform private.refuse('archive_gone'); end if;
  if outcome = 'ready' then
    delete from private.archives a where a.id <> p_id;
  else
    delete from private.archive_parts p where p.archive_id = p_id;
  end if;
  with written as (
    insert into public.notices (recipient_id, kind, archive_id)
    select p.id, 'archive_' || outcome, p_id from public.profiles p
    where p.id = any ((select private.active_admins())::uuid[])
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.end_call_back()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = new.id;
  if not found or private.is_open(old) = private.is_open(sale) then return null; end if;
  delete from public.follow_ups f where f.sale_id = sale.id and f.private_note is null
    and (not private.is_open(sale) or f.updated_at < private.now());
  update public.follow_ups f set call_back_on = null, reminded_on = null, updated_at = private.now()
    where f.sale_id = sale.id and f.call_back_on is not null
      and (not private.is_open(sale) or f.updated_at < private.now());
  return null;
end
$function$;

CREATE FUNCTION private.end_checks(p_case public.doubtful_cases)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids uuid[];
  v_payee uuid;
begin
  if p_case.sale_id is not null then
    ids := array(select h.commission_id from public.commission_payments p join public.commission_holds h on h.commission_id = p.id
      where p.sale_id = p_case.sale_id and h.is_under_check order by h.commission_id for update of h);
  elsif p_case.request_id is null then
    ids := array(select h.commission_id from public.commission_holds h
      join public.commission_payments p on p.id = h.commission_id join public.sales s on s.id = p.sale_id
      where coalesce(s.friend_referrer_id, s.client_referrer_id) = p_case.payee_id and h.is_under_check
      order by h.commission_id for update of h);
  end if;
  for v_payee in
    with ended as (
      update public.commission_holds h set is_under_check = false
      from public.commission_payments p join public.sales s on s.id = p.sale_id
      where h.commission_id = any (ids) and p.id = h.commission_id and not exists (
        select from public.doubtful_cases c where c.status <> 'cleared' and (c.sale_id = p.sale_id
          or c.payee_id = coalesce(s.friend_referrer_id, s.client_referrer_id) and c.sale_id is null and c.request_id is null))
      returning h.payee_id)
    select distinct e.payee_id from ended e order by e.payee_id
  loop
    perform private.release_holds(v_payee, 1000);
  end loop;
end
$function$;

CREATE FUNCTION private.end_control(p_id uuid, p_is_confirmed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  change private.control_changes;
begin
  select * into change from private.control_changes c where c.id = p_id and c.outcome is null for update;
  if not found then perform private.refuse('control_change_over'); end if;
  if p_is_confirmed and change.asked_by is not distinct from me then perform private.refuse('second_admin_to_confirm'); end if;
  update private.control_changes c set outcome = case when p_is_confirmed then 'confirmed' else 'withdrawn' end,
    ended_by = me, ended_at = now() where c.id = p_id;
  if p_is_confirmed then
    perform private.apply_control(change.control, change.value);
  else
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'withdraw_control', null,
      jsonb_build_object('control', change.control, 'value', change.value), null);
  end if;
end
$function$;
grant execute on function private.end_control(uuid,boolean) to authenticated;

CREATE FUNCTION private.end_my_session(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client', 'comptable');
begin
  delete from auth.sessions s where s.id = p_id and s.user_id = me;
  if not found then return false; end if;
  insert into auth.audit_entries (user_id, action, detail) values (me, 'logout', '{"scope": "one"}');
  return true;
end
$function$;
grant execute on function private.end_my_session(uuid) to authenticated;

CREATE FUNCTION private.end_notices(p_kinds text[], p_sale_id uuid, p_request_id uuid, p_dispute_id uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE public.notices n SET read_at = private.now()
   WHERE (n.id IN ( SELECT o.id
            FROM public.notices o
           WHERE ((o.read_at IS NULL) AND (o.kind = ANY (end_notices.p_kinds)) AND ((o.sale_id = end_notices.p_sale_id) OR (o.request_id = end_notices.p_request_id) OR (o.dispute_id = end_notices.p_dispute_id)))
          FOR UPDATE OF o SKIP LOCKED));
END;

CREATE FUNCTION private.ends_account(p_code text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE((p_code = ANY (ARRAY['AC01'::text, 'AC03'::text, 'AC04'::text, 'AC06'::text, 'AC07'::text, 'AC14'::text, 'AG01'::text, 'BE06'::text, 'MD07'::text])), false);
grant execute on function private.ends_account(text) to authenticated;
grant execute on function private.ends_account(text) to parrain_service;
grant execute on function private.ends_account(text) to service_role;

CREATE FUNCTION private.erase_announced(p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.contacts_heard_since();
  v_due uuid[];
begin
  delete from private.announced_erasures a using public.sales s
    where s.id = a.sale_id and a.kept_at is null and not private.is_forgettable(s, v_since);
  select array_agg(d.sale_id) into v_due from (
    select a.sale_id from private.announced_erasures a where a.kept_at is null and a.erase_on <= private.today()
      order by a.erase_on, a.sale_id limit p_most for update skip locked) d;
  if v_due is null then return 0; end if;
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Contact effacé : sans nouvelles depuis longtemps'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = any (v_due);
  return cardinality(v_due);
end
$function$;

CREATE FUNCTION private.erase_contact(p_sale_id uuid, p_mark bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale record;
begin
  perform private.lock_contact(p_mark);
  perform set_config('app.friend', 'on', true), set_config('app.reason', 'Contact effacé à sa demande', true);
  update public.sales s set
    status = case when s.ready_for_validation then s.status else 'rejected' end,
    rejection_reason = case when s.ready_for_validation then s.rejection_reason
      else coalesce(s.rejection_reason, 'Contact effacé à sa demande') end,
    referred_contact_name = 'Contact effacé à sa demande', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = p_sale_id or s.corrects_sale_id = p_sale_id;
  perform set_config('app.friend', '', true), set_config('app.reason', '', true);
  select s.id, s.commercial_id into sale from public.sales s where s.id = p_sale_id;
  perform private.tell_friend_said_no(sale.id, sale.commercial_id);
end
$function$;

CREATE FUNCTION private.exceeds_one_admin(p_payee_id uuid, p_amount numeric)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN ((p_amount > (0)::numeric) AND (((p_amount + COALESCE((SELECT sum(t.amount) AS sum FROM public.debt_acts t WHERE ((t.payee_id = exceeds_one_admin.p_payee_id) AND (t.kind = 'waiver'::text) AND (t.at IS NOT NULL) AND (t.confirmed_by IS NULL) AND (t.annulled_at IS NULL) AND (t.at > (private.now() - '1 year'::interval)))), (0)::numeric)) + COALESCE((SELECT sum(d.adjustment) AS sum FROM public.disputes d WHERE ((d.payee_id = exceeds_one_admin.p_payee_id) AND (d.opened_by = d.closed_by) AND (d.adjustment > (0)::numeric) AND (d.adjustment_annulled_at IS NULL) AND (d.closed_at > (private.now() - '1 year'::interval)))), (0)::numeric)) > (SELECT c.release_above FROM public.company_settings c)));

CREATE FUNCTION private.exclude_writers()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before constant text := current_setting('lock_timeout');
begin
  for attempt in 1 .. 50 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      lock table auth.users, public.profiles, public.commission_rates, public.sales, public.commission_payments,
        public.payment_requests, public.commission_holds, public.balances in exclusive mode;
      perform set_config('lock_timeout', before, true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_catalog.pg_sleep(0.05);
    end;
  end loop;
  perform private.refuse('unavailable');
end
$function$;

CREATE FUNCTION private.factor_wait(f auth.factors)
 RETURNS double precision
 LANGUAGE sql
 SET search_path TO ''
RETURN CASE WHEN ((f).failures < 5) THEN (0)::double precision ELSE GREATEST((0)::double precision, (LEAST(((15)::double precision * ((2)::double precision ^ (LEAST(((f).failures - 5), 10))::double precision)), (900)::double precision) - (EXTRACT(epoch FROM (clock_timestamp() - (f).failed_at)))::double precision)) END;
grant execute on function private.factor_wait(auth.factors) to parrain_service;

CREATE FUNCTION private.file_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  subjects uuid[];
begin
  case new.entity
    when 'sales' then
      select array[s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.corrects_sale_id] into subjects
        from public.sales s where s.id = new.entity_id;
      if new.before ?| array['commercial_id', 'client_referrer_id', 'friend_referrer_id'] then
        subjects := subjects || array[(new.before ->> 'commercial_id')::uuid, (new.before ->> 'client_referrer_id')::uuid,
          (new.before ->> 'friend_referrer_id')::uuid, (new.before ->> 'corrects_sale_id')::uuid];
      end if;
    when 'commission_payments' then
      select array[c.sale_id, c.recipient_id] into subjects from public.commission_payments c where c.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'sale_id')::uuid, (new.before ->> 'recipient_id')::uuid]);
    when 'payment_requests' then
      select array[r.client_id] into subjects from public.payment_requests r where r.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'client_id')::uuid]);
    when 'account_closure_requests' then
      select array[r.profile_id] into subjects from public.account_closure_requests r where r.id = new.entity_id;
      subjects := coalesce(subjects, array[(new.before ->> 'profile_id')::uuid]);
    when 'paid_periods' then
      subjects := array[(new.after ->> 'payee_id')::uuid];
  end case;
  insert into figures.audit_subjects (about_id, at, entry_id, entity)
    select distinct s.id, new.at, new.id, new.entity from unnest(subjects) s (id) where s.id is not null;
  -- Who is given a sale has its whole trail, not what follows alone.
  if new.entity = 'sales' and new.action = 'update'
    and new.before ?| array['commercial_id', 'client_referrer_id', 'friend_referrer_id'] then
    insert into figures.audit_subjects (about_id, at, entry_id, entity)
      select s.id, a.at, a.id, a.entity
      from public.sales o cross join lateral unnest(array[o.commercial_id, o.client_referrer_id, o.friend_referrer_id]) s (id)
      join public.audit_entries a on a.entity = 'sales' and a.entity_id = o.id
      where o.id = new.entity_id and s.id is not null
      on conflict do nothing;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.find_payments_made(p_pattern text, p_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  people constant uuid[] := private.find_profiles(p_pattern, p_most);
  found uuid[];
begin
  if people is null then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select e.source_id as id from public.ledger_entries e
    where e.payee_id = any (people) and (e.credit = 'paid' or e.debit = 'paid')
    union
    select r.id from public.payment_requests r
    where r.settlement_reference is not null and private.plain_letters(r.settlement_reference) like pattern
    limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$function$;
grant execute on function private.find_payments_made(text,integer) to authenticated;

CREATE FUNCTION private.find_profiles(p_pattern text, p_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  found uuid[];
begin
  -- Nobody else sees so many people that finding them first would help.
  if private.user_role() is distinct from 'admin' or p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select p.id from public.profiles p
    where private.person_terms(p.full_name, p.email, p.phone, p.company) like pattern limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$function$;
grant execute on function private.find_profiles(text,integer) to authenticated;
grant execute on function private.find_profiles(text,integer) to service_role;

CREATE FUNCTION private.find_sales(p_pattern text, p_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  me constant uuid := private.uid();
  pattern constant text := private.terms_pattern(p_pattern);
  found uuid[];
begin
  if private.user_role() = 'admin' then
    -- Three letters in a row are the least that a trigram index can look for.
    if p_pattern !~ '[[:alnum:]]{3}' then return null; end if;
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern limit p_most + 1) f;
  else
    -- The same sight as sales_authenticated_read: of one's own rows all can be read.
    select coalesce(array_agg(f.id), '{}') into found from (
      select s.id from public.sales s
      where s.commercial_id = me
        and private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern
      union
      select s.id from public.sales s
      where s.friend_referrer_id = me
        and private.sale_terms(s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, s.contract_description)
        like pattern
      limit p_most + 1) f;
  end if;
  return case when cardinality(found) > p_most then null else found end;
end
$function$;
grant execute on function private.find_sales(text,integer) to authenticated;
grant execute on function private.find_sales(text,integer) to service_role;

CREATE FUNCTION private.find_sent_mails(p_pattern text, p_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  pattern constant text := private.terms_pattern(p_pattern);
  people constant uuid[] := private.find_profiles(p_pattern, p_most);
  found uuid[];
begin
  if people is null then return null; end if;
  select coalesce(array_agg(f.id), '{}') into found from (
    select m.id from private.mails m join public.profiles p on p.email = m.recipient where p.id = any (people)
    union
    select m.id from private.mails m where m.recipient is not null and private.plain_letters(m.recipient) like pattern
    limit p_most + 1) f;
  return case when cardinality(found) > p_most then null else found end;
end
$function$;
grant execute on function private.find_sent_mails(text,integer) to authenticated;

CREATE FUNCTION private.finish_idempotent_answer(p_key text, p_status integer, p_body text)
 RETURNS TABLE(status integer, body text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.idempotency_keys k set status = p_status, body = p_body
    where coalesce(k.user_id, k.api_key_id) = private.uid() and k.key = p_key and k.status = 102;
  return query select k.status, k.body from private.idempotency_keys k
    where coalesce(k.user_id, k.api_key_id) = private.uid() and k.key = p_key;
end
$function$;
grant execute on function private.finish_idempotent_answer(text,integer,text) to api_key;
grant execute on function private.finish_idempotent_answer(text,integer,text) to authenticated;

CREATE FUNCTION private.first_call_days_of(p_id uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select percentile_disc(0.5) within group (order by floor(extract(epoch from s.contacted_at - s.created_at) / 86400))::integer
  from public.sales s
  where s.commercial_id = p_id and s.created_at >= private.now() - interval '3 months' and s.contacted_at is not null
    and s.corrects_sale_id is null and private.user_role() = 'admin'
$function$;
grant execute on function private.first_call_days_of(uuid) to authenticated;
grant execute on function private.first_call_days_of(uuid) to service_role;

CREATE FUNCTION private.first_call_was_due_until()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(private.now() - make_interval(hours => 24 * c.follow_up_days),
    (select (min(k.day) at time zone 'Europe/Paris') - interval '1 microsecond' from (
      select d.day from (
        select date_trunc('day', private.now() at time zone 'Europe/Paris') - make_interval(days => n) as day from generate_series(1, 21) n) d
      where extract(isodow from d.day) < 6 order by d.day desc limit coalesce(c.answer_days, 0)) k))
  from public.company_settings c
$function$;
grant execute on function private.first_call_was_due_until() to authenticated;
grant execute on function private.first_call_was_due_until() to service_role;

CREATE FUNCTION private.first_steps(OUT done text[], OUT skipped text[], OUT is_empty boolean, OUT has_test_data boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  is_empty := not exists (select from public.sales s);
  has_test_data := exists (select from public.profiles p where p.is_test and p.role <> 'admin')
    or exists (select from public.commission_rates r where r.is_test);
  select c.skipped_steps, array_remove(array[
      case when c.company_name <> 'Mon Entreprise' or c.logo_url is not null then 'company' end,
      case when exists (select from public.commission_rates r where r.archived_at is null) then 'scale' end,
      case when exists (select from public.profiles p where p.role = 'commercial') then 'commercial' end,
      -- A message of trial, or a first invitation: the many mails of later years are not looked through.
      case when is_empty and exists (select from private.mails m where m.status = 'accepted'
        and m.template in ('trial', 'commercial-invitation', 'client-invitation')) then 'mail' end,
      case when exists (select from private.legal_notice n) then 'legal' end], null)
    into skipped, done
    from public.company_settings c;
end
$function$;
grant execute on function private.first_steps() to authenticated;

CREATE FUNCTION private.fixed_client_commission()
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when r.client_commission_type = 'fixed' and r.client_rules is null then r.client_commission_amount end
  from private.scale_for(null, null) r
$function$;
grant execute on function private.fixed_client_commission() to authenticated;

CREATE FUNCTION private.fold_side(p_side text, p_rules jsonb, p_rate_id uuid, p_since timestamp with time zone, p_is_test boolean)
 RETURNS TABLE(contract_id uuid, payee_id uuid, validated_at timestamp with time zone, moved numeric, given numeric, would_give numeric, is_over_cap boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  unit constant text := coalesce(p_rules ->> 'window', 'year');
  cap constant bigint := p_rules ->> 'cap_period';
  counts_all constant boolean := p_rules ? 'counts_over';
  -- The bonus asks whether there ever was a contract, of any scale.
  looks_at_all constant boolean := counts_all or p_rules ? 'bonus_first';
  since constant timestamptz := case
    when p_rules ? 'bonus_first' or unit = 'lifetime' then '-infinity'
    when p_rules ? 'steps' or cap is not null
      then private.month_start(date_trunc(unit, p_since at time zone 'Europe/Paris')::date)
    else p_since end;
  e record;
  payee uuid;
  window_ timestamp;
  -- Cents that the window gave so far.
  so_far bigint;
  stands bigint;
  first boolean;
  room bigint;
  total numeric;
  -- Of contracts that were corrected: position, first, room and what they would give.
  frozen jsonb := '{}';
begin
  for e in
    with entries as (
      select s.id, o.id as contract, o.validated_at as counted_at, s.validated_at as at, s.corrects_sale_id is not null as is_correction,
        s.contract_left as rest, s.contract_amount as amount, o.commission_rate = p_rate_id as is_own,
        case p_side when 'client' then coalesce(o.friend_referrer_id, o.client_referrer_id) else o.commercial_id end as payee,
        case p_side when 'client' then s.client_commission_amount else s.commercial_commission_amount end as gave,
        case unit when 'lifetime' then '-infinity' else date_trunc(unit, o.validated_at at time zone 'Europe/Paris') end as counted_in
      from public.sales o join public.sales s on coalesce(s.corrects_sale_id, s.id) = o.id
      where o.admin_validated and o.corrects_sale_id is null and o.is_test = p_is_test and o.validated_at >= since
        and (o.commission_rate = p_rate_id or looks_at_all) and s.admin_validated)
    select t.*,
      sum(case when t.is_correction then case when t.rest is null then -1 else 0 end else 1 end) over ever as contracts_ever,
      sum(case when t.is_correction then case when t.rest is null then -1 else 0 end else 1 end) filter (where t.is_own or counts_all)
        over within as contracts_before,
      sum(t.amount) filter (where t.is_own or counts_all) over within as revenue_before,
      count(*) over (partition by t.contract) > 1 as is_corrected
    from entries t where t.payee is not null
    window ever as (partition by t.payee order by t.at, t.is_correction, t.id rows between unbounded preceding and 1 preceding),
      within as (partition by t.payee, t.counted_in order by t.at, t.is_correction, t.id rows between unbounded preceding and 1 preceding)
    order by t.payee, t.counted_in, t.at, t.is_correction, t.id
  loop
    if (payee, window_) is distinct from (e.payee, e.counted_in) then
      payee := e.payee; window_ := e.counted_in; so_far := 0; frozen := '{}';
    end if;
    if not e.is_own or e.counted_at < p_since then
      if e.is_own or counts_all then so_far := so_far + (e.gave * 100)::bigint; end if;
      continue;
    end if;
    if e.is_correction then
      stands := frozen #>> array[e.contract::text, '0'];
      first := frozen #>> array[e.contract::text, '1'];
      room := frozen #>> array[e.contract::text, '2'];
      total := private.earned(p_rules, coalesce(e.rest, 0), stands, first, room);
      would_give := total - (frozen #>> array[e.contract::text, '3'])::numeric;
    else
      stands := case when p_rules ? 'measure' then e.contracts_before else e.revenue_before * 100 end;
      first := coalesce(e.contracts_ever, 0) = 0;
      room := greatest(cap - so_far, 0);
      total := private.earned(p_rules, e.amount, stands, first, room);
      would_give := total;
    end if;
    if e.is_corrected then
      frozen := frozen || jsonb_build_object(e.contract, jsonb_build_array(stands, first, room, total));
    end if;
    contract_id := e.contract; payee_id := e.payee; validated_at := e.counted_at; moved := e.amount; given := e.gave;
    is_over_cap := room = 0;
    so_far := so_far + (would_give * 100)::bigint;
    return next;
  end loop;
end
$function$;
grant execute on function private.fold_side(text,jsonb,uuid,timestamp with time zone,boolean) to parrain_service;

CREATE FUNCTION private.follow_payee_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v private.received_invoices;
begin
  update private.received_invoices r
    set state = case new.status when 'lapsed' then 'listed' else new.status end,
      invoice_id = case when new.status <> 'lapsed' then r.invoice_id end,
      decided_at = case when new.status <> 'lapsed' then private.now() end,
      refusal_reason = case when new.status = 'refused' then new.refusal_reason end,
      tried_at = '-infinity'
    where r.invoice_id = new.id returning r.* into v;
  if found and new.status in ('accepted', 'refused') then
    insert into private.received_invoice_statuses (received_id, code, reason)
    values (v.id, case new.status when 'accepted' then '205' else '210' end, new.refusal_reason);
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.forecast(p_type text, p_value numeric, p_rules jsonb, p_contract numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
begin
  if p_rules is null then return private.commission(p_type, p_value, p_contract); end if;
  return private.earned(p_rules || jsonb_build_object('kind', p_type, 'value', (p_value * 100)::bigint), p_contract, 0, false, null);
end
$function$;
grant execute on function private.forecast(text,numeric,jsonb,numeric) to parrain_service;

CREATE FUNCTION private.forget_control()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from figures.control_until;
  delete from figures.control_months;
  return null;
end
$function$;

CREATE FUNCTION private.forget_control_of_past()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from new_rows n where n.at < private.now() - interval '1 hour') then
    lock table figures.control_until in row exclusive mode;
    delete from figures.control_until;
    delete from figures.control_months;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.forget_counted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from old_rows o where o.admin_validated) then
    delete from figures.counted_until;
    delete from figures.validated_months;
    delete from figures.referral_months;
    delete from figures.best_referrers;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.forget_debt_acts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.debt_acts t where t.is_test;
  delete from public.disputes d where d.is_test and d.opened_by is not null;
  return null;
end
$function$;

CREATE FUNCTION private.forget_doubts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.doubtful_cases c where c.sale_id = new.id;
  return null;
end
$function$;

CREATE FUNCTION private.forget_email_proof()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.email_proven_at := null;
  return new;
end
$function$;
grant execute on function private.forget_email_proof() to parrain_service;

CREATE FUNCTION private.forget_follow_up()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if num_nonnulls(new.referred_contact_email, new.referred_contact_phone) > 0 then return null; end if;
  delete from public.follow_ups f where f.sale_id = new.id;
  delete from private.former_follow_ups o where o.sale_id = new.id;
  delete from public.correction_requests r where r.sale_id = new.id;
  delete from private.refused_referrals r where r.sale_id = new.id;
  delete from private.announced_erasures a where a.sale_id = new.id;
  return null;
end
$function$;

CREATE FUNCTION private.forget_in_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    delete from private.webhook_deliveries d where d.object_id = old.id;
  else
    update private.webhook_deliveries d set answer = null,
        data = d.data || (select jsonb_object_agg(k.key, to_jsonb(new) -> k.key) from unnest(tg_argv) k (key))
      where d.object_id = new.id and d.data ->> 'id' = new.id::text;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.forget_mails_to()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.mails m set recipient = null, sealed = case when m.status <> 'failed' then m.sealed end
    where m.recipient = case tg_table_name when 'sales' then to_jsonb(old) ->> 'referred_contact_email' else to_jsonb(old) ->> 'email' end;
  return null;
end
$function$;

CREATE FUNCTION private.forget_notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.notices n where n.recipient_id = new.id;
  return null;
end
$function$;

CREATE FUNCTION private.forget_paid_periods()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.paid_periods q where q.id in (select o.source_id from old_rows o where o.act = 'payroll');
  if private.is_cleaning() then delete from public.payee_invoices i where i.month is not null and i.is_test; end if;
  return null;
end
$function$;

CREATE FUNCTION private.forget_quarterly_statements()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.papers p where p.quarter is not null and p.is_test and p.payee_id in (select o.payee_id from old_rows o);
  return null;
end
$function$;

CREATE FUNCTION private.funnel_step(s public.sales)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((s).status = 'rejected'::text) THEN CASE WHEN ((s).signed_at IS NOT NULL) THEN 3 WHEN ((s).negotiated_at IS NOT NULL) THEN 2 WHEN ((s).contacted_at IS NOT NULL) THEN 1 ELSE 0 END WHEN (s).ready_for_validation THEN 3 WHEN ((s).status = 'in_negotiation'::text) THEN 2 WHEN ((s).status = 'contacted'::text) THEN 1 ELSE 0 END;

CREATE FUNCTION private.give_accountant_back(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  update public.profiles p set deactivated_at = null where p.id = p_id and p.role = 'comptable';
  if not found then perform private.refuse('not_found'); end if;
end
$function$;
grant execute on function private.give_accountant_back(uuid) to authenticated;

CREATE FUNCTION private.give_referral(p_sale_id uuid, p_client_id uuid, p_reason text, p_seen_version integer)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  sale public.sales;
  v_former uuid;
begin
  if coalesce(btrim(p_reason), '') = '' or not private.is_text(p_reason, 2000) then perform private.refuse('invalid_input'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into sale from public.sales s where s.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.version <> p_seen_version then perform private.refuse('sale_changed'); end if;
  if not private.is_open(sale) then perform private.refuse('sale_not_editable'); end if;
  if not exists (select from private.refused_referrals r where r.sale_id = sale.id and r.client_id = p_client_id) then
    perform private.refuse('client_not_found');
  end if;
  v_former := sale.friend_referrer_id;
  perform set_config('app.reason', btrim(p_reason), true);
  update public.sales s set friend_referrer_id = p_client_id, personal_message = null where s.id = sale.id returning * into sale;
  perform set_config('app.reason', '', true);
  delete from private.refused_referrals r where r.sale_id = sale.id and r.client_id = p_client_id;
  insert into private.refused_referrals (sale_id, client_id) values (sale.id, v_former) on conflict do nothing;
  delete from public.notices n where n.sale_id = sale.id and n.recipient_id = v_former;
  return sale;
end
$function$;
grant execute on function private.give_referral(uuid,uuid,text,integer) to authenticated;

CREATE FUNCTION private.give_temporary_password(p_person uuid, p_password_hash text, p_temporary_until timestamp with time zone)
 RETURNS TABLE(id uuid, full_name text, email text, role text, former_mail_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person for no key update;
  -- Of others' people a commercial learns nothing, not even that they are there.
  if not found or (private.user_role() = 'commercial' and person.commercial_id is distinct from me) then
    perform private.refuse('not_found');
  end if;
  select u.invitation_mail_id into former_mail_id from auth.users u where u.id = p_person for no key update;
  if not private.may_give_temporary_password(p_person) then
    perform private.refuse(case when private.user_role() = 'commercial' then 'invitation_not_pending' else 'forbidden' end);
  end if;
  update auth.users u set encrypted_password = p_password_hash, temporary_password_until = p_temporary_until,
      password_change_required = true, invitation_mail_id = null, updated_at = now()
    where u.id = p_person;
  delete from auth.sessions s where s.user_id = p_person;
  delete from auth.one_time_tokens o where o.user_id = p_person;
  delete from auth.flow_states f where f.user_id = p_person;
  insert into auth.audit_entries (user_id, action, detail)
    values (p_person, 'temporary_password_given', jsonb_build_object('by', me));
  perform private.append_audit('profiles', p_person, 'give_temporary_password', null, null, null);
  return query select person.id, person.full_name, person.email, person.role, former_mail_id;
end
$function$;
grant execute on function private.give_temporary_password(uuid,text,timestamp with time zone) to authenticated;

CREATE FUNCTION private.guard_accounting()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and tg_table_name in ('accounting_months', 'accounting_entries') then return old; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_accounting() to parrain_service;

CREATE FUNCTION private.guard_bank_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse('forbidden');
  return null;
end
$function$;
grant execute on function private.guard_bank_account() to parrain_service;

CREATE FUNCTION private.guard_closed_months()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from new_rows n where n.at < (
      select private.month_start((max(m.month) + interval '1 month')::date) from private.accounting_months m)) then
    perform private.refuse('accounting_month_closed');
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.guard_commission_hold()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and old.ended_at is null
    and (new.commission_id, new.payee_id, new.until, new.is_test) = (old.commission_id, old.payee_id, old.until, old.is_test) then
    if new.ended_at is not null and new.amount = old.amount
      and (new.is_corrected or new.until <= new.ended_at and not old.is_under_check) then
      return new;
    end if;
    -- Less or more is kept after a correction in part.
    if new.ended_at is null and new.amount <> old.amount
      and (new.is_corrected, new.is_under_check) = (old.is_corrected, old.is_under_check) then
      return new;
    end if;
    if new.ended_at is null and old.is_under_check and not new.is_under_check
      and (new.amount, new.is_corrected) = (old.amount, old.is_corrected) then
      return new;
    end if;
  end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_commission_hold() to parrain_service;

CREATE FUNCTION private.guard_commission_payment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  if tg_op <> 'INSERT' then
    if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
    perform private.refuse('forbidden');
  end if;
  select * into sale from public.sales s where s.id = new.sale_id;
  if not sale.admin_validated
    or new.amount is distinct from (case new.type when 'client' then sale.client_commission_amount else sale.commercial_commission_amount end)
    or new.recipient_id is distinct from (case new.type when 'client' then coalesce(sale.friend_referrer_id, sale.client_referrer_id) else sale.commercial_id end) then
    raise exception using errcode = 'check_violation', message = 'a commission is what its validated sale says';
  end if;
  new.is_test := sale.is_test;
  return new;
end
$function$;

CREATE FUNCTION private.guard_commission_rate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  free text[] := array['is_default', 'archived_at'];
  of_version constant text[] := array['name', 'description', 'client_commission_type', 'client_commission_amount',
    'commercial_commission_type', 'commercial_commission_amount', 'client_hold_days', 'from_contract_amount', 'client_rules', 'commercial_rules', 'last_day'];
  v public.scale_versions;
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('scale_in_use'); end if;
    return old;
  end if;
  if private.is_cleaning() and new.replaces_id is null then free := free || 'replaces_id'::text; end if;
  if to_jsonb(new) - free is not distinct from to_jsonb(old) - free then return new; end if;
  v := private.scale_version_on(new.id, private.today());
  if to_jsonb(new) - free - of_version is distinct from to_jsonb(old) - free - of_version
    or (v.name, v.description, v.rules) is distinct from (new.name, new.description, private.scale_rules(new.client_commission_type,
      new.client_commission_amount, new.commercial_commission_type, new.commercial_commission_amount, new.client_hold_days,
      new.from_contract_amount, new.client_rules, new.commercial_rules, new.last_day)) then
    perform private.refuse('scale_in_use');
  end if;
  return new;
end
$function$;
grant execute on function private.guard_commission_rate() to parrain_service;

CREATE FUNCTION private.guard_correction()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  corrected public.sales;
begin
  select * into corrected from public.sales s where s.id = new.corrects_sale_id for update;
  if not corrected.admin_validated or corrected.corrects_sale_id is not null
    or private.left_of_contract(corrected.id) + new.contract_amount <> coalesce(new.contract_left, 0)
    or exists (select from public.sales c where c.corrects_sale_id = corrected.id and c.contract_left is null)
    or (new.commercial_id, new.client_referrer_id, new.friend_referrer_id, new.commission_rate, new.client_commission_type,
        new.client_commission_rate, new.commercial_commission_type, new.commercial_commission_rate)
      is distinct from (corrected.commercial_id, corrected.client_referrer_id, corrected.friend_referrer_id, corrected.commission_rate,
        corrected.client_commission_type, corrected.client_commission_rate, corrected.commercial_commission_type,
        corrected.commercial_commission_rate) then
    raise exception using errcode = 'check_violation', message = 'a correction takes back a part of its contract, under its terms';
  end if;
  -- A correction that waited for another one began before it: their instants are their order all the same.
  new.created_at := greatest(new.created_at,
    (select max(c.created_at) + interval '1 microsecond' from public.sales c where c.corrects_sale_id = corrected.id));
  return new;
end
$function$;

CREATE FUNCTION private.guard_debt_act()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    if new.kind = 'waiver' and new.at is not null and new.confirmed_by is null and private.exceeds_one_admin(new.payee_id, new.amount) then
      perform private.refuse('second_admin_to_confirm');
    end if;
    if new.annulled_at is null and new.given_up_at is null then return new; end if;
  end if;
  if tg_op = 'UPDATE'
    and (new.id, new.payee_id, new.kind, new.amount, new.method, new.reference, new.reason, new.created_at, new.decided_by, new.is_test)
      is not distinct from
      (old.id, old.payee_id, old.kind, old.amount, old.method, old.reference, old.reason, old.created_at, old.decided_by, old.is_test)
    and (old.at is null and old.given_up_at is null and new.annulled_at is null and num_nonnulls(new.confirmed_by, new.given_up_at) = 1
      or old.at is not null and old.annulled_at is null and new.annulled_at is not null
        and (new.at, new.debt_before, new.confirmed_by) is not distinct from (old.at, old.debt_before, old.confirmed_by)) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$function$;

CREATE FUNCTION private.guard_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and new.version = old.version + 1
    and (new.id, new.payee_id, new.entry_id, new.source_id, new.act, new.line, new.created_at, new.is_test, new.opened_by, new.proposed)
      is not distinct from
      (old.id, old.payee_id, old.entry_id, old.source_id, old.act, old.line, old.created_at, old.is_test, old.opened_by, old.proposed)
    and (old.closed_at is null and new.adjustment_annulled_at is null
      or (new.closed_at, new.closed_by, new.adjustment) = (old.closed_at, old.closed_by, old.adjustment)
        and old.adjustment_annulled_at is null and new.adjustment_annulled_at is not null) then
    return new;
  end if;
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_dispute() to parrain_service;

CREATE FUNCTION private.guard_dispute_message()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_dispute_message() to parrain_service;

CREATE FUNCTION private.guard_doubtful_case()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (old.status, new.status) in (('open', 'confirmed'), ('open', 'cleared'), ('confirmed', 'cleared')) and new.version = old.version + 1
    and (new.id, new.created_at, new.sale_id, new.request_id, new.payee_id)
      is not distinct from (old.id, old.created_at, old.sale_id, old.request_id, old.payee_id) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_doubtful_case() to parrain_service;

CREATE FUNCTION private.guard_e_invoice_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$function$;

CREATE FUNCTION private.guard_invoiced_month()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.method <> 'virement' and exists (select from public.payee_invoices i
      where i.payee_id = new.payee_id and i.month = new.month and i.status = 'sent') then
    perform private.refuse('invoice_waits');
  end if;
  if new.paid_at < (select private.month_start(i.invoiced_on) from public.payee_invoices i where i.id = new.payee_invoice_id) then
    perform private.refuse('payment_day_refused');
  end if;
  if new.payee_invoice_id is not null and not exists (select from public.payee_invoices i where i.id = new.payee_invoice_id
      and i.status = 'accepted' and (i.amount, i.vat_rate, i.vat_amount) is not distinct from (new.amount, new.vat_rate, new.vat_amount)) then
    perform private.refuse('forbidden');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_invoiced_payment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.paid_at < (select private.month_start(i.invoiced_on) from public.payee_invoices i where i.id = new.payee_invoice_id) then
    perform private.refuse('payment_day_refused');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_ledger_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_ledger_entry() to parrain_service;

CREATE FUNCTION private.guard_mandate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.revoked_at is not null or to_jsonb(old) - 'revoked_at' is distinct from to_jsonb(new) - 'revoked_at' then
    perform private.refuse('forbidden');
  end if;
  return new;
end
$function$;
grant execute on function private.guard_mandate() to parrain_service;

CREATE FUNCTION private.guard_own_words()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_user <> 'authenticated' then return new; end if;
  if new.full_name is distinct from old.full_name
    and (private.has_phone_number(new.full_name) or private.has_sentence(new.full_name)) then
    raise exception using errcode = '23514', constraint = 'profiles_full_name_is_a_name', message = 'not a name';
  end if;
  if new.phone is distinct from old.phone and new.phone is not null
    and not (new.phone ~ '^[-+0-9 .()/\u00a0\u2007\u2009-\u2015\u202f]+$' and length(regexp_replace(new.phone, '[^0-9]', '', 'g')) >= 4) then
    raise exception using errcode = '23514', constraint = 'profiles_phone_is_a_line', message = 'not a telephone';
  end if;
  return new;
end
$function$;
grant execute on function private.guard_own_words() to authenticated;
grant execute on function private.guard_own_words() to parrain_service;
grant execute on function private.guard_own_words() to service_role;

CREATE FUNCTION private.guard_paid_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    if private.is_cleaning() and old.is_test then return old; end if;
  elsif old.returned_at is null and new.returned_at is not null
      and to_jsonb(new) - array['returned_at', 'return_reason'] = to_jsonb(old) - array['returned_at', 'return_reason']
      and exists (select from public.payment_batch_lines l where l.id = old.line_id and l.status = 'returned') then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_paid_period() to parrain_service;

CREATE FUNCTION private.guard_paper()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then
    if tg_table_name = 'paper_files' then return old; end if;
    if (to_jsonb(old) ->> 'is_test')::boolean then return old; end if;
  end if;
  perform private.refuse('forbidden');
end
$function$;

CREATE FUNCTION private.guard_payee_abroad()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_payees text;
begin
  if tg_table_name = 'payment_batches' then
    select string_agg(distinct p.full_name, ', ' order by p.full_name) into v_payees
      from public.payment_batch_lines l
      left join public.payment_requests r on r.id = l.request_id
      join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
      where l.batch_id = new.id and private.abroad_obstacle(p.id) is not null;
  elsif tg_table_name = 'paid_periods' then
    if new.method <> 'virement' then
      select p.full_name into v_payees from public.profiles p where p.id = new.payee_id and private.abroad_obstacle(p.id) is not null;
    end if;
  elsif not exists (select from public.payment_batch_lines l where l.request_id = new.id and l.status = 'paid') then
    select p.full_name into v_payees from public.profiles p where p.id = new.client_id and private.abroad_obstacle(p.id) is not null;
  end if;
  if v_payees is not null then
    perform private.refuse('payee_abroad', jsonb_build_object('payees', left(v_payees, 500), 'reason', private.reverse_charge_obstacle()));
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payee_iban()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (new.id, new.client_id, new.mark, new.created_at) = (old.id, old.client_id, old.mark, old.created_at)
    and (old.confirmed_at is null and new.confirmed_at is not null and new.usable_from < old.usable_from
      or new.usable_from = private.never() and new.confirmed_at is null) then
    return new;
  end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_payee_iban() to parrain_service;

CREATE FUNCTION private.guard_payee_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then
    if tg_table_name = 'payee_invoice_files' then return old; end if;
    if (to_jsonb(old) ->> 'is_test')::boolean then return old; end if;
  end if;
  if tg_op <> 'UPDATE' or tg_table_name = 'payee_invoice_files' then perform private.refuse('forbidden'); end if;
  if to_jsonb(new) - array['status', 'decided_at', 'refusal_reason'] <> to_jsonb(old) - array['status', 'decided_at', 'refusal_reason'] then
    perform private.refuse('forbidden');
  end if;
  if (old.status, new.status) not in (('sent', 'accepted'), ('sent', 'refused'), ('sent', 'lapsed'), ('accepted', 'lapsed')) then
    perform private.refuse('invoice_too_late');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payee_of_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.method <> 'virement' and private.is_payee_incomplete(new.payee_id) then
    perform private.refuse('payee_incomplete', jsonb_build_object('payees', (
      select left(string_agg(p.full_name, ', ' order by p.full_name), 500)
      from public.profiles p left join public.balances b on b.profile_id = p.id
      where p.id = new.payee_id or p.role = 'commercial' and b.earned - b.reversed - b.held - b.reserved - b.paid > 0
        and private.is_payee_incomplete(p.id))));
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payee_of_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.is_payee_incomplete(new.client_id)
      and not exists (select from public.payment_batch_lines l where l.request_id = new.id and l.status = 'paid') then
    perform private.refuse('payee_incomplete',
      jsonb_build_object('payees', (select p.full_name from public.profiles p where p.id = new.client_id)));
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payee_siren()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'paper_settings' then
    if exists (select from private.payee_details d where d.siren = new.siren) then perform private.refuse('company_is_payee'); end if;
  elsif new.siren = (select s.siren from private.paper_settings s) then
    perform private.refuse('payee_is_company');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payees_of_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_payees text;
begin
  select string_agg(distinct p.full_name, ', ' order by p.full_name) into v_payees
    from public.payment_batch_lines l
    left join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = coalesce(l.payee_id, r.client_id)
    where l.batch_id = new.id and private.is_payee_incomplete(p.id);
  if v_payees is not null then perform private.refuse('payee_incomplete', jsonb_build_object('payees', left(v_payees, 500))); end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payment_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.status = 'draft' or private.is_cleaning() and old.is_test then return old; end if;
    perform private.refuse('batch_illegal_move');
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
    return new;
  end if;
  if (new.id, new.number, new.created_at, new.is_test) <> (old.id, old.number, old.created_at, old.is_test)
      or old.status <> 'draft' and (new.execution_on, new.format, new.released_at) <> (old.execution_on, old.format, old.released_at) then
    perform private.refuse('forbidden');
  end if;
  if new.status <> old.status
      and not ((old.status, new.status) in (('draft', 'released'), ('released', 'sent'), ('released', 'settled'), ('sent', 'settled'))) then
    perform private.refuse('batch_illegal_move');
  end if;
  -- A person who is forgotten leaves the name, and nothing else of the batch.
  if new.status <> old.status then
    new.version := old.version + 1;
    new.updated_at := private.now();
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payment_batch_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = coalesce(new.batch_id, old.batch_id);
  if tg_op = 'DELETE' then
    -- With its batch, whose own guard has said yes, or from a draft.
    if v_status is null or v_status = 'draft' or private.is_cleaning() then return old; end if;
    perform private.refuse('batch_illegal_move');
  end if;
  if tg_op = 'INSERT' then
    if v_status <> 'draft' or new.status <> 'queued' then perform private.refuse('batch_illegal_move'); end if;
    if exists (select from public.paid_periods q where q.payee_id = new.payee_id and q.month >= new.month and q.returned_at is null) then
      perform private.refuse('period_already_paid');
    end if;
    if exists (select from public.payee_invoices i where i.status = 'sent'
        and (i.request_id = new.request_id or i.payee_id = new.payee_id and i.month = new.month)) then
      perform private.refuse('invoice_waits');
    end if;
    return new;
  end if;
  if (new.id, new.batch_id, new.request_id, new.payee_id, new.month, new.amount, new.account_id,
        new.vat_rate, new.vat_amount, new.vat_mandate_id, new.payee_invoice_id)
      is distinct from (old.id, old.batch_id, old.request_id, old.payee_id, old.month, old.amount, old.account_id,
        old.vat_rate, old.vat_amount, old.vat_mandate_id, old.payee_invoice_id) then perform private.refuse('forbidden'); end if;
  -- A bank sends money back for weeks after its batch was settled.
  if (old.status, new.status) = ('paid', 'returned') then return new; end if;
  if old.status <> 'queued' or new.status = 'returned' or v_status not in ('released', 'sent') then perform private.refuse('batch_illegal_move'); end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_payment_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  left_ numeric;
  v_line text;
  v_usable_from timestamptz;
  v_is_revoked boolean := false;
  v_settlement constant text[] := array['settlement_reference', 'association_name', 'association_number', 'version', 'updated_at'];
begin
  if tg_op = 'DELETE' then
    if not (private.is_cleaning() and old.is_test) then perform private.refuse('forbidden'); end if;
    return old;
  end if;
  select b.earned - b.reversed - b.held - b.reserved - b.paid into left_ from public.balances b where b.profile_id = new.client_id for update;
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then perform private.refuse('request_illegal_move'); end if;
    if left_ is null or left_ < new.amount then
      perform private.refuse('amount_out_of_range', jsonb_build_object('available', greatest(coalesce(left_, 0), 0)::numeric(14, 2)::text));
    end if;
    return new;
  end if;
  -- PP-05: a mandate that its payee revoked takes its tax with it, as long as nothing pays the request.
  if tg_op = 'UPDATE' and old.vat_mandate_id is not null and new.vat_mandate_id is null then
    v_is_revoked := num_nonnulls(new.vat_rate, new.vat_amount, new.payee_invoice_id) = 0 and new.status = old.status
      and old.status in ('pending', 'approved')
      and exists (select from private.mandates m where m.id = old.vat_mandate_id and not private.self_bills(m))
      and not exists (select from public.payment_batch_lines l where l.request_id = old.id and l.status in ('queued', 'paid'));
  end if;
  if (new.id, new.client_id, new.amount, new.payment_method, new.payment_details, new.created_at, new.is_test, new.iban_id,
        case when v_is_revoked then old.vat_mandate_id else new.vat_mandate_id end)
      is distinct from (old.id, old.client_id, old.amount, old.payment_method, old.payment_details, old.created_at, old.is_test, old.iban_id,
        old.vat_mandate_id) then
    perform private.refuse('forbidden');
  end if;
  -- AC-04: a request without a mandate takes the tax of the payee's own invoice, once, as long as nothing pays it.
  if not v_is_revoked and (new.vat_rate, new.vat_amount, new.payee_invoice_id) is distinct from (old.vat_rate, old.vat_amount, old.payee_invoice_id) then
    if old.vat_mandate_id is not null or old.payee_invoice_id is not null or new.status <> old.status or old.status not in ('pending', 'approved')
        or not exists (select from public.payee_invoices i where i.id = new.payee_invoice_id and i.request_id = new.id and i.status = 'accepted'
          and (i.amount, i.vat_rate, i.vat_amount) is not distinct from (new.amount, new.vat_rate, new.vat_amount)) then
      perform private.refuse('forbidden');
    end if;
    if exists (select from public.payment_batch_lines l where l.request_id = old.id and l.status in ('queued', 'paid')) then
      perform private.refuse('invoice_too_late');
    end if;
  end if;
  if new.status <> old.status then
    select l.status into v_line from public.payment_batch_lines l where l.request_id = old.id
      order by l.status = 'queued' desc, l.status = 'paid' desc limit 1;
    if v_line = 'queued' then perform private.refuse('request_in_batch'); end if;
    if not ((old.status, new.status) in (('pending', 'approved'), ('pending', 'rejected'), ('approved', 'paid'), ('approved', 'pending'))
        or coalesce(v_line = 'rejected', false) and (old.status, new.status) = ('approved', 'rejected')
        or v_line is distinct from 'paid' and (old.status, new.status) = ('paid', 'returned')) then
      perform private.refuse('request_illegal_move');
    end if;
    if new.status = 'returned' and (new.paid_at, new.approved_at) is distinct from (old.paid_at, old.approved_at) then
      perform private.refuse('forbidden');
    end if;
    if new.status = 'pending' and new.approval_annulled_reason is null then perform private.refuse('refusal_reason_required'); end if;
    -- Someone who owes the company (S-11) is neither approved nor paid before the debt is gone. What the bank has paid is paid.
    if new.status in ('approved', 'paid') and left_ < 0 and v_line is distinct from 'paid' then perform private.refuse('balance_in_debt'); end if;
    -- AC-04: an invoice that was sent is looked at before its request is paid: the tax cannot follow. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid'
        and exists (select from public.payee_invoices i where i.request_id = new.id and i.status = 'sent') then
      perform private.refuse('invoice_waits');
    end if;
    -- PO-04: nothing goes to a changed account before its day. What the bank has paid is paid.
    if new.status = 'paid' and v_line is distinct from 'paid' then
      select i.usable_from into v_usable_from from public.payee_ibans i where i.id = new.iban_id and i.usable_from > private.now();
      if found then perform private.refuse('iban_not_usable_yet', jsonb_build_object('from', v_usable_from)); end if;
    end if;
  elsif old.status in ('paid', 'returned') then
    -- DF-02: a reference that was not known at the payment is said once.
    if to_jsonb(new) - v_settlement <> to_jsonb(old) - v_settlement
        or (old.settlement_reference is not null and new.settlement_reference is distinct from old.settlement_reference)
        or (old.association_name is not null and new.association_name is distinct from old.association_name)
        or (old.association_number is not null and new.association_number is distinct from old.association_number) then
      perform private.refuse('request_illegal_move');
    end if;
  elsif old.status = 'rejected' then
    perform private.refuse('request_illegal_move');
  end if;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$function$;

CREATE FUNCTION private.guard_period_in_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.payment_batch_lines l where l.payee_id = new.payee_id and l.status = 'queued')
      or (new.method = 'virement') <> exists (select from public.payment_batch_lines l
        where l.id = new.line_id and l.payee_id = new.payee_id and l.month = new.month and l.amount = new.amount
          and (l.vat_rate, l.vat_amount, l.vat_mandate_id, l.payee_invoice_id)
            is not distinct from (new.vat_rate, new.vat_amount, new.vat_mandate_id, new.payee_invoice_id) and l.status = 'paid') then
    perform private.refuse('period_in_batch');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.guard_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (new.id, new.role, new.created_at) is distinct from (old.id, old.role, old.created_at)
    or new.is_test <> old.is_test and not (private.is_cleaning() and old.is_test) then
    perform private.refuse('forbidden');
  end if;
  new.updated_at := private.now();
  return new;
end
$function$;
grant execute on function private.guard_profile() to parrain_service;

CREATE FUNCTION private.guard_received_invoice_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and exists (select from private.received_invoices r where r.id = old.received_id and r.state = 'aside') then
    return old;
  end if;
  perform private.refuse('forbidden');
end
$function$;

CREATE FUNCTION private.guard_sale()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  person constant text[] := array['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message',
    'commercial_notes'];
  v_from constant integer := private.funnel_step(old);
  v_to integer;
  v_at timestamptz;
begin
  if tg_op = 'DELETE' then
    if private.is_importing() and old.version = 1
      and exists (select from private.imported_rows r where r.sale_id = old.id) then
      return old;
    end if;
    if not (private.is_cleaning() and old.is_test) and (old.admin_validated or old.status <> 'rejected') then
      perform private.refuse('sale_not_editable');
    end if;
    return old;
  end if;
  if old.ready_for_validation and coalesce(current_setting('app.friend', true), '') = 'on'
    and to_jsonb(new) - person = to_jsonb(old) - person then
    new.version := old.version + 1;
    new.updated_at := private.now();
    return new;
  end if;
  if old.admin_validated then
    perform private.refuse('sale_not_editable');
  end if;
  if (new.id, new.created_at, new.corrects_sale_id, new.is_test) is distinct from (old.id, old.created_at, old.corrects_sale_id, old.is_test)
    or new.client_referrer_id is distinct from old.client_referrer_id then
    perform private.refuse('sale_not_editable');
  end if;
  if new.friend_referrer_id is distinct from old.friend_referrer_id and not (private.is_open(old) and exists (
      select from private.refused_referrals r where r.sale_id = old.id and r.client_id = new.friend_referrer_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  -- Signed by the commercial: only the company's decision is left (S-02, W6).
  if old.status = 'validated' and not (new.status = 'rejected' or new.admin_validated
      or new.status = 'in_negotiation' and private.user_role() = 'admin' or (
      (new.status, new.contract_amount, new.contract_description) is not distinct from (old.status, old.contract_amount, old.contract_description)
      and new.commercial_id is distinct from old.commercial_id)) then
    perform private.refuse('sale_not_editable');
  end if;
  if new.admin_validated and (not old.ready_for_validation
      or (new.contract_amount, new.contract_description) is distinct from (old.contract_amount, old.contract_description)) then
    perform private.refuse('sale_not_ready');
  end if;
  v_to := private.funnel_step(new);
  -- A move that waited for another one began before it.
  v_at := greatest(private.now(), old.created_at, old.contacted_at, old.negotiated_at, old.signed_at);
  new.contacted_at := case when v_to >= 1 then case when v_from >= 1 then old.contacted_at else coalesce(new.contacted_at, v_at) end end;
  new.negotiated_at := case when v_to >= 2 then case when v_from >= 2 then old.negotiated_at else coalesce(new.negotiated_at, v_at) end end;
  new.signed_at := case when v_to >= 3 then case when v_from >= 3 then old.signed_at else coalesce(new.signed_at, v_at) end end;
  new.version := old.version + 1;
  new.updated_at := private.now();
  return new;
end
$function$;
grant execute on function private.guard_sale() to parrain_service;

CREATE FUNCTION private.guard_sale_terms()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() then return old; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_sale_terms() to parrain_service;

CREATE FUNCTION private.guard_scale_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and private.is_cleaning() and old.is_test then return old; end if;
  if tg_op = 'UPDATE' and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' and old.withdrawn_at is null then return new; end if;
  -- The admin who published it may be gone: foreign keys alone empty it.
  if tg_op = 'UPDATE' and to_jsonb(new) - 'published_by' = to_jsonb(old) - 'published_by' and new.published_by is null then return new; end if;
  perform private.refuse('forbidden');
end
$function$;
grant execute on function private.guard_scale_version() to parrain_service;

CREATE FUNCTION private.hand_over_client(client public.profiles, p_commercial_id uuid, p_only uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  moved uuid[];
begin
  perform private.require_active_commercial(p_commercial_id);
  with followed as (
    update public.sales s set commercial_id = p_commercial_id
      where (s.friend_referrer_id = client.id or s.client_referrer_id = client.id) and not s.admin_validated
        and s.status <> 'rejected' and s.commercial_id is not distinct from client.commercial_id
        and (p_only is null or s.id = any (p_only))
      returning s.id)
  select coalesce(array_agg(f.id order by f.id), '{}') into moved from followed f;
  update public.profiles p set commercial_id = p_commercial_id where p.id = client.id;
  return moved;
end
$function$;

CREATE FUNCTION private.has_contract(p_side text, p_payee_id uuid, p_is_test boolean)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select exists (
    select from (
      select s.id from public.sales s where p_side = 'commercial' and s.commercial_id = p_payee_id
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test
      union all
      select s.id from public.sales s where p_side = 'client' and s.friend_referrer_id = p_payee_id
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test
      union all
      select s.id from public.sales s where p_side = 'client' and s.client_referrer_id = p_payee_id and s.friend_referrer_id is null
        and s.admin_validated and s.corrects_sale_id is null and s.is_test = p_is_test) o
    where not exists (select from public.sales c where c.corrects_sale_id = o.id and c.contract_left is null))
$function$;
grant execute on function private.has_contract(text,uuid,boolean) to parrain_service;

CREATE FUNCTION private.has_phone_number(p_text text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (p_text ~ '[0-9]([[:space:]./()\u00a0\u202f-]*[0-9]){5}'::text);
grant execute on function private.has_phone_number(text) to authenticated;
grant execute on function private.has_phone_number(text) to parrain_service;
grant execute on function private.has_phone_number(text) to service_role;

CREATE FUNCTION private.has_rules(p_side jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((p_side - '{kind,value}'::text[]) <> '{}'::jsonb);
grant execute on function private.has_rules(jsonb) to parrain_service;

CREATE FUNCTION private.has_sentence(p_text text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((p_text ~ '[!?;:¿¡…€$£]'::text) OR (p_text ~ '[[:lower:]]{4}\.[[:space:]]+[^[:space:]]'::text) OR (array_length(regexp_split_to_array(btrim(p_text), '[[:space:]]+'::text), 1) > 8));
grant execute on function private.has_sentence(text) to authenticated;
grant execute on function private.has_sentence(text) to parrain_service;
grant execute on function private.has_sentence(text) to service_role;

CREATE FUNCTION private.has_site(p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return p_text ~* '@|://|www\.|[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff][0-9a-z\u00c0-\u1fff\u2c00-\ud7ff-]*[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff]\.[a-z\u00c0-\u1fff\u2c00-\ud7ff]{2,}|[0-9a-z]\.[a-z]{2,}/';
end
$function$;
grant execute on function private.has_site(text) to anon;
grant execute on function private.has_site(text) to authenticated;
grant execute on function private.has_site(text) to parrain_service;
grant execute on function private.has_site(text) to service_role;

CREATE FUNCTION private.hold_chain(p_entity text, p_entity_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case p_entity
    when 'profiles' then perform from public.profiles t where t.id = p_entity_id for no key update;
    when 'sales' then perform from public.sales t where t.id = p_entity_id for no key update;
    when 'payment_requests' then perform from public.payment_requests t where t.id = p_entity_id for no key update;
    when 'paid_periods' then perform from public.paid_periods t where t.id = p_entity_id for no key update;
    when 'account_closure_requests' then perform from public.account_closure_requests t where t.id = p_entity_id for no key update;
    when 'commission_rates' then perform from public.commission_rates t where t.id = p_entity_id for no key update;
    -- Frozen rows, that no role may lock: only their trigger adds to their chains.
    when 'commission_payments' then raise exception 'the chain of a commission is its trigger''s';
    else perform pg_advisory_xact_lock(hashtextextended('audit ' || p_entity || ' ' || p_entity_id, 0));
  end case;
  -- The row is gone, or never was: its id alone is left to hold.
  if not found then perform pg_advisory_xact_lock(hashtextextended('audit ' || p_entity || ' ' || p_entity_id, 0)); end if;
end
$function$;

CREATE FUNCTION private.hold_versions(p_to_publish boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_to_publish then perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('public.scale_versions'));
  else perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('public.scale_versions')); end if;
end
$function$;
grant execute on function private.hold_versions(boolean) to parrain_service;

CREATE FUNCTION private.host_of_url(p_url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN "substring"(p_url, '^https?://([^/?#]+)'::text);

CREATE FUNCTION private.identify()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  viewed constant boolean := claims ? 'act';
  person record;
  key public.api_keys;
begin
  if claims ->> 'role' = 'api_key' then
    select * into key from public.api_keys k where k.id = (claims ->> 'key_id')::uuid and private.is_key_alive(k);
    if not found then
      raise exception using errcode = 'PR401', message = 'api_key_refused';
    end if;
    perform set_config('app.user_id', key.id::text, true), set_config('app.user_role', 'api_key', true),
      set_config('app.commercial_id', '', true), set_config('app.key_scopes', array_to_string(key.scopes, ' '), true);
    return;
  end if;
  if claims ->> 'role' is distinct from 'authenticated' then
    perform set_config('app.user_id', '', true), set_config('app.user_role', '', true), set_config('app.commercial_id', '', true);
    return;
  end if;
  select p.id, p.role, p.commercial_id, u.password_change_required,
      -- Session and token both: a token from before the factor was given stays one of the first level.
      u.has_verified_factor and (s.aal <> 'aal2' or claims ->> 'aal' is distinct from 'aal2') as is_factor_due,
      p.role = 'admin' and not u.has_verified_factor
        and (select c.require_admin_two_factor from public.company_settings c where c.id = 1) as is_setup_due
    into person
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.id = u.id
    where s.id = (claims ->> 'session_id')::uuid
      and s.user_id = (case when viewed then claims #>> '{act,sub}' else claims ->> 'sub' end)::uuid
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null and p.deactivated_at is null;
  if not found then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if person.is_factor_due then
    raise exception using errcode = 'PR401', message = 'second_factor_required';
  end if;
  if person.password_change_required then
    raise exception using errcode = 'PR401', message = 'password_change_required';
  end if;
  if person.is_setup_due then
    raise exception using errcode = 'PR401', message = 'two_factor_setup_required';
  end if;
  if viewed then
    perform set_config('transaction_read_only', 'on', true);
    select p.id, p.role, p.commercial_id into person from public.profiles p
      where p.id = (claims ->> 'sub')::uuid and person.role = 'admin' and private.may_be_viewed(p);
    if not found then
      raise exception using errcode = 'PR401', message = 'session_expired';
    end if;
  end if;
  perform set_config('app.user_id', person.id::text, true), set_config('app.user_role', person.role, true),
    set_config('app.commercial_id', coalesce(person.commercial_id::text, ''), true);
end
$function$;
grant execute on function private.identify() to authenticator;

CREATE FUNCTION private.import_clients(p_import uuid, p_lines jsonb, p_commercial_id uuid, p_invites boolean, p_left_out integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
  v_import private.imports;
  v_is_test boolean;
  v_written integer;
begin
  select * into v_import from private.imports i where i.id = p_import and i.made_by = me and i.kind = 'clients' for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.written_at is not null then return v_import.written; end if;
  if not is_admin and p_commercial_id is distinct from me then perform private.refuse('forbidden'); end if;
  if is_admin and p_commercial_id is not null then perform private.require_active_commercial(p_commercial_id); end if;
  if jsonb_array_length(p_lines) = 0 or jsonb_array_length(p_lines) > jsonb_array_length(v_import.lines) - 1
    or exists (select from private.client_line_obstacles(p_lines)) then
    perform private.refuse('import_changed');
  end if;
  -- None of the commercials leaves while they are given clients.
  perform 1 from public.profiles c where is_admin and c.role = 'commercial' and c.deactivated_at is null order by c.id for share;
  select p.is_test into v_is_test from public.profiles p where p.id = me;
  perform set_config('app.importing', 'on', true);
  with given as materialized (
    select gen_random_uuid() as id, l.line, lower(btrim(l.email)) as email, btrim(l.name) as full_name,
      nullif(btrim(l.phone), '') as phone, nullif(btrim(l.company), '') as company, nullif(btrim(l.notes), '') as notes,
      coalesce(n.id, p_commercial_id) as commercial_id
    from jsonb_to_recordset(p_lines) as l (
      line integer, email text, name text, phone text, company text, notes text, commercial text)
    left join (
      select d.commercial, private.commercial_named(d.commercial) as id
      from (select distinct o.commercial from jsonb_to_recordset(p_lines) as o (commercial text) where is_admin) d) n
      on n.commercial = l.commercial),
  users as (
    insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data)
    select g.id, g.email, now(), '{"role": "client", "provider": "email", "providers": ["email"]}' from given g),
  identities as (
    insert into auth.identities (user_id, provider, provider_id, identity_data)
    select g.id, 'email', g.id::text,
      jsonb_build_object('sub', g.id, 'email', g.email, 'email_verified', true, 'phone_verified', false)
    from given g),
  people as (
    insert into public.profiles (id, full_name, email, phone, role, company, notes, commercial_id, is_test, updated_at)
    select g.id, g.full_name, g.email, g.phone, 'client', g.company, g.notes, g.commercial_id, v_is_test, private.now() from given g)
  insert into private.imported_rows (import_id, line, profile_id, invitation)
  select p_import, g.line, g.id, case when p_invites then 'due' end from given g;
  get diagnostics v_written = row_count;
  perform set_config('app.importing', '', true);
  perform private.append_audits('profiles', 'insert', array(
    select to_jsonb(p) from private.imported_rows r join public.profiles p on p.id = r.profile_id
    where r.import_id = p_import order by r.line));
  perform private.add_to_company('clients', v_written, 0);
  perform private.add_to_company('role_client', v_written, 0);
  update private.imports i set lines = null, written_at = private.now(), written = v_written, left_out = p_left_out where i.id = p_import;
  return v_written;
exception
  -- Somebody came in by another way since the file was looked at, or a line stands twice.
  when unique_violation then perform private.refuse('import_changed');
end
$function$;
grant execute on function private.import_clients(uuid,jsonb,uuid,boolean,integer) to authenticated;

CREATE FUNCTION private.import_referrals(p_import uuid, p_lines jsonb, p_source text, p_too_late jsonb, p_left_out integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_first_counts constant boolean := exists (select from public.company_settings c where c.first_referral_months is not null);
  v_written integer;
  v_doubted record;
begin
  select * into v_import from private.imports i where i.id = p_import and i.made_by = me and i.kind = 'referrals' for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.written_at is not null then return v_import.written; end if;
  if jsonb_array_length(p_lines) = 0
    or jsonb_array_length(p_lines) + jsonb_array_length(p_too_late) > jsonb_array_length(v_import.lines) - 1 then
    perform private.refuse('import_changed');
  end if;
  -- No referral and no refusal comes in beside it (0025, 0350), no client leaves (V-13) and no commercial of theirs.
  perform pg_advisory_xact_lock(hashtextextended('contacts', 0));
  perform 1 from public.profiles p
    where p.id in (select private.client_named(n.referrer) from (
      select distinct l.referrer from jsonb_to_recordset(p_lines) as l (referrer text)) n)
    order by p.id for no key update;
  perform 1 from public.profiles c where c.role = 'commercial' and c.deactivated_at is null order by c.id for share;
  with o as materialized (select * from private.referral_line_obstacles(p_lines, p_source))
  select count(*) into v_written from (
    select 1 from o where o.obstacle is not null
    union all
    -- A line of the same friend before it: by address, or, without one, by telephone; of another client too where the first counts.
    select 1 from o where o.mailbox is not null group by o.client_id, o.mailbox having count(*) > 1
    union all
    select 1 from (select d.line, d.mailbox, min(d.line) over (partition by d.client_id, d.phone) as first_line
      from o d where d.phone is not null) t where t.mailbox is null and t.first_line < t.line
    union all
    select 1 from o where v_first_counts and o.mailbox is not null group by o.mailbox having count(distinct o.client_id) > 1
    union all
    select 1 from o where v_first_counts and o.phone is not null group by o.phone having count(distinct o.client_id) > 1) wrong;
  if v_written > 0 then perform private.refuse('import_changed'); end if;
  perform set_config('app.importing', 'on', true);
  with given as materialized (
    select gen_random_uuid() as id, l.line, c.id as client_id, c.commercial_id, c.is_test, btrim(l.name) as name,
      lower(nullif(btrim(l.email), '')) as email, nullif(btrim(l.phone), '') as phone, nullif(btrim(l.note), '') as note,
      nullif(btrim(l.reference), '') as reference, l.refuses_calls, l.refusal
    from jsonb_to_recordset(p_lines) as l (line integer, referrer text, name text, email text, phone text, note text, reference text,
      refuses_calls boolean, refusal text)
    join (select d.referrer, private.client_named(d.referrer) as id
      from (select distinct o.referrer from jsonb_to_recordset(p_lines) as o (referrer text)) d) n on n.referrer = l.referrer
    join public.profiles c on c.id = n.id),
  made as (
    insert into public.sales (id, referred_contact_name, referred_contact_email, referred_contact_phone, commercial_notes,
      commercial_id, friend_referrer_id, is_test)
    select g.id, g.name, g.email, g.phone, g.note, g.commercial_id, g.client_id, g.is_test from given g),
  named as (
    insert into public.external_references (source, reference, sale_id)
    select btrim(p_source), g.reference, g.id from given g where g.reference is not null),
  refusals as (
    insert into public.call_consents (sale_id, is_given, statement, version, place)
    select g.id, false, g.refusal, '1', 'imported_file' from given g where g.refuses_calls)
  insert into private.imported_rows (import_id, line, sale_id) select p_import, g.line, g.id from given g;
  get diagnostics v_written = row_count;
  perform set_config('app.importing', '', true);
  perform private.append_audits('sales', 'insert', array(
    select to_jsonb(s) from private.imported_rows r join public.sales s on s.id = r.sale_id where r.import_id = p_import order by r.line));
  for v_doubted in
    select s.id, s.friend_referrer_id, array_agg(d) as doubts
    from private.imported_rows r join public.sales s on s.id = r.sale_id cross join lateral private.doubts_of_sale(s.id) d
    where r.import_id = p_import group by s.id order by min(r.line)
  loop
    perform private.keep_doubts(v_doubted.id, null, v_doubted.friend_referrer_id, v_doubted.doubts);
  end loop;
  insert into private.refused_referrals (sale_id, client_id)
  select e.id, c.id from jsonb_to_recordset(p_too_late) as l (referrer text, email text, phone text)
    cross join lateral private.client_named(l.referrer) as c (id)
    cross join lateral private.earlier_referral(c.id, lower(nullif(btrim(l.email), '')), l.phone) as e (id)
    where e.id is not null
  on conflict do nothing;
  update private.imports i set lines = null, written_at = private.now(), written = v_written, left_out = p_left_out where i.id = p_import;
  return v_written;
exception
  -- A reference stands twice.
  when unique_violation then perform private.refuse('import_changed');
end
$function$;
grant execute on function private.import_referrals(uuid,jsonb,text,jsonb,integer) to authenticated;

CREATE FUNCTION private.imports_done(p_kind text)
 RETURNS TABLE(id uuid, file_name text, made_by uuid, made_by_name text, written_at timestamp with time zone, written integer, left_out integer, undone_at timestamp with time zone, removed integer, here integer, invitations_due integer, invitations_sent integer, kept jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query
    select i.id, i.file_name, i.made_by, p.full_name, i.written_at, i.written, i.left_out, i.undone_at, i.removed,
      r.here, r.due, r.sent, r.kept
    from private.imports i join public.profiles p on p.id = i.made_by
    cross join lateral (
      select coalesce(sum(k.number), 0)::integer as here, coalesce(sum(k.due), 0)::integer as due,
        coalesce(sum(k.sent), 0)::integer as sent,
        coalesce(jsonb_object_agg(k.left_because, k.number) filter (where k.left_because is not null), '{}') as kept
      from (select m.left_because, count(*) as number, count(*) filter (where m.invitation = 'due') as due,
          count(*) filter (where m.invitation = 'sent') as sent
        from private.imported_rows m where m.import_id = i.id group by m.left_because) k) r
    where i.written_at is not null and i.kind = p_kind and (private.user_role() = 'admin' or i.made_by = me)
    order by i.written_at desc, i.id limit 20;
end
$function$;
grant execute on function private.imports_done(text) to authenticated;

CREATE FUNCTION private.in_debt_since(p_payee_id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH moved AS (
          SELECT e.at,
             row_number() OVER in_order AS place,
             sum((
                 CASE
                     WHEN (e.credit = ANY (ARRAY['available'::text, 'reserved'::text])) THEN e.amount
                     ELSE (0)::numeric
                 END -
                 CASE
                     WHEN (e.debit = ANY (ARRAY['available'::text, 'reserved'::text])) THEN e.amount
                     ELSE (0)::numeric
                 END)) OVER in_order AS left_
            FROM public.ledger_entries e
           WHERE (e.payee_id = in_debt_since.p_payee_id)
           WINDOW in_order AS (ORDER BY e.at, e.id)
         )
  SELECT min(m.at) AS min
    FROM moved m
   WHERE (m.place > COALESCE(( SELECT max(l.place) AS max
            FROM moved l
           WHERE (l.left_ >= (0)::numeric)), (0)::bigint));
END;

CREATE FUNCTION private.invite_accountant(p_id uuid, p_email text, p_full_name text, p_password_hash text, p_temporary_until timestamp with time zone)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return private.create_account(p_id, p_email, p_password_hash, 'comptable', p_full_name,
    p_is_test => (select p.is_test from public.profiles p where p.id = me), p_temporary_until => p_temporary_until);
end
$function$;
grant execute on function private.invite_accountant(uuid,text,text,text,timestamp with time zone) to authenticated;

CREATE FUNCTION private.invite_client(p_id uuid, p_email text, p_full_name text, p_phone text, p_company text, p_notes text, p_commercial_id uuid, p_password_hash text, p_temporary_until timestamp with time zone)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  if private.user_role() = 'commercial' and p_commercial_id <> me then
    perform private.refuse('forbidden');
  end if;
  if private.user_role() = 'admin' and p_commercial_id is not null then
    perform private.require_active_commercial(p_commercial_id);
  end if;
  return private.create_account(p_id, p_email, p_password_hash, 'client', p_full_name, p_phone,
    case when private.user_role() = 'commercial' then me else p_commercial_id end, p_company, p_notes,
    (select p.is_test from public.profiles p where p.id = me), p_temporary_until);
end
$function$;
grant execute on function private.invite_client(uuid,text,text,text,text,text,uuid,text,timestamp with time zone) to authenticated;

CREATE FUNCTION private.invite_commercial(p_id uuid, p_email text, p_full_name text, p_phone text, p_password_hash text, p_temporary_until timestamp with time zone)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return private.create_account(p_id, p_email, p_password_hash, 'commercial', p_full_name, p_phone,
    p_is_test => (select p.is_test from public.profiles p where p.id = me), p_temporary_until => p_temporary_until);
end
$function$;
grant execute on function private.invite_commercial(uuid,text,text,text,text,timestamp with time zone) to authenticated;

CREATE FUNCTION private.invite_friend(p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean DEFAULT true)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  return private.refer_friend(me, p_name, p_email, p_phone, p_message, p_is_mail_sent, 'friend');
end
$function$;
grant execute on function private.invite_friend(text,text,text,text,boolean) to authenticated;

CREATE FUNCTION private.invoice_key(p_number text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN lower(btrim(regexp_replace(p_number, '[^[:alnum:]]+'::text, '-'::text, 'g'::text), '-'::text));
grant execute on function private.invoice_key(text) to parrain_service;

CREATE FUNCTION private.invoice_of_credit_note(p_paper public.papers)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select o.id from public.papers o
  where (p_paper).series ~ '^A[0-9]{9}$' and o.series = 'F' || substr((p_paper).series, 2)
    and (o.request_id = (p_paper).request_id or o.period_id = (p_paper).period_id)
$function$;

CREATE FUNCTION private.invoice_terms_of(p_payee_id uuid, p_request_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.payment_requests;
begin
  select * into r from public.payment_requests t where t.id = p_request_id and t.client_id = p_payee_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.payment_method <> 'virement' or r.vat_mandate_id is not null or not private.may_invoice(p_payee_id)
      or private.mandate_in_force(p_payee_id) is not null then
    perform private.refuse('invoice_not_offered');
  end if;
  if r.status not in ('pending', 'approved') or r.payee_invoice_id is not null
      or exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid')) then
    perform private.refuse('invoice_too_late');
  end if;
  return (select jsonb_build_object('amount', r.amount::text, 'charges_vat', d.charges_vat, 'today', private.today(), 'is_test', r.is_test,
    -- The services are those that earned it.
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
      where e.payee_id = p_payee_id and e.act = 'validation'))
    from private.payee_details d where d.payee_id = p_payee_id);
end
$function$;

CREATE FUNCTION private.invoices_months(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (private.may_invoice(p_payee_id) AND private.is_paid_by_transfer(p_payee_id) AND (private.mandate_in_force(p_payee_id) IS NULL));
grant execute on function private.invoices_months(uuid) to authenticated;
grant execute on function private.invoices_months(uuid) to service_role;

CREATE FUNCTION private.is_account_of(p_use text, p_number text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (p_number ~ CASE p_use WHEN 'charged'::text THEN '^6'::text WHEN 'salary'::text THEN '^6'::text WHEN 'client'::text THEN '^4'::text WHEN 'commercial'::text THEN '^4'::text WHEN 'accrued'::text THEN '^4'::text WHEN 'salary_due'::text THEN '^4'::text WHEN 'vat'::text THEN '^(445|6)'::text WHEN 'vat_waiting'::text THEN '^(445|6)'::text WHEN 'vat_eu'::text THEN '^(445|6)'::text WHEN 'vat_abroad'::text THEN '^(445|6)'::text WHEN 'vat_collected'::text THEN '^445'::text WHEN 'vat_eu_due'::text THEN '^445'::text WHEN 'vat_abroad_due'::text THEN '^445'::text WHEN 'paid_virement'::text THEN '^[45]'::text WHEN 'paid_association'::text THEN '^[45]'::text WHEN 'paid_cheque_cadeau'::text THEN '^[3-6]'::text WHEN 'paid_remise_societe'::text THEN '^[467]'::text ELSE ''::text END);
grant execute on function private.is_account_of(text,text) to parrain_service;

CREATE FUNCTION private.is_accounted(p_debit text, p_credit text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (NOT ((p_debit = ANY (ARRAY['available'::text, 'reserved'::text])) AND (p_credit = ANY (ARRAY['available'::text, 'reserved'::text]))));
grant execute on function private.is_accounted(text,text) to parrain_service;

CREATE FUNCTION private.is_archive_whole(p_archive private.archives)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (((p_archive).status = 'ready'::text) AND ((p_archive).size = ( SELECT COALESCE(sum(octet_length(p.bytes)), (0)::bigint) AS "coalesce"
            FROM private.archive_parts p
           WHERE (p.archive_id = (is_archive_whole.p_archive).id))));
END;

CREATE FUNCTION private.is_association_number(p_number text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE((private.is_rna(p_number) OR private.is_siren(p_number)), false);
grant execute on function private.is_association_number(text) to parrain_service;

CREATE FUNCTION private.is_chart(p_accounts jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE(((jsonb_typeof(p_accounts) = 'object'::text) AND (p_accounts ?& ARRAY['charged'::text, 'client'::text, 'commercial'::text, 'paid_association'::text, 'paid_cheque_cadeau'::text, 'paid_remise_societe'::text, 'paid_virement'::text]) AND (SELECT bool_and(((a.key = ANY (ARRAY['charged'::text, 'client'::text, 'commercial'::text, 'paid_virement'::text, 'paid_cheque_cadeau'::text, 'paid_association'::text, 'paid_remise_societe'::text, 'vat'::text, 'vat_waiting'::text, 'vat_collected'::text, 'vat_eu'::text, 'vat_eu_due'::text, 'vat_abroad'::text, 'vat_abroad_due'::text, 'accrued'::text, 'salary'::text, 'salary_due'::text, 'held'::text, 'adjusted'::text, 'paid_paie'::text, 'other'::text])) AND COALESCE(((a.value ->> 'number'::text) ~ '^[1-7][0-9]{2}[0-9A-Z]{0,9}$'::text), false) AND COALESCE((private.is_line((a.value ->> 'label'::text), 100) AND (btrim((a.value ->> 'label'::text)) <> ''::text)), false))) AS bool_and FROM jsonb_each(is_chart.p_accounts) a(key, value))), false);
grant execute on function private.is_chart(jsonb) to parrain_service;

CREATE FUNCTION private.is_cleaning()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (COALESCE(current_setting('app.cleaning'::text, true), ''::text) = 'on'::text);
grant execute on function private.is_cleaning() to authenticated;
grant execute on function private.is_cleaning() to parrain_service;

CREATE FUNCTION private.is_company_name(p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return length(btrim(p_text)) > 0 and private.is_line(p_text, 120) and p_text !~* '://|www\.';
end
$function$;
grant execute on function private.is_company_name(text) to anon;
grant execute on function private.is_company_name(text) to authenticated;
grant execute on function private.is_company_name(text) to parrain_service;
grant execute on function private.is_company_name(text) to service_role;

CREATE FUNCTION private.is_e_invoice(p_paper public.papers)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (((p_paper).series ~ '^[FA][0-9]{9}$'::text) AND (NOT (p_paper).is_test));

CREATE FUNCTION private.is_forgettable(s public.sales, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT ((NOT (s).ready_for_validation) AND ((s).corrects_sale_id IS NULL) AND (num_nonnulls((s).referred_contact_email, (s).referred_contact_phone) > 0) AND ((s).updated_at < p_since) AND (NOT (EXISTS ( SELECT
            FROM public.call_consents c
           WHERE ((c.sale_id = (is_forgettable.s).id) AND (c.said_at >= is_forgettable.p_since))))) AND (NOT (EXISTS ( SELECT
            FROM public.follow_ups f
           WHERE ((f.sale_id = (is_forgettable.s).id) AND ((f.updated_at >= is_forgettable.p_since) OR (f.call_back_on >= private.today())))))) AND (NOT (EXISTS ( SELECT
            FROM private.announced_erasures a
           WHERE ((a.sale_id = (is_forgettable.s).id) AND (a.kept_at >= is_forgettable.p_since))))));
END;

CREATE FUNCTION private.is_importing()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (COALESCE(current_setting('app.importing'::text, true), ''::text) = 'on'::text);
grant execute on function private.is_importing() to authenticated;
grant execute on function private.is_importing() to service_role;

CREATE FUNCTION private.is_in_eu(p_country text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (p_country = ANY ('{AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI,FR,GR,HR,HU,IE,IT,LT,LU,LV,MT,NL,PL,PT,RO,SE,SI,SK}'::text[]));
grant execute on function private.is_in_eu(text) to authenticated;
grant execute on function private.is_in_eu(text) to parrain_service;
grant execute on function private.is_in_eu(text) to service_role;

CREATE FUNCTION private.is_invoice_used(p_invoice_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN ((EXISTS (SELECT FROM public.paid_periods q WHERE ((q.payee_invoice_id = is_invoice_used.p_invoice_id) AND (q.returned_at IS NULL)))) OR (EXISTS (SELECT FROM (public.payment_batch_lines l JOIN public.payment_batches b ON ((b.id = l.batch_id))) WHERE ((l.payee_invoice_id = is_invoice_used.p_invoice_id) AND (l.status = 'queued'::text) AND (b.status <> 'draft'::text)))));

CREATE FUNCTION private.is_key_alive(k public.api_keys)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (((k).revoked_at IS NULL) AND (((k).expires_at IS NULL) OR ((k).expires_at > now())));
grant execute on function private.is_key_alive(public.api_keys) to parrain_service;

CREATE FUNCTION private.is_line(p_text text, p_length_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]';
end
$function$;
grant execute on function private.is_line(text,integer) to anon;
grant execute on function private.is_line(text,integer) to authenticated;
grant execute on function private.is_line(text,integer) to parrain_service;
grant execute on function private.is_line(text,integer) to service_role;

CREATE FUNCTION private.is_name(p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return private.is_visible(p_text) and private.is_line(p_text, 120) and not private.has_site(p_text);
end
$function$;
grant execute on function private.is_name(text) to anon;
grant execute on function private.is_name(text) to authenticated;
grant execute on function private.is_name(text) to parrain_service;
grant execute on function private.is_name(text) to service_role;

CREATE FUNCTION private.is_open(s public.sales)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (((s).corrects_sale_id IS NULL) AND (NOT (s).ready_for_validation) AND ((s).status = ANY (ARRAY['pending'::text, 'contacted'::text, 'in_negotiation'::text])));
grant execute on function private.is_open(public.sales) to parrain_service;

CREATE FUNCTION private.is_outside_eea(p_iban text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((p_iban ~ '^[A-Z]{2}[0-9]'::text) AND ("left"(p_iban, 2) <> ALL ('{AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI,FR,GR,HR,HU,IE,IS,IT,LI,LT,LU,LV,MT,NL,NO,PL,PT,RO,SE,SI,SK}'::text[])));
grant execute on function private.is_outside_eea(text) to authenticated;
grant execute on function private.is_outside_eea(text) to parrain_service;
grant execute on function private.is_outside_eea(text) to service_role;

CREATE FUNCTION private.is_paid_by_transfer(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (EXISTS (SELECT FROM private.payee_details d WHERE ((d.payee_id = is_paid_by_transfer.p_payee_id) AND (d.status = ANY (ARRAY['agent'::text, 'societe'::text])))));
grant execute on function private.is_paid_by_transfer(uuid) to authenticated;
grant execute on function private.is_paid_by_transfer(uuid) to service_role;

CREATE FUNCTION private.is_paper_series(p_series text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (p_series ~ '^T?(R|AR|RT|[FA][0-9]{9})$'::text);
grant execute on function private.is_paper_series(text) to parrain_service;

CREATE FUNCTION private.is_payee_incomplete(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN ((EXISTS (SELECT FROM private.paper_settings s WHERE s.issues_papers)) AND (NOT (EXISTS (SELECT FROM private.payee_details d WHERE (d.payee_id = is_payee_incomplete.p_payee_id)))));
grant execute on function private.is_payee_incomplete(uuid) to authenticated;
grant execute on function private.is_payee_incomplete(uuid) to service_role;

CREATE FUNCTION private.is_payee_known(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (EXISTS (SELECT FROM private.payee_details d WHERE (d.payee_id = is_payee_known.p_payee_id)));
grant execute on function private.is_payee_known(uuid) to authenticated;
grant execute on function private.is_payee_known(uuid) to service_role;

CREATE FUNCTION private.is_reverse_charged(d private.payee_details)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (((d).country <> ALL (ARRAY['FR'::text, 'MC'::text])) AND ((d).status = ANY (ARRAY['societe'::text, 'agent'::text])));

CREATE FUNCTION private.is_rna(p_rna text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (p_rna ~ '^W[0-9][0-9A-Z][0-9]{7}$'::text);
grant execute on function private.is_rna(text) to parrain_service;

CREATE FUNCTION private.is_session_fresh()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM auth.sessions s
           WHERE ((s.id = (((NULLIF(current_setting('request.jwt.claims'::text, true), ''::text))::jsonb ->> 'session_id'::text))::uuid) AND (s.user_id = private.uid()) AND (s.created_at > (now() - '00:10:00'::interval))))) AS "exists";
END;

CREATE FUNCTION private.is_siren(p_siren text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((p_siren ~ '^[0-9]{9}$'::text) AND (p_siren <> '000000000'::text) AND (SELECT ((sum(CASE WHEN ((d.place % 2) = 1) THEN d.digit WHEN (d.digit > 4) THEN ((d.digit * 2) - 9) ELSE (d.digit * 2) END) % (10)::bigint) = 0) FROM (SELECT n.place, (substr(is_siren.p_siren, n.place, 1))::integer AS digit FROM generate_series(1, length(is_siren.p_siren)) n(place) WHERE (is_siren.p_siren ~ '^[0-9]{9}$'::text)) d));
grant execute on function private.is_siren(text) to parrain_service;

CREATE FUNCTION private.is_siret(p_siret text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((p_siret ~ '^[0-9]{14}$'::text) AND private.is_siren("left"(p_siret, 9)) AND (SELECT ((sum(CASE WHEN ((d.place % 2) = 0) THEN d.digit WHEN (d.digit > 4) THEN ((d.digit * 2) - 9) ELSE (d.digit * 2) END) % (10)::bigint) = 0) FROM (SELECT n.place, (substr(is_siret.p_siret, n.place, 1))::integer AS digit FROM generate_series(1, length(is_siret.p_siret)) n(place) WHERE (is_siret.p_siret ~ '^[0-9]{14}$'::text)) d));
grant execute on function private.is_siret(text) to parrain_service;

CREATE FUNCTION private.is_text(p_text text, p_length_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';
end
$function$;
grant execute on function private.is_text(text,integer) to anon;
grant execute on function private.is_text(text,integer) to authenticated;
grant execute on function private.is_text(text,integer) to parrain_service;
grant execute on function private.is_text(text,integer) to service_role;

CREATE FUNCTION private.is_under_check(p_sale_id uuid, p_payee_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from public.doubtful_cases c
    where c.status <> 'cleared' and (c.sale_id = p_sale_id or c.payee_id = p_payee_id and c.sale_id is null and c.request_id is null)
    order by c.id for share;
  return found;
end
$function$;

CREATE FUNCTION private.is_vat_number(p_number text, p_siren text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((p_number ~ '^FR[0-9A-HJ-NP-Z]{2}[0-9]{9}$'::text) AND ("right"(p_number, 9) = p_siren) AND CASE WHEN (p_number ~ '^FR[0-9]{11}$'::text) THEN (substr(p_number, 3, 2) = lpad((((12 + (3 * (("right"(p_number, 9))::bigint % (97)::bigint))) % (97)::bigint))::text, 2, '0'::text)) ELSE true END);
grant execute on function private.is_vat_number(text,text) to parrain_service;

CREATE FUNCTION private.is_vat_waiting(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (EXISTS (SELECT FROM private.payee_details d WHERE ((d.payee_id = is_vat_waiting.p_payee_id) AND (d.vat_number IS NOT NULL) AND (d.vat_accepted_at IS NULL) AND (private.mandate_in_force(is_vat_waiting.p_payee_id) IS NOT NULL))));
grant execute on function private.is_vat_waiting(uuid) to authenticated;
grant execute on function private.is_vat_waiting(uuid) to service_role;

CREATE FUNCTION private.is_visible(p_text text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (regexp_replace(private.without_invisible(p_text), '[\u0001-\u0020\u007f-\u00a0\u0300-\u036f\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ue000-\uf8ff\U000f0000-\U0010ffff]'::text, ''::text, 'g'::text) <> ''::text);
grant execute on function private.is_visible(text) to anon;
grant execute on function private.is_visible(text) to api_key;
grant execute on function private.is_visible(text) to authenticated;
grant execute on function private.is_visible(text) to parrain_service;
grant execute on function private.is_visible(text) to service_role;

CREATE FUNCTION private.is_whole_pdf(p_bytes bytea)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE(((substr(p_bytes, 1, 5) = '\x255044462d'::bytea) AND (encode(substr(p_bytes, GREATEST((length(p_bytes) - 1023), 1)), 'escape'::text) ~ 'startxref[\t\n\f\r ]+[0-9]+[\t\n\f\r ]+%%EOF'::text)), false);

CREATE FUNCTION private.issue_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_quarter date, p_amount numeric, p_is_test boolean, p_content jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  today date := private.today();
  given private.paper_series;
  known jsonb := coalesce((select jsonb_build_object('status', d.status,
    'legal_name', d.legal_name, 'street', d.street, 'postal_code', d.postal_code, 'city', d.city, 'siren', d.siren, 'siret', d.siret,
    'rna', d.rna, 'vat_number', d.vat_number, 'legal_form', d.legal_form, 'capital', d.capital::text, 'registry_city', d.registry_city,
    'country', nullif(d.country, 'FR'), 'number_abroad', d.number_abroad)
    from private.payee_details d where d.payee_id = p_payee_id), '{}');
begin
  if p_content ? 'vat' then
    -- Abroad since: the invoice names the seller whom its mandate kept.
    if known ->> 'country' is not null then known := '{}'; end if;
    -- Another seller's establishment and registry than the mandate's are not the seller's.
    if known ->> 'siren' is distinct from p_content #>> '{vat,numbers,siren}' then
      known := known - array['siret', 'legal_form', 'capital', 'registry_city'];
    end if;
    known := (p_content #> '{vat,seller}') || jsonb_strip_nulls(known) || (p_content #> '{vat,numbers}');
  end if;
  insert into private.paper_series as s (series, year, last, last_on)
  values (case when p_is_test then 'T' else '' end || p_kind, extract(year from today), 1, today)
  on conflict (series, year) do update set last = s.last + 1, last_on = greatest(s.last_on, excluded.last_on)
  returning * into given;
  insert into public.papers (series, year, number, label, payee_id, request_id, period_id, quarter, issued_on, amount, is_test, content)
  select given.series, given.year, given.last,
    given.series || '-' || given.year::text || '-' || lpad(given.last::text, greatest(4, length(given.last::text)), '0'),
    p_payee_id, p_request_id, p_period_id, p_quarter, given.last_on, p_amount, p_is_test, jsonb_build_object(
      'company', (select jsonb_build_object('legal_name', s.legal_name, 'street', s.street, 'postal_code', s.postal_code, 'city', s.city,
        'siren', s.siren, 'siret', s.siret, 'vat_number', s.vat_number, 'vat_franchise', s.vat_franchise, 'legal_form', s.legal_form, 'capital', s.capital::text,
        'registry_city', s.registry_city) from private.paper_settings s),
      'payee', jsonb_build_object('name', p.full_name) || known,
      'contest_until', given.last_on + (select s.contest_days from private.paper_settings s)) || p_content
      || private.reverse_charge_on_paper(p_kind, p_payee_id, p_request_id, p_period_id, p_amount, p_content ->> 'paid_at')
      || case when p_content ? 'vat' then jsonb_build_object('vat', (p_content -> 'vat') - array['seller', 'numbers']) else '{}' end
  from public.profiles p where p.id = p_payee_id;
end
$function$;

CREATE FUNCTION private.keep_contact(p_sale_id uuid, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  if coalesce(btrim(p_reason), '') = '' or not private.is_text(p_reason, 2000) then perform private.refuse('invalid_input'); end if;
  update private.announced_erasures a set kept_at = private.now() where a.sale_id = p_sale_id and a.kept_at is null;
  if not found then perform private.refuse('contact_not_announced'); end if;
  perform private.append_audit('sales', p_sale_id, 'keep_contact', '{}', '{}', btrim(p_reason));
end
$function$;
grant execute on function private.keep_contact(uuid,text) to authenticated;

CREATE FUNCTION private.keep_doubts(p_sale_id uuid, p_request_id uuid, p_payee_id uuid, p_doubts private.doubt[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_doubts private.doubt[];
  v_case uuid;
begin
  v_doubts := array(
    select d from unnest(p_doubts) d join public.doubt_rules r on r.code = d.rule and r.is_on
    where not exists (select from private.undoubted_pairs u where u.rule = d.rule
        and u.one_id = least(p_payee_id, d.person_id) and u.other_id = greatest(p_payee_id, d.person_id))
      and not exists (select from public.doubtful_cases c join public.doubt_reasons o on o.case_id = c.id
        where c.payee_id = p_payee_id and o.rule = d.rule and o.compared = d.compared and o.person_id is not distinct from d.person_id
          and case when p_sale_id is not null then c.sale_id = p_sale_id when p_request_id is not null then c.request_id = p_request_id
            else c.sale_id is null and c.request_id is null and c.created_at > private.now() - interval '1 hour' end));
  if cardinality(v_doubts) = 0 then return; end if;
  loop
    insert into public.doubtful_cases (sale_id, request_id, payee_id) values (p_sale_id, p_request_id, p_payee_id)
    on conflict do nothing returning id into v_case;
    exit when found;
    select c.id into v_case from public.doubtful_cases c
      where c.payee_id = p_payee_id and c.status = 'open' and c.sale_id is not distinct from p_sale_id
        and c.request_id is not distinct from p_request_id for no key update;
    -- Decided since: a new one is opened.
    exit when found;
  end loop;
  insert into public.doubt_reasons (case_id, rule, compared, person_id)
  select v_case, d.rule, d.compared, d.person_id from unnest(v_doubts) d on conflict do nothing;
end
$function$;

CREATE FUNCTION private.keep_follow_up(p_sale_id uuid, p_private_note text, p_call_back_on date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  before public.follow_ups;
  v_note text := nullif(btrim(p_private_note), '');
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me and s.corrects_sale_id is null for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  select * into before from public.follow_ups f where f.sale_id = sale.id;
  if p_call_back_on is distinct from before.call_back_on and p_call_back_on is not null then
    if not private.is_open(sale) then perform private.refuse('sale_not_editable'); end if;
    if p_call_back_on < private.today() then perform private.refuse('call_back_is_past'); end if;
  end if;
  if v_note is null and p_call_back_on is null then
    delete from public.follow_ups f where f.sale_id = sale.id;
    return;
  end if;
  insert into public.follow_ups as f (sale_id, private_note, call_back_on) values (sale.id, v_note, p_call_back_on)
  on conflict (sale_id) do update set private_note = excluded.private_note, call_back_on = excluded.call_back_on,
    reminded_on = case when f.call_back_on = excluded.call_back_on then f.reminded_on end, updated_at = private.now();
end
$function$;
grant execute on function private.keep_follow_up(uuid,text,date) to authenticated;

CREATE FUNCTION private.keep_idempotent_answer(p_key text, p_status integer, p_body text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE private.idempotency_keys SET status = keep_idempotent_answer.p_status, body = keep_idempotent_answer.p_body
   WHERE ((COALESCE(idempotency_keys.user_id, idempotency_keys.api_key_id) = private.uid()) AND (idempotency_keys.key = keep_idempotent_answer.p_key));
END;
grant execute on function private.keep_idempotent_answer(text,integer,text) to api_key;
grant execute on function private.keep_idempotent_answer(text,integer,text) to authenticated;

CREATE FUNCTION private.keep_paper(p_paper_id uuid, p_bytes bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept private.paper_files;
  paper public.papers;
begin
  select * into strict paper from public.papers p where p.id = p_paper_id;
  insert into private.paper_files (paper_id, bytes) values (p_paper_id, p_bytes) on conflict (paper_id) do nothing returning * into kept;
  if found then
    perform private.append_audit(case when paper.request_id is not null then 'payment_requests'
        when paper.period_id is not null then 'paid_periods' else 'profiles' end,
      coalesce(paper.request_id, paper.period_id, paper.payee_id), 'issue', null,
      jsonb_build_object('paper', paper.label, 'paper_hash', encode(kept.hash, 'hex')), null);
  else
    select * into kept from private.paper_files f where f.paper_id = p_paper_id;
  end if;
  return kept.bytes;
end
$function$;

CREATE FUNCTION private.keep_payee_invoice(p_payee_id uuid, p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric, p_total numeric, p_name text, p_bytes bytea, p_act text, p_month date DEFAULT NULL::date)
 RETURNS public.payee_invoices
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  terms constant jsonb := case when p_month is null then private.invoice_terms_of(p_payee_id, p_request_id)
    else private.month_invoice_terms_of(p_payee_id, p_month) end;
  rate constant numeric := case when (terms ->> 'charges_vat')::boolean then private.vat_rate_on(p_day) end;
  vat constant numeric := private.vat_of((terms ->> 'amount')::numeric, rate);
  i public.payee_invoices;
begin
  if (p_day between (terms ->> 'from')::date and private.today()) is not true
      or (p_amount, p_vat, p_total) is distinct from
        ((terms ->> 'amount')::numeric, coalesce(vat, 0), (terms ->> 'amount')::numeric + coalesce(vat, 0)) then
    perform private.refuse('invoice_mismatch');
  end if;
  if p_month is null then
    update public.payee_invoices t set status = 'lapsed' where t.request_id = p_request_id and t.status = 'sent';
  else
    perform private.lapse_month_invoice(t.id, false) from public.payee_invoices t
      where t.payee_id = p_payee_id and t.month <= p_month and t.status in ('sent', 'accepted') and not private.is_invoice_used(t.id);
  end if;
  insert into public.payee_invoices (request_id, month, payee_id, number, invoiced_on, amount, vat_rate, vat_amount, vat_number, name, size, is_test)
  select case when p_month is null then p_request_id end, p_month, p_payee_id, btrim(p_number), p_day, (terms ->> 'amount')::numeric, rate, vat,
    case when rate is not null then (select d.vat_number from private.payee_details d where d.payee_id = p_payee_id) end, p_name,
    length(p_bytes), (terms ->> 'is_test')::boolean
  returning * into i;
  insert into private.payee_invoice_files (invoice_id, bytes) values (i.id, p_bytes);
  if p_month is null then
    perform private.append_audit('payment_requests', p_request_id, p_act, null,
      jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex')), null);
    perform private.end_notices(array['invoice_refused', 'invoice_received'], null, p_request_id, null);
    perform private.tell('invoice_received', private.active_admins(), null, p_request_id);
  else
    perform private.append_audit('profiles', p_payee_id, p_act, null,
      jsonb_build_object('invoice_sha256', encode(sha256(p_bytes), 'hex'), 'month', to_char(p_month, 'YYYY-MM')), null);
    update public.notices n set read_at = private.now() where n.recipient_id = p_payee_id and n.read_at is null
      and n.kind in ('invoice_refused', 'invoice_lapsed') and n.invoice_id is not null;
    perform private.tell_of_invoice('invoice_received', private.active_admins(), i.id);
  end if;
  return i;
exception when unique_violation then
  perform private.refuse('invoice_number_taken');
end
$function$;

CREATE FUNCTION private.keep_received_invoice(p_id uuid, p_attempt integer, p_name text, p_bytes bytea, p_data jsonb, p_is_credit boolean, p_iban_marks bytea[], p_reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.received_invoices r set state = 'listed', leased_until = '-infinity', words = null, name = p_name, data = p_data,
      is_credit = p_is_credit, iban_marks = p_iban_marks, reason = p_reason
    where r.id = p_id and r.attempts = p_attempt and r.state = 'noted';
  if not found then return false; end if;
  if p_bytes is not null then
    insert into private.received_invoice_files (received_id, bytes) values (p_id, p_bytes);
  end if;
  return true;
end
$function$;

CREATE FUNCTION private.keep_refusal(p_mark bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
end
$function$;

CREATE FUNCTION private.keep_second_factors()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := coalesce(new.user_id, old.user_id);
  v_has boolean;
begin
  -- One at a time for a person: of two factors removed at once, the second sees the first gone.
  perform 1 from auth.users u where u.id = v_user for no key update;
  if tg_op = 'DELETE' or new.status = 'unverified' then
    delete from auth.session_methods m where m.factor_id = coalesce(old.id, new.id);
    update auth.sessions s set aal = 'aal1', factor_id = null
      where s.user_id = v_user and s.aal = 'aal2'
        and not exists (select 1 from auth.session_methods m where m.session_id = s.id and m.factor_id is not null);
  end if;
  v_has := exists (select 1 from auth.factors f
    where f.user_id = v_user and f.status = 'verified' and f.factor_type <> 'recovery_code');
  update auth.users u set has_verified_factor = v_has where u.id = v_user and u.has_verified_factor <> v_has;
  -- Codes on paper replace another factor: they go with the last one.
  if not v_has then delete from auth.factors f where f.user_id = v_user and f.factor_type = 'recovery_code'; end if;
  return null;
end
$function$;

CREATE FUNCTION private.keep_track_of_blob()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op <> 'INSERT' and old.blob is not null and (tg_op = 'DELETE' or new.blob is distinct from old.blob) then
    insert into storage.loose_blobs (blob) values (old.blob) on conflict (blob) do update set since = now();
  end if;
  if tg_op <> 'DELETE' and new.blob is not null then
    delete from storage.loose_blobs l where l.blob = new.blob;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.key_may(p_scope text)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE(((private.user_role() = 'api_key'::text) AND (p_scope = ANY (string_to_array(current_setting('app.key_scopes'::text, true), ' '::text)))), false);
grant execute on function private.key_may(text) to api_key;
grant execute on function private.key_may(text) to parrain_service;

CREATE FUNCTION private.lapse_changed_months()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lapse_month_invoice(i.id, true)
    from public.payee_invoices i cross join lateral private.period_due(i.payee_id, i.month) d
    where i.payee_id = new.payee_id and i.month is not null and i.status in ('sent', 'accepted') and d.due <> i.amount
      and not private.is_invoice_used(i.id);
  return null;
end
$function$;

CREATE FUNCTION private.lapse_month_invoice(p_invoice_id uuid, p_tells boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.payee_invoices;
begin
  update public.payee_invoices t set status = 'lapsed' where t.id = p_invoice_id and t.status in ('sent', 'accepted') returning * into i;
  if not found then return; end if;
  if p_tells then
    perform private.tell_of_invoice('invoice_lapsed', array[i.payee_id], i.id);
  else
    update public.notices n set read_at = private.now() where n.invoice_id = i.id and n.read_at is null and n.kind <> 'invoice_accepted';
  end if;
end
$function$;

CREATE FUNCTION private.lapse_payee_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.payee_invoices i set status = 'lapsed' where i.request_id = new.id and i.status in ('sent', 'accepted');
  perform private.end_notices(array['invoice_received', 'invoice_refused'], null, new.id, null);
  return null;
end
$function$;

CREATE FUNCTION private.lapse_returned_month()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lapse_month_invoice(new.payee_invoice_id, false);
  return null;
end
$function$;

CREATE FUNCTION private.last_activity_of(p_id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select greatest(
    (select max(a.at) from public.audit_entries a where a.actor_id = p_id),
    (select e.at from auth.audit_entries e where e.user_id = p_id and e.action = 'login' order by e.id desc limit 1))
  where private.user_role() = 'admin'
$function$;
grant execute on function private.last_activity_of(uuid) to authenticated;
grant execute on function private.last_activity_of(uuid) to service_role;

CREATE FUNCTION private.last_month_begun()
 RETURNS date
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN private.month_of((private.now() - '01:00:00'::interval));
grant execute on function private.last_month_begun() to authenticated;
grant execute on function private.last_month_begun() to parrain_service;
grant execute on function private.last_month_begun() to service_role;

CREATE FUNCTION private.leave_batch(p_batch_id uuid, p_request_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  v_status text;
begin
  select b.status into v_status from public.payment_batches b where b.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if v_status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  delete from public.payment_batch_lines l
    where l.batch_id = p_batch_id and (p_request_ids is null or l.id = any (p_request_ids));
end
$function$;
grant execute on function private.leave_batch(uuid,uuid[]) to authenticated;

CREATE FUNCTION private.left_of_contract(p_sale_id uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select s.contract_amount + coalesce((select sum(c.contract_amount) from public.sales c where c.corrects_sale_id = s.id), 0)
  from public.sales s where s.id = p_sale_id
$function$;
grant execute on function private.left_of_contract(uuid) to parrain_service;

CREATE FUNCTION private.legal_notice_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return (select to_jsonb(n) - array['id', 'updated_at'] from private.legal_notice n);
end
$function$;
grant execute on function private.legal_notice_shown() to authenticated;

CREATE FUNCTION private.letters(p_number bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  rest bigint := p_number;
  letters text := '';
begin
  while rest > 0 loop
    letters := chr(65 + ((rest - 1) % 26)::integer) || letters;
    rest := (rest - 1) / 26;
  end loop;
  return letters;
end
$function$;
grant execute on function private.letters(bigint) to parrain_service;

CREATE FUNCTION private.lift_iban_wait(p_id uuid, p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  why constant text := nullif(btrim(p_reason), '');
  i public.payee_ibans;
  v_notice uuid;
begin
  if why is null then perform private.refuse('account_check_required'); end if;
  select t.* into i from public.payee_ibans t
    where t.id = coalesce((select r.iban_id from public.payment_requests r where r.id = p_id),
      (select a.iban_id from public.bank_accounts a where a.id = (private.bank_account_of(p_id)).id)) for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if i.usable_from <= private.now() then return 'usable'; end if;
  update public.payee_ibans t set usable_from = private.now(), confirmed_at = private.now(), lift_reason = why
    where t.id = i.id;
  perform private.append_audit('profiles', i.client_id, 'lift_iban_wait', null, null, why);
  insert into public.notices (recipient_id, kind, iban_id)
    select p.id, 'iban_checked', i.id from public.profiles p where p.id = i.client_id and p.deactivated_at is null
    returning id into v_notice;
  if v_notice is not null then insert into private.notice_mails (notice_id) values (v_notice); end if;
  return 'lifted';
end
$function$;
grant execute on function private.lift_iban_wait(uuid,text) to authenticated;

CREATE FUNCTION private.likeness_of_name(p_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(w.w, ' '::text ORDER BY w.w) AS string_agg FROM regexp_split_to_table(private.plain_letters(likeness_of_name.p_name), '[^[:alnum:]]+'::text) w(w) WHERE (w.w <> ''::text) HAVING (count(*) > 1));
grant execute on function private.likeness_of_name(text) to parrain_service;

CREATE FUNCTION private.limit_per_day(p_what text, p_person uuid, p_most integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_wait double precision;
begin
  if p_person is null or coalesce(current_setting('app.at', true), '') <> '' then return; end if;
  v_wait := private.take_token('day:' || p_what || ':' || p_person, p_most, 86400);
  if v_wait > 0 then
    perform private.refuse('daily_limit', jsonb_build_object('retryAfterSeconds', ceil(v_wait)));
  end if;
end
$function$;

CREATE FUNCTION private.limit_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.limit_per_day('session', new.user_id, 1000);
  delete from auth.sessions s where s.id in (
    select o.id from auth.sessions o where o.user_id = new.user_id and o.id <> new.id
    order by greatest(o.created_at, o.refreshed_at) desc offset 99);
  return null;
end
$function$;

CREATE FUNCTION private.limit_writes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most integer := tg_argv[1];
begin
  if tg_nargs = 3 then
    most := case private.user_role() when 'client' then tg_argv[1] when 'commercial' then tg_argv[2] end;
  end if;
  if most is not null then perform private.limit_per_day(tg_argv[0], private.uid(), most); end if;
  return null;
end
$function$;

CREATE FUNCTION private.lock_account(p_payee_id uuid, OUT available numeric, OUT debt numeric, OUT is_test boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A cleaning of test data holds balances before all else.
  lock table public.balances in row exclusive mode;
  select p.is_test into is_test from public.profiles p where p.id = p_payee_id and p.role in ('client', 'commercial') for share;
  if not found then perform private.refuse('payee_unknown'); end if;
  perform private.release_holds(p_payee_id, 1000);
  perform private.lock_balances(array[p_payee_id]);
  select b.earned - b.reversed - b.held - b.reserved - b.paid, greatest(b.paid - (b.earned - b.reversed - b.held), 0) into available, debt
    from public.balances b where b.profile_id = p_payee_id;
  is_test := is_test or exists (select from public.ledger_entries e where e.payee_id = p_payee_id and e.is_test);
end
$function$;

CREATE FUNCTION private.lock_balances(p_payee_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  locked integer;
begin
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  get diagnostics locked = row_count;
  -- The same payee may be named twice.
  if locked < cardinality(p_payee_ids) and locked < (select count(distinct i) from unnest(p_payee_ids) i) then
    insert into public.balances (profile_id) select distinct i from unnest(p_payee_ids) i order by i on conflict do nothing;
    perform 1 from public.balances b where b.profile_id = any (p_payee_ids) order by b.profile_id for update;
  end if;
end
$function$;

CREATE FUNCTION private.lock_batch(p_batch_id uuid, p_seen_version integer)
 RETURNS public.payment_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.payment_batches;
begin
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  if p_seen_version <> b.version then perform private.refuse('batch_changed'); end if;
  return b;
end
$function$;

CREATE FUNCTION private.lock_contact(p_mark bytea)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select pg_advisory_xact_lock_shared(hashtextextended('contacts', 0));
  select pg_advisory_xact_lock(hashtextextended(encode(p_mark, 'hex'), 0))
$function$;
grant execute on function private.lock_contact(bytea) to parrain_service;

CREATE FUNCTION private.lock_webhook(p_id uuid)
 RETURNS private.webhooks
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w private.webhooks;
begin
  perform private.require_role('admin');
  select * into w from private.webhooks x where x.id = p_id for no key update;
  if not found then perform private.refuse('webhook_not_found'); end if;
  return w;
end
$function$;

CREATE FUNCTION private.look_up(p_relation text, p_text text, p_most integer, p_is_near boolean)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
declare
  -- How alike a text and a part of the terms must be: one wrong letter changes three trigrams, two that are swapped four.
  alike constant real := 0.36;
  looked_at constant integer := 300;
  newest constant integer := 500;
  enough constant integer := 50;
  scope text;
  terms text;
  condition text;
  words text[];
  arms text[];
  found uuid[];
begin
  case p_relation
    when 'profiles' then
      terms := 'private.person_terms(t.full_name, t.email, t.phone, t.company)';
      scope := case private.user_role() when 'admin' then 't.role in (''client'', ''commercial'')' when 'commercial' then 't.commercial_id = $1' end;
    when 'sales' then
      terms := 'private.sale_terms(t.referred_contact_name, t.referred_contact_email, t.referred_contact_phone, t.contract_description)';
      scope := case private.user_role() when 'admin' then 't.corrects_sale_id is null'
        when 'commercial' then 't.commercial_id = $1 and t.corrects_sale_id is null'
        when 'client' then 't.friend_referrer_id = $1 and t.corrects_sale_id is null' end;
  end case;
  -- The three longest words say enough.
  words := array(select w.word from regexp_split_to_table(p_text, '\s+') w (word) where w.word <> '' order by length(w.word) desc limit 3);
  if scope is null or coalesce(words[1], '') !~ '[[:alnum:]]{3}' then return '{}'; end if;
  if p_is_near then
    condition := private.near_condition(terms, p_text);
    if condition <> '' then
      execute format('select coalesce(array_agg(f.id), ''{}'') from (
          select c.id from (
            select t.id, public.word_similarity($2, %3$s) as likeness from public.%1$I t where %2$s and (%4$s) limit $4) c
          where c.likeness >= $5
          order by c.likeness desc, c.id limit $3) f', p_relation, scope, terms, condition)
        into found using private.uid(), p_text, p_most, looked_at, alike;
    end if;
    if cardinality(found) >= enough then return found; end if;
    -- What came since the last night, and what nearly everything holds: among the newest.
    execute format('select coalesce($4, ''{}'') || coalesce(array_agg(f.id), ''{}'') from (
        select c.id from (
          select t.id, public.word_similarity($2, %3$s) as likeness from (%1$s) t where %2$s) c
        where c.likeness >= $5 and c.id <> all (coalesce($4, ''{}''))
        order by c.likeness desc, c.id limit $3) f',
        case when p_relation = 'profiles' and private.user_role() = 'admin' then
          format('select p.* from unnest(array[''client'', ''commercial'']) r (role)
            cross join lateral (select * from public.profiles p where p.role = r.role order by p.created_at desc limit %s) p', looked_at)
        else
          format('select * from public.%I t where %s order by t.created_at desc limit %s', p_relation, scope, looked_at)
        end, scope, terms)
      into found using private.uid(), p_text, p_most, found, alike;
    return found;
  end if;
  -- No trigram index looks for one or two letters anywhere, but it does where a word begins: after a space, or as the first of all,
  -- which is an arm of its own for each of them.
  with asked as (
    select w.place, w.word ~ '^[[:alnum:]]{1,2}$' as is_short, regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%' as begins
    from unnest(words) with ordinality w (word, place))
  select array_agg(a.arm) into arms from (
    select string_agg(format('%s like %L', terms, case when w.place = f.place then '' when w.is_short then '% ' else '%' end || w.begins), ' and ') as arm
    from asked w cross join (select 0 as place union all select s.place from asked s where s.is_short) f
    group by f.place) a;
  -- Of what stands in every tenth sale, the newest hold enough: no index is quick at finding half a table.
  if p_relation = 'sales' and private.user_role() = 'admin' then
    execute format('select coalesce(array_agg(t.id), ''{}'') from (
        select * from public.sales s order by s.created_at desc, s.id limit %3$s) t where %1$s and (%2$s)',
        scope, array_to_string(arms, ' or '), newest)
      into found;
    if cardinality(found) >= enough then return found; end if;
  end if;
  execute 'select (coalesce(array_agg(f.id), ''{}''))[1:$2] from (' || (
      select string_agg(format('(select t.id from public.%I t where %s and %s limit $2)', p_relation, scope, a.arm), ' union ')
      from unnest(arms) a (arm)) || ') f'
    into found using private.uid(), p_most;
  return found;
end
$function$;
grant execute on function private.look_up(text,text,integer,boolean) to authenticated;

CREATE FUNCTION private.loose_mailbox_of(p_email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN NULLIF(((regexp_replace(split_part(private.mailbox_of(p_email), '@'::text, 1), '[._-]'::text, ''::text, 'g'::text) || '@'::text) || split_part(private.mailbox_of(p_email), '@'::text, 2)), '@'::text);
grant execute on function private.loose_mailbox_of(text) to anon;
grant execute on function private.loose_mailbox_of(text) to authenticated;
grant execute on function private.loose_mailbox_of(text) to parrain_service;
grant execute on function private.loose_mailbox_of(text) to service_role;

CREATE FUNCTION private.mailbox_of(p_email text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  address constant text := private.address_of(p_email);
  name constant text := split_part(address, '@', 1);
  domain constant text := split_part(address, '@', 2);
begin
  if domain in ('gmail.com', 'googlemail.com') then return replace(split_part(name, '+', 1), '.', '') || '@gmail.com'; end if;
  if name like '+%' then return address; end if;
  return split_part(name, '+', 1) || '@' || domain;
end
$function$;
grant execute on function private.mailbox_of(text) to anon;
grant execute on function private.mailbox_of(text) to authenticated;
grant execute on function private.mailbox_of(text) to parrain_service;
grant execute on function private.mailbox_of(text) to service_role;

CREATE FUNCTION private.make_batch(p_request_ids uuid[], p_expected_total numeric, p_months jsonb DEFAULT '[]'::jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  v_batch uuid;
  found record;
  are_test boolean[];
  v_total numeric := 0;
  l record;
  d record;
  account public.bank_accounts;
begin
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r where r.id = any (p_request_ids) order by r.id for update;
  perform 1 from public.balances b where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_months) x)
    order by b.profile_id for update;
  select count(*) as number, coalesce(sum(r.amount + coalesce(r.vat_amount, 0)), 0) as total,
      coalesce(bool_and(r.status = 'approved' and r.payment_method = 'virement'), true) as are_due, array_agg(distinct r.is_test) as tests
    into found from public.payment_requests r where r.id = any (p_request_ids);
  if found.number <> cardinality(p_request_ids) or found.number + jsonb_array_length(p_months) = 0 then
    perform private.refuse('request_not_found');
  end if;
  if not found.are_due then perform private.refuse('request_changed'); end if;
  if exists (select from public.payment_batch_lines t where t.request_id = any (p_request_ids) and t.status in ('queued', 'paid')) then
    perform private.refuse('request_in_batch');
  end if;
  v_total := found.total; are_test := found.tests;
  for l in select x.payee_id, x.month, x.amount from jsonb_to_recordset(p_months) x (payee_id uuid, month date, amount numeric)
      order by x.payee_id loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    -- One month alone, the last that is over: what is due has all that those before it left.
    if l.month is distinct from (private.last_month_begun() - interval '1 month')::date then perform private.refuse('period_changed'); end if;
    if exists (select from public.payment_batch_lines t where t.payee_id = l.payee_id and t.status = 'queued') then
      perform private.refuse('period_in_batch');
    end if;
    if exists (select from public.paid_periods q where q.payee_id = l.payee_id and q.month >= l.month and q.returned_at is null) then
      perform private.refuse('period_already_paid');
    end if;
    select * into d from private.period_due(l.payee_id, l.month);
    account := private.bank_account_of(l.payee_id);
    if d.due <= 0 then perform private.refuse('period_carried_on'); end if;
    if d.due + coalesce((select k.vat from private.month_tax(l.payee_id, l.month, d.due) k), 0) is distinct from l.amount or account.id is null or not private.is_paid_by_transfer(l.payee_id) then
      perform private.refuse('period_changed');
    end if;
    v_total := v_total + l.amount; are_test := are_test || d.is_test;
  end loop;
  if v_total is distinct from p_expected_total then perform private.refuse('request_changed'); end if;
  if true = any (are_test) and false = any (are_test) then perform private.refuse('batch_mixes_test_data'); end if;
  insert into public.payment_batches (made_by, is_test) values (me, true = any (are_test)) returning id into v_batch;
  insert into public.payment_batch_lines (id, batch_id, request_id) select i, v_batch, i from unnest(p_request_ids) i order by i;
  -- With the VAT of this instant, as it was seen.
  insert into public.payment_batch_lines (id, batch_id, payee_id, month, amount, account_id, vat_mandate_id, payee_invoice_id, vat_rate, vat_amount)
  select gen_random_uuid(), v_batch, x.payee_id, x.month, k.due, (private.bank_account_of(x.payee_id)).id,
    v.mandate_id, v.invoice_id, v.rate, v.vat
  from jsonb_to_recordset(p_months) x (payee_id uuid, month date)
  cross join lateral private.period_due(x.payee_id, x.month) k
  cross join lateral private.month_tax(x.payee_id, x.month, k.due) v
  order by x.payee_id;
  return v_batch;
end
$function$;
grant execute on function private.make_batch(uuid[],numeric,jsonb) to authenticated;

CREATE FUNCTION private.make_paper()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mandate private.mandates;
  former public.papers;
  kind text;
begin
  if new.status = 'returned' then
    select * into former from public.papers p where p.request_id = new.id;
    if not found then return null; end if;
    kind := case when former.series ~ '^T?F' then 'A' || right(former.series, 9) else 'AR' end;
  else
    if num_nonnulls(new.vat_mandate_id, new.payee_invoice_id) = 0 and not exists (select from private.paper_settings s where s.issues_papers) then return null; end if;
    -- As it was asked for: with the VAT of its mandate, or without any. What the payee has invoiced makes a receipt.
    select * into mandate from private.mandates m
      where new.payee_invoice_id is null and m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.client_id)) and (m.vat_number is null) = (new.vat_mandate_id is null)
        and private.self_bills(m);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.client_id, new.id, null, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'method', new.payment_method, 'reference', new.settlement_reference,
      'association', new.association_name, 'association_number', new.association_number, 'asked_at', new.created_at, 'paid_at', new.paid_at,
      'returned_at', new.returned_at, 'receipt', former.label, 'receipt_on', former.issued_on)
    -- What comes back is what was paid: of the same contracts.
    || jsonb_strip_nulls(jsonb_build_object('lines', case when former.id is null
      then private.contracts_settled(new.client_id, new.id, new.amount) else former.content -> 'lines' end))
    || case when new.payee_invoice_id is null and mandate.id is null then '{}'
      when new.payee_invoice_id is null then private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
      else (select jsonb_build_object('invoice', jsonb_strip_nulls(jsonb_build_object('number', i.number, 'on', i.invoiced_on,
        'base', i.amount::text, 'rate', i.vat_rate::text, 'vat', i.vat_amount::text)))
        from public.payee_invoices i where i.id = new.payee_invoice_id) end
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$function$;

CREATE FUNCTION private.make_paper_of_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mandate private.mandates;
  former public.papers;
  kind text;
begin
  if new.returned_at is not null then
    select * into former from public.papers p where p.period_id = new.id;
    if not found then return null; end if;
    kind := case when former.series ~ '^T?F' then 'A' || right(former.series, 9) else 'AR' end;
  else
    if num_nonnulls(new.vat_mandate_id, new.payee_invoice_id) = 0 and (not exists (select from private.paper_settings s where s.issues_papers)
        or not exists (select from private.payee_details d where d.payee_id = new.payee_id and d.status <> 'salarie')) then
      return null;
    end if;
    select * into mandate from private.mandates m where new.payee_invoice_id is null and m.id = coalesce(new.vat_mandate_id, private.mandate_in_force(new.payee_id))
      and (m.vat_number is null) = (new.vat_mandate_id is null)
      and private.self_bills(m);
    kind := case when found then 'F' || mandate.payee_siren else 'R' end;
  end if;
  perform private.issue_paper(kind, new.payee_id, null, new.id, null, new.amount + coalesce(new.vat_amount, 0), new.is_test, jsonb_build_object(
      'mandate', private.mandate_on_paper(mandate), 'month', new.month, 'paid_at', new.paid_at)
    || jsonb_strip_nulls(jsonb_build_object('lines', case when former.id is null
      then private.contracts_settled(new.payee_id, new.id, new.amount, private.month_start((new.month + interval '1 month')::date))
      else former.content -> 'lines' end))
    || case when new.payee_invoice_id is null and mandate.id is null then '{}'
      when new.payee_invoice_id is null then private.vat_on_paper(new.amount, new.vat_rate, new.vat_amount, mandate)
      else (select jsonb_build_object('invoice', jsonb_strip_nulls(jsonb_build_object('number', i.number, 'on', i.invoiced_on,
        'base', i.amount::text, 'rate', i.vat_rate::text, 'vat', i.vat_amount::text)))
        from public.payee_invoices i where i.id = new.payee_invoice_id) end
    || case when former.id is null then '{}' else jsonb_build_object('returned_at', new.returned_at,
      'receipt', former.label, 'receipt_on', former.issued_on) end
    || case when former.series ~ '^T?F' then jsonb_build_object('company', former.content -> 'company', 'payee', former.content -> 'payee',
      'mandate', former.content -> 'mandate') || jsonb_strip_nulls(jsonb_build_object('vat', former.content -> 'vat')) else '{}' end);
  return null;
end
$function$;

CREATE FUNCTION private.make_quarterly_statements(p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_quarter constant date := (date_trunc('quarter', private.last_month_begun()::timestamp) - interval '3 months')::date;
  payee record;
  said jsonb;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('parrain.quarterly_statements'));
  if not exists (select from private.paper_settings s where s.issues_papers) then return 0; end if;
  for payee in
    select d.payee_id, p.is_test from private.payee_details d join public.profiles p on p.id = d.payee_id
    where d.status = 'agent' and p.role = 'commercial'
      and not exists (select from public.papers q where q.payee_id = d.payee_id and q.quarter = v_quarter)
      and exists (select from public.ledger_entries e where e.payee_id = d.payee_id
        and e.at < private.month_start((v_quarter + interval '3 months')::date))
    order by d.payee_id
  loop
    exit when made >= p_most;
    -- An entry that is on its way is waited for: it is in this statement, or in the next one.
    perform 1 from public.balances b where b.profile_id = payee.payee_id for update;
    said := private.quarter_content(payee.payee_id, v_quarter);
    continue when said -> 'lines' = '[]' and (said ->> 'closing')::numeric = 0;
    perform private.issue_paper('RT', payee.payee_id, null, null, v_quarter, (said ->> 'closing')::numeric, payee.is_test, said);
    made := made + 1;
  end loop;
  return made;
end
$function$;

CREATE FUNCTION private.mandate_in_force(p_payee_id uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT m.id FROM ((private.mandates m JOIN private.payee_details d ON (((d.payee_id = m.payee_id) AND (d.siren = m.payee_siren) AND (NOT (d.vat_number IS DISTINCT FROM m.vat_number))))) JOIN private.paper_settings s ON ((s.siren = m.company_siren))) WHERE ((m.payee_id = mandate_in_force.p_payee_id) AND (m.revoked_at IS NULL) AND private.may_be_self_billed(mandate_in_force.p_payee_id)));

CREATE FUNCTION private.mandate_on_paper(m private.mandates)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN ((m).id IS NOT NULL) THEN jsonb_build_object('version', (m).version, 'accepted_at', (m).accepted_at) ELSE NULL::jsonb END;
grant execute on function private.mandate_on_paper(private.mandates) to parrain_service;

CREATE FUNCTION private.mark_all_notices(p_until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = now() where n.recipient_id = me and n.read_at is null and n.created_at <= p_until;
  get diagnostics changed = row_count;
  return changed;
end
$function$;
grant execute on function private.mark_all_notices(timestamp with time zone) to authenticated;

CREATE FUNCTION private.mark_e_invoices(p_paper_ids uuid[], p_elsewhere_on date)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_on constant boolean := exists (select from private.e_invoicing s where s.is_on);
  marked uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  if p_elsewhere_on > private.today() then perform private.refuse('invalid_input'); end if;
  for marked in
    insert into private.e_invoices as e (paper_id, state, exported_at, elsewhere_on)
    select p.id, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end, case when p_elsewhere_on is null then now() end,
        p_elsewhere_on
      from public.papers p
      -- Nothing was deposited before it was there.
      where p.id = any (p_paper_ids) and private.is_e_invoice(p) and coalesce(p_elsewhere_on >= p.issued_on, true) order by p.id
    on conflict (paper_id) do update set state = excluded.state, exported_at = coalesce(excluded.exported_at, e.exported_at),
        elsewhere_on = excluded.elsewhere_on, words = null
      where e.state = 'refused' or e.state = 'exported' and p_elsewhere_on is not null
        or e.state = 'elsewhere' and p_elsewhere_on <> e.elsewhere_on
        or e.state = 'waiting' and e.asked_at is null and e.leased_until < now() and (p_elsewhere_on is not null or not is_on)
    returning e.paper_id
  loop
    perform private.record_e_invoice_status(marked, case when p_elsewhere_on is null then 'exported' else 'elsewhere' end,
      to_char(p_elsewhere_on, 'DD/MM/YYYY'), now(), null);
    done := done + 1;
  end loop;
  return done;
end
$function$;
grant execute on function private.mark_e_invoices(uuid[],date) to authenticated;

CREATE FUNCTION private.mark_notices(p_ids uuid[], p_is_read boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = case when p_is_read then now() end
    where n.recipient_id = me and n.id = any (p_ids) and (n.read_at is null) = p_is_read;
  get diagnostics changed = row_count;
  return changed;
end
$function$;
grant execute on function private.mark_notices(uuid[],boolean) to authenticated;

CREATE FUNCTION private.match_received_by_hand(p_id uuid, p_request_id uuid, p_payee_id uuid DEFAULT NULL::uuid, p_month date DEFAULT NULL::date)
 RETURNS public.payee_invoices
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return private.take_received_invoice(p_id, p_request_id, p_payee_id, p_month);
end
$function$;
grant execute on function private.match_received_by_hand(uuid,uuid,uuid,date) to authenticated;

CREATE FUNCTION private.match_received_invoice(p_id uuid, p_payee_id uuid, p_request_id uuid, p_reason text, p_month date DEFAULT NULL::date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v private.received_invoices;
begin
  if p_request_id is null and p_month is null then
    select * into v from private.received_invoices r where r.id = p_id and r.state = 'listed' for update;
    if not found then return false; end if;
    if (v.payee_id, v.reason) is distinct from (p_payee_id, p_reason) then
      update private.received_invoices r set payee_id = p_payee_id, reason = p_reason where r.id = p_id returning * into v;
    end if;
    if p_payee_id is null and exists (select from private.set_aside_suppliers s where s.siren = private.supplier_of(v)) then
      perform private.put_received_aside(p_id, true);
    end if;
    return false;
  end if;
  perform private.take_received_invoice(p_id, p_request_id, p_payee_id, p_month);
  return true;
exception when sqlstate 'PR001' then
  -- It changed since it was compared: it is compared again.
  update private.received_invoices r set payee_id = p_payee_id,
      reason = case when sqlerrm = 'invoice_number_taken' then 'number_taken' when p_month is null then 'no_request' else 'no_month' end
    where r.id = p_id and r.state = 'listed';
  return false;
end
$function$;

CREATE FUNCTION private.may_be_self_billed(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (EXISTS (SELECT FROM ((private.payee_details d JOIN public.profiles p ON ((p.id = d.payee_id))) JOIN private.paper_settings s ON (s.issues_papers)) WHERE ((d.payee_id = may_be_self_billed.p_payee_id) AND (p.role = ANY (ARRAY['client'::text, 'commercial'::text])) AND (p.deactivated_at IS NULL) AND (d.country = 'FR'::text) AND (d.status = ANY (ARRAY['micro'::text, 'societe'::text, 'agent'::text])) AND ((NOT d.charges_vat) OR ((d.postal_code !~ '^9[78]'::text) AND (s.postal_code !~ '^9[78]'::text))))));

CREATE FUNCTION private.may_be_viewed(p public.profiles)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p.role in ('commercial', 'client') and p.deactivated_at is null
$function$;

CREATE FUNCTION private.may_give_temporary_password(p_person uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return exists (select from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_person and p.role <> 'admin' and p.deactivated_at is null and not u.is_sso_user and u.email <> ''
      and (private.user_role() = 'admin'
        or (p.commercial_id = me and u.last_sign_in_at is null and u.temporary_password_until is not null)));
end
$function$;
grant execute on function private.may_give_temporary_password(uuid) to authenticated;

CREATE FUNCTION private.may_invoice(p_payee_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (private.may_be_self_billed(p_payee_id) OR (EXISTS (SELECT FROM ((private.payee_details d JOIN public.profiles p ON ((p.id = d.payee_id))) JOIN private.paper_settings s ON (s.issues_papers)) WHERE ((d.payee_id = may_invoice.p_payee_id) AND (p.role = ANY (ARRAY['client'::text, 'commercial'::text])) AND (p.deactivated_at IS NULL) AND (d.country <> 'FR'::text) AND (d.status = ANY (ARRAY['societe'::text, 'agent'::text])) AND ((d.charges_vat IS NOT TRUE) OR (s.postal_code !~ '^9[78]'::text))))));

CREATE FUNCTION private.month_invoice_terms_of(p_payee_id uuid, p_month date)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  d record;
begin
  perform 1 from public.profiles p where p.id = p_payee_id for no key update;
  perform 1 from public.balances b where b.profile_id = p_payee_id for update;
  -- What waits is the last month that is over: it has what those before it left.
  if p_month is distinct from (private.last_month_begun() - interval '1 month')::date then perform private.refuse('invoice_too_late'); end if;
  if not private.invoices_months(p_payee_id) then perform private.refuse('invoice_not_offered'); end if;
  if exists (select from public.paid_periods q where q.payee_id = p_payee_id and q.month >= p_month and q.returned_at is null)
      or exists (select from public.payment_batch_lines l where l.payee_id = p_payee_id and l.status = 'queued')
      or exists (select from public.payee_invoices i where i.payee_id = p_payee_id and i.month = p_month and i.status = 'accepted') then
    perform private.refuse('invoice_too_late');
  end if;
  select * into d from private.period_due(p_payee_id, p_month);
  if d.due <= 0 then perform private.refuse('invoice_not_offered'); end if;
  return (select jsonb_build_object('amount', d.due::numeric(12, 2)::text, 'charges_vat', t.charges_vat, 'today', private.today(), 'is_test', d.is_test,
    'from', (select (min(e.at) at time zone 'Europe/Paris')::date from public.ledger_entries e
      where e.payee_id = p_payee_id and e.act = 'validation'))
    from private.payee_details t where t.payee_id = p_payee_id);
end
$function$;

CREATE FUNCTION private.month_of(p_at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (date_trunc('month'::text, (p_at AT TIME ZONE 'Europe/Paris'::text)))::date;
grant execute on function private.month_of(timestamp with time zone) to authenticated;
grant execute on function private.month_of(timestamp with time zone) to parrain_service;
grant execute on function private.month_of(timestamp with time zone) to service_role;

CREATE FUNCTION private.month_start(p_month date)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((p_month)::timestamp without time zone AT TIME ZONE 'Europe/Paris'::text);
grant execute on function private.month_start(date) to authenticated;
grant execute on function private.month_start(date) to parrain_service;
grant execute on function private.month_start(date) to service_role;

CREATE FUNCTION private.month_tax(p_payee_id uuid, p_month date, p_due numeric, OUT invoice_id uuid, OUT mandate_id bigint, OUT rate numeric, OUT vat numeric)
 RETURNS record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT i.id,
         CASE
             WHEN (i.id IS NULL) THEN v.mandate
             ELSE NULL::bigint
         END AS "case",
         CASE
             WHEN (i.id IS NOT NULL) THEN i.vat_rate
             ELSE v.rate
         END AS rate,
         CASE
             WHEN (i.id IS NOT NULL) THEN i.vat_amount
             ELSE private.vat_of(month_tax.p_due, v.rate)
         END AS vat_of
    FROM (( SELECT private.vat_mandate(month_tax.p_payee_id) AS mandate,
             private.vat_rate_of(month_tax.p_payee_id) AS rate) v
      LEFT JOIN public.payee_invoices i ON (((i.payee_id = month_tax.p_payee_id) AND (i.month = month_tax.p_month) AND (i.status = 'accepted'::text) AND (i.amount = month_tax.p_due))));
END;
grant execute on function private.month_tax(uuid,date,numeric) to authenticated;
grant execute on function private.month_tax(uuid,date,numeric) to service_role;

CREATE FUNCTION private.months_to_invoice(p_payee_id uuid)
 RETURNS TABLE(payee_id uuid, month date, amount numeric)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT p.id,
     m.month,
     (d.due)::numeric(12,2) AS due
    FROM ((public.profiles p
      CROSS JOIN ( SELECT ((private.last_month_begun() - '1 mon'::interval))::date AS month) m)
      CROSS JOIN LATERAL private.period_due(p.id, m.month) d(due, is_test))
   WHERE (((months_to_invoice.p_payee_id IS NULL) OR (p.id = months_to_invoice.p_payee_id)) AND (p.role = 'commercial'::text) AND (NOT p.is_test) AND (p.deactivated_at IS NULL) AND private.invoices_months(p.id) AND (d.due > (0)::numeric) AND (NOT d.is_test) AND (NOT (EXISTS ( SELECT
            FROM public.paid_periods q
           WHERE ((q.payee_id = p.id) AND (q.month >= m.month) AND (q.returned_at IS NULL))))) AND (NOT (EXISTS ( SELECT
            FROM public.payment_batch_lines l
           WHERE ((l.payee_id = p.id) AND (l.status = 'queued'::text))))) AND (NOT (EXISTS ( SELECT
            FROM public.payee_invoices i
           WHERE ((i.payee_id = p.id) AND (i.month = m.month) AND (i.status = ANY (ARRAY['sent'::text, 'accepted'::text])))))));
END;

CREATE FUNCTION private.move_sale(sale public.sales, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text, p_emptied text[])
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
  is_final boolean := p_status in ('validated', 'pending_validation', 'pending_final_validation');
  has_referrer boolean;
begin
  if p_status is null or p_status not in ('pending', 'contacted', 'in_negotiation', 'pending_validation', 'pending_final_validation', 'validated', 'rejected') then
    perform private.refuse('invalid_input');
  end if;
  if sale.admin_validated or sale.status = 'validated' then perform private.refuse('sale_not_editable'); end if;
  has_referrer := coalesce(sale.friend_referrer_id, sale.client_referrer_id) is not null;

  if 'contract_amount' = any (p_emptied) then sale.contract_amount := null; end if;
  if 'contract_description' = any (p_emptied) then sale.contract_description := null; end if;
  if 'commercial_notes' = any (p_emptied) then sale.commercial_notes := null; end if;
  sale.contract_amount := coalesce(p_contract_amount, sale.contract_amount);
  sale.contract_description := coalesce(nullif(btrim(p_contract_description), ''), sale.contract_description);
  sale.commercial_notes := coalesce(p_commercial_notes, sale.commercial_notes);
  sale.status := case when p_status in ('pending_validation', 'pending_final_validation') then 'pending' else p_status end;
  sale.ready_for_validation := is_final;
  if is_final and (sale.contract_amount is null or sale.contract_description is null) then
    perform private.refuse('contract_details_required');
  end if;
  if is_final then
    scale := private.scale_for_contract(sale.contract_amount, sale.commission_rate);
  end if;
  -- What the commission would be, for those who wait for the decision (CO-10, CL-04); the validation computes it anew.
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    rejection_reason = case when p_status = 'rejected' then s.rejection_reason end,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = scale.id,
    client_commission_type = scale.client_commission_type,
    client_commission_rate = scale.client_commission_amount,
    commercial_commission_type = scale.commercial_commission_type,
    commercial_commission_rate = scale.commercial_commission_amount,
    client_commission_amount = case when scale.id is null then null when not has_referrer then 0
      else private.forecast(scale.client_commission_type, scale.client_commission_amount, scale.client_rules, sale.contract_amount) end,
    commercial_commission_amount =
      private.forecast(scale.commercial_commission_type, scale.commercial_commission_amount, scale.commercial_rules, sale.contract_amount)
    where s.id = sale.id returning * into sale;
  return sale;
end
$function$;

CREATE FUNCTION private.my_account_data()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return jsonb_build_object(
    'account', (select jsonb_strip_nulls(jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
        'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'invited_at', u.invited_at,
        'last_sign_in_at', u.last_sign_in_at, 'new_email', u.new_email, 'new_phone', u.new_phone, 'user_metadata', u.raw_user_meta_data))
      from auth.users u where u.id = me),
    'payee_details', (select to_jsonb(d) - 'payee_id' from private.payee_details d where d.payee_id = me),
    'bank_accounts', (select coalesce(jsonb_agg(jsonb_build_object('holder', b.holder, 'iban', b.iban, 'created_at', b.created_at)
        order by b.created_at), '[]') from public.bank_accounts b where b.payee_id = me),
    'mandates', (select coalesce(jsonb_agg(jsonb_build_object('version', m.version, 'text', m.text, 'hash', encode(m.hash, 'hex'),
        'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at) order by m.id), '[]')
      from private.mandates m where m.payee_id = me),
    'identities', (select coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'provider_id', i.provider_id, 'data', i.identity_data,
        'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) order by i.created_at), '[]')
      from auth.identities i where i.user_id = me),
    'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'last_used_at', s.last_used_at,
        'user_agent', s.user_agent, 'ip', s.ip, 'is_current', s.is_current)), '[]')
      from private.my_sessions() s),
    'second_factors', (select coalesce(jsonb_agg(jsonb_build_object('type', f.factor_type, 'name', f.friendly_name, 'phone', f.phone,
        'status', f.status, 'created_at', f.created_at) order by f.created_at), '[]')
      from auth.factors f where f.user_id = me),
    'passkeys', (select coalesce(jsonb_agg(jsonb_build_object('name', c.friendly_name, 'created_at', c.created_at,
        'last_used_at', c.last_used_at) order by c.created_at), '[]')
      from auth.webauthn_credentials c where c.user_id = me and c.factor_id is null),
    'account_events', (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'action', e.action, 'ip', e.ip) order by e.id desc), '[]')
      from (select a.id, a.at, a.action, a.ip from auth.audit_entries a where a.user_id = me order by a.id desc limit 1000) e));
end
$function$;
grant execute on function private.my_account_data() to authenticated;

CREATE FUNCTION private.my_commercial_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.commercial_id'::text, true), ''::text))::uuid;
grant execute on function private.my_commercial_id() to anon;
grant execute on function private.my_commercial_id() to authenticated;
grant execute on function private.my_commercial_id() to parrain_service;
grant execute on function private.my_commercial_id() to service_role;

CREATE FUNCTION private.my_list_views()
 RETURNS TABLE(id uuid, list text, name text, settings text, created_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  return query select v.id, v.list, v.name, v.settings, v.created_at from private.list_views v
    where v.profile_id = me order by v.list, v.name;
end
$function$;
grant execute on function private.my_list_views() to authenticated;

CREATE FUNCTION private.my_payment_requests()
 RETURNS TABLE(request public.payment_requests, details_sealed bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 20
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  return query select r, s.details_sealed
    from public.payment_requests r
    left join private.payment_secrets s on s.request_id = r.id
    where r.client_id = me
    order by r.created_at desc, r.id
    limit 1000;
end
$function$;
grant execute on function private.my_payment_requests() to authenticated;

CREATE FUNCTION private.my_personal_link(p_token text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
  v_token text;
begin
  insert into private.personal_links (client_id, token) values (me, p_token) on conflict (client_id) do nothing;
  select l.token into v_token from private.personal_links l where l.client_id = me;
  return v_token;
end
$function$;
grant execute on function private.my_personal_link(text) to authenticated;

CREATE FUNCTION private.my_phones()
 RETURNS TABLE(endpoint text, user_agent text, created_at timestamp with time zone, is_current boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  session constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
begin
  return query select p.endpoint, s.user_agent, p.created_at, p.session_id = session from private.push_subscriptions p
    join auth.sessions s on s.id = p.session_id where p.profile_id = me order by p.created_at, p.session_id;
end
$function$;
grant execute on function private.my_phones() to authenticated;

CREATE FUNCTION private.my_sessions()
 RETURNS TABLE(id uuid, created_at timestamp with time zone, last_used_at timestamp with time zone, user_agent text, ip text, is_current boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client', 'comptable');
begin
  return query select s.id, s.created_at, greatest(s.created_at, s.refreshed_at), s.user_agent, s.ip,
      s.id::text = nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id'
    from auth.sessions s
    where s.user_id = me and (s.not_after is null or s.not_after > now())
    order by 6 desc, 3 desc, s.id
    limit 200;
end
$function$;
grant execute on function private.my_sessions() to authenticated;

CREATE FUNCTION private.near_condition(p_terms text, p_text text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- One wrong letter leaves a quarter of a short word's trigrams.
  alike constant real := 0.25;
  too_common constant integer := 100000;
  -- The three longest words say enough.
  asked constant text[] := array(select t.word from (
      select distinct left(m.found[1], 40) as word from regexp_matches(p_text, '[[:alpha:]]{3,}|[[:digit:]]{3,}', 'g') m (found)) t
    order by length(t.word) desc, t.word limit 3);
  nearest constant integer := case when cardinality(asked) = 3 then 2 else 3 end;
  typed text;
  near text[];
  holders bigint;
  -- One arm for each choice of words: an index finds rows that hold several words sooner than rows that hold one of them.
  arms text[] := array[''];
begin
  perform set_config('pg_trgm.similarity_threshold', alike::text, true);
  foreach typed in array asked loop
    if typed ~ '^\d' then
      -- Of a number with one wrong digit, one half is right.
      near := case when length(typed) < 8 then array[typed] else array[left(typed, length(typed) / 2), right(typed, length(typed) / 2)] end;
    else
      -- What was typed comes first where words hold it: another one was typed wrong.
      select array_agg(n.word order by n.place), sum(n.holders) into near, holders from (
        select k.word, k.holders, row_number() over (order by k.likeness desc, k.holders desc, k.word) as place
        from (
          select typed as word, sum(w.holders) as holders, 1 as likeness from private.known_words w
          where w.word like '%' || typed || '%' having count(*) > 0
          union all
          select w.word, w.holders, public.similarity(w.word, typed) from private.known_words w
          where w.word operator(public.%) typed and w.word not like '%' || typed || '%') k
        limit nearest) n;
      continue when near is null or holders > too_common;
    end if;
    arms := array(select a.arm || format(' and %s like %L', p_terms, '%' || n.word || '%') from unnest(arms) a (arm), unnest(near) n (word));
  end loop;
  return array_to_string(array(select '(' || substr(a.arm, 6) || ')' from unnest(arms) a (arm) where a.arm <> ''), ' or ');
end
$function$;

CREATE FUNCTION private.never()
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '9999-12-31 12:00:00+00'::timestamp with time zone;
grant execute on function private.never() to authenticated;
grant execute on function private.never() to parrain_service;
grant execute on function private.never() to service_role;

CREATE FUNCTION private.note_dossier_sent(p_period text, p_recipients integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  perform pg_advisory_xact_lock(hashtextextended('dossier-sent', 0));
  if private.dossier_sent_at(p_period) > clock_timestamp() - interval '10 minutes' then return false; end if;
  perform private.append_audit('exports', gen_random_uuid(), 'send', null,
    jsonb_build_object('list', 'dossier', 'period', p_period, 'recipients', p_recipients), null);
  return true;
end
$function$;
grant execute on function private.note_dossier_sent(text,integer) to authenticated;

CREATE FUNCTION private.note_failing_queue()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.failing_since := case when new.state = 'waiting' then coalesce(old.failing_since, case when new.words is not null then now() end) end;
  return new;
end
$function$;

CREATE FUNCTION private.note_received_invoices(p_platform text, p_flow_ids text[], p_until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  noted integer;
begin
  insert into private.received_invoices (platform, flow_id)
  select p_platform, f.id from (select distinct u.id from unnest(p_flow_ids) u (id) order by 1) f
    on conflict (platform, flow_id) do nothing;
  get diagnostics noted = row_count;
  update private.e_invoicing s set received_until = p_until where s.received_until < p_until;
  return noted;
end
$function$;

CREATE FUNCTION private.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((NULLIF(current_setting('app.at'::text, true), ''::text))::timestamp with time zone, now());
grant execute on function private.now() to anon;
grant execute on function private.now() to api_key;
grant execute on function private.now() to authenticated;
grant execute on function private.now() to parrain_service;
grant execute on function private.now() to service_role;

CREATE FUNCTION private.obstacles_of(p_client uuid, p_is_mail_sent boolean)
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT array_remove(ARRAY[
         CASE
             WHEN (p_is_mail_sent AND (NOT (EXISTS ( SELECT
                FROM auth.users u
               WHERE ((u.id = obstacles_of.p_client) AND (u.email_proven_at IS NOT NULL)))))) THEN 'address_not_proven'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (NOT (EXISTS ( SELECT
                FROM (public.profiles p
                  JOIN public.profiles c ON ((c.id = p.commercial_id)))
               WHERE ((p.id = obstacles_of.p_client) AND (c.deactivated_at IS NULL))))) THEN 'commercial_missing'::text
             ELSE NULL::text
         END], NULL::text) AS array_remove;
END;

CREATE FUNCTION private.open_alarms()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'raised_at', raised_at, 'details', details) order by raised_at)
    from private.alarms where cleared_at is null), '[]');
end
$function$;
grant execute on function private.open_alarms() to authenticated;

CREATE FUNCTION private.open_demo(p_open boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closed constant timestamptz := '9999-12-31 00:00:00+00';
begin
  if p_open then
    update auth.users u set banned_until = null from public.profiles p where p.id = u.id and p.is_test and u.banned_until = closed;
    return;
  end if;
  update auth.users u set banned_until = closed from public.profiles p
    where p.id = u.id and p.is_test and u.banned_until is distinct from closed;
  delete from auth.sessions s using public.profiles p where p.id = s.user_id and p.is_test;
end
$function$;

CREATE FUNCTION private.open_dispute(p_entry_id bigint, p_body text)
 RETURNS public.disputes
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client', 'commercial');
  entry public.ledger_entries;
  opened public.disputes;
begin
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('message_required'); end if;
  select * into entry from public.ledger_entries e where e.payee_id = me and e.id = p_entry_id;
  if not found then perform private.refuse('line_not_found'); end if;
  insert into public.disputes (payee_id, entry_id, source_id, act, line, is_test)
  values (me, entry.id, entry.source_id, entry.act, entry.line, entry.is_test)
  on conflict on constraint disputes_one_per_line do nothing
  returning * into opened;
  if not found then perform private.refuse('line_already_disputed'); end if;
  perform private.say_in_dispute(opened, 'dispute_opened', p_body);
  return opened;
end
$function$;
grant execute on function private.open_dispute(bigint,text) to authenticated;

CREATE FUNCTION private.open_entries(p_before date)
 RETURNS TABLE(number bigint, place integer, at timestamp with time zone, use text, payee_id uuid, account_number text, account_label text, auxiliary_code text, auxiliary_name text, piece text, piece_at timestamp with time zone, label text, debit numeric, credit numeric, lettering text, lettered_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s constant private.accounting_settings := (select l from private.accounting_settings l order by l.id desc limit 1);
  closed constant private.accounting_months := (select m from private.accounting_months m order by m.month desc limit 1);
  from_ constant date := coalesce((closed.month + interval '1 month')::date,
    (select private.month_of(min(e.at)) from public.ledger_entries e), p_before);
  first_year constant timestamp := date_trunc('year', from_::timestamp);
  given constant bigint := (select count(distinct i.lettering) from private.accounting_entries i where i.month >= first_year and i.lettering is not null);
  -- A company without a VAT number, or in franchise with one, recovers none: the tax is part of the charge.
  recovers constant boolean := exists (select from private.paper_settings c where c.vat_number is not null and not c.vat_franchise);
begin
  return query
  with people as (
    -- A commercial is in the payroll until their status says otherwise.
    select p.id, coalesce(d.legal_name, p.full_name) as name, coalesce(k.code, upper(left(p.id::text, 8))) as code,
      case when d.status in ('micro', 'societe', 'agent') then 'commercial'
        when d.status = 'salarie' or d.status is null and p.role = 'commercial' then 'salary_due' else 'client' end as use,
      d.vat_accepted_at is not null as charges_vat
    from public.profiles p
    left join private.payee_details d on d.payee_id = p.id
    left join private.accounting_codes k on k.payee_id = p.id
  ), payments as (
    select e.id, e.at, e.payee_id, e.detail, e.debit = 'paid' as is_back, false as is_debt, e.amount, e.amount + coalesce(v.amount, 0.00) as total,
      coalesce(z.content #>> '{payee,legal_name}', z.content #>> '{payee,name}', t.name) as name, t.code, u.use, u.use = 'salary_due' as is_staff,
      case when e.detail = 'paie' then 'virement' else e.detail end as means,
      coalesce(q.series, o.series) ~ '^T?[FA][0-9]' as is_invoice, n.id is not null as is_theirs,
      coalesce(n.number, q.label, o.label, case when b.id is null then 'DEM-' else 'PAIE-' end || upper(left(e.source_id::text, 8))) as piece,
      coalesce(private.month_start(coalesce(n.invoiced_on, q.issued_on, o.issued_on)), e.at) as piece_at,
      coalesce(q.content, o.content) -> 'reverse_charge' as reverse,
      case when z.content ? 'company' then z.content #>> '{company,vat_number}' is not null
        and z.content #>> '{company,vat_franchise}' is distinct from 'true' else recovers end as deducts,
      z.series ~ '^T?R$' and n.id is null as waits
    from public.ledger_entries e
    join people t on t.id = e.payee_id
    left join public.ledger_entries v on v.source_id = e.source_id and v.act = case when e.debit = 'paid' then 'vat_return' else 'vat' end
    left join public.paid_periods b on b.id = e.source_id
    left join public.papers q on q.request_id = e.source_id and q.series ~ '^T?A' = (e.debit = 'paid')
    left join public.papers o on o.period_id = e.source_id and o.series ~ '^T?A' = (e.debit = 'paid')
    -- AC-04: the payee's own invoice is the piece, of what is paid and of what comes back.
    left join public.payment_requests w on w.id = e.source_id
    left join public.payee_invoices n on n.id = coalesce(w.payee_invoice_id, b.payee_invoice_id)
    -- The payment's own paper froze who was paid, and whether the company deducted.
    left join public.papers y on y.request_id = e.source_id and y.series !~ '^T?A'
    left join public.papers x on x.period_id = e.source_id and x.series !~ '^T?A'
    cross join lateral (select coalesce(y.content, x.content) as content, coalesce(y.series, x.series) as series) z
    cross join lateral (select case when z.series ~ '^T?F' or z.content #>> '{payee,status}' in ('micro', 'societe', 'agent') then 'commercial'
      when z.content #>> '{payee,status}' = 'salarie' then 'salary_due'
      when z.content #>> '{payee,status}' is not null then 'client' else t.use end as use) u
    where e.at >= private.month_start(from_) and e.at < private.month_start(p_before) and (e.credit = 'paid' or e.debit = 'paid')
    union all
    -- Money that comes in from a payee takes its commission out of the charge.
    select e.id, e.at, e.payee_id, null, e.act = 'repayment', true, e.amount, e.amount, t.name, t.code, t.use, t.use = 'salary_due', 'virement', false, false,
      'REMB-' || upper(left(e.source_id::text, 8)), e.at, null, recovers, false
    from public.debt_acts d
    join public.ledger_entries e on e.source_id = d.id and e.act in ('repayment', 'repayment_annulment')
    join people t on t.id = e.payee_id
    where d.kind = 'repayment' and e.at >= private.month_start(from_) and e.at < private.month_start(p_before)
  ), steps as (
    select p.*, x.step, x.place, x.use as line_use, x.debit as gives, x.credit as takes, not p.is_staff and r.is_settled as is_lettered
    from payments p
    cross join lateral (select case when p.means in ('virement', 'association') then s.posts_payments else true end as is_settled,
      coalesce((p.reverse ->> 'amount')::numeric, 0.00) as reverse_vat,
      -- A discount is VAT included: on an account of discounts stands what is before tax.
      case when p.means = 'remise_societe' and p.deducts and s.accounts #>> '{paid_remise_societe,number}' like '709%'
        then p.total - round(p.total / (1 + coalesce(private.vat_rate_on(private.month_of(p.at)), 0) / 100), 2) else 0.00 end as discount_vat) r
    cross join lateral (values
      (1, 1, case when p.is_staff then 'salary' else 'charged' end, case when p.deducts then p.amount else p.total + r.reverse_vat end, 0.00),
      (1, 2, case when p.waits then 'vat_waiting' else 'vat' end, case when p.deducts then p.total - p.amount else 0.00 end, 0.00),
      (1, 3, p.use, 0.00, p.total),
      -- A payee abroad: the company owes the tax itself, and deducts it.
      (1, 4, case when private.is_in_eu(p.reverse ->> 'country') then 'vat_eu' else 'vat_abroad' end, case when p.deducts then r.reverse_vat else 0.00 end, 0.00),
      (1, 5, case when private.is_in_eu(p.reverse ->> 'country') then 'vat_eu_due' else 'vat_abroad_due' end, 0.00, r.reverse_vat),
      (2, 1, p.use, p.total, 0.00),
      (2, 2, 'paid_' || p.means, 0.00, p.total - r.discount_vat),
      (2, 3, 'vat_collected', 0.00, r.discount_vat)) x (step, place, use, debit, credit)
    where x.debit + x.credit > 0 and case when p.is_staff then case x.step when 1 then s.posts_payroll else (p.detail = 'virement' or p.is_debt) and s.posts_payments end
      else x.step = 1 or r.is_settled end
  ), pairs as (
    -- One letter a pair, of no other pair of its year: programs that know no auxiliary account match by it too.
    select p.id, private.letters(case when p.year = first_year then given else 0 end + row_number() over (partition by p.year order by p.at, p.id)) as letters
    from (select distinct i.id, i.at, date_trunc('year', i.at at time zone 'Europe/Paris') as year from steps i where i.is_lettered) p
  ), ends as (
    select (m.month + interval '1 month')::date as next_month
    from generate_series(from_::timestamp, (p_before - interval '1 month')::timestamp, interval '1 month') m (month)
    where s.accrues and extract(month from m.month) = s.year_ends_in
  ), earned as (
    select n.next_month, t.id as payee_id, t.name, t.code,
      d.amount + case when t.charges_vat and not recovers then coalesce(private.vat_of(d.amount, private.vat_rate_on(n.next_month - 1)), 0.00) else 0.00 end as amount
    from ends n
    cross join lateral (
      select e.payee_id, sum(case when e.credit in ('available', 'reserved', 'held') then e.amount else 0.00 end
        - case when e.debit in ('available', 'reserved', 'held') then e.amount else 0.00 end) as amount
      from public.ledger_entries e where e.at < private.month_start(n.next_month) group by e.payee_id) d
    join people t on t.id = d.payee_id and t.use <> 'salary_due'
    where d.amount > 0
  ), to_reverse as (
    select i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, i.payee_id, i.use, sum(i.credit - i.debit) as amount
    from private.accounting_entries i where i.use in ('accrued', 'former')
    group by 1, 2, 3, 4, 5, 6 having sum(i.credit - i.debit) <> 0
  ), lines as (
    select p.at, 1 as rank, p.id, case when p.is_back then 3 - p.step else p.step end as step, p.place, p.line_use as use, p.payee_id,
      null::text as account_number, null::text as account_label,
      case when p.line_use = p.use then p.code end as code, case when p.line_use = p.use then p.name end as name, p.piece, p.piece_at,
      case when p.is_debt then case when p.is_back then '' else 'Annulation : ' end || case p.step when 2 then 'Remboursement ' else 'Commissions reprises ' end
        when p.step = 2 then case when p.is_back then 'Retour d’un paiement' else 'Paiement' end
          || case p.means when 'cheque_cadeau' then ' en chèque cadeau ' when 'association' then ' à une association ' when 'remise_societe' then ' en remise ' else ' par virement ' end
        when p.is_staff then 'Commissions (paie) '
        when p.is_theirs then case when p.is_back then 'Annulation de facture ' else 'Facture ' end
        when p.is_back then case when p.is_invoice then 'Avoir ' else 'Annulation de commissions ' end
        when p.is_invoice then 'Autofacture ' else 'Commissions ' end || p.name as label,
      case when p.is_back then p.takes else p.gives end as debit, case when p.is_back then p.gives else p.takes end as credit,
      case when p.is_lettered and p.line_use = p.use then r.letters end as lettering, case when p.is_lettered and p.line_use = p.use then p.at end as lettered_at
    from steps p left join pairs r on r.id = p.id
    union all
    select private.month_start(e.next_month) - k.before, k.rank, 0, 1, case k.rank when 2 then row_number() over w + 1 else row_number() over w end::integer,
      'accrued', e.payee_id, null, null, e.code, e.name, 'FNP-' || to_char(e.next_month - 1, 'YYYYMM'), private.month_start(e.next_month) - k.before,
      k.label || e.name, case k.rank when 0 then e.amount else 0.00 end, case k.rank when 2 then e.amount else 0.00 end, null, null
    from earned e
    cross join (values (2, interval '1 microsecond', 'Commissions à recevoir sur pièce '), (0, interval '0', 'Extourne ')) k (rank, before, label)
    where k.rank = 2 or e.next_month < p_before
    window w as (partition by e.next_month, k.rank order by e.name, e.payee_id)
    union all
    select private.month_start(e.next_month) - k.before, k.rank, 0, 1, case k.rank when 2 then 1 else count(*) + 1 end::integer,
      'charged', null, null, null, null, null, 'FNP-' || to_char(e.next_month - 1, 'YYYYMM'), private.month_start(e.next_month) - k.before,
      k.label, case k.rank when 2 then sum(e.amount) else 0.00 end, case k.rank when 0 then sum(e.amount) else 0.00 end, null, null
    from earned e
    cross join (values (2, interval '1 microsecond', 'Commissions à recevoir sur pièce'), (0, interval '0', 'Extourne des factures non parvenues')) k (rank, before, label)
    where k.rank = 2 or e.next_month < p_before
    group by e.next_month, k.rank, k.before, k.label
    union all
    -- A debt that a closed month holds without a document: earned at its end, or posted at the contract as was done once.
    select private.month_start(from_), 0, 0, 1, row_number() over (order by i.auxiliary_name, i.account_number, i.payee_id, i.use)::integer,
      i.use, i.payee_id, i.account_number, i.account_label, i.auxiliary_code, i.auxiliary_name, 'REPRISE-' || to_char(from_ - 1, 'YYYYMM'),
      private.month_start(from_), 'Extourne ' || i.auxiliary_name, greatest(i.amount, 0.00), greatest(-i.amount, 0.00), null, null
    from to_reverse i where from_ < p_before
    union all
    select private.month_start(from_), 0, 0, 1, count(*)::integer + 1, 'charged', null, null, null, null, null, 'REPRISE-' || to_char(from_ - 1, 'YYYYMM'),
      private.month_start(from_), 'Extourne des commissions sans pièce', greatest(-sum(i.amount), 0.00), greatest(sum(i.amount), 0.00), null, null
    from to_reverse i where from_ < p_before having sum(i.amount) <> 0
  )
  select coalesce(closed.last_number, 0) + dense_rank() over (order by l.at, l.rank, l.id, l.step), l.place, l.at, l.use, l.payee_id,
    coalesce(l.account_number, s.accounts -> l.use ->> 'number'), coalesce(l.account_label, s.accounts -> l.use ->> 'label'),
    l.code, l.name, l.piece, l.piece_at, l.label, l.debit, l.credit, l.lettering, l.lettered_at
  from lines l;
end
$function$;

CREATE FUNCTION private.open_scale()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  rules constant jsonb := private.scale_rules(new.client_commission_type, new.client_commission_amount, new.commercial_commission_type,
    new.commercial_commission_amount, new.client_hold_days, new.from_contract_amount, new.client_rules, new.commercial_rules, new.last_day);
  first_day constant date := (new.created_at at time zone 'Europe/Paris')::date;
begin
  perform private.check_rules(rules, first_day);
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test)
  values (new.id, 1, new.name, new.description, first_day, rules, private.rules_hash(rules),
    new.created_at, private.uid(), new.is_test);
  return null;
end
$function$;

CREATE FUNCTION private.opt_out_contact(p_email text, p_mark bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closed record;
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  perform private.withdraw_friend_mails(p_email);
  for closed in update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where private.mailbox_of(s.referred_contact_email) = private.mailbox_of(p_email) and s.referred_contact_email is not null and s.status <> 'validated' and not s.ready_for_validation
    returning s.id, s.commercial_id
  loop
    perform private.tell_friend_said_no(closed.id, closed.commercial_id);
  end loop;
end
$function$;

CREATE FUNCTION private.opt_out_phone(p_phone text, p_mark bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_phone = null, personal_message = null, commercial_notes = null
    where private.phone_of(s.referred_contact_phone) = private.phone_of(p_phone) and s.referred_contact_email is null
      and s.status <> 'validated' and not s.ready_for_validation;
end
$function$;

CREATE FUNCTION private.own_requests_under_check()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  return query select r.id from public.payment_requests r
    where r.client_id = me and r.status = 'pending'
      and exists (select from public.doubtful_cases c where c.request_id = r.id and c.status <> 'cleared')
      and exists (select from public.company_settings s where s.hold_doubtful);
end
$function$;
grant execute on function private.own_requests_under_check() to authenticated;

CREATE FUNCTION private.own_transfer_days()
 RETURNS TABLE(request_id uuid, leaves_on date)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO ''
AS $function$
  select r.id, b.execution_on
  from public.payment_requests r
  join public.payment_batch_lines l on l.request_id = r.id and l.status = 'queued'
  join public.payment_batches b on b.id = l.batch_id and b.status in ('released', 'sent')
  where r.client_id = (select private.uid()) and r.status = 'approved'
$function$;
grant execute on function private.own_transfer_days() to authenticated;

CREATE FUNCTION private.paper_settings_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return (select to_jsonb(s) - array['id', 'updated_at'] from private.paper_settings s);
end
$function$;
grant execute on function private.paper_settings_shown() to authenticated;

CREATE FUNCTION private.paper_settings_words(s private.paper_settings)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN jsonb_build_object('issues_papers', (s).issues_papers, 'contest_days', (s).contest_days, 'vat_franchise', (s).vat_franchise, 'paper_identity', concat_ws(' · '::text, (s).legal_name, (s).legal_form, (((s).capital)::text || ' €'::text), (((((s).street || ', '::text) || (s).postal_code) || ' '::text) || (s).city), (s).siren, (s).siret, ('RCS '::text || (s).registry_city), (s).vat_number));
grant execute on function private.paper_settings_words(private.paper_settings) to parrain_service;

CREATE FUNCTION private.pay_periods(p_month date, p_lines jsonb, p_paid_on date DEFAULT NULL::date)
 RETURNS TABLE(paid integer, already integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  l record;
  before public.paid_periods;
  q public.paid_periods;
  due_ numeric;
  v_tax record;
  test_ boolean;
begin
  paid := 0; already := 0;
  if p_month is null or extract(day from p_month) <> 1 or p_month >= private.last_month_begun() then perform private.refuse('period_not_over'); end if;
  -- A cleaning of test data holds balances before all else. Payees are taken in the order of their ids, as everybody takes them.
  lock table public.balances in row exclusive mode;
  perform 1 from public.balances b
    where b.profile_id in (select (x ->> 'payee_id')::uuid from jsonb_array_elements(p_lines) x) order by b.profile_id for update;
  for l in select (x ->> 'payee_id')::uuid as payee_id, (x ->> 'amount')::numeric as amount, (x ->> 'vat_amount')::numeric as vat_amount from jsonb_array_elements(p_lines) x order by 1 loop
    if not exists (select from public.profiles p where p.id = l.payee_id and p.role = 'commercial') then
      perform private.refuse('commercial_not_found');
    end if;
    select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month >= p_month and t.returned_at is null order by t.month desc limit 1;
    if before.id is not null then
      select * into before from public.paid_periods t where t.payee_id = l.payee_id and t.month = p_month and t.returned_at is null;
      if before.id is null or before.amount <> l.amount or before.vat_amount is distinct from l.vat_amount then perform private.refuse('period_already_paid'); end if;
      already := already + 1;
      continue;
    end if;
    if exists (select from public.payment_batch_lines b where b.payee_id = l.payee_id and b.status = 'queued') then
      perform private.refuse('period_in_batch');
    end if;
    select d.due, d.is_test into due_, test_ from private.period_due(l.payee_id, p_month) d;
    if due_ <= 0 then perform private.refuse('period_carried_on'); end if;
    select * into v_tax from private.month_tax(l.payee_id, p_month, due_);
    if due_ is distinct from l.amount or v_tax.vat is distinct from l.vat_amount then perform private.refuse('period_changed'); end if;
    insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, vat_mandate_id, payee_invoice_id, vat_rate, vat_amount, paid_at)
      values (l.payee_id, p_month, due_, me, test_, v_tax.mandate_id, v_tax.invoice_id, v_tax.rate, v_tax.vat,
        private.payment_instant(p_paid_on, private.month_start((p_month + interval '1 month')::date))) returning * into q;
    perform private.append_audit('paid_periods', q.id, 'insert', null,
      jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'vat_amount', q.vat_amount,
        'payee_id', q.payee_id)), null);
    paid := paid + 1;
  end loop;
  return next;
end
$function$;
grant execute on function private.pay_periods(date,jsonb,date) to authenticated;

CREATE FUNCTION private.payee_iban(p_client_id uuid, p_mark bytea, p_shown text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  insert into public.payee_ibans (client_id, mark, usable_from)
  select p_client_id, p_mark, private.now() + case when not exists (
        select from public.payment_requests r where r.client_id = p_client_id and r.payment_method = 'virement')
      or exists (
        select from public.payment_requests r where r.client_id = p_client_id and r.payment_method = 'virement'
          and r.iban_id is null and r.payment_details ->> 'iban' = p_shown)
    then interval '0' else interval '48 hours' end
  on conflict on constraint payee_ibans_are_told_apart do nothing;
  select i.id into v_id from public.payee_ibans i where i.client_id = p_client_id and i.mark = p_mark;
  return v_id;
end
$function$;

CREATE FUNCTION private.payee_invoice_file(p_invoice_id uuid)
 RETURNS TABLE(name text, bytes bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'comptable', 'client', 'commercial');
begin
  return query select i.name, f.bytes
    from public.payee_invoices i join private.payee_invoice_files f on f.invoice_id = i.id
    where i.id = p_invoice_id and (i.payee_id = me or private.user_role() in ('admin', 'comptable'));
  if not found then perform private.refuse('proof_not_found'); end if;
end
$function$;
grant execute on function private.payee_invoice_file(uuid) to authenticated;

CREATE FUNCTION private.payee_invoice_terms(p_request_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
RETURN private.invoice_terms_of(private.require_role(VARIADIC ARRAY['client'::text]), p_request_id);
grant execute on function private.payee_invoice_terms(uuid) to authenticated;

CREATE FUNCTION private.payee_month_invoice_terms(p_month date)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
RETURN private.month_invoice_terms_of(private.require_role(VARIADIC ARRAY['commercial'::text]), p_month);
grant execute on function private.payee_month_invoice_terms(date) to authenticated;

CREATE FUNCTION private.payee_named(p_payee_id uuid)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  payee public.profiles;
begin
  if p_payee_id is distinct from me and private.user_role() <> 'admin' then perform private.refuse('forbidden'); end if;
  if current_setting('transaction_read_only') = 'off' then
    perform 1 from public.profiles p where p.id = p_payee_id for no key update;
  end if;
  select * into payee from public.profiles p where p.id = p_payee_id and p.role in ('commercial', 'client');
  if not found then perform private.refuse('payee_unknown'); end if;
  return payee;
end
$function$;

CREATE FUNCTION private.payee_shown(p_payee_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  payee public.profiles := private.payee_named(p_payee_id);
begin
  return jsonb_build_object('role', payee.role,
    'is_asked', coalesce((select s.issues_papers from private.paper_settings s), false) and payee.deactivated_at is null,
    'details', (select to_jsonb(d) - array['payee_id', 'updated_at', 'vat_accepted_by', 'regularity_dealt_at']
      from private.payee_details d where d.payee_id = payee.id),
    -- With whom the mandate is; null where none is asked for.
    'mandatary', case when private.may_be_self_billed(payee.id) then (
      select to_jsonb(s) - array['id', 'updated_at', 'issues_papers', 'vat_number', 'vat_franchise', 'contest_days'] from private.paper_settings s) end,
    'mandate', (select jsonb_build_object('version', m.version, 'text', m.text, 'accepted_at', m.accepted_at, 'revoked_at', m.revoked_at,
        'is_in_force', m.id is not distinct from private.mandate_in_force(payee.id))
      from private.mandates m where m.payee_id = payee.id order by m.id desc limit 1),
    'company_siren', (select s.siren from private.paper_settings s),
    'may_invoice', private.may_invoice(payee.id),
    -- What keeps a business abroad from being paid, and the number that its invoice names the company by.
    'reverse_charge_obstacle', private.reverse_charge_obstacle(),
    'company_vat_number', (select s.vat_number from private.paper_settings s, private.payee_details d
      where s.issues_papers and d.payee_id = payee.id and private.is_reverse_charged(d)));
end
$function$;
grant execute on function private.payee_shown(uuid) to authenticated;

CREATE FUNCTION private.payment_instant(p_day date, p_since timestamp with time zone, p_booked date DEFAULT NULL::date)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  since constant date := (p_since at time zone 'Europe/Paris')::date;
  day constant date := case when p_booked is null then p_day else least(greatest(p_booked, since), private.today()) end;
begin
  if day is null or day = private.today() then return private.now(); end if;
  if day > private.today() or day < since then perform private.refuse('payment_day_refused'); end if;
  return greatest((day + time '12:00') at time zone 'Europe/Paris', p_since);
end
$function$;

CREATE FUNCTION private.payment_proof(p_request_id uuid)
 RETURNS TABLE(name text, content_type text, sha256 bytea, sealed bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'client');
begin
  return query select p.name, p.content_type, p.sha256, f.sealed
    from public.payment_proofs p
    join private.proof_files f on f.request_id = p.request_id
    join public.payment_requests r on r.id = p.request_id
    where p.request_id = p_request_id and (r.client_id = me or private.user_role() = 'admin');
  if not found then perform private.refuse('proof_not_found'); end if;
end
$function$;
grant execute on function private.payment_proof(uuid) to authenticated;

CREATE FUNCTION private.pending_invitation(p_person uuid)
 RETURNS TABLE(email text, full_name text, mail_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select p.email, p.full_name, u.invitation_mail_id
    from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_person and p.role <> 'admin' and p.deactivated_at is null and u.temporary_password_until > '-infinity'
      and (private.user_role() = 'admin' or (p.commercial_id = me and u.last_sign_in_at is null));
  if not found then perform private.refuse('invitation_not_pending'); end if;
end
$function$;
grant execute on function private.pending_invitation(uuid) to authenticated;

CREATE FUNCTION private.people_with_second_factor(p_ids uuid[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return query select distinct f.user_id from auth.factors f
    join public.profiles p on p.id = f.user_id
    where f.user_id = any (p_ids) and f.status = 'verified' and p.role <> 'admin';
end
$function$;
grant execute on function private.people_with_second_factor(uuid[]) to authenticated;

CREATE FUNCTION private.period_due(p_payee_id uuid, p_month date, OUT due numeric, OUT is_test boolean)
 RETURNS record
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(sum(case when e.credit = 'available' then e.amount else -e.amount end)
      filter (where e.act in ('payroll', 'return') or e.at < private.month_start((p_month + interval '1 month')::date)), 0),
    coalesce(bool_or(e.is_test), false)
  from public.ledger_entries e where e.payee_id = p_payee_id and 'available' in (e.debit, e.credit)
$function$;
grant execute on function private.period_due(uuid,date) to authenticated;
grant execute on function private.period_due(uuid,date) to parrain_service;
grant execute on function private.period_due(uuid,date) to service_role;

CREATE FUNCTION private.person_terms(name text, email text, phone text, company text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((((((((name || '
'::text) || email) || '
'::text) || COALESCE(phone, ''::text)) || '
'::text) || COALESCE(private.phone_of(phone), ''::text)) || '
'::text) || COALESCE(company, ''::text)));
grant execute on function private.person_terms(text,text,text,text) to authenticated;
grant execute on function private.person_terms(text,text,text,text) to parrain_service;
grant execute on function private.person_terms(text,text,text,text) to service_role;

CREATE FUNCTION private.phone_of(p_phone text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  number text := regexp_replace(normalize(p_phone, nfkc), '[^0-9+()]', '', 'g');
begin
  -- The zero of « +44 (0)20 » is dialled within the country only. In Italy it belongs to the number.
  if number ~ '^\(?(\+|00)' and number !~ '^\(?(\+|00)39' then number := replace(number, '(0)', ''); end if;
  number := regexp_replace(translate(number, '()', ''), '^00', '+');
  number := left(number, 1) || replace(substring(number from 2), '+', '');
  number := regexp_replace(number, '^\+330?', '0');
  number := regexp_replace(number, '^33([1-9]\d{8})$', '0\1');
  number := regexp_replace(number, '^([1-9]\d{8})$', '0\1');
  number := regexp_replace(number, '^\+?(?:262|590|594|596)0?([1-9]\d{8})$', '0\1');
  number := regexp_replace(number, '^\+508([1-9]\d{5})$', '0508\1');
  number := regexp_replace(number, '^\+508([1-9]\d{8})$', '0\1');
  return nullif(regexp_replace(number, '^\+', '00'), '');
end
$function$;
grant execute on function private.phone_of(text) to anon;
grant execute on function private.phone_of(text) to api_key;
grant execute on function private.phone_of(text) to authenticated;
grant execute on function private.phone_of(text) to parrain_service;
grant execute on function private.phone_of(text) to service_role;

CREATE FUNCTION private.plain_letters(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN replace(replace(replace(regexp_replace(NORMALIZE(lower(p_text), NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text), 'œ'::text, 'oe'::text), 'æ'::text, 'ae'::text), '’'::text, ''''::text);
grant execute on function private.plain_letters(text) to authenticated;
grant execute on function private.plain_letters(text) to parrain_service;
grant execute on function private.plain_letters(text) to service_role;

CREATE FUNCTION private.post_adjustment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  amount constant numeric := case when old.adjustment is null then new.adjustment else -new.adjustment end;
begin
  perform private.lock_balances(array[new.payee_id]);
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.adjustment_annulled_at, new.closed_at), case when amount > 0 then 'adjustment' else 'deduction' end, new.id,
    new.payee_id, case when amount > 0 then 'adjusted' else 'available' end, case when amount > 0 then 'available' else 'adjusted' end,
    abs(amount), private.uid(), new.is_test);
  return null;
end
$function$;

CREATE FUNCTION private.post_commissions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  holds_doubtful constant boolean := (select c.hold_doubtful from public.company_settings c);
begin
  insert into public.commission_holds (commission_id, payee_id, amount, until, is_under_check, is_test)
  select k.id, k.recipient_id, k.amount, k.created_at + make_interval(days => k.hold_days), k.is_under_check, k.is_test
  from (
    select n.id, n.recipient_id, n.amount, n.created_at, n.is_test,
      case n.type when 'client' then coalesce((v.rules ->> 'client_hold_days')::integer, 0) else 0 end as hold_days,
      case when holds_doubtful then private.is_under_check(n.sale_id, coalesce(s.friend_referrer_id, s.client_referrer_id))
        else false end as is_under_check
    from new_rows n
    join public.sales s on s.id = n.sale_id and s.corrects_sale_id is null
    join public.sale_terms t on t.sale_id = s.id
    join public.scale_versions v on v.id = t.version_id
    where n.amount > 0) k
  where k.hold_days > 0 or k.is_under_check;
  if exists (select from new_rows n join public.sales s on s.id = n.sale_id where s.corrects_sale_id is not null) then
    with corrected as (
      select h.commission_id, n.id, n.recipient_id, n.amount, n.created_at, h.until, n.is_test, h.amount + n.amount as left_
      from new_rows n
      join public.sales s on s.id = n.sale_id
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = o.id
      where n.amount <> 0 and h.ended_at is null
      order by h.commission_id for update of h),
    changed as (
      update public.commission_holds h set amount = case when c.left_ > 0 then c.left_ else h.amount end,
        ended_at = case when c.left_ > 0 then null else c.created_at end, is_corrected = c.left_ = 0,
        is_under_check = h.is_under_check and c.left_ > 0
      from corrected c where h.commission_id = c.commission_id)
    insert into public.commission_holds (commission_id, payee_id, amount, until, ended_at, is_corrected, is_test)
    select c.id, c.recipient_id, abs(c.amount), c.until, c.created_at, true, c.is_test from corrected c where c.left_ > 0;
  end if;
  perform private.lock_balances(array(select n.recipient_id from new_rows n where n.amount <> 0));
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select n.created_at, case when n.amount > 0 then 'validation' else 'correction' end, n.id, n.recipient_id,
    case when n.amount > 0 then 'charged' when exists (
      select from public.sales s
      join public.commission_payments o on o.sale_id = s.corrects_sale_id and o.type = n.type
      join public.commission_holds h on h.commission_id = n.id or h.commission_id = o.id and h.is_corrected
      where s.id = n.sale_id) then 'held' else 'available' end,
    case when n.amount < 0 then 'charged' when exists (
      select from public.commission_holds h where h.commission_id = n.id) then 'held' else 'available' end,
    abs(n.amount), n.type, private.uid(), n.is_test
  from new_rows n where n.amount <> 0
  order by n.recipient_id;
  return null;
end
$function$;

CREATE FUNCTION private.post_debt_act()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_undone constant boolean := new.annulled_at is not null;
  account constant text := case new.kind when 'repayment' then 'repaid' else 'adjusted' end;
  debt numeric;
begin
  perform private.lock_balances(array[new.payee_id]);
  select greatest(b.paid - (b.earned - b.reversed - b.held), 0) into debt from public.balances b where b.profile_id = new.payee_id;
  if not is_undone and new.amount > debt then
    perform private.refuse('debt_changed', jsonb_build_object('debt', debt::text));
  end if;
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
  values (coalesce(new.annulled_at, new.at), new.kind || case when is_undone then '_annulment' else '' end, new.id, new.payee_id,
    case when is_undone then 'available' else account end, case when is_undone then account else 'available' end, new.amount,
    private.uid(), new.is_test);
  return null;
end
$function$;

CREATE FUNCTION private.post_paid_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.returned_at, new.paid_at), k.act, new.id, new.payee_id, k.debit, k.credit, k.amount, new.method, private.uid(), new.is_test
  from (values (false, 'payroll', 'available', 'paid', new.amount), (false, 'vat', 'vat', 'vat_paid', new.vat_amount),
    (true, 'return', 'paid', 'available', new.amount), (true, 'vat_return', 'vat_paid', 'vat', new.vat_amount))
    k (is_return, act, debit, credit, amount)
  -- The VAT of a cent or two is none.
  where k.is_return = (new.returned_at is not null) and k.amount > 0;
  return null;
end
$function$;

CREATE FUNCTION private.post_payment_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, actor_id, is_test)
  select coalesce(new.returned_at, new.paid_at, new.updated_at), k.act, new.id, new.client_id, k.debit, k.credit, k.amount,
    case when k.act in ('settlement', 'return', 'vat', 'vat_return') then new.payment_method end, private.uid(), new.is_test
  from (values ('pending', 'request', 'available', 'reserved', new.amount), ('rejected', 'refusal', 'reserved', 'available', new.amount),
    ('paid', 'settlement', 'reserved', 'paid', new.amount), ('returned', 'return', 'paid', 'available', new.amount),
    ('paid', 'vat', 'vat', 'vat_paid', new.vat_amount), ('returned', 'vat_return', 'vat_paid', 'vat', new.vat_amount))
    k (status, act, debit, credit, amount)
  where k.status = new.status and k.amount > 0;
  return null;
end
$function$;

CREATE FUNCTION private.post_to_balances()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  told integer;
begin
  update public.balances b set earned = b.earned + d.earned, reversed = b.reversed + d.reversed,
      reserved = b.reserved + d.reserved, paid = b.paid + d.paid, held = b.held + d.held,
      repaid = b.repaid + d.repaid
  from (
    select n.payee_id,
      coalesce(sum(n.amount) filter (where n.debit in ('charged', 'adjusted', 'repaid')), 0) as earned,
      coalesce(sum(n.amount) filter (where n.credit in ('charged', 'adjusted', 'repaid')), 0) as reversed,
      coalesce(sum(case when n.credit = 'reserved' then n.amount when n.debit = 'reserved' then -n.amount end), 0) as reserved,
      coalesce(sum(case when n.credit = 'paid' then n.amount when n.debit = 'paid' then -n.amount end), 0) as paid,
      coalesce(sum(case when n.credit = 'held' then n.amount when n.debit = 'held' then -n.amount end), 0) as held,
      coalesce(sum(case when n.debit = 'repaid' then n.amount when n.credit = 'repaid' then -n.amount end), 0) as repaid
    from new_rows n group by n.payee_id) d
  where b.profile_id = d.payee_id;
  get diagnostics told = row_count;
  if told < (select count(distinct n.payee_id) from new_rows n) then
    raise exception 'A transfer was posted for somebody who has no balance';
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.preview_cleaning()
 RETURNS TABLE(would_delete jsonb, held_by jsonb, is_session_fresh boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select (select to_jsonb(c) from private.count_test_data() c),
    (select coalesce(jsonb_agg(h order by h.kind), '[]') from private.what_holds_test_data() h), private.is_session_fresh();
end
$function$;
grant execute on function private.preview_cleaning() to authenticated;

CREATE FUNCTION private.preview_commissions(p_sale_ids uuid[], p_contract_amount numeric, p_commission_rate_id uuid, p_scale_version_id uuid)
 RETURNS TABLE(sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
  v public.scale_versions;
  s public.sales;
  payee uuid;
  contract numeric;
  stands record;
  -- Of each side, payee and scale, what the contracts before add.
  added jsonb := '{}';
  key text;
begin
  if cardinality(p_sale_ids) > 200 then perform private.refuse('invalid_input'); end if;
  for s in select t.* from unnest(p_sale_ids) with ordinality i (id, place) join public.sales t on t.id = i.id order by i.place loop
    contract := coalesce(p_contract_amount, s.contract_amount);
    if contract is null then continue; end if;
    if scale.id is null or p_commission_rate_id is null then
      scale := private.scale_for(p_commission_rate_id, s.commission_rate);
      if scale.id is null then perform private.refuse('scale_not_found'); end if;
      v := private.scale_version_on(scale.id, private.today());
      if p_scale_version_id <> v.id then
        select * into v from public.scale_versions o where o.id = p_scale_version_id and o.rate_id = scale.id and o.withdrawn_at is null;
        if not found then perform private.refuse('scale_not_found'); end if;
      elsif (v.rules ->> 'last_day')::date < private.today() then
        perform private.refuse('scale_is_over');
      end if;
    end if;
    sale_id := s.id;
    foreach side in array array['client', 'commercial'] loop
      payee := case side when 'client' then coalesce(s.friend_referrer_id, s.client_referrer_id) else s.commercial_id end;
      rules := v.rules -> side;
      key := concat_ws(' ', side, payee, scale.id);
      stands := private.standing_of(side, case when payee is null then '{}' else rules end, payee, scale.id, s.is_test, added -> key);
      amount := case when payee is null then 0
        else private.earned(rules, contract, stands.position, stands.is_first, stands.cap_room) end;
      added := added || jsonb_build_object(key, jsonb_build_object(
        'count', coalesce((added #>> array[key, 'count'])::bigint, 0) + 1,
        'revenue', coalesce((added #>> array[key, 'revenue'])::bigint, 0) + (contract * 100)::bigint,
        'given', coalesce((added #>> array[key, 'given'])::bigint, 0) + (amount * 100)::bigint));
      "position" := stands.position;
      window_key := stands.window_key;
      is_first := stands.is_first;
      cap_room := stands.cap_room;
      return next;
    end loop;
  end loop;
end
$function$;
grant execute on function private.preview_commissions(uuid[],numeric,uuid,uuid) to authenticated;

CREATE FUNCTION private.preview_own_commission(p_sale_id uuid, p_contract_amount numeric)
 RETURNS TABLE(side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('commercial', 'client');
  s public.sales;
  scale public.commission_rates;
  v public.scale_versions;
  stands record;
begin
  select t.* into s from public.sales t
    where t.id = p_sale_id and me in (t.commercial_id, coalesce(t.friend_referrer_id, t.client_referrer_id)) and t.corrects_sale_id is null;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_not_editable'); end if;
  if p_contract_amount is null or p_contract_amount <= 0 or p_contract_amount > 9999999.99 or p_contract_amount <> round(p_contract_amount, 2) then
    perform private.refuse('invalid_input');
  end if;
  scale := private.scale_for_contract(p_contract_amount, s.commission_rate);
  v := private.scale_version_on(scale.id, private.today());
  -- Nothing is known yet: the admin chooses a scale when they validate.
  if v.id is null or (v.rules ->> 'last_day')::date < private.today() then return; end if;
  side := case when me = s.commercial_id then 'commercial' else 'client' end;
  rules := v.rules -> side;
  stands := private.standing_of(side, rules, me, scale.id, s.is_test, null);
  amount := private.earned(rules, p_contract_amount, stands.position, stands.is_first, stands.cap_room);
  "position" := stands.position;
  window_key := stands.window_key;
  is_first := stands.is_first;
  cap_room := stands.cap_room;
  return next;
end
$function$;
grant execute on function private.preview_own_commission(uuid,numeric) to authenticated;

CREATE FUNCTION private.prove_email(p_user uuid)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE auth.users u SET email_proven_at = now()
   WHERE ((u.id = prove_email.p_user) AND (u.email IS NOT NULL) AND (u.email_proven_at IS NULL));
END;
grant execute on function private.prove_email(uuid) to parrain_service;

CREATE FUNCTION private.publish_rules(p_body text, p_seen_version integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  v_current private.programme_rules;
  v_new private.programme_rules;
begin
  perform pg_advisory_xact_lock(hashtextextended('programme-rules', 0));
  if coalesce(btrim(p_body), '') = '' then perform private.refuse('invalid_input'); end if;
  v_current := private.rules_in_force();
  if coalesce(v_current.version, 0) is distinct from p_seen_version then perform private.refuse('rules_changed'); end if;
  if v_current.body = p_body then perform private.refuse('rules_unchanged'); end if;
  insert into private.programme_rules (version, body, sha256, published_by)
  values (coalesce(v_current.version, 0) + 1, p_body, sha256(convert_to(p_body, 'UTF8')), me) returning * into v_new;
  delete from private.programme_rules_draft;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', '{}',
    jsonb_build_object('programme_rules', v_new.version, 'rules_sha256', encode(v_new.sha256, 'hex')), null);
  return v_new.version;
end
$function$;
grant execute on function private.publish_rules(text,integer) to authenticated;

CREATE FUNCTION private.publish_scale_version(p_rate_id uuid, p_seen_number integer, p_first_day date, p_name text, p_description text, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date, p_seen_simulation jsonb DEFAULT NULL::jsonb)
 RETURNS public.scale_versions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  today constant date := private.today();
  day constant date := coalesce(p_first_day, today);
  scale public.commission_rates;
  last integer;
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount, p_client_rules, p_commercial_rules, p_last_day);
  published public.scale_versions;
  run jsonb;
begin
  perform private.check_rules(rules, day);
  -- What is kept is what was seen and still is. Before the lock: no validation waits for it.
  if p_seen_simulation is not null then
    run := private.simulate_rules(p_rate_id, rules) -> 'totals';
    if run is distinct from p_seen_simulation then perform private.refuse('simulation_changed'); end if;
    run := run || jsonb_build_object('on', today);
  end if;
  perform private.hold_versions(true);
  select * into scale from public.commission_rates r where r.id = p_rate_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  if day < today or day > today + interval '2 years' then perform private.refuse('scale_day_is_over'); end if;
  select max(v.number) into last from public.scale_versions v where v.rate_id = p_rate_id;
  -- What another admin published meanwhile is looked at first.
  if p_seen_number is distinct from last then perform private.refuse('changed_meanwhile'); end if;
  select v.* into published from private.scale_version_on(p_rate_id, day) v;
  if (published.rules, published.name, published.description) is not distinct from (rules, btrim(p_name), nullif(btrim(p_description), '')) then
    perform private.refuse('rules_unchanged');
  end if;
  insert into public.scale_versions (rate_id, number, name, description, first_day, rules, sha256, published_at, published_by, is_test, simulation)
  values (p_rate_id, last + 1, btrim(p_name), nullif(btrim(p_description), ''), day, rules, private.rules_hash(rules),
    -- After every validation that took the version before: these had the lock.
    coalesce(nullif(current_setting('app.at', true), '')::timestamptz, clock_timestamp()), me, scale.is_test, run)
  returning * into published;
  if day > today then
    perform private.append_audit('commission_rates', p_rate_id, 'update', '{}',
      jsonb_build_object('version_to_come', published.number, 'first_day', day), null);
    insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', p_rate_id, '{}');
  else
    perform private.begin_scale_versions();
  end if;
  return published;
end
$function$;
grant execute on function private.publish_scale_version(uuid,integer,date,text,text,text,numeric,text,numeric,integer,numeric,jsonb,jsonb,date,jsonb) to authenticated;

CREATE FUNCTION private.put_received_aside(p_id uuid, p_by_rule boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.audit_received_invoice(p_id, 'set_aside_received_invoice', '{}', null);
  update private.received_invoices r set state = 'aside', decided_at = private.now(), by_rule = p_by_rule where r.id = p_id;
  delete from private.received_invoice_files f where f.received_id = p_id;
  if p_by_rule then
    update private.set_aside_suppliers s set invoices = s.invoices + 1, last_at = private.now()
      where s.siren = (select private.seller_siren(r.data) from private.received_invoices r where r.id = p_id);
  end if;
end
$function$;

CREATE FUNCTION private.quarter_content(p_payee_id uuid, p_quarter date)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (WITH former AS (SELECT ((q.content ->> 'through'::text))::bigint AS through FROM public.papers q WHERE ((q.payee_id = quarter_content.p_payee_id) AND (q.quarter < quarter_content.p_quarter)) ORDER BY q.quarter DESC LIMIT 1), lines AS (SELECT e.id, e.at, e.act, e.source_id, ((e.at < private.month_start(quarter_content.p_quarter)) AND (e.id <= COALESCE((SELECT f.through FROM former f), e.id))) AS is_before, CASE WHEN (e.credit = 'available'::text) THEN e.amount ELSE (- e.amount) END AS amount FROM public.ledger_entries e WHERE ((e.payee_id = quarter_content.p_payee_id) AND (('available'::text = e.debit) OR ('available'::text = e.credit)) AND (e.at < private.month_start(((quarter_content.p_quarter + '3 mons'::interval))::date)))) SELECT jsonb_build_object('opening', (COALESCE(sum(l.amount) FILTER (WHERE l.is_before), (0)::numeric))::text, 'closing', (COALESCE(sum(l.amount), (0)::numeric))::text, 'through', COALESCE(max(l.id), (0)::bigint), 'lines', COALESCE(jsonb_agg(jsonb_build_object('at', l.at, 'act', l.act, 'amount', (l.amount)::text, 'contract', upper("left"((s.id)::text, 8)), 'contract_amount', (s.contract_amount)::text, 'contract_left', (s.contract_left)::text, 'type', s.commercial_commission_type, 'rate', (s.commercial_commission_rate)::text) ORDER BY l.at, l.id) FILTER (WHERE (NOT l.is_before)), '[]'::jsonb)) AS jsonb_build_object FROM ((lines l LEFT JOIN public.commission_payments c ON ((c.id = l.source_id))) LEFT JOIN public.sales s ON ((s.id = c.sale_id))));

CREATE FUNCTION private.queue_e_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.is_e_invoice(new) and exists (select from private.e_invoicing s where s.is_on) then
    -- An invoice of before the platform goes first.
    insert into private.e_invoices (paper_id)
      select i.id from (values (private.invoice_of_credit_note(new)), (new.id)) i (id) where i.id is not null
      on conflict (paper_id) do nothing;
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.queue_pushes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.push_messages (notice_id, session_id)
  select n.id, s.session_id from written w
    join public.notices n on n.id = w.notice_id
    join private.push_subscriptions s on s.profile_id = n.recipient_id
  where n.read_at is null;
  return null;
end
$function$;

CREATE FUNCTION private.reactivate_commercial(p_commercial_id uuid)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  back public.profiles;
begin
  update public.profiles p set deactivated_at = null where p.id = p_commercial_id and p.role = 'commercial' returning * into back;
  if not found then perform private.refuse('commercial_not_found'); end if;
  return back;
end
$function$;
grant execute on function private.reactivate_commercial(uuid) to authenticated;

CREATE FUNCTION private.read_as_accountant()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.user_role() = 'comptable' then
    perform set_config('transaction_read_only', 'on', true), set_config('app.user_role', 'admin', true);
  end if;
end
$function$;
grant execute on function private.read_as_accountant() to authenticated;

CREATE FUNCTION private.read_personal_link(p_token text, p_is_mail_sent boolean)
 RETURNS TABLE(client_id uuid, referrer_name text, is_open boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT p.id,
     p.full_name,
     ((p.deactivated_at IS NULL) AND ((u.banned_until IS NULL) OR (u.banned_until <= now())) AND (u.deleted_at IS NULL) AND (private.obstacles_of(p.id, read_personal_link.p_is_mail_sent) = '{}'::text[]))
    FROM ((private.personal_links l
      JOIN public.profiles p ON ((p.id = l.client_id)))
      JOIN auth.users u ON ((u.id = p.id)))
   WHERE (l.token = read_personal_link.p_token);
END;

CREATE FUNCTION private.receive_client(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_receiver uuid;
begin
  perform from public.profiles p join auth.users u on u.id = p.id
    where p.id = p_id and p.role = 'client' and p.commercial_id is null and p.deactivated_at is null and not u.is_anonymous
      and num_nonnulls(u.email_confirmed_at, u.phone_confirmed_at) > 0
      and not exists (select from public.notices n where n.client_id = p_id)
    for update of p;
  if not found then return; end if;
  v_receiver := private.receiver_of_new_clients();
  if v_receiver is null then
    perform private.tell_of_client('client_alone', private.active_admins(), p_id);
  else
    update public.profiles p set commercial_id = v_receiver where p.id = p_id;
  end if;
end
$function$;

CREATE FUNCTION private.receive_referral(p_source text, p_reference text, p_referrer_email text, p_name text, p_email text, p_phone text, p_mark bytea, p_status text, p_contract_amount numeric, p_contract_description text)
 RETURNS TABLE(sale public.sales, created boolean, changed boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role_or_scope('admin', 'referrals');
  s public.sales;
  v_client uuid;
  v_status text := case p_status when 'pending_validation' then 'pending' else p_status end;
begin
  created := false;
  changed := false;
  -- Two calls of one reference queue here: the second finds what the first made.
  perform pg_advisory_xact_lock(hashtextextended('external:' || btrim(p_source) || e'\n' || btrim(p_reference), 0));
  select t.* into s from public.external_references r join public.sales t on t.id = r.sale_id
    where r.source = btrim(p_source) and r.reference = btrim(p_reference) for update of t;
  if not found then
    if p_referrer_email is null or p_name is null then perform private.refuse('referral_unknown'); end if;
    select p.id into v_client from public.profiles p
      where p.email <> '' and private.mailbox_of(p.email) = private.mailbox_of(p_referrer_email) and p.role = 'client'
        and p.deactivated_at is null;
    if not found then perform private.refuse('referrer_not_found'); end if;
    perform private.require_contactable(p_mark);
    s := private.refer_friend(v_client, p_name, p_email, p_phone, null, false, 'friend-by-key');
    insert into public.external_references (source, reference, sale_id) values (btrim(p_source), btrim(p_reference), s.id);
    created := true;
  end if;
  if p_status is not null and (v_status, p_status in ('pending_validation', 'validated'), coalesce(p_contract_amount, s.contract_amount),
      coalesce(nullif(btrim(p_contract_description), ''), s.contract_description))
    is distinct from (s.status, s.ready_for_validation, s.contract_amount, s.contract_description) then
    s := private.move_sale(s, p_status, p_contract_amount, p_contract_description, null, '{}');
    changed := not created;
  end if;
  sale := s;
  return next;
end
$function$;
grant execute on function private.receive_referral(text,text,text,text,text,text,bytea,text,numeric,text) to api_key;
grant execute on function private.receive_referral(text,text,text,text,text,text,bytea,text,numeric,text) to authenticated;

CREATE FUNCTION private.receive_registered()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.receive_client(new.id);
  return null;
end
$function$;

CREATE FUNCTION private.received_invoice_file(p_id uuid)
 RETURNS TABLE(name text, bytes bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return query select r.name, f.bytes from private.received_invoices r join private.received_invoice_files f on f.received_id = r.id
    where r.id = p_id;
  if not found then perform private.refuse('not_found'); end if;
end
$function$;
grant execute on function private.received_invoice_file(uuid) to authenticated;

CREATE FUNCTION private.received_invoices_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return (with months as materialized (select * from private.months_to_invoice(null)) select jsonb_build_object(
    'waiting', (select count(*) from private.received_invoices r where r.state = 'listed'),
    'unread', (select count(*) from private.received_invoices r where r.state = 'noted'),
    'invoices', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'state', r.state, 'noted_at', r.noted_at, 'data', r.data,
        'is_credit', r.is_credit, 'reason', r.reason, 'refusal_reason', r.refusal_reason, 'decided_at', r.decided_at,
        'has_file', exists (select from private.received_invoice_files f where f.received_id = r.id),
        'payee_name', (select p.full_name from public.profiles p where p.id = r.payee_id),
        'request_id', (select i.request_id from public.payee_invoices i where i.id = r.invoice_id),
        'month', (select i.month from public.payee_invoices i where i.id = r.invoice_id),
        -- Whose later invoices may be set aside by themselves.
        'supplier', case when r.state = 'listed' then private.supplier_of(r) end,
        'told', (select jsonb_build_object('code', s.code, 'state', s.state, 'words', s.words) from private.received_invoice_statuses s
          where s.received_id = r.id order by s.place desc limit 1),
        'candidates', case when r.state = 'listed' and not r.is_credit then (
          select coalesce(jsonb_agg(jsonb_build_object('of', c.of, 'id', c.id, 'payee_id', c.payee_id, 'amount', c.amount::text,
            'created_at', c.created_at, 'name', p.full_name) order by c.created_at, c.payee_id, c.id), '[]')
          from (select 'request' as of, q.id::text, q.client_id as payee_id, q.amount, q.created_at from private.requests_to_invoice(null) q
              where private.may_be_self_billed(q.client_id) and private.mandate_in_force(q.client_id) is null
            union all select 'month', m.month::text, m.payee_id, m.amount, private.month_start(m.month) from months m) c
          join public.profiles p on p.id = c.payee_id join private.payee_details d on d.payee_id = c.payee_id
          where c.amount = (r.data ->> 'amount')::numeric and d.siren = coalesce(r.data ->> 'sellerSiren', d.siren)) else '[]' end)
        order by (r.state = 'listed') desc, r.payee_id is null, coalesce(r.decided_at, r.noted_at) desc, r.id), '[]')
      from (
        (select * from private.received_invoices l where l.state = 'listed' order by l.payee_id is null, l.noted_at desc limit 100)
        union all
        (select * from private.received_invoices m where m.state = 'matched' order by m.noted_at desc limit 50)
        union all
        -- An answer that its platform did not take is still to be given.
        (select * from private.received_invoices c where c.decided_at > now() - interval '30 days' and not c.by_rule
          order by coalesce((select s.state from private.received_invoice_statuses s where s.received_id = c.id order by s.place desc limit 1), '')
            = 'refused' desc, c.decided_at desc limit 10)) r),
    'suppliers', (select coalesce(jsonb_agg(jsonb_build_object('siren', s.siren, 'name', s.name, 'invoices', s.invoices, 'last_at', s.last_at)
        order by s.name, s.siren), '[]')
      from private.set_aside_suppliers s)));
end
$function$;
grant execute on function private.received_invoices_shown() to authenticated;

CREATE FUNCTION private.received_invoices_to_match(p_most integer)
 RETURNS TABLE(id uuid, data jsonb, facts jsonb)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH asked AS (
          SELECT r.id
            FROM private.received_invoices r
           WHERE ((r.state = 'listed'::text) AND (r.data IS NOT NULL))
           ORDER BY r.tried_at
          LIMIT received_invoices_to_match.p_most
          FOR UPDATE OF r SKIP LOCKED
         ), tried AS (
          UPDATE private.received_invoices r SET tried_at = clock_timestamp()
            FROM asked
           WHERE (r.id = asked.id)
           RETURNING r.id,
             r.data,
             r.iban_marks
         )
  SELECT t.id,
     t.data,
     jsonb_build_object('company_siren', ( SELECT s.siren
            FROM private.paper_settings s), 'today', private.today(), 'sellers', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('id', d.payee_id, 'siren', d.siren, 'vat_number', d.vat_number, 'has_iban', f.has_iban, 'of',
                 CASE p.role
                     WHEN 'commercial'::text THEN 'month'::text
                     ELSE 'request'::text
                 END, 'is_offered',
                 CASE p.role
                     WHEN 'commercial'::text THEN private.invoices_months(d.payee_id)
                     ELSE (private.may_be_self_billed(d.payee_id) AND (private.mandate_in_force(d.payee_id) IS NULL))
                 END, 'charges_vat', (d.charges_vat IS TRUE), 'from', ( SELECT ((min(e.at) AT TIME ZONE 'Europe/Paris'::text))::date AS timezone
                    FROM public.ledger_entries e
                   WHERE ((e.payee_id = d.payee_id) AND (e.act = 'validation'::text))), 'is_number_taken', (EXISTS ( SELECT
                    FROM public.payee_invoices i
                   WHERE ((i.payee_id = d.payee_id) AND (lower(i.number) = lower((t.data ->> 'number'::text))) AND (i.status = ANY (ARRAY['sent'::text, 'accepted'::text]))))), 'requests', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('id', q.id, 'amount', (q.amount)::text) ORDER BY q.created_at, q.id), '[]'::jsonb) AS "coalesce"
                    FROM private.requests_to_invoice(d.payee_id) q(id, client_id, amount, payment_method, payment_details, status, admin_notes, rejection_reason, created_at, approved_at, paid_at, version, updated_at, is_test, approval_annulled_reason, returned_at, return_reason, iban_id, settlement_reference, association_name, association_number, vat_rate, vat_amount, vat_mandate_id, payee_invoice_id)), 'months', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.month, 'amount', (m.amount)::text)), '[]'::jsonb) AS "coalesce"
                    FROM private.months_to_invoice(d.payee_id) m(payee_id, month, amount))) ORDER BY d.payee_id), '[]'::jsonb) AS "coalesce"
            FROM ((private.payee_details d
              JOIN public.profiles p ON (((p.id = d.payee_id) AND (p.role = ANY (ARRAY['client'::text, 'commercial'::text])) AND (NOT p.is_test) AND (p.deactivated_at IS NULL))))
              CROSS JOIN LATERAL ( SELECT (EXISTS ( SELECT
                            FROM public.payee_ibans b
                           WHERE ((b.client_id = d.payee_id) AND (b.mark = ANY (t.iban_marks))))) AS has_iban) f)
           WHERE (f.has_iban OR (d.siren = (t.data ->> 'sellerSiren'::text)) OR (d.siren = substr((t.data ->> 'sellerVat'::text), 5))))) AS jsonb_build_object
    FROM tried t;
END;

CREATE FUNCTION private.received_statuses_to_check(p_most integer)
 RETURNS TABLE(id uuid, flow_id text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH asked AS (
          SELECT s_1.id
            FROM private.received_invoice_statuses s_1
           WHERE (s_1.state = 'deposited'::text)
           ORDER BY s_1.checked_at
          LIMIT received_statuses_to_check.p_most
          FOR UPDATE OF s_1 SKIP LOCKED
         )
  UPDATE private.received_invoice_statuses s SET checked_at = clock_timestamp()
    FROM asked
   WHERE (s.id = asked.id)
   RETURNING s.id,
     s.flow_id;
END;

CREATE FUNCTION private.receiver_of_new_clients()
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  settings public.company_settings;
  v_next uuid;
begin
  -- Those who register at the same instant take their turns one after the other.
  select * into settings from public.company_settings c where c.new_clients <> 'by_hand' for no key update;
  if settings.new_clients = 'to_one' then
    select p.id into v_next from public.profiles p where p.id = settings.new_clients_to and p.deactivated_at is null;
  elsif settings.new_clients = 'in_turn' then
    select p.id into v_next from public.profiles p left join private.turns t on t.commercial_id = p.id
      where p.role = 'commercial' and p.deactivated_at is null and not p.is_test
      order by t.taken_at nulls first, p.created_at, p.id limit 1;
    if v_next is not null then
      insert into private.turns as t (commercial_id, taken_at) values (v_next, clock_timestamp())
        on conflict (commercial_id) do update set taken_at = excluded.taken_at;
    end if;
  end if;
  return v_next;
end
$function$;

CREATE FUNCTION private.record_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case tg_table_name
    when 'sales' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.commercial_id, c.friend_referrer_id] from changed c;
    when 'commission_payments' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.recipient_id] from changed c;
    when 'payment_requests' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.client_id] from changed c;
    when 'balances' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.profile_id, array[c.profile_id] from changed c;
    when 'notices' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, array[c.recipient_id] from changed c;
    when 'profiles' then
      -- A commercial is seen by each of their clients.
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, case when c.role <> 'commercial' then array[c.id, c.commercial_id] end from changed c;
    when 'commission_rates' then
      insert into private.changes (table_name, operation, key, audience)
      select tg_table_name, tg_op, c.id, '{}' from changed c;
    when 'company_settings' then
      insert into private.changes (table_name, operation, key)
      select tg_table_name, tg_op, c.id from changed c;
  end case;
  -- A notification makes commits wait for one another. A server that acts for somebody speaks after its commit instead;
  -- whoever else writes notifies here, always with the same words, so that PostgreSQL says them once per transaction.
  if found and coalesce(current_setting('app.user_id', true), '') = '' and coalesce(current_setting('app.actor', true), '') = '' then
    perform pg_notify('parrain_changes', '');
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.record_e_invoice_status(p_paper_id uuid, p_code text, p_words text, p_at timestamp with time zone, p_flow_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paper public.papers;
begin
  insert into private.e_invoice_statuses (paper_id, code, words, at, flow_id) values (p_paper_id, p_code, p_words, p_at, p_flow_id)
    on conflict (flow_id, paper_id, code) where flow_id is not null do nothing;
  if not found then return false; end if;
  select * into strict paper from public.papers p where p.id = p_paper_id;
  perform private.append_audit(case when paper.request_id is not null then 'payment_requests' else 'paid_periods' end,
    coalesce(paper.request_id, paper.period_id), 'e_invoice', null,
    jsonb_build_object('paper', paper.label, 'e_invoice_status', p_code), null);
  return true;
end
$function$;

CREATE FUNCTION private.record_export(p_list text, p_format text, p_rows bigint, p_period text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin', 'commercial', 'client', 'comptable');
  -- Its filters are not kept: a search is often a name.
  perform private.append_audit('exports', gen_random_uuid(), 'export', null,
    jsonb_strip_nulls(jsonb_build_object('list', p_list, 'format', p_format, 'rows', p_rows, 'period', p_period)), null);
end
$function$;
grant execute on function private.record_export(text,text,bigint,text) to authenticated;

CREATE FUNCTION private.record_refused_referral(p_client uuid, p_email text, p_phone text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO private.refused_referrals (sale_id, client_id)  SELECT e.id,
             record_refused_referral.p_client AS p_client
            FROM private.earlier_referral(record_refused_referral.p_client, record_refused_referral.p_email, record_refused_referral.p_phone) e(id)
           WHERE (e.id IS NOT NULL) ON CONFLICT DO NOTHING;
END;

CREATE FUNCTION private.record_webhook_event(p_type text, p_object_id uuid, p_stream_id uuid, p_data jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO private.webhook_deliveries (webhook_id, type, object_id, stream_id, data)  SELECT w.id,
             record_webhook_event.p_type AS p_type,
             record_webhook_event.p_object_id AS p_object_id,
             record_webhook_event.p_stream_id AS p_stream_id,
             record_webhook_event.p_data AS p_data
            FROM private.webhooks w
           WHERE ((w.off_since IS NULL) AND (record_webhook_event.p_type = ANY (w.events)));
END;

CREATE FUNCTION private.record_webhook_step()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  now_row constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  state text;
begin
  if private.is_cleaning() or not exists (select from private.webhooks w where w.off_since is null) then return null; end if;
  case tg_table_name
    when 'sales' then
      state := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
      if tg_op = 'INSERT' or state <> private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) then
        perform private.record_webhook_event('sale.' || state, new.id, coalesce(new.corrects_sale_id, new.id), now_row);
      end if;
    when 'payment_requests' then
      if tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payment_request.' || new.status, new.id, new.id, now_row);
      end if;
    when 'payment_batch_lines' then
      -- Other software is told of requests: the months of commercials are the company's own.
      if coalesce(now_row, before) ->> 'request_id' is null then return null; end if;
      if tg_op = 'DELETE' then
        perform private.record_webhook_event('payout.removed', old.request_id, old.request_id, before - array['payee_invoice_id', 'id', 'payee_id', 'month', 'amount', 'account_id',
          'vat_rate', 'vat_amount', 'vat_mandate_id']);
      elsif tg_op = 'INSERT' or new.status <> old.status then
        perform private.record_webhook_event('payout.' || new.status, new.request_id, new.request_id, now_row - array['payee_invoice_id', 'id', 'payee_id', 'month', 'amount', 'account_id',
          'vat_rate', 'vat_amount', 'vat_mandate_id']);
      end if;
    when 'profiles' then
      if tg_op = 'INSERT' then
        perform private.record_webhook_event('person.created', new.id, new.id, now_row);
      elsif tg_op = 'DELETE' then
        perform private.record_webhook_event('person.deleted', old.id, old.id, jsonb_build_object('id', old.id, 'role', old.role));
      elsif (new.deactivated_at is null) <> (old.deactivated_at is null) then
        perform private.record_webhook_event(case when new.deactivated_at is null then 'person.reactivated' else 'person.deactivated' end,
          new.id, new.id, now_row);
      elsif now_row - 'updated_at' <> before - 'updated_at' then
        perform private.record_webhook_event('person.updated', new.id, new.id, now_row);
      end if;
  end case;
  return null;
end
$function$;

CREATE FUNCTION private.recount()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  lock table public.profiles, public.sales, public.payment_requests, public.audit_entries in share row exclusive mode;
  delete from figures.sale_totals;
  delete from figures.referrer_totals;
  delete from figures.company_totals;
  insert into figures.sale_totals (commercial_id, state, sales, contract_amount, client_commission, commercial_commission, commissions,
    partial_corrections)
  select r.commercial_id, r.state, r.sales, r.contract_amount, r.client_commission, r.commercial_commission, r.commissions,
    r.partial_corrections
  from figures.recounted_sales r;
  insert into figures.referrer_totals (referrer_id, commercial_id, as_friend, referrals, signed_contracts, revenue)
  select r.referrer_id, r.commercial_id, r.as_friend, r.referrals, r.signed_contracts, r.revenue from figures.recounted_referrers r;
  insert into figures.company_totals (what, number, amount) select r.what, r.number, r.amount from figures.recounted_company r;
end
$function$;

CREATE FUNCTION private.refer_by_link(p_token text, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean, p_consent text, p_consent_version text)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  link record;
  sale public.sales;
begin
  select * into link from private.read_personal_link(p_token, p_is_mail_sent);
  if not found or not link.is_open then perform private.refuse('personal_link_closed'); end if;
  sale := private.refer_friend(link.client_id, p_name, p_email, p_phone, p_message, p_is_mail_sent, 'friend-by-link');
  if p_consent is not null then
    insert into public.call_consents (sale_id, is_given, statement, version, place)
    values (sale.id, true, p_consent, p_consent_version, 'public_page');
  end if;
  return sale;
end
$function$;

CREATE FUNCTION private.refer_by_link(p_token text, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean, p_consent text, p_consent_version text, p_channel text)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  sale := private.refer_by_link(p_token, p_name, p_email, p_phone, p_message, p_is_mail_sent,
    case when p_channel is null then p_consent end, p_consent_version);
  if p_channel is not null then
    insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
    values (sale.id, p_channel = 'call', p_consent, p_consent_version, 'public_page', p_channel);
  end if;
  return sale;
end
$function$;

CREATE FUNCTION private.refer_friend(p_client uuid, p_name text, p_email text, p_phone text, p_message text, p_is_mail_sent boolean, p_bucket text)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  client public.profiles;
  sale public.sales;
  v_email text := lower(nullif(btrim(p_email), ''));
  v_mailbox text := private.mailbox_of(v_email);
  -- A telephone tells people apart only where there is no address: families share one.
  v_phone text := case when v_email is null then private.phone_of(p_phone) end;
  v_obstacle text;
  v_contact text;
begin
  -- A client being deleted at the same instant (V-13) is waited for, then found gone; two invitations of one client queue.
  select * into client from public.profiles p where p.id = p_client for no key update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  if v_mailbox = private.mailbox_of(client.email) or v_phone = private.phone_of(client.phone) then
    perform private.refuse('self_referral');
  end if;
  v_obstacle := (private.obstacles_of(p_client, p_is_mail_sent))[1];
  if v_obstacle is not null then perform private.refuse(v_obstacle); end if;
  -- FX-12: a referral brings somebody new.
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox and p.role <> 'client') then
    perform private.refuse('friend_is_staff');
  end if;
  if exists (select from public.profiles p where p.email <> '' and private.mailbox_of(p.email) = v_mailbox) then
    perform private.refuse('friend_is_client');
  end if;
  -- One message per friend: a referral that lives is followed up by the commercial, not by a second mail.
  if exists (select 1 from public.sales s where s.friend_referrer_id = p_client
      and (private.mailbox_of(s.referred_contact_email) = v_mailbox or private.phone_of(s.referred_contact_phone) = v_phone)
      and not s.admin_validated and s.status <> 'rejected') then
    perform private.refuse('friend_already_invited');
  end if;
  if exists (select from public.company_settings c where c.first_referral_months is not null) then
    -- Two referrers of one person queue here, always address before telephone: the second sees the first one's referral.
    foreach v_contact in array array_remove(array[v_mailbox, private.phone_of(p_phone)], null) loop
      perform pg_advisory_xact_lock(hashtextextended('first-referral:' || v_contact, 0));
    end loop;
    if private.earlier_referral(p_client, v_email, p_phone) is not null then perform private.refuse('friend_referred_before'); end if;
  end if;
  perform private.limit_per_day(p_bucket, p_client, 20);
  insert into public.sales (referred_contact_name, referred_contact_email, referred_contact_phone, personal_message,
    commercial_id, friend_referrer_id, is_test)
  values (btrim(p_name), v_email, nullif(btrim(p_phone), ''), nullif(btrim(p_message), ''),
    client.commercial_id, p_client, client.is_test)
  returning * into sale;
  return sale;
end
$function$;

CREATE FUNCTION private.referral_line_obstacles(p_lines jsonb, p_source text)
 RETURNS TABLE(line integer, client_id uuid, mailbox text, phone text, obstacle text, known_as text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  is_admin constant boolean := private.user_role() = 'admin';
  v_months constant integer := (select c.first_referral_months from public.company_settings c);
begin
  return query
    with given as materialized (
      select l.line, l.referrer, lower(nullif(btrim(l.email), '')) as email, private.mailbox_of(lower(nullif(btrim(l.email), ''))) as mailbox,
        private.phone_of(l.phone) as phone, decode(l.mark, 'hex') as mark, nullif(btrim(l.reference), '') as reference
      from jsonb_to_recordset(p_lines) as l (line integer, referrer text, email text, phone text, mark text, reference text)),
    referrers as materialized (
      select n.referrer, private.client_named(n.referrer) as id from (select distinct g.referrer from given g) n),
    known as materialized (
      select g.*, c.id as client_id, c.full_name as client_name, private.mailbox_of(c.email) as own_mailbox,
        private.phone_of(c.phone) as own_phone, m.id is not null as is_followed
      from given g left join referrers r on r.referrer = g.referrer left join public.profiles c on c.id = r.id
        left join public.profiles m on m.id = c.commercial_id and m.deactivated_at is null)
    select k.line, k.client_id, k.mailbox, k.phone, o.obstacle,
      case o.obstacle
        when 'friend_is_staff' then case when is_admin then person.full_name end
        when 'friend_is_client' then case when is_admin or person.commercial_id = me then person.full_name end
        when 'friend_already_invited' then k.client_name
        when 'friend_referred_before' then (select p.full_name from public.sales s join public.profiles p on p.id = s.friend_referrer_id
          where s.id = earlier.id and (is_admin or s.commercial_id = me))
        when 'reference_known' then referenced.known_as end
    from known k
    left join lateral (
      select p.role, p.full_name, p.commercial_id from public.profiles p
      where p.email <> '' and private.mailbox_of(p.email) = k.mailbox order by p.role = 'client' limit 1) person on true
    -- `is not distinct from`: one client may have thousands, so their friend's address or telephone is what is looked for.
    left join lateral (
      (select true as is_open from public.sales s
      where private.mailbox_of(s.referred_contact_email) = k.mailbox and s.referred_contact_email is not null
        and s.friend_referrer_id is not distinct from k.client_id and not s.admin_validated and s.status <> 'rejected' limit 1)
      union all
      (select true from public.sales s
      where k.mailbox is null and private.phone_of(s.referred_contact_phone) = k.phone and s.referred_contact_phone is not null
        and s.friend_referrer_id is not distinct from k.client_id and not s.admin_validated and s.status <> 'rejected' limit 1)
      limit 1) own on true
    left join lateral (
      select private.earlier_referral(k.client_id, k.email, k.phone) as id where v_months is not null and k.client_id is not null) earlier on true
    left join lateral (
      select case when is_admin or s.commercial_id = me then s.referred_contact_name end as known_as, true as is_known
      from public.external_references e join public.sales s on s.id = e.sale_id
      where e.source = btrim(p_source) and e.reference = k.reference) referenced on true
    cross join lateral (
      select case
        when k.client_id is null then 'referrer_not_found'
        when num_nonnulls(k.mailbox, k.phone) = 0 then 'contact_missing'
        when exists (select from private.opted_out d where d.mark = k.mark) then 'friend_opted_out'
        when k.mailbox = k.own_mailbox or k.mailbox is null and k.phone = k.own_phone then 'self_referral'
        when not k.is_followed then 'commercial_missing'
        when person.role <> 'client' then 'friend_is_staff'
        when person.role is not null then 'friend_is_client'
        when own.is_open then 'friend_already_invited'
        when earlier.id is not null then 'friend_referred_before'
        when referenced.is_known then 'reference_known' end as obstacle) o;
end
$function$;
grant execute on function private.referral_line_obstacles(jsonb,text) to authenticated;

CREATE FUNCTION private.referral_obstacles(p_is_mail_sent boolean)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  return private.obstacles_of(me, p_is_mail_sent);
end
$function$;
grant execute on function private.referral_obstacles(boolean) to authenticated;

CREATE FUNCTION private.referrers_in(p_from date, p_to date)
 RETURNS TABLE(referrer_id uuid, contracts bigint, revenue numeric)
 LANGUAGE sql
 STABLE ROWS 5
 SET search_path TO ''
AS $function$
  select coalesce(s.friend_referrer_id, s.client_referrer_id), sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end)::bigint, sum(s.contract_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at >= private.month_start(p_from) and p.created_at < private.month_start(p_to)
    and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
  group by 1
  having sum(s.contract_amount) > 0
  order by 3 desc, 1 limit 5
$function$;
grant execute on function private.referrers_in(date,date) to authenticated;
grant execute on function private.referrers_in(date,date) to parrain_service;
grant execute on function private.referrers_in(date,date) to service_role;

CREATE FUNCTION private.referrers_since_count()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE ROWS 100
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
  select distinct coalesce(s.friend_referrer_id, s.client_referrer_id)
  from public.sales s
  where s.created_at >= (select c.at from figures.counted_until c) and s.corrects_sale_id is null
    and coalesce(s.friend_referrer_id, s.client_referrer_id) is not null
$function$;
grant execute on function private.referrers_since_count() to authenticated;
grant execute on function private.referrers_since_count() to parrain_service;
grant execute on function private.referrers_since_count() to service_role;

CREATE FUNCTION private.refuse(p_code text, p_params jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'PR001', message = p_code, detail = p_params::text;
end
$function$;
grant execute on function private.refuse(text,jsonb) to authenticated;
grant execute on function private.refuse(text,jsonb) to parrain_service;

CREATE FUNCTION private.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'PR001', message = 'forbidden', hint = 'The audit trail is append-only.';
end
$function$;
grant execute on function private.refuse_audit_change() to parrain_service;

CREATE FUNCTION private.refuse_closed_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.payee_ibans i
      where i.client_id = new.client_id and i.mark = new.mark and i.usable_from = private.never()) then
    perform private.refuse('iban_refused_by_bank');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.refuse_invoice_twice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.payee_invoices;
  v_hash bytea;
begin
  if tg_table_name = 'payee_invoice_files' then
    select * into strict i from public.payee_invoices t where t.id = new.invoice_id;
    v_hash := sha256(new.bytes);
  else
    i := new;
    select f.hash into v_hash from private.payee_invoice_files f where f.invoice_id = new.id;
  end if;
  -- Two that are sent at once wait for each other.
  perform 1 from public.balances b where b.profile_id = i.payee_id for update;
  if exists (select from public.payee_invoices o where o.payee_id = i.payee_id and o.id <> i.id and o.status in ('sent', 'accepted')
      and private.invoice_key(o.number) = private.invoice_key(i.number)) then
    perform private.refuse('invoice_number_taken');
  end if;
  if exists (select from public.payee_invoices o join private.payee_invoice_files f on f.invoice_id = o.id
      where o.payee_id = i.payee_id and o.id <> i.id and o.status in ('sent', 'accepted') and f.hash = v_hash) then
    perform private.refuse('invoice_file_taken');
  end if;
  return new;
end
$function$;

CREATE FUNCTION private.refuse_notice_mails(p_profile_id uuid, p_topics text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.profiles p where p.id = p_profile_id for key share;
  if not found then return false; end if;
  insert into public.notice_preferences as c (profile_id, topic, delivery) select p_profile_id, t, 'never' from unnest(p_topics) t
  on conflict (profile_id, topic) do update set delivery = 'never', updated_at = now() where c.delivery <> 'never';
  return true;
end
$function$;

CREATE FUNCTION private.refuse_received_invoice(p_id uuid, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  why constant text := nullif(btrim(p_reason), '');
  v private.received_invoices;
begin
  perform private.require_role('admin');
  if why is null then perform private.refuse('refusal_reason_required'); end if;
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'refused' and v.refusal_reason = why then return; end if;
  -- Without its number no status can name it.
  if v.state <> 'listed' or v.data ->> 'number' is null then perform private.refuse('invoice_too_late'); end if;
  update private.received_invoices r set state = 'refused', decided_at = private.now(), refusal_reason = why where r.id = p_id;
  insert into private.received_invoice_statuses (received_id, code, reason) values (p_id, '210', why);
  perform private.audit_received_invoice(p_id, 'refuse_received_invoice', '{}', why);
end
$function$;
grant execute on function private.refuse_received_invoice(uuid,text) to authenticated;

CREATE FUNCTION private.refuse_sale(p_sale_id uuid, p_reason text, p_seen_version integer)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.status = 'rejected' and s.rejection_reason = btrim(p_reason) then
    return query select s, true;
    return;
  end if;
  if s.admin_validated or s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if p_seen_version <> s.version then perform private.refuse('sale_changed'); end if;
  update public.sales t set
    status = 'rejected', ready_for_validation = false, admin_validated = false, rejection_reason = btrim(p_reason),
    commission_rate = null, client_commission_type = null, client_commission_rate = null, commercial_commission_type = null,
    commercial_commission_rate = null, client_commission_amount = null, commercial_commission_amount = null
    where t.id = s.id returning * into s;
  return query select s, false;
end
$function$;
grant execute on function private.refuse_sale(uuid,text,integer) to authenticated;

CREATE FUNCTION private.refuse_without_bic()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse('bic_required');
end
$function$;
grant execute on function private.refuse_without_bic() to parrain_service;

CREATE FUNCTION private.refused_referrers(p_sale_id uuid)
 RETURNS TABLE(client_id uuid, full_name text, tries integer, last_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select p.id, p.full_name, count(*)::integer, max(r.refused_at)
    from private.refused_referrals r join public.profiles p on p.id = r.client_id
    where r.sale_id = p_sale_id group by p.id, p.full_name order by max(r.refused_at) desc, p.id;
end
$function$;
grant execute on function private.refused_referrers(uuid) to authenticated;

CREATE FUNCTION private.regular_payees(p_payee_id uuid)
 RETURNS TABLE(id uuid, full_name text, contracts bigint, payments bigint, paid numeric, dealt_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  since constant timestamptz := private.now() - interval '1 year';
  regular_from constant integer := (private.das2_settings_shown() ->> 'regular_from')::integer;
begin
  return query
  select p.id, p.full_name, k.contracts, m.payments, m.paid,
    case when d.regularity_dealt_at >= private.month_start(date_trunc('year', private.today())::date) then d.regularity_dealt_at end
  from (
    select c.recipient_id, count(*) as contracts
    from private.payee_details t
    join public.commission_payments c on c.recipient_id = t.payee_id and c.type = 'client' and c.amount > 0 and c.paid_at > since
    join public.sales s on s.id = c.sale_id and s.corrects_sale_id is null
    where t.status = 'particulier' and (p_payee_id is null or t.payee_id = p_payee_id)
      -- A contract that was cancelled whole is none.
      and not exists (select from public.sales r where r.corrects_sale_id = s.id and r.contract_left is null)
    group by c.recipient_id
    having count(*) >= regular_from) k
  join public.profiles p on p.id = k.recipient_id and p.deactivated_at is null
  join private.payee_details d on d.payee_id = p.id
  cross join lateral (
    select count(*) as payments, coalesce(sum(q.amount), 0.00) as paid from public.payment_requests q
    where q.client_id = p.id and q.status = 'paid' and q.paid_at > since) m;
end
$function$;
grant execute on function private.regular_payees(uuid) to authenticated;

CREATE FUNCTION private.release_batch(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date, p_format text, p_file_sealed bytea, p_sha256 bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.payment_batches := private.require_releasable(p_batch_id, p_seen_version, p_expected_total, p_execution_on);
begin
  insert into private.batch_files (batch_id, sealed, sha256) values (b.id, p_file_sealed, p_sha256);
  update public.payment_batches t set status = 'released', execution_on = p_execution_on, format = p_format,
      released_by = private.uid(), released_at = private.now()
    where t.id = b.id;
end
$function$;
grant execute on function private.release_batch(uuid,integer,numeric,date,text,bytea,bytea) to authenticated;

CREATE FUNCTION private.release_holds(p_payee_id uuid, p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids uuid[];
begin
  if p_payee_id is null then
    ids := array(select h.commission_id from public.commission_holds h
      where h.ended_at is null and h.until <= private.now() and not h.is_under_check
      order by h.until, h.commission_id limit p_most for update skip locked);
  else
    ids := array(select h.commission_id from public.commission_holds h
      where h.payee_id = p_payee_id and h.ended_at is null and h.until <= private.now() and not h.is_under_check
      order by h.until, h.commission_id limit p_most for update);
  end if;
  if cardinality(ids) > 0 then
    update public.commission_holds h set ended_at = private.now() where h.commission_id = any (ids);
    perform private.lock_balances(array(select h.payee_id from public.commission_holds h where h.commission_id = any (ids)));
    insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, actor_id, is_test)
    select private.now(), 'release', h.commission_id, h.payee_id, 'held', 'available', h.amount, private.uid(), h.is_test
    from public.commission_holds h where h.commission_id = any (ids)
    order by h.payee_id, h.until, h.commission_id;
  end if;
  return cardinality(ids);
end
$function$;

CREATE FUNCTION private.remember_columns(p_kind text, p_columns jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  insert into private.import_columns as c (profile_id, kind, title, field)
  select me, p_kind, e.key, e.value from jsonb_each_text(p_columns) e
  on conflict (profile_id, kind, title) do update set field = excluded.field, used_at = excluded.used_at;
  delete from private.import_columns c where (c.profile_id, c.kind, c.title) in (
    select o.profile_id, o.kind, o.title from private.import_columns o where o.profile_id = me
      order by o.used_at desc, o.title offset 200);
end
$function$;
grant execute on function private.remember_columns(text,jsonb) to authenticated;

CREATE FUNCTION private.remembered_columns(p_kind text)
 RETURNS TABLE(title text, field text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select c.title, c.field from private.import_columns c where c.profile_id = me and c.kind = p_kind;
end
$function$;
grant execute on function private.remembered_columns(text) to authenticated;

CREATE FUNCTION private.remove_commercial(p_commercial_id uuid, p_reassign_to uuid DEFAULT NULL::uuid)
 RETURNS TABLE(outcome text, full_name text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  leaving public.profiles;
begin
  select * into leaving from public.profiles p where p.id = p_commercial_id and p.role = 'commercial' for update;
  if not found then perform private.refuse('commercial_not_found'); end if;
  if p_reassign_to is not null then
    if p_reassign_to = p_commercial_id then perform private.refuse('commercial_not_found'); end if;
    perform private.require_active_commercial(p_reassign_to);
    update public.profiles p set commercial_id = p_reassign_to where p.commercial_id = p_commercial_id;
    update public.sales s set commercial_id = p_reassign_to
      where s.commercial_id = p_commercial_id and not s.admin_validated and s.status <> 'rejected';
  end if;
  if exists (select 1 from public.profiles p where p.commercial_id = p_commercial_id)
    or exists (select 1 from public.sales s where s.commercial_id = p_commercial_id) then
    update public.profiles p set deactivated_at = coalesce(p.deactivated_at, private.now()) where p.id = p_commercial_id;
    delete from auth.sessions s where s.user_id = p_commercial_id;
    return query select 'deactivated', leaving.full_name;
  else
    delete from auth.users u where u.id = p_commercial_id;
    return query select 'removed', leaving.full_name;
  end if;
end
$function$;
grant execute on function private.remove_commercial(uuid,uuid) to authenticated;

CREATE FUNCTION private.remove_webhook(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  delete from private.webhooks x where x.id = w.id;
  perform private.audit_webhook('webhook', private.host_of_url(w.url), null);
end
$function$;
grant execute on function private.remove_webhook(uuid) to authenticated;

CREATE FUNCTION private.renew_invitation(p_person uuid, p_password_hash text, p_temporary_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pending record;
begin
  select * into v_pending from private.pending_invitation(p_person);
  update auth.users u set encrypted_password = p_password_hash, temporary_password_until = p_temporary_until,
      invitation_mail_id = null, updated_at = now()
    where u.id = p_person and u.temporary_password_until > '-infinity'
      and (private.user_role() = 'admin' or u.last_sign_in_at is null)
      and u.invitation_mail_id is not distinct from v_pending.mail_id
      and not exists (select from private.mails m where m.id = u.invitation_mail_id and m.status not in ('failed', 'withdrawn'));
  return found;
end
$function$;
grant execute on function private.renew_invitation(uuid,text,timestamp with time zone) to authenticated;

CREATE FUNCTION private.renew_personal_link(p_token text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
begin
  perform private.limit_per_day('personal-link', me, 20);
  insert into private.personal_links as l (client_id, token) values (me, p_token)
  on conflict (client_id) do update set token = excluded.token, made_at = private.now();
  return p_token;
end
$function$;
grant execute on function private.renew_personal_link(text) to authenticated;

CREATE FUNCTION private.renew_phone(p_former text, p_former_auth bytea, p_endpoint text, p_p256dh bytea, p_auth bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.push_subscriptions p set endpoint = p_endpoint, p256dh = p_p256dh, auth = p_auth
    where p.endpoint = p_former and p.auth = p_former_auth;
  return found;
exception when unique_violation then
  return false;
end
$function$;

CREATE FUNCTION private.reopen_accounting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.accounting_months m where m.month >= (select private.month_of(min(o.at)) from old_rows o);
  return null;
end
$function$;

CREATE FUNCTION private.request_account_closure(p_message text)
 RETURNS TABLE(request public.account_closure_requests, admin_emails text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  asked public.account_closure_requests;
begin
  perform 1 from public.profiles p where p.id = me for no key update;
  if private.user_role() = 'admin' then perform private.require_another_admin(me); end if;
  if exists (select 1 from public.account_closure_requests r where r.profile_id = me and r.status = 'pending') then
    perform private.refuse('closure_already_asked');
  end if;
  insert into public.account_closure_requests (profile_id, personal_message) values (me, nullif(btrim(p_message), ''))
    returning * into asked;
  return query select asked, array(select p.email from public.profiles p
    where p.role = 'admin' and p.deactivated_at is null and p.id <> me and p.email is not null order by p.created_at limit 20);
end
$function$;
grant execute on function private.request_account_closure(text) to authenticated;

CREATE FUNCTION private.request_payment(p_amount numeric, p_method text, p_details jsonb, p_details_sealed bytea, p_iban_mark bytea DEFAULT NULL::bytea)
 RETURNS public.payment_requests
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client');
  balance public.balances;
  rules public.company_settings;
  is_test_person boolean;
  v_mandate bigint;
  created public.payment_requests;
begin
  -- A cleaning, a deletion or a closure of the same instant is waited for, then the client is found gone.
  select p.is_test into is_test_person from public.profiles p where p.id = me and p.deactivated_at is null for share;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  perform private.release_holds(me, 1000);
  select * into balance from public.balances b where b.profile_id = me for update;
  if balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid < 0 then perform private.refuse('balance_in_debt'); end if;
  select * into rules from public.company_settings;
  if not private.accepts_requests_on(extract(day from private.today())::integer, rules.requests_from_day, rules.requests_to_day) then
    perform private.refuse('requests_closed', jsonb_build_object('from', rules.requests_from_day, 'to', rules.requests_to_day));
  end if;
  if not coalesce(p_method = any (rules.payment_methods), false) then perform private.refuse('method_not_offered'); end if;
  if p_amount is null or p_amount < rules.smallest_request or p_amount <> round(p_amount, 2) then
    perform private.refuse('amount_out_of_range', jsonb_build_object('smallest', rules.smallest_request::text, 'available',
      coalesce(balance.earned - balance.reversed - balance.held - balance.reserved - balance.paid, 0)::numeric(14, 2)::text));
  end if;
  -- From here on the request has its VAT, whatever becomes of the mandate.
  v_mandate := case when p_method = 'virement' then private.vat_mandate(me) end;
  insert into public.payment_requests (client_id, amount, payment_method, payment_details, is_test, vat_mandate_id, vat_rate, vat_amount, iban_id)
  values (me, p_amount, p_method, p_details, is_test_person, v_mandate,
    case when v_mandate is not null then private.vat_rate_on(private.today()) end,
    case when v_mandate is not null then private.vat_of(p_amount, private.vat_rate_on(private.today())) end,
    case when p_method = 'virement' and p_iban_mark is not null then private.payee_iban(me, p_iban_mark, p_details ->> 'iban') end)
  returning * into created;
  if p_details_sealed is not null then
    insert into private.payment_secrets (request_id, details_sealed) values (created.id, p_details_sealed);
  end if;
  return created;
end
$function$;
grant execute on function private.request_payment(numeric,text,jsonb,bytea,bytea) to authenticated;

CREATE FUNCTION private.requests_to_invoice(p_payee_id uuid)
 RETURNS SETOF public.payment_requests
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT r.id,
     r.client_id,
     r.amount,
     r.payment_method,
     r.payment_details,
     r.status,
     r.admin_notes,
     r.rejection_reason,
     r.created_at,
     r.approved_at,
     r.paid_at,
     r.version,
     r.updated_at,
     r.is_test,
     r.approval_annulled_reason,
     r.returned_at,
     r.return_reason,
     r.iban_id,
     r.settlement_reference,
     r.association_name,
     r.association_number,
     r.vat_rate,
     r.vat_amount,
     r.vat_mandate_id,
     r.payee_invoice_id
    FROM public.payment_requests r
   WHERE (((requests_to_invoice.p_payee_id IS NULL) OR (r.client_id = requests_to_invoice.p_payee_id)) AND (r.payment_method = 'virement'::text) AND (r.status = ANY (ARRAY['pending'::text, 'approved'::text])) AND (r.vat_mandate_id IS NULL) AND (r.payee_invoice_id IS NULL) AND (NOT r.is_test) AND (NOT (EXISTS ( SELECT
            FROM public.payment_batch_lines l
           WHERE ((l.request_id = r.id) AND (l.status = ANY (ARRAY['queued'::text, 'paid'::text])))))) AND (NOT (EXISTS ( SELECT
            FROM public.payee_invoices i
           WHERE ((i.request_id = r.id) AND (i.status = 'sent'::text))))));
END;

CREATE FUNCTION private.require_active_commercial(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.profiles p where p.id = p_id and p.role = 'commercial' and p.deactivated_at is null for share;
  if not found then perform private.refuse('commercial_not_found'); end if;
end
$function$;

CREATE FUNCTION private.require_admin_two_factor(p_required boolean)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  if p_required and not (select u.has_verified_factor from auth.users u where u.id = me) then
    perform private.refuse('two_factor_setup_required');
  end if;
  return private.change_control('require_admin_two_factor', to_jsonb(p_required));
end
$function$;
grant execute on function private.require_admin_two_factor(boolean) to authenticated;

CREATE FUNCTION private.require_another_admin(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.profiles p where p.role = 'admin' and p.deactivated_at is null order by p.id for no key update;
  if not exists (select 1 from public.profiles p where p.role = 'admin' and p.deactivated_at is null and p.id <> p_id) then
    perform private.refuse('last_admin');
  end if;
end
$function$;

CREATE FUNCTION private.require_contactable(p_mark bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_contact(p_mark);
  if exists (select from private.opted_out o where o.mark = p_mark) then perform private.refuse('friend_opted_out'); end if;
end
$function$;
grant execute on function private.require_contactable(bytea) to authenticated;

CREATE FUNCTION private.require_no_open_request(p_client_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  held record;
begin
  -- A request or a decision of the same instant is waited for.
  perform 1 from public.balances b where b.profile_id = p_client_id for update;
  select coalesce(sum(r.amount) filter (where r.status = 'pending'), 0)::text as pending,
      coalesce(sum(r.amount) filter (where r.status = 'approved'), 0)::text as approved, count(*) as requests into held
    from public.payment_requests r where r.client_id = p_client_id and r.status in ('pending', 'approved');
  if held.requests > 0 then
    perform private.refuse('closure_with_open_request', jsonb_build_object('pending', held.pending, 'approved', held.approved));
  end if;
end
$function$;

CREATE FUNCTION private.require_releasable(p_batch_id uuid, p_seen_version integer, p_expected_total numeric, p_execution_on date)
 RETURNS public.payment_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches := private.lock_batch(p_batch_id, p_seen_version);
  v_total numeric;
  v_blocked text;
begin
  if b.status <> 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_execution_on is null or p_execution_on < private.today() or p_execution_on > private.today() + 60
      or extract(isodow from p_execution_on) > 5 then
    perform private.refuse('execution_day_refused');
  end if;
  perform 1 from public.payment_requests r join public.payment_batch_lines l on l.request_id = r.id
    where l.batch_id = b.id order by r.id for update of r;
  perform 1 from public.balances k join public.payment_batch_lines l on l.payee_id = k.profile_id
    where l.batch_id = b.id order by k.profile_id for update of k;
  select sum(coalesce(l.amount + coalesce(l.vat_amount, 0), r.amount + coalesce(r.vat_amount, 0))) into v_total
    from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id where l.batch_id = b.id;
  if v_total is distinct from p_expected_total then perform private.refuse('batch_changed'); end if;
  if b.made_by = me and v_total > (select c.release_above from public.company_settings c) then
    perform private.refuse('second_admin_required');
  end if;
  if not exists (select from private.company_account) then perform private.refuse('company_account_missing'); end if;
  select string_agg(distinct o.full_name, ', ' order by o.full_name) into v_blocked from (
    select p.full_name
    from public.payment_batch_lines l
    join public.payment_requests r on r.id = l.request_id
    join public.profiles p on p.id = r.client_id
    join public.balances k on k.profile_id = r.client_id
    left join public.payee_ibans i on i.id = r.iban_id
    where l.batch_id = b.id and (p.deactivated_at is not null or i.usable_from > private.now()
      or k.earned - k.reversed - k.held - k.reserved - k.paid < 0
      or not exists (select from private.payment_secrets s where s.request_id = r.id))
    union all
    -- Of a month, the account must still be the one that its payee has, and the sum what they are due.
    select p.full_name
    from public.payment_batch_lines l
    join public.profiles p on p.id = l.payee_id
    join public.bank_accounts a on a.id = l.account_id
    join public.payee_ibans i on i.id = a.iban_id
    cross join lateral private.period_due(l.payee_id, l.month) d
    where l.batch_id = b.id and (p.deactivated_at is not null or i.usable_from > private.now() or d.due <> l.amount
      -- Its invoice said another sum since.
      or l.payee_invoice_id is not null and not exists (select from public.payee_invoices n where n.id = l.payee_invoice_id and n.status = 'accepted')
      or a.id is distinct from (private.bank_account_of(l.payee_id)).id or not private.is_paid_by_transfer(l.payee_id)
      or not exists (select from private.bank_account_secrets s where s.account_id = a.id))) o;
  if v_blocked is not null then perform private.refuse('batch_blocked', jsonb_build_object('payees', left(v_blocked, 500))); end if;
  return b;
end
$function$;

CREATE FUNCTION private.require_role(VARIADIC p_roles text[])
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.uid() is null then
    raise exception using errcode = 'PR401', message = 'session_expired';
  end if;
  if not (private.user_role() = any (p_roles)) then perform private.refuse('forbidden'); end if;
  return private.uid();
end
$function$;
grant execute on function private.require_role(text[]) to authenticated;
grant execute on function private.require_role(text[]) to parrain_service;

CREATE FUNCTION private.require_role_or_scope(p_role text, p_scope text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.key_may(p_scope) then return private.uid(); end if;
  if private.user_role() = 'api_key' then perform private.refuse('scope_missing', jsonb_build_object('scope', p_scope)); end if;
  return private.require_role(p_role);
end
$function$;
grant execute on function private.require_role_or_scope(text,text) to parrain_service;

CREATE FUNCTION private.reset_second_factors(p_person_id uuid)
 RETURNS TABLE(email text, full_name text, removed bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  person public.profiles;
begin
  select * into person from public.profiles p where p.id = p_person_id for no key update;
  if not found then perform private.refuse('not_found'); end if;
  if person.role = 'admin' then perform private.refuse('forbidden'); end if;
  perform 1 from auth.users u where u.id = p_person_id for no key update;
  with gone as (delete from auth.factors f where f.user_id = p_person_id returning f.status)
  select count(*) filter (where g.status = 'verified') into removed from gone g;
  if removed > 0 then
    delete from auth.sessions s where s.user_id = p_person_id;
    insert into auth.audit_entries (user_id, action, detail)
      values (p_person_id, 'factor_removed', jsonb_build_object('by', me, 'count', removed));
    perform private.append_audit('profiles', p_person_id, 'reset_second_factor', null, null, null);
  end if;
  email := person.email;
  full_name := person.full_name;
  return next;
end
$function$;
grant execute on function private.reset_second_factors(uuid) to authenticated;

CREATE FUNCTION private.restore_commission_rate(p_id uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  select * into scale from public.commission_rates r where r.id = p_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is null then return scale; end if;
  if scale.archived_at < private.now() - interval '1 minute'
    or exists (select from public.commission_rates r where r.replaces_id = p_id) then
    perform private.refuse('scale_archived');
  end if;
  update public.commission_rates r set archived_at = null where r.id = p_id returning * into scale;
  return scale;
end
$function$;
grant execute on function private.restore_commission_rate(uuid) to authenticated;

CREATE FUNCTION private.restore_supplier(p_siren text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  done integer;
begin
  perform private.require_role('admin');
  perform pg_advisory_xact_lock(hashtext('private.set_aside_suppliers'));
  delete from private.set_aside_suppliers s where s.siren = p_siren;
  if not found then return 0; end if;
  update private.received_invoices r set state = 'noted', by_rule = false, decided_at = null, reason = null, run_at = now(), tried_at = '-infinity'
    where r.decided_at > now() - interval '30 days' and r.by_rule and private.seller_siren(r.data) = p_siren;
  get diagnostics done = row_count;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'restore_supplier', null,
    jsonb_build_object('supplier_siren', p_siren, 'supplier_invoices', done), null);
  return done;
end
$function$;
grant execute on function private.restore_supplier(text) to authenticated;

CREATE FUNCTION private.retry_received_invoice(p_id uuid, p_attempt integer, p_words text, p_retry_after integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.received_invoices r set leased_until = '-infinity', words = p_words,
      run_at = now() + private.e_invoice_delay(p_attempt, p_retry_after) * interval '1 second'
    where r.id = p_id and r.attempts = p_attempt and r.state = 'noted';
  if found and p_retry_after is not null then
    update private.e_invoicing s set paused_until = greatest(s.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
end
$function$;

CREATE FUNCTION private.return_payment(p_request_id uuid, p_reason text, p_seen_version integer, p_returned_on date DEFAULT NULL::date)
 RETURNS TABLE(request public.payment_requests, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  code constant text := substring(p_reason from '\(([A-Z]{2}[0-9A-Z]{2})\)[\s.]*$');
  r public.payment_requests;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('refusal_reason_required'); end if;
  if p_seen_version is null then perform private.refuse('seen_required'); end if;
  select * into r from public.payment_requests t where t.id = p_request_id for update;
  if not found then perform private.refuse('request_not_found'); end if;
  if r.status = 'returned' and p_seen_version = r.version - 1 and r.return_reason = btrim(p_reason) then
    return query select r, true;
    return;
  end if;
  if p_seen_version <> r.version then perform private.refuse('request_changed'); end if;
  if r.status <> 'paid' or r.payment_method <> 'virement' then perform private.refuse('request_illegal_move'); end if;
  update public.payment_batch_lines l set status = 'returned', reason = btrim(p_reason), decided_at = private.now(), reason_code = code
    where l.request_id = r.id and l.status = 'paid';
  if not found and private.ends_account(code) then
    update public.payee_ibans i set usable_from = private.never(), confirmed_at = null, lift_reason = null
      where i.id = r.iban_id and i.usable_from < private.never();
  end if;
  update public.payment_requests t set status = 'returned', returned_at = private.payment_instant(p_returned_on, t.paid_at), return_reason = btrim(p_reason)
    where t.id = r.id returning * into r;
  return query select r, false;
end
$function$;
grant execute on function private.return_payment(uuid,text,integer,date) to authenticated;

CREATE FUNCTION private.reveal_payment_details(p_request_id uuid)
 RETURNS bytea
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'client');
  sealed bytea;
begin
  perform 1 from public.payment_requests r where r.id = p_request_id and (r.client_id = me or private.user_role() = 'admin');
  if not found then perform private.refuse('request_not_found'); end if;
  select s.details_sealed into sealed from private.payment_secrets s where s.request_id = p_request_id;
  if private.user_role() = 'admin' then
    perform private.append_audit('payment_requests', p_request_id, 'read', null, null, null);
  end if;
  return sealed;
end
$function$;
grant execute on function private.reveal_payment_details(uuid) to authenticated;

CREATE FUNCTION private.reverse_charge_obstacle()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT CASE WHEN (s.vat_number IS NULL) THEN 'no_vat_number'::text WHEN (s.postal_code ~ '^9[78]'::text) THEN 'overseas'::text ELSE NULL::text END AS "case" FROM private.paper_settings s WHERE s.issues_papers);

CREATE FUNCTION private.reverse_charge_on_paper(p_kind text, p_payee_id uuid, p_request_id uuid, p_period_id uuid, p_amount numeric, p_paid_at text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN jsonb_strip_nulls(jsonb_build_object('reverse_charge', CASE WHEN (p_kind ~ '^A'::text) THEN (SELECT (p.content -> 'reverse_charge'::text) FROM public.papers p WHERE (((p.request_id = reverse_charge_on_paper.p_request_id) OR (p.period_id = reverse_charge_on_paper.p_period_id)) AND (p.series !~ '^T?A'::text))) WHEN (p_kind = 'R'::text) THEN (SELECT jsonb_build_object('country', d.country, 'rate', (v.rate)::text, 'amount', (private.vat_of(reverse_charge_on_paper.p_amount, v.rate))::text) AS jsonb_build_object FROM (private.payee_details d CROSS JOIN LATERAL (SELECT private.vat_rate_on((((reverse_charge_on_paper.p_paid_at)::timestamp with time zone AT TIME ZONE 'Europe/Paris'::text))::date) AS rate) v) WHERE ((d.payee_id = reverse_charge_on_paper.p_payee_id) AND private.is_reverse_charged(d.*) AND (private.reverse_charge_obstacle() IS NULL) AND (EXISTS (SELECT FROM private.paper_settings s WHERE s.issues_papers)))) ELSE NULL::jsonb END));

CREATE FUNCTION private.revoke_api_key(p_id uuid)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  k public.api_keys;
begin
  select * into k from public.api_keys t where t.id = p_id for update;
  if not found then perform private.refuse('api_key_not_found'); end if;
  if k.revoked_at is not null then return k; end if;
  update public.api_keys t set revoked_at = now(), revoked_by = me where t.id = k.id returning * into k;
  delete from private.api_key_secrets s where s.key_id = k.id;
  perform private.append_audit('api_keys', k.id, 'revoke', null, null, null);
  return k;
end
$function$;
grant execute on function private.revoke_api_key(uuid) to authenticated;

CREATE FUNCTION private.revoke_mandate()
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('client', 'commercial');
  payee public.profiles := private.payee_named(me);
  ended private.mandates;
begin
  update private.mandates m set revoked_at = private.now() where m.payee_id = me and m.revoked_at is null returning * into ended;
  if found then
    -- Batches, then requests, as whoever releases one takes them.
    perform 1 from public.payment_batches b where b.status = 'draft' and exists (
      select from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id
      where l.batch_id = b.id and me in (l.payee_id, r.client_id)) order by b.id for update;
    perform 1 from public.payment_requests r where r.client_id = me and r.vat_mandate_id is not null order by r.id for update;
    delete from public.payment_batch_lines l using public.payment_batches b
      where b.id = l.batch_id and b.status = 'draft' and (l.payee_id = me and l.vat_mandate_id is not null
        or exists (select from public.payment_requests r where r.id = l.request_id and r.client_id = me and r.vat_mandate_id is not null));
    update public.payment_requests r set vat_rate = null, vat_amount = null, vat_mandate_id = null
      where r.client_id = me and r.vat_mandate_id is not null and r.status in ('pending', 'approved')
        and not exists (select from public.payment_batch_lines l where l.request_id = r.id and l.status in ('queued', 'paid'));
    perform private.append_audit('profiles', me, 'update',
      jsonb_build_object('mandate', ended.version, 'mandate_hash', encode(ended.hash, 'hex')), jsonb_build_object('mandate', null), null);
  end if;
  return private.payee_shown(me);
end
$function$;
grant execute on function private.revoke_mandate() to authenticated;

CREATE FUNCTION private.roll_webhook_secret(p_id uuid, p_secret_sealed bytea)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
  until_then constant timestamptz := now() + interval '24 hours';
begin
  update private.webhooks x set secret_sealed = p_secret_sealed, former_secret_sealed = w.secret_sealed, former_secret_until = until_then
    where x.id = w.id;
  perform private.audit_webhook('webhook_secret', null, private.host_of_url(w.url));
  return until_then;
end
$function$;
grant execute on function private.roll_webhook_secret(uuid,bytea) to authenticated;

CREATE FUNCTION private.rules_acceptances_shown(p_search text)
 RETURNS TABLE(client_id uuid, full_name text, version integer, accepted_at timestamp with time zone, total bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  me uuid := private.require_role('admin');
  v_version integer := (private.rules_in_force()).version;
  v_words constant text[] := array(select w.word from regexp_split_to_table(private.plain_letters(coalesce(p_search, '')), '\s+') w (word)
    where w.word <> '' order by length(w.word) desc);
  -- The person's terms hold the name's: the index narrows by the three longest words, the name decides.
  v_patterns constant text[] := array(select '%' || regexp_replace(w.word, '([\\%_])', '\\\1', 'g') || '%'
    from unnest(v_words) with ordinality w (word, place) order by w.place limit 3);
begin
  return query select p.id, p.full_name, a.version, a.accepted_at, count(*) over ()
    from public.profiles p
    left join lateral (
      select r.version, r.accepted_at from private.rules_acceptances r where r.client_id = p.id order by r.version desc limit 1) a on true
    where p.role = 'client' and p.deactivated_at is null
      -- No index finds fewer than three letters.
      and (coalesce(v_words[1], '') !~ '[[:alnum:]]{3}' or (
        private.person_terms(p.full_name, p.email, p.phone, p.company) like v_patterns[1]
        and private.person_terms(p.full_name, p.email, p.phone, p.company) like coalesce(v_patterns[2], '%')
        and private.person_terms(p.full_name, p.email, p.phone, p.company) like coalesce(v_patterns[3], '%')))
      and not exists (select from unnest(v_words) w (word) where position(w.word in private.plain_letters(p.full_name)) = 0)
    order by (a.version is not distinct from v_version), p.full_name, p.id limit 200;
end
$function$;
grant execute on function private.rules_acceptances_shown(text) to authenticated;

CREATE FUNCTION private.rules_hash(p_rules jsonb)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN sha256(convert_to(private.canonical_json(p_rules), 'UTF8'::name));
grant execute on function private.rules_hash(jsonb) to parrain_service;

CREATE FUNCTION private.rules_in_force()
 RETURNS private.programme_rules
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT r.*::private.programme_rules AS r
    FROM private.programme_rules r
   ORDER BY r.version DESC
  LIMIT 1;
END;
grant execute on function private.rules_in_force() to authenticated;

CREATE FUNCTION private.rules_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return jsonb_build_object(
    'draft', (select d.body from private.programme_rules_draft d),
    'clients', (select count(*) from public.profiles p where p.role = 'client' and p.deactivated_at is null),
    'versions', (select coalesce(jsonb_agg(jsonb_build_object('version', r.version, 'body', r.body, 'published_at', r.published_at,
        'sha256', encode(r.sha256, 'hex'), 'accepted', (
          select count(*) from private.rules_acceptances a join public.profiles p on p.id = a.client_id and p.deactivated_at is null
            where a.version = r.version)) order by r.version desc), '[]') from private.programme_rules r));
end
$function$;
grant execute on function private.rules_shown() to authenticated;

CREATE FUNCTION private.rules_to_accept()
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT max(r.version) AS max
    FROM private.programme_rules r
   WHERE (private.user_role() = 'client'::text)
  HAVING (NOT (EXISTS ( SELECT
            FROM private.rules_acceptances a
           WHERE ((a.client_id = private.uid()) AND (a.version = max(r.version))))));
END;
grant execute on function private.rules_to_accept() to authenticated;

CREATE FUNCTION private.sale_state(p_status text, p_ready boolean, p_admin_validated boolean, p_corrects uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (p_corrects IS NOT NULL) THEN 'correction'::text WHEN p_admin_validated THEN 'validated'::text WHEN (p_status = 'validated'::text) THEN 'awaiting_admin_validation'::text WHEN p_ready THEN 'awaiting_final_validation'::text ELSE p_status END;
grant execute on function private.sale_state(text,boolean,boolean,uuid) to authenticated;
grant execute on function private.sale_state(text,boolean,boolean,uuid) to parrain_service;
grant execute on function private.sale_state(text,boolean,boolean,uuid) to service_role;

CREATE FUNCTION private.sale_terms(name text, email text, phone text, description text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((((((((name || '
'::text) || COALESCE(email, ''::text)) || '
'::text) || COALESCE(phone, ''::text)) || '
'::text) || COALESCE(private.phone_of(phone), ''::text)) || '
'::text) || COALESCE(description, ''::text)));
grant execute on function private.sale_terms(text,text,text,text) to authenticated;
grant execute on function private.sale_terms(text,text,text,text) to parrain_service;
grant execute on function private.sale_terms(text,text,text,text) to service_role;

CREATE FUNCTION private.save_list_view(p_list text, p_name text, p_settings text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  saved uuid;
begin
  -- One after the other, so that the count is right.
  perform 1 from public.profiles p where p.id = me for no key update;
  insert into private.list_views as v (profile_id, list, name, settings) values (me, p_list, btrim(p_name), p_settings)
  on conflict on constraint list_views_name_once do update set settings = excluded.settings
  returning v.id into saved;
  if (select count(*) from private.list_views v where v.profile_id = me) > 50 then perform private.refuse('list_views_full'); end if;
  return saved;
end
$function$;
grant execute on function private.save_list_view(text,text,text) to authenticated;

CREATE FUNCTION private.save_rules_draft(p_body text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  if coalesce(btrim(p_body), '') = '' then
    delete from private.programme_rules_draft;
  else
    insert into private.programme_rules_draft as d (body) values (p_body)
    on conflict (is_only) do update set body = excluded.body, saved_at = private.now();
  end if;
end
$function$;
grant execute on function private.save_rules_draft(text) to authenticated;

CREATE FUNCTION private.say_e_invoice_status(p_paper_id uuid, p_code text, p_words text, p_at timestamp with time zone, p_flow_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  e private.e_invoices;
begin
  select * into e from private.e_invoices x where x.paper_id = p_paper_id for no key update;
  if not found or not private.record_e_invoice_status(p_paper_id, p_code, p_words, p_at, p_flow_id) then return false; end if;
  -- What waits to be sent once more, or went another way, keeps its state; an older step is history.
  if e.flow_id is null or e.state not in ('deposited', 'accepted', 'collected', 'refused') or e.code_at > p_at then return true; end if;
  update private.e_invoices x set code = p_code, code_at = p_at,
      state = case when p_code in ('refused', '210', '213', '220') then 'refused' when p_code = '212' then 'collected'
        when x.state = 'collected' then 'collected' else 'accepted' end,
      words = p_words
    where x.paper_id = p_paper_id;
  return true;
end
$function$;

CREATE FUNCTION private.say_in_dispute(p_dispute public.disputes, p_kind text, p_body text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.uid();
begin
  insert into public.dispute_messages (dispute_id, author_id, body) values (p_dispute.id, me, btrim(p_body));
  if p_kind <> 'dispute_opened' then perform private.end_notices(array['dispute_opened'], null, null, p_dispute.id); end if;
  with written as (
    insert into public.notices (recipient_id, kind, dispute_id)
    select p.id, p_kind, p_dispute.id from public.profiles p
    where p.id = any (case when me = p_dispute.payee_id then private.active_admins() else array[p_dispute.payee_id] end)
      and p.id <> me and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.say_received_acknowledgement(p_id uuid, p_flow_id text, p_is_taken boolean, p_words text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s private.received_invoice_statuses;
begin
  update private.received_invoice_statuses x set state = case when p_is_taken then 'accepted' else 'refused' end, words = p_words
    where x.id = p_id and x.state = 'deposited' and x.flow_id = p_flow_id returning * into s;
  if not found then return; end if;
  perform private.audit_received_invoice(s.received_id, 'tell_invoice', jsonb_build_object('e_invoice_status', s.code)
    || case when p_is_taken then '{"is_taken": true}'::jsonb else '{"is_told": false}'::jsonb end, null);
end
$function$;

CREATE FUNCTION private.scale_for(p_chosen uuid, p_sales_own uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
begin
  if p_chosen is not null then
    select * into scale from public.commission_rates r where r.id = p_chosen;
    if not found then perform private.refuse('scale_not_found'); end if;
    if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
    return scale;
  end if;
  select * into scale from public.commission_rates r where r.id = p_sales_own and r.archived_at is null
    and (r.last_day >= private.today()) is not false;
  if found then return scale; end if;
  select * into scale from public.commission_rates r where r.archived_at is null and (r.last_day >= private.today()) is not false
    order by r.is_default desc, r.created_at, r.id limit 1;
  return scale;
end
$function$;

CREATE FUNCTION private.scale_for_contract(p_contract_amount numeric, p_sales_own uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  scale public.commission_rates;
begin
  select * into scale from public.commission_rates r
    where r.archived_at is null and (r.last_day >= private.today()) is not false and r.from_contract_amount <= p_contract_amount
    order by r.from_contract_amount desc, r.is_default desc, r.created_at desc, r.id limit 1;
  if found then return scale; end if;
  select * into scale from public.commission_rates r
    where r.archived_at is null and (r.last_day >= private.today()) is not false and (r.is_default or r.from_contract_amount is null)
    order by (r.id = p_sales_own and r.from_contract_amount is null) is true desc, r.is_default desc, r.created_at, r.id limit 1;
  if found then return scale; end if;
  return private.scale_for(null, null);
end
$function$;

CREATE FUNCTION private.scale_rules(p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer, p_from_contract_amount numeric, p_client_rules jsonb, p_commercial_rules jsonb, p_last_day date)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_strip_nulls(jsonb_build_object('client', (COALESCE(p_client_rules, '{}'::jsonb) || jsonb_build_object('kind', p_client_type, 'value', ((p_client_amount * (100)::numeric))::bigint)), 'commercial', (COALESCE(p_commercial_rules, '{}'::jsonb) || jsonb_build_object('kind', p_commercial_type, 'value', ((p_commercial_amount * (100)::numeric))::bigint)), 'client_hold_days', NULLIF(p_client_hold_days, 0), 'from_contract_amount', ((p_from_contract_amount * (100)::numeric))::bigint, 'last_day', p_last_day));
grant execute on function private.scale_rules(text,numeric,text,numeric,integer,numeric,jsonb,jsonb,date) to parrain_service;

CREATE FUNCTION private.scale_version_on(p_rate_id uuid, p_day date)
 RETURNS public.scale_versions
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select v from public.scale_versions v where v.rate_id = p_rate_id and v.withdrawn_at is null
  order by v.first_day <= p_day desc, case when v.first_day <= p_day then v.first_day end desc,
    case when v.first_day <= p_day then v.number else -v.number end desc limit 1
$function$;

CREATE FUNCTION private.scales_to_move()
 RETURNS TABLE(id uuid, name text, description text, rules jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select o.id, v.name, v.description, v.rules
  from public.commission_rates o cross join lateral private.scale_version_on(o.id, private.today()) v
  where o.archived_at is null
    and (o.name, o.description, private.scale_rules(o.client_commission_type, o.client_commission_amount, o.commercial_commission_type,
      o.commercial_commission_amount, o.client_hold_days, o.from_contract_amount, o.client_rules, o.commercial_rules,
      o.last_day)) is distinct from (v.name, v.description, v.rules)
$function$;

CREATE FUNCTION private.self_bills(m private.mandates)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (((m).revoked_at IS NULL) OR (EXISTS (SELECT FROM private.mandates n WHERE ((n.payee_id = (self_bills.m).payee_id) AND (n.id > (self_bills.m).id) AND (n.revoked_at IS NULL)))) OR (NOT (EXISTS (SELECT FROM private.payee_details d WHERE (d.payee_id = (self_bills.m).payee_id)))));

CREATE FUNCTION private.seller_siren(p_data jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT CASE WHEN (count(DISTINCT n.siren) = 1) THEN min(n.siren) ELSE NULL::text END AS "case" FROM (VALUES ((seller_siren.p_data ->> 'sellerSiren'::text)), ("substring"((seller_siren.p_data ->> 'sellerVat'::text), '^FR[0-9A-Z]{2}([0-9]{9})$'::text))) n(siren) WHERE (n.siren ~ '^[0-9]{9}$'::text));

CREATE FUNCTION private.send_batch(p_batch_id uuid, p_seen_version integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches := private.lock_batch(p_batch_id, p_seen_version);
begin
  if b.status <> 'released' then perform private.refuse('batch_illegal_move'); end if;
  update public.payment_batches t set status = 'sent', sent_at = private.now() where t.id = b.id;
end
$function$;
grant execute on function private.send_batch(uuid,integer) to authenticated;

CREATE FUNCTION private.send_payee_invoice(p_request_id uuid, p_number text, p_day date, p_amount numeric, p_vat numeric, p_total numeric, p_name text, p_bytes bytea, p_month date DEFAULT NULL::date)
 RETURNS public.payee_invoices
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A client asks for transfers, a commercial has months.
  me uuid := private.require_role(case when p_month is null then 'client' else 'commercial' end);
begin
  if not private.is_whole_pdf(p_bytes) then perform private.refuse('invalid_input'); end if;
  return private.keep_payee_invoice(me, p_request_id, p_number, p_day, p_amount, p_vat, p_total, p_name, p_bytes, 'send_invoice', p_month);
end
$function$;
grant execute on function private.send_payee_invoice(uuid,text,date,numeric,numeric,numeric,text,bytea,date) to authenticated;

CREATE FUNCTION private.send_webhook_again(p_delivery_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  update private.webhook_deliveries d set run_at = now() where d.id = p_delivery_id and d.status = 'pending';
  if found then return; end if;
  update private.webhook_deliveries d set status = 'pending', is_single_try = true, run_at = now(), leased_until = '-infinity'
    where d.id = p_delivery_id and d.status <> 'pending';
  if not found then perform private.refuse('webhook_delivery_not_found'); end if;
end
$function$;
grant execute on function private.send_webhook_again(uuid) to authenticated;

CREATE FUNCTION private.session_end(s auth.sessions, p_used_at timestamp with time zone, p_max_seconds double precision, p_idle_seconds double precision, p_low_aal_seconds double precision)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN LEAST((s).provider_not_after, ((s).created_at + make_interval(secs => p_max_seconds)), (p_used_at + make_interval(secs => p_idle_seconds)), CASE WHEN (((s).aal = 'aal1'::text) AND (SELECT u.has_verified_factor FROM auth.users u WHERE (u.id = (session_end.s).user_id))) THEN ((s).created_at + make_interval(secs => p_low_aal_seconds)) ELSE NULL::timestamp with time zone END);
grant execute on function private.session_end(auth.sessions,timestamp with time zone,double precision,double precision,double precision) to parrain_service;

CREATE FUNCTION private.set_accounting(p_journal_code text, p_journal_label text, p_accounts jsonb, p_posts_payments boolean DEFAULT NULL::boolean, p_posts_payroll boolean DEFAULT NULL::boolean, p_accrues boolean DEFAULT NULL::boolean, p_year_ends_in integer DEFAULT NULL::integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  before private.accounting_settings;
  after private.accounting_settings;
begin
  lock table private.accounting_settings in share row exclusive mode;
  select * into before from private.accounting_settings s order by s.id desc limit 1;
  after := before;
  after.journal_code := p_journal_code;
  after.journal_label := btrim(p_journal_label);
  after.accounts := before.accounts || p_accounts;
  after.posts_payments := coalesce(p_posts_payments, before.posts_payments);
  after.posts_payroll := coalesce(p_posts_payroll, before.posts_payroll);
  after.accrues := coalesce(p_accrues, before.accrues);
  after.year_ends_in := coalesce(p_year_ends_in, before.year_ends_in);
  if before = after then return; end if;
  insert into private.accounting_settings (journal_code, journal_label, accounts, posts_payments, posts_payroll, accrues, year_ends_in, set_by)
  values (after.journal_code, after.journal_label, after.accounts, after.posts_payments, after.posts_payroll, after.accrues, after.year_ends_in, me);
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
    jsonb_build_object('accounting', private.accounting_words(before)), jsonb_build_object('accounting', private.accounting_words(after)), null);
end
$function$;
grant execute on function private.set_accounting(text,text,jsonb,boolean,boolean,boolean,integer) to authenticated;

CREATE FUNCTION private.set_accounting_code(p_payee_id uuid, p_code text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  payee public.profiles := private.payee_named(p_payee_id);
  before constant text := (select k.code from private.accounting_codes k where k.payee_id = payee.id);
begin
  if before is not distinct from p_code then return; end if;
  if p_code is null then
    delete from private.accounting_codes k where k.payee_id = payee.id;
  else
    insert into private.accounting_codes as k (payee_id, code) values (payee.id, p_code) on conflict (payee_id) do update set code = excluded.code;
  end if;
  perform private.append_audit('profiles', payee.id, 'update', jsonb_build_object('accounting_code', before),
    jsonb_build_object('accounting_code', p_code), null);
exception when unique_violation then
  perform private.refuse('accounting_code_taken');
end
$function$;
grant execute on function private.set_accounting_code(uuid,text) to authenticated;

CREATE FUNCTION private.set_aside_received_invoice(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v private.received_invoices;
begin
  perform private.require_role('admin');
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'aside' then return; end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  perform private.put_received_aside(p_id, false);
end
$function$;
grant execute on function private.set_aside_received_invoice(uuid) to authenticated;

CREATE FUNCTION private.set_aside_supplier(p_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v private.received_invoices;
  v_siren text;
  v_other uuid;
  done integer := 0;
begin
  perform private.require_role('admin');
  -- One after the other: each would wait for rows that another holds.
  perform pg_advisory_xact_lock(hashtext('private.set_aside_suppliers'));
  select * into v from private.received_invoices r where r.id = p_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state = 'aside' and v.by_rule then return 0; end if;
  v_siren := private.supplier_of(v);
  if v.state <> 'listed' or v_siren is null then perform private.refuse('invoice_too_late'); end if;
  insert into private.set_aside_suppliers (siren, name)
  select v_siren, nullif(btrim(n.name), '') from (select left(v.data ->> 'sellerName', 200) as name) n
    on conflict (siren) do nothing;
  for v_other in
    select r.id from private.received_invoices r where r.state = 'listed' and private.seller_siren(r.data) = v_siren order by r.id for update
  loop
    if (select private.supplier_of(r) is not null from private.received_invoices r where r.id = v_other) then
      perform private.put_received_aside(v_other, true);
      done := done + 1;
    end if;
  end loop;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'set_aside_supplier', null,
    jsonb_build_object('supplier_siren', v_siren, 'supplier_invoices', done), null);
  return done;
end
$function$;
grant execute on function private.set_aside_supplier(uuid) to authenticated;

CREATE FUNCTION private.set_bank_account(p_holder text, p_iban_shown text, p_details_sealed bytea, p_iban_mark bytea, p_bic text DEFAULT NULL::text)
 RETURNS public.bank_accounts
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('commercial');
  before public.bank_accounts;
  after public.bank_accounts;
  v_iban uuid;
begin
  perform 1 from public.profiles p where p.id = me and p.deactivated_at is null for update;
  if not found then raise exception using errcode = 'PR401', message = 'session_expired'; end if;
  before := private.bank_account_of(me);
  insert into public.payee_ibans (client_id, mark, usable_from)
  values (me, p_iban_mark, private.now() + case when before.id is null then interval '0' else interval '48 hours' end)
  on conflict on constraint payee_ibans_are_told_apart do nothing;
  select i.id into v_iban from public.payee_ibans i where i.client_id = me and i.mark = p_iban_mark;
  if before.iban_id = v_iban and before.holder = btrim(p_holder) and p_bic is null then return before; end if;
  insert into public.bank_accounts (payee_id, holder, iban, iban_id, bic) values (me, btrim(p_holder), p_iban_shown, v_iban, p_bic)
    returning * into after;
  insert into private.bank_account_secrets (account_id, details_sealed) values (after.id, p_details_sealed);
  -- That it changed, and not to what (decision 0003).
  perform private.append_audit('profiles', me, 'update', null, jsonb_build_object('bank_account', true), null);
  return after;
end
$function$;
grant execute on function private.set_bank_account(text,text,bytea,bytea,text) to authenticated;

CREATE FUNCTION private.set_company_account(p_holder text, p_iban_shown text, p_bic text, p_sealed bytea)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.company_account in share row exclusive mode;
  select jsonb_build_object('account_holder', a.holder, 'account_iban', a.iban_shown, 'account_bic', a.bic) into before
    from private.company_account a;
  insert into private.company_account as a (holder, iban_shown, bic, sealed) values (btrim(p_holder), p_iban_shown, p_bic, p_sealed)
  on conflict (id) do update set holder = excluded.holder, iban_shown = excluded.iban_shown, bic = excluded.bic,
    sealed = excluded.sealed, updated_at = now()
  returning jsonb_build_object('account_holder', a.holder, 'account_iban', a.iban_shown, 'account_bic', a.bic) into after;
  perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  return private.company_account_shown();
end
$function$;
grant execute on function private.set_company_account(text,text,text,bytea) to authenticated;

CREATE FUNCTION private.set_company_color(p_color text)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set brand_color = p_color, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_company_color(text) to authenticated;

CREATE FUNCTION private.set_company_logo(p_url text)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set logo_url = p_url, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_company_logo(text) to authenticated;

CREATE FUNCTION private.set_company_presentation(p_text text)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set presentation = nullif(btrim(p_text), ''), updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_company_presentation(text) to authenticated;

CREATE FUNCTION private.set_contact_months(p_months integer)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set contact_months = p_months, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_contact_months(integer) to authenticated;

CREATE FUNCTION private.set_das2_settings(p_counts_gift_cards boolean, p_counts_discounts boolean, p_regular_from integer DEFAULT NULL::integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.das2_settings in share row exclusive mode;
  before := private.das2_settings_shown();
  insert into private.das2_settings as s (counts_gift_cards, counts_discounts, regular_from)
  values (p_counts_gift_cards, p_counts_discounts, coalesce(p_regular_from, (before ->> 'regular_from')::integer))
  on conflict (id) do update set (counts_gift_cards, counts_discounts, regular_from)
    = (excluded.counts_gift_cards, excluded.counts_discounts, excluded.regular_from);
  after := private.das2_settings_shown();
  if before <> after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_build_object('das2_gift_cards', before -> 'counts_gift_cards', 'das2_discounts', before -> 'counts_discounts',
        'regular_from', before -> 'regular_from'),
      jsonb_build_object('das2_gift_cards', after -> 'counts_gift_cards', 'das2_discounts', after -> 'counts_discounts',
        'regular_from', after -> 'regular_from'), null);
  end if;
  return after;
end
$function$;
grant execute on function private.set_das2_settings(boolean,boolean,integer) to authenticated;

CREATE FUNCTION private.set_default_commission_rate(p_id uuid)
 RETURNS public.commission_rates
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  scale public.commission_rates;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.commission_rates.default'));
  select * into scale from public.commission_rates r where r.id = p_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  update public.commission_rates r set is_default = false where r.is_default and r.id <> p_id;
  update public.commission_rates r set is_default = true where r.id = p_id returning * into scale;
  return scale;
end
$function$;
grant execute on function private.set_default_commission_rate(uuid) to authenticated;

CREATE FUNCTION private.set_doubt_rule(p_code text, p_is_on boolean, p_most integer)
 RETURNS public.doubt_rules
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  v_before public.doubt_rules;
  v_rule public.doubt_rules;
begin
  select * into v_before from public.doubt_rules r where r.code = p_code for update;
  if not found or p_is_on is null or p_code = 'burst' and (p_most between 1 and 100) is not true then
    perform private.refuse('invalid_input');
  end if;
  update public.doubt_rules r set is_on = p_is_on, most = case when r.code = 'burst' then p_most end where r.code = p_code returning * into v_rule;
  if v_rule is distinct from v_before then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_strip_nulls(jsonb_build_object('doubt_rule', v_before.code, 'is_on', v_before.is_on, 'most', v_before.most)),
      jsonb_strip_nulls(jsonb_build_object('doubt_rule', v_rule.code, 'is_on', v_rule.is_on, 'most', v_rule.most)), null);
  end if;
  return v_rule;
end
$function$;
grant execute on function private.set_doubt_rule(text,boolean,integer) to authenticated;

CREATE FUNCTION private.set_first_referral_months(p_months integer)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set first_referral_months = p_months, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_first_referral_months(integer) to authenticated;

CREATE FUNCTION private.set_follow_ups(p_days integer, p_admin_days integer)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set follow_up_days = p_days, follow_up_admin_days = p_admin_days, updated_at = now()
    returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_follow_ups(integer,integer) to authenticated;

CREATE FUNCTION private.set_hold_doubtful(p_is_held boolean)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  if p_is_held is null then perform private.refuse('invalid_input'); end if;
  return private.change_control('hold_doubtful', to_jsonb(p_is_held));
end
$function$;
grant execute on function private.set_hold_doubtful(boolean) to authenticated;

CREATE FUNCTION private.set_legal_notice(p_notice jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before jsonb;
  after jsonb;
  entered private.legal_notice := jsonb_populate_record(null::private.legal_notice, p_notice - array['id', 'updated_at']);
begin
  perform private.require_role('admin');
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.legal_notice in share row exclusive mode;
  before := private.legal_notice_shown();
  entered.id := true;
  entered.updated_at := now();
  delete from private.legal_notice;
  insert into private.legal_notice select entered.*;
  after := private.legal_notice_shown();
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update',
      jsonb_build_object('legal_notice', before), jsonb_build_object('legal_notice', after), null);
  end if;
  return after;
end
$function$;
grant execute on function private.set_legal_notice(jsonb) to authenticated;

CREATE FUNCTION private.set_new_clients(p_given text, p_to uuid)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  if p_given is null or p_given not in ('by_hand', 'to_one', 'in_turn') then perform private.refuse('invalid_input'); end if;
  if p_given = 'to_one' then perform private.require_active_commercial(p_to); end if;
  update public.company_settings c
    set new_clients = p_given, new_clients_to = case when p_given = 'to_one' then p_to end, updated_at = now()
    returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_new_clients(text,uuid) to authenticated;

CREATE FUNCTION private.set_page_picture(p_url text)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set picture_url = p_url, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_page_picture(text) to authenticated;

CREATE FUNCTION private.set_paper_settings(p_issues_papers boolean, p_legal_name text, p_street text, p_postal_code text, p_city text, p_siren text, p_vat_number text, p_contest_days integer, p_siret text DEFAULT NULL::text, p_legal_form text DEFAULT NULL::text, p_capital numeric DEFAULT NULL::numeric, p_registry_city text DEFAULT NULL::text, p_vat_franchise boolean DEFAULT NULL::boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  before jsonb;
  after jsonb;
begin
  -- One change after the other, so that the trail says what each of them replaced.
  lock table private.paper_settings in share row exclusive mode;
  select private.paper_settings_words(s) into before from private.paper_settings s;
  insert into private.paper_settings as s (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret,
    legal_form, capital, registry_city, vat_franchise)
  values (p_issues_papers, btrim(p_legal_name), btrim(p_street), p_postal_code, btrim(p_city), p_siren, p_vat_number, p_contest_days,
    p_siret, btrim(p_legal_form), p_capital, btrim(p_registry_city), coalesce(p_vat_franchise, false))
  on conflict (id) do update set (issues_papers, legal_name, street, postal_code, city, siren, vat_number, contest_days, siret, legal_form,
      capital, registry_city, vat_franchise, updated_at)
    = (excluded.issues_papers, excluded.legal_name, excluded.street, excluded.postal_code, excluded.city, excluded.siren,
      excluded.vat_number, excluded.contest_days, excluded.siret, excluded.legal_form, excluded.capital, excluded.registry_city,
      coalesce(p_vat_franchise, s.vat_franchise), now())
  returning private.paper_settings_words(s) into after;
  if before is distinct from after then
    perform private.append_audit('company_settings', '00000000-0000-0000-0000-000000000001', 'update', before, after, null);
  end if;
  return private.paper_settings_shown();
end
$function$;
grant execute on function private.set_paper_settings(boolean,text,text,text,text,text,text,integer,text,text,numeric,text,boolean) to authenticated;

CREATE FUNCTION private.set_payee_details(p_payee_id uuid, p_status text, p_legal_name text, p_street text, p_postal_code text, p_city text, p_siren text, p_rna text, p_charges_vat boolean, p_vat_number text, p_first_name text DEFAULT NULL::text, p_last_name text DEFAULT NULL::text, p_siret text DEFAULT NULL::text, p_legal_form text DEFAULT NULL::text, p_capital numeric DEFAULT NULL::numeric, p_registry_city text DEFAULT NULL::text, p_country text DEFAULT NULL::text, p_number_abroad text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  payee public.profiles := private.payee_named(p_payee_id);
  before private.payee_details;
  after private.payee_details;
begin
  if payee.deactivated_at is not null then perform private.refuse('payee_unknown'); end if;
  if not coalesce(case payee.role when 'client' then p_status in ('particulier', 'micro', 'societe', 'association')
      else p_status in ('salarie', 'agent', 'societe') end, false) then
    perform private.refuse('invalid_input');
  end if;
  select * into before from private.payee_details d where d.payee_id = payee.id;
  insert into private.payee_details as d
    (payee_id, status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, legal_form,
      capital, registry_city, country, number_abroad, updated_at)
  values (payee.id, p_status, btrim(p_legal_name), btrim(p_first_name), btrim(p_last_name), btrim(p_street), p_postal_code, btrim(p_city),
    p_siren, p_siret, p_rna, p_charges_vat, p_vat_number, btrim(p_legal_form), p_capital, btrim(p_registry_city),
    coalesce(p_country, 'FR'), p_number_abroad, now())
  on conflict (payee_id) do update set
    (status, legal_name, first_name, last_name, street, postal_code, city, siren, siret, rna, charges_vat, vat_number, legal_form, capital,
      registry_city, country, number_abroad, updated_at)
      = (excluded.status, excluded.legal_name, excluded.first_name, excluded.last_name, excluded.street, excluded.postal_code, excluded.city,
        excluded.siren, excluded.siret, excluded.rna, excluded.charges_vat, excluded.vat_number, excluded.legal_form, excluded.capital,
        excluded.registry_city, excluded.country, excluded.number_abroad, excluded.updated_at),
    regularity_dealt_at = case when d.status = excluded.status then d.regularity_dealt_at end,
    -- Accepted of this number and this seller alone.
    (vat_accepted_at, vat_accepted_by, vat_register) = (
      select d.vat_accepted_at, d.vat_accepted_by, d.vat_register
      where (d.status, d.legal_name, d.siren, d.vat_number)
        is not distinct from (excluded.status, excluded.legal_name, excluded.siren, excluded.vat_number))
  returning * into after;
  if to_jsonb(before) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] is distinct from
      to_jsonb(after) - array['updated_at', 'vat_accepted_at', 'vat_accepted_by', 'vat_register', 'regularity_dealt_at'] then
    perform private.append_audit('profiles', payee.id, 'update',
      case when before.payee_id is not null then jsonb_build_object('payee_status', before.status) end,
      jsonb_build_object('payee_status', after.status, 'payee_details', '•••'), null);
  end if;
  return private.payee_shown(payee.id);
end
$function$;
grant execute on function private.set_payee_details(uuid,text,text,text,text,text,text,text,boolean,text,text,text,text,text,numeric,text,text,text) to authenticated;

CREATE FUNCTION private.set_public_page(p_page jsonb)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set
    presentation = case when p_page ? 'presentation' then nullif(btrim(p_page ->> 'presentation'), '') else c.presentation end,
    friend_gain = case when p_page ? 'friend_gain' then nullif(btrim(p_page ->> 'friend_gain'), '') else c.friend_gain end,
    answer_days = case when p_page ? 'answer_days' then (p_page ->> 'answer_days')::smallint else c.answer_days end,
    updated_at = now()
    returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_public_page(jsonb) to authenticated;

CREATE FUNCTION private.set_release_above(p_amount numeric)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return private.change_control('release_above', coalesce(to_jsonb(p_amount), 'null'));
end
$function$;
grant execute on function private.set_release_above(numeric) to authenticated;

CREATE FUNCTION private.set_request_rules(p_smallest numeric, p_methods text[], p_from_day integer, p_to_day integer)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set smallest_request = p_smallest, payment_methods = p_methods,
      requests_from_day = p_from_day, requests_to_day = p_to_day, updated_at = now()
    returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_request_rules(numeric,text[],integer,integer) to authenticated;

CREATE FUNCTION private.set_require_call_consent(p_required boolean)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set require_call_consent = p_required, updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.set_require_call_consent(boolean) to authenticated;

CREATE FUNCTION private.settle_batch(p_batch_id uuid, p_outcomes jsonb, p_on date DEFAULT NULL::date)
 RETURNS TABLE(paid integer, rejected integer, returned integer, already integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  b public.payment_batches;
  o record;
  q public.paid_periods;
  v_paid uuid[] := '{}';
  v_paid_at timestamptz[] := '{}';
begin
  paid := 0; rejected := 0; returned := 0; already := 0;
  select * into b from public.payment_batches t where t.id = p_batch_id for update;
  if not found then perform private.refuse('batch_not_found'); end if;
  if b.status = 'draft' then perform private.refuse('batch_illegal_move'); end if;
  if p_outcomes is null then
    select jsonb_agg(jsonb_build_object('request_id', l.id, 'status', 'paid')) into p_outcomes
      from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued';
  end if;
  -- Requests in the order of their ids, then balances in that of their owners, as everybody takes them.
  perform 1 from public.payment_requests r
    where r.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x) order by r.id for update;
  perform 1 from public.balances k where k.profile_id in (
      select coalesce(l.payee_id, r.client_id) from public.payment_batch_lines l left join public.payment_requests r on r.id = l.request_id
      where l.id in (select (x ->> 'request_id')::uuid from jsonb_array_elements(p_outcomes) x)) order by k.profile_id for update;
  for o in
    select x.request_id, x.status as told, x.code, nullif(btrim(x.reason), '') as why, x.day, l.status as stands, l.payee_id, l.month, l.amount,
      l.vat_rate, l.vat_amount, l.vat_mandate_id, l.payee_invoice_id
    from jsonb_to_recordset(p_outcomes) as x (request_id uuid, status text, code text, reason text, day date)
    left join public.payment_batch_lines l on l.id = x.request_id and l.batch_id = b.id
    order by x.request_id
  loop
    if o.stands is null or o.told is null or o.told not in ('paid', 'rejected', 'returned') then perform private.refuse('batch_line_unknown'); end if;
    if o.told <> 'paid' and o.why is null then perform private.refuse('refusal_reason_required'); end if;
    if o.stands = o.told then
      already := already + 1;
      continue;
    end if;
    if o.stands <> (case o.told when 'returned' then 'paid' else 'queued' end) then perform private.refuse('batch_line_decided'); end if;
    -- Nearly all of a batch, hence in one statement below.
    if o.told = 'paid' and o.month is null then
      v_paid := v_paid || o.request_id;
      v_paid_at := v_paid_at || private.payment_instant(p_on, b.created_at, o.day);
      continue;
    end if;
    update public.payment_batch_lines l set status = o.told, decided_at = private.now(),
        reason = case when o.told <> 'paid' then o.why end, reason_code = case when o.told <> 'paid' then o.code end
      where l.id = o.request_id;
    if o.month is not null then
      if o.told = 'paid' then
        insert into public.paid_periods (payee_id, month, amount, paid_by, is_test, method, vat_rate, vat_amount, vat_mandate_id, payee_invoice_id, line_id, paid_at)
        values (o.payee_id, o.month, o.amount, me, b.is_test, 'virement', o.vat_rate, o.vat_amount, o.vat_mandate_id, o.payee_invoice_id, o.request_id,
          private.payment_instant(p_on, b.created_at, o.day)) returning * into q;
        perform private.append_audit('paid_periods', q.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'),
          'amount', q.amount, 'vat_amount', q.vat_amount, 'payee_id', q.payee_id, 'method', 'virement')), null);
        paid := paid + 1;
      elsif o.told = 'returned' then
        update public.paid_periods t set returned_at = private.payment_instant(p_on, t.paid_at, o.day), return_reason = o.why where t.line_id = o.request_id returning * into strict q;
        perform private.append_audit('paid_periods', q.id, 'update', jsonb_build_object('returned_at', null),
          jsonb_strip_nulls(jsonb_build_object('month', to_char(q.month, 'YYYY-MM'), 'amount', q.amount, 'vat_amount', q.vat_amount,
            'payee_id', q.payee_id, 'returned_at', q.returned_at)), o.why);
        perform private.tell_of_month('month_returned', o.request_id);
        returned := returned + 1;
      else
        perform private.tell_of_month('month_rejected', o.request_id);
        rejected := rejected + 1;
      end if;
    elsif o.told = 'returned' then
      update public.payment_requests r set status = 'returned', returned_at = private.payment_instant(p_on, r.paid_at, o.day), return_reason = o.why where r.id = o.request_id;
      returned := returned + 1;
    else
      update public.payment_requests r set status = 'rejected', approved_at = null, rejection_reason = o.why where r.id = o.request_id;
      rejected := rejected + 1;
    end if;
  end loop;
  update public.payment_batch_lines l set status = 'paid', decided_at = private.now() where l.batch_id = b.id and l.id = any (v_paid);
  update public.payment_requests r set status = 'paid', paid_at = x.at from unnest(v_paid, v_paid_at) x (id, at) where r.id = x.id;
  paid := paid + cardinality(v_paid);
  if b.status <> 'settled' and not exists (select from public.payment_batch_lines l where l.batch_id = b.id and l.status = 'queued') then
    update public.payment_batches t set status = 'settled', settled_at = coalesce((
        select max(coalesce(r.paid_at, k.paid_at)) from public.payment_batch_lines l
        left join public.payment_requests r on r.id = l.request_id left join public.paid_periods k on k.line_id = l.id
        where l.batch_id = b.id), private.now())
      where t.id = b.id;
  end if;
  return next;
end
$function$;
grant execute on function private.settle_batch(uuid,jsonb,date) to authenticated;

CREATE FUNCTION private.settle_debt(p_payee_id uuid, p_kind text, p_amount numeric, p_seen_debt numeric, p_paid_on date DEFAULT NULL::date, p_method text DEFAULT NULL::text, p_reference text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
 RETURNS TABLE(act public.debt_acts, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  why constant text := nullif(btrim(p_reason), '');
  account record;
  debt numeric;
  last_ public.debt_acts;
  waits boolean;
begin
  if p_kind is null or p_kind not in ('repayment', 'waiver') then perform private.refuse('decision_required'); end if;
  if p_kind = 'waiver' and why is null then perform private.refuse('message_required'); end if;
  if p_seen_debt is null then perform private.refuse('seen_required'); end if;
  select * into account from private.lock_account(p_payee_id);
  debt := account.debt;
  select * into last_ from public.debt_acts t where t.payee_id = p_payee_id order by t.created_at desc, t.id desc limit 1;
  if (debt <> p_seen_debt or last_.at is null) and last_.annulled_at is null and last_.given_up_at is null
    and (last_.kind, last_.amount, last_.debt_before, last_.decided_by) = (p_kind, p_amount, p_seen_debt, me)
    and (last_.method, last_.reference, last_.reason) is not distinct from
      (p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end) then
    return query select last_, true;
    return;
  end if;
  if debt <> p_seen_debt or p_amount is null or p_amount <= 0 or p_amount > debt or p_amount <> round(p_amount, 2) then
    perform private.refuse('debt_changed', jsonb_build_object('debt', debt::text));
  end if;
  waits := p_kind = 'waiver' and coalesce(private.exceeds_one_admin(p_payee_id, p_amount), false);
  if p_kind = 'waiver' and exists (select from public.debt_acts t where t.payee_id = p_payee_id and t.at is null and t.given_up_at is null) then
    perform private.refuse('debt_act_waits');
  end if;
  insert into public.debt_acts (payee_id, kind, amount, debt_before, at, method, reference, reason, decided_by, is_test)
  values (p_payee_id, p_kind, p_amount, debt,
    case when p_kind = 'repayment' then private.payment_instant(p_paid_on, private.in_debt_since(p_payee_id))
      when not waits then private.now() end,
    p_method, nullif(btrim(p_reference), ''), case p_kind when 'waiver' then why end, me, account.is_test)
  returning * into last_;
  perform private.append_audit('debt_acts', last_.id, 'insert', null, jsonb_strip_nulls(jsonb_build_object('kind', p_kind, 'amount', p_amount,
    'payee_id', p_payee_id, 'method', p_method, 'at', last_.at, 'waits', case when waits then true end)), last_.reason);
  perform private.tell_of_debt_act(case when waits then 'waiver_to_confirm' when p_kind = 'waiver' then 'debt_waived' else 'debt_repaid' end, last_);
  return query select last_, false;
end
$function$;
grant execute on function private.settle_debt(uuid,text,numeric,numeric,date,text,text,text) to authenticated;

CREATE FUNCTION private.settle_e_invoice(p_paper_id uuid, p_attempt integer, p_outcome text, p_flow_id text, p_words text, p_retry_after integer)
 RETURNS double precision
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  delay double precision;
begin
  if p_outcome = 'later' then delay := private.e_invoice_delay(p_attempt, p_retry_after); end if;
  update private.e_invoices e set leased_until = '-infinity', words = p_words,
      state = case p_outcome when 'later' then 'waiting' else p_outcome end,
      run_at = now() + coalesce(delay, 0) * interval '1 second',
      flow_id = coalesce(p_flow_id, e.flow_id), deposited_at = case when p_outcome = 'deposited' then now() else e.deposited_at end
    where e.paper_id = p_paper_id and e.attempts = p_attempt and e.state = 'waiting';
  if not found then return null; end if;
  if p_outcome <> 'later' then
    perform private.record_e_invoice_status(p_paper_id, p_outcome, p_words, now(), p_flow_id);
  elsif p_retry_after is not null then
    update private.e_invoicing s set paused_until = greatest(s.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
  return delay;
end
$function$;

CREATE FUNCTION private.settle_received_status(p_id uuid, p_attempt integer, p_outcome text, p_flow_id text, p_words text, p_retry_after integer)
 RETURNS double precision
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  delay constant double precision := case when p_outcome = 'later' then private.e_invoice_delay(p_attempt, p_retry_after) end;
  s private.received_invoice_statuses;
begin
  update private.received_invoice_statuses x set leased_until = '-infinity', words = p_words,
      state = case p_outcome when 'later' then 'waiting' else p_outcome end, flow_id = p_flow_id,
      run_at = now() + coalesce(delay, 0) * interval '1 second'
    where x.id = p_id and x.attempts = p_attempt and x.state = 'waiting' returning * into s;
  if not found then return null; end if;
  if p_outcome <> 'later' then
    perform private.audit_received_invoice(s.received_id, 'tell_invoice',
      jsonb_build_object('e_invoice_status', s.code, 'is_told', p_outcome = 'deposited'), null);
  elsif p_retry_after is not null then
    update private.e_invoicing x set paused_until = greatest(x.paused_until, now() + least(p_retry_after, 28800) * interval '1 second');
  end if;
  return delay;
end
$function$;

CREATE FUNCTION private.settle_webhook_delivery(p_id uuid, p_attempt integer, p_status integer, p_answer text, p_error text, p_took_ms integer, p_retry_after integer)
 RETURNS double precision
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  delays constant integer[] := array[5, 60, 300, 1800, 7200, 18000, 28800, 28800];
  is_done constant boolean := coalesce(p_status between 200 and 299, false);
  d private.webhook_deliveries;
  w private.webhooks;
  delay double precision;
begin
  select * into d from private.webhook_deliveries x where x.id = p_id;
  -- The address first, then its deliveries, as an admin who turns it off locks them.
  select * into w from private.webhooks x where x.id = d.webhook_id;
  if not is_done or w.failures > 0 then
    select * into w from private.webhooks x where x.id = d.webhook_id for no key update;
  end if;
  if not is_done and not d.is_single_try then
    delay := delays[p_attempt] * (0.9 + random() * 0.2);
    -- The receiver may ask for more patience, up to the longest.
    if p_retry_after is not null then delay := greatest(delay, least(p_retry_after, 28800)); end if;
    if p_attempt > cardinality(delays) then delay := null; end if;
  end if;
  update private.webhook_deliveries x set answered_at = now(), answer_status = p_status, answer = p_answer, error = p_error, took_ms = p_took_ms,
      leased_until = '-infinity', status = case when is_done then 'delivered' when delay is null then 'failed' else 'pending' end,
      run_at = now() + coalesce(delay, 0) * interval '1 second'
    where x.id = p_id and x.status = 'pending' and x.attempts = p_attempt;
  if not found then return null; end if;
  if is_done then
    if w.failures > 0 then update private.webhooks x set failures = 0, failing_since = null where x.id = w.id; end if;
  elsif p_status = 410 then
    update private.webhook_deliveries x set status = 'failed' where x.id = p_id;
    perform private.turn_webhook_off(w.id, 'gone');
    return null;
  elsif not d.is_single_try then
    update private.webhooks x set failures = x.failures + 1, failing_since = coalesce(x.failing_since, now()) where x.id = w.id;
    if w.failing_since < now() - interval '3 days' then
      perform private.turn_webhook_off(w.id, 'failures');
      return null;
    end if;
  end if;
  return delay;
end
$function$;

CREATE FUNCTION private.sharers_of_iban(p_mark bytea, p_client_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select string_agg(p.full_name, ', ' order by p.full_name)
  from public.payee_ibans o join public.profiles p on p.id = o.client_id
  where o.mark = p_mark and o.client_id <> p_client_id
$function$;
grant execute on function private.sharers_of_iban(bytea,uuid) to authenticated;
grant execute on function private.sharers_of_iban(bytea,uuid) to parrain_service;
grant execute on function private.sharers_of_iban(bytea,uuid) to service_role;

CREATE FUNCTION private.sign_in_account(p_email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN encode(sha256(convert_to(lower(p_email), 'UTF8'::name)), 'hex'::text);
grant execute on function private.sign_in_account(text) to parrain_service;

CREATE FUNCTION private.sign_in_failed(p_email text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO private.sign_in_failures AS f (account, failures)
   VALUES (private.sign_in_account(sign_in_failed.p_email), 1) ON CONFLICT(account) DO UPDATE SET failures =
         CASE
             WHEN (f.last_at < (clock_timestamp() - '00:15:00'::interval)) THEN 1
             ELSE (f.failures + 1)
         END, last_at = clock_timestamp();
END;
grant execute on function private.sign_in_failed(text) to parrain_service;

CREATE FUNCTION private.sign_in_succeeded(p_email text, p_network text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 DELETE FROM private.sign_in_failures f
   WHERE (f.account = private.sign_in_account(sign_in_succeeded.p_email));
 UPDATE private.rate_limits r SET tokens = (r.tokens + (1)::double precision)
   WHERE (r.bucket = ANY (ARRAY[('auth:password:'::text || sign_in_succeeded.p_network), ((('auth:password:'::text || sign_in_succeeded.p_network) || ':'::text) || private.sign_in_account(sign_in_succeeded.p_email))]));
END;
grant execute on function private.sign_in_succeeded(text,text) to parrain_service;

CREATE FUNCTION private.simulate_rules(p_rate_id uuid, p_rules jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_month constant date := date_trunc('month', private.today()) - interval '11 months';
  listed constant integer := 5;
  tests constant boolean := (select r.is_test from public.commission_rates r where r.id = p_rate_id);
  answer jsonb;
begin
  with folded as materialized (
    select k.side, f.contract_id, f.payee_id, date_trunc('month', f.validated_at at time zone 'Europe/Paris')::date as month,
      sum(f.moved) as left_, sum(f.given) as given, sum(f.would_give) as would_give, bool_or(f.is_over_cap) as is_over_cap
    from (values ('client'), ('commercial')) k (side)
    cross join lateral private.fold_side(k.side, p_rules -> k.side, p_rate_id, private.month_start(first_month), tests) f
    group by k.side, f.contract_id, f.payee_id, f.validated_at),
  by_month as (
    select f.month, count(distinct f.contract_id) as contracts,
      coalesce(sum(f.given) filter (where f.side = 'client'), 0) as client, coalesce(sum(f.would_give) filter (where f.side = 'client'), 0) as would_client,
      coalesce(sum(f.given) filter (where f.side = 'commercial'), 0) as commercial,
      coalesce(sum(f.would_give) filter (where f.side = 'commercial'), 0) as would_commercial
    from folded f group by f.month),
  by_payee as (
    select f.side, f.payee_id, count(*) as contracts, sum(f.given) as given, sum(f.would_give) as would_give, sum(f.would_give - f.given) as change
    from folded f group by f.side, f.payee_id),
  ranked as (
    select b.*, row_number() over (order by b.change desc, b.payee_id, b.side) as most, row_number() over (order by b.change, b.payee_id, b.side) as least
    from by_payee b),
  nothing as (
    select f.side, f.given,
      case when f.left_ <= 0 then 'annulled'
        when f.left_ * 100 < (p_rules #>> array[f.side, 'min_contract'])::bigint then 'min_contract'
        when f.is_over_cap then 'cap_period' else 'rounded' end as reason
    from folded f where f.would_give = 0)
  select jsonb_build_object(
    'sha256', encode(private.rules_hash(p_rules), 'hex'),
    'totals', (select jsonb_build_object('contracts', coalesce(sum(m.contracts), 0),
      'before', (coalesce(sum(m.client + m.commercial), 0) * 100)::bigint, 'after', (coalesce(sum(m.would_client + m.would_commercial), 0) * 100)::bigint)
      from by_month m),
    'months', (select jsonb_agg(jsonb_build_object('month', d.month, 'contracts', coalesce(m.contracts, 0), 'client', coalesce(m.client, 0),
      'would_client', coalesce(m.would_client, 0), 'commercial', coalesce(m.commercial, 0), 'would_commercial', coalesce(m.would_commercial, 0))
      order by d.month)
      from (select (first_month + make_interval(months => n))::date as month from generate_series(0, 11) n) d left join by_month m using (month)),
    'payees', (select jsonb_build_object('gain', count(*) filter (where b.change > 0), 'lose', count(*) filter (where b.change < 0),
      'same', count(*) filter (where b.change = 0), 'gained', coalesce(sum(b.change) filter (where b.change > 0), 0),
      'lost', coalesce(sum(b.change) filter (where b.change < 0), 0)) from by_payee b),
    'most', (select coalesce(jsonb_agg(jsonb_build_object('side', r.side, 'payee_id', r.payee_id, 'name', p.full_name, 'contracts', r.contracts,
      'given', r.given, 'would_give', r.would_give)
      order by r.change < 0, abs(r.change) desc, r.payee_id, r.side), '[]')
      from ranked r join public.profiles p on p.id = r.payee_id
      where r.most <= listed and r.change > 0 or r.least <= listed and r.change < 0),
    'nothing', (select coalesce(jsonb_agg(to_jsonb(n) order by n.side, n.reason), '[]') from (
      select k.side, k.reason, count(*) as contracts, sum(k.given) as given from nothing k group by k.side, k.reason) n),
    'largest', (select coalesce(jsonb_agg(to_jsonb(l) order by abs(l.would_give - l.given) desc, l.sale_id, l.side), '[]') from (
      select f.contract_id as sale_id, f.side, p.full_name as name, f.left_ as contract, f.given, f.would_give
      from folded f join public.profiles p on p.id = f.payee_id where f.would_give <> f.given
      order by abs(f.would_give - f.given) desc, f.contract_id, f.side limit listed) l))
  into answer;
  return answer;
end
$function$;
grant execute on function private.simulate_rules(uuid,jsonb) to parrain_service;

CREATE FUNCTION private.simulate_scale(p_rate_id uuid, p_first_day date, p_client_type text, p_client_amount numeric, p_commercial_type text, p_commercial_amount numeric, p_client_hold_days integer DEFAULT 0, p_from_contract_amount numeric DEFAULT NULL::numeric, p_client_rules jsonb DEFAULT NULL::jsonb, p_commercial_rules jsonb DEFAULT NULL::jsonb, p_last_day date DEFAULT NULL::date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  rules constant jsonb := private.scale_rules(p_client_type, p_client_amount, p_commercial_type, p_commercial_amount, p_client_hold_days,
    p_from_contract_amount, p_client_rules, p_commercial_rules, p_last_day);
  scale public.commission_rates;
begin
  perform private.check_rules(rules, coalesce(p_first_day, private.today()));
  select * into scale from public.commission_rates r where r.id = p_rate_id;
  if not found then perform private.refuse('scale_not_found'); end if;
  if scale.archived_at is not null then perform private.refuse('scale_archived'); end if;
  return private.simulate_rules(p_rate_id, rules);
end
$function$;
grant execute on function private.simulate_scale(uuid,date,text,numeric,text,numeric,integer,numeric,jsonb,jsonb,date) to authenticated;

CREATE FUNCTION private.skip_first_step(p_step text, p_skipped boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  update public.company_settings c set updated_at = now(),
    skipped_steps = case when p_skipped then c.skipped_steps || p_step else array_remove(c.skipped_steps, p_step) end
    where p_skipped <> (p_step = any (c.skipped_steps));
end
$function$;
grant execute on function private.skip_first_step(text,boolean) to authenticated;

CREATE FUNCTION private.stage_import(p_kind text, p_file_name text, p_lines jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_most integer := case private.user_role() when 'admin' then 20000 else 2000 end;
  v_id uuid;
begin
  if jsonb_array_length(p_lines) - 1 > v_most then
    perform private.refuse('import_too_long', jsonb_build_object('most', v_most));
  end if;
  delete from private.imports i where i.made_by = me and i.written_at is null;
  insert into private.imports (kind, made_by, file_name, lines) values (p_kind, me, p_file_name, p_lines) returning id into v_id;
  return v_id;
end
$function$;
grant execute on function private.stage_import(text,text,jsonb) to authenticated;

CREATE FUNCTION private.staged_import(p_import uuid)
 RETURNS TABLE(kind text, lines jsonb, written integer, left_out integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
begin
  return query select i.kind, i.lines, i.written, i.left_out from private.imports i
    where i.id = p_import and i.made_by = me for update;
  if not found then perform private.refuse('import_not_found'); end if;
end
$function$;
grant execute on function private.staged_import(uuid) to authenticated;

CREATE FUNCTION private.standing_of(p_side text, p_rules jsonb, p_payee_id uuid, p_rate_id uuid, p_is_test boolean, p_before jsonb, OUT "position" bigint, OUT window_key text, OUT is_first boolean, OUT cap_room bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  day constant date := private.today();
  since date;
  until date;
  since_at timestamptz;
  until_at timestamptz;
  seen_count bigint;
  seen_revenue bigint;
  seen_given bigint;
begin
  if p_rules ? 'steps' or p_rules ? 'cap_period' then
    case coalesce(p_rules ->> 'window', 'year')
      when 'year' then
        since := date_trunc('year', day::timestamp); until := since + interval '1 year'; window_key := to_char(day, 'YYYY');
      when 'quarter' then
        since := date_trunc('quarter', day::timestamp); until := since + interval '3 months'; window_key := to_char(day, 'YYYY"-Q"Q');
      else since := '-infinity'; until := 'infinity'; window_key := 'all';
    end case;
    since_at := private.month_start(since);
    until_at := private.month_start(until);
    select coalesce(sum(case when not c.is_correction then 1 when c.is_whole then -1 else 0 end), 0), coalesce(sum(c.contract) * 100, 0),
      coalesce(sum(c.given) * 100, 0)
    into seen_count, seen_revenue, seen_given
    from private.contracts_of(p_side, p_payee_id, since_at, p_is_test) c
    where c.counted_at >= since_at and c.counted_at < until_at and (p_rules ? 'counts_over' or c.rate_id = p_rate_id);
    if p_rules ? 'steps' then
      "position" := case when p_rules ? 'measure' then seen_count + coalesce((p_before ->> 'count')::bigint, 0)
        else seen_revenue + coalesce((p_before ->> 'revenue')::bigint, 0) end;
    end if;
    if p_rules ? 'cap_period' then
      cap_room := greatest((p_rules ->> 'cap_period')::bigint - seen_given - coalesce((p_before ->> 'given')::bigint, 0), 0);
    end if;
  end if;
  if p_rules ? 'bonus_first' then
    is_first := p_before is null and not private.has_contract(p_side, p_payee_id, p_is_test);
  end if;
end
$function$;
grant execute on function private.standing_of(text,jsonb,uuid,uuid,boolean,jsonb) to parrain_service;

CREATE FUNCTION private.start_adjustment(p_payee_id uuid, p_amount numeric, p_reason text, p_seen_available numeric)
 RETURNS TABLE(dispute public.disputes, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  account record;
  d public.disputes;
begin
  if coalesce(btrim(p_reason), '') = '' then perform private.refuse('message_required'); end if;
  if p_seen_available is null then perform private.refuse('seen_required'); end if;
  select * into account from private.lock_account(p_payee_id);
  select * into d from public.disputes t where t.payee_id = p_payee_id and t.opened_by is not null order by t.created_at desc, t.id desc limit 1;
  if (account.available <> p_seen_available or d.closed_at is null) and d.opened_by = me and d.proposed = p_amount and d.adjustment_annulled_at is null
    and (d.closed_at is null or d.adjustment is not null)
    and btrim(p_reason) = (select m.body from public.dispute_messages m where m.dispute_id = d.id order by m.created_at, m.id limit 1) then
    return query select d, true;
    return;
  end if;
  if account.available <> p_seen_available then perform private.refuse('account_changed'); end if;
  if d.opened_by is not null and d.closed_at is null then perform private.refuse('debt_act_waits'); end if;
  perform private.check_adjustment(p_payee_id, p_amount);
  insert into public.disputes (payee_id, opened_by, proposed, is_test) values (p_payee_id, me, p_amount, account.is_test) returning * into d;
  if private.exceeds_one_admin(p_payee_id, p_amount) then
    insert into public.dispute_messages (dispute_id, author_id, body) values (d.id, me, btrim(p_reason));
    with written as (
      insert into public.notices (recipient_id, kind, dispute_id)
      select p.id, 'adjustment_to_confirm', d.id from public.profiles p
      where p.id = any (private.active_admins()) and p.id <> me order by p.id
      returning id)
    insert into private.notice_mails (notice_id) select w.id from written w;
  else
    update public.disputes t set version = t.version + 1, closed_at = private.now(), closed_by = me, adjustment = p_amount
      where t.id = d.id returning * into d;
    perform private.say_in_dispute(d, 'account_adjusted', p_reason);
  end if;
  perform private.append_audit('disputes', d.id, 'update', jsonb_build_object('adjustment', null),
    jsonb_strip_nulls(jsonb_build_object('adjustment', d.adjustment, 'proposed', d.proposed, 'payee_id', d.payee_id)), btrim(p_reason));
  return query select d, false;
end
$function$;
grant execute on function private.start_adjustment(uuid,numeric,text,numeric) to authenticated;

CREATE FUNCTION private.subscribe_phone(p_endpoint text, p_p256dh bytea, p_auth bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  session constant uuid := (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
begin
  delete from private.push_subscriptions p where p.endpoint = p_endpoint and p.session_id <> session
    and (p.profile_id = me or (p.p256dh = p_p256dh and p.auth = p_auth));
  insert into private.push_subscriptions as p (session_id, profile_id, endpoint, p256dh, auth)
  values (session, me, p_endpoint, p_p256dh, p_auth)
  on conflict (session_id) do update set endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth;
exception when unique_violation then
  perform private.refuse('invalid_input');
end
$function$;
grant execute on function private.subscribe_phone(text,bytea,bytea) to authenticated;

CREATE FUNCTION private.supplier_of(r private.received_invoices)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT s.siren FROM (SELECT private.seller_siren((supplier_of.r).data) AS siren) s WHERE ((s.siren IS NOT NULL) AND ((supplier_of.r).payee_id IS NULL) AND (NOT (EXISTS (SELECT FROM private.payee_details d WHERE (d.siren = s.siren)))) AND (NOT (EXISTS (SELECT FROM public.payee_ibans b WHERE (b.mark = ANY ((supplier_of.r).iban_marks)))))));

CREATE FUNCTION private.switch_e_invoicing(p_is_on boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s private.e_invoicing;
begin
  perform private.require_role('admin');
  select * into s from private.e_invoicing x for update;
  if not found then perform private.refuse('not_found'); end if;
  if s.is_on = p_is_on then return; end if;
  update private.e_invoicing x set is_on = p_is_on;
  perform private.audit_webhook('e_invoicing_on', case when s.is_on then private.host_of_url(s.flow_url) end,
    case when p_is_on then private.host_of_url(s.flow_url) end);
end
$function$;
grant execute on function private.switch_e_invoicing(boolean) to authenticated;

CREATE FUNCTION private.switch_webhook(p_id uuid, p_is_on boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  if p_is_on = (w.off_since is null) then return; end if;
  if p_is_on then
    update private.webhooks x set off_since = null, off_because = null, failures = 0, failing_since = null where x.id = w.id;
  else
    perform private.turn_webhook_off(w.id, 'admin');
  end if;
  perform private.audit_webhook('webhook_on', case when not p_is_on then private.host_of_url(w.url) end,
    case when p_is_on then private.host_of_url(w.url) end);
end
$function$;
grant execute on function private.switch_webhook(uuid,boolean) to authenticated;

CREATE FUNCTION private.system_figures()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mails jsonb;
  jobs jsonb;
  runs jsonb;
begin
  select jsonb_build_object(
      'queued', count(*) filter (where status = 'queued' and attempts = 0),
      'retried', count(*) filter (where status = 'queued' and attempts > 0),
      'sending', count(*) filter (where status = 'sending'),
      'failed', count(*) filter (where status = 'failed'),
      'oldest_waiting_at', min(created_at) filter (where status in ('queued', 'sending')),
      -- Tried to the end: the mail server was away, where a refusal for ever is its recipient's matter.
      'given_up_at', max(status_since) filter (where status = 'failed' and attempts >= 12),
      'last_error', (array_agg(last_error order by status_since desc) filter (where status in ('queued', 'failed') and last_error is not null))[1])
    into mails from private.mails where status <> 'accepted';
  select jsonb_build_object(
      'waiting', count(*) filter (where attempts < max_attempts and run_at <= now()),
      'retried', count(*) filter (where attempts < max_attempts and run_at > now() and attempts > 0),
      'failed', count(*) filter (where attempts >= max_attempts and locked_at is null),
      'oldest_waiting_at', min(run_at) filter (where attempts < max_attempts and run_at <= now() and locked_at is null))
    into jobs from graphile_worker.jobs;
  select coalesce(jsonb_object_agg(kind, run), '{}') into runs from (
    select kind, jsonb_build_object(
        'last', (select to_jsonb(r) from private.maintenance_runs r where r.kind = k.kind and r.finished_at is not null
          order by r.started_at desc limit 1),
        'last_success_at', (select max(r.finished_at) from private.maintenance_runs r where r.kind = k.kind and r.succeeded)) as run
    from unnest(array['backup', 'verification']) k(kind)) each_kind;
  return jsonb_build_object('mails', mails, 'jobs', jobs, 'runs', runs,
    'failing_webhooks', (select coalesce(jsonb_agg(distinct private.host_of_url(w.url)), '[]') from private.webhooks w
      where w.off_because in ('gone', 'failures')
        or w.off_since is null and w.failures >= 5 and w.failing_since < now() - interval '30 minutes'),
    'e_invoices', (select jsonb_build_object('failing_since', min(q.failing_since), 'last_error', (array_agg(q.words order by q.run_at desc))[1])
      from (select e.failing_since, e.words, e.run_at from private.e_invoices e where e.state = 'waiting'
        union all select s.failing_since, s.words, s.run_at from private.received_invoice_statuses s where s.state = 'waiting') q
      where q.failing_since is not null and exists (select from private.e_invoicing x where x.is_on)),
    -- pg_database_size asks for the right to connect, which only the server's login has.
    'database_bytes', (select sum(pg_total_relation_size(oid)) from pg_class where relkind in ('r', 'm')),
    'installed_at', (select min(applied_at) from private.migrations));
end
$function$;

CREATE FUNCTION private.system_state()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return private.system_figures() || jsonb_build_object(
    'alarms', private.open_alarms(),
    'webhooks', (select jsonb_build_object(
        'on', count(*) filter (where w.off_since is null),
        'off', coalesce(jsonb_agg(private.host_of_url(w.url) order by w.off_since) filter (where w.off_since is not null), '[]'),
        'waiting', (select count(*) from private.webhook_deliveries d where d.status = 'pending'),
        'oldest_waiting_at', (select min(d.created_at) from private.webhook_deliveries d where d.status = 'pending'))
      from private.webhooks w),
    'api_keys', (select jsonb_build_object('alive', count(*), 'last_used_at', max(k.last_used_at))
      from public.api_keys k where private.is_key_alive(k)),
    'postgres_version', current_setting('server_version'),
    'schema', (select jsonb_build_object('last', max(name), 'count', count(*), 'applied_at', max(applied_at)) from private.migrations),
    'failed_jobs', coalesce((select jsonb_agg(j order by j.failed_at desc) from (
      select task_identifier as task, count(*) as number, max(updated_at) as failed_at
      from graphile_worker.jobs where attempts >= max_attempts and locked_at is null group by 1 limit 50) j), '[]'),
    'tables', (select jsonb_agg(t order by t.bytes desc) from (
      select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid) as bytes,
        -- Negative before the first analyze.
        case when c.reltuples < 0 then pg_stat_get_live_tuples(c.oid) else c.reltuples::bigint end as number
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'auth', 'private', 'storage', 'figures') order by 2 desc limit 6) t));
end
$function$;
grant execute on function private.system_state() to authenticated;

CREATE FUNCTION private.take_received_invoice(p_received_id uuid, p_request_id uuid, p_payee_id uuid DEFAULT NULL::uuid, p_month date DEFAULT NULL::date)
 RETURNS public.payee_invoices
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v private.received_invoices;
  r public.payment_requests;
  i public.payee_invoices;
  seller uuid := p_payee_id;
begin
  select * into v from private.received_invoices t where t.id = p_received_id for update;
  if not found then perform private.refuse('not_found'); end if;
  if v.state <> 'listed' then perform private.refuse('invoice_too_late'); end if;
  if p_month is null then
    select * into r from public.payment_requests t where t.id = p_request_id for update;
    if not found then perform private.refuse('request_not_found'); end if;
    seller := r.client_id;
  else
    -- As whoever sends, decides or pays it: another may have come meanwhile.
    perform 1 from public.profiles p where p.id = seller for no key update;
    perform 1 from public.balances b where b.profile_id = seller for update;
  end if;
  if v.is_credit or v.data is null or r.is_test or exists (select from private.payee_details d where d.payee_id = seller
      and (d.siren <> coalesce(v.data ->> 'sellerSiren', d.siren)
        or coalesce(v.data ->> 'sellerVat', '') like 'FR%' and d.siren <> substr(v.data ->> 'sellerVat', 5))) then
    perform private.refuse('invoice_not_offered');
  end if;
  if p_month is null and not exists (select from private.requests_to_invoice(seller) q where q.id = r.id)
      or p_month is not null and not exists (select from private.months_to_invoice(seller) m where m.month = p_month) then
    perform private.refuse('invoice_too_late');
  end if;
  if (v.data ->> 'currency', coalesce(v.data ->> 'due', v.data ->> 'total')) is distinct from ('EUR', v.data ->> 'total') then
    perform private.refuse('invoice_mismatch');
  end if;
  select k.* into i from private.received_invoice_files f, private.keep_payee_invoice(seller, r.id, v.data ->> 'number',
      (v.data ->> 'day')::date, (v.data ->> 'amount')::numeric, coalesce((v.data ->> 'vat')::numeric, 0), (v.data ->> 'total')::numeric,
      v.name, f.bytes, 'receive_invoice', p_month) k
    where f.received_id = v.id;
  if i.id is null then perform private.refuse('not_found'); end if;
  update private.received_invoices t set state = 'matched', invoice_id = i.id, payee_id = seller, reason = null where t.id = v.id;
  return i;
end
$function$;

CREATE FUNCTION private.take_token(p_bucket text, p_capacity double precision, p_per_seconds double precision)
 RETURNS double precision
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO private.rate_limits AS r (bucket, tokens, refilled_at)
   VALUES (take_token.p_bucket, (take_token.p_capacity - (1)::double precision), clock_timestamp()) ON CONFLICT(bucket) DO UPDATE SET tokens = (LEAST(take_token.p_capacity, ((r.tokens + (((r.tokens < (0)::double precision))::integer)::double precision) + (((EXTRACT(epoch FROM (clock_timestamp() - r.refilled_at)))::double precision * take_token.p_capacity) / take_token.p_per_seconds))) - (1)::double precision), refilled_at = clock_timestamp()
   RETURNING
         CASE
             WHEN (r.tokens >= (0)::double precision) THEN (0)::double precision
             ELSE (((- r.tokens) * take_token.p_per_seconds) / take_token.p_capacity)
         END AS "case";
END;

CREATE FUNCTION private.tell(p_kind text, p_recipients uuid[], p_sale_id uuid, p_request_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_past constant boolean := coalesce(current_setting('app.at', true), '') <> '';
begin
  with written as (
    insert into public.notices (recipient_id, kind, sale_id, request_id, read_at)
    select p.id, p_kind, p_sale_id, p_request_id,
      case when p.id = private.uid() or is_past and private.now() < now() - interval '3 days' then private.now() end
    from public.profiles p where p.id = any ((select p_recipients)::uuid[]) and p.deactivated_at is null
    order by p.id
    on conflict do nothing
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w where not is_past;
end
$function$;

CREATE FUNCTION private.tell_commercial_given()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.notices n set read_at = private.now() where n.id in (
    select o.id from public.notices o
    where o.client_id = new.id and o.read_at is null and o.kind in ('client_alone', 'commercial_asked')
    for update skip locked);
  delete from private.commercial_wishes w where w.client_id = new.id;
  perform private.tell_of_client('client_received', array[new.commercial_id], new.id);
  perform private.tell_of_client('commercial_given', array[new.id], new.id);
  return null;
end
$function$;

CREATE FUNCTION private.tell_follow_ups(p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_days integer;
  v_admin_days integer;
  v_step text;
  v_after integer;
  due record;
  told integer := 0;
begin
  select c.follow_up_days, c.follow_up_days + c.follow_up_admin_days into v_days, v_admin_days from public.company_settings c;
  foreach v_step in array array['commercial', 'admin'] loop
    v_after := case v_step when 'commercial' then v_days else v_admin_days end;
    continue when v_after is null;
    for due in
      with late as (
        select s.id, s.commercial_id from public.sales s
        where s.status = 'pending' and not s.ready_for_validation and s.corrects_sale_id is null and s.commercial_id is not null
          and s.created_at <= now() - make_interval(days => v_after)
          and s.created_at > now() - make_interval(days => v_after + 30)
          and not exists (select from private.reminders r where r.sale_id = s.id and r.step = v_step)
        order by s.created_at limit p_most),
      marked as (
        insert into private.reminders (sale_id, step) select l.id, v_step from late l on conflict do nothing returning sale_id)
      select l.* from late l join marked m on m.sale_id = l.id order by l.id
    loop
      told := told + 1;
      if v_step = 'commercial' then
        perform private.tell('referral_late', array[due.commercial_id], due.id, null);
      else
        perform private.tell('referral_still_late', private.active_admins(), due.id, null);
      end if;
    end loop;
  end loop;
  for due in
    with due_today as (
      select f.sale_id, s.commercial_id from public.follow_ups f join public.sales s on s.id = f.sale_id
      where f.call_back_on <= private.today() and (f.reminded_on is null or f.reminded_on < f.call_back_on)
        and s.commercial_id is not null and private.is_open(s)
      order by f.call_back_on limit p_most for update of f skip locked),
    marked as (
      update public.follow_ups f set reminded_on = private.today() from due_today d where f.sale_id = d.sale_id returning f.sale_id)
    select d.* from due_today d join marked m on m.sale_id = d.sale_id order by d.sale_id
  loop
    told := told + 1;
    perform private.tell('call_back_due', array[due.commercial_id], due.sale_id, null);
  end loop;
  return told;
end
$function$;

CREATE FUNCTION private.tell_friend_said_no(p_sale_id uuid, p_commercial_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.tell('friend_said_no', case when p_commercial_id is not null then array[p_commercial_id]
    else array(select p.id from public.profiles p where p.role = 'admin' and p.deactivated_at is null) end, p_sale_id, null);
end
$function$;

CREATE FUNCTION private.tell_import()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE FUNCTION private.tell_new_rules()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.changes (table_name, operation, key) select 'company_settings', 'UPDATE', c.id from public.company_settings c;
  return null;
end
$function$;

CREATE FUNCTION private.tell_of_client(p_kind text, p_recipients uuid[], p_client_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with written as (
    insert into public.notices (recipient_id, kind, client_id, read_at)
    select p.id, p_kind, p_client_id, case when p.id = private.uid() then private.now() end
    from public.profiles p where p.id = any ((select p_recipients)::uuid[]) and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.tell_of_debt_act(p_kind text, p_act public.debt_acts)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with written as (
    insert into public.notices (recipient_id, kind, debt_act_id)
    select p.id, p_kind, p_act.id from public.profiles p
    where p.id = any (case p_kind when 'waiver_to_confirm' then private.active_admins() else array[p_act.payee_id] end)
      and p.id <> private.uid() and p.deactivated_at is null
    order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.tell_of_invoice(p_kind text, p_recipients uuid[], p_invoice_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.notices n set read_at = private.now() where n.id in (
    select o.id from public.notices o where o.invoice_id = p_invoice_id and o.read_at is null and o.kind <> 'invoice_accepted' for update skip locked);
  with written as (
    insert into public.notices (recipient_id, kind, invoice_id)
    select p.id, p_kind, p_invoice_id from public.profiles p where p.id = any (p_recipients) and p.deactivated_at is null order by p.id
    returning id)
  insert into private.notice_mails (notice_id) select w.id from written w;
end
$function$;

CREATE FUNCTION private.tell_of_month(p_kind text, p_line_id uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH written AS (
          INSERT INTO public.notices (recipient_id, kind, line_id)  SELECT p.id,
                     tell_of_month.p_kind AS p_kind,
                     l.id
                    FROM (public.payment_batch_lines l
                      JOIN public.profiles p ON ((p.id = l.payee_id)))
                   WHERE ((l.id = tell_of_month.p_line_id) AND (p.deactivated_at IS NULL))
           RETURNING notices.id
         )
  INSERT INTO private.notice_mails (notice_id)  SELECT w.id
            FROM written w;
END;

CREATE FUNCTION private.tell_person()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person constant uuid := to_jsonb(new) ->> tg_argv[0];
begin
  insert into private.changes (table_name, operation, key, audience) values ('profiles', 'UPDATE', v_person, array[v_person]);
  return null;
end
$function$;

CREATE FUNCTION private.tell_request_move()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.tell('payment_received', array[new.client_id], null, new.id);
    perform private.tell('payment_to_decide', private.active_admins(), null, new.id);
  else
    if new.status <> 'pending' then
      perform private.end_notices(array['payment_to_decide'], null, new.id, null);
    end if;
    perform private.tell(case new.status when 'pending' then 'payment_annulled' when 'rejected' then 'payment_refused'
      else 'payment_' || new.status end, array[new.client_id], null, new.id);
  end if;
  return null;
end
$function$;

CREATE FUNCTION private.tell_sale_move()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting constant text[] := array['awaiting_final_validation', 'awaiting_admin_validation'];
  referrer uuid := coalesce(new.friend_referrer_id, new.client_referrer_id);
  before text := case when tg_op = 'UPDATE' then private.sale_state(old.status, old.ready_for_validation, old.admin_validated, old.corrects_sale_id) end;
  after text := private.sale_state(new.status, new.ready_for_validation, new.admin_validated, new.corrects_sale_id);
begin
  if before = after then return null; end if;
  if before = any (awaiting) and not after = any (awaiting) then
    perform private.end_notices(array['contract_to_validate'], new.id, null, null);
  elsif before is not null then
    perform private.end_notices(array['referral_received', 'referral_late', 'referral_still_late', 'call_back_due', 'news_asked',
      'correction_asked'], new.id, null, null);
  end if;
  case
    when after = 'correction' then
      perform private.tell('contract_annulled', array[referrer, new.commercial_id], new.id, null);
    when after = 'pending' and before is null then
      perform private.tell('referral_received', array[new.commercial_id], new.id, null);
    when after = 'contacted' then
      perform private.tell('referral_contacted', array[referrer], new.id, null);
    when after = 'in_negotiation' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('correction_asked', array[new.commercial_id], new.id, null);
    when after = 'in_negotiation' then
      perform private.tell('referral_in_negotiation', array[referrer], new.id, null);
    when after = any (awaiting) and not coalesce(before = any (awaiting), false) then
      -- Signed again, once it is corrected, it is no news.
      if not exists (select from public.correction_requests r where r.sale_id = new.id) then
        perform private.tell('referral_signed', array[referrer], new.id, null);
      end if;
      perform private.tell('contract_to_validate', private.active_admins(), new.id, null);
    when after = 'validated' then
      perform private.tell('contract_validated', array[referrer, new.commercial_id], new.id, null);
    when after = 'rejected' and before = any (awaiting) and private.user_role() = 'admin' then
      perform private.tell('contract_refused', array[referrer, new.commercial_id], new.id, null);
    -- Of a friend who asked to be forgotten, nothing is told.
    when after = 'rejected' and before is not null
      and not (num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0
        and num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0) then
      perform private.tell('referral_refused', array[referrer], new.id, null);
    else null;
  end case;
  return null;
end
$function$;

CREATE FUNCTION private.terms_pattern(p_pattern text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(regexp_replace(p_pattern, '(\\.)|_'::text, '\1%'::text, 'g'::text));
grant execute on function private.terms_pattern(text) to authenticated;
grant execute on function private.terms_pattern(text) to parrain_service;
grant execute on function private.terms_pattern(text) to service_role;

CREATE FUNCTION private.test_webhook(p_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
  made uuid;
begin
  insert into private.webhook_deliveries (webhook_id, type, stream_id, data, is_single_try)
    values (w.id, 'webhook.test', w.id, '{}', true) returning id into made;
  return made;
end
$function$;
grant execute on function private.test_webhook(uuid) to authenticated;

CREATE FUNCTION private.today()
 RETURNS date
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((private.now() AT TIME ZONE 'Europe/Paris'::text))::date;
grant execute on function private.today() to parrain_service;

CREATE FUNCTION private.today_rank(s public.sales, p_call_back_on date, p_follow_up_days integer, p_is_to_correct boolean)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (((s).corrects_sale_id IS NOT NULL) OR (s).ready_for_validation OR ((s).status <> ALL (ARRAY['pending'::text, 'contacted'::text, 'in_negotiation'::text])) OR (p_call_back_on > ((now() AT TIME ZONE 'Europe/Paris'::text))::date)) THEN NULL::integer WHEN (((s).status = 'pending'::text) AND ((s).created_at <= (now() - make_interval(hours => (24 * p_follow_up_days))))) THEN 1 WHEN ((p_call_back_on IS NOT NULL) OR p_is_to_correct) THEN 2 WHEN ((s).status = 'pending'::text) THEN CASE WHEN ((s).created_at > (now() - '72:00:00'::interval)) THEN 3 ELSE 4 END ELSE NULL::integer END;
grant execute on function private.today_rank(public.sales,date,integer,boolean) to authenticated;
grant execute on function private.today_rank(public.sales,date,integer,boolean) to service_role;

CREATE FUNCTION private.try_mail_again(p_mail uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  template text;
begin
  perform private.require_role('admin');
  update private.mails m set status = 'queued', status_since = now(), attempts = 0
    where m.id = p_mail and m.may_be_sent_again returning m.template into template;
  if not found then return false; end if;
  perform graphile_worker.add_job('send_mail', json_build_object('id', p_mail), max_attempts => 12);
  -- The trail holds no personal data: to whom stands in the record, as long as that is kept.
  perform private.append_audit('mails', p_mail, 'send_again', null, jsonb_build_object('template', template), null);
  return true;
end
$function$;
grant execute on function private.try_mail_again(uuid) to authenticated;

CREATE FUNCTION private.turn_webhook_off(p_id uuid, p_because text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE private.webhooks w SET off_since = now(), off_because = turn_webhook_off.p_because
   WHERE ((w.id = turn_webhook_off.p_id) AND (w.off_since IS NULL));
 UPDATE private.webhook_deliveries d SET status = 'dropped'::text
   WHERE ((d.webhook_id = turn_webhook_off.p_id) AND (d.status = 'pending'::text) AND (NOT d.is_single_try));
END;

CREATE FUNCTION private.uid()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.user_id'::text, true), ''::text))::uuid;
grant execute on function private.uid() to anon;
grant execute on function private.uid() to api_key;
grant execute on function private.uid() to authenticated;
grant execute on function private.uid() to parrain_service;
grant execute on function private.uid() to service_role;

CREATE FUNCTION private.undo_import(p_import uuid, p_after uuid DEFAULT NULL::uuid)
 RETURNS TABLE(removed integer, kept integer, looked_at uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  v_import private.imports;
  v_looked_at uuid[];
  v_gone uuid[];
begin
  select * into v_import from private.imports i
    where i.id = p_import and i.written_at is not null and (private.user_role() = 'admin' or i.made_by = me) for update;
  if not found then perform private.refuse('import_not_found'); end if;
  if v_import.kind = 'referrals' then
    return query select u.removed, u.kept, null::uuid from private.undo_imported_referrals(p_import) u;
    return;
  end if;
  -- A validation, a sign-in or a change of the same instant is waited for, then seen.
  v_looked_at := array(
    select p.id from public.profiles p join private.imported_rows r on r.profile_id = p.id
    where r.import_id = p_import and (p_after is null or p.id > p_after) order by p.id limit 1000 for update of p);
  update private.imported_rows r set left_because = case
      when u.last_sign_in_at is not null or u.email_proven_at is not null then 'signed_in'
      when exists (select from public.commission_payments c where c.recipient_id = p.id)
        or exists (select from public.payment_requests q where q.client_id = p.id)
        or exists (select from public.ledger_entries l where l.payee_id = p.id)
        or exists (select from public.disputes d where d.payee_id = p.id)
        or exists (select from private.payee_details y where y.payee_id = p.id) then 'money'
      when exists (select from public.sales s where s.friend_referrer_id = p.id)
        or exists (select from public.sales s where s.client_referrer_id = p.id) then 'referral'
      when p.updated_at > v_import.written_at then 'changed' end
    from public.profiles p join auth.users u on u.id = p.id
    where r.import_id = p_import and r.profile_id = any (v_looked_at) and p.id = r.profile_id;
  v_gone := array(
    select r.profile_id from private.imported_rows r
    where r.import_id = p_import and r.profile_id = any (v_looked_at) and r.left_because is null);
  perform private.append_audits('profiles', 'delete', array(
    select to_jsonb(p) from public.profiles p where p.id = any (v_gone) order by p.id));
  update private.mails m set recipient = null, sealed = case when m.status <> 'failed' then m.sealed end
    where m.recipient in (select p.email from public.profiles p where p.id = any (v_gone));
  -- A password that opens nothing is not mailed.
  update private.mails m set status = 'withdrawn', status_since = now(), sealed = null
    where m.status = 'queued' and m.id in (select u.invitation_mail_id from auth.users u where u.id = any (v_gone));
  perform set_config('app.importing', 'on', true);
  delete from figures.referrer_totals t where t.referrer_id = any (v_gone);
  delete from public.profiles p where p.id = any (v_gone);
  delete from auth.users u where u.id = any (v_gone);
  perform set_config('app.importing', '', true);
  perform private.add_to_company('clients', -cardinality(v_gone), 0);
  perform private.add_to_company('role_client', -cardinality(v_gone), 0);
  update private.imports i set undone_at = private.now(), removed = i.removed + cardinality(v_gone) where i.id = p_import;
  return query select cardinality(v_gone), (select count(*)::integer from private.imported_rows r where r.import_id = p_import),
    v_looked_at[cardinality(v_looked_at)];
end
$function$;
grant execute on function private.undo_import(uuid,uuid) to authenticated;

CREATE FUNCTION private.undo_imported_referrals(p_import uuid)
 RETURNS TABLE(removed integer, kept integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE FUNCTION private.undo_sale_status(p_sale_id uuid, p_seen_version integer)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  moved_at timestamptz;
  before jsonb;
  noted private.former_follow_ups;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  moved_at := sale.updated_at;
  select e.before into before from public.audit_entries e
    where e.entity = 'sales' and e.entity_id = sale.id and e.actor_id = me and e.action = 'update'
      and (e.after ->> 'version')::integer = p_seen_version and e.before ?| array['status', 'ready_for_validation']
    order by e.id desc limit 1;
  if sale.version is distinct from p_seen_version or before is null or sale.status = 'validated' or sale.admin_validated
    or moved_at < private.now() - private.undo_window() then
    perform private.refuse('sale_move_final');
  end if;
  -- The columns that a move writes; the version goes on.
  sale := jsonb_populate_record(sale, before);
  update public.sales s set
    status = sale.status,
    ready_for_validation = sale.ready_for_validation,
    contacted_at = sale.contacted_at,
    negotiated_at = sale.negotiated_at,
    signed_at = sale.signed_at,
    rejection_reason = sale.rejection_reason,
    contract_amount = sale.contract_amount,
    contract_description = sale.contract_description,
    commercial_notes = sale.commercial_notes,
    commission_rate = sale.commission_rate,
    client_commission_type = sale.client_commission_type,
    client_commission_rate = sale.client_commission_rate,
    commercial_commission_type = sale.commercial_commission_type,
    commercial_commission_rate = sale.commercial_commission_rate,
    client_commission_amount = sale.client_commission_amount,
    commercial_commission_amount = sale.commercial_commission_amount
    where s.id = sale.id returning * into sale;
  -- The day and the private note of that same save; not those that were written since.
  delete from private.former_follow_ups o where o.sale_id = sale.id and o.version = p_seen_version returning * into noted;
  if noted.sale_id is not null
    and not exists (select from public.follow_ups f where f.sale_id = sale.id and f.updated_at > moved_at) then
    delete from public.follow_ups f where f.sale_id = sale.id;
    insert into public.follow_ups (sale_id, private_note, call_back_on, reminded_on)
      select sale.id, noted.private_note, noted.call_back_on, noted.reminded_on
      where num_nonnulls(noted.private_note, noted.call_back_on) > 0;
  end if;
  -- What is written in one transaction carries its instant: what the move had ended is to be done again, and news of it
  -- and of the way back are gone.
  update public.notices n set read_at = null where n.sale_id = sale.id and n.read_at = moved_at;
  delete from public.notices n where n.sale_id = sale.id and n.created_at in (moved_at, sale.updated_at);
  return sale;
end
$function$;
grant execute on function private.undo_sale_status(uuid,integer) to authenticated;

CREATE FUNCTION private.undo_window()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '00:00:30'::interval;
grant execute on function private.undo_window() to parrain_service;

CREATE FUNCTION private.unmark_all_notices(p_read_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  changed integer;
begin
  update public.notices n set read_at = null where n.recipient_id = me and n.read_at = p_read_at;
  get diagnostics changed = row_count;
  return changed;
end
$function$;
grant execute on function private.unmark_all_notices(timestamp with time zone) to authenticated;

CREATE FUNCTION private.unsubscribe_phone()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
begin
  delete from private.push_subscriptions p where p.profile_id = me
    and p.session_id = (current_setting('request.jwt.claims')::jsonb ->> 'session_id')::uuid;
end
$function$;
grant execute on function private.unsubscribe_phone() to authenticated;

CREATE FUNCTION private.update_client(p_id uuid, p_full_name text, p_phone text, p_company text, p_notes text, p_commercial_id uuid)
 RETURNS public.profiles
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial');
  client public.profiles;
begin
  select * into client from public.profiles p where p.id = p_id and p.role = 'client'
    and (private.user_role() = 'admin' or p.commercial_id = me) for update;
  if not found then perform private.refuse('client_not_found'); end if;
  if private.user_role() = 'admin' and p_commercial_id is not null and p_commercial_id is distinct from client.commercial_id then
    perform private.hand_over_client(client, p_commercial_id, null);
  end if;
  update public.profiles p set full_name = btrim(p_full_name), phone = nullif(btrim(p_phone), ''), company = nullif(btrim(p_company), ''),
    notes = nullif(btrim(p_notes), '')
    where p.id = p_id returning * into client;
  return client;
end
$function$;
grant execute on function private.update_client(uuid,text,text,text,text,uuid) to authenticated;

CREATE FUNCTION private.update_company_name(p_name text)
 RETURNS public.company_settings
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  settings public.company_settings;
begin
  update public.company_settings c set company_name = btrim(p_name), updated_at = now() returning * into settings;
  return settings;
end
$function$;
grant execute on function private.update_company_name(text) to authenticated;

CREATE FUNCTION private.update_sale_status(p_sale_id uuid, p_status text, p_contract_amount numeric, p_contract_description text, p_commercial_notes text, p_emptied text[] DEFAULT '{}'::text[])
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  sale := private.move_sale(sale, p_status, p_contract_amount, p_contract_description, p_commercial_notes, p_emptied);
  delete from private.former_follow_ups o where o.sale_id in (
    select x.sale_id from private.former_follow_ups x where x.kept_at < private.now() - private.undo_window() for update skip locked);
  insert into private.former_follow_ups as o (sale_id, version, private_note, call_back_on, reminded_on)
    select sale.id, sale.version, f.private_note, f.call_back_on, f.reminded_on
    from (values (1)) one left join public.follow_ups f on f.sale_id = sale.id
  on conflict (sale_id) do update set version = excluded.version, private_note = excluded.private_note,
    call_back_on = excluded.call_back_on, reminded_on = excluded.reminded_on, kept_at = excluded.kept_at;
  return sale;
end
$function$;
grant execute on function private.update_sale_status(uuid,text,numeric,text,text,text[]) to authenticated;

CREATE FUNCTION private.update_webhook(p_id uuid, p_url text, p_description text, p_events text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w constant private.webhooks := private.lock_webhook(p_id);
begin
  if w.url <> p_url and not private.is_session_fresh() then perform private.refuse('reauthentication_required'); end if;
  update private.webhooks x set url = p_url, description = nullif(btrim(p_description), ''), events = p_events where x.id = w.id;
  perform private.audit_webhook('webhook', private.host_of_url(w.url), private.host_of_url(p_url));
end
$function$;
grant execute on function private.update_webhook(uuid,text,text,text[]) to authenticated;

CREATE FUNCTION private.user_role()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('app.user_role'::text, true), ''::text);
grant execute on function private.user_role() to anon;
grant execute on function private.user_role() to api_key;
grant execute on function private.user_role() to authenticated;
grant execute on function private.user_role() to parrain_service;
grant execute on function private.user_role() to service_role;

CREATE FUNCTION private.validate_sale(p_sale_id uuid, p_commission_rate_id uuid, p_seen_version integer, p_expected_contract_amount numeric, p_expected_client_commission numeric, p_expected_commercial_commission numeric, p_scale_version_id uuid DEFAULT NULL::uuid, p_version_reason text DEFAULT NULL::text)
 RETURNS TABLE(sale public.sales, already boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
  s public.sales;
  scale public.commission_rates;
  v public.scale_versions;
  why text;
  client_rate numeric;
  commercial_rate numeric;
  beneficiary uuid;
  for_client numeric;
  for_commercial numeric;
  by_client_rules boolean;
  by_commercial_rules boolean;
  client_stands record;
  commercial_stands record;
begin
  if num_nulls(p_seen_version, p_expected_contract_amount, p_expected_client_commission, p_expected_commercial_commission) > 0 then
    perform private.refuse('seen_required');
  end if;
  select * into s from public.sales t where t.id = p_sale_id for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if s.admin_validated then
    -- The same decision again is the same answer; another one, of an admin who saw other amounts, is told that it came too late.
    if s.corrects_sale_id is not null or p_commission_rate_id <> s.commission_rate
      or p_expected_contract_amount <> s.contract_amount
      or p_expected_client_commission <> s.client_commission_amount
      or p_expected_commercial_commission <> s.commercial_commission_amount
      or p_scale_version_id <> (select t.version_id from public.sale_terms t where t.sale_id = s.id) then
      perform private.refuse('sale_already_decided');
    end if;
    return query select s, true;
    return;
  end if;
  if s.status = 'rejected' then perform private.refuse('sale_already_decided'); end if;
  if not s.ready_for_validation then perform private.refuse('sale_not_ready'); end if;
  if s.commercial_id is null then perform private.refuse('sale_without_commercial'); end if;
  beneficiary := coalesce(s.friend_referrer_id, s.client_referrer_id);
  if me in (s.friend_referrer_id, s.client_referrer_id, s.commercial_id) then perform private.refuse('self_validation'); end if;
  scale := private.scale_for(p_commission_rate_id, s.commission_rate);
  if scale.id is null then perform private.refuse('scale_not_found'); end if;
  perform private.hold_versions(false);
  v := private.scale_version_on(scale.id, private.today());
  if p_scale_version_id <> v.id then
    why := nullif(btrim(p_version_reason), '');
    if why is null then perform private.refuse('version_reason_required'); end if;
    select * into v from public.scale_versions o
      where o.id = p_scale_version_id and o.rate_id = scale.id and o.withdrawn_at is null;
    if not found then perform private.refuse('scale_not_found'); end if;
  elsif (v.rules ->> 'last_day')::date < private.today() then
    perform private.refuse('scale_is_over');
  end if;
  client_rate := (v.rules #>> '{client,value}')::numeric / 100;
  commercial_rate := (v.rules #>> '{commercial,value}')::numeric / 100;
  by_client_rules := beneficiary is not null and private.has_rules(v.rules -> 'client');
  by_commercial_rules := private.has_rules(v.rules -> 'commercial');
  -- SC-02: what was validated meanwhile of the same payees counts, each contract at its own place.
  if by_client_rules or by_commercial_rules then
    perform private.lock_balances(array_remove(array[beneficiary, s.commercial_id], null));
  end if;
  if by_client_rules then
    client_stands := private.standing_of('client', v.rules -> 'client', beneficiary, scale.id, s.is_test, null);
    for_client := private.earned(v.rules -> 'client', s.contract_amount, client_stands.position, client_stands.is_first, client_stands.cap_room);
  else
    for_client := case when beneficiary is null then 0
      else private.commission(v.rules #>> '{client,kind}', client_rate, s.contract_amount) end;
  end if;
  if by_commercial_rules then
    commercial_stands := private.standing_of('commercial', v.rules -> 'commercial', s.commercial_id, scale.id, s.is_test, null);
    for_commercial := private.earned(v.rules -> 'commercial', s.contract_amount, commercial_stands.position, commercial_stands.is_first,
      commercial_stands.cap_room);
  else
    for_commercial := private.commission(v.rules #>> '{commercial,kind}', commercial_rate, s.contract_amount);
  end if;
  if p_seen_version <> s.version
    or p_expected_contract_amount <> s.contract_amount
    or p_expected_client_commission <> for_client
    or p_expected_commercial_commission <> for_commercial then
    perform private.refuse('sale_changed');
  end if;

  -- The reason of another version than the day's is that of the sale's own entry in the trail.
  if why is not null then perform set_config('app.correction_asked', why, true); end if;
  update public.sales t set
    status = 'validated', admin_validated = true, validated_at = private.now(), validated_by = me, commission_rate = scale.id,
    client_commission_type = v.rules #>> '{client,kind}', client_commission_rate = client_rate,
    commercial_commission_type = v.rules #>> '{commercial,kind}', commercial_commission_rate = commercial_rate,
    client_commission_amount = for_client, commercial_commission_amount = for_commercial
    where t.id = s.id returning * into s;
  if why is not null then perform set_config('app.correction_asked', '', true); end if;
  -- Before the commissions, which are kept for as long as this version says.
  insert into public.sale_terms (sale_id, version_id, number, first_day, chosen_reason) values (s.id, v.id, v.number, v.first_day, why);
  if by_client_rules then
    insert into public.commission_terms (sale_id, type, rules, position, window_key, is_first, cap_room)
    values (s.id, 'client', v.rules -> 'client', client_stands.position, client_stands.window_key, client_stands.is_first, client_stands.cap_room);
  end if;
  if by_commercial_rules then
    insert into public.commission_terms (sale_id, type, rules, position, window_key, is_first, cap_room)
    values (s.id, 'commercial', v.rules -> 'commercial', commercial_stands.position, commercial_stands.window_key, commercial_stands.is_first,
      commercial_stands.cap_room);
  end if;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select s.id, r.recipient_id, r.type, r.amount
  from (values (beneficiary, 'client', for_client), (s.commercial_id, 'commercial', for_commercial)) r (recipient_id, type, amount)
  where r.recipient_id is not null
  -- Balances are locked in the order of their owners, so that two validations never wait for each other.
  order by r.recipient_id;
  return query select s, false;
end
$function$;
grant execute on function private.validate_sale(uuid,uuid,integer,numeric,numeric,numeric,uuid,text) to authenticated;

CREATE FUNCTION private.validated_in(p_from date, p_to date)
 RETURNS TABLE(month date, commercial_id uuid, commission_rate uuid, contracts bigint, revenue numeric, client_commission numeric, commercial_commission numeric)
 LANGUAGE sql
 STABLE
AS $function$
  select m.month, m.commercial_id, m.commission_rate, m.contracts, m.revenue, m.client_commission, m.commercial_commission
  from figures.validated_months m where m.month >= p_from and m.month < p_to
  union all
  select private.month_of(p.created_at), s.commercial_id, s.commission_rate, sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end)::bigint, sum(s.contract_amount),
    sum(s.client_commission_amount), sum(s.commercial_commission_amount)
  from public.commission_payments p
  join public.sales s on s.id = p.sale_id
  where p.type = 'commercial' and p.created_at < private.month_start(p_to)
    and p.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
  group by 1, 2, 3
$function$;
grant execute on function private.validated_in(date,date) to authenticated;
grant execute on function private.validated_in(date,date) to parrain_service;
grant execute on function private.validated_in(date,date) to service_role;

CREATE FUNCTION private.vat_mandate(p_payee_id uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT m.id FROM (private.mandates m JOIN private.payee_details d ON ((d.payee_id = m.payee_id))) WHERE ((m.id = private.mandate_in_force(vat_mandate.p_payee_id)) AND (m.vat_number IS NOT NULL) AND (d.vat_accepted_at IS NOT NULL)));

CREATE FUNCTION private.vat_of(p_amount numeric, p_rate numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN round(((p_amount * p_rate) / (100)::numeric), 2);
grant execute on function private.vat_of(numeric,numeric) to authenticated;
grant execute on function private.vat_of(numeric,numeric) to parrain_service;
grant execute on function private.vat_of(numeric,numeric) to service_role;

CREATE FUNCTION private.vat_on_paper(p_amount numeric, p_rate numeric, p_vat numeric, m private.mandates)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN (p_vat IS NULL) THEN '{}'::jsonb ELSE jsonb_build_object('vat', jsonb_build_object('base', (p_amount)::text, 'rate', (p_rate)::text, 'amount', (p_vat)::text, 'seller', (m).seller, 'numbers', jsonb_build_object('siren', (m).payee_siren, 'vat_number', (m).vat_number))) END;
grant execute on function private.vat_on_paper(numeric,numeric,numeric,private.mandates) to parrain_service;

CREATE FUNCTION private.vat_rate_of(p_payee_id uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN CASE WHEN (private.vat_mandate(p_payee_id) IS NOT NULL) THEN private.vat_rate_on(private.today()) ELSE NULL::numeric END;
grant execute on function private.vat_rate_of(uuid) to authenticated;
grant execute on function private.vat_rate_of(uuid) to service_role;

CREATE FUNCTION private.vat_rate_on(p_day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN (p_day >= '2014-01-01'::date) THEN 20.00 ELSE NULL::numeric END;
grant execute on function private.vat_rate_on(date) to parrain_service;

CREATE FUNCTION private.waiting_controls()
 RETURNS TABLE(id uuid, control text, value jsonb, asked_at timestamp with time zone, due_at timestamp with time zone, asked_by_name text, is_own boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  return query select c.id, c.control, c.value, c.asked_at, c.due_at, p.full_name, c.asked_by is not distinct from me
    from private.control_changes c left join public.profiles p on p.id = c.asked_by
    where c.outcome is null order by c.asked_at;
end
$function$;
grant execute on function private.waiting_controls() to authenticated;

CREATE FUNCTION private.webhook_log(p_id uuid, p_before bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'number', d.number, 'type', d.type, 'object_id', d.object_id,
      'status', d.status, 'attempts', d.attempts, 'created_at', d.created_at,
      'run_at', case when d.status = 'pending' then d.run_at end, 'answered_at', d.answered_at, 'answer_status', d.answer_status,
      'answer', d.answer, 'error', d.error, 'took_ms', d.took_ms) order by d.number desc)
    from (select * from private.webhook_deliveries x where x.webhook_id = p_id and (p_before is null or x.number < p_before)
      order by x.number desc limit 50) d), '[]');
end
$function$;
grant execute on function private.webhook_log(uuid,bigint) to authenticated;

CREATE FUNCTION private.webhooks_shown()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return coalesce((select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url, 'description', w.description, 'events', w.events,
      'created_at', w.created_at, 'off_since', w.off_since, 'off_because', w.off_because,
      'failing_since', w.failing_since, 'failures', w.failures,
      'former_secret_until', case when w.former_secret_until > now() then w.former_secret_until end,
      'waiting', (select count(*) from private.webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending'))
    order by w.created_at, w.id) from private.webhooks w), '[]');
end
$function$;
grant execute on function private.webhooks_shown() to authenticated;

CREATE FUNCTION private.weighing_cases(p_sale_id uuid, p_request_id uuid, p_payee_ids uuid[])
 RETURNS TABLE(case_id uuid, case_status text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT c.id,
     c.status
    FROM public.doubtful_cases c
   WHERE ((c.status <> 'cleared'::text) AND ((c.sale_id = weighing_cases.p_sale_id) OR (c.request_id = weighing_cases.p_request_id) OR ((c.payee_id = ANY (weighing_cases.p_payee_ids)) AND (c.sale_id IS NULL) AND (c.request_id IS NULL))));
END;
grant execute on function private.weighing_cases(uuid,uuid,uuid[]) to authenticated;
grant execute on function private.weighing_cases(uuid,uuid,uuid[]) to service_role;

CREATE FUNCTION private.what_holds_test_data()
 RETURNS TABLE(kind text, number bigint, examples text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH leaving AS (
          SELECT p.id
            FROM public.profiles p
           WHERE (p.is_test AND (p.role <> 'admin'::text))
         ), held(kind, name) AS (
          SELECT 'clients'::text AS "?column?",
             p.full_name
            FROM public.profiles p
           WHERE ((NOT p.is_test) AND (p.commercial_id IN ( SELECT l.id
                    FROM leaving l)))
         UNION ALL
          SELECT 'sales'::text,
             s.referred_contact_name
            FROM public.sales s
           WHERE ((NOT s.is_test) AND ((s.commercial_id IN ( SELECT l.id
                    FROM leaving l)) OR (s.friend_referrer_id IN ( SELECT l.id
                    FROM leaving l)) OR (s.client_referrer_id IN ( SELECT l.id
                    FROM leaving l))))
         UNION ALL
          SELECT 'scales'::text,
             s.referred_contact_name
            FROM (public.sales s
              JOIN public.commission_rates r ON ((r.id = s.commission_rate)))
           WHERE ((NOT s.is_test) AND r.is_test)
         UNION ALL
          SELECT 'requests'::text,
             p.full_name
            FROM (public.payment_requests q
              JOIN public.profiles p ON ((p.id = q.client_id)))
           WHERE ((NOT q.is_test) AND (p.is_test OR ((q.status <> 'rejected'::text) AND (EXISTS ( SELECT
                    FROM public.commission_payments c
                   WHERE ((c.recipient_id = p.id) AND c.is_test))) AND (( SELECT sum(o.amount) AS sum
                    FROM public.payment_requests o
                   WHERE ((o.client_id = p.id) AND (o.status <> 'rejected'::text))) > ( SELECT COALESCE(sum(GREATEST(c.amount, (0)::numeric)), (0)::numeric) AS "coalesce"
                    FROM public.commission_payments c
                   WHERE ((c.recipient_id = p.id) AND (NOT c.is_test)))))))
         )
  SELECT h.kind,
     count(*) AS count,
     (array_agg(DISTINCT h.name ORDER BY h.name))[1:3] AS array_agg
    FROM held h
   GROUP BY h.kind
   ORDER BY h.kind;
END;

CREATE FUNCTION private.withdraw_account_closure()
 RETURNS public.account_closure_requests
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin', 'commercial', 'client');
  asked public.account_closure_requests;
begin
  update public.account_closure_requests r set status = 'withdrawn' where r.profile_id = me and r.status = 'pending'
    returning * into asked;
  if not found then perform private.refuse('closure_not_found'); end if;
  return asked;
end
$function$;
grant execute on function private.withdraw_account_closure() to authenticated;

CREATE FUNCTION private.withdraw_accountant(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('admin');
begin
  perform from public.profiles p where p.id = p_id and p.role = 'comptable' for update;
  if not found then perform private.refuse('not_found'); end if;
  delete from auth.users u where u.id = p_id and u.last_sign_in_at is null;
  if found then return; end if;
  update public.profiles p set deactivated_at = private.now() where p.id = p_id and p.deactivated_at is null;
  delete from auth.sessions s where s.user_id = p_id;
end
$function$;
grant execute on function private.withdraw_accountant(uuid) to authenticated;

CREATE FUNCTION private.withdraw_friend_mails(p_email text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE private.mails m SET status = 'withdrawn'::text, status_since = now(), sealed = NULL::bytea
   WHERE ((m.status = 'queued'::text) AND (private.mailbox_of(m.recipient) = private.mailbox_of(withdraw_friend_mails.p_email)) AND (m.template = ANY (ARRAY['friend-invitation'::text, 'friend-message'::text, 'friend-request'::text])));
END;

CREATE FUNCTION private.withdraw_referral(p_sale_id uuid, p_place text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sale public.sales;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.corrects_sale_id is null for update;
  if p_place = 'page' and (not found or not private.is_open(sale)
      or exists (select from public.call_consents c where c.sale_id = p_sale_id and c.place = 'mailed_link')) then
    perform private.refuse('opt_out_link_unknown');
  end if;
  if num_nonnulls(sale.referred_contact_email, sale.referred_contact_phone) = 0 or sale.ready_for_validation
    or sale.status = 'validated' then
    return;
  end if;
  perform set_config('app.reason', 'Demande retirée par la personne', true);
  update public.sales s set status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Demande retirée par la personne'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where s.id = p_sale_id;
  perform set_config('app.reason', '', true);
  perform private.tell_friend_said_no(sale.id, sale.commercial_id);
end
$function$;

CREATE FUNCTION private.withdraw_scale_version(p_version_id uuid)
 RETURNS public.scale_versions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.require_role('admin');
  v public.scale_versions;
begin
  perform private.hold_versions(true);
  select * into v from public.scale_versions o where o.id = p_version_id for update;
  if not found then perform private.refuse('scale_not_found'); end if;
  if v.withdrawn_at is not null then return v; end if;
  if v.first_day <= private.today() or exists (select from public.sale_terms t where t.version_id = v.id) then perform private.refuse('scale_version_begun'); end if;
  update public.scale_versions o set withdrawn_at = private.now() where o.id = v.id returning * into v;
  perform private.append_audit('commission_rates', v.rate_id, 'update',
    jsonb_build_object('version_to_come', v.number, 'first_day', v.first_day), '{}', null);
  insert into private.changes (table_name, operation, key, audience) values ('commission_rates', 'UPDATE', v.rate_id, '{}');
  return v;
end
$function$;
grant execute on function private.withdraw_scale_version(uuid) to authenticated;

CREATE FUNCTION private.without_invisible(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text, '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'::text, ''::text, 'g'::text);
grant execute on function private.without_invisible(text) to anon;
grant execute on function private.without_invisible(text) to api_key;
grant execute on function private.without_invisible(text) to authenticated;
grant execute on function private.without_invisible(text) to parrain_service;
grant execute on function private.without_invisible(text) to service_role;

CREATE FUNCTION private.without_personal_data(row_ jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
AS $function$
begin
  if row_ is null then return '{}'; end if;
  if not row_ ?| array['full_name', 'email', 'phone', 'company', 'notes', 'referred_contact_name', 'referred_contact_email',
      'referred_contact_phone', 'personal_message', 'commercial_notes', 'payment_details'] then
    return row_;
  end if;
  return (
    select jsonb_object_agg(key, case
      when value <> 'null'::jsonb and key in ('full_name', 'email', 'phone', 'company', 'notes', 'referred_contact_name',
        'referred_contact_email', 'referred_contact_phone', 'personal_message', 'commercial_notes', 'payment_details') then '"•••"'::jsonb
      else value end)
    from jsonb_each(row_));
end
$function$;
grant execute on function private.without_personal_data(jsonb) to parrain_service;

CREATE FUNCTION private.write_correction(s public.sales, p_before numeric, p_after numeric, p_client numeric, p_commercial numeric, p_reason text)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  correction public.sales;
begin
  insert into public.sales (status, referred_contact_name, referred_contact_email, referred_contact_phone, contract_amount,
    contract_description, commercial_id, client_referrer_id, friend_referrer_id, commission_rate, ready_for_validation,
    admin_validated, validated_at, validated_by, client_commission_amount, commercial_commission_amount, client_commission_type,
    client_commission_rate, commercial_commission_type, commercial_commission_rate, corrects_sale_id, correction_reason, is_test,
    contract_left)
  values ('validated', s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone, p_after - p_before,
    s.contract_description, s.commercial_id, s.client_referrer_id, s.friend_referrer_id, s.commission_rate, true,
    true, private.now(), private.uid(), p_client, p_commercial, s.client_commission_type,
    s.client_commission_rate, s.commercial_commission_type, s.commercial_commission_rate, s.id, btrim(p_reason), s.is_test,
    nullif(p_after, 0))
  returning * into correction;
  insert into public.commission_payments (sale_id, recipient_id, type, amount)
  select correction.id, p.recipient_id, p.type, case p.type when 'client' then p_client else p_commercial end
  from public.commission_payments p where p.sale_id = s.id
  order by p.recipient_id;
  return correction;
end
$function$;

CREATE FUNCTION private.write_to_friend(p_sale_id uuid)
 RETURNS public.sales
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me uuid := private.require_role('commercial');
  sale public.sales;
  v_refusal text;
begin
  select * into sale from public.sales s where s.id = p_sale_id and s.commercial_id = me and s.corrects_sale_id is null for update;
  if not found then perform private.refuse('sale_not_found'); end if;
  if sale.referred_contact_email is null then perform private.refuse('friend_without_email'); end if;
  v_refusal := case private.writing_to(
      (select c.is_given or c.channel is not null from public.call_consents c where c.sale_id = sale.id order by c.said_at desc, c.id limit 1),
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
$function$;
grant execute on function private.write_to_friend(uuid) to authenticated;

CREATE FUNCTION private.writing_to(p_answer boolean, p_is_consent_required boolean, p_has_contract boolean, p_is_written boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN (p_has_contract OR p_answer) THEN 'freely'::text WHEN (NOT p_answer) THEN 'never'::text WHEN (NOT p_is_consent_required) THEN 'freely'::text WHEN p_is_written THEN 'written'::text ELSE 'once'::text END;

-- public
create schema public;
grant usage on schema public to anon;
grant usage on schema public to api_key;
grant usage on schema public to authenticated;
grant usage on schema public to parrain_service;
grant usage on schema public to service_role;

create table public.account_closure_requests (
  id uuid not null default gen_random_uuid(),
  profile_id uuid not null,
  personal_message text,
  notes text,
  status text not null default 'pending'::text,
  requested_at timestamp with time zone not null default private.now(),
  decided_at timestamp with time zone,
  decided_by uuid,
  constraint account_closure_requests_decision_is_dated CHECK (((status = ANY (ARRAY['accepted'::text, 'rejected'::text])) = (decided_at IS NOT NULL))),
  constraint account_closure_requests_notes_is_a_text CHECK (private.is_text(notes, 500)),
  constraint account_closure_requests_personal_message_is_a_text CHECK (private.is_text(personal_message, 500)),
  constraint account_closure_requests_pkey PRIMARY KEY (id),
  constraint account_closure_requests_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint account_closure_requests_refusal_says_why CHECK (((status <> 'rejected'::text) OR (notes IS NOT NULL))),
  constraint account_closure_requests_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'withdrawn'::text, 'accepted'::text, 'rejected'::text])))
);
CREATE INDEX account_closure_requests_by_profile ON public.account_closure_requests USING btree (profile_id, requested_at DESC);
CREATE UNIQUE INDEX account_closure_requests_one_waits ON public.account_closure_requests USING btree (profile_id) WHERE (status = 'pending'::text);
CREATE INDEX account_closure_requests_waiting ON public.account_closure_requests USING btree (requested_at) WHERE (status = 'pending'::text);
create policy account_closure_requests_authenticated_read on public.account_closure_requests for select to authenticated using (((( SELECT private.user_role() AS user_role) = 'admin'::text) OR (profile_id = ( SELECT private.uid() AS uid))));
create policy account_closure_requests_secret_read on public.account_closure_requests for select to service_role using (true);
CREATE TRIGGER account_closure_requests_audit AFTER INSERT OR DELETE OR UPDATE ON public.account_closure_requests FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER account_closure_requests_limit AFTER INSERT ON public.account_closure_requests FOR EACH ROW EXECUTE FUNCTION private.limit_writes('closure', '3');
grant select on public.account_closure_requests to authenticated;
grant delete, insert, select, update on public.account_closure_requests to parrain_service;
grant select on public.account_closure_requests to service_role;

create table public.api_keys (
  id uuid not null default gen_random_uuid(),
  created_at timestamp with time zone not null default private.now(),
  name text not null,
  prefix text not null,
  scopes text[] not null,
  expires_at timestamp with time zone,
  created_by uuid,
  revoked_at timestamp with time zone,
  revoked_by uuid,
  last_used_at timestamp with time zone,
  constraint api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint api_keys_name_is_a_line CHECK ((private.is_line(name, 80) AND (btrim(name) <> ''::text))),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_prefix_is_one CHECK ((prefix ~ '^prk_[A-Za-z0-9_-]{8}$'::text)),
  constraint api_keys_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint api_keys_revoker_means_revoked CHECK (((revoked_by IS NULL) OR (revoked_at IS NOT NULL))),
  constraint api_keys_scopes_are_known CHECK (((scopes <@ ARRAY['read'::text, 'referrals'::text, 'payments'::text]) AND ((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 3))))
);
CREATE INDEX api_keys_by_maker ON public.api_keys USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX api_keys_by_revoker ON public.api_keys USING btree (revoked_by) WHERE (revoked_by IS NOT NULL);
CREATE UNIQUE INDEX api_keys_have_names_of_their_own ON public.api_keys USING btree (lower(name)) WHERE (revoked_at IS NULL);
create policy api_keys_admin_read on public.api_keys for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy api_keys_secret_read on public.api_keys for select to service_role using (true);
grant select on public.api_keys to authenticated;
grant insert, select, update on public.api_keys to parrain_service;
grant select on public.api_keys to service_role;

create table public.audit_entries (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  actor_id uuid,
  actor text not null,
  entity text not null,
  entity_id uuid not null,
  action text not null,
  before jsonb,
  after jsonb,
  reason text,
  request_id text,
  previous_hash bytea,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_by_author ON public.audit_entries USING btree (actor_id, at DESC, id DESC);
CREATE INDEX audit_entries_by_entity ON public.audit_entries USING btree (entity, entity_id, id DESC);
CREATE INDEX audit_entries_by_kind_and_time ON public.audit_entries USING btree (entity, at DESC, id DESC);
CREATE INDEX audit_entries_by_time ON public.audit_entries USING btree (at DESC, id DESC);
create policy audit_entries_admin_read on public.audit_entries for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy audit_entries_secret_read on public.audit_entries for select to service_role using (true);
CREATE TRIGGER audit_entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_audit_change();
CREATE TRIGGER audit_entries_filed AFTER INSERT ON public.audit_entries FOR EACH ROW WHEN ((new.entity = ANY (ARRAY['sales'::text, 'commission_payments'::text, 'payment_requests'::text, 'account_closure_requests'::text, 'paid_periods'::text]))) EXECUTE FUNCTION private.file_audit_entry();
grant select on public.audit_entries to authenticated;
grant insert, maintain, select on public.audit_entries to parrain_service;
grant select on public.audit_entries to service_role;

create table public.balances (
  profile_id uuid not null,
  earned numeric(14,2) not null default 0,
  reversed numeric(14,2) not null default 0,
  reserved numeric(14,2) not null default 0,
  paid numeric(14,2) not null default 0,
  held numeric(14,2) not null default 0,
  repaid numeric(14,2) not null default 0,
  constraint balances_are_not_negative CHECK (((earned >= (0)::numeric) AND (reversed >= (0)::numeric) AND (reserved >= (0)::numeric) AND (paid >= (0)::numeric) AND (held >= (0)::numeric))),
  constraint balances_never_promise_more_than_earned CHECK ((((reserved + paid) + held) <= earned)),
  constraint balances_pkey PRIMARY KEY (profile_id),
  constraint balances_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE
);
CREATE INDEX balances_below_zero ON public.balances USING btree (profile_id) WHERE (((((earned - reversed) - held) - reserved) - paid) < (0)::numeric);
CREATE INDEX balances_in_debt ON public.balances USING btree (profile_id) WHERE (paid > (earned - reversed));
create policy balances_authenticated_read on public.balances for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (profile_id = ( SELECT private.uid() AS uid)) END);
create policy balances_key_read on public.balances for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy balances_secret_read on public.balances for select to service_role using (true);
CREATE TRIGGER balances_tell_delete AFTER DELETE ON public.balances REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER balances_tell_insert AFTER INSERT ON public.balances REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER balances_tell_update AFTER UPDATE ON public.balances REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
grant select on public.balances to api_key;
grant select on public.balances to authenticated;
grant delete, insert, select, update on public.balances to parrain_service;
grant select on public.balances to service_role;

create table public.bank_accounts (
  id uuid not null default gen_random_uuid(),
  payee_id uuid not null,
  holder text not null,
  iban text not null,
  iban_id uuid not null,
  created_at timestamp with time zone not null default private.now(),
  bic text,
  constraint bank_accounts_bic_is_one CHECK ((private.is_line(bic, 11) AND (bic ~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$'::text))),
  constraint bank_accounts_holder_is_a_line CHECK ((private.is_line(holder, 70) AND (btrim(holder) <> ''::text))),
  constraint bank_accounts_iban_id_fkey FOREIGN KEY (iban_id) REFERENCES public.payee_ibans(id) ON DELETE CASCADE,
  constraint bank_accounts_iban_is_masked CHECK ((private.is_line(iban, 23) AND (iban ~ '^[A-Z]{2}[0-9]{2} •••• •••• [0-9A-Z]{4}$'::text))),
  constraint bank_accounts_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint bank_accounts_pkey PRIMARY KEY (id)
);
CREATE INDEX bank_accounts_by_iban ON public.bank_accounts USING btree (iban_id);
CREATE INDEX bank_accounts_by_payee ON public.bank_accounts USING btree (payee_id, created_at DESC, id);
create policy bank_accounts_authenticated_read on public.bank_accounts for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (payee_id = ( SELECT private.uid() AS uid)) END);
create policy bank_accounts_secret_read on public.bank_accounts for select to service_role using (true);
CREATE TRIGGER bank_accounts_doubt AFTER INSERT ON public.bank_accounts FOR EACH ROW EXECUTE FUNCTION private.doubt_bank_account();
CREATE TRIGGER bank_accounts_guard BEFORE UPDATE ON public.bank_accounts FOR EACH ROW EXECUTE FUNCTION private.guard_bank_account();
CREATE TRIGGER bank_accounts_have_a_bic BEFORE INSERT ON public.bank_accounts FOR EACH ROW WHEN ((private.is_outside_eea(new.iban) AND (new.bic IS NULL))) EXECUTE FUNCTION private.refuse_without_bic();
CREATE TRIGGER bank_accounts_tell AFTER INSERT OR UPDATE ON public.bank_accounts FOR EACH ROW EXECUTE FUNCTION private.tell_person('payee_id');
grant select on public.bank_accounts to authenticated;
grant delete, insert, select, update on public.bank_accounts to parrain_service;
grant select on public.bank_accounts to service_role;

create table public.call_consents (
  id uuid not null default gen_random_uuid(),
  sale_id uuid not null,
  is_given boolean not null,
  statement text not null,
  version text not null,
  place text not null,
  said_at timestamp with time zone not null default private.now(),
  channel text,
  constraint call_consents_channel_is_known CHECK ((channel = ANY (ARRAY['call'::text, 'sms'::text, 'email'::text]))),
  constraint call_consents_channel_says_whether_to_call CHECK (((channel = 'call'::text) = is_given)),
  constraint call_consents_pkey PRIMARY KEY (id),
  constraint call_consents_place_is_known CHECK ((place = ANY (ARRAY['public_page'::text, 'mailed_link'::text, 'imported_file'::text, 'page'::text]))),
  constraint call_consents_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint call_consents_statement_is_a_text CHECK (private.is_text(statement, 500)),
  constraint call_consents_version_is_a_line CHECK (private.is_line(version, 40))
);
CREATE INDEX call_consents_by_sale ON public.call_consents USING btree (sale_id, said_at DESC);
create policy call_consents_authenticated_read on public.call_consents for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true WHEN (( SELECT private.user_role() AS user_role) = 'commercial'::text) THEN (EXISTS ( SELECT FROM public.sales s WHERE ((s.id = call_consents.sale_id) AND (s.commercial_id = ( SELECT private.uid() AS uid))))) ELSE false END);
create policy call_consents_secret_read on public.call_consents for select to service_role using (true);
grant select on public.call_consents to authenticated;
grant insert, select on public.call_consents to parrain_service;
grant select on public.call_consents to service_role;

create table public.commission_holds (
  commission_id uuid not null,
  payee_id uuid not null,
  amount numeric(12,2) not null,
  until timestamp with time zone not null,
  ended_at timestamp with time zone,
  is_corrected boolean not null default false,
  is_test boolean not null,
  is_under_check boolean not null default false,
  constraint commission_holds_amount_is_positive CHECK ((amount > (0)::numeric)),
  constraint commission_holds_commission_id_fkey FOREIGN KEY (commission_id) REFERENCES public.commission_payments(id) ON DELETE RESTRICT,
  constraint commission_holds_corrected_is_ended CHECK (((ended_at IS NOT NULL) OR (NOT is_corrected))),
  constraint commission_holds_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint commission_holds_pkey PRIMARY KEY (commission_id),
  constraint commission_holds_under_check_is_kept CHECK (((ended_at IS NULL) OR (NOT is_under_check)))
);
CREATE INDEX commission_holds_by_end ON public.commission_holds USING btree (until, commission_id) WHERE ((ended_at IS NULL) AND (NOT is_under_check));
CREATE INDEX commission_holds_by_payee ON public.commission_holds USING btree (payee_id, until) WHERE (ended_at IS NULL);
CREATE INDEX commission_holds_under_check ON public.commission_holds USING btree (payee_id) WHERE is_under_check;
create policy commission_holds_authenticated_read on public.commission_holds for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (payee_id = ( SELECT private.uid() AS uid)) END);
create policy commission_holds_secret_read on public.commission_holds for select to service_role using (true);
CREATE TRIGGER commission_holds_guard BEFORE DELETE OR UPDATE ON public.commission_holds FOR EACH ROW EXECUTE FUNCTION private.guard_commission_hold();
CREATE TRIGGER commission_holds_stay BEFORE TRUNCATE ON public.commission_holds FOR EACH STATEMENT EXECUTE FUNCTION private.guard_commission_hold();
grant select on public.commission_holds to authenticated;
grant delete, insert, select, update on public.commission_holds to parrain_service;
grant select on public.commission_holds to service_role;

create table public.commission_payments (
  id uuid not null default uuidv7(),
  sale_id uuid not null,
  recipient_id uuid not null,
  type text not null,
  amount numeric(12,2) not null,
  status text not null default 'paid'::text,
  created_at timestamp with time zone not null default private.now(),
  paid_at timestamp with time zone default private.now(),
  is_test boolean not null default false,
  constraint commission_payments_one_per_side UNIQUE (sale_id, type),
  constraint commission_payments_pkey PRIMARY KEY (id),
  constraint commission_payments_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint commission_payments_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE RESTRICT,
  constraint commission_payments_status_is_paid CHECK ((status = 'paid'::text)),
  constraint commission_payments_type_is_known CHECK ((type = ANY ('{client,commercial}'::text[])))
);
CREATE INDEX commission_payments_by_amount ON public.commission_payments USING btree (amount DESC, id);
CREATE INDEX commission_payments_by_creation ON public.commission_payments USING btree (created_at DESC, id);
CREATE INDEX commission_payments_by_recipient ON public.commission_payments USING btree (recipient_id, paid_at DESC);
create policy commission_payments_authenticated_read on public.commission_payments for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (recipient_id = ( SELECT private.uid() AS uid)) END);
create policy commission_payments_key_read on public.commission_payments for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy commission_payments_secret_read on public.commission_payments for select to service_role using (true);
CREATE TRIGGER commission_payments_audit AFTER DELETE OR UPDATE ON public.commission_payments FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER commission_payments_guard BEFORE INSERT OR DELETE OR UPDATE ON public.commission_payments FOR EACH ROW EXECUTE FUNCTION private.guard_commission_payment();
CREATE TRIGGER commission_payments_post AFTER INSERT ON public.commission_payments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.post_commissions();
CREATE TRIGGER commission_payments_tell_delete AFTER DELETE ON public.commission_payments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER commission_payments_tell_insert AFTER INSERT ON public.commission_payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER commission_payments_tell_update AFTER UPDATE ON public.commission_payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
grant select on public.commission_payments to api_key;
grant select on public.commission_payments to authenticated;
grant delete, insert, select on public.commission_payments to parrain_service;
grant select on public.commission_payments to service_role;

create table public.commission_rates (
  id uuid not null default gen_random_uuid(),
  name text not null,
  description text,
  client_commission_type text not null,
  client_commission_amount numeric(12,2) not null,
  commercial_commission_type text not null,
  commercial_commission_amount numeric(12,2) not null,
  created_at timestamp with time zone not null default private.now(),
  is_default boolean not null default false,
  archived_at timestamp with time zone,
  replaces_id uuid,
  is_test boolean not null default false,
  client_hold_days smallint not null default 0,
  from_contract_amount numeric(12,2),
  client_rules jsonb,
  commercial_rules jsonb,
  last_day date,
  constraint commission_rates_amounts_are_positive CHECK (((client_commission_amount > (0)::numeric) AND (commercial_commission_amount > (0)::numeric))),
  constraint commission_rates_default_is_live CHECK (((NOT is_default) OR (archived_at IS NULL))),
  constraint commission_rates_description_is_a_text CHECK (private.is_text(description, 2000)),
  constraint commission_rates_hold_is_within_a_year CHECK (((client_hold_days >= 0) AND (client_hold_days <= 365))),
  constraint commission_rates_name_is_a_line CHECK (private.is_line(name, 120)),
  constraint commission_rates_name_is_given CHECK (((length(btrim(name)) >= 1) AND (length(btrim(name)) <= 120))),
  constraint commission_rates_percentages_are_at_most_100 CHECK ((((client_commission_type <> 'percentage'::text) OR (client_commission_amount <= (100)::numeric)) AND ((commercial_commission_type <> 'percentage'::text) OR (commercial_commission_amount <= (100)::numeric)))),
  constraint commission_rates_pkey PRIMARY KEY (id),
  constraint commission_rates_replaces_id_fkey FOREIGN KEY (replaces_id) REFERENCES public.commission_rates(id) ON DELETE RESTRICT,
  constraint commission_rates_threshold_is_positive CHECK ((from_contract_amount > (0)::numeric)),
  constraint commission_rates_types_are_known CHECK (((client_commission_type = ANY (ARRAY['percentage'::text, 'fixed'::text])) AND (commercial_commission_type = ANY (ARRAY['percentage'::text, 'fixed'::text]))))
);
CREATE INDEX commission_rates_by_creation ON public.commission_rates USING btree (created_at DESC);
CREATE INDEX commission_rates_by_replaced ON public.commission_rates USING btree (replaces_id);
CREATE UNIQUE INDEX commission_rates_one_default ON public.commission_rates USING btree (is_default) WHERE is_default;
create policy commission_rates_admin_read on public.commission_rates for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy commission_rates_key_read on public.commission_rates for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy commission_rates_secret_read on public.commission_rates for select to service_role using (true);
CREATE TRIGGER commission_rates_audit AFTER INSERT OR DELETE OR UPDATE ON public.commission_rates FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER commission_rates_guard BEFORE DELETE OR UPDATE ON public.commission_rates FOR EACH ROW EXECUTE FUNCTION private.guard_commission_rate();
CREATE TRIGGER commission_rates_open AFTER INSERT ON public.commission_rates FOR EACH ROW EXECUTE FUNCTION private.open_scale();
CREATE TRIGGER commission_rates_tell_delete AFTER DELETE ON public.commission_rates REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER commission_rates_tell_insert AFTER INSERT ON public.commission_rates REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER commission_rates_tell_update AFTER UPDATE ON public.commission_rates REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
grant select on public.commission_rates to api_key;
grant select on public.commission_rates to authenticated;
grant delete, insert, select, update on public.commission_rates to parrain_service;
grant select on public.commission_rates to service_role;

create table public.commission_terms (
  sale_id uuid not null,
  type text not null,
  rules jsonb not null,
  "position" bigint,
  window_key text,
  is_first boolean,
  cap_room bigint,
  constraint commission_terms_pkey PRIMARY KEY (sale_id, type),
  constraint commission_terms_position_is_none_below_zero CHECK (("position" >= 0)),
  constraint commission_terms_room_is_none_below_zero CHECK ((cap_room >= 0)),
  constraint commission_terms_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sale_terms(sale_id) ON DELETE CASCADE,
  constraint commission_terms_type_is_known CHECK ((type = ANY (ARRAY['client'::text, 'commercial'::text])))
);
create policy commission_terms_authenticated_read on public.commission_terms for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (EXISTS ( SELECT FROM public.commission_payments p WHERE ((p.sale_id = commission_terms.sale_id) AND (p.type = commission_terms.type) AND (p.recipient_id = ( SELECT private.uid() AS uid))))) END);
create policy commission_terms_key_read on public.commission_terms for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy commission_terms_secret_read on public.commission_terms for select to service_role using (true);
CREATE TRIGGER commission_terms_are_kept BEFORE TRUNCATE ON public.commission_terms FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_audit_change();
CREATE TRIGGER commission_terms_guard BEFORE DELETE OR UPDATE ON public.commission_terms FOR EACH ROW EXECUTE FUNCTION private.guard_sale_terms();
grant select on public.commission_terms to api_key;
grant select on public.commission_terms to authenticated;
grant delete, insert, select on public.commission_terms to parrain_service;
grant select on public.commission_terms to service_role;

create table public.company_settings (
  id smallint not null default 1,
  company_name text not null default 'Mon Entreprise'::text,
  logo_url text,
  updated_at timestamp with time zone not null default now(),
  require_admin_two_factor boolean not null default false,
  brand_color text,
  follow_up_days smallint,
  follow_up_admin_days smallint,
  skipped_steps text[] not null default '{}'::text[],
  smallest_request numeric(12,2) not null default 1,
  payment_methods text[] not null default '{virement,cheque_cadeau,association,remise_societe}'::text[],
  requests_from_day smallint,
  requests_to_day smallint,
  release_above numeric(12,2),
  presentation text,
  require_call_consent boolean not null default false,
  first_referral_months smallint,
  contact_months smallint not null default 36,
  hold_doubtful boolean not null default false,
  new_clients text not null default 'by_hand'::text,
  new_clients_to uuid,
  friend_gain text,
  answer_days smallint,
  picture_url text,
  constraint company_settings_admins_come_second CHECK (((follow_up_admin_days IS NULL) OR (follow_up_days IS NOT NULL))),
  constraint company_settings_answer_days_are_some CHECK (((answer_days >= 1) AND (answer_days <= 10))),
  constraint company_settings_brand_color_is_a_color CHECK ((brand_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint company_settings_company_name_is_a_company_name CHECK (private.is_company_name(company_name)),
  constraint company_settings_contact_months_are_bounded CHECK (((contact_months >= 6) AND (contact_months <= 36))),
  constraint company_settings_first_referral_months_are_some CHECK (((first_referral_months >= 1) AND (first_referral_months <= 60))),
  constraint company_settings_follow_up_admin_days_is_bounded CHECK (((follow_up_admin_days >= 1) AND (follow_up_admin_days <= 90))),
  constraint company_settings_follow_up_days_is_bounded CHECK (((follow_up_days >= 1) AND (follow_up_days <= 90))),
  constraint company_settings_friend_gain_is_a_text CHECK (private.is_text(friend_gain, 300)),
  constraint company_settings_is_one_row CHECK ((id = 1)),
  constraint company_settings_logo_url_is_a_line CHECK (private.is_line(logo_url, 2000)),
  constraint company_settings_new_clients_are_given CHECK ((new_clients = ANY (ARRAY['by_hand'::text, 'to_one'::text, 'in_turn'::text]))),
  constraint company_settings_new_clients_to_fkey FOREIGN KEY (new_clients_to) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint company_settings_one_receives_new_clients CHECK (((new_clients = 'to_one'::text) OR (new_clients_to IS NULL))),
  constraint company_settings_payment_methods_are_known CHECK (((payment_methods <@ ARRAY['virement'::text, 'cheque_cadeau'::text, 'association'::text, 'remise_societe'::text]) AND ((cardinality(payment_methods) >= 1) AND (cardinality(payment_methods) <= 4)))),
  constraint company_settings_picture_url_is_a_line CHECK (private.is_line(picture_url, 2000)),
  constraint company_settings_pkey PRIMARY KEY (id),
  constraint company_settings_presentation_is_a_text CHECK (private.is_text(presentation, 500)),
  constraint company_settings_release_above_is_an_amount CHECK (((release_above >= (0)::numeric) AND (release_above <= ('9999999999'::bigint)::numeric))),
  constraint company_settings_request_days_come_together CHECK (((requests_from_day IS NULL) = (requests_to_day IS NULL))),
  constraint company_settings_requests_from_day_is_of_every_month CHECK (((requests_from_day >= 1) AND (requests_from_day <= 28))),
  constraint company_settings_requests_to_day_is_of_a_month CHECK (((requests_to_day >= 1) AND (requests_to_day <= 31))),
  constraint company_settings_skipped_steps_are_known CHECK (((skipped_steps <@ ARRAY['company'::text, 'scale'::text, 'commercial'::text, 'mail'::text, 'legal'::text]) AND (cardinality(skipped_steps) <= 5))),
  constraint company_settings_smallest_request_is_within_bounds CHECK (((smallest_request >= (1)::numeric) AND (smallest_request <= (10000)::numeric)))
);
CREATE INDEX company_settings_by_receiver ON public.company_settings USING btree (new_clients_to);
create policy company_settings_authenticated_read on public.company_settings for select to authenticated using (((( SELECT private.uid() AS uid) IS NOT NULL) AND (( SELECT private.user_role() AS user_role) <> 'comptable'::text)));
create policy company_settings_secret_read on public.company_settings for select to service_role using (true);
CREATE TRIGGER company_settings_audit AFTER INSERT OR DELETE OR UPDATE ON public.company_settings FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER company_settings_tell_delete AFTER DELETE ON public.company_settings REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER company_settings_tell_insert AFTER INSERT ON public.company_settings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER company_settings_tell_update AFTER UPDATE ON public.company_settings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
grant select on public.company_settings to authenticated;
grant delete, insert, select, update on public.company_settings to parrain_service;
grant select on public.company_settings to service_role;

create table public.correction_requests (
  sale_id uuid not null,
  message text not null,
  asked_at timestamp with time zone not null default private.now(),
  asked_by uuid,
  constraint correction_requests_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint correction_requests_message_is_a_text CHECK ((private.is_text(message, 2000) AND (length(btrim(message)) > 0))),
  constraint correction_requests_pkey PRIMARY KEY (sale_id),
  constraint correction_requests_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX correction_requests_by_admin ON public.correction_requests USING btree (asked_by) WHERE (asked_by IS NOT NULL);
create policy correction_requests_authenticated_read on public.correction_requests for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true WHEN (( SELECT private.user_role() AS user_role) = 'commercial'::text) THEN (EXISTS ( SELECT FROM public.sales s WHERE ((s.id = correction_requests.sale_id) AND (s.commercial_id = ( SELECT private.uid() AS uid))))) ELSE false END);
create policy correction_requests_secret_read on public.correction_requests for select to service_role using (true);
grant select on public.correction_requests to authenticated;
grant delete, insert, select, update on public.correction_requests to parrain_service;
grant select on public.correction_requests to service_role;

create table public.debt_acts (
  id uuid not null default gen_random_uuid(),
  payee_id uuid not null,
  kind text not null,
  amount numeric(12,2) not null,
  debt_before numeric(12,2) not null,
  at timestamp with time zone,
  method text,
  reference text,
  reason text,
  created_at timestamp with time zone not null default private.now(),
  decided_by uuid not null,
  confirmed_by uuid,
  given_up_at timestamp with time zone,
  given_up_by uuid,
  annulled_at timestamp with time zone,
  annulled_by uuid,
  annulled_reason text,
  is_test boolean not null,
  constraint debt_acts_annulled_by_fkey FOREIGN KEY (annulled_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint debt_acts_annulled_reason_is_a_text CHECK ((private.is_text(annulled_reason, 500) AND (btrim(annulled_reason) <> ''::text))),
  constraint debt_acts_annulled_stood CHECK (((annulled_at IS NULL) OR (at IS NOT NULL))),
  constraint debt_acts_annulment_is_whole CHECK ((num_nonnulls(annulled_at, annulled_by, annulled_reason) = ANY (ARRAY[0, 3]))),
  constraint debt_acts_are_of_a_debt CHECK (((amount > (0)::numeric) AND (amount <= debt_before))),
  constraint debt_acts_cash_is_within_the_law CHECK (((method IS DISTINCT FROM 'especes'::text) OR (amount <= (1000)::numeric))) NOT VALID,
  constraint debt_acts_confirmed_by_another CHECK (((confirmed_by IS NULL) OR ((kind = 'waiver'::text) AND (at IS NOT NULL) AND (confirmed_by <> decided_by)))),
  constraint debt_acts_confirmed_by_fkey FOREIGN KEY (confirmed_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint debt_acts_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint debt_acts_given_up_by_fkey FOREIGN KEY (given_up_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint debt_acts_given_up_never_stood CHECK ((((given_up_at IS NULL) = (given_up_by IS NULL)) AND ((given_up_at IS NULL) OR (at IS NULL)))),
  constraint debt_acts_kind_is_known CHECK ((kind = ANY ('{repayment,waiver}'::text[]))),
  constraint debt_acts_method_is_known CHECK ((method = ANY ('{virement,cheque,especes,autre}'::text[]))),
  constraint debt_acts_only_waivers_wait CHECK (((at IS NOT NULL) OR (kind = 'waiver'::text))),
  constraint debt_acts_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint debt_acts_pkey PRIMARY KEY (id),
  constraint debt_acts_reason_is_a_text CHECK ((private.is_text(reason, 500) AND (btrim(reason) <> ''::text))),
  constraint debt_acts_reference_is_a_line CHECK (private.is_line(reference, 140)),
  constraint debt_acts_reference_is_of_a_repayment CHECK (((reference IS NULL) OR (kind = 'repayment'::text))),
  constraint debt_acts_repayment_has_its_means CHECK (((kind = 'repayment'::text) = (method IS NOT NULL))),
  constraint debt_acts_waiver_has_a_reason CHECK (((kind = 'waiver'::text) = (reason IS NOT NULL)))
);
CREATE INDEX debt_acts_by_annuller ON public.debt_acts USING btree (annulled_by) WHERE (annulled_by IS NOT NULL);
CREATE INDEX debt_acts_by_confirmer ON public.debt_acts USING btree (confirmed_by) WHERE (confirmed_by IS NOT NULL);
CREATE INDEX debt_acts_by_decider ON public.debt_acts USING btree (decided_by);
CREATE INDEX debt_acts_by_leaver ON public.debt_acts USING btree (given_up_by) WHERE (given_up_by IS NOT NULL);
CREATE INDEX debt_acts_by_payee ON public.debt_acts USING btree (payee_id, created_at DESC);
CREATE UNIQUE INDEX debt_acts_one_waits ON public.debt_acts USING btree (payee_id) WHERE ((at IS NULL) AND (given_up_at IS NULL));
create policy debt_acts_authenticated_read on public.debt_acts for select to authenticated using (((( SELECT private.user_role() AS user_role) = ANY (ARRAY['admin'::text, 'comptable'::text])) OR ((payee_id = ( SELECT private.uid() AS uid)) AND (at IS NOT NULL))));
create policy debt_acts_secret_read on public.debt_acts for select to service_role using (true);
CREATE TRIGGER debt_acts_guard BEFORE INSERT OR DELETE OR UPDATE ON public.debt_acts FOR EACH ROW EXECUTE FUNCTION private.guard_debt_act();
CREATE TRIGGER debt_acts_post AFTER INSERT ON public.debt_acts FOR EACH ROW WHEN ((new.at IS NOT NULL)) EXECUTE FUNCTION private.post_debt_act();
CREATE TRIGGER debt_acts_post_later AFTER UPDATE ON public.debt_acts FOR EACH ROW WHEN (((new.at IS DISTINCT FROM old.at) OR (new.annulled_at IS DISTINCT FROM old.annulled_at))) EXECUTE FUNCTION private.post_debt_act();
grant select on public.debt_acts to authenticated;
grant delete, insert, select, update on public.debt_acts to parrain_service;
grant select on public.debt_acts to service_role;

create table public.dispute_messages (
  id uuid not null default gen_random_uuid(),
  dispute_id uuid not null,
  author_id uuid not null,
  body text not null,
  created_at timestamp with time zone not null default private.now(),
  constraint dispute_messages_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint dispute_messages_body_is_a_text CHECK ((private.is_text(body, 2000) AND (length(btrim(body)) > 0))),
  constraint dispute_messages_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.disputes(id) ON DELETE CASCADE,
  constraint dispute_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX dispute_messages_by_author ON public.dispute_messages USING btree (author_id);
CREATE INDEX dispute_messages_by_dispute ON public.dispute_messages USING btree (dispute_id, created_at, id);
create policy dispute_messages_authenticated_read on public.dispute_messages for select to authenticated using ((EXISTS ( SELECT FROM public.disputes d WHERE (d.id = dispute_messages.dispute_id))));
create policy dispute_messages_secret_read on public.dispute_messages for select to service_role using (true);
CREATE TRIGGER dispute_messages_guard BEFORE DELETE OR UPDATE ON public.dispute_messages FOR EACH ROW EXECUTE FUNCTION private.guard_dispute_message();
grant select on public.dispute_messages to authenticated;
grant insert, select on public.dispute_messages to parrain_service;
grant select on public.dispute_messages to service_role;

create table public.disputes (
  id uuid not null default gen_random_uuid(),
  payee_id uuid not null,
  entry_id bigint,
  source_id uuid,
  act text,
  line smallint,
  created_at timestamp with time zone not null default private.now(),
  version integer not null default 1,
  closed_at timestamp with time zone,
  closed_by uuid,
  is_test boolean not null,
  adjustment numeric(12,2),
  adjustment_annulled_at timestamp with time zone,
  adjustment_annulled_by uuid,
  opened_by uuid,
  proposed numeric(12,2),
  constraint disputes_adjustment_annulled_by_fkey FOREIGN KEY (adjustment_annulled_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint disputes_adjustment_annulled_is_one CHECK ((((adjustment_annulled_at IS NULL) = (adjustment_annulled_by IS NULL)) AND ((adjustment_annulled_at IS NULL) OR (adjustment IS NOT NULL)))),
  constraint disputes_adjustment_is_of_their_end CHECK (((adjustment IS NULL) OR (closed_at IS NOT NULL))),
  constraint disputes_adjustment_is_sensible CHECK (((adjustment <> (0)::numeric) AND (abs(adjustment) <= (10000)::numeric))),
  constraint disputes_are_closed_by_somebody CHECK (((closed_at IS NULL) = (closed_by IS NULL))),
  constraint disputes_are_of_a_line_or_the_companys CHECK (((num_nonnulls(entry_id, source_id, act, line) = CASE WHEN (opened_by IS NULL) THEN 4 ELSE 0 END) AND ((opened_by IS NULL) = (proposed IS NULL)))),
  constraint disputes_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint disputes_one_per_line UNIQUE (source_id, act, line),
  constraint disputes_opened_by_fkey FOREIGN KEY (opened_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint disputes_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_proposed_is_sensible CHECK (((proposed <> (0)::numeric) AND (abs(proposed) <= (10000)::numeric))),
  constraint disputes_source_id_act_line_fkey FOREIGN KEY (source_id, act, line) REFERENCES public.ledger_entries(source_id, act, line) ON DELETE CASCADE
);
CREATE INDEX disputes_adjusted ON public.disputes USING btree (closed_at) WHERE (adjustment IS NOT NULL);
CREATE INDEX disputes_by_annuller ON public.disputes USING btree (adjustment_annulled_by) WHERE (adjustment_annulled_by IS NOT NULL);
CREATE INDEX disputes_by_closer ON public.disputes USING btree (closed_by) WHERE (closed_by IS NOT NULL);
CREATE INDEX disputes_by_opener ON public.disputes USING btree (opened_by) WHERE (opened_by IS NOT NULL);
CREATE INDEX disputes_by_payee ON public.disputes USING btree (payee_id, created_at DESC);
CREATE INDEX disputes_open ON public.disputes USING btree (created_at) WHERE (closed_at IS NULL);
create policy disputes_authenticated_read on public.disputes for select to authenticated using (((( SELECT private.user_role() AS user_role) = 'admin'::text) OR ((payee_id = ( SELECT private.uid() AS uid)) AND ((opened_by IS NULL) OR (closed_at IS NOT NULL)))));
create policy disputes_secret_read on public.disputes for select to service_role using (true);
CREATE TRIGGER disputes_guard BEFORE DELETE OR UPDATE ON public.disputes FOR EACH ROW EXECUTE FUNCTION private.guard_dispute();
CREATE TRIGGER disputes_post AFTER UPDATE ON public.disputes FOR EACH ROW WHEN (((new.adjustment IS DISTINCT FROM old.adjustment) OR (new.adjustment_annulled_at IS DISTINCT FROM old.adjustment_annulled_at))) EXECUTE FUNCTION private.post_adjustment();
grant select on public.disputes to authenticated;
grant delete, insert, select, update on public.disputes to parrain_service;
grant select on public.disputes to service_role;

create table public.doubt_reasons (
  id uuid not null default gen_random_uuid(),
  case_id uuid not null,
  rule text not null,
  compared text not null,
  person_id uuid,
  found_at timestamp with time zone not null default private.now(),
  constraint doubt_reasons_are_said_once UNIQUE NULLS NOT DISTINCT (case_id, rule, compared, person_id),
  constraint doubt_reasons_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.doubtful_cases(id) ON DELETE CASCADE,
  constraint doubt_reasons_compared_is_known CHECK ((compared = ANY (ARRAY['email'::text, 'phone'::text, 'name'::text, 'number'::text, 'device'::text, 'iban'::text, 'delay'::text]))),
  constraint doubt_reasons_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint doubt_reasons_pkey PRIMARY KEY (id),
  constraint doubt_reasons_rule_fkey FOREIGN KEY (rule) REFERENCES public.doubt_rules(code) ON DELETE RESTRICT
);
CREATE INDEX doubt_reasons_by_person ON public.doubt_reasons USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE INDEX doubt_reasons_by_rule ON public.doubt_reasons USING btree (rule);
create policy doubt_reasons_authenticated_read on public.doubt_reasons for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy doubt_reasons_secret_read on public.doubt_reasons for select to service_role using (true);
grant select on public.doubt_reasons to authenticated;
grant insert, select on public.doubt_reasons to parrain_service;
grant select on public.doubt_reasons to service_role;

create table public.doubt_rules (
  code text not null,
  is_on boolean not null default true,
  most smallint,
  constraint doubt_rules_code_is_known CHECK ((code = ANY (ARRAY['self_referral'::text, 'known_friend'::text, 'team_referrer'::text, 'burst'::text, 'same_device'::text, 'shared_iban'::text, 'changed_iban'::text]))),
  constraint doubt_rules_most_is_of_a_burst CHECK ((((most IS NOT NULL) = (code = 'burst'::text)) AND ((most >= 1) AND (most <= 100)))),
  constraint doubt_rules_pkey PRIMARY KEY (code)
);
create policy doubt_rules_authenticated_read on public.doubt_rules for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy doubt_rules_secret_read on public.doubt_rules for select to service_role using (true);
grant select on public.doubt_rules to authenticated;
grant insert, select, update on public.doubt_rules to parrain_service;
grant select on public.doubt_rules to service_role;

create table public.doubtful_cases (
  id uuid not null default gen_random_uuid(),
  created_at timestamp with time zone not null default private.now(),
  sale_id uuid,
  request_id uuid,
  payee_id uuid not null,
  status text not null default 'open'::text,
  decided_at timestamp with time zone,
  decided_by uuid,
  reason text,
  version integer not null default 1,
  constraint doubtful_cases_are_about_one_thing CHECK ((num_nonnulls(sale_id, request_id) <= 1)),
  constraint doubtful_cases_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint doubtful_cases_decided_says_who_and_why CHECK ((num_nulls(decided_at, decided_by, reason) = CASE WHEN (status = 'open'::text) THEN 3 ELSE 0 END)),
  constraint doubtful_cases_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint doubtful_cases_pkey PRIMARY KEY (id),
  constraint doubtful_cases_reason_is_a_text CHECK (private.is_text(reason, 2000)),
  constraint doubtful_cases_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint doubtful_cases_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint doubtful_cases_status_is_known CHECK ((status = ANY (ARRAY['open'::text, 'confirmed'::text, 'cleared'::text])))
);
CREATE INDEX doubtful_cases_by_decider ON public.doubtful_cases USING btree (decided_by) WHERE (decided_by IS NOT NULL);
CREATE INDEX doubtful_cases_by_payee ON public.doubtful_cases USING btree (payee_id, created_at DESC);
CREATE INDEX doubtful_cases_by_request ON public.doubtful_cases USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX doubtful_cases_by_sale ON public.doubtful_cases USING btree (sale_id) WHERE (sale_id IS NOT NULL);
CREATE INDEX doubtful_cases_by_status ON public.doubtful_cases USING btree (status, created_at DESC, id);
CREATE UNIQUE INDEX doubtful_cases_open_by_payee ON public.doubtful_cases USING btree (payee_id) WHERE ((status = 'open'::text) AND (sale_id IS NULL) AND (request_id IS NULL));
CREATE UNIQUE INDEX doubtful_cases_open_by_request ON public.doubtful_cases USING btree (request_id) WHERE ((status = 'open'::text) AND (request_id IS NOT NULL));
CREATE UNIQUE INDEX doubtful_cases_open_by_sale ON public.doubtful_cases USING btree (sale_id) WHERE ((status = 'open'::text) AND (sale_id IS NOT NULL));
create policy doubtful_cases_authenticated_read on public.doubtful_cases for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy doubtful_cases_secret_read on public.doubtful_cases for select to service_role using (true);
CREATE TRIGGER doubtful_cases_guard BEFORE UPDATE ON public.doubtful_cases FOR EACH ROW EXECUTE FUNCTION private.guard_doubtful_case();
CREATE TRIGGER doubtful_cases_tell AFTER INSERT OR UPDATE ON public.doubtful_cases FOR EACH ROW EXECUTE FUNCTION private.tell_person('payee_id');
grant select on public.doubtful_cases to authenticated;
grant delete, insert, select, update on public.doubtful_cases to parrain_service;
grant select on public.doubtful_cases to service_role;

create table public.external_references (
  source text not null,
  reference text not null,
  sale_id uuid not null,
  created_at timestamp with time zone not null default private.now(),
  constraint external_references_pkey PRIMARY KEY (source, reference),
  constraint external_references_reference_is_a_line CHECK ((private.is_line(reference, 120) AND (btrim(reference) <> ''::text))),
  constraint external_references_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint external_references_sale_once UNIQUE (sale_id, source),
  constraint external_references_source_is_a_line CHECK ((private.is_line(source, 40) AND (btrim(source) <> ''::text)))
);
CREATE INDEX external_references_by_reference ON public.external_references USING btree (reference);
create policy external_references_key_read on public.external_references for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy external_references_secret_read on public.external_references for select to service_role using (true);
create policy external_references_staff_read on public.external_references for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (EXISTS ( SELECT FROM public.sales s WHERE ((s.id = external_references.sale_id) AND (s.commercial_id = ( SELECT private.uid() AS uid))))) END);
grant select on public.external_references to api_key;
grant select on public.external_references to authenticated;
grant delete, insert, select on public.external_references to parrain_service;
grant select on public.external_references to service_role;

create table public.follow_ups (
  sale_id uuid not null,
  private_note text,
  call_back_on date,
  reminded_on date,
  updated_at timestamp with time zone not null default private.now(),
  constraint follow_ups_hold_something CHECK ((num_nonnulls(private_note, call_back_on) > 0)),
  constraint follow_ups_pkey PRIMARY KEY (sale_id),
  constraint follow_ups_private_note_is_a_text CHECK (private.is_text(private_note, 2000)),
  constraint follow_ups_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX follow_ups_by_day ON public.follow_ups USING btree (call_back_on) WHERE (call_back_on IS NOT NULL);
create policy follow_ups_authenticated_read on public.follow_ups for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true WHEN (( SELECT private.user_role() AS user_role) = 'commercial'::text) THEN (EXISTS ( SELECT FROM public.sales s WHERE ((s.id = follow_ups.sale_id) AND (s.commercial_id = ( SELECT private.uid() AS uid))))) ELSE false END);
create policy follow_ups_secret_read on public.follow_ups for select to service_role using (true);
grant select on public.follow_ups to authenticated;
grant delete, insert, select, update on public.follow_ups to parrain_service;
grant select on public.follow_ups to service_role;

create table public.friend_messages (
  sale_id uuid not null,
  written_by uuid,
  written_at timestamp with time zone not null default private.now(),
  constraint friend_messages_pkey PRIMARY KEY (sale_id),
  constraint friend_messages_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint friend_messages_written_by_fkey FOREIGN KEY (written_by) REFERENCES public.profiles(id) ON DELETE SET NULL
);
CREATE INDEX friend_messages_by_writer ON public.friend_messages USING btree (written_by);
create policy friend_messages_authenticated_read on public.friend_messages for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true WHEN (( SELECT private.user_role() AS user_role) = 'commercial'::text) THEN (EXISTS ( SELECT FROM public.sales s WHERE ((s.id = friend_messages.sale_id) AND (s.commercial_id = ( SELECT private.uid() AS uid))))) ELSE false END);
create policy friend_messages_secret_read on public.friend_messages for select to service_role using (true);
grant select on public.friend_messages to authenticated;
grant insert, select on public.friend_messages to parrain_service;
grant select on public.friend_messages to service_role;

create table public.ledger_entries (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  act text not null,
  source_id uuid not null,
  line smallint not null default 1,
  payee_id uuid not null,
  debit text not null,
  credit text not null,
  amount numeric(12,2) not null,
  detail text,
  actor_id uuid,
  is_test boolean not null,
  constraint ledger_entries_amount_is_positive CHECK ((amount > (0)::numeric)),
  constraint ledger_entries_detail_is_of_its_account CHECK ((COALESCE(((act || ' '::text) || detail), act) = ANY ('{"validation client","validation commercial","correction client","correction commercial",release,adjustment,deduction,repayment,repayment_annulment,waiver,waiver_annulment,request,refusal,"settlement virement","settlement cheque_cadeau","settlement association","settlement remise_societe","return virement","payroll virement","payroll paie","vat virement","vat paie","vat_return virement","vat_return paie"}'::text[]))),
  constraint ledger_entries_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint ledger_entries_pkey PRIMARY KEY (source_id, act, line),
  constraint ledger_entries_transfer_is_known CHECK ((((((act || ' '::text) || debit) || ' '::text) || credit) = ANY ('{"validation charged available","validation charged held","release held available","correction available charged","correction held charged","adjustment adjusted available","deduction available adjusted","repayment repaid available","repayment_annulment available repaid","waiver adjusted available","waiver_annulment available adjusted","request available reserved","refusal reserved available","settlement reserved paid","return paid available","payroll available paid","vat vat vat_paid","vat_return vat_paid vat"}'::text[])))
);
CREATE INDEX ledger_entries_by_payee ON public.ledger_entries USING btree (payee_id, id DESC);
CREATE INDEX ledger_entries_by_time ON public.ledger_entries USING btree (at);
CREATE INDEX ledger_entries_of_payments ON public.ledger_entries USING btree (at DESC, id DESC) WHERE ((credit = 'paid'::text) OR (debit = 'paid'::text));
CREATE INDEX ledger_entries_of_tests ON public.ledger_entries USING btree (payee_id) WHERE is_test;
CREATE INDEX ledger_entries_of_vat ON public.ledger_entries USING btree (payee_id) WHERE (act = ANY (ARRAY['vat'::text, 'vat_return'::text]));
create policy ledger_entries_authenticated_read on public.ledger_entries for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = ANY (ARRAY['admin'::text, 'comptable'::text])) THEN true ELSE (payee_id = ( SELECT private.uid() AS uid)) END);
create policy ledger_entries_key_read on public.ledger_entries for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy ledger_entries_secret_read on public.ledger_entries for select to service_role using (true);
CREATE TRIGGER ledger_entries_are_append_only BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION private.guard_ledger_entry();
CREATE TRIGGER ledger_entries_forget_debt_acts AFTER DELETE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION private.forget_debt_acts();
CREATE TRIGGER ledger_entries_forget_paid_periods AFTER DELETE ON public.ledger_entries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.forget_paid_periods();
CREATE TRIGGER ledger_entries_forget_quarterly_statements AFTER DELETE ON public.ledger_entries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.forget_quarterly_statements();
CREATE TRIGGER ledger_entries_forgotten AFTER DELETE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION private.forget_control();
CREATE TRIGGER ledger_entries_guard BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION private.guard_ledger_entry();
CREATE TRIGGER ledger_entries_lapse_invoices AFTER INSERT ON public.ledger_entries FOR EACH ROW WHEN (((new.at < now()) OR (new.act = ANY (ARRAY['payroll'::text, 'return'::text])))) EXECUTE FUNCTION private.lapse_changed_months();
CREATE TRIGGER ledger_entries_of_open_months AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.guard_closed_months();
CREATE TRIGGER ledger_entries_of_past AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.forget_control_of_past();
CREATE TRIGGER ledger_entries_post AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.post_to_balances();
CREATE TRIGGER ledger_entries_reopen AFTER DELETE ON public.ledger_entries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.reopen_accounting();
grant select on public.ledger_entries to api_key;
grant select on public.ledger_entries to authenticated;
grant delete, insert, select on public.ledger_entries to parrain_service;
grant select on public.ledger_entries to service_role;

create table public.news_requests (
  sale_id uuid not null,
  asked_at timestamp with time zone not null default private.now(),
  constraint news_requests_pkey PRIMARY KEY (sale_id),
  constraint news_requests_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
create policy news_requests_authenticated_read on public.news_requests for select to authenticated using ((EXISTS ( SELECT FROM public.sales s WHERE (s.id = news_requests.sale_id))));
create policy news_requests_secret_read on public.news_requests for select to service_role using (true);
grant select on public.news_requests to authenticated;
grant delete, insert, select, update on public.news_requests to parrain_service;
grant select on public.news_requests to service_role;

create table public.notice_preferences (
  profile_id uuid not null,
  topic text not null,
  delivery text not null,
  updated_at timestamp with time zone not null default now(),
  on_phone boolean not null default false,
  constraint notice_preferences_delivery_is_known CHECK ((delivery = ANY (ARRAY['at_once'::text, 'each_morning'::text, 'never'::text]))),
  constraint notice_preferences_pkey PRIMARY KEY (profile_id, topic),
  constraint notice_preferences_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint notice_preferences_topic_is_known CHECK ((topic = ANY (ARRAY['referrals'::text, 'contracts'::text, 'payments'::text, 'data'::text])))
);
create policy notice_preferences_authenticated_read on public.notice_preferences for select to authenticated using ((profile_id = ( SELECT private.uid() AS uid)));
create policy notice_preferences_secret_read on public.notice_preferences for select to service_role using (true);
grant select on public.notice_preferences to authenticated;
grant delete, insert, select, update on public.notice_preferences to parrain_service;
grant select on public.notice_preferences to service_role;

create table public.notices (
  id uuid not null default gen_random_uuid(),
  recipient_id uuid not null,
  kind text not null,
  sale_id uuid,
  request_id uuid,
  created_at timestamp with time zone not null default private.now(),
  read_at timestamp with time zone,
  dispute_id uuid,
  archive_id uuid,
  line_id uuid,
  import_id uuid,
  how_many integer,
  iban_id uuid,
  appointment_id uuid,
  client_id uuid,
  debt_act_id uuid,
  invoice_id uuid,
  constraint notices_appointment_id_fkey FOREIGN KEY (appointment_id) REFERENCES private.appointment_requests(id) ON DELETE CASCADE,
  constraint notices_archive_id_fkey FOREIGN KEY (archive_id) REFERENCES private.archives(id) ON DELETE CASCADE,
  constraint notices_are_about_one_thing CHECK ((num_nonnulls(debt_act_id, client_id, appointment_id, sale_id, request_id, dispute_id, archive_id, line_id, import_id, iban_id, invoice_id) = 1)),
  constraint notices_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint notices_debt_act_id_fkey FOREIGN KEY (debt_act_id) REFERENCES public.debt_acts(id) ON DELETE CASCADE,
  constraint notices_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES public.disputes(id) ON DELETE CASCADE,
  constraint notices_iban_id_fkey FOREIGN KEY (iban_id) REFERENCES public.payee_ibans(id) ON DELETE CASCADE,
  constraint notices_import_id_fkey FOREIGN KEY (import_id) REFERENCES private.imports(id) ON DELETE CASCADE,
  constraint notices_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.payee_invoices(id) ON DELETE CASCADE,
  constraint notices_kind_is_known CHECK ((kind = ANY ('{referral_received,referral_contacted,referral_in_negotiation,referral_signed,referral_refused,referral_late,referral_still_late,call_back_due,news_asked,call_agreed,call_declined,contacts_to_erase,referrals_imported,contract_to_validate,contract_validated,contract_refused,contract_annulled,payment_received,payment_to_decide,payment_approved,payment_refused,payment_paid,payment_annulled,payment_returned,month_rejected,month_returned,dispute_opened,dispute_answered,dispute_closed,adjustment_annulled,archive_ready,archive_failed,iban_checked,friend_said_no,appointment_asked,client_alone,commercial_asked,client_received,commercial_given,correction_asked,debt_repaid,debt_waived,debt_act_annulled,waiver_to_confirm,account_adjusted,adjustment_to_confirm,invoice_received,invoice_accepted,invoice_refused,invoice_lapsed}'::text[]))),
  constraint notices_line_id_fkey FOREIGN KEY (line_id) REFERENCES public.payment_batch_lines(id) ON DELETE CASCADE,
  constraint notices_of_an_import_say_how_many CHECK ((((kind = 'referrals_imported'::text) = (import_id IS NOT NULL)) AND ((import_id IS NOT NULL) = (how_many IS NOT NULL)) AND (how_many > 0))),
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint notices_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint notices_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE
);
CREATE INDEX notices_by_age ON public.notices USING btree (created_at);
CREATE INDEX notices_by_appointment ON public.notices USING btree (appointment_id) WHERE (appointment_id IS NOT NULL);
CREATE INDEX notices_by_archive ON public.notices USING btree (archive_id) WHERE (archive_id IS NOT NULL);
CREATE INDEX notices_by_client ON public.notices USING btree (client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX notices_by_debt_act ON public.notices USING btree (debt_act_id) WHERE (debt_act_id IS NOT NULL);
CREATE INDEX notices_by_dispute ON public.notices USING btree (dispute_id) WHERE (dispute_id IS NOT NULL);
CREATE INDEX notices_by_iban ON public.notices USING btree (iban_id) WHERE (iban_id IS NOT NULL);
CREATE INDEX notices_by_invoice ON public.notices USING btree (invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX notices_by_line ON public.notices USING btree (line_id) WHERE (line_id IS NOT NULL);
CREATE INDEX notices_by_recipient ON public.notices USING btree (recipient_id, created_at DESC, id DESC);
CREATE INDEX notices_by_request ON public.notices USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX notices_by_sale ON public.notices USING btree (sale_id) WHERE (sale_id IS NOT NULL);
CREATE UNIQUE INDEX notices_told_once ON public.notices USING btree (recipient_id, kind, sale_id) WHERE (kind = ANY (ARRAY['referral_contacted'::text, 'referral_in_negotiation'::text]));
CREATE UNIQUE INDEX notices_told_once_of_an_import ON public.notices USING btree (import_id, recipient_id) WHERE (import_id IS NOT NULL);
CREATE INDEX notices_unread ON public.notices USING btree (recipient_id) WHERE (read_at IS NULL);
create policy notices_authenticated_read on public.notices for select to authenticated using ((recipient_id = ( SELECT private.uid() AS uid)));
create policy notices_secret_read on public.notices for select to service_role using (true);
CREATE TRIGGER notices_tell_delete AFTER DELETE ON public.notices REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER notices_tell_insert AFTER INSERT ON public.notices REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER notices_tell_update AFTER UPDATE ON public.notices REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
grant select on public.notices to authenticated;
grant delete, insert, select, update on public.notices to parrain_service;
grant select on public.notices to service_role;

create table public.paid_periods (
  id uuid not null default gen_random_uuid(),
  payee_id uuid not null,
  month date not null,
  amount numeric(12,2) not null,
  paid_at timestamp with time zone not null default private.now(),
  paid_by uuid not null,
  is_test boolean not null,
  method text not null default 'paie'::text,
  vat_rate numeric(4,2),
  vat_amount numeric(12,2),
  vat_mandate_id bigint,
  line_id uuid,
  returned_at timestamp with time zone,
  return_reason text,
  payee_invoice_id uuid,
  constraint paid_periods_amount_is_positive CHECK ((amount > (0)::numeric)),
  constraint paid_periods_invoice_is_its_own FOREIGN KEY (payee_invoice_id, payee_id, month) REFERENCES public.payee_invoices(id, payee_id, month) ON DELETE RESTRICT,
  constraint paid_periods_line_id_fkey FOREIGN KEY (line_id) REFERENCES public.payment_batch_lines(id) ON DELETE CASCADE,
  constraint paid_periods_method_is_known CHECK ((method = ANY (ARRAY['paie'::text, 'virement'::text]))),
  constraint paid_periods_month_is_its_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint paid_periods_once_per_line UNIQUE (line_id),
  constraint paid_periods_only_transfers_return CHECK (((returned_at IS NULL) OR (method = 'virement'::text))),
  constraint paid_periods_paid_by_fkey FOREIGN KEY (paid_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint paid_periods_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint paid_periods_pkey PRIMARY KEY (id),
  constraint paid_periods_return_has_a_reason CHECK (((returned_at IS NULL) = (return_reason IS NULL))),
  constraint paid_periods_return_reason_is_a_text CHECK ((private.is_text(return_reason, 500) AND (btrim(return_reason) <> ''::text))),
  constraint paid_periods_transfer_has_its_line CHECK (((method = 'virement'::text) = (line_id IS NOT NULL))),
  constraint paid_periods_vat_is_of_its_rate CHECK (((vat_rate > (0)::numeric) AND (vat_amount = private.vat_of(amount, vat_rate)))),
  constraint paid_periods_vat_is_whole CHECK (((num_nonnulls(vat_mandate_id, payee_invoice_id) < 2) AND CASE WHEN (vat_rate IS NULL) THEN (num_nonnulls(vat_amount, vat_mandate_id) = 0) ELSE ((vat_amount IS NOT NULL) AND (num_nonnulls(vat_mandate_id, payee_invoice_id) = 1)) END)),
  constraint paid_periods_vat_mandate_id_fkey FOREIGN KEY (vat_mandate_id) REFERENCES private.mandates(id) ON DELETE RESTRICT
);
CREATE INDEX paid_periods_by_payee ON public.paid_periods USING btree (payee_id, month);
CREATE UNIQUE INDEX paid_periods_by_payee_invoice ON public.paid_periods USING btree (payee_invoice_id) WHERE (payee_invoice_id IS NOT NULL);
CREATE INDEX paid_periods_by_payer ON public.paid_periods USING btree (paid_by);
CREATE INDEX paid_periods_by_payment ON public.paid_periods USING btree (paid_at);
CREATE INDEX paid_periods_by_vat_mandate ON public.paid_periods USING btree (vat_mandate_id) WHERE (vat_mandate_id IS NOT NULL);
CREATE UNIQUE INDEX paid_periods_pay_a_month_once ON public.paid_periods USING btree (payee_id, month) WHERE (returned_at IS NULL);
create policy paid_periods_authenticated_read on public.paid_periods for select to authenticated using (((( SELECT private.user_role() AS user_role) = 'admin'::text) OR (payee_id = ( SELECT private.uid() AS uid))));
create policy paid_periods_secret_read on public.paid_periods for select to service_role using (true);
CREATE TRIGGER paid_periods_guard BEFORE DELETE OR UPDATE ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.guard_paid_period();
CREATE TRIGGER paid_periods_lapse_invoice AFTER UPDATE ON public.paid_periods FOR EACH ROW WHEN (((old.returned_at IS NULL) AND (new.returned_at IS NOT NULL) AND (new.payee_invoice_id IS NOT NULL))) EXECUTE FUNCTION private.lapse_returned_month();
CREATE CONSTRAINT TRIGGER paid_periods_make_paper AFTER INSERT ON public.paid_periods DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.make_paper_of_period();
CREATE CONSTRAINT TRIGGER paid_periods_make_return_paper AFTER UPDATE ON public.paid_periods DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.returned_at IS NULL) AND (new.returned_at IS NOT NULL))) EXECUTE FUNCTION private.make_paper_of_period();
CREATE TRIGGER paid_periods_not_beside_a_batch BEFORE INSERT ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.guard_period_in_batch();
CREATE TRIGGER paid_periods_paid_once_invoiced BEFORE INSERT ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.guard_invoiced_month();
CREATE TRIGGER paid_periods_payee_abroad BEFORE INSERT ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.guard_payee_abroad();
CREATE TRIGGER paid_periods_payee_is_complete BEFORE INSERT ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.guard_payee_of_period();
CREATE TRIGGER paid_periods_post AFTER INSERT ON public.paid_periods FOR EACH ROW EXECUTE FUNCTION private.post_paid_period();
CREATE TRIGGER paid_periods_post_return AFTER UPDATE ON public.paid_periods FOR EACH ROW WHEN (((old.returned_at IS NULL) AND (new.returned_at IS NOT NULL))) EXECUTE FUNCTION private.post_paid_period();
grant select on public.paid_periods to authenticated;
grant delete, insert, select, update on public.paid_periods to parrain_service;
grant select on public.paid_periods to service_role;

create table public.papers (
  id uuid not null default gen_random_uuid(),
  series text not null,
  year integer not null,
  number integer not null,
  label text not null,
  payee_id uuid not null,
  request_id uuid,
  issued_on date not null,
  amount numeric(12,2) not null,
  content jsonb not null,
  is_test boolean not null,
  created_at timestamp with time zone not null default private.now(),
  quarter date,
  period_id uuid,
  constraint papers_amount_is_positive CHECK (((amount > (0)::numeric) OR (quarter IS NOT NULL))),
  constraint papers_are_of_a_payment_a_month_or_a_quarter CHECK (((num_nonnulls(request_id, period_id, quarter) = 1) AND ((quarter IS NOT NULL) = (series ~ '^T?RT$'::text)))),
  constraint papers_days_are_of_their_year CHECK ((EXTRACT(year FROM issued_on) = (year)::numeric)),
  constraint papers_label_is_of_their_number CHECK ((label = ((((series || '-'::text) || (year)::text) || '-'::text) || lpad((number)::text, GREATEST(4, length((number)::text)), '0'::text)))),
  constraint papers_number_is_given_once UNIQUE (series, year, number),
  constraint papers_numbers_begin_at_1 CHECK ((number >= 1)),
  constraint papers_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint papers_period_id_fkey FOREIGN KEY (period_id) REFERENCES public.paid_periods(id) ON DELETE CASCADE,
  constraint papers_pkey PRIMARY KEY (id),
  constraint papers_quarter_is_its_first_day CHECK (((EXTRACT(day FROM quarter) = (1)::numeric) AND (EXTRACT(month FROM quarter) = ANY (ARRAY[(1)::numeric, (4)::numeric, (7)::numeric, (10)::numeric])))),
  constraint papers_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint papers_say_each_month_once UNIQUE (period_id, series),
  constraint papers_say_each_payment_once UNIQUE (request_id, series),
  constraint papers_say_each_quarter_once UNIQUE (payee_id, quarter),
  constraint papers_series_is_known CHECK (((length(series) <= 12) AND private.is_paper_series(series) AND (starts_with(series, 'T'::text) = is_test)))
);
CREATE INDEX papers_by_day ON public.papers USING btree (issued_on DESC, id DESC);
CREATE INDEX papers_by_payee ON public.papers USING btree (payee_id, issued_on DESC, id DESC);
CREATE INDEX papers_that_are_e_invoices ON public.papers USING btree (issued_on) WHERE ((series ~ '^[FA][0-9]{9}$'::text) AND (NOT is_test));
create policy papers_authenticated_read on public.papers for select to authenticated using (((( SELECT private.user_role() AS user_role) = ANY (ARRAY['admin'::text, 'comptable'::text])) OR (payee_id = ( SELECT private.uid() AS uid))));
create policy papers_secret_read on public.papers for select to service_role using (true);
CREATE TRIGGER papers_are_never_changed BEFORE DELETE OR UPDATE ON public.papers FOR EACH ROW EXECUTE FUNCTION private.guard_paper();
CREATE TRIGGER papers_queue_e_invoice AFTER INSERT ON public.papers FOR EACH ROW EXECUTE FUNCTION private.queue_e_invoice();
grant select on public.papers to authenticated;
grant delete, insert, select on public.papers to parrain_service;
grant select on public.papers to service_role;

create table public.payee_ibans (
  id uuid not null default gen_random_uuid(),
  client_id uuid not null,
  mark bytea not null,
  created_at timestamp with time zone not null default private.now(),
  usable_from timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  lift_reason text,
  constraint payee_ibans_are_told_apart UNIQUE (client_id, mark),
  constraint payee_ibans_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint payee_ibans_confirmed_is_usable CHECK (((confirmed_at IS NULL) OR (usable_from <= confirmed_at))),
  constraint payee_ibans_lift_is_of_a_usable CHECK (((lift_reason IS NULL) OR (confirmed_at IS NOT NULL))),
  constraint payee_ibans_lift_reason_is_a_text CHECK ((private.is_text(lift_reason, 500) AND (btrim(lift_reason) <> ''::text))),
  constraint payee_ibans_mark_is_a_hash CHECK ((octet_length(mark) = 32)),
  constraint payee_ibans_pkey PRIMARY KEY (id)
);
CREATE INDEX payee_ibans_by_mark ON public.payee_ibans USING btree (mark);
create policy payee_ibans_authenticated_read on public.payee_ibans for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (client_id = ( SELECT private.uid() AS uid)) END);
create policy payee_ibans_secret_read on public.payee_ibans for select to service_role using (true);
CREATE TRIGGER payee_ibans_guard BEFORE UPDATE ON public.payee_ibans FOR EACH ROW EXECUTE FUNCTION private.guard_payee_iban();
CREATE TRIGGER payee_ibans_refuse_closed BEFORE INSERT ON public.payee_ibans FOR EACH ROW EXECUTE FUNCTION private.refuse_closed_account();
CREATE TRIGGER payee_ibans_tell AFTER INSERT OR UPDATE ON public.payee_ibans FOR EACH ROW EXECUTE FUNCTION private.tell_person('client_id');
grant select on public.payee_ibans to authenticated;
grant delete, insert, select, update on public.payee_ibans to parrain_service;
grant select on public.payee_ibans to service_role;

create table public.payee_invoices (
  id uuid not null default gen_random_uuid(),
  request_id uuid,
  payee_id uuid not null,
  number text not null,
  invoiced_on date not null,
  amount numeric(12,2) not null,
  vat_rate numeric(4,2),
  vat_amount numeric(12,2),
  vat_number text,
  status text not null default 'sent'::text,
  sent_at timestamp with time zone not null default private.now(),
  decided_at timestamp with time zone,
  refusal_reason text,
  name text not null,
  size integer not null,
  is_test boolean not null,
  month date,
  constraint payee_invoices_amount_is_some CHECK ((amount > (0)::numeric)),
  constraint payee_invoices_are_of_a_request_or_a_month CHECK ((num_nonnulls(request_id, month) = 1)),
  constraint payee_invoices_decision_has_a_time CHECK ( CASE status WHEN 'sent'::text THEN (decided_at IS NULL) WHEN 'lapsed'::text THEN true ELSE (decided_at IS NOT NULL) END),
  constraint payee_invoices_month_is_its_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint payee_invoices_name_is_a_line CHECK ((private.is_line(name, 255) AND (btrim(name) <> ''::text))),
  constraint payee_invoices_number_is_a_line CHECK ((private.is_line(number, 40) AND (number <> ''::text) AND (number = btrim(number)))),
  constraint payee_invoices_of_a_month UNIQUE (id, payee_id, month),
  constraint payee_invoices_of_a_request UNIQUE (id, request_id),
  constraint payee_invoices_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint payee_invoices_pkey PRIMARY KEY (id),
  constraint payee_invoices_reason_is_a_text CHECK ((private.is_text(refusal_reason, 500) AND (btrim(refusal_reason) <> ''::text))),
  constraint payee_invoices_refusal_has_a_reason CHECK (((status = 'refused'::text) = (refusal_reason IS NOT NULL))),
  constraint payee_invoices_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint payee_invoices_size_is_bounded CHECK (((size >= 1) AND (size <= 5242880))),
  constraint payee_invoices_status_is_known CHECK ((status = ANY (ARRAY['sent'::text, 'accepted'::text, 'refused'::text, 'lapsed'::text]))),
  constraint payee_invoices_vat_is_of_its_rate CHECK (((vat_rate > (0)::numeric) AND (vat_amount = private.vat_of(amount, vat_rate)))),
  constraint payee_invoices_vat_is_whole CHECK ((num_nonnulls(vat_rate, vat_amount, vat_number) = ANY (ARRAY[0, 3]))),
  constraint payee_invoices_vat_number_is_a_line CHECK (private.is_line(vat_number, 13))
);
CREATE INDEX payee_invoices_by_month ON public.payee_invoices USING btree (payee_id, month, sent_at DESC) WHERE (month IS NOT NULL);
CREATE INDEX payee_invoices_by_request ON public.payee_invoices USING btree (request_id, sent_at DESC);
CREATE UNIQUE INDEX payee_invoices_have_numbers_of_their_own ON public.payee_invoices USING btree (payee_id, lower(number)) WHERE (status = ANY (ARRAY['sent'::text, 'accepted'::text]));
CREATE UNIQUE INDEX payee_invoices_stand_alone ON public.payee_invoices USING btree (request_id) WHERE (status = ANY (ARRAY['sent'::text, 'accepted'::text]));
CREATE UNIQUE INDEX payee_invoices_stand_alone_in_a_month ON public.payee_invoices USING btree (payee_id, month) WHERE (status = ANY (ARRAY['sent'::text, 'accepted'::text]));
create policy payee_invoices_authenticated_read on public.payee_invoices for select to authenticated using (((( SELECT private.user_role() AS user_role) = ANY (ARRAY['admin'::text, 'comptable'::text])) OR (payee_id = ( SELECT private.uid() AS uid))));
create policy payee_invoices_secret_read on public.payee_invoices for select to service_role using (true);
CREATE TRIGGER payee_invoices_follow AFTER UPDATE OF status ON public.payee_invoices FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION private.follow_payee_invoice();
CREATE TRIGGER payee_invoices_guard BEFORE DELETE OR UPDATE ON public.payee_invoices FOR EACH ROW EXECUTE FUNCTION private.guard_payee_invoice();
CREATE TRIGGER payee_invoices_limit AFTER INSERT ON public.payee_invoices FOR EACH ROW WHEN ((new.payee_id = private.uid())) EXECUTE FUNCTION private.limit_writes('payee_invoice', '20');
CREATE TRIGGER payee_invoices_stand_once BEFORE INSERT OR UPDATE ON public.payee_invoices FOR EACH ROW WHEN ((new.status = ANY (ARRAY['sent'::text, 'accepted'::text]))) EXECUTE FUNCTION private.refuse_invoice_twice();
grant select on public.payee_invoices to authenticated;
grant delete, insert, select, update on public.payee_invoices to parrain_service;
grant select on public.payee_invoices to service_role;

create table public.payment_batch_lines (
  batch_id uuid not null,
  request_id uuid,
  status text not null default 'queued'::text,
  reason_code text,
  reason text,
  decided_at timestamp with time zone,
  id uuid not null,
  payee_id uuid,
  month date,
  amount numeric(12,2),
  account_id uuid,
  vat_rate numeric(4,2),
  vat_amount numeric(12,2),
  vat_mandate_id bigint,
  payee_invoice_id uuid,
  constraint payment_batch_lines_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.bank_accounts(id) ON DELETE CASCADE,
  constraint payment_batch_lines_amount_is_positive CHECK ((amount > (0)::numeric)),
  constraint payment_batch_lines_are_of_a_request_or_a_month CHECK (((num_nonnulls(request_id, month) = 1) AND ((request_id IS NULL) OR (request_id = id)) AND (num_nonnulls(payee_id, month, amount, account_id) = ANY (ARRAY[0, 4])))),
  constraint payment_batch_lines_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.payment_batches(id) ON DELETE CASCADE,
  constraint payment_batch_lines_decided_has_its_time CHECK (((status = 'queued'::text) = (decided_at IS NULL))),
  constraint payment_batch_lines_failure_has_a_reason CHECK ((((status = ANY (ARRAY['rejected'::text, 'returned'::text])) = (reason IS NOT NULL)) AND ((reason_code IS NULL) OR (status = ANY (ARRAY['rejected'::text, 'returned'::text]))))),
  constraint payment_batch_lines_invoice_is_its_own FOREIGN KEY (payee_invoice_id, payee_id, month) REFERENCES public.payee_invoices(id, payee_id, month) ON DELETE CASCADE,
  constraint payment_batch_lines_invoice_is_of_a_month CHECK (((payee_invoice_id IS NULL) OR (month IS NOT NULL))),
  constraint payment_batch_lines_month_is_its_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint payment_batch_lines_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES public.profiles(id) ON DELETE CASCADE,
  constraint payment_batch_lines_pkey PRIMARY KEY (id),
  constraint payment_batch_lines_reason_code_is_one CHECK ((private.is_line(reason_code, 4) AND (reason_code ~ '^[0-9A-Z]{4}$'::text))),
  constraint payment_batch_lines_reason_is_a_text CHECK ((private.is_text(reason, 500) AND (btrim(reason) <> ''::text))),
  constraint payment_batch_lines_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint payment_batch_lines_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'paid'::text, 'rejected'::text, 'returned'::text]))),
  constraint payment_batch_lines_vat_is_of_a_month CHECK (((vat_rate IS NULL) OR (month IS NOT NULL))),
  constraint payment_batch_lines_vat_is_of_its_rate CHECK (((vat_rate > (0)::numeric) AND (vat_amount = private.vat_of(amount, vat_rate)))),
  constraint payment_batch_lines_vat_is_whole CHECK (((num_nonnulls(vat_mandate_id, payee_invoice_id) < 2) AND CASE WHEN (vat_rate IS NULL) THEN (num_nonnulls(vat_amount, vat_mandate_id) = 0) ELSE ((vat_amount IS NOT NULL) AND (num_nonnulls(vat_mandate_id, payee_invoice_id) = 1)) END)),
  constraint payment_batch_lines_vat_mandate_id_fkey FOREIGN KEY (vat_mandate_id) REFERENCES private.mandates(id) ON DELETE RESTRICT
);
CREATE INDEX payment_batch_lines_by_account ON public.payment_batch_lines USING btree (account_id);
CREATE INDEX payment_batch_lines_by_batch ON public.payment_batch_lines USING btree (batch_id);
CREATE INDEX payment_batch_lines_by_payee ON public.payment_batch_lines USING btree (payee_id, month);
CREATE INDEX payment_batch_lines_by_payee_invoice ON public.payment_batch_lines USING btree (payee_invoice_id) WHERE (payee_invoice_id IS NOT NULL);
CREATE INDEX payment_batch_lines_by_request ON public.payment_batch_lines USING btree (request_id);
CREATE INDEX payment_batch_lines_by_vat_mandate ON public.payment_batch_lines USING btree (vat_mandate_id) WHERE (vat_mandate_id IS NOT NULL);
CREATE UNIQUE INDEX payment_batch_lines_pay_a_month_once ON public.payment_batch_lines USING btree (payee_id, month) WHERE (status = ANY (ARRAY['queued'::text, 'paid'::text]));
CREATE UNIQUE INDEX payment_batch_lines_pay_a_payee_once ON public.payment_batch_lines USING btree (payee_id) WHERE ((status = 'queued'::text) AND (month IS NOT NULL));
CREATE UNIQUE INDEX payment_batch_lines_pay_once ON public.payment_batch_lines USING btree (request_id) WHERE (status = ANY (ARRAY['queued'::text, 'paid'::text]));
create policy payment_batch_lines_authenticated_read on public.payment_batch_lines for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy payment_batch_lines_payee_read on public.payment_batch_lines for select to authenticated using ((payee_id = ( SELECT private.uid() AS uid)));
create policy payment_batch_lines_secret_read on public.payment_batch_lines for select to service_role using (true);
CREATE TRIGGER payment_batch_lines_close_account AFTER UPDATE OF status ON public.payment_batch_lines FOR EACH ROW WHEN (((new.status = ANY (ARRAY['rejected'::text, 'returned'::text])) AND (old.status <> new.status) AND private.ends_account(new.reason_code))) EXECUTE FUNCTION private.close_refused_account();
CREATE TRIGGER payment_batch_lines_drop_empty AFTER DELETE ON public.payment_batch_lines REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.drop_empty_batches();
CREATE TRIGGER payment_batch_lines_guard BEFORE INSERT OR DELETE OR UPDATE ON public.payment_batch_lines FOR EACH ROW EXECUTE FUNCTION private.guard_payment_batch_line();
CREATE TRIGGER payment_batch_lines_webhooks AFTER INSERT OR DELETE OR UPDATE ON public.payment_batch_lines FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
grant select on public.payment_batch_lines to authenticated;
grant delete, insert, select, update on public.payment_batch_lines to parrain_service;
grant select on public.payment_batch_lines to service_role;

create table public.payment_batches (
  id uuid not null default gen_random_uuid(),
  number integer not null generated always as identity,
  status text not null default 'draft'::text,
  made_by uuid,
  created_at timestamp with time zone not null default private.now(),
  execution_on date,
  format text,
  released_by uuid,
  released_at timestamp with time zone,
  sent_at timestamp with time zone,
  settled_at timestamp with time zone,
  version integer not null default 1,
  updated_at timestamp with time zone not null default private.now(),
  is_test boolean not null,
  constraint payment_batches_format_is_known CHECK ((format = ANY (ARRAY['03'::text, '09'::text]))),
  constraint payment_batches_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint payment_batches_pkey PRIMARY KEY (id),
  constraint payment_batches_release_is_whole CHECK ((((status = 'draft'::text) = (released_at IS NULL)) AND ((status = 'draft'::text) = (execution_on IS NULL)) AND ((status = 'draft'::text) = (format IS NULL)))),
  constraint payment_batches_released_by_fkey FOREIGN KEY (released_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint payment_batches_status_is_known CHECK ((status = ANY (ARRAY['draft'::text, 'released'::text, 'sent'::text, 'settled'::text]))),
  constraint payment_batches_times_follow_the_status CHECK ((((status = 'settled'::text) = (settled_at IS NOT NULL)) AND ((sent_at IS NULL) OR (status = ANY (ARRAY['sent'::text, 'settled'::text]))) AND ((status <> 'sent'::text) OR (sent_at IS NOT NULL))))
);
CREATE INDEX payment_batches_by_creation ON public.payment_batches USING btree (created_at DESC, id);
CREATE INDEX payment_batches_by_maker ON public.payment_batches USING btree (made_by);
CREATE INDEX payment_batches_by_releaser ON public.payment_batches USING btree (released_by);
create policy payment_batches_authenticated_read on public.payment_batches for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy payment_batches_secret_read on public.payment_batches for select to service_role using (true);
CREATE TRIGGER payment_batches_audit AFTER INSERT OR DELETE OR UPDATE ON public.payment_batches FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER payment_batches_guard BEFORE INSERT OR DELETE OR UPDATE ON public.payment_batches FOR EACH ROW EXECUTE FUNCTION private.guard_payment_batch();
CREATE TRIGGER payment_batches_payees_abroad BEFORE UPDATE ON public.payment_batches FOR EACH ROW WHEN (((old.status = 'draft'::text) AND (new.status = 'released'::text))) EXECUTE FUNCTION private.guard_payee_abroad();
CREATE TRIGGER payment_batches_payees_are_complete BEFORE UPDATE ON public.payment_batches FOR EACH ROW WHEN (((old.status = 'draft'::text) AND (new.status = 'released'::text))) EXECUTE FUNCTION private.guard_payees_of_batch();
grant select on public.payment_batches to authenticated;
grant delete, insert, select, update on public.payment_batches to parrain_service;
grant select on public.payment_batches to service_role;

create table public.payment_proofs (
  request_id uuid not null,
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 bytea not null,
  added_at timestamp with time zone not null default private.now(),
  constraint payment_proofs_content_type_is_known CHECK ((content_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  constraint payment_proofs_name_is_a_line CHECK ((private.is_line(name, 255) AND (btrim(name) <> ''::text))),
  constraint payment_proofs_pkey PRIMARY KEY (request_id),
  constraint payment_proofs_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.payment_requests(id) ON DELETE CASCADE,
  constraint payment_proofs_sha256_is_one CHECK ((octet_length(sha256) = 32)),
  constraint payment_proofs_size_is_bounded CHECK (((size >= 1) AND (size <= 5242880)))
);
create policy payment_proofs_authenticated_read on public.payment_proofs for select to authenticated using ((EXISTS ( SELECT FROM public.payment_requests r WHERE (r.id = payment_proofs.request_id))));
create policy payment_proofs_secret_read on public.payment_proofs for select to service_role using (true);
grant select on public.payment_proofs to authenticated;
grant delete, insert, select, update on public.payment_proofs to parrain_service;
grant select on public.payment_proofs to service_role;

create table public.payment_requests (
  id uuid not null default gen_random_uuid(),
  client_id uuid not null,
  amount numeric(12,2) not null,
  payment_method text not null default 'virement'::text,
  payment_details jsonb not null default '{}'::jsonb,
  status text not null default 'pending'::text,
  admin_notes text,
  rejection_reason text,
  created_at timestamp with time zone not null default private.now(),
  approved_at timestamp with time zone,
  paid_at timestamp with time zone,
  version integer not null default 1,
  updated_at timestamp with time zone not null default private.now(),
  is_test boolean not null default false,
  approval_annulled_reason text,
  returned_at timestamp with time zone,
  return_reason text,
  iban_id uuid,
  settlement_reference text,
  association_name text,
  association_number text,
  vat_rate numeric(4,2),
  vat_amount numeric(12,2),
  vat_mandate_id bigint,
  payee_invoice_id uuid,
  constraint payment_requests_admin_notes_is_a_text CHECK (private.is_text(admin_notes, 2000)),
  constraint payment_requests_amount_is_at_least_1 CHECK ((amount >= (1)::numeric)),
  constraint payment_requests_annulment_is_of_a_pending CHECK (((approval_annulled_reason IS NULL) OR ((status = 'pending'::text) AND (length(btrim(approval_annulled_reason)) > 0)))),
  constraint payment_requests_annulment_reason_is_a_text CHECK (((length(approval_annulled_reason) <= 500) AND (approval_annulled_reason !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]'::text))),
  constraint payment_requests_association_is_of_a_donation CHECK (((association_name IS NULL) OR (payment_method = 'association'::text))),
  constraint payment_requests_association_name_is_a_line CHECK ((private.is_line(association_name, 255) AND (btrim(association_name) <> ''::text))),
  constraint payment_requests_association_number_has_a_name CHECK (((association_number IS NULL) OR (association_name IS NOT NULL))),
  constraint payment_requests_association_number_is_one CHECK ((private.is_line(association_number, 10) AND ((association_number IS NULL) OR private.is_association_number(association_number)))),
  constraint payment_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint payment_requests_iban_id_fkey FOREIGN KEY (iban_id) REFERENCES public.payee_ibans(id) ON DELETE RESTRICT,
  constraint payment_requests_invoice_is_its_own FOREIGN KEY (payee_invoice_id, id) REFERENCES public.payee_invoices(id, request_id) ON DELETE RESTRICT,
  constraint payment_requests_invoice_is_of_a_transfer CHECK (((payee_invoice_id IS NULL) OR (payment_method = 'virement'::text))),
  constraint payment_requests_method_is_known CHECK ((payment_method = ANY (ARRAY['virement'::text, 'cheque_cadeau'::text, 'association'::text, 'remise_societe'::text]))),
  constraint payment_requests_only_transfers_return CHECK (((status <> 'returned'::text) OR (payment_method = 'virement'::text))),
  constraint payment_requests_payment_details_is_bounded CHECK ((octet_length((payment_details)::text) <= 20000)),
  constraint payment_requests_pkey PRIMARY KEY (id),
  constraint payment_requests_refusal_has_a_reason CHECK ((((status = 'rejected'::text) = (rejection_reason IS NOT NULL)) AND (length(btrim(rejection_reason)) > 0))),
  constraint payment_requests_rejection_reason_is_a_text CHECK (private.is_text(rejection_reason, 2000)),
  constraint payment_requests_return_has_a_reason CHECK (((status = 'returned'::text) = (return_reason IS NOT NULL))),
  constraint payment_requests_return_reason_is_a_text CHECK ((private.is_text(return_reason, 500) AND (btrim(return_reason) <> ''::text))),
  constraint payment_requests_settlement_is_of_a_payment CHECK (((num_nonnulls(settlement_reference, association_name) = 0) OR (status = ANY (ARRAY['paid'::text, 'returned'::text])))),
  constraint payment_requests_settlement_reference_is_a_line CHECK ((private.is_line(settlement_reference, 140) AND (btrim(settlement_reference) <> ''::text))),
  constraint payment_requests_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'paid'::text, 'returned'::text]))),
  constraint payment_requests_times_follow_the_status CHECK ((((status = ANY (ARRAY['approved'::text, 'paid'::text, 'returned'::text])) = (approved_at IS NOT NULL)) AND ((status = ANY (ARRAY['paid'::text, 'returned'::text])) = (paid_at IS NOT NULL)) AND ((status = 'returned'::text) = (returned_at IS NOT NULL)))),
  constraint payment_requests_vat_is_of_a_transfer CHECK (((vat_rate IS NULL) OR (payment_method = 'virement'::text))),
  constraint payment_requests_vat_is_of_its_rate CHECK (((vat_rate > (0)::numeric) AND (vat_amount = private.vat_of(amount, vat_rate)))),
  constraint payment_requests_vat_is_whole CHECK (((num_nonnulls(vat_mandate_id, payee_invoice_id) < 2) AND CASE WHEN (vat_rate IS NULL) THEN (num_nonnulls(vat_amount, vat_mandate_id) = 0) ELSE ((vat_amount IS NOT NULL) AND (num_nonnulls(vat_mandate_id, payee_invoice_id) = 1)) END)),
  constraint payment_requests_vat_mandate_id_fkey FOREIGN KEY (vat_mandate_id) REFERENCES private.mandates(id) ON DELETE RESTRICT
);
CREATE INDEX payment_requests_by_amount ON public.payment_requests USING btree (amount DESC, id);
CREATE INDEX payment_requests_by_client ON public.payment_requests USING btree (client_id, created_at DESC);
CREATE INDEX payment_requests_by_creation ON public.payment_requests USING btree (created_at DESC, id);
CREATE INDEX payment_requests_by_iban ON public.payment_requests USING btree (iban_id) WHERE (iban_id IS NOT NULL);
CREATE INDEX payment_requests_by_method ON public.payment_requests USING btree (payment_method DESC, id);
CREATE UNIQUE INDEX payment_requests_by_payee_invoice ON public.payment_requests USING btree (payee_invoice_id, id) WHERE (payee_invoice_id IS NOT NULL);
CREATE INDEX payment_requests_by_payment ON public.payment_requests USING btree (paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX payment_requests_by_reference_terms ON public.payment_requests USING gin (private.plain_letters(settlement_reference) public.gin_trgm_ops) WHERE (settlement_reference IS NOT NULL);
CREATE INDEX payment_requests_by_refusal ON public.payment_requests USING btree (updated_at) WHERE (status = 'rejected'::text);
CREATE INDEX payment_requests_by_return ON public.payment_requests USING btree (returned_at) WHERE (returned_at IS NOT NULL);
CREATE INDEX payment_requests_by_status ON public.payment_requests USING btree (status, created_at DESC);
CREATE INDEX payment_requests_by_vat_mandate ON public.payment_requests USING btree (vat_mandate_id) WHERE (vat_mandate_id IS NOT NULL);
create policy payment_requests_authenticated_read on public.payment_requests for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE (client_id = ( SELECT private.uid() AS uid)) END);
create policy payment_requests_key_read on public.payment_requests for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy payment_requests_secret_read on public.payment_requests for select to service_role using (true);
CREATE TRIGGER payment_requests_audit AFTER INSERT OR DELETE OR UPDATE ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER payment_requests_bound_open BEFORE INSERT ON public.payment_requests FOR EACH ROW WHEN ((new.status = 'pending'::text)) EXECUTE FUNCTION private.bound_open_requests();
CREATE TRIGGER payment_requests_clear BEFORE UPDATE OF status ON public.payment_requests FOR EACH ROW WHEN (((old.status = 'pending'::text) AND (new.status = 'approved'::text))) EXECUTE FUNCTION private.check_request_is_clear();
CREATE TRIGGER payment_requests_counted AFTER INSERT OR DELETE ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.count_payment_request();
CREATE TRIGGER payment_requests_counted_on_update AFTER UPDATE ON public.payment_requests FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION private.count_payment_request();
CREATE TRIGGER payment_requests_doubt AFTER INSERT ON public.payment_requests FOR EACH ROW WHEN ((new.iban_id IS NOT NULL)) EXECUTE FUNCTION private.doubt_request();
CREATE TRIGGER payment_requests_forget_in_webhooks_deleted AFTER DELETE ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.forget_in_webhooks();
CREATE TRIGGER payment_requests_guard BEFORE INSERT OR DELETE OR UPDATE ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.guard_payment_request();
CREATE TRIGGER payment_requests_have_a_bic BEFORE INSERT ON public.payment_requests FOR EACH ROW WHEN (((new.payment_method = 'virement'::text) AND ((new.payment_details ->> 'iban'::text) <> ''::text) AND private.is_outside_eea((new.payment_details ->> 'iban'::text)) AND (COALESCE((new.payment_details ->> 'bic'::text), ''::text) !~ '^[A-Z]{6}[0-9A-Z]{2}([0-9A-Z]{3})?$'::text))) EXECUTE FUNCTION private.refuse_without_bic();
CREATE TRIGGER payment_requests_lapse_invoice AFTER UPDATE OF status ON public.payment_requests FOR EACH ROW WHEN (((new.status = ANY (ARRAY['rejected'::text, 'returned'::text])) AND (old.status <> new.status))) EXECUTE FUNCTION private.lapse_payee_invoice();
CREATE CONSTRAINT TRIGGER payment_requests_make_paper AFTER UPDATE ON public.payment_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['paid'::text, 'returned'::text])))) EXECUTE FUNCTION private.make_paper();
CREATE TRIGGER payment_requests_paid_once_invoiced BEFORE UPDATE ON public.payment_requests FOR EACH ROW WHEN (((new.status = 'paid'::text) AND (old.status <> 'paid'::text) AND (new.payee_invoice_id IS NOT NULL))) EXECUTE FUNCTION private.guard_invoiced_payment();
CREATE TRIGGER payment_requests_payee_abroad BEFORE UPDATE ON public.payment_requests FOR EACH ROW WHEN (((new.status = ANY (ARRAY['approved'::text, 'paid'::text])) AND (old.status <> new.status))) EXECUTE FUNCTION private.guard_payee_abroad();
CREATE TRIGGER payment_requests_payee_abroad_is_asked BEFORE INSERT ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.guard_payee_abroad();
CREATE TRIGGER payment_requests_payee_is_complete BEFORE UPDATE ON public.payment_requests FOR EACH ROW WHEN (((new.status = ANY (ARRAY['approved'::text, 'paid'::text])) AND (old.status <> new.status))) EXECUTE FUNCTION private.guard_payee_of_request();
CREATE TRIGGER payment_requests_post AFTER INSERT ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.post_payment_request();
CREATE TRIGGER payment_requests_post_decision AFTER UPDATE ON public.payment_requests FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['rejected'::text, 'paid'::text, 'returned'::text])))) EXECUTE FUNCTION private.post_payment_request();
CREATE TRIGGER payment_requests_tell_delete AFTER DELETE ON public.payment_requests REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER payment_requests_tell_insert AFTER INSERT ON public.payment_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER payment_requests_tell_people_insert AFTER INSERT ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.tell_request_move();
CREATE TRIGGER payment_requests_tell_people_update AFTER UPDATE OF status ON public.payment_requests FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION private.tell_request_move();
CREATE TRIGGER payment_requests_tell_update AFTER UPDATE ON public.payment_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER payment_requests_webhooks_insert AFTER INSERT ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
CREATE TRIGGER payment_requests_webhooks_update AFTER UPDATE OF status ON public.payment_requests FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
grant select on public.payment_requests to api_key;
grant select on public.payment_requests to authenticated;
grant delete, insert, select, update on public.payment_requests to parrain_service;
grant select on public.payment_requests to service_role;

create table public.profiles (
  id uuid not null,
  full_name text not null,
  email text not null,
  phone text,
  role text not null,
  created_at timestamp with time zone not null default private.now(),
  company text,
  notes text,
  commercial_id uuid,
  deactivated_at timestamp with time zone,
  is_test boolean not null default false,
  updated_at timestamp with time zone not null default now(),
  constraint profiles_commercial_id_fkey FOREIGN KEY (commercial_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint profiles_company_is_a_line CHECK (private.is_line(company, 120)),
  constraint profiles_email_is_a_line CHECK (private.is_line(email, 255)),
  constraint profiles_email_is_lower_case CHECK ((email = lower(email))),
  constraint profiles_full_name_is_a_name CHECK (private.is_name(full_name)),
  constraint profiles_id_fkey FOREIGN KEY (id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint profiles_notes_is_a_text CHECK (private.is_text(notes, 2000)),
  constraint profiles_only_a_client_has_a_commercial CHECK (((commercial_id IS NULL) OR (role = 'client'::text))),
  constraint profiles_phone_is_a_line CHECK (private.is_line(phone, 40)),
  constraint profiles_pkey PRIMARY KEY (id),
  constraint profiles_role_is_known CHECK ((role = ANY (ARRAY['admin'::text, 'commercial'::text, 'client'::text, 'comptable'::text])))
);
CREATE INDEX profiles_by_commercial ON public.profiles USING btree (commercial_id, created_at DESC);
CREATE INDEX profiles_by_loose_mailbox ON public.profiles USING btree (private.loose_mailbox_of(email)) WHERE (email <> ''::text);
CREATE INDEX profiles_by_mailbox ON public.profiles USING btree (private.mailbox_of(email)) WHERE (email <> ''::text);
CREATE INDEX profiles_by_name ON public.profiles USING btree (full_name, id);
CREATE INDEX profiles_by_phone ON public.profiles USING btree (private.phone_of(phone)) WHERE (phone IS NOT NULL);
CREATE INDEX profiles_by_role ON public.profiles USING btree (role, created_at DESC);
CREATE INDEX profiles_by_terms ON public.profiles USING gin (private.person_terms(full_name, email, phone, company) public.gin_trgm_ops);
CREATE UNIQUE INDEX profiles_email_is_unique ON public.profiles USING btree (email) WHERE (email <> ''::text);
CREATE INDEX profiles_of_tests ON public.profiles USING btree (id) WHERE is_test;
create policy profiles_authenticated_read on public.profiles for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE ((id = ( SELECT private.uid() AS uid)) OR (commercial_id = ( SELECT private.uid() AS uid)) OR (id = ( SELECT private.my_commercial_id() AS my_commercial_id))) END);
create policy profiles_key_read on public.profiles for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy profiles_owner_update on public.profiles for update to authenticated using ((id = ( SELECT private.uid() AS uid))) with check ((id = ( SELECT private.uid() AS uid)));
create policy profiles_secret_read on public.profiles for select to service_role using (true);
CREATE TRIGGER profiles_audit AFTER INSERT OR DELETE OR UPDATE ON public.profiles FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER profiles_commercial BEFORE INSERT OR UPDATE OF commercial_id ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.check_commercial();
CREATE TRIGGER profiles_counted_by_role AFTER INSERT OR DELETE ON public.profiles FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.count_role();
CREATE TRIGGER profiles_counted_by_role_on_update AFTER UPDATE ON public.profiles FOR EACH ROW WHEN ((old.role <> new.role)) EXECUTE FUNCTION private.count_role();
CREATE TRIGGER profiles_counted_on_delete AFTER DELETE ON public.profiles FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.count_profile();
CREATE TRIGGER profiles_counted_on_insert AFTER INSERT ON public.profiles FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.count_profile();
CREATE TRIGGER profiles_counted_on_update AFTER UPDATE OF deactivated_at ON public.profiles FOR EACH ROW WHEN ((new.role = 'commercial'::text)) EXECUTE FUNCTION private.count_profile();
CREATE TRIGGER profiles_forget_in_webhooks AFTER UPDATE ON public.profiles FOR EACH ROW WHEN ((((((old.full_name IS DISTINCT FROM new.full_name) OR (old.email IS DISTINCT FROM new.email)) OR (old.phone IS DISTINCT FROM new.phone)) OR (old.company IS DISTINCT FROM new.company)) OR (old.notes IS DISTINCT FROM new.notes))) EXECUTE FUNCTION private.forget_in_webhooks('full_name', 'email', 'phone', 'company', 'notes');
CREATE TRIGGER profiles_forget_in_webhooks_deleted AFTER DELETE ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.forget_in_webhooks();
CREATE TRIGGER profiles_forget_mails_deactivated AFTER UPDATE OF deactivated_at ON public.profiles FOR EACH ROW WHEN (((old.deactivated_at IS NULL) AND (new.deactivated_at IS NOT NULL))) EXECUTE FUNCTION private.forget_mails_to();
CREATE TRIGGER profiles_forget_mails_deleted AFTER DELETE ON public.profiles FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.forget_mails_to();
CREATE TRIGGER profiles_forget_notices AFTER UPDATE OF deactivated_at ON public.profiles FOR EACH ROW WHEN (((old.deactivated_at IS NULL) AND (new.deactivated_at IS NOT NULL))) EXECUTE FUNCTION private.forget_notices();
CREATE TRIGGER profiles_guard BEFORE UPDATE ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.guard_profile();
CREATE TRIGGER profiles_limit_changes AFTER UPDATE OF full_name, phone ON public.profiles FOR EACH ROW WHEN ((((old.full_name IS DISTINCT FROM new.full_name) OR (old.phone IS DISTINCT FROM new.phone)) AND (new.id = private.uid()))) EXECUTE FUNCTION private.limit_writes('profile', '30');
CREATE TRIGGER profiles_limit_invitations AFTER INSERT ON public.profiles FOR EACH ROW WHEN (((new.id IS DISTINCT FROM private.uid()) AND (NOT private.is_importing()))) EXECUTE FUNCTION private.limit_writes('invitation', '300');
CREATE TRIGGER profiles_own_words BEFORE UPDATE OF full_name, phone ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.guard_own_words();
CREATE TRIGGER profiles_received AFTER INSERT ON public.profiles FOR EACH ROW WHEN (((new.role = 'client'::text) AND (new.commercial_id IS NULL) AND (CURRENT_USER = 'parrain_service'::name) AND (current_setting('app.importing'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION private.receive_registered();
CREATE TRIGGER profiles_tell_commercial_given AFTER UPDATE OF commercial_id ON public.profiles FOR EACH ROW WHEN (((old.commercial_id IS NULL) AND (new.commercial_id IS NOT NULL))) EXECUTE FUNCTION private.tell_commercial_given();
CREATE TRIGGER profiles_tell_delete AFTER DELETE ON public.profiles REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER profiles_tell_insert AFTER INSERT ON public.profiles REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER profiles_tell_update AFTER UPDATE ON public.profiles REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER profiles_webhooks AFTER INSERT OR DELETE OR UPDATE ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
grant select on public.profiles to api_key;
grant select on public.profiles to authenticated;
grant delete, insert, select, update on public.profiles to parrain_service;
grant select on public.profiles to service_role;
grant update (full_name, phone) on public.profiles to authenticated;

create table public.sale_terms (
  sale_id uuid not null,
  version_id uuid not null,
  number integer not null,
  first_day date not null,
  chosen_reason text,
  constraint sale_terms_pkey PRIMARY KEY (sale_id),
  constraint sale_terms_reason_is_a_text CHECK ((private.is_text(chosen_reason, 2000) AND (length(btrim(chosen_reason)) > 0))),
  constraint sale_terms_sale_id_fkey FOREIGN KEY (sale_id) REFERENCES public.sales(id) ON DELETE CASCADE,
  constraint sale_terms_version_id_fkey FOREIGN KEY (version_id, number, first_day) REFERENCES public.scale_versions(id, number, first_day) ON DELETE RESTRICT
);
CREATE INDEX sale_terms_by_version ON public.sale_terms USING btree (version_id);
create policy sale_terms_authenticated_read on public.sale_terms for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE ((EXISTS ( SELECT FROM public.sales s WHERE (s.id = sale_terms.sale_id))) OR (EXISTS ( SELECT FROM public.commission_payments p WHERE (p.sale_id = sale_terms.sale_id)))) END);
create policy sale_terms_key_read on public.sale_terms for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy sale_terms_secret_read on public.sale_terms for select to service_role using (true);
CREATE TRIGGER sale_terms_are_kept BEFORE TRUNCATE ON public.sale_terms FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_audit_change();
CREATE TRIGGER sale_terms_guard BEFORE DELETE OR UPDATE ON public.sale_terms FOR EACH ROW EXECUTE FUNCTION private.guard_sale_terms();
grant select on public.sale_terms to api_key;
grant select on public.sale_terms to authenticated;
grant delete, insert, select on public.sale_terms to parrain_service;
grant select on public.sale_terms to service_role;

create table public.sales (
  id uuid not null default gen_random_uuid(),
  created_at timestamp with time zone not null default private.now(),
  status text not null default 'pending'::text,
  referred_contact_name text not null,
  referred_contact_email text,
  referred_contact_phone text,
  personal_message text,
  contract_amount numeric(12,2),
  contract_description text,
  commercial_notes text,
  commercial_id uuid,
  client_referrer_id uuid,
  friend_referrer_id uuid,
  commission_rate uuid,
  ready_for_validation boolean not null default false,
  admin_validated boolean not null default false,
  rejection_reason text,
  validated_at timestamp with time zone,
  validated_by uuid,
  client_commission_amount numeric(12,2),
  commercial_commission_amount numeric(12,2),
  client_commission_type text,
  client_commission_rate numeric(12,2),
  commercial_commission_type text,
  commercial_commission_rate numeric(12,2),
  corrects_sale_id uuid,
  correction_reason text,
  version integer not null default 1,
  updated_at timestamp with time zone not null default private.now(),
  is_test boolean not null default false,
  contract_left numeric(12,2),
  contacted_at timestamp with time zone,
  negotiated_at timestamp with time zone,
  signed_at timestamp with time zone,
  constraint sales_admin_validated_is_complete CHECK (((NOT admin_validated) OR ((status = 'validated'::text) AND (validated_at IS NOT NULL) AND (validated_by IS NOT NULL) AND (commission_rate IS NOT NULL) AND (commercial_id IS NOT NULL) AND (client_commission_amount IS NOT NULL) AND (commercial_commission_amount IS NOT NULL)))),
  constraint sales_amount_is_within_bounds CHECK (( CASE WHEN (corrects_sale_id IS NULL) THEN (contract_amount > (0)::numeric) WHEN (contract_left IS NULL) THEN (contract_amount < (0)::numeric) ELSE (contract_amount <> (0)::numeric) END AND (abs(contract_amount) <= 9999999.99) AND (COALESCE(contract_left, (0)::numeric) <= 9999999.99))),
  constraint sales_amounts_come_with_their_scale CHECK ((num_nulls(client_commission_amount, commercial_commission_amount, client_commission_type, client_commission_rate, commercial_commission_type, commercial_commission_rate) = ANY (ARRAY[0, 6]))),
  constraint sales_client_referrer_id_fkey FOREIGN KEY (client_referrer_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint sales_commercial_id_fkey FOREIGN KEY (commercial_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint sales_commercial_notes_is_a_text CHECK (private.is_text(commercial_notes, 2000)),
  constraint sales_commission_rate_fkey FOREIGN KEY (commission_rate) REFERENCES public.commission_rates(id) ON DELETE RESTRICT,
  constraint sales_contract_description_is_a_text CHECK (private.is_text(contract_description, 2000)),
  constraint sales_contract_left_is_of_a_correction CHECK (((contract_left IS NULL) OR ((contract_left > (0)::numeric) AND (corrects_sale_id IS NOT NULL)))),
  constraint sales_correction_reason_is_a_text CHECK (private.is_text(correction_reason, 2000)),
  constraint sales_correction_says_why CHECK ((((corrects_sale_id IS NULL) = (correction_reason IS NULL)) AND ((corrects_sale_id IS NULL) OR admin_validated))),
  constraint sales_corrects_sale_id_fkey FOREIGN KEY (corrects_sale_id) REFERENCES public.sales(id) ON DELETE RESTRICT,
  constraint sales_friend_referrer_id_fkey FOREIGN KEY (friend_referrer_id) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint sales_personal_message_is_a_text CHECK (private.is_text(personal_message, 500)),
  constraint sales_pkey PRIMARY KEY (id),
  constraint sales_ready_has_a_contract CHECK (((NOT ready_for_validation) OR ((contract_amount IS NOT NULL) AND (length(btrim(contract_description)) > 0)))),
  constraint sales_ready_is_pending_or_validated CHECK (((NOT ready_for_validation) OR (status = ANY ('{pending,validated}'::text[])))),
  constraint sales_referred_contact_email_is_a_line CHECK (private.is_line(referred_contact_email, 255)),
  constraint sales_referred_contact_name_is_a_name CHECK (private.is_name(referred_contact_name)),
  constraint sales_referred_contact_phone_is_a_line CHECK (private.is_line(referred_contact_phone, 40)),
  constraint sales_rejection_reason_is_a_text CHECK (private.is_text(rejection_reason, 2000)),
  constraint sales_rejection_reason_is_of_a_rejected CHECK (((rejection_reason IS NULL) OR (status = 'rejected'::text))),
  constraint sales_status_is_known CHECK ((status = ANY ('{pending,contacted,in_negotiation,validated,rejected}'::text[]))),
  constraint sales_validated_by_fkey FOREIGN KEY (validated_by) REFERENCES public.profiles(id) ON DELETE RESTRICT,
  constraint sales_validated_is_ready CHECK (((status <> 'validated'::text) OR ready_for_validation)),
  constraint sales_validator_is_no_referrer CHECK (((validated_by IS NULL) OR (corrects_sale_id IS NOT NULL) OR ((validated_by IS DISTINCT FROM friend_referrer_id) AND (validated_by IS DISTINCT FROM client_referrer_id) AND (validated_by IS DISTINCT FROM commercial_id)))),
  constraint sales_validator_means_validated CHECK ((admin_validated OR ((validated_at IS NULL) AND (validated_by IS NULL))))
);
CREATE INDEX sales_awaiting_validation ON public.sales USING btree (created_at DESC) WHERE (ready_for_validation AND (NOT admin_validated));
CREATE INDEX sales_by_amount ON public.sales USING btree (contract_amount, id);
CREATE INDEX sales_by_amount_down ON public.sales USING btree (contract_amount DESC NULLS LAST, id DESC);
CREATE INDEX sales_by_client_referrer ON public.sales USING btree (client_referrer_id, created_at DESC) WHERE (client_referrer_id IS NOT NULL);
CREATE INDEX sales_by_commercial ON public.sales USING btree (commercial_id, created_at DESC);
CREATE INDEX sales_by_commercial_and_status ON public.sales USING btree (commercial_id, status, created_at DESC);
CREATE INDEX sales_by_commercial_and_terms ON public.sales USING gin (commercial_id, private.sale_terms(referred_contact_name, referred_contact_email, referred_contact_phone, contract_description) public.gin_trgm_ops);
CREATE INDEX sales_by_contact_email ON public.sales USING btree (referred_contact_email) WHERE (referred_contact_email IS NOT NULL);
CREATE INDEX sales_by_contact_mailbox ON public.sales USING btree (private.mailbox_of(referred_contact_email)) WHERE (referred_contact_email IS NOT NULL);
CREATE INDEX sales_by_contact_phone ON public.sales USING btree (private.phone_of(referred_contact_phone)) WHERE (referred_contact_phone IS NOT NULL);
CREATE INDEX sales_by_correction ON public.sales USING btree (corrects_sale_id, created_at) WHERE (corrects_sale_id IS NOT NULL);
CREATE INDEX sales_by_creation ON public.sales USING btree (created_at DESC, id);
CREATE INDEX sales_by_first_call ON public.sales USING btree (commercial_id, created_at) INCLUDE (contacted_at) WHERE ((contacted_at IS NOT NULL) AND (corrects_sale_id IS NULL));
CREATE INDEX sales_by_friend_referrer ON public.sales USING btree (friend_referrer_id, created_at DESC);
CREATE INDEX sales_by_last_contact ON public.sales USING btree (updated_at) WHERE ((NOT ready_for_validation) AND (corrects_sale_id IS NULL) AND (num_nonnulls(referred_contact_email, referred_contact_phone) > 0));
CREATE INDEX sales_by_name ON public.sales USING btree (referred_contact_name, id);
CREATE INDEX sales_by_status ON public.sales USING btree (status, created_at DESC);
CREATE INDEX sales_by_status_alone ON public.sales USING btree (status, id);
CREATE INDEX sales_by_validator ON public.sales USING btree (validated_by) WHERE (validated_by IS NOT NULL);
CREATE INDEX sales_uncontacted ON public.sales USING btree (created_at) WHERE ((status = 'pending'::text) AND (NOT ready_for_validation) AND (corrects_sale_id IS NULL));
CREATE INDEX sales_validated_by_commercial ON public.sales USING btree (commercial_id, validated_at) INCLUDE (commission_rate, contract_amount, commercial_commission_amount, corrects_sale_id, contract_left, is_test) WHERE admin_validated;
CREATE INDEX sales_without_news ON public.sales USING btree (updated_at) WHERE ((status = ANY (ARRAY['pending'::text, 'contacted'::text, 'in_negotiation'::text])) AND (NOT ready_for_validation));
create policy sales_authenticated_read on public.sales for select to authenticated using ( CASE WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN true ELSE ((commercial_id = ( SELECT private.uid() AS uid)) OR (friend_referrer_id = ( SELECT private.uid() AS uid))) END);
create policy sales_key_read on public.sales for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy sales_secret_read on public.sales for select to service_role using (true);
CREATE TRIGGER sales_audit AFTER INSERT OR DELETE OR UPDATE ON public.sales FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.audit_change();
CREATE TRIGGER sales_commercial BEFORE INSERT OR UPDATE OF commercial_id ON public.sales FOR EACH ROW EXECUTE FUNCTION private.check_commercial();
CREATE TRIGGER sales_correction_guard BEFORE INSERT ON public.sales FOR EACH ROW WHEN ((new.corrects_sale_id IS NOT NULL)) EXECUTE FUNCTION private.guard_correction();
CREATE TRIGGER sales_counted_on_delete AFTER DELETE ON public.sales REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_sales();
CREATE TRIGGER sales_counted_on_insert AFTER INSERT ON public.sales REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_sales();
CREATE TRIGGER sales_counted_on_update AFTER UPDATE ON public.sales REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_sales();
CREATE TRIGGER sales_doubt AFTER INSERT ON public.sales FOR EACH ROW WHEN (((new.corrects_sale_id IS NULL) AND ((new.friend_referrer_id IS NOT NULL) OR (new.client_referrer_id IS NOT NULL)) AND (NOT private.is_importing()))) EXECUTE FUNCTION private.doubt_sale();
CREATE TRIGGER sales_doubt_again AFTER UPDATE OF friend_referrer_id, commercial_id, referred_contact_name, referred_contact_email, referred_contact_phone ON public.sales FOR EACH ROW WHEN (((new.corrects_sale_id IS NULL) AND ((new.friend_referrer_id IS NOT NULL) OR (new.client_referrer_id IS NOT NULL)) AND (((((new.friend_referrer_id IS DISTINCT FROM old.friend_referrer_id) OR (new.commercial_id IS DISTINCT FROM old.commercial_id)) OR (new.referred_contact_name IS DISTINCT FROM old.referred_contact_name)) OR (new.referred_contact_email IS DISTINCT FROM old.referred_contact_email)) OR (new.referred_contact_phone IS DISTINCT FROM old.referred_contact_phone)))) EXECUTE FUNCTION private.doubt_sale();
CREATE CONSTRAINT TRIGGER sales_end_call_back AFTER UPDATE OF status, ready_for_validation ON public.sales DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.status <> new.status) OR (old.ready_for_validation <> new.ready_for_validation))) EXECUTE FUNCTION private.end_call_back();
CREATE TRIGGER sales_forget_doubts AFTER UPDATE OF referred_contact_email, referred_contact_phone ON public.sales FOR EACH ROW WHEN (((NOT new.ready_for_validation) AND (num_nonnulls(old.referred_contact_email, old.referred_contact_phone) > 0) AND (num_nonnulls(new.referred_contact_email, new.referred_contact_phone) = 0))) EXECUTE FUNCTION private.forget_doubts();
CREATE TRIGGER sales_forget_follow_up AFTER UPDATE OF referred_contact_email ON public.sales FOR EACH ROW WHEN (((old.referred_contact_email IS NOT NULL) AND (new.referred_contact_email IS NULL))) EXECUTE FUNCTION private.forget_follow_up();
CREATE TRIGGER sales_forget_follow_up_of_phone AFTER UPDATE OF referred_contact_phone ON public.sales FOR EACH ROW WHEN (((old.referred_contact_email IS NULL) AND (old.referred_contact_phone IS NOT NULL) AND (new.referred_contact_phone IS NULL))) EXECUTE FUNCTION private.forget_follow_up();
CREATE TRIGGER sales_forget_in_webhooks AFTER UPDATE ON public.sales FOR EACH ROW WHEN ((((((old.referred_contact_name IS DISTINCT FROM new.referred_contact_name) OR (old.referred_contact_email IS DISTINCT FROM new.referred_contact_email)) OR (old.referred_contact_phone IS DISTINCT FROM new.referred_contact_phone)) OR (old.personal_message IS DISTINCT FROM new.personal_message)) OR (old.commercial_notes IS DISTINCT FROM new.commercial_notes))) EXECUTE FUNCTION private.forget_in_webhooks('referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'personal_message', 'commercial_notes');
CREATE TRIGGER sales_forget_in_webhooks_deleted AFTER DELETE ON public.sales FOR EACH ROW EXECUTE FUNCTION private.forget_in_webhooks();
CREATE TRIGGER sales_forget_mails AFTER UPDATE OF referred_contact_email ON public.sales FOR EACH ROW WHEN (((old.referred_contact_email IS NOT NULL) AND (new.referred_contact_email IS NULL))) EXECUTE FUNCTION private.forget_mails_to();
CREATE TRIGGER sales_forgotten AFTER DELETE ON public.sales REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.forget_counted();
CREATE TRIGGER sales_guard BEFORE DELETE OR UPDATE ON public.sales FOR EACH ROW EXECUTE FUNCTION private.guard_sale();
CREATE TRIGGER sales_tell_delete AFTER DELETE ON public.sales REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER sales_tell_insert AFTER INSERT ON public.sales REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE TRIGGER sales_tell_people_insert AFTER INSERT ON public.sales FOR EACH ROW WHEN ((NOT private.is_importing())) EXECUTE FUNCTION private.tell_sale_move();
CREATE TRIGGER sales_tell_people_update AFTER UPDATE OF status, ready_for_validation, admin_validated ON public.sales FOR EACH ROW EXECUTE FUNCTION private.tell_sale_move();
CREATE TRIGGER sales_tell_update AFTER UPDATE ON public.sales REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.record_changes();
CREATE CONSTRAINT TRIGGER sales_validated_is_paid AFTER INSERT OR UPDATE OF admin_validated ON public.sales DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.admin_validated) EXECUTE FUNCTION private.check_sale_is_paid();
CREATE TRIGGER sales_webhooks_insert AFTER INSERT ON public.sales FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
CREATE TRIGGER sales_webhooks_update AFTER UPDATE OF status, ready_for_validation, admin_validated ON public.sales FOR EACH ROW EXECUTE FUNCTION private.record_webhook_step();
grant select on public.sales to api_key;
grant select on public.sales to authenticated;
grant delete, insert, select, update on public.sales to parrain_service;
grant select on public.sales to service_role;

create table public.scale_versions (
  id uuid not null default gen_random_uuid(),
  rate_id uuid not null,
  number integer not null,
  name text not null,
  description text,
  first_day date not null,
  rules jsonb not null,
  sha256 bytea not null,
  published_at timestamp with time zone not null default private.now(),
  published_by uuid,
  withdrawn_at timestamp with time zone,
  is_test boolean not null default false,
  simulation jsonb,
  constraint scale_versions_are_withdrawn_before_their_day CHECK ((withdrawn_at < ((first_day)::timestamp without time zone AT TIME ZONE 'Europe/Paris'::text))),
  constraint scale_versions_as_kept UNIQUE (id, number, first_day),
  constraint scale_versions_description_is_a_text CHECK (private.is_text(description, 2000)),
  constraint scale_versions_have_their_number UNIQUE (rate_id, number),
  constraint scale_versions_name_is_a_line CHECK ((private.is_line(name, 120) AND (length(btrim(name)) > 0))),
  constraint scale_versions_numbers_begin_at_1 CHECK ((number > 0)),
  constraint scale_versions_pkey PRIMARY KEY (id),
  constraint scale_versions_published_by_fkey FOREIGN KEY (published_by) REFERENCES public.profiles(id) ON DELETE SET NULL,
  constraint scale_versions_rate_id_fkey FOREIGN KEY (rate_id) REFERENCES public.commission_rates(id) ON DELETE CASCADE
);
CREATE INDEX scale_versions_by_publisher ON public.scale_versions USING btree (published_by) WHERE (published_by IS NOT NULL);
create policy scale_versions_admin_read on public.scale_versions for select to authenticated using ((( SELECT private.user_role() AS user_role) = 'admin'::text));
create policy scale_versions_key_read on public.scale_versions for select to api_key using (( SELECT private.key_may('read'::text) AS key_may));
create policy scale_versions_secret_read on public.scale_versions for select to service_role using (true);
CREATE TRIGGER scale_versions_are_kept BEFORE TRUNCATE ON public.scale_versions FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_audit_change();
CREATE TRIGGER scale_versions_guard BEFORE DELETE OR UPDATE ON public.scale_versions FOR EACH ROW EXECUTE FUNCTION private.guard_scale_version();
grant select on public.scale_versions to api_key;
grant select on public.scale_versions to authenticated;
grant delete, insert, select, update on public.scale_versions to parrain_service;
grant select on public.scale_versions to service_role;

create view public.accepted_rules with (security_barrier=true) as
 SELECT a.client_id,
    p.full_name,
    p.email,
    a.version,
    a.accepted_at,
    encode(a.sha256, 'hex'::text) AS sha256
   FROM (private.rules_acceptances a
     JOIN public.profiles p ON ((p.id = a.client_id)))
  WHERE
        CASE
            WHEN (CURRENT_USER = 'authenticated'::name) THEN (( SELECT private.user_role() AS user_role) = 'admin'::text)
            ELSE true
        END;
grant select on public.accepted_rules to authenticated;
grant select on public.accepted_rules to service_role;

create view public.account_lines with (security_invoker=true) as
 SELECT source_id,
    id AS entry_id,
    at,
    payee_id,
    act,
    debit,
    credit,
    amount,
    detail,
    change,
    available,
    ( SELECT c.sale_id
           FROM public.commission_payments c
          WHERE (c.id = l.source_id)) AS sale_id,
    ( SELECT s.referred_contact_name
           FROM (public.commission_payments c
             JOIN public.sales s ON ((s.id = c.sale_id)))
          WHERE (c.id = l.source_id)) AS contact_name,
    ( SELECT r.payment_method
           FROM public.payment_requests r
          WHERE (r.id = l.source_id)) AS payment_method,
    ( SELECT r.status
           FROM public.payment_requests r
          WHERE (r.id = l.source_id)) AS request_status,
        CASE act
            WHEN 'correction'::text THEN ( SELECT s.correction_reason
               FROM (public.commission_payments c
                 JOIN public.sales s ON ((s.id = c.sale_id)))
              WHERE (c.id = l.source_id))
            WHEN 'refusal'::text THEN ( SELECT r.rejection_reason
               FROM public.payment_requests r
              WHERE (r.id = l.source_id))
            WHEN 'return'::text THEN COALESCE(( SELECT r.return_reason
               FROM public.payment_requests r
              WHERE (r.id = l.source_id)), ( SELECT q.return_reason
               FROM public.paid_periods q
              WHERE (q.id = l.source_id)))
            WHEN 'repayment'::text THEN ( SELECT t.reference
               FROM public.debt_acts t
              WHERE (t.id = l.source_id))
            WHEN 'waiver'::text THEN ( SELECT t.reason
               FROM public.debt_acts t
              WHERE (t.id = l.source_id))
            WHEN 'repayment_annulment'::text THEN ( SELECT t.annulled_reason
               FROM public.debt_acts t
              WHERE (t.id = l.source_id))
            WHEN 'waiver_annulment'::text THEN ( SELECT t.annulled_reason
               FROM public.debt_acts t
              WHERE (t.id = l.source_id))
            ELSE ( SELECT m.body
               FROM (public.disputes d
                 JOIN public.dispute_messages m ON (((m.dispute_id = d.id) AND (m.created_at =
                    CASE
                        WHEN ((l.act = 'adjustment'::text) = (d.adjustment > (0)::numeric)) THEN d.closed_at
                        ELSE d.adjustment_annulled_at
                    END))))
              WHERE ((d.id = l.source_id) AND (l.act = ANY (ARRAY['adjustment'::text, 'deduction'::text])))
             LIMIT 1)
        END AS reason,
        CASE act
            WHEN 'repayment'::text THEN ( SELECT t.method
               FROM public.debt_acts t
              WHERE (t.id = l.source_id))
            ELSE NULL::text
        END AS repayment_method
   FROM ( SELECT e.id,
            e.at,
            e.payee_id,
            e.act,
            e.debit,
            e.credit,
            e.amount,
            e.detail,
            e.source_id,
            k.change,
            (sum(k.change) OVER (PARTITION BY e.payee_id ORDER BY e.id))::numeric(14,2) AS available
           FROM (public.ledger_entries e
             CROSS JOIN LATERAL ( SELECT (
                        CASE
                            WHEN (e.credit = 'available'::text) THEN e.amount
                            WHEN (e.debit = 'available'::text) THEN (- e.amount)
                            ELSE (0)::numeric
                        END)::numeric(12,2) AS change) k)) l;
grant select on public.account_lines to authenticated;
grant select on public.account_lines to service_role;

create view public.audit_entries_about with (security_invoker=true) as
 SELECT f.id,
    f.at,
    a.actor_id,
    a.actor,
    f.entity,
    a.entity_id,
    a.action,
    a.before,
    a.after,
    a.reason,
    f.about_id
   FROM (( SELECT e.entity_id AS about_id,
            e.at,
            e.id,
            e.entity
           FROM public.audit_entries e
          WHERE (e.entity = ANY (ARRAY['profiles'::text, 'sales'::text]))
        UNION ALL
         SELECT s.about_id,
            s.at,
            s.entry_id,
            s.entity
           FROM figures.audit_subjects s) f
     LEFT JOIN public.audit_entries a ON ((a.id = f.id)));
grant select on public.audit_entries_about to authenticated;
grant select on public.audit_entries_about to service_role;

create view public.batch_lines with (security_invoker=true) as
 SELECT l.batch_id,
    l.id,
    l.status,
    l.reason_code,
    l.reason,
    l.decided_at,
    (COALESCE((l.amount + COALESCE(l.vat_amount, (0)::numeric)), (r.amount + COALESCE(r.vat_amount, (0)::numeric))))::numeric(12,2) AS amount,
    p.id AS client_id,
    p.full_name AS client_name,
    COALESCE(a.holder, (r.payment_details ->> 'beneficiary_name'::text)) AS beneficiary,
    COALESCE(a.iban, (r.payment_details ->> 'iban'::text)) AS iban,
    replace((l.id)::text, '-'::text, ''::text) AS reference,
        CASE
            WHEN (i.usable_from > now()) THEN i.usable_from
            ELSE NULL::timestamp with time zone
        END AS iban_usable_from,
    private.sharers_of_iban(i.mark, p.id) AS iban_shared_with,
    l.month,
    COALESCE(l.vat_rate, r.vat_rate) AS vat_rate,
    COALESCE(l.vat_amount, r.vat_amount) AS vat_amount
   FROM ((((public.payment_batch_lines l
     LEFT JOIN public.payment_requests r ON ((r.id = l.request_id)))
     LEFT JOIN public.bank_accounts a ON ((a.id = l.account_id)))
     JOIN public.profiles p ON ((p.id = COALESCE(l.payee_id, r.client_id))))
     LEFT JOIN public.payee_ibans i ON ((i.id = COALESCE(a.iban_id, r.iban_id))));
grant select on public.batch_lines to authenticated;
grant select on public.batch_lines to service_role;

create view public.batch_summaries with (security_invoker=true) as
 SELECT b.id,
    b.number,
    b.status,
    b.created_at,
    b.execution_on,
    b.format,
    b.released_at,
    b.sent_at,
    b.settled_at,
    b.version,
    ( SELECT m.full_name
           FROM public.profiles m
          WHERE (m.id = b.made_by)) AS made_by_name,
    b.made_by,
    ( SELECT m.full_name
           FROM public.profiles m
          WHERE (m.id = b.released_by)) AS released_by_name,
    s.lines,
    s.total,
    s.paid,
    s.rejected,
    s.returned
   FROM (public.payment_batches b
     CROSS JOIN LATERAL ( SELECT (count(*))::integer AS lines,
            (COALESCE(sum(COALESCE((l.amount + COALESCE(l.vat_amount, (0)::numeric)), (r.amount + COALESCE(r.vat_amount, (0)::numeric)))), (0)::numeric))::numeric(14,2) AS total,
            (count(*) FILTER (WHERE (l.status = 'paid'::text)))::integer AS paid,
            (count(*) FILTER (WHERE (l.status = 'rejected'::text)))::integer AS rejected,
            (count(*) FILTER (WHERE (l.status = 'returned'::text)))::integer AS returned
           FROM (public.payment_batch_lines l
             LEFT JOIN public.payment_requests r ON ((r.id = l.request_id)))
          WHERE (l.batch_id = b.id)) s);
grant select on public.batch_summaries to authenticated;
grant select on public.batch_summaries to service_role;

create view public.client_rankings with (security_invoker=true) as
 SELECT p.id,
    p.full_name,
    p.email,
    p.phone,
    p.company,
    p.notes,
    p.commercial_id,
    p.created_at,
    p.is_test,
    COALESCE(t.total_referrals, (0)::bigint) AS total_referrals,
    COALESCE(t.signed_contracts, (0)::bigint) AS signed_contracts,
    (COALESCE(t.revenue_generated, (0)::numeric))::numeric(14,2) AS revenue_generated,
    p.deactivated_at,
        CASE
            WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN (COALESCE(((b.earned - b.reversed) - b.repaid), (0)::numeric))::numeric(14,2)
            ELSE NULL::numeric
        END AS earned
   FROM ((public.profiles p
     LEFT JOIN ( SELECT t_1.referrer_id,
            (sum(t_1.referrals))::bigint AS total_referrals,
            (sum(t_1.signed_contracts))::bigint AS signed_contracts,
            sum(t_1.revenue) AS revenue_generated
           FROM figures.referrer_totals t_1
          GROUP BY t_1.referrer_id) t ON ((t.referrer_id = p.id)))
     LEFT JOIN public.balances b ON ((b.profile_id = p.id)))
  WHERE (p.role = 'client'::text);
grant select on public.client_rankings to authenticated;
grant select on public.client_rankings to service_role;

create view public.client_summaries with (security_invoker=true) as
 SELECT p.id,
    p.full_name,
    p.email,
    p.phone,
    p.company,
    p.notes,
    p.commercial_id,
    p.created_at,
    p.is_test,
    t.total_referrals,
    t.signed_contracts,
    t.revenue_generated,
    p.deactivated_at,
        CASE
            WHEN (( SELECT private.user_role() AS user_role) = 'admin'::text) THEN (COALESCE(( SELECT ((b.earned - b.reversed) - b.repaid)
               FROM public.balances b
              WHERE (b.profile_id = p.id)), (0)::numeric))::numeric(14,2)
            ELSE NULL::numeric
        END AS earned
   FROM (public.profiles p
     LEFT JOIN LATERAL ( SELECT (COALESCE(sum(t_1.referrals), (0)::numeric))::bigint AS total_referrals,
            (COALESCE(sum(t_1.signed_contracts), (0)::numeric))::bigint AS signed_contracts,
            (COALESCE(sum(t_1.revenue), (0)::numeric))::numeric(14,2) AS revenue_generated
           FROM figures.referrer_totals t_1
          WHERE (t_1.referrer_id = p.id)) t ON (true))
  WHERE (p.role = 'client'::text);
grant select on public.client_summaries to authenticated;
grant select on public.client_summaries to service_role;

create view public.commercial_summaries with (security_invoker=true) as
 SELECT p.id,
    p.full_name,
    p.email,
    p.phone,
    p.created_at,
    p.deactivated_at,
    p.is_test,
    ( SELECT count(*) AS count
           FROM public.profiles c
          WHERE ((c.commercial_id = p.id) AND (c.role = 'client'::text))) AS clients,
    t.referrals,
    t.contracts,
    t.conversion,
    t.revenue,
    t.commissions,
    private.last_activity_of(p.id) AS last_activity_at,
    t.waiting,
    w.since AS waiting_since,
    COALESCE((w.since <= ( SELECT private.first_call_was_due_until() AS first_call_was_due_until)), false) AS is_late,
    private.first_call_days_of(p.id) AS first_call_days
   FROM ((public.profiles p
     LEFT JOIN LATERAL ( SELECT f.referrals,
            f.contracts,
            round(((f.contracts)::numeric / (NULLIF(f.referrals, 0))::numeric), 4) AS conversion,
            f.revenue,
            f.commissions,
            f.waiting
           FROM ( SELECT (COALESCE(sum(t_1.sales) FILTER (WHERE (t_1.state <> 'correction'::text)), (0)::numeric))::bigint AS referrals,
                    ((COALESCE(sum(t_1.sales) FILTER (WHERE (t_1.state = 'validated'::text)), (0)::numeric) - COALESCE(sum(t_1.sales) FILTER (WHERE (t_1.state = 'correction'::text)), (0)::numeric)))::bigint AS contracts,
                    (COALESCE(sum(t_1.contract_amount) FILTER (WHERE (t_1.state = ANY (ARRAY['validated'::text, 'correction'::text]))), (0)::numeric))::numeric(14,2) AS revenue,
                    (COALESCE(sum(t_1.commercial_commission) FILTER (WHERE (t_1.state = ANY (ARRAY['validated'::text, 'correction'::text]))), (0)::numeric))::numeric(14,2) AS commissions,
                    (COALESCE(sum(t_1.sales) FILTER (WHERE (t_1.state = 'pending'::text)), (0)::numeric))::bigint AS waiting
                   FROM figures.sale_totals t_1
                  WHERE (t_1.commercial_id = p.id)) f) t ON (true))
     LEFT JOIN LATERAL ( SELECT s.created_at AS since
           FROM public.sales s
          WHERE ((s.commercial_id = p.id) AND (s.status = 'pending'::text) AND (NOT s.ready_for_validation) AND (s.corrects_sale_id IS NULL) AND (NOT (EXISTS ( SELECT
                   FROM public.follow_ups u
                  WHERE ((u.sale_id = s.id) AND (u.call_back_on > ((now() AT TIME ZONE 'Europe/Paris'::text))::date))))))
          ORDER BY s.created_at
         LIMIT 1) w ON (true))
  WHERE (p.role = 'commercial'::text);
grant select on public.commercial_summaries to authenticated;
grant select on public.commercial_summaries to service_role;

create view public.commission_periods with (security_invoker=true) as
 WITH moved AS (
         SELECT e.payee_id,
            private.month_of(e.at) AS month,
            sum(
                CASE
                    WHEN (e.credit = 'available'::text) THEN e.amount
                    ELSE (- e.amount)
                END) AS amount
           FROM public.ledger_entries e
          WHERE ((e.act <> ALL (ARRAY['payroll'::text, 'return'::text])) AND (('available'::text = e.debit) OR ('available'::text = e.credit)) AND (e.payee_id IN ( SELECT p_1.id
                   FROM public.profiles p_1
                  WHERE (p_1.role = 'commercial'::text))))
          GROUP BY e.payee_id, (private.month_of(e.at))
        ), months AS (
         SELECT s_1.payee_id,
            (k.month)::date AS month
           FROM (( SELECT m.payee_id,
                    min(m.month) AS first
                   FROM moved m
                  GROUP BY m.payee_id) s_1
             CROSS JOIN LATERAL generate_series((s_1.first)::timestamp without time zone, (private.month_of(private.now()))::timestamp without time zone, '1 mon'::interval) k(month))
        ), sums AS (
         SELECT n.payee_id,
            n.month,
            COALESCE(m.amount, (0)::numeric) AS moved,
            q.amount AS paid,
            q.paid_at,
            q.vat_rate,
            q.vat_amount,
            (sum(COALESCE(m.amount, (0)::numeric)) OVER upto - COALESCE(sum(q.amount) OVER earlier, (0)::numeric)) AS due,
            max(q.month) OVER (PARTITION BY n.payee_id) AS paid_until
           FROM ((months n
             LEFT JOIN moved m ON (((m.payee_id = n.payee_id) AND (m.month = n.month))))
             LEFT JOIN public.paid_periods q ON (((q.payee_id = n.payee_id) AND (q.month = n.month) AND (q.returned_at IS NULL))))
          WINDOW upto AS (PARTITION BY n.payee_id ORDER BY n.month), earlier AS (PARTITION BY n.payee_id ORDER BY n.month ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        )
 SELECT s.payee_id,
    p.full_name,
    p.email,
    s.month,
    ((COALESCE(s.paid, s.due) - s.moved))::numeric(14,2) AS carried,
    (s.moved)::numeric(14,2) AS moved,
    (COALESCE(s.paid, s.due))::numeric(14,2) AS due,
        CASE
            WHEN (s.paid IS NOT NULL) THEN 'paid'::text
            WHEN (s.month >= private.last_month_begun()) THEN 'open'::text
            WHEN ((s.due <= (0)::numeric) OR (s.month < s.paid_until)) THEN 'carried'::text
            WHEN (l.status = 'queued'::text) THEN 'in_batch'::text
            ELSE 'due'::text
        END AS status,
    s.paid_at,
    l.batch_id,
        CASE
            WHEN (s.paid IS NULL) THEN l.reason
            ELSE NULL::text
        END AS rejection,
    v.rate AS vat_rate,
    (
        CASE
            WHEN (s.paid IS NOT NULL) THEN s.vat_amount
            WHEN (l.status = 'queued'::text) THEN l.vat_amount
            ELSE v.vat
        END)::numeric(12,2) AS vat_amount,
        CASE
            WHEN ((s.paid IS NULL) AND (l.status = 'returned'::text)) THEN l.decided_at
            ELSE NULL::timestamp with time zone
        END AS returned_at,
        CASE
            WHEN (s.paid IS NOT NULL) THEN ( SELECT 'accepted'::text AS text
               FROM public.paid_periods q
              WHERE ((q.payee_id = s.payee_id) AND (q.month = s.month) AND (q.returned_at IS NULL) AND (q.payee_invoice_id IS NOT NULL)))
            WHEN ((s.month >= private.last_month_begun()) OR (s.due <= (0)::numeric) OR (s.month < s.paid_until)) THEN NULL::text
            ELSE COALESCE(( SELECT i.status
               FROM public.payee_invoices i
              WHERE ((i.payee_id = s.payee_id) AND (i.month = s.month) AND (i.status <> 'lapsed'::text))
              ORDER BY i.sent_at DESC
             LIMIT 1),
            CASE
                WHEN (v.offers AND (l.status IS DISTINCT FROM 'queued'::text) AND (s.month = ((private.last_month_begun() - '1 mon'::interval))::date)) THEN 'awaited'::text
                ELSE NULL::text
            END)
        END AS invoice
   FROM ((((sums s
     JOIN public.profiles p ON ((p.id = s.payee_id)))
     LEFT JOIN LATERAL ( SELECT k.status,
            k.batch_id,
            k.reason,
            k.decided_at,
            k.vat_rate,
            k.vat_amount
           FROM public.payment_batch_lines k
          WHERE ((k.payee_id = s.payee_id) AND (k.month = s.month))
          ORDER BY (k.status = ANY (ARRAY['rejected'::text, 'returned'::text])), k.decided_at DESC
         LIMIT 1) l ON (true))
     LEFT JOIN LATERAL ( SELECT k.rate,
            k.vat,
            private.invoices_months(s.payee_id) AS offers
           FROM private.month_tax(s.payee_id, s.month, s.due) k(invoice_id, mandate_id, rate, vat)
          WHERE ((s.paid IS NULL) AND (s.month < private.last_month_begun()) AND (s.due > (0)::numeric) AND (s.month >= COALESCE(s.paid_until, s.month)))) x ON (true))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (s.paid IS NOT NULL) THEN s.vat_rate
                    WHEN ((s.month >= private.last_month_begun()) OR (s.due <= (0)::numeric) OR (s.month < s.paid_until)) THEN NULL::numeric
                    WHEN (l.status = 'queued'::text) THEN l.vat_rate
                    ELSE x.rate
                END AS rate,
            x.vat,
            x.offers) v);
grant select on public.commission_periods to authenticated;
grant select on public.commission_periods to service_role;

create view public.doubt_rule_figures with (security_invoker=true) as
 SELECT r.code,
    r.is_on,
    r.most,
    count(DISTINCT c.id) AS opened,
    count(DISTINCT c.id) FILTER (WHERE (c.status = 'confirmed'::text)) AS confirmed,
    count(DISTINCT c.id) FILTER (WHERE (c.status = 'cleared'::text)) AS cleared
   FROM ((public.doubt_rules r
     LEFT JOIN public.doubt_reasons d ON ((d.rule = r.code)))
     LEFT JOIN public.doubtful_cases c ON (((c.id = d.case_id) AND (c.created_at > (now() - '1 year'::interval)))))
  GROUP BY r.code, r.is_on, r.most;
grant select on public.doubt_rule_figures to authenticated;
grant select on public.doubt_rule_figures to service_role;

create view public.months_to_pay with (security_invoker=true) as
 SELECT p.id AS payee_id,
    m.month,
    d.due,
    (EXISTS ( SELECT
           FROM public.ledger_entries e
          WHERE ((e.payee_id = p.id) AND e.is_test AND (('available'::text = e.debit) OR ('available'::text = e.credit))))) AS is_test,
    (EXISTS ( SELECT
           FROM public.payment_batch_lines l
          WHERE ((l.payee_id = p.id) AND (l.month = m.month) AND (l.status = 'queued'::text)))) AS is_in_batch
   FROM ((((( SELECT ((private.last_month_begun() - '1 mon'::interval))::date AS month) m
     CROSS JOIN public.profiles p)
     JOIN public.balances b ON ((b.profile_id = p.id)))
     LEFT JOIN ( SELECT e.payee_id,
            sum(
                CASE
                    WHEN (e.credit = 'available'::text) THEN e.amount
                    ELSE (- e.amount)
                END) AS amount
           FROM public.ledger_entries e
          WHERE ((e.at >= private.month_start(private.last_month_begun())) AND (e.act <> ALL (ARRAY['payroll'::text, 'return'::text])) AND (('available'::text = e.debit) OR ('available'::text = e.credit)))
          GROUP BY e.payee_id) a ON ((a.payee_id = p.id)))
     CROSS JOIN LATERAL ( SELECT ((((((b.earned - b.reversed) - b.held) - b.reserved) - b.paid) - COALESCE(a.amount, (0)::numeric)))::numeric(14,2) AS due) d)
  WHERE ((p.role = 'commercial'::text) AND (d.due > (0)::numeric) AND (NOT (EXISTS ( SELECT
           FROM public.paid_periods q
          WHERE ((q.payee_id = p.id) AND (q.month >= m.month) AND (q.returned_at IS NULL))))));
grant select on public.months_to_pay to authenticated;
grant select on public.months_to_pay to service_role;

create view public.payee_accounts with (security_invoker=true) as
 SELECT p.id,
    p.full_name,
    p.role,
    (((b.earned - COALESCE(a.given, (0)::numeric)) - COALESCE(a.repaid, (0)::numeric)))::numeric(14,2) AS earned,
    (((b.reversed - COALESCE(a.taken, (0)::numeric)) - COALESCE(a.given_back, (0)::numeric)))::numeric(14,2) AS reversed,
    b.reserved,
    b.paid,
    (((((b.earned - b.reversed) - b.held) - b.reserved) - b.paid))::numeric(14,2) AS available,
    b.held,
    ((COALESCE(a.given, (0)::numeric) - COALESCE(a.taken, (0)::numeric)))::numeric(14,2) AS adjusted,
    (( SELECT COALESCE(sum(
                CASE e.act
                    WHEN 'vat'::text THEN e.amount
                    ELSE (- e.amount)
                END), (0)::numeric) AS "coalesce"
           FROM public.ledger_entries e
          WHERE ((e.payee_id = p.id) AND (e.act = ANY (ARRAY['vat'::text, 'vat_return'::text])))))::numeric(14,2) AS vat_paid,
    b.repaid,
    (COALESCE(a.waived, (0)::numeric))::numeric(14,2) AS waived
   FROM ((public.balances b
     JOIN public.profiles p ON ((p.id = b.profile_id)))
     LEFT JOIN ( SELECT d.payee_id,
            sum(e.amount) FILTER (WHERE (e.debit = 'adjusted'::text)) AS given,
            sum(e.amount) FILTER (WHERE (e.credit = 'adjusted'::text)) AS taken,
            sum(e.amount) FILTER (WHERE (e.debit = 'repaid'::text)) AS repaid,
            sum(e.amount) FILTER (WHERE (e.credit = 'repaid'::text)) AS given_back,
            sum(
                CASE e.act
                    WHEN 'waiver'::text THEN e.amount
                    WHEN 'waiver_annulment'::text THEN (- e.amount)
                    ELSE NULL::numeric
                END) AS waived
           FROM (( SELECT o.id,
                    o.payee_id
                   FROM public.disputes o
                  WHERE (o.adjustment IS NOT NULL)
                UNION ALL
                 SELECT t.id,
                    t.payee_id
                   FROM public.debt_acts t
                  WHERE (t.at IS NOT NULL)) d
             JOIN public.ledger_entries e ON (((e.source_id = d.id) AND (e.act = ANY (ARRAY['adjustment'::text, 'deduction'::text, 'repayment'::text, 'repayment_annulment'::text, 'waiver'::text, 'waiver_annulment'::text])))))
          GROUP BY d.payee_id) a ON ((a.payee_id = p.id)));
grant select on public.payee_accounts to authenticated;
grant select on public.payee_accounts to service_role;

create view public.payments_made with (security_invoker=true) as
 SELECT e.source_id,
    e.id AS entry_id,
    e.at,
    e.act,
    e.payee_id,
    p.full_name AS payee_name,
    p.role AS payee_role,
    e.detail AS method,
    (
        CASE
            WHEN (e.credit = 'paid'::text) THEN e.amount
            ELSE (- e.amount)
        END)::numeric(12,2) AS amount,
    r.settlement_reference AS reference,
        CASE
            WHEN (e.act = 'return'::text) THEN COALESCE(r.return_reason, q.return_reason)
            ELSE NULL::text
        END AS reason,
    q.month,
    COALESCE(l.batch_id, k.batch_id) AS batch_id,
    b.number AS batch_number,
    (((
        CASE
            WHEN (e.credit = 'paid'::text) THEN 1
            ELSE '-1'::integer
        END)::numeric * COALESCE(r.vat_amount, q.vat_amount)))::numeric(12,2) AS vat_amount
   FROM ((((((public.ledger_entries e
     JOIN public.profiles p ON ((p.id = e.payee_id)))
     LEFT JOIN public.payment_requests r ON ((r.id = e.source_id)))
     LEFT JOIN public.paid_periods q ON ((q.id = e.source_id)))
     LEFT JOIN public.payment_batch_lines l ON (((l.request_id = r.id) AND (l.status = ANY (ARRAY['paid'::text, 'returned'::text])))))
     LEFT JOIN public.payment_batch_lines k ON ((k.id = q.line_id)))
     LEFT JOIN public.payment_batches b ON ((b.id = COALESCE(l.batch_id, k.batch_id))))
  WHERE ((e.credit = 'paid'::text) OR (e.debit = 'paid'::text));
grant select on public.payments_made to authenticated;
grant select on public.payments_made to service_role;

create view public.request_ibans with (security_invoker=true) as
 SELECT r.id,
    i.usable_from,
    i.confirmed_at,
    private.sharers_of_iban(i.mark, r.client_id) AS shared_with
   FROM (public.payment_requests r
     JOIN public.payee_ibans i ON ((i.id = r.iban_id)));
grant select on public.request_ibans to authenticated;
grant select on public.request_ibans to service_role;

create view public.scale_months with (security_invoker=true) as
 SELECT month,
    commercial_id,
    commission_rate,
    (sum(contracts))::bigint AS contracts,
    (sum(revenue))::numeric(14,2) AS revenue,
    (sum(client_commission))::numeric(14,2) AS client_commissions,
    (sum(commercial_commission))::numeric(14,2) AS commercial_commissions
   FROM private.validated_in('2000-01-01'::date, '2100-01-01'::date) v(month, commercial_id, commission_rate, contracts, revenue, client_commission, commercial_commission)
  WHERE (( SELECT private.user_role() AS user_role) = 'admin'::text)
  GROUP BY month, commercial_id, commission_rate;
grant select on public.scale_months to authenticated;
grant select on public.scale_months to service_role;

create view public.sent_mails with (security_barrier=true) as
 SELECT m.id,
    m.created_at,
    m.template,
    m.status,
    m.status_since,
    m.attempts,
    m.last_error,
    m.is_secret,
    m.may_be_sent_again,
    m.recipient,
    p.full_name AS recipient_name
   FROM (private.mails m
     LEFT JOIN public.profiles p ON ((p.email = m.recipient)))
  WHERE
        CASE
            WHEN (CURRENT_USER = 'authenticated'::name) THEN (( SELECT private.user_role() AS user_role) = 'admin'::text)
            ELSE true
        END;
grant select on public.sent_mails to authenticated;
grant select on public.sent_mails to service_role;

create view public.sleeping_referrers with (security_invoker=true) as
 SELECT p.id,
    p.full_name,
    p.email,
    p.phone,
    p.company,
    p.commercial_id,
    p.created_at,
    l.at AS last_referral_at
   FROM (( SELECT k.referrer_id,
            max(k.at) AS at
           FROM ( SELECT f.referrer_id,
                    f.at
                   FROM figures.last_referrals f
                UNION ALL
                 SELECT COALESCE(s.friend_referrer_id, s.client_referrer_id) AS "coalesce",
                    s.created_at
                   FROM public.sales s
                  WHERE ((NOT (EXISTS ( SELECT
                           FROM figures.counted_until))) AND (s.corrects_sale_id IS NULL) AND (COALESCE(s.friend_referrer_id, s.client_referrer_id) IS NOT NULL))) k
          GROUP BY k.referrer_id
         HAVING (max(k.at) < (private.now() - '6 mons'::interval))) l
     JOIN public.profiles p ON ((p.id = l.referrer_id)))
  WHERE ((p.role = 'client'::text) AND (p.deactivated_at IS NULL) AND (NOT (EXISTS ( SELECT
           FROM private.referrers_since_count() r(id)
          WHERE (r.id = l.referrer_id)))));
grant select on public.sleeping_referrers to authenticated;
grant select on public.sleeping_referrers to service_role;

create view public.transfers_to_make with (security_invoker=true) as
 SELECT r.id,
    r.client_id,
    p.full_name AS client_name,
    ((r.amount + COALESCE(r.vat_amount, (0)::numeric)))::numeric(12,2) AS amount,
    (r.payment_details ->> 'beneficiary_name'::text) AS beneficiary,
    (r.payment_details ->> 'iban'::text) AS iban,
    r.created_at,
    r.is_test,
        CASE
            WHEN (p.deactivated_at IS NOT NULL) THEN 'closed'::text
            WHEN (((((b.earned - b.reversed) - b.held) - b.reserved) - b.paid) < (0)::numeric) THEN 'debt'::text
            WHEN private.is_payee_incomplete(r.client_id) THEN 'incomplete'::text
            WHEN (private.abroad_obstacle(r.client_id) IS NOT NULL) THEN 'abroad'::text
            WHEN (COALESCE(btrim((r.payment_details ->> 'iban'::text)), ''::text) = ''::text) THEN 'no_iban'::text
            WHEN (COALESCE(btrim((r.payment_details ->> 'beneficiary_name'::text)), ''::text) = ''::text) THEN 'no_name'::text
            WHEN (private.is_outside_eea((r.payment_details ->> 'iban'::text)) AND (COALESCE((r.payment_details ->> 'bic'::text), ''::text) = ''::text)) THEN 'no_bic'::text
            WHEN (EXISTS ( SELECT
               FROM public.payee_invoices n
              WHERE ((n.request_id = r.id) AND (n.status = 'sent'::text)))) THEN 'invoice'::text
            WHEN (i.usable_from > now()) THEN 'iban'::text
            ELSE NULL::text
        END AS obstacle,
        CASE
            WHEN (i.usable_from > now()) THEN i.usable_from
            ELSE NULL::timestamp with time zone
        END AS iban_usable_from,
    private.sharers_of_iban(i.mark, r.client_id) AS iban_shared_with,
    NULL::date AS month,
    public.standing(r.*) AS standing
   FROM (((public.payment_requests r
     JOIN public.profiles p ON ((p.id = r.client_id)))
     JOIN public.balances b ON ((b.profile_id = r.client_id)))
     LEFT JOIN public.payee_ibans i ON ((i.id = r.iban_id)))
  WHERE ((r.status = 'approved'::text) AND (r.payment_method = 'virement'::text) AND (NOT (EXISTS ( SELECT
           FROM public.payment_batch_lines l
          WHERE ((l.request_id = r.id) AND (l.status = ANY (ARRAY['queued'::text, 'paid'::text])))))))
UNION ALL
 SELECT p.id,
    p.id AS client_id,
    p.full_name AS client_name,
    ((d.due +
        CASE
            WHEN t.is_transfer THEN COALESCE(( SELECT k.vat
               FROM private.month_tax(p.id, d.month, d.due) k(invoice_id, mandate_id, rate, vat)), (0)::numeric)
            ELSE (0)::numeric
        END))::numeric(12,2) AS amount,
    a.holder AS beneficiary,
    a.iban,
    private.month_start(private.last_month_begun()) AS created_at,
    d.is_test,
        CASE
            WHEN (NOT t.is_transfer) THEN
            CASE
                WHEN private.is_payee_known(p.id) THEN 'payroll'::text
                ELSE 'no_status'::text
            END
            WHEN (p.deactivated_at IS NOT NULL) THEN 'closed'::text
            WHEN (private.abroad_obstacle(p.id) IS NOT NULL) THEN 'abroad'::text
            WHEN (a.id IS NULL) THEN 'no_iban'::text
            WHEN (private.is_outside_eea(a.iban) AND (a.bic IS NULL)) THEN 'no_bic'::text
            WHEN (EXISTS ( SELECT
               FROM public.payee_invoices n
              WHERE ((n.payee_id = p.id) AND (n.month = d.month) AND (n.status = 'sent'::text)))) THEN 'invoice'::text
            WHEN (i.usable_from > now()) THEN 'iban'::text
            ELSE NULL::text
        END AS obstacle,
        CASE
            WHEN (i.usable_from > now()) THEN i.usable_from
            ELSE NULL::timestamp with time zone
        END AS iban_usable_from,
    private.sharers_of_iban(i.mark, p.id) AS iban_shared_with,
    d.month,
    ( SELECT COALESCE(jsonb_agg(jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status) ORDER BY w.case_id), '[]'::jsonb) AS "coalesce"
           FROM private.weighing_cases(NULL::uuid, NULL::uuid, ARRAY[p.id]) w(case_id, case_status)) AS standing
   FROM ((((public.months_to_pay d
     JOIN public.profiles p ON ((p.id = d.payee_id)))
     CROSS JOIN LATERAL ( SELECT private.is_paid_by_transfer(p.id) AS is_transfer) t)
     LEFT JOIN LATERAL private.bank_account_of(p.id) a(id, payee_id, holder, iban, iban_id, created_at, bic) ON (true))
     LEFT JOIN public.payee_ibans i ON ((i.id = a.iban_id)))
  WHERE (NOT (EXISTS ( SELECT
           FROM public.payment_batch_lines l
          WHERE ((l.payee_id = p.id) AND (l.status = 'queued'::text)))));
grant select on public.transfers_to_make to authenticated;
grant select on public.transfers_to_make to service_role;

CREATE FUNCTION public.account_control(p_from date, p_to date)
 RETURNS TABLE(act text, detail text, ledger_before numeric, lists_before numeric, ledger numeric, lists numeric)
 LANGUAGE sql
 STABLE ROWS 20
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  select m.act, nullif(m.detail, ''),
    coalesce(sum(m.amount) filter (where m.source = 'ledger' and m.month < p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'lists' and m.month < p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'ledger' and m.month >= p_from), 0),
    coalesce(sum(m.amount) filter (where m.source = 'lists' and m.month >= p_from), 0)
  from (
    select c.source, c.act, c.detail, c.month, c.amount from figures.control_months c where c.month < p_to
    union all
    select b.source, b.act, b.detail, b.month, b.amount
    from private.control_between(coalesce((select u.at from figures.control_until u), '-infinity'), private.month_start(p_to)) b) m
  where (select private.user_role()) = 'admin'
  group by m.act, m.detail
$function$;
grant execute on function public.account_control(date,date) to authenticated;

CREATE FUNCTION public.admin_figures()
 RETURNS TABLE(validated_sales bigint, revenue numeric, commercials bigint, clients bigint, pending_commissions numeric, paid_commissions numeric, sales_to_validate bigint, requests_to_decide bigint, requests_to_pay bigint, commissions_due numeric, cancelled_validations bigint, payments_made numeric, to_validate_amount numeric, to_decide_amount numeric, to_pay_amount numeric, oldest_to_validate timestamp with time zone, oldest_to_decide timestamp with time zone, oldest_to_pay timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 1
 SET search_path TO ''
AS $function$
  with sales as (
    select coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) as validated,
      coalesce(sum(t.sales) filter (where t.state = 'correction'), 0) as cancelled,
      coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(t.client_commission) filter (where t.state in ('validated', 'correction')), 0) as of_clients,
      coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as of_commercials,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as to_validate,
      coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)
        as to_validate_amount
    from figures.sale_totals t),
  company as (
    select coalesce(sum(t.number) filter (where t.what = 'active_commercials'), 0) as commercials,
      coalesce(sum(t.number) filter (where t.what = 'clients'), 0) as clients,
      coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0) as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0) as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  debts as (select coalesce(sum(b.paid - b.earned + b.reversed), 0) as amount from public.balances b join public.profiles p on p.id = b.profile_id
    where p.role = 'client' and b.paid > b.earned - b.reversed),
  -- What adjustments gave and took of what is due to clients (LG-06), and what of their debts was repaid or waived (AC-05).
  adjusted as (
    select coalesce(sum(d.amount), 0) as amount
    from (
      select o.payee_id, o.adjustment as amount from public.disputes o where o.adjustment is not null and o.adjustment_annulled_at is null
      union all
      select t.payee_id, t.amount from public.debt_acts t where t.at is not null and t.annulled_at is null) d
    join public.profiles p on p.id = d.payee_id where p.role = 'client'),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null)
  -- M-03: a commission is « paid » from the moment its sale is validated. What is due to the clients is what they earned
  -- less what they were paid; what one of them was paid too much takes nothing off what another is owed.
  select s.validated - s.cancelled, s.revenue, c.commercials, c.clients, s.of_clients + s.of_commercials - c.paid - m.paid,
    s.of_clients + s.of_commercials, s.to_validate, c.pending, c.approved, s.of_clients - c.paid + d.amount + a.amount,
    s.cancelled, c.paid + m.paid, s.to_validate_amount, c.pending_amount, c.approved_amount,
    -- Each the first entry of an index, whatever the number of rows.
    (select w.created_at from public.sales w where w.ready_for_validation and not w.admin_validated order by w.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'pending' order by r.created_at limit 1),
    (select r.created_at from public.payment_requests r where r.status = 'approved' order by r.created_at limit 1)
  from sales s, company c, debts d, adjusted a, payroll m
  where (select private.user_role()) = 'admin'
$function$;
grant execute on function public.admin_figures() to authenticated;

CREATE FUNCTION public.best_commercials(p_from date, p_to date)
 RETURNS TABLE(id uuid, full_name text, contracts bigint, revenue numeric, commissions numeric)
 LANGUAGE sql
 STABLE ROWS 5
 SET search_path TO ''
AS $function$
  select b.commercial_id, p.full_name, b.contracts, b.revenue, b.commissions
  from (
    select v.commercial_id, sum(v.contracts)::bigint as contracts, sum(v.revenue) as revenue,
      sum(v.client_commission) + sum(v.commercial_commission) as commissions
    from private.validated_in(p_from, p_to) v
    group by v.commercial_id having sum(v.revenue) > 0
    order by 3 desc, 1 limit 5) b
  join public.profiles p on p.id = b.commercial_id
  where (select private.user_role()) = 'admin'
  order by b.revenue desc, b.commercial_id
$function$;
grant execute on function public.best_commercials(date,date) to authenticated;

CREATE FUNCTION public.best_referrers(p_from date, p_to date)
 RETURNS TABLE(id uuid, full_name text, contracts bigint, revenue numeric, counted_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 5
 SET search_path TO ''
AS $function$
  with ranked as (
    select b.referrer_id, b.contracts, b.revenue, c.at
    from figures.best_referrers b cross join figures.counted_until c
    where b.from_month = p_from and b.to_month = p_to
    union all
    select r.referrer_id, r.contracts, r.revenue, null
    from private.referrers_in(p_from, p_to) r
    where not exists (select from figures.counted_until))
  select r.referrer_id, p.full_name, r.contracts, r.revenue, r.at
  from ranked r join public.profiles p on p.id = r.referrer_id
  where (select private.user_role()) = 'admin'
  order by r.revenue desc, r.referrer_id
$function$;
grant execute on function public.best_referrers(date,date) to authenticated;

CREATE FUNCTION public.client_figures()
 RETURNS TABLE(friends_invited bigint, signed_contracts bigint, total_commissions numeric, validated_commissions numeric, pending_commissions numeric, available numeric, debt numeric, requests_in_progress numeric, requests_in_progress_count bigint, payments_received numeric, sales_generated numeric, forecast_commission numeric, contracts_to_validate bigint, sales_to_validate_amount numeric, held numeric, adjusted numeric, repaid numeric)
 LANGUAGE sql
 STABLE ROWS 1
 SET search_path TO ''
AS $function$
  with mine as (
    select count(*) filter (where s.corrects_sale_id is null) as invited,
      count(*) filter (where s.status = 'validated' and s.corrects_sale_id is null) - count(*) filter (where s.corrects_sale_id is not null and s.contract_left is null) as signed,
      coalesce(sum(s.client_commission_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as pending,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated'), 0) as revenue,
      count(*) filter (where s.status = 'validated' and not s.admin_validated) as to_validate,
      coalesce(sum(s.contract_amount) filter (where s.status = 'validated' and not s.admin_validated), 0) as to_validate_amount
    from public.sales s where s.friend_referrer_id = (select private.uid())),
  earned as (
    select coalesce(sum(p.amount), 0) as total from public.commission_payments p
    where p.recipient_id = (select private.uid()) and p.type = 'client'),
  -- What is kept for some days yet (LG-03), or for a check (FD-01); what has come to its end is available, posted or not.
  kept as (
    select coalesce(sum(h.amount), 0) as held from public.commission_holds h
    where h.payee_id = (select private.uid()) and h.ended_at is null and (h.until > private.now() or h.is_under_check)),
  debt_acts as (
    select coalesce(sum(t.amount) filter (where t.kind = 'waiver'), 0) as waived, coalesce(sum(t.amount) filter (where t.kind = 'repayment'), 0) as repaid
    from public.debt_acts t where t.payee_id = (select private.uid()) and t.at is not null and t.annulled_at is null),
  balance as (
    select coalesce(sum(b.earned - b.reversed), 0) as earned, coalesce(sum(b.reserved), 0) as reserved, coalesce(sum(b.paid), 0) as paid
    from public.balances b where b.profile_id = (select private.uid()))
  select m.invited, m.signed, e.total + m.pending, e.total, m.pending, greatest(b.earned - k.held - b.reserved - b.paid, 0),
    greatest(b.paid + k.held - b.earned, 0), b.reserved,
    (select count(*) from public.payment_requests r where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')),
    b.paid, m.revenue, private.fixed_client_commission(), m.to_validate, m.to_validate_amount, k.held,
    (select coalesce(sum(d.adjustment), 0) from public.disputes d
      where d.payee_id = (select private.uid()) and d.adjustment is not null and d.adjustment_annulled_at is null) + w.waived, w.repaid
  from mine m, earned e, balance b, kept k, debt_acts w
  where (select private.uid()) is not null
$function$;
grant execute on function public.client_figures() to authenticated;

CREATE FUNCTION public.client_months()
 RETURNS TABLE(month date, earned numeric)
 LANGUAGE sql
 STABLE ROWS 24
 SET search_path TO ''
AS $function$
  select private.month_of(coalesce(p.paid_at, p.created_at)), sum(p.amount)
  from public.commission_payments p
  where p.recipient_id = (select private.uid()) and p.type = 'client'
  group by 1 order by 1
$function$;
grant execute on function public.client_months() to authenticated;

CREATE FUNCTION public.client_payments_ahead()
 RETURNS TABLE(request_id uuid, amount numeric, status text, leaves_on date)
 LANGUAGE sql
 STABLE ROWS 10
 SET search_path TO ''
AS $function$
  select r.id, r.amount, r.status, d.leaves_on
  from public.payment_requests r
  left join private.own_transfer_days() d on d.request_id = r.id
  where r.client_id = (select private.uid()) and r.status in ('pending', 'approved')
  order by d.leaves_on nulls last, r.status, r.created_at, r.id
  limit 50
$function$;
grant execute on function public.client_payments_ahead() to authenticated;

CREATE FUNCTION public.client_rewards()
 RETURNS TABLE(from_contract_amount numeric, type text, amount numeric)
 LANGUAGE sql
 STABLE ROWS 3
 SET search_path TO ''
AS $function$
  select r.from_contract_amount, r.type, r.amount from private.client_rewards() r
  where (select private.user_role()) = 'client'
$function$;
grant execute on function public.client_rewards() to authenticated;

CREATE FUNCTION public.commercial_figures()
 RETURNS TABLE(clients bigint, referrals bigint, signed_contracts bigint, revenue numeric, validated_contracts bigint, validated_revenue numeric, commissions_earned numeric, commissions_pending numeric, to_follow_up bigint, commissions_forecast numeric, transmitted_contracts bigint, cancelled_validations bigint)
 LANGUAGE sql
 STABLE ROWS 1
 SET search_path TO ''
AS $function$
  select (select count(*) from public.profiles p where p.commercial_id = (select private.uid()) and p.role = 'client'),
    coalesce(sum(t.sales) filter (where t.state <> 'correction'), 0),
    coalesce(sum(t.sales) filter (where t.state in ('awaiting_admin_validation', 'validated')), 0)
      - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('awaiting_admin_validation', 'validated', 'correction')), 0),
    coalesce(sum(t.sales) filter (where t.state = 'validated'), 0) - coalesce(sum(t.sales) filter (where t.state = 'correction'), 0),
    coalesce(sum(t.contract_amount) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state = 'awaiting_admin_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state in ('pending', 'contacted', 'in_negotiation')), 0),
    coalesce(sum(t.commercial_commission) filter (where t.state = 'awaiting_final_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state = 'awaiting_final_validation'), 0),
    coalesce(sum(t.sales) filter (where t.state = 'correction'), 0)
  from figures.sale_totals t where t.commercial_id = (select private.uid())
$function$;
grant execute on function public.commercial_figures() to authenticated;

CREATE FUNCTION public.das2_payees(p_year integer, p_payee_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(id uuid, full_name text, role text, status text, legal_name text, first_name text, last_name text, street text, postal_code text, city text, country text, siren text, siret text, rna text, paid numeric, gift_cards numeric, discounts numeric, counted numeric, is_employee boolean, repaid numeric, repaid_left numeric)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.das2_payees(p_year, p_payee_id) $function$;
grant execute on function public.das2_payees(integer,uuid) to authenticated;

CREATE FUNCTION public.due_soon()
 RETURNS TABLE(step text, number bigint, amount numeric, repaid numeric, waived numeric)
 LANGUAGE sql
 STABLE ROWS 11
 SET search_path TO ''
AS $function$
  with sales as (
    select coalesce(sum(t.client_commission + t.commercial_commission) filter (where t.state in ('validated', 'correction')), 0) as credited,
      coalesce(sum(t.client_commission + t.commercial_commission)
        filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0) as forecast,
      coalesce(sum(t.sales) filter (where t.state in ('awaiting_final_validation', 'awaiting_admin_validation')), 0)::bigint as awaiting
    from figures.sale_totals t),
  requests as (
    select coalesce(sum(t.number) filter (where t.what = 'requests_pending'), 0)::bigint as pending,
      coalesce(sum(t.amount) filter (where t.what = 'requests_pending'), 0) as pending_amount,
      coalesce(sum(t.number) filter (where t.what = 'requests_approved'), 0)::bigint as approved,
      coalesce(sum(t.amount) filter (where t.what = 'requests_approved'), 0) as approved_amount,
      coalesce(sum(t.amount) filter (where t.what = 'requests_paid'), 0) as paid
    from figures.company_totals t),
  payroll as (select coalesce(sum(q.amount), 0) as paid from public.paid_periods q where q.returned_at is null),
  adjusted as (
    select coalesce(sum(d.amount) filter (where d.kind <> 'repayment'), 0) as amount, coalesce(sum(d.amount) filter (where d.kind = 'repayment'), 0) as repaid,
      coalesce(sum(d.amount) filter (where d.kind = 'waiver'), 0) as waived
    from (
      select 'adjustment' as kind, o.adjustment as amount from public.disputes o
      where o.adjustment is not null and o.adjustment_annulled_at is null
      union all
      select t.kind, t.amount from public.debt_acts t where t.at is not null and t.annulled_at is null) d),
  kept as (
    select coalesce(sum(h.amount) filter (where not h.is_under_check), 0) as held, count(*) filter (where not h.is_under_check) as number,
      coalesce(sum(h.amount) filter (where h.is_under_check), 0) as checked, count(*) filter (where h.is_under_check) as checks
    from public.commission_holds h where h.ended_at is null),
  queued as materialized (
    select l.payee_id, l.month, coalesce(r.amount, l.amount) as amount
    from public.payment_batches b
    join public.payment_batch_lines l on l.batch_id = b.id and l.status = 'queued'
    left join public.payment_requests r on r.id = l.request_id
    where b.status <> 'settled'),
  batches as (
    select count(*) as number, coalesce(sum(q.amount), 0) as amount, count(*) filter (where q.month is null) as requests,
      coalesce(sum(q.amount) filter (where q.month is null), 0) as of_requests
    from queued q),
  -- A month in a batch is due for what its line says.
  commercials as (
    select b.earned - b.reversed - b.held - b.reserved - b.paid as available, q.amount as queued,
      case when q.amount is null then y.due end as due
    from public.profiles p
    join public.balances b on b.profile_id = p.id
    left join public.months_to_pay y on y.payee_id = p.id
    left join queued q on q.payee_id = p.id and q.month is not null
    where p.role = 'commercial'),
  of_commercials as (
    select coalesce(sum(c.available), 0) as available, count(c.due) as months, coalesce(sum(c.due), 0) as due,
      coalesce(sum(c.available - coalesce(c.due, 0) - coalesce(c.queued, 0))
        filter (where c.available >= 0 or c.due is not null or c.queued is not null), 0) as open_month,
      count(*) filter (where c.available < 0 and c.due is null and c.queued is null) as overpaid,
      coalesce(sum(c.available) filter (where c.available < 0 and c.due is null and c.queued is null), 0) as overpaid_amount
    from commercials c),
  below_zero as (
    select count(*) as number, coalesce(sum(b.earned - b.reversed - b.held - b.reserved - b.paid), 0) as amount
    from public.balances b join public.profiles p on p.id = b.profile_id
    where b.earned - b.reversed - b.held - b.reserved - b.paid < 0 and p.role = 'client')
  select k.step, k.number, k.amount, case k.step when 'adjusted' then a.repaid end, case k.step when 'adjusted' then a.waived end
  from sales s, requests r, payroll m, adjusted a, kept h, batches q, of_commercials c, below_zero z,
    lateral (values
      ('to_pay', r.approved - q.requests, r.approved_amount - q.of_requests),
      ('to_decide', r.pending, r.pending_amount),
      ('in_batch', q.number, q.amount),
      ('months_due', c.months, c.due),
      ('available', null, s.credited - r.paid - m.paid + a.amount + a.repaid - r.pending_amount - r.approved_amount - h.held - h.checked
        - c.available - z.amount),
      ('month_open', null, c.open_month),
      ('held', h.number, h.held),
      ('checked', h.checks, h.checked),
      ('overpaid', z.number + c.overpaid, z.amount + c.overpaid_amount),
      ('adjusted', null, a.amount),
      ('forecast', s.awaiting, s.forecast)) k (step, number, amount)
  where (select private.user_role()) = 'admin'
$function$;
grant execute on function public.due_soon() to authenticated;

CREATE FUNCTION public.find_anything(p_text text)
 RETURNS TABLE(kind text, id uuid, name text, detail text, amount numeric, status text, ready_for_validation boolean, admin_validated boolean, is_cancelled boolean, created_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE ROWS 20
 SET search_path TO ''
AS $function$
declare
  asked constant text := private.plain_letters(btrim(left(p_text, 80)));
  most constant integer := 100;
  low constant uuid := case when asked ~ '^#?[0-9a-f]{8}$' then (ltrim(asked, '#') || '-0000-0000-0000-000000000000')::uuid end;
  high constant uuid := case when low is not null then (ltrim(asked, '#') || '-ffff-ffff-ffff-ffffffffffff')::uuid end;
  euros constant numeric := case when asked ~ '^\d{1,8}([.,]\d{1,2})?$' then replace(asked, ',', '.')::numeric end;
  people uuid[] := private.look_up('profiles', asked, most, false);
  sales uuid[] := private.look_up('sales', asked, most, false);
begin
  if cardinality(people || sales) = 0 and low is null and euros is null then
    people := private.look_up('profiles', asked, most, true);
    sales := private.look_up('sales', asked, most, true);
  end if;
  return query
  select f.kind, f.id, f.name, f.detail, f.amount, f.status, f.ready_for_validation, f.admin_validated, f.is_cancelled, f.created_at
  from (
    select a.*, row_number() over (partition by a.kind order by a.fit, a.nearness, a.created_at desc, a.id) as place from (
      select b.*, case when k.plain = asked then 0 when k.plain like k.starts then 1 when k.plain like k.inner_starts then 2
          when k.plain like k.holds then 3 else 4 end as fit,
        -- What holds the words is as near as the rest of what does; what is only alike has its place.
        case when k.plain like k.holds then 0 else array_position(people || sales, b.id) end as nearness
      from (
        select p.role as kind, p.id, p.full_name as name, coalesce(nullif(p.email, ''), p.company) as detail, null::numeric as amount,
          null::text as status, null::boolean as ready_for_validation, null::boolean as admin_validated,
          p.deactivated_at is not null as is_cancelled, p.created_at
        from public.profiles p where p.id = any (people)
        union all
        select 'sale', s.id, s.referred_contact_name, s.contract_description, s.contract_amount, s.status, s.ready_for_validation,
          s.admin_validated, exists (select from public.sales c where c.corrects_sale_id = s.id and c.contract_left is null), s.created_at
        from public.sales s where s.id = any (sales) or low is not null and s.id between low and high
        union all
        select 'request', r.id, c.full_name, r.payment_method, r.amount, r.status, null, null, null, r.created_at
        from public.payment_requests r join public.profiles c on c.id = r.client_id
        where r.client_id = any (people) or low is not null and r.id between low and high
          or euros is not null and r.client_id = (select private.uid()) and r.amount = euros
      ) b,
      lateral (select private.plain_letters(b.name) as plain, asked || '%' as starts, '% ' || asked || '%' as inner_starts,
        '%' || asked || '%' as holds) k
    ) a) f
  where f.place <= 5
  order by f.fit, f.nearness, f.created_at desc, f.id;
end
$function$;
grant execute on function public.find_anything(text) to authenticated;

CREATE FUNCTION public.get_commercial_sales(p_commercial_id uuid)
 RETURNS TABLE(id uuid, created_at timestamp with time zone, status text, referred_contact_name text, referred_contact_email text, referred_contact_phone text, personal_message text, contract_amount numeric, contract_description text, commercial_notes text, commercial_id uuid, client_referrer_id uuid, friend_referrer_id uuid, commission_rate uuid, ready_for_validation boolean, admin_validated boolean, rejection_reason text, validated_at timestamp with time zone, validated_by uuid, client_commission_amount numeric, commercial_commission_amount numeric, corrects_sale_id uuid, correction_reason text, version integer, updated_at timestamp with time zone, client_name text, client_email text)
 LANGUAGE sql
 STABLE ROWS 50
 SET search_path TO ''
AS $function$
  select s.id, s.created_at, s.status, s.referred_contact_name, s.referred_contact_email, s.referred_contact_phone,
    s.personal_message, s.contract_amount, s.contract_description, s.commercial_notes, s.commercial_id, s.client_referrer_id,
    s.friend_referrer_id, s.commission_rate, s.ready_for_validation, s.admin_validated, s.rejection_reason, s.validated_at,
    s.validated_by, s.client_commission_amount, s.commercial_commission_amount, s.corrects_sale_id, s.correction_reason,
    s.version, s.updated_at, r.full_name, r.email
  from public.sales s
  left join public.profiles r on r.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
  where s.commercial_id = p_commercial_id
    and (p_commercial_id = (select private.uid()) or (select private.user_role()) = 'admin')
  order by s.created_at desc
$function$;
grant execute on function public.get_commercial_sales(uuid) to authenticated;

CREATE FUNCTION public.month_trends()
 RETURNS TABLE(what text, this_month numeric, month_before numeric)
 LANGUAGE sql
 STABLE ROWS 3
 SET search_path TO ''
AS $function$
  with months as (
    select private.month_start(d.month) as begins, private.now() as ends, private.month_start(d.before) as begins_before,
      least(private.month_start(d.before) + (private.now() - private.month_start(d.month)), private.month_start(d.month)) as ends_before
    from (select k.month, (k.month - interval '1 month')::date as before from (select private.month_of(private.now())) k (month)) d),
  sold as (
    select p.created_at >= m.begins as is_now, case when s.contract_left is null then sign(s.contract_amount) else 0 end as contracts,
      s.contract_amount as revenue
    from months m
    join public.commission_payments p on p.type = 'commercial' and p.created_at >= m.begins_before and p.created_at <= m.ends
      and (p.created_at >= m.begins or p.created_at < m.ends_before)
    join public.sales s on s.id = p.sale_id),
  come as (
    select p.created_at >= m.begins as is_now
    from months m
    join public.profiles p on p.role = 'client' and p.created_at >= m.begins_before and p.created_at <= m.ends
      and (p.created_at >= m.begins or p.created_at < m.ends_before))
  select k.what, k.this_month, k.month_before
  from (
      select coalesce(sum(s.contracts) filter (where s.is_now), 0) as contracts,
        coalesce(sum(s.contracts) filter (where not s.is_now), 0) as contracts_before,
        coalesce(sum(s.revenue) filter (where s.is_now), 0) as revenue,
        coalesce(sum(s.revenue) filter (where not s.is_now), 0) as revenue_before
      from sold s) t,
    (select count(*) filter (where c.is_now) as clients, count(*) filter (where not c.is_now) as clients_before from come c) c,
    lateral (values ('contracts', t.contracts, t.contracts_before), ('revenue', t.revenue, t.revenue_before),
      ('clients', c.clients, c.clients_before)) k (what, this_month, month_before)
  where (select private.user_role()) = 'admin'
$function$;
grant execute on function public.month_trends() to authenticated;

CREATE FUNCTION public.network_branch(p_level text, p_commercial_id uuid DEFAULT NULL::uuid, p_referrer_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(kind text, id uuid, name text, detail text, is_active boolean, clients bigint, referrals bigint, contracts bigint, revenue numeric, commissions numeric, status text, ready_for_validation boolean, admin_validated boolean, is_cancelled boolean)
 LANGUAGE sql
 STABLE ROWS 200
 SET search_path TO ''
AS $function$
  with sold as (
    select coalesce(s.friend_referrer_id, s.client_referrer_id) as referrer_id,
      count(*) filter (where s.corrects_sale_id is null) as referrals,
      count(*) filter (where s.admin_validated and s.corrects_sale_id is null)
        - count(*) filter (where s.corrects_sale_id is not null and s.contract_left is null) as contracts,
      coalesce(sum(s.contract_amount) filter (where s.admin_validated), 0) as revenue,
      coalesce(sum(case when (select private.user_role()) = 'admin' then s.client_commission_amount else 0 end
        + s.commercial_commission_amount) filter (where s.admin_validated), 0) as commissions
    from public.sales s
    where p_level = 'commercial'
      and (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
    group by 1),
  referred as (
    select s.* from public.sales s
    where s.corrects_sale_id is null and case p_level
      when 'own' then s.friend_referrer_id = (select private.uid())
      when 'client' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and (s.friend_referrer_id = p_referrer_id or s.friend_referrer_id is null and s.client_referrer_id = p_referrer_id)
      when 'commercial' then (s.commercial_id = p_commercial_id or p_commercial_id is null and s.commercial_id is null)
        and s.friend_referrer_id is null and s.client_referrer_id is null
      else false end)
  select 'commercial', t.commercial_id, p.full_name, p.email, p.deactivated_at is null,
    (select count(*) from public.profiles c where c.role = 'client' and c.commercial_id is not distinct from t.commercial_id),
    t.referrals, t.contracts, t.revenue, t.commissions, null::text, null::boolean, null::boolean, null::boolean
  from (
    select k.commercial_id, coalesce(sum(f.sales) filter (where f.state <> 'correction'), 0)::bigint as referrals,
      (coalesce(sum(f.sales) filter (where f.state = 'validated'), 0)
        - coalesce(sum(f.sales) filter (where f.state = 'correction'), 0))::bigint as contracts,
      coalesce(sum(f.contract_amount) filter (where f.state in ('validated', 'correction')), 0) as revenue,
      coalesce(sum(f.client_commission + f.commercial_commission) filter (where f.state in ('validated', 'correction')), 0) as commissions
    from (select c.id as commercial_id from public.profiles c where c.role = 'commercial' union all select null) k
    left join figures.sale_totals f
      on f.commercial_id = coalesce(k.commercial_id, '00000000-0000-0000-0000-000000000000')
    where p_level = 'company' and (select private.user_role()) = 'admin'
    group by 1) t
  left join public.profiles p on p.id = t.commercial_id
  where t.commercial_id is not null or t.referrals > 0
    or exists (select from public.profiles c where c.role = 'client' and c.commercial_id is null)
  union all
  select 'client', k.id, p.full_name, coalesce(p.company, p.email), p.deactivated_at is null, null,
    coalesce(t.referrals, 0), coalesce(t.contracts, 0), coalesce(t.revenue, 0), coalesce(t.commissions, 0), null::text, null::boolean, null::boolean, null::boolean
  from (
    select c.id from public.profiles c
      where p_level = 'commercial' and c.role = 'client'
        and (c.commercial_id = p_commercial_id or p_commercial_id is null and c.commercial_id is null)
    union select t.referrer_id from sold t where t.referrer_id is not null) k
  left join sold t on t.referrer_id = k.id
  left join public.profiles p on p.id = k.id
  union all
  select 'referral', s.id, s.referred_contact_name, s.referred_contact_email, null, null, null, null,
    case when s.admin_validated then s.contract_amount + coalesce(c.contract_amount, 0) else 0 end,
    case when s.admin_validated then case (select private.user_role())
      when 'admin' then s.client_commission_amount + s.commercial_commission_amount
        + coalesce(c.client_commission_amount + c.commercial_commission_amount, 0)
      when 'commercial' then s.commercial_commission_amount + coalesce(c.commercial_commission_amount, 0)
      else s.client_commission_amount + coalesce(c.client_commission_amount, 0) end else 0 end,
    s.status, s.ready_for_validation, s.admin_validated, coalesce(c.is_whole, false)
  from referred s
  left join lateral (
    select sum(k.contract_amount) as contract_amount, sum(k.client_commission_amount) as client_commission_amount,
      sum(k.commercial_commission_amount) as commercial_commission_amount, bool_or(k.contract_left is null) as is_whole
    from public.sales k where k.corrects_sale_id = s.id) c on s.admin_validated
$function$;
grant execute on function public.network_branch(text,uuid,uuid) to authenticated;

CREATE FUNCTION public.open_referrals_by_age()
 RETURNS TABLE(from_days integer, referrals bigint)
 LANGUAGE sql
 STABLE ROWS 4
 SET search_path TO ''
AS $function$
  select a.from_days, count(s.id)
  from (values (0, 7), (7, 14), (14, 30), (30, 100000)) a (from_days, to_days)
  left join public.sales s on s.commercial_id = (select private.uid())
    and s.status in ('pending', 'contacted', 'in_negotiation') and not s.ready_for_validation
    and s.created_at <= private.now() - make_interval(days => a.from_days)
    and s.created_at > private.now() - make_interval(days => a.to_days)
  where (select private.user_role()) = 'commercial'
  group by a.from_days order by a.from_days
$function$;
grant execute on function public.open_referrals_by_age() to authenticated;

CREATE FUNCTION public.people_with_second_factor(p_ids uuid[])
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE ROWS 5
 SET search_path TO ''
AS $function$
  select f.id from private.people_with_second_factor(p_ids) f (id)
$function$;
grant execute on function public.people_with_second_factor(uuid[]) to authenticated;

CREATE FUNCTION public.person_figures(p_id uuid)
 RETURNS TABLE(state text, sales bigint, contract_amount numeric, client_commission numeric, commercial_commission numeric)
 LANGUAGE sql
 STABLE ROWS 8
 SET search_path TO ''
AS $function$
  select t.state, sum(t.sales)::bigint, sum(t.contract_amount), sum(t.client_commission), sum(t.commercial_commission)
  from figures.sale_totals t where t.commercial_id = p_id
  group by t.state having sum(t.sales + t.partial_corrections) > 0
  union all
  select f.state, count(*) filter (where f.contract_left is null), coalesce(sum(f.contract_amount), 0), coalesce(sum(f.client_commission_amount), 0),
    coalesce(sum(f.commercial_commission_amount), 0)
  from (
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id) as state, s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount, s.contract_left
    from public.sales s where s.friend_referrer_id = p_id
    union all
    select private.sale_state(s.status, s.ready_for_validation, s.admin_validated, s.corrects_sale_id), s.contract_amount,
      s.client_commission_amount, s.commercial_commission_amount, s.contract_left
    from public.sales s where s.client_referrer_id = p_id and s.friend_referrer_id is null) f
  group by f.state
$function$;
grant execute on function public.person_figures(uuid) to authenticated;

CREATE FUNCTION public.preview_commissions(p_sale_id uuid, p_contract_amount numeric DEFAULT NULL::numeric, p_commission_rate_id uuid DEFAULT NULL::uuid, p_scale_version_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
 LANGUAGE sql
 STABLE ROWS 2
 SET search_path TO ''
AS $function$
  select * from private.preview_commissions(array[p_sale_id], p_contract_amount, p_commission_rate_id, p_scale_version_id)
$function$;
grant execute on function public.preview_commissions(uuid,numeric,uuid,uuid) to authenticated;

CREATE FUNCTION public.preview_own_commission(p_sale_id uuid, p_contract_amount numeric)
 RETURNS TABLE(side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
 LANGUAGE sql
 STABLE ROWS 1
 SET search_path TO ''
AS $function$
  select * from private.preview_own_commission(p_sale_id, p_contract_amount)
$function$;
grant execute on function public.preview_own_commission(uuid,numeric) to authenticated;

CREATE FUNCTION public.preview_validations(p_sale_ids uuid[], p_commission_rate_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(sale_id uuid, side text, amount numeric, "position" bigint, window_key text, is_first boolean, cap_room bigint, rules jsonb)
 LANGUAGE sql
 STABLE ROWS 100
 SET search_path TO ''
AS $function$
  select * from private.preview_commissions(p_sale_ids, null, p_commission_rate_id, null)
$function$;
grant execute on function public.preview_validations(uuid[],uuid) to authenticated;

CREATE FUNCTION public.referral_counts()
 RETURNS TABLE(today bigint, call_back bigint, late bigint, total bigint)
 LANGUAGE sql
 STABLE ROWS 1
 SET search_path TO ''
AS $function$
  select count(private.today_rank(s, f.call_back_on, c.follow_up_days, r.sale_id is not null)),
    count(*) filter (where f.call_back_on <= (now() at time zone 'Europe/Paris')::date),
    count(*) filter (where s.status = 'pending' and s.created_at <= now() - make_interval(hours => 24 * c.follow_up_days)),
    (select coalesce(sum(t.sales), 0)::bigint from figures.sale_totals t
      where t.commercial_id = (select private.uid()) and t.state <> 'correction')
  from public.sales s
    left join public.follow_ups f on f.sale_id = s.id
    left join public.correction_requests r on r.sale_id = s.id
    left join public.company_settings c on true
  where s.commercial_id = (select private.uid()) and s.status in ('pending', 'contacted', 'in_negotiation')
    and not s.ready_for_validation and s.corrects_sale_id is null
$function$;
grant execute on function public.referral_counts() to authenticated;

CREATE FUNCTION public.referral_delays(p_from date, p_to date)
 RETURNS TABLE(step text, referrals bigint, median_days integer)
 LANGUAGE sql
 STABLE ROWS 4
 SET search_path TO ''
AS $function$
  with found as (
    select m.step, m.days, m.referrals from figures.referral_delays m where m.month >= p_from and m.month < p_to
    union all
    select d.step, d.days, count(*)
    from figures.step_delays d
    where d.created_at < private.month_start(p_to)
      and d.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
    group by 1, 2),
  summed as (select f.step, f.days, sum(f.referrals) as referrals from found f group by f.step, f.days),
  running as (
    select s.step, s.days, s.referrals, sum(s.referrals) over (partition by s.step order by s.days) as up_to,
      sum(s.referrals) over (partition by s.step) as total
    from summed s)
  select r.step, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.step
$function$;
grant execute on function public.referral_delays(date,date) to authenticated;

CREATE FUNCTION public.referral_funnel(p_from date, p_to date)
 RETURNS TABLE(state text, referrals bigint, median_days integer, counted_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 8
 SET search_path TO ''
AS $function$
  with found as (
    select m.state, m.days, m.referrals from figures.referral_months m where m.month >= p_from and m.month < p_to
    union all
    select case when c.id is null then private.sale_state(s.status, s.ready_for_validation, s.admin_validated, null) else 'cancelled' end,
      case when s.admin_validated then floor(extract(epoch from s.validated_at - s.created_at) / 86400)::integer else -1 end, count(*)
    from public.sales s
    -- A validation that was taken back; of the others the index is not asked.
    left join public.sales c on c.corrects_sale_id = s.id and c.contract_left is null and s.admin_validated
    where s.corrects_sale_id is null and s.created_at < private.month_start(p_to)
      and s.created_at >= greatest(private.month_start(p_from), (select c.at from figures.counted_until c))
    group by 1, 2),
  running as (
    select f.state, f.days, f.referrals, sum(f.referrals) over (partition by f.state order by f.days) as up_to,
      sum(f.referrals) over (partition by f.state) as total
    from found f)
  select r.state, sum(r.referrals)::bigint, min(r.days) filter (where r.up_to * 2 >= r.total and r.days >= 0),
    (select c.at from figures.counted_until c)
  from running r
  where (select private.user_role()) = 'admin'
  group by r.state
$function$;
grant execute on function public.referral_funnel(date,date) to authenticated;

CREATE FUNCTION public.regular_payees(p_payee_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(id uuid, full_name text, contracts bigint, payments bigint, paid numeric, dealt_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 100
 SET search_path TO ''
AS $function$ select * from private.regular_payees(p_payee_id) $function$;
grant execute on function public.regular_payees(uuid) to authenticated;

CREATE FUNCTION public.sales_by_month(p_from date, p_to date)
 RETURNS TABLE(month date, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
 LANGUAGE sql
 STABLE ROWS 24
 SET search_path TO ''
AS $function$
  select v.month, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  group by v.month order by v.month
$function$;
grant execute on function public.sales_by_month(date,date) to authenticated;

CREATE FUNCTION public.scale_by_month(p_id uuid, p_from date, p_to date)
 RETURNS TABLE(month date, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
 LANGUAGE sql
 STABLE ROWS 24
 SET search_path TO ''
AS $function$
  select v.month, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  where v.commission_rate = p_id and (select private.user_role()) = 'admin'
  group by v.month order by v.month
$function$;
grant execute on function public.scale_by_month(uuid,date,date) to authenticated;

CREATE FUNCTION public.scale_figures(p_from date, p_to date)
 RETURNS TABLE(id uuid, contracts bigint, revenue numeric, client_commissions numeric, commercial_commissions numeric)
 LANGUAGE sql
 STABLE ROWS 20
 SET search_path TO ''
AS $function$
  select v.commission_rate, sum(v.contracts)::bigint, sum(v.revenue), sum(v.client_commission), sum(v.commercial_commission)
  from private.validated_in(p_from, p_to) v
  where (select private.user_role()) = 'admin'
  group by v.commission_rate
$function$;
grant execute on function public.scale_figures(date,date) to authenticated;

CREATE FUNCTION public.standing(public.payment_requests)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_strip_nulls(s.said) ORDER BY s.place), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT 1 AS place,
             jsonb_build_object('code', 'closed') AS said
            FROM public.profiles p
           WHERE ((p.id = ($1).client_id) AND (p.deactivated_at IS NOT NULL))
         UNION ALL
          SELECT 2,
             jsonb_build_object('code', 'debt') AS jsonb_build_object
            FROM public.balances b
           WHERE ((b.profile_id = ($1).client_id) AND (((((b.earned - b.reversed) - b.held) - b.reserved) - b.paid) < (0)::numeric))
         UNION ALL
          SELECT 3,
             jsonb_build_object('code', 'incomplete') AS jsonb_build_object
           WHERE private.is_payee_incomplete(($1).client_id)
         UNION ALL
          SELECT 4,
             jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status, 'is_held', ( SELECT c.hold_doubtful
                    FROM public.company_settings c)) AS jsonb_build_object
            FROM private.weighing_cases(NULL::uuid, ($1).id, ARRAY[($1).client_id]) w(case_id, case_status)
         UNION ALL
          SELECT 5,
             jsonb_build_object('code', 'batch', 'batch_id', b.id, 'batch_number', b.number) AS jsonb_build_object
            FROM (public.payment_batch_lines l
              JOIN public.payment_batches b ON ((b.id = l.batch_id)))
           WHERE ((l.request_id = ($1).id) AND (l.status = 'queued'::text))
         UNION ALL
          SELECT 6,
             jsonb_build_object('code', 'iban', 'from', i.usable_from) AS jsonb_build_object
            FROM public.payee_ibans i
           WHERE ((i.id = ($1).iban_id) AND (i.usable_from > private.now()))
         UNION ALL
          SELECT 7,
             jsonb_build_object('code', 'shared_iban', 'names', h.names) AS jsonb_build_object
            FROM (public.payee_ibans i
              CROSS JOIN LATERAL private.sharers_of_iban(i.mark, i.client_id) h(names))
           WHERE ((i.id = ($1).iban_id) AND (h.names IS NOT NULL))
         UNION ALL
          SELECT 8,
             jsonb_build_object('code', 'vat') AS jsonb_build_object
           WHERE ((($1).payment_method = 'virement'::text) AND (($1).vat_rate IS NULL) AND private.is_vat_waiting(($1).client_id))
         UNION ALL
          SELECT 9,
             jsonb_build_object('code', 'abroad') AS jsonb_build_object
           WHERE (private.abroad_obstacle(($1).client_id) IS NOT NULL)
         UNION ALL
          SELECT 10,
             jsonb_build_object('code', 'invoice') AS jsonb_build_object
            FROM public.payee_invoices i
           WHERE ((i.request_id = ($1).id) AND (i.status = 'sent'::text))) s
   WHERE (($1).status = ANY (ARRAY['pending'::text, 'approved'::text]));
END;
grant execute on function public.standing(public.payment_requests) to authenticated;
grant execute on function public.standing(public.payment_requests) to service_role;

CREATE FUNCTION public.standing(public.sales)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_build_object('code', 'case', 'case_id', w.case_id, 'case_status', w.case_status) ORDER BY w.case_id), '[]'::jsonb) AS "coalesce"
    FROM private.weighing_cases(($1).id, NULL::uuid, ARRAY[($1).friend_referrer_id, ($1).client_referrer_id, ($1).commercial_id]) w(case_id, case_status);
END;
grant execute on function public.standing(public.sales) to authenticated;
grant execute on function public.standing(public.sales) to service_role;

CREATE FUNCTION public.terms(public.accepted_rules)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(($1).full_name);
grant execute on function public.terms(public.accepted_rules) to authenticated;
grant execute on function public.terms(public.accepted_rules) to parrain_service;
grant execute on function public.terms(public.accepted_rules) to service_role;

CREATE FUNCTION public.terms(public.batch_lines)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((((($1).client_name || '
'::text) || COALESCE(($1).beneficiary, ''::text)) || '
'::text) || ($1).reference));
grant execute on function public.terms(public.batch_lines) to authenticated;
grant execute on function public.terms(public.batch_lines) to parrain_service;
grant execute on function public.terms(public.batch_lines) to service_role;

CREATE FUNCTION public.terms(public.client_rankings)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
grant execute on function public.terms(public.client_rankings) to authenticated;
grant execute on function public.terms(public.client_rankings) to parrain_service;
grant execute on function public.terms(public.client_rankings) to service_role;

CREATE FUNCTION public.terms(public.client_summaries)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
grant execute on function public.terms(public.client_summaries) to authenticated;
grant execute on function public.terms(public.client_summaries) to parrain_service;
grant execute on function public.terms(public.client_summaries) to service_role;

CREATE FUNCTION public.terms(public.commercial_summaries)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.person_terms(($1).full_name, ($1).email, ($1).phone, NULL::text);
grant execute on function public.terms(public.commercial_summaries) to authenticated;
grant execute on function public.terms(public.commercial_summaries) to parrain_service;
grant execute on function public.terms(public.commercial_summaries) to service_role;

CREATE FUNCTION public.terms(public.payee_accounts)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(($1).full_name);
grant execute on function public.terms(public.payee_accounts) to authenticated;
grant execute on function public.terms(public.payee_accounts) to parrain_service;
grant execute on function public.terms(public.payee_accounts) to service_role;

CREATE FUNCTION public.terms(public.payment_requests)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((((((((COALESCE(($1).settlement_reference, ''::text) || '
'::text) || COALESCE(($1).association_name, ''::text)) || '
'::text) || COALESCE(($1).rejection_reason, ''::text)) || '
'::text) || COALESCE(($1).approval_annulled_reason, ''::text)) || '
'::text) || COALESCE(($1).return_reason, ''::text)));
grant execute on function public.terms(public.payment_requests) to authenticated;
grant execute on function public.terms(public.payment_requests) to parrain_service;
grant execute on function public.terms(public.payment_requests) to service_role;

CREATE FUNCTION public.terms(public.payments_made)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((($1).payee_name || '
'::text) || COALESCE(($1).reference, ''::text)));
grant execute on function public.terms(public.payments_made) to authenticated;
grant execute on function public.terms(public.payments_made) to parrain_service;
grant execute on function public.terms(public.payments_made) to service_role;

CREATE FUNCTION public.terms(public.profiles)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
grant execute on function public.terms(public.profiles) to authenticated;
grant execute on function public.terms(public.profiles) to parrain_service;
grant execute on function public.terms(public.profiles) to service_role;

CREATE FUNCTION public.terms(public.sales)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.sale_terms(($1).referred_contact_name, ($1).referred_contact_email, ($1).referred_contact_phone, ($1).contract_description);
grant execute on function public.terms(public.sales) to authenticated;
grant execute on function public.terms(public.sales) to parrain_service;
grant execute on function public.terms(public.sales) to service_role;

CREATE FUNCTION public.terms(public.sent_mails)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.plain_letters(((COALESCE(($1).recipient, ''::text) || '
'::text) || COALESCE(($1).recipient_name, ''::text)));
grant execute on function public.terms(public.sent_mails) to authenticated;
grant execute on function public.terms(public.sent_mails) to parrain_service;
grant execute on function public.terms(public.sent_mails) to service_role;

CREATE FUNCTION public.terms(public.sleeping_referrers)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN private.person_terms(($1).full_name, ($1).email, ($1).phone, ($1).company);
grant execute on function public.terms(public.sleeping_referrers) to authenticated;
grant execute on function public.terms(public.sleeping_referrers) to parrain_service;
grant execute on function public.terms(public.sleeping_referrers) to service_role;

CREATE FUNCTION public.today_rank(public.sales)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT private.today_rank($1, ( SELECT f.call_back_on
            FROM public.follow_ups f
           WHERE (f.sale_id = ($1).id)), (( SELECT c.follow_up_days
            FROM public.company_settings c))::integer, (EXISTS ( SELECT
            FROM public.correction_requests r
           WHERE (r.sale_id = ($1).id)))) AS today_rank;
END;
grant execute on function public.today_rank(public.sales) to authenticated;
grant execute on function public.today_rank(public.sales) to service_role;

CREATE FUNCTION public.total(public.payment_requests)
 RETURNS numeric
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((($1).amount + COALESCE(($1).vat_amount, (0)::numeric)))::numeric(12,2);
grant execute on function public.total(public.payment_requests) to api_key;
grant execute on function public.total(public.payment_requests) to authenticated;
grant execute on function public.total(public.payment_requests) to parrain_service;
grant execute on function public.total(public.payment_requests) to service_role;

-- storage
create schema storage;
grant usage on schema storage to parrain_service;

create table storage.loose_blobs (
  blob text not null,
  since timestamp with time zone not null default now(),
  constraint loose_blobs_pkey PRIMARY KEY (blob)
);
grant delete, insert, select, update on storage.loose_blobs to parrain_service;

create table storage.objects (
  id uuid not null default gen_random_uuid(),
  bucket_id text not null,
  name text not null,
  owner uuid,
  content bytea,
  content_type text not null,
  cache_control text not null default 'max-age=3600'::text,
  etag text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  size integer not null,
  blob text,
  user_metadata jsonb not null default '{}'::jsonb,
  constraint objects_blob_is_unique UNIQUE (blob),
  constraint objects_bucket_is_known CHECK ((bucket_id = 'logos'::text)),
  constraint objects_bytes_are_in_one_place CHECK ((num_nonnulls(content, blob) = 1)),
  constraint objects_cache_control_is_a_line CHECK (private.is_line(cache_control, 255)),
  constraint objects_metadata_is_bounded CHECK (((jsonb_typeof(user_metadata) = 'object'::text) AND (octet_length((user_metadata)::text) <= 10000))),
  constraint objects_name_is_a_line CHECK (private.is_line(name, 255)),
  constraint objects_name_is_unique UNIQUE (bucket_id, name),
  constraint objects_pkey PRIMARY KEY (id),
  constraint objects_size_is_its_content_s CHECK (((size >= 0) AND (size <= 5242880) AND ((content IS NULL) OR (size = octet_length(content)))))
);
CREATE TRIGGER objects_limit AFTER INSERT OR UPDATE OF etag ON storage.objects FOR EACH ROW EXECUTE FUNCTION private.limit_writes('file', '100');
CREATE TRIGGER objects_track_blob AFTER INSERT OR DELETE OR UPDATE OF blob ON storage.objects FOR EACH ROW EXECUTE FUNCTION private.keep_track_of_blob();
grant delete, insert, select, update on storage.objects to parrain_service;
