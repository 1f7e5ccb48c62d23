import { open, readdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';

import { watchDescriptors } from './descriptors.ts';
import { createLog } from './log.ts';

test('[DF-74] descriptors that run out are told once, and once that they no longer do', async () => {
  const stream = new PassThrough();
  const lines: { level: string; msg: string }[] = [];
  stream.on('data', (line: Buffer) =>
    lines.push(
      ...line
        .toString()
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one) as never),
    ),
  );
  const most = 2 * (await readdir('/proc/self/fd')).length;
  const end = watchDescriptors(createLog('info', stream), { everyMs: 10, most: Promise.resolve(most) });
  const files = await Promise.all(Array.from({ length: most }, () => open('/dev/null')));
  await expect.poll(() => lines.map(({ level }) => level)).toEqual(['error']);
  expect(lines[0]).toMatchObject({ limit: most, msg: expect.stringContaining('descriptors') });
  await Promise.all(files.map((file) => file.close()));
  await expect.poll(() => lines.map(({ level }) => level)).toEqual(['error', 'info']);
  end();
});
