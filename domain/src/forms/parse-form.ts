import type * as z from 'zod/mini';
import type { FailureIssue } from '../failure.ts';
import { inputInvalid } from '../messages.ts';

/** A form's answer: its value in the domain's words, or everything that is wrong with it. */
export type FormResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly FailureIssue[] };

/** Parses a form before it is sent: every issue, with the name of its field. */
export function parseForm<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): FormResult<z.output<Schema>> {
  const result = schema.safeParse(input);
  return result.success ? { ok: true, value: result.data } : { ok: false, issues: result.error.issues.map(toIssue) };
}

/** An issue of a schema in the words of its form. */
export function toIssue(issue: z.core.$ZodIssue): FailureIssue {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  // Only the outermost shape (a payload that is no object) has no sentence of its own.
  return {
    path,
    message: issue.path.length === 0 && issue.code !== 'custom' ? inputInvalid : issue.message,
  };
}
