import { defineConfig } from 'vitest/config';

// Unit tests stand beside their subject; what needs a real browser stands in tests/.
export default defineConfig({
  test: {
    include: ['app/**/*.test.{ts,tsx}', 'tests/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
