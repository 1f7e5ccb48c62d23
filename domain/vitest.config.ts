import { defineConfig } from 'vitest/config';

import { workspaceTests } from '../scripts/lib/vitest.mjs';

export default defineConfig(workspaceTests({ include: ['src/**/*.test.ts'] }));
