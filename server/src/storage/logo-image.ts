import { logoBytesMax, logoTypeOf } from '@parrain/domain/forms/logo';
import { Failure } from '@parrain/domain/failure';
import { fileTypeFromBuffer } from 'file-type';

import { createSemaphore } from '#platform/concurrency';

import { drawApart } from './draw-apart.ts';
import type { Drawing } from './draw-apart.ts';

/** One image is drawn at a time: unpacked it takes some 200 MB, and that is what pictures may take of this machine (DF-22). */
const withDrawingSlot = createSemaphore({ slots: 1, waitingMax: 20, refusal: () => new Failure('unavailable') });

/**
 * The image a logo is stored as (V-06): decoded and drawn anew as PNG, at most 512 pixels a side, so that nothing of the
 * file as it was sent (scripts, metadata, another format hidden in it) is ever served.
 * @throws Failure `logo_type_refused` where the content is none of the four types or cannot be decoded, `logo_too_large`.
 */
export async function logoImage(bytes: Uint8Array): Promise<Buffer> {
  return drawInTurn(await harmless(bytes));
}

/** As wide as a page shows it on a screen of two dots a pixel, in the shape that other sites show of a link. */
const PAGE_PICTURE = { width: 1200, height: 630, fit: 'cover', quality: 78, format: 'jpeg' } as const;

/**
 * The picture of the public page (UI-03): taken and drawn anew as a logo is, as JPEG, which everything shows that shows a link.
 * @throws Failure as `logoImage`
 */
export async function pageImage(bytes: Uint8Array): Promise<Buffer> {
  return drawInTurn(await harmless(bytes), PAGE_PICTURE);
}

/** An image of one of the four types, by its content, for a decoder. */
async function harmless(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length > logoBytesMax) throw new Failure('logo_too_large');
  const type = logoTypeOf(bytes);
  if (type === null) throw new Failure('logo_type_refused');
  if (type === 'image/svg+xml') return harmlessSvg(bytes);
  // A second opinion: a file that two readings take for different things is nobody's logo.
  if ((await fileTypeFromBuffer(bytes))?.mime !== type) throw new Failure('logo_type_refused');
  return bytes;
}

/**
 * An SVG with nothing in it that a parser could be attacked by: refuses entities (bombs), inclusions, and any encoding
 * but UTF-8 (which would hide them); drops the plain document type that drawing programs write.
 * Scripts and references to the outside are left: drawing runs the former never and fetches the latter never.
 */
function harmlessSvg(bytes: Uint8Array): Buffer {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure('logo_type_refused');
  }
  const encoding = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']*)/iu.exec(text)?.[1];
  const isUtf8 = encoding === undefined || /^(?:utf-?8|us-ascii)$/iu.test(encoding);
  const plain = text.replace(/<!DOCTYPE[^>[]{0,300}>/iu, '');
  if (!isUtf8 || text.includes('\0') || /<!(?:DOCTYPE|ENTITY)|<(?:\w{1,20}:)?include\b/iu.test(plain)) {
    throw new Failure('logo_type_refused');
  }
  return Buffer.from(plain);
}

async function drawInTurn(bytes: Uint8Array, drawing?: Drawing): Promise<Buffer> {
  const drawn = await withDrawingSlot(() => drawApart(bytes, drawing));
  if (drawn === null) throw new Failure('logo_type_refused');
  return drawn;
}
