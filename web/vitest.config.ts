import { defineConfig } from 'vitest/config';

import { workspaceTests } from '../scripts/lib/vitest.mjs';

// Unit tests stand beside their subject; what needs a real browser stands in tests/, and a demo company is made for those alone.
export default defineConfig(
  workspaceTests({
    projects: [
      { extends: true, test: { name: 'app', include: ['app/**/*.test.{ts,tsx}'] } },
      {
        extends: true,
        test: { name: 'pages', include: ['tests/**/*.test.ts'], globalSetup: ['./tests/real-server.ts'] },
      },
    ],
  }),
);
