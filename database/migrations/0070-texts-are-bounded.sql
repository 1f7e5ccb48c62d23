-- Every text that people write is bounded, whoever writes it and through whichever door (FX-06), and no name is an
-- advertisement (FX-04): the rules of the forms are constraints too.

-- Control characters, line separators and the marks that turn the direction of reading have no place in a line.
create function private.is_line(p_text text, p_length_max integer) returns boolean
language sql immutable parallel safe
return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]';

-- The same over several lines: line feed and tab may be there.
create function private.is_text(p_text text, p_length_max integer) returns boolean
language sql immutable parallel safe
return length(p_text) <= p_length_max and p_text !~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';

-- Names stand in the subjects of mails, where mail programs make a link of every address. domain/src/name.ts says the same.
create function private.has_site(p_text text) returns boolean
language sql immutable parallel safe
return p_text ~* '@|://|www\.|[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff][0-9a-z\u00c0-\u1fff\u2c00-\ud7ff-]*[0-9a-z\u00c0-\u1fff\u2c00-\ud7ff]\.[a-z\u00c0-\u1fff\u2c00-\ud7ff]{2,}|[0-9a-z]\.[a-z]{2,}/';

create function private.is_name(p_text text) returns boolean
language sql immutable parallel safe
return length(btrim(p_text)) > 0 and private.is_line(p_text, 120) and not private.has_site(p_text);

-- A company may be called after its site (« Booking.com »): only an admin writes it.
create function private.is_company_name(p_text text) returns boolean
language sql immutable parallel safe
return length(btrim(p_text)) > 0 and private.is_line(p_text, 120) and p_text !~* '://|www\.';

grant execute on function private.is_line(text, integer), private.is_text(text, integer), private.has_site(text),
  private.is_name(text), private.is_company_name(text) to anon, authenticated, service_role, parrain_service;

-- What is there already and would not pass is mended first. Only profiles could be written past the forms.
alter table public.sales disable trigger sales_guard;
alter table public.payment_requests disable trigger payment_requests_guard;
alter table public.commission_rates disable trigger commission_rates_guard;

do $$
declare
  rule record;
  cleaned text;
begin
  for rule in select * from (values
    -- table, column, kind, most characters (bytes, of JSON and of what programs write)
    ('public.profiles', 'full_name', 'name', 120),
    ('public.profiles', 'email', 'line', 255),
    ('public.profiles', 'phone', 'line', 40),
    ('public.profiles', 'company', 'line', 120),
    ('public.profiles', 'notes', 'text', 2000),
    ('public.company_settings', 'company_name', 'company_name', 120),
    ('public.company_settings', 'logo_url', 'line', 2000),
    ('public.commission_rates', 'name', 'line', 120),
    ('public.commission_rates', 'description', 'text', 2000),
    ('public.sales', 'referred_contact_name', 'name', 120),
    ('public.sales', 'referred_contact_email', 'line', 255),
    ('public.sales', 'referred_contact_phone', 'line', 40),
    ('public.sales', 'personal_message', 'text', 500),
    ('public.sales', 'contract_description', 'text', 2000),
    ('public.sales', 'commercial_notes', 'text', 2000),
    ('public.sales', 'rejection_reason', 'text', 2000),
    ('public.sales', 'correction_reason', 'text', 2000),
    ('public.payment_requests', 'admin_notes', 'text', 2000),
    ('public.payment_requests', 'rejection_reason', 'text', 2000),
    ('public.payment_requests', 'payment_details', 'bounded', 20000),
    ('public.account_closure_requests', 'personal_message', 'text', 500),
    ('public.account_closure_requests', 'notes', 'text', 500),
    ('private.appointment_requests', 'name', 'name', 120),
    ('private.appointment_requests', 'email', 'line', 255),
    ('private.appointment_requests', 'phone', 'line', 40),
    ('private.appointment_requests', 'preferred_slot', 'line', 120),
    ('private.appointment_requests', 'message', 'text', 2000),
    ('auth.users', 'email', 'line', 255),
    ('auth.users', 'new_email', 'line', 255),
    ('auth.users', 'phone', 'line', 40),
    ('auth.users', 'new_phone', 'line', 40),
    ('auth.users', 'encrypted_password', 'line', 2000),
    ('auth.users', 'raw_user_meta_data', 'bounded', 65536),
    ('auth.users', 'raw_app_meta_data', 'bounded', 65536),
    ('auth.identities', 'provider', 'line', 255),
    ('auth.identities', 'provider_id', 'line', 2000),
    ('auth.identities', 'identity_data', 'bounded', 65536),
    ('auth.factors', 'friendly_name', 'line', 120),
    ('auth.factors', 'phone', 'line', 40),
    ('auth.webauthn_credentials', 'friendly_name', 'line', 120),
    ('auth.webauthn_credentials', 'credential_id', 'line', 2000),
    ('auth.webauthn_credentials', 'aaguid', 'line', 64),
    ('auth.webauthn_credentials', 'transports', 'bounded', 500),
    ('auth.challenges', 'webauthn_challenge', 'line', 500),
    ('auth.challenges', 'ip', 'line', 100),
    ('auth.flow_states', 'code_challenge', 'line', 500),
    ('auth.flow_states', 'provider', 'line', 255),
    ('auth.one_time_tokens', 'code_challenge', 'line', 500),
    ('auth.one_time_tokens', 'redirect_to', 'line', 8000),
    ('auth.one_time_tokens', 'relates_to', 'line', 320),
    ('auth.provider_flows', 'code_challenge', 'line', 500),
    ('auth.provider_flows', 'provider', 'line', 255),
    ('auth.provider_flows', 'redirect_to', 'line', 8000),
    ('auth.session_methods', 'provider', 'line', 255),
    ('auth.sessions', 'ip', 'line', 100),
    ('auth.sessions', 'user_agent', 'bounded', 2000),
    ('auth.sessions', 'tag', 'line', 255),
    ('auth.audit_entries', 'ip', 'line', 100),
    ('auth.audit_entries', 'detail', 'bounded', 8000),
    ('private.idempotency_keys', 'body', 'bounded', 1000000),
    ('storage.objects', 'name', 'line', 255),
    ('storage.objects', 'cache_control', 'line', 255)
  ) as r (table_name, column_name, kind, most)
  loop
    -- Lines lose what does not belong there, and what is beyond their length; a name, its sites.
    cleaned := case rule.kind
      when 'text' then format($q$ left(regexp_replace(%I, '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]', '', 'g'), %s) $q$, rule.column_name, rule.most)
      when 'bounded' then null
      else format($q$ left(regexp_replace(%I, '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+', ' ', 'g'), %s) $q$, rule.column_name, rule.most)
    end;
    if rule.kind in ('name', 'company_name') then
      cleaned := format($q$ coalesce(nullif(btrim(%s), ''), 'Sans nom') $q$, cleaned);
      execute format($q$ update %s set %I = case when private.is_%s(%s) then %s
          else coalesce(nullif(btrim(regexp_replace(%s, '[@./:]+', ' ', 'g')), ''), 'Sans nom') end
        where not private.is_%s(%I) $q$,
        rule.table_name, rule.column_name, rule.kind, cleaned, cleaned, cleaned, rule.kind, rule.column_name);
    elsif cleaned is not null then
      execute format('update %s set %I = %s where not private.is_%s(%I, %s)',
        rule.table_name, rule.column_name, cleaned, rule.kind, rule.column_name, rule.most);
    end if;
    execute format('alter table %s add constraint %I check (%s)', rule.table_name,
      split_part(rule.table_name, '.', 2) || '_' || rule.column_name || case rule.kind
        when 'bounded' then '_is_bounded' else '_is_a_' || rule.kind end,
      case
        when rule.kind in ('name', 'company_name') then format('private.is_%s(%I)', rule.kind, rule.column_name)
        when rule.kind = 'bounded' then format('octet_length(%I::text) <= %s', rule.column_name, rule.most)
        else format('private.is_%s(%I, %s)', rule.kind, rule.column_name, rule.most)
      end);
  end loop;
end
$$;

alter table public.sales enable trigger sales_guard;
alter table public.payment_requests enable trigger payment_requests_guard;
alter table public.commission_rates enable trigger commission_rates_guard;

-- What the new ones say better.
alter table public.profiles drop constraint profiles_name_is_given;
alter table public.sales drop constraint sales_contact_is_named, drop constraint sales_message_is_at_most_500;
alter table public.company_settings drop constraint company_settings_name_is_given;
alter table public.account_closure_requests drop constraint account_closure_requests_words_are_bounded;
alter table auth.users drop constraint users_email_is_bounded;
alter table auth.factors drop constraint factors_name_is_bounded;
alter table auth.webauthn_credentials drop constraint webauthn_credentials_name_is_bounded;
