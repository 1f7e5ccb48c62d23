import type * as z from 'zod/mini';
import { parseForm } from './parse-form.ts';

/** Refusals of a form, as « field: sentence »; for tests. */
export function refusals(schema: z.ZodMiniType, input: unknown): string[] {
  const result = parseForm(schema, input);
  return result.ok ? [] : result.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** Value that a form accepts; throws where it refuses. For tests. */
export function accepted<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = parseForm(schema, input);
  if (!result.ok) throw new Error(refusals(schema, input).join(' · '));
  return result.value;
}
