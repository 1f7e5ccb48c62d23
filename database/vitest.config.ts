import { defineConfig } from 'vitest/config';

import { workspaceTests } from '../scripts/lib/vitest.mjs';

export default defineConfig(
  workspaceTests({
    include: ['tests/**/*.test.ts'],
    globalSetup: ['./src/testing-setup.ts'],
    // A title names what it is about, whole: npm run drop-defences looks for it.
    taskTitleValueFormatTruncate: 0,
  }),
);
