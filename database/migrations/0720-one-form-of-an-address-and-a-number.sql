-- DF-30, DF-36, DF-38: one mailbox, one number, one rule. What these functions say is also said by the domain (email-address.ts, phone.ts,
-- visible-text.ts); tests/people.test.ts compares them.

-- What no reader sees: Unicode's Default_Ignorable_Code_Point.
create function private.without_invisible(p_text text) returns text
language sql immutable parallel safe
return regexp_replace(p_text, '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]', '', 'g');

-- True if a text shows something: not blanks, marks and invisible characters alone.
create function private.is_visible(p_text text) returns boolean
language sql immutable parallel safe
return regexp_replace(private.without_invisible(p_text), '[\u0001-\u0020\u007f-\u00a0\u0300-\u036f\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ue000-\uf8ff\U000f0000-\U0010ffff]', '', 'g') <> '';

-- A label of a domain as mail servers write it: « café » is « xn--caf-dma » (RFC 3492).
create function private.ascii_label(p_label text) returns text
language plpgsql immutable parallel safe as $$
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
$$;

-- An address in its one form: lower case, full-width letters folded, invisible characters out, the domain in ASCII.
create function private.address_of(p_email text) returns text
language plpgsql immutable parallel safe as $$
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
$$;

-- The mailbox that an address leads to: what is compared wherever a person is meant.
create or replace function private.mailbox_of(p_email text) returns text
language plpgsql immutable parallel safe as $$
declare
  address constant text := private.address_of(p_email);
  name constant text := split_part(address, '@', 1);
  domain constant text := split_part(address, '@', 2);
begin
  if domain in ('gmail.com', 'googlemail.com') then return replace(split_part(name, '+', 1), '.', '') || '@gmail.com'; end if;
  if name like '+%' then return address; end if;
  return split_part(name, '+', 1) || '@' || domain;
end
$$;

-- The one form of a telephone number: ten digits for France and its overseas departments, « 00 » before the country elsewhere.
create or replace function private.phone_of(p_phone text) returns text
language plpgsql immutable parallel safe as $$
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
$$;

-- A person is found by their number, however it was written.
create or replace function private.person_terms(name text, email text, phone text, company text) returns text
language sql immutable parallel safe
return private.plain_letters(name || e'\n' || email || e'\n' || coalesce(phone, '') || e'\n' || coalesce(private.phone_of(phone), '')
  || e'\n' || coalesce(company, ''));
create or replace function private.sale_terms(name text, email text, phone text, description text) returns text
language sql immutable parallel safe
return private.plain_letters(name || e'\n' || coalesce(email, '') || e'\n' || coalesce(phone, '')
  || e'\n' || coalesce(private.phone_of(phone), '') || e'\n' || coalesce(description, ''));

create or replace function private.is_name(p_text text) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return private.is_visible(p_text) and private.is_line(p_text, 120) and not private.has_site(p_text);
end
$$;

grant execute on function private.without_invisible(text), private.is_visible(text), private.ascii_label(text), private.address_of(text)
  to anon, authenticated, api_key, service_role, parrain_service;
grant execute on function private.phone_of(text) to api_key;

-- A « no » and its mails are those of a mailbox, not of one way to write it.
create or replace function private.withdraw_friend_mails(p_email text) returns void
language sql security definer set search_path = ''
begin atomic
  update private.mails m set status = 'withdrawn', status_since = now(), sealed = null
    where m.status = 'queued' and private.mailbox_of(m.recipient) = private.mailbox_of(p_email)
      and m.template in ('friend-invitation', 'friend-message', 'friend-request');
end;

create or replace function private.opt_out_contact(p_email text, p_mark bytea) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_contact(p_mark);
  insert into private.opted_out (mark) values (p_mark) on conflict do nothing;
  perform private.withdraw_friend_mails(p_email);
  update public.sales s set
    status = 'rejected', rejection_reason = coalesce(s.rejection_reason, 'Cette personne ne souhaite pas être contactée'),
    referred_contact_name = 'Contact effacé', referred_contact_email = null, referred_contact_phone = null,
    personal_message = null, commercial_notes = null
    where private.mailbox_of(s.referred_contact_email) = private.mailbox_of(p_email) and s.referred_contact_email is not null
      and s.status <> 'validated' and not s.ready_for_validation;
end
$$;

create or replace function private.commercial_named(p_name text) returns uuid
language sql stable security definer set search_path = ''
begin atomic
  select coalesce(
    (select c.id from public.profiles c
      where c.email = private.address_of(p_name) and c.role = 'commercial' and c.deactivated_at is null),
    (select (array_agg(c.id))[1] from public.profiles c
      where lower(c.full_name) = lower(btrim(p_name)) and c.role = 'commercial' and c.deactivated_at is null
      having count(*) = 1));
end;

-- Accounts whose address was taken as it was pasted get its one form, where nobody else has it: their owners sign in with that.
do $$
declare
  account record;
begin
  for account in
    select u.id, private.address_of(u.email) as address, u.email_proven_at from auth.users u
    where u.email ~ '[^\x01-\x7f]' and u.deleted_at is null and not u.is_sso_user
    order by u.created_at, u.id
  loop
    continue when exists (select from auth.users o where o.email = account.address and o.id <> account.id);
    update auth.users u set email = account.address where u.id = account.id;
    update auth.users u set email_proven_at = account.email_proven_at where u.id = account.id;
    update auth.identities i set identity_data = i.identity_data || jsonb_build_object('email', account.address)
      where i.user_id = account.id and i.provider = 'email';
    update public.profiles p set email = account.address where p.id = account.id;
  end loop;
end
$$;
