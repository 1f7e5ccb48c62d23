import { logoBytesMax } from '@parrain/domain/forms/logo';
import { Failure } from '@parrain/domain/failure';
import type { FastifyRequest } from 'fastify';

/** So much of a refused upload is still read: a client that is cut off while it sends never sees the reason. */
const DRAINED_BYTES_MAX = 32 * 1024 * 1024;

/** The limits of a multipart parser. A file above them is truncated, which the reader then reports. */
export const multipartOptions = {
  limits: { fileSize: logoBytesMax, files: 1, fields: 10, fieldSize: 10_000, parts: 12 },
  throwFileSizeLimit: false,
};

/** A file with the text fields of its multipart body; a raw body has none. */
export type Uploaded = { readonly file: Buffer; readonly fields: ReadonlyMap<string, string> };

/**
 * The one file of an upload: the part named `field` of a multipart body (any where null), or the raw body itself.
 * Never more than the limit is held in memory (V-06).
 * @throws Failure `logo_too_large`; `invalid_input` where there is no file.
 */
export async function uploadedFile(request: FastifyRequest, field: string | null): Promise<Uploaded> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > DRAINED_BYTES_MAX) throw new Failure('logo_too_large');
  if (!request.isMultipart()) return { file: await wholeOf(request.body), fields: new Map() };

  try {
    return await parted(request, field);
  } catch (error) {
    // `parted` only reads the body, so any other error means that it is cut off or malformed.
    throw error instanceof Failure ? error : Object.assign(new Failure('invalid_input'), { cause: error });
  }
}

async function parted(request: FastifyRequest, field: string | null): Promise<Uploaded> {
  let file: Buffer | null = null;
  let isTooLarge = false;
  const fields = new Map<string, string>();
  // The parts after the file are read too: a client that is still sending loses the answer.
  for await (const part of request.parts()) {
    if (part.type !== 'file') {
      if (typeof part.value === 'string') fields.set(part.fieldname, part.value);
      continue;
    }
    const isTheOne = file === null && (field === null || part.fieldname === field);
    const chunks: Buffer[] = [];
    for await (const chunk of part.file as AsyncIterable<Buffer>) if (isTheOne) chunks.push(chunk);
    if (!isTheOne) continue;
    isTooLarge = part.file.truncated;
    file = isTooLarge ? Buffer.alloc(0) : Buffer.concat(chunks);
  }
  if (isTooLarge) throw new Failure('logo_too_large');
  if (file === null) throw new Failure('invalid_input');
  return { file, fields };
}

/** A raw body, which the parser for unknown types hands over as a stream. */
async function wholeOf(body: unknown): Promise<Buffer> {
  if (!isStream(body)) throw new Failure('invalid_input');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > DRAINED_BYTES_MAX) break;
    if (size <= logoBytesMax) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > logoBytesMax) throw new Failure('logo_too_large');
  return Buffer.concat(chunks);
}

function isStream(body: unknown): body is AsyncIterable<Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
