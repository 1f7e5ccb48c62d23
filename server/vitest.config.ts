import { defineConfig } from 'vitest/config';

import { workspaceTests } from '../scripts/lib/vitest.mjs';

export default defineConfig(
  workspaceTests({
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['@parrain/database/testing-setup'],
    // It is the longest of the parts, and waits for a third of its time.
    maxWorkers: 3,
  }),
);
