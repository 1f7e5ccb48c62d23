import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { logoBytesMax } from '@parrain/domain/forms/logo';

const DRAWING = fileURLToPath(new URL('./draw.ts', import.meta.url));
/** Drawing takes a fraction of a second; on a busy machine its process may take some to begin. */
const DRAWING_SECONDS_MAX = 30;
const DRAWN_BYTES_MAX = 4 * logoBytesMax;

/** The size and the format of a drawing of a stored picture. */
export type Drawing = {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: 'cover' | 'inside' | 'fill';
  readonly quality?: number | undefined;
  readonly format: 'png' | 'webp' | 'jpeg';
};

/**
 * Draws an image in a process of its own, with no environment: a decoder led astray finds no secret there, and one that
 * would draw for ever is ended, which nothing can do to a thread. Drawing hung so once in this process, for good.
 * Without `drawing` it becomes what a logo is stored as. Null where it could not be drawn.
 */
export async function drawApart(
  bytes: Uint8Array,
  drawing?: Drawing,
  secondsMax = DRAWING_SECONDS_MAX,
): Promise<Buffer | null> {
  const asked = drawing === undefined ? [] : [JSON.stringify(drawing)];
  const drawer = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', DRAWING, ...asked], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: secondsMax * 1000,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let size = 0;
  drawer.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DRAWN_BYTES_MAX) drawer.kill('SIGKILL');
    else chunks.push(chunk);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    drawer.once('error', reject);
    drawer.once('close', resolve);
  });
  // It may end before it has read everything: that is told by its exit code.
  drawer.stdin.on('error', () => undefined);
  drawer.stdin.end(bytes);
  return (await ended) !== 0 || size === 0 ? null : Buffer.concat(chunks);
}
