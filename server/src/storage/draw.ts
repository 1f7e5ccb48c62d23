import sharp from 'sharp';

import { drawnSideMax } from './drawn-side.ts';

// A process of its own (see logo-image.ts): an image on standard input, the same image as PNG on standard output.

/** What an image may unpack to: a few kilobytes can claim gigapixels. */
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

// A drawing has no pixels of its own to lose: it is drawn about as large as it is stored.
const { format, width, height } = await sharp(bytes, options).metadata();
const wanted = (DENSITY_DEFAULT * drawnSideMax) / Math.max(width, height, 1);
const density = format === 'svg' ? Math.min(Math.max(wanted, 1), DENSITY_MAX) : DENSITY_DEFAULT;

const png = await sharp(bytes, { ...options, density })
  .autoOrient()
  .resize(drawnSideMax, drawnSideMax, { fit: 'inside', withoutEnlargement: true })
  .png({ compressionLevel: 9 })
  .toBuffer();
process.stdout.write(png);
