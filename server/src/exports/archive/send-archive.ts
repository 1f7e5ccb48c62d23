import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import { callerOf } from '#platform/identity';
import type { Services } from '#platform/services';

import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';

type Asked = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
  readonly archiveId: string;
};

/** An archive that is ready, for an admin; the trail has its entry before the first byte leaves (EX-03). */
export async function sendArchive(services: Services, { request, reply, identity, archiveId }: Asked): Promise<void> {
  const { rows } = await callerOf(request).db.queryAs<{ asked_on: string; row_count: number; size: number }>(
    identity,
    {
      text: `select (a.asked_at at time zone 'Europe/Paris')::date::text as asked_on, a.row_count, a.size
        from private.archive_taken($1) a`,
      values: [archiveId],
    },
    { readOnly: true },
  );
  const taken = rows[0];
  if (taken === undefined) throw new Error('archive_taken gave no row');
  await recordExport(request, identity, ['archive', 'zip', taken.row_count]);
  await sendFile(reply, {
    name: `Données ${taken.asked_on}.zip`,
    type: 'application/zip',
    length: taken.size,
    parts: partsOf(services, archiveId, taken.size),
  });
}

/** @throws Error where a part is gone: the archive expired while it was read */
async function* partsOf({ db }: Services, archiveId: string, size: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for (let place = 0; sent < size; place += 1) {
    const { rows } = await db.queryAsService<{ bytes: Buffer }>('exports: archive', {
      text: 'select p.bytes from private.archive_parts p where p.archive_id = $1 and p.place = $2',
      values: [archiveId, place],
    });
    const bytes = rows[0]?.bytes;
    if (bytes === undefined) throw new Error('A part of the archive is gone');
    sent += bytes.length;
    yield bytes;
  }
}
