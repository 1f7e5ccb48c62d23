-- The logo's address is a path, so that it works under every name and address the pages are served at (FX-60).
set local role parrain_service;
update public.company_settings set logo_url = regexp_replace(logo_url, '^https?://[^/]+(?=/storage/v1/)', '')
  where logo_url ~ '^https?://[^/]+/storage/v1/';
reset role;
