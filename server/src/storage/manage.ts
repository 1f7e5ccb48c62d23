import { z } from 'zod';
import type { FastifyRequest } from 'fastify';

import type { Database, Transaction } from '#platform/database';

import { asAdmin, LISTING_REFUSED, REMOVAL_REFUSED } from './as-admin.ts';
import { BUCKET, objectColumns } from './logos.ts';
import type { StoredObject } from './logos.ts';
import { readBody } from './read-body.ts';
import { StorageRefusal } from './refusal.ts';

/** The page size by default, and the largest. */
const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;

const listing = z.object({
  prefix: z.string().max(255).nullish(),
  limit: z.int().min(1).max(PAGE_SIZE_MAX).nullish(),
  offset: z.int().min(0).nullish(),
  search: z.string().max(255).nullish(),
  sortBy: z
    .object({
      column: z.enum(['name', 'created_at', 'updated_at', 'last_accessed_at']).nullish(),
      order: z.enum(['asc', 'desc']).nullish(),
    })
    .nullish(),
});
/** The columns of each order. No time of access is recorded, so the time of the last change stands for it. */
const COLUMNS = {
  name: 'entry',
  created_at: 'created_at',
  updated_at: 'updated_at',
  last_accessed_at: 'updated_at',
} as const;
const removal = z.object({ prefixes: z.array(z.string().max(255)).max(1000) });

/** The files of a folder, and the folders in it (whose id is null), a page at a time. */
export async function listObjects(request: FastifyRequest) {
  const wanted = readBody(listing, request.body);
  const folder = (wanted.prefix ?? '').replace(/^\/+|\/+$/gu, '');
  const prefix = folder === '' ? '' : `${folder}/`;
  const column = COLUMNS[wanted.sortBy?.column ?? 'name'];
  const order = wanted.sortBy?.order ?? 'asc';
  async function work(tx: Transaction) {
    const { rows } = await tx.query<Partial<StoredObject> & { entry: string }>({
      text: `select entry, (array_agg(id) filter (where name = $2 || entry))[1] as id,
          min(created_at) as created_at, max(updated_at) as updated_at,
          (array_agg(content_type))[1] as content_type, (array_agg(cache_control))[1] as cache_control,
          (array_agg(etag))[1] as etag, (array_agg(size))[1] as size
        from (select *, split_part(substr(name, length($2) + 1), '/', 1) as entry
          from storage.objects where bucket_id = $1 and starts_with(name, $2)) o
        where $3 = '' or position(lower($3) in lower(entry)) > 0
        group by entry order by ${column} ${order}, entry limit $4 offset $5`,
      values: [BUCKET, prefix, wanted.search ?? '', wanted.limit ?? PAGE_SIZE_DEFAULT, wanted.offset ?? 0],
    });
    return rows.map((row) =>
      row.id === null || row.id === undefined ? folderEntry(row.entry) : fileEntry(row as StoredObject, row.entry),
    );
  }
  return asAdmin(request, work, LISTING_REFUSED);
}

const listingV2 = z.object({
  prefix: z.string().max(255).nullish(),
  limit: z.int().min(1).max(PAGE_SIZE_MAX).nullish(),
  cursor: z.string().max(400).nullish(),
  with_delimiter: z.boolean().nullish(),
  sortBy: z
    .object({
      column: z.enum(['name', 'created_at', 'updated_at']).nullish(),
      order: z.enum(['asc', 'desc']).nullish(),
    })
    .nullish(),
});

/** The files whose name begins so, in order, a page after another; with a delimiter, folders apart. */
export async function listObjectsV2(request: FastifyRequest) {
  const wanted = readBody(listingV2, request.body);
  const prefix = wanted.prefix ?? '';
  const limit = wanted.limit ?? PAGE_SIZE_MAX;
  const after = Buffer.from(wanted.cursor ?? '', 'base64url').toString();
  if (after.includes('\0')) throw new StorageRefusal('InvalidRequest');
  const column = wanted.sortBy?.column ?? 'name';
  const order = wanted.sortBy?.order ?? 'asc';
  // A page begins where the one before ended: each entry has a place of its own, which sorts as its text does.
  const at = column === 'name' ? `''` : `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US ')`;
  async function work(tx: Transaction) {
    const { rows } = await tx.query<StoredObject & { entry: string; place: string }>({
      text: `select * from (select distinct on (entry) (${at} || entry) collate "C" as place, entry, ${objectColumns}
        from (select *, case when $3 and position('/' in substr(name, length($2) + 1)) > 0
            then $2 || split_part(substr(name, length($2) + 1), '/', 1) || '/' else name end collate "C" as entry
          from storage.objects where bucket_id = $1 and starts_with(name, $2)) o
        order by entry, name) e
        where $4 = '' or place ${order === 'asc' ? '>' : '<'} $4 collate "C" order by place ${order} limit $5`,
      values: [BUCKET, prefix, wanted.with_delimiter === true, after, limit + 1],
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasNext = rows.length > limit && last !== undefined;
    return {
      hasNext,
      folders: page
        .filter(({ entry }) => entry.endsWith('/'))
        .map(({ entry }) => ({ name: entry, key: entry.slice(0, -1) })),
      objects: page
        .filter(({ entry }) => !entry.endsWith('/'))
        .map((row) => ({ ...fileEntry(row, row.name), key: row.name })),
      ...(hasNext ? { nextCursor: Buffer.from(last.place).toString('base64url') } : {}),
    };
  }
  return asAdmin(request, work, LISTING_REFUSED);
}

/** Removes files by name; those that do not exist are passed over. */
export async function removeObjects(request: FastifyRequest) {
  const { prefixes } = readBody(removal, request.body);
  const work = async (tx: Transaction) => {
    const { rows } = await tx.query<StoredObject>(
      `delete from storage.objects where bucket_id = $1 and name = any ($2::text[]) returning ${objectColumns}`,
      [BUCKET, prefixes],
    );
    return rows.map((row) => ({ ...fileEntry(row, row.name), bucket_id: BUCKET }));
  };
  return asAdmin(request, work, REMOVAL_REFUSED);
}

/** Reads the metadata of a file, without its bytes. */
export async function objectInfo(db: Database, name: string) {
  const { rows } = await db.queryAsService<StoredObject>('describe a public file', {
    text: `select ${objectColumns} from storage.objects where bucket_id = $1 and name = $2`,
    values: [BUCKET, name],
  });
  const row = rows[0];
  if (row === undefined) throw new StorageRefusal('NoSuchKey');
  return {
    id: row.id,
    name: row.name,
    size: row.size,
    content_type: row.content_type,
    cache_control: row.cache_control,
    etag: row.etag,
    metadata: row.user_metadata,
    created_at: row.created_at,
    last_modified: row.updated_at,
    version: row.id,
    bucket_id: BUCKET,
  };
}

function fileEntry(row: StoredObject, name: string) {
  return {
    name,
    id: row.id,
    updated_at: row.updated_at,
    created_at: row.created_at,
    last_accessed_at: row.updated_at,
    metadata: {
      eTag: row.etag,
      size: row.size,
      mimetype: row.content_type,
      cacheControl: row.cache_control,
      lastModified: row.updated_at,
      contentLength: row.size,
      httpStatusCode: 200,
    },
  };
}

function folderEntry(name: string) {
  return { name, id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null };
}
