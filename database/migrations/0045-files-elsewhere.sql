-- The bytes of a file may be kept outside the database, in a service that speaks S3: the row then names them.
alter table storage.objects
  alter column content drop not null,
  add column size integer,
  -- The name of the bytes where they are elsewhere: never used twice.
  add column blob text,
  add column user_metadata jsonb not null default '{}';
update storage.objects set size = octet_length(content);
alter table storage.objects
  alter column size set not null,
  drop constraint objects_size_is_bounded,
  add constraint objects_bytes_are_in_one_place check (num_nonnulls(content, blob) = 1),
  add constraint objects_size_is_its_content_s check (size >= 0 and size <= 5242880 and (content is null or size = octet_length(content))),
  add constraint objects_metadata_is_bounded check (jsonb_typeof(user_metadata) = 'object' and octet_length(user_metadata::text) <= 10000),
  add constraint objects_blob_is_unique unique (blob);

-- Bytes elsewhere that no row names: told before they are sent, so that nothing which is lost on the way is kept for ever.
create table storage.loose_blobs (
  blob text primary key,
  since timestamptz not null default now()
);
alter table storage.loose_blobs enable row level security;
alter table storage.loose_blobs force row level security;
create policy loose_blobs_service_all on storage.loose_blobs to parrain_service using (true) with check (true);
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
alter function private.keep_track_of_blob() owner to parrain_service;
create trigger objects_track_blob after insert or update of blob or delete on storage.objects
  for each row execute function private.keep_track_of_blob();
