import sharp from 'sharp';

import type { Drawing } from './draw-apart.ts';
import { drawnSideMax } from './drawn-side.ts';

// A process of its own (see draw-apart.ts): an image on standard input, a drawing of it on standard output. Without an argument
// that is a logo as it is stored, with one a stored picture in the size and format that it asks for.

/** Limit on the pixels of an unpacked image: a few kilobytes can claim gigapixels. */
const PIXELS_MAX = 50_000_000;
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
sharp.concurrency(1);
sharp.cache(false);

const options = { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 } as const;

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const bytes = Buffer.concat(chunks);

const [, , asked] = process.argv;
process.stdout.write(await (asked === undefined ? asStored() : inSize(JSON.parse(asked) as Drawing)));

async function asStored(): Promise<Buffer> {
  // A drawing has no pixels of its own to lose: it is drawn about as large as it is stored.
  const { format, width, height } = await sharp(bytes, options).metadata();
  const wanted = (DENSITY_DEFAULT * drawnSideMax) / Math.max(width, height, 1);
  const density = format === 'svg' ? Math.min(Math.max(wanted, 1), DENSITY_MAX) : DENSITY_DEFAULT;
  return sharp(bytes, { ...options, density })
    .autoOrient()
    .resize(drawnSideMax, drawnSideMax, { fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** It is never made larger than it is. */
async function inSize({ width, height, fit, quality, format }: Drawing): Promise<Buffer> {
  const size = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
  const sized = sharp(bytes, options)
    .autoOrient()
    .resize({ ...size, fit, withoutEnlargement: true });
  const given = quality === undefined ? {} : { quality };
  // Transparent pixels become white: JPEG has no transparency.
  if (format === 'jpeg')
    return sized
      .flatten({ background: '#ffffff' })
      .jpeg({ ...given, mozjpeg: true })
      .toBuffer();
  return (format === 'webp' ? sized.webp(given) : sized.png(given)).toBuffer();
}
