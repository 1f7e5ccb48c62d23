import { defineConfig } from 'vitest/config';

import { workspaceTests } from '../scripts/lib/vitest.mjs';

// Unit tests stand beside their subject; what needs a real browser stands in tests/.
export default defineConfig(
  workspaceTests({
    include: ['app/**/*.test.{ts,tsx}', 'tests/**/*.test.ts'],
  }),
);
