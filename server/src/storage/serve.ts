import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Services } from '#platform/services';

import { fetchBytes } from './bytes.ts';
import { BUCKET } from './logos.ts';
import { rangeOf } from './range.ts';
import { StorageRefusal } from './refusal.ts';
import { drawnTag, drawnType, drawPicture } from './transform.ts';
import type { Transformation } from './transform.ts';

type Row = {
  readonly content: Buffer | null;
  readonly blob: string | null;
  readonly size: number;
  readonly content_type: string;
  readonly cache_control: string;
  readonly etag: string;
  readonly updated_at: Date;
};

type SendOptions = {
  /** The end of a signed address. */
  readonly expires?: Date | null;
  /** The picture in another size than it is stored in. */
  readonly transformation?: Transformation | null;
};

type ServeRequest = FastifyRequest<{ Querystring: { readonly download?: string } }>;

/**
 * Sends a file, a part of it, or 304 to a client that has it already. The headers keep any content from running (W20).
 */
export async function sendObject(
  services: Pick<Services, 'db' | 'config'>,
  name: string,
  request: ServeRequest,
  reply: FastifyReply,
  { expires = null, transformation = null }: SendOptions = {},
): Promise<FastifyReply> {
  const stored = await readRow(services, name, request, transformation !== null);
  const row = transformation === null ? stored : await drawnRow(services, stored, transformation, request);
  const isKnown = isKnownTo(request, row);
  void reply.headers({
    'content-type': row.content_type,
    'cache-control': expires === null ? inPublic(row.cache_control) : 'private, no-store',
    etag: row.etag,
    'last-modified': row.updated_at.toUTCString(),
    'accept-ranges': 'bytes',
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    ...(expires === null ? {} : { expires: expires.toUTCString() }),
    ...(transformation === null ? {} : { vary: 'Accept' }),
  });
  const { download } = request.query;
  if (download !== undefined) {
    const filename = encodeURIComponent(download === '' ? (name.split('/').at(-1) ?? name) : download);
    void reply.header('content-disposition', `attachment; filename*=UTF-8''${filename}`);
  }
  if (isKnown) return reply.status(304).send();

  const range = isRangeOf(request, row) ? rangeOf(request.headers.range, row.size) : null;
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${row.size}`);
    throw new StorageRefusal('InvalidRange');
  }
  if (range === null) return reply.send(row.content ?? (await bytesInS3(services, row)));
  void reply.status(206).header('content-range', `bytes ${range.first}-${range.last}/${row.size}`);
  const part = row.content?.subarray(range.first, range.last + 1);
  return reply.send(part ?? (await bytesInS3(services, row, range)));
}

/** The row of a drawing of a stored picture, without its bytes where the caller has them already. */
async function drawnRow(
  services: Pick<Services, 'config'>,
  stored: Row,
  wanted: Transformation,
  request: FastifyRequest,
): Promise<Row> {
  const type = drawnType(wanted, request.headers.accept);
  const row = { ...stored, content: null, blob: null, content_type: type, etag: drawnTag(stored.etag, wanted, type) };
  if (isKnownTo(request, row)) return row;
  const whole = async () => stored.content ?? (await bytesInS3(services, stored));
  const { content } = await drawPicture(whole, wanted, { etag: row.etag, type, ip: request.ip });
  return { ...row, content, size: content.length };
}

/** Every file is public, so shared caches may keep it also where a token was sent along. */
function inPublic(cacheControl: string): string {
  return cacheControl.startsWith('public') ? cacheControl : `public, ${cacheControl}`;
}

async function readRow(
  services: Pick<Services, 'db'>,
  name: string,
  request: FastifyRequest,
  isDrawn: boolean,
): Promise<Row> {
  // The bytes stay in the database where the answer is 304.
  const { rows } = await services.db.queryAsService<Row>('serve a public file', {
    text: `select case when etag = any ($3::text[]) then null else content end as content, blob, size,
        content_type, cache_control, etag, updated_at
      from storage.objects where bucket_id = $1 and name = $2`,
    values: [BUCKET, name, isDrawn ? [] : etagsOf(request.headers['if-none-match'])],
  });
  const row = rows[0];
  if (row === undefined) throw new StorageRefusal('NoSuchKey');
  return row;
}

async function bytesInS3(
  services: Pick<Services, 'config'>,
  row: Row,
  range?: { readonly first: number; readonly last: number },
): Promise<Buffer> {
  const bytes = row.blob === null ? null : await fetchBytes(services, row.blob, range);
  if (bytes === null) throw new StorageRefusal('NoSuchKey');
  return bytes;
}

/** If-None-Match decides; the date only without it. */
function isKnownTo({ headers }: FastifyRequest, row: Row): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known.trim() === '*' || etagsOf(known).includes(row.etag);
  return isNotNewer(row, headers['if-modified-since']);
}

/** If-Range: whether the caller's part is of the current version. Otherwise the whole file is sent. */
function isRangeOf({ headers }: FastifyRequest, row: Row): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  return condition.startsWith('"') ? condition === row.etag : isNotNewer(row, condition);
}

function isNotNewer(row: Row, date: string | undefined): boolean {
  const at = Date.parse(date ?? '');
  return !Number.isNaN(at) && Math.floor(row.updated_at.getTime() / 1000) * 1000 <= at;
}

function etagsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
}
