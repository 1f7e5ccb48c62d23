import { logoBytesMax, logoTypeOf } from '@parrain/domain/forms/logo';
import { Failure } from '@parrain/domain/failure';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';

/** The longest side of a stored logo, in pixels. */
export const logoSideMax = 512;

/** What an image may unpack to: a few kilobytes can claim gigapixels. */
const PIXELS_MAX = 50_000_000;
const PROCESSING_SECONDS_MAX = 5;
const DENSITY_DEFAULT = 72;
const DENSITY_MAX = 7200;

// Only the four decoders that a logo may need can run, whatever a file pretends to be.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadSvgBuffer',
  ],
});
// Two people who upload at once must not take every core, and no upload comes twice.
sharp.concurrency(1);
sharp.cache(false);

/**
 * The image a logo is stored as (V-06): decoded and drawn anew as PNG, at most 512 pixels a side, so that nothing of the
 * file as it was sent (scripts, metadata, another format hidden in it) is ever served.
 * @throws Failure `logo_type_refused` where the content is none of the four types or cannot be decoded, `logo_too_large`.
 */
export async function logoImage(bytes: Uint8Array): Promise<Buffer> {
  if (bytes.length > logoBytesMax) throw new Failure('logo_too_large');
  const type = logoTypeOf(bytes);
  if (type === null) throw new Failure('logo_type_refused');
  const isSvg = type === 'image/svg+xml';
  // A second opinion: a file that two readings take for different things is nobody's logo.
  if (!isSvg && (await fileTypeFromBuffer(bytes))?.mime !== type) throw new Failure('logo_type_refused');
  const source = isSvg ? harmlessSvg(bytes) : bytes;
  try {
    const density = isSvg ? await svgDensity(source) : DENSITY_DEFAULT;
    return await sharp(source, { ...readOptions, density })
      .timeout({ seconds: PROCESSING_SECONDS_MAX })
      .autoOrient()
      .resize(logoSideMax, logoSideMax, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9 })
      .toBuffer();
  } catch (cause) {
    const failure = new Failure('logo_type_refused');
    failure.cause = cause;
    throw failure;
  }
}

const readOptions = { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 } as const;

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

/** The resolution at which the drawing is about as large as it is stored: a small SVG has no pixels to lose. */
async function svgDensity(bytes: Uint8Array): Promise<number> {
  const { width, height } = await sharp(bytes, readOptions).metadata();
  const wanted = (DENSITY_DEFAULT * logoSideMax) / Math.max(width, height, 1);
  return Math.min(Math.max(wanted, 1), DENSITY_MAX);
}
