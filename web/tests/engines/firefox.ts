import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Engine } from './engine.ts';
import { findProgram, startProgram } from './processes.ts';

export const firefoxProgram = (): string | undefined => findProgram('firefox-esr', 'firefox');

/** Firefox, driven over its own WebDriver BiDi; in a profile of its own, without a window. */
export async function startFirefox(): Promise<Engine> {
  const program = firefoxProgram();
  if (program === undefined) throw new Error('Firefox is not on this machine');
  const profile = mkdtempSync(path.join(os.tmpdir(), 'parrain-firefox-'));
  writeFileSync(path.join(profile, 'user.js'), preferences);
  const { words, stop } = await startProgram(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'],
    { HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
    /WebDriver BiDi listening on (?<address>ws:\S+)/u,
  );
  const send = await connect(`${words['address']}/session`);
  await send('session.new', { capabilities: {} });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  const target = { context };
  return {
    name: 'Firefox',
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    run: async (body) => {
      const reply = (await send('script.evaluate', {
        expression: `(async () => JSON.stringify(await (async () => { ${body} })()) ?? 'null')()`,
        target,
        awaitPromise: true,
      })) as { result?: { value: string }; exceptionDetails?: { text: string } };
      if (reply.exceptionDetails) throw new Error(reply.exceptionDetails.text);
      return JSON.parse(reply.result?.value ?? 'null');
    },
    act: async (actions) => void (await send('input.performActions', { context, actions })),
    resize: async (width, height) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    screenshot: async () => {
      const { data } = (await send('browsingContext.captureScreenshot', { context })) as { data: string };
      return Buffer.from(data, 'base64');
    },
    print: async () => {
      const { data } = (await send('browsingContext.print', { context, shrinkToFit: false })) as { data: string };
      return Buffer.from(data, 'base64');
    },
    close: async () => {
      await stop();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** No page of its own at the start, nothing fetched from elsewhere, and the reader's French. */
const preferences = [
  ['browser.shell.checkDefaultBrowser', false],
  ['browser.startup.homepage_override.mstone', 'ignore'],
  ['datareporting.policy.dataSubmissionEnabled', false],
  ['app.update.enabled', false],
  ['network.captive-portal-service.enabled', false],
  ['network.connectivity-service.enabled', false],
  ['intl.accept_languages', 'fr-FR, fr'],
  ['ui.prefersReducedMotion', 1],
]
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  .join('');

type Send = (method: string, params: object) => Promise<unknown>;

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`${address} does not answer`)));
  });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as { id?: number; type: string; result?: unknown; message?: string };
    const asked = waiting.get(reply.id ?? -1);
    if (reply.type === 'error') asked?.reject(new Error(reply.message));
    else asked?.resolve(reply.result);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox ended'));
  });
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}
