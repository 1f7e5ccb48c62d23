-- A commercial's note says who the friend is, and the trail is never changed: it tells that a note was, not which (decision 0003).
create or replace function private.without_personal_data(row_ jsonb) returns jsonb
language plpgsql immutable parallel safe set search_path = '' as $$
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
$$;
