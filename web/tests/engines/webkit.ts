import { existsSync, globSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Engine } from './engine.ts';
import { findProgram, startProgram } from './processes.ts';

const DRIVER = 'WebKitWebDriver';

/** The small browser that WebKitGTK brings to be driven. */
const browserProgram = (): string | undefined =>
  globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').find((file) => existsSync(file));

/** If Debian's `webkit2gtk-driver` is here, and `xvfb`, the screen that it is drawn on. */
export const hasWebkit = (): boolean =>
  findProgram(DRIVER) !== undefined && findProgram('Xvfb') !== undefined && browserProgram() !== undefined;

/** Safari's engine as Debian has it, driven by WebDriver over HTTP. Its window is never narrower than 447 px. */
export async function startWebkit(): Promise<Engine> {
  const [driver, screen, browser] = [findProgram(DRIVER), findProgram('Xvfb'), browserProgram()];
  if (driver === undefined || screen === undefined || browser === undefined) {
    throw new Error('WebKitGTK is not on this machine');
  }
  const display = await startProgram(
    screen,
    ['-displayfd', '1', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'],
    {},
    /^(?<number>\d+)\n/mu,
  );
  const port = await freePort();
  const service = await startProgram(
    driver,
    [`--port=${port}`, '--host=127.0.0.1'],
    { DISPLAY: `:${display.words['number']}`, LANG: 'C.UTF-8', LANGUAGE: 'fr', LIBGL_ALWAYS_SOFTWARE: '1' },
    /(?:)/u,
  ).catch(async (error: unknown) => {
    await display.stop();
    throw error;
  });
  const ask = async (method: string, address: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`http://127.0.0.1:${port}${address}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await reply.json()) as { value: unknown };
    if (!reply.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  await untilAnswering(`http://127.0.0.1:${port}/status`);
  const { sessionId } = (await ask('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } },
    },
  })) as { sessionId: string };
  const at = (place: string) => `/session/${sessionId}${place}`;
  return {
    name: 'WebKit',
    open: async (url) => void (await ask('POST', at('/url'), { url })),
    run: async (body) => {
      const { value, error } = JSON.parse(
        (await ask('POST', at('/execute/async'), {
          script: `const done = arguments[0]; (async () => { ${body} })().then((value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })));`,
          args: [],
        })) as string,
      ) as { value?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return value;
    },
    act: async (actions) => void (await ask('POST', at('/actions'), { actions })),
    resize: async (width, height) => void (await ask('POST', at('/window/rect'), { x: 0, y: 0, width, height })),
    screenshot: async () => Buffer.from((await ask('GET', at('/screenshot'))) as string, 'base64'),
    close: async () => {
      await ask('DELETE', at('')).catch(() => undefined);
      await service.stop();
      await display.stop();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

async function untilAnswering(address: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const isThere = await fetch(address).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isThere) return;
    if (tries === 200) throw new Error(`${address} does not answer`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}
