import { defineConfig } from '@playwright/test';

import { findChromium, TEST_FLAGS } from '../scripts/lib/chromium.mjs';

const chromium = findChromium();

// Each story starts a company of its own: server, database and mailbox. Two at a time, as the machine has two cores.
export default defineConfig({
  testDir: 'stories',
  testMatch: '**/*.story.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: chromium.path, args: TEST_FLAGS, env: { ...process.env, ...chromium.env } },
  },
});
