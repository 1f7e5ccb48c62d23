import { createHash } from 'node:crypto';
import { z } from 'zod';

import { createLruCache, createSemaphore } from '#platform/concurrency';
import { rateLimited, unavailable } from '#platform/errors';
import { createLocalLimit } from '#platform/local-limit';
import { networkOf } from '#platform/network';

import { drawApart } from './draw-apart.ts';
import { StorageRefusal } from './refusal.ts';

// Pictures are drawn anew to another size, as the official client asks for. What is drawn are our own PNG files, which a
// process apart made of the ones that were sent (`logo-image.ts`), and that process draws them too: see `draw-apart.ts`.

const side = z.coerce.number().int().min(1).max(2500);
const transformation = z.object({
  width: side.optional(),
  height: side.optional(),
  resize: z.enum(['cover', 'contain', 'fill']).default('cover'),
  /** Without it WebP has 80, and a PNG loses nothing. */
  quality: z.coerce.number().int().min(20).max(100).optional(),
  /** `origin` keeps the picture's own format; without it a browser that takes WebP gets that. */
  format: z.literal('origin').optional(),
});

export type Transformation = z.output<typeof transformation>;

const RULES =
  'width and height are integers between 1 and 2500, quality one between 20 and 100, resize is cover, contain or fill, format is origin';

/**
 * Transformation that an address or a body asks for; null where it asks for none.
 * @throws StorageRefusal where it cannot be done.
 */
export function transformationIn(asked: unknown): Transformation | null {
  if (typeof asked !== 'object' || asked === null) return null;
  const names = Object.keys(transformation.shape);
  const given = Object.fromEntries(Object.entries(asked).filter(([name]) => names.includes(name)));
  if (Object.keys(given).length === 0) return null;
  const parsed = transformation.safeParse(given);
  if (!parsed.success) throw new StorageRefusal('InvalidRequest', `The transformation is not understood: ${RULES}`);
  return parsed.data;
}

type Picture = { readonly content: Buffer; readonly etag: string; readonly type: 'image/png' | 'image/webp' };

/** Drawings of the last pictures asked for: a page asks for the same ones again and again. */
const drawn = createLruCache<string, Picture>(100);
/** One at a time: drawings of strangers take half of a small machine at most. */
const withDrawingSlot = createSemaphore({ slots: 1, waitingMax: 50, refusal: () => unavailable(1) });
/** The drawings of one network. */
const drawingsLeft = createLocalLimit({ capacity: 60, perSeconds: 60 });

/** The tag of a drawing: of the file, of what is asked, and of the format. */
export function drawnTag(etag: string, wanted: Transformation, type: Picture['type']): string {
  const name = JSON.stringify([etag, wanted.width, wanted.height, wanted.resize, wanted.quality, type]);
  return `"${createHash('sha256').update(name).digest('base64url').slice(0, 27)}"`;
}

/** The format in which a caller gets a drawing. */
export function drawnType({ format }: Transformation, accept: string | undefined): Picture['type'] {
  return format === undefined && accept?.includes('image/webp') === true ? 'image/webp' : 'image/png';
}

/**
 * Draws a stored picture to another size. It is never made larger than it is.
 * @throws Failure `rate_limited` where a network asks for too many, `unavailable` where too many wait, or the picture could not be drawn
 */
export async function drawPicture(
  content: () => Promise<Buffer>,
  wanted: Transformation,
  { etag, type, ip }: { readonly etag: string; readonly type: Picture['type']; readonly ip: string },
): Promise<Picture> {
  const known = drawn.get(etag);
  if (known !== undefined) return known;
  const wait = drawingsLeft(networkOf(ip));
  if (wait > 0) throw rateLimited(wait);
  const { width, height, resize, quality } = wanted;
  const fit = resize === 'contain' ? 'inside' : resize;
  const format = type === 'image/webp' ? 'webp' : 'png';
  const made = await withDrawingSlot(async () => drawApart(await content(), { width, height, fit, quality, format }));
  if (made === null) throw unavailable(1);
  const picture = { content: made, etag, type };
  drawn.set(etag, picture);
  return picture;
}
