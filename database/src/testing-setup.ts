import { startTestPostgres } from './testing.ts';

/** Vitest's global setup: one PostgreSQL for the run, gone after it. */
export default async function setup(): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  return postgres.stop;
}
