import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Database } from '#platform/database';

import { BUCKET } from './logos.ts';
import { StorageRefusal } from './refusal.ts';

type Row = {
  readonly content: Buffer | null;
  readonly content_type: string;
  readonly cache_control: string;
  readonly etag: string;
  readonly updated_at: Date;
};

/** Gives a file, or 304 to whoever has it already. Nothing in it can run, whatever it is (W20). */
export async function sendObject(
  db: Database,
  name: string,
  request: FastifyRequest<{ Querystring: { download?: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = etagsOf(request.headers['if-none-match']);
  // The bytes stay in the database where they would not be sent.
  const { rows } = await db.queryAsService<Row>('serve a public file', {
    text: `select case when etag = any ($3::text[]) then null else content end as content,
        content_type, cache_control, etag, updated_at
      from storage.objects where bucket_id = $1 and name = $2`,
    values: [BUCKET, name, known],
  });
  const row = rows[0];
  if (row === undefined) throw new StorageRefusal('NoSuchKey');
  void reply.headers({
    'content-type': row.content_type,
    'cache-control': row.cache_control,
    etag: row.etag,
    'last-modified': row.updated_at.toUTCString(),
    'accept-ranges': 'none',
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  const { download } = request.query;
  if (download !== undefined) {
    const filename = encodeURIComponent(download === '' ? (name.split('/').at(-1) ?? name) : download);
    void reply.header('content-disposition', `attachment; filename*=UTF-8''${filename}`);
  }
  if (row.content === null) return reply.status(304).send();
  return reply.send(row.content);
}

function etagsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
}
