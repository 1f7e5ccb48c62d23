import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { pictureFile } from './network-files.ts';

test('[DF-94] a long tree is one file, which every engine saves whole: a picture, or an archive of several', async () => {
  const one = await pictureFile([new Blob(['first'])]);
  expect([one.name, await one.text()]).toEqual(['Réseau.png', 'first']);
  const several = await pictureFile(['first', 'second', 'third'].map((text) => new Blob([text])));
  expect(several.name).toBe('Réseau.zip');
  const inside = Object.entries(unzipSync(new Uint8Array(await several.arrayBuffer())));
  expect(inside.map(([name, bytes]) => [name, strFromU8(bytes)])).toEqual([
    ['Réseau 1.png', 'first'],
    ['Réseau 2.png', 'second'],
    ['Réseau 3.png', 'third'],
  ]);
  await expect(pictureFile([])).rejects.toThrow();
});
