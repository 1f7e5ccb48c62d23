import { setImmediate as nextTurn } from 'node:timers/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';

import { drawApart } from './draw-apart.ts';
import { logoImage } from './logo-image.ts';

test('[DF-22] images are drawn one at a time, however many come at once', { tags: 'long' }, async () => {
  const image = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#0a5c4a' } })
    .png()
    .toBuffer();
  let isDone = false;
  const drawn = Promise.all(Array.from({ length: 4 }, () => logoImage(image))).finally(() => {
    isDone = true;
  });
  let most = 0;
  while (!isDone) {
    most = Math.max(most, process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length);
    await nextTurn();
  }
  expect(await drawn).toHaveLength(4);
  // The handle of one that ended may still be closing as the next begins; all four at once would be four.
  expect(most).toBeLessThan(3);
});

test('[DF-22] an image that unpacks to more pixels than any logo has is refused', async () => {
  // Eighty million pixels of one colour: some kilobytes.
  const bomb = await sharp({ create: { width: 10_000, height: 8_000, channels: 3, background: 'white' } })
    .png({ compressionLevel: 9 })
    .toBuffer();
  await expect(logoImage(bomb)).rejects.toMatchObject({ code: 'logo_type_refused' });
});

test('[DF-52] a drawing that does not end is ended, and one that fails is told', async () => {
  const image = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#0a5c4a' } })
    .png()
    .toBuffer();
  const drawing = { width: 32, fit: 'inside', format: 'webp' } as const;
  // No process draws within a thousandth of a second.
  expect(await drawApart(image, drawing, 0.001)).toBeNull();
  expect(await drawApart(Buffer.from('no picture'), drawing)).toBeNull();
  const drawn = await drawApart(image, drawing);
  expect(drawn === null ? null : await sharp(drawn).metadata()).toMatchObject({
    width: 32,
    height: 16,
    format: 'webp',
  });
});
