// @module-tag long: tests/kit.test.ts holds its subject in the quick ring
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnginePage } from './engines/engine-page.ts';
import type { Engine } from './engines/engine.ts';
import { firefoxProgram, startFirefox } from './engines/firefox.ts';
import { adminsDay, clientsDay, commercialsDay } from './engines/main-job.ts';
import { hasWebkit, startWebkit } from './engines/webkit.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// The main job of each role in the engines that the other tests do not know: Firefox's, and Safari's. Each press lands on what is
// drawn on top there. Debian has them as firefox-esr, and as webkit2gtk-driver with xvfb.

const PATIENCE = 600_000;
const server = realServer({ mail: false });

/** The narrowest window of WebKitGTK's small browser is wider than a phone. */
const engines = [
  {
    name: 'Firefox',
    package: 'firefox-esr',
    isHere: firefoxProgram() !== undefined,
    start: startFirefox,
    widths: [1366, 390],
  },
  { name: 'WebKit', package: 'webkit2gtk-driver xvfb', isHere: hasWebkit(), start: startWebkit, widths: [1366, 450] },
] as const;

for (const engine of engines) {
  if (!engine.isHere) {
    process.stdout.write(
      `${engine.name} is not on this machine: its tests are skipped (Debian: apt-get install ${engine.package}).\n`,
    );
  }
}

/** Days that were lived: each is another one. */
let nth = 0;

describe.each(engines)('in $name', ({ isHere, start, widths }) => {
  let engine: Engine | undefined;
  beforeAll(async () => {
    if (isHere) engine = await start();
  }, PATIENCE);
  afterAll(async () => {
    await engine?.close();
  }, PATIENCE);

  const days = [
    ['admin', adminsDay],
    ['commercial', commercialsDay],
    ['client', clientsDay],
  ] as const;
  test.skipIf(!isHere).each(widths.flatMap((width) => days.map(([role, live]) => [width, role, live] as const)))(
    '[DF-90, DF-95] at %i px the %s does the main job, from sign-in to sign-out',
    async (width, role, live) => {
      if (engine === undefined) throw new Error('The engine did not start');
      const page = new EnginePage(engine);
      await engine.resize(width, 800);
      const wide: string[] = [];
      const look = async (step: string) => {
        const beyond = await engine?.run(
          'return document.documentElement.scrollWidth - document.documentElement.clientWidth;',
        );
        if (beyond !== 0) wide.push(`${step}: ${String(beyond)} px`);
      };
      nth += 1;
      await live({ nth, page, origin: server.origin(), email: demoEmails[role], password: demoPassword }, look);
      expect(wide).toEqual([]);
    },
    PATIENCE,
  );
});
