-- Files. Their bytes are in the row, or in a service that speaks S3: the row then names them.

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null,
  name text not null,
  owner uuid,
  content bytea,
  content_type text not null,
  cache_control text not null default 'max-age=3600',
  etag text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  size integer not null,
  -- The name of the bytes where they are elsewhere: never used twice.
  blob text,
  user_metadata jsonb not null default '{}',
  constraint objects_bucket_is_known check (bucket_id in ('logos')),
  constraint objects_name_is_unique unique (bucket_id, name),
  constraint objects_bytes_are_in_one_place check (num_nonnulls(content, blob) = 1),
  constraint objects_size_is_its_content_s check (size >= 0 and size <= 5242880 and (content is null or size = octet_length(content))),
  constraint objects_metadata_is_bounded check (jsonb_typeof(user_metadata) = 'object' and octet_length(user_metadata::text) <= 10000),
  constraint objects_blob_is_unique unique (blob),
  constraint objects_name_is_a_line check (private.is_line(name, 255)),
  constraint objects_cache_control_is_a_line check (private.is_line(cache_control, 255))
);
grant select, insert, update, delete on storage.objects to parrain_service;
-- Files, five million bytes each.
create trigger objects_limit after insert or update of etag on storage.objects
  for each row execute function private.limit_writes('file', '100');

-- Bytes elsewhere that no row names: told before they are sent, so that nothing which is lost on the way is kept for ever.
create table storage.loose_blobs (
  blob text primary key,
  since timestamptz not null default now()
);
grant select, insert, update, delete on storage.loose_blobs to parrain_service;

create function private.keep_track_of_blob() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' and old.blob is not null and (tg_op = 'DELETE' or new.blob is distinct from old.blob) then
    insert into storage.loose_blobs (blob) values (old.blob) on conflict (blob) do update set since = now();
  end if;
  if tg_op <> 'DELETE' and new.blob is not null then
    delete from storage.loose_blobs l where l.blob = new.blob;
  end if;
  return null;
end
$$;
create trigger objects_track_blob after insert or update of blob or delete on storage.objects
  for each row execute function private.keep_track_of_blob();
