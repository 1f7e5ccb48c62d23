import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['../scripts/lib/property-seed.mjs', './src/testing-setup.ts'],
    setupFiles: ['../scripts/lib/property-seed.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    // A title names what it is about, whole: npm run drop-defences looks for it.
    taskTitleValueFormatTruncate: 0,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
