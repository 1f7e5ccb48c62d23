import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['../scripts/lib/property-seed.mjs', '@parrain/database/testing-setup'],
    setupFiles: ['../scripts/lib/property-seed.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
