import { defineConfig } from '@playwright/test';

import { testLaunch } from '../scripts/lib/chromium.mjs';

// Each story starts a company of its own: server, database and mailbox. Two at a time, as the machine has two cores.
export default defineConfig({
  testDir: 'stories',
  testMatch: '**/*.story.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: 2,
  // For a machine that eight others use: it only ends a story that waits for what never comes.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    // A trace costs a sixth of the processor's time, and nobody fetches one from CI.
    trace: process.env['TRACE'] === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: testLaunch(),
  },
});
