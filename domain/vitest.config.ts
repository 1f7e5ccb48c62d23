import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    globalSetup: ['../scripts/lib/property-seed.mjs'],
    setupFiles: ['../scripts/lib/property-seed.mjs'],
  },
});
