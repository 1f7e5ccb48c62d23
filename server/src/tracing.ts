import { createRequire } from 'node:module';

import type * as Traces from './platform/traces.ts';

// The first import of the program: what traces hold on to must be patched before anything else has read it. All of it is
// read only where the environment names a collector, and in one go: a module that awaits would be overtaken by its siblings.
const isConfigured = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some(
  (name) => (process.env[name] ?? '') !== '',
);

/** Sends what has not been sent yet; null where nothing is traced. */
export const stopTracing: (() => Promise<void>) | null = isConfigured
  ? (createRequire(import.meta.url)('./platform/traces.ts') as typeof Traces).startTraces()
  : null;
