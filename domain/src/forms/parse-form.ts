import type * as z from 'zod/mini';
import { Failure, failureMessage, isFailureCode, type FailureIssue, type FailureParams } from '../failure.ts';

/** A form's answer: its value in the domain's words, or everything that is wrong with it. */
export type FormResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly FailureIssue[] };

/** Parses a form before it is sent: every issue, with the name of its field. */
export function parseForm<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): FormResult<z.output<Schema>> {
  const result = schema.safeParse(input);
  return result.success ? { ok: true, value: result.data } : { ok: false, issues: result.error.issues.map(toIssue) };
}

/**
 * Parses a payload on arrival, by the schema of the form that sent it. Throws a Failure that carries every issue;
 * its code is the first exact one an issue names (« contract_details_required »), else « invalid_input ».
 */
export function parsePayload<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map(toIssue);
  for (const issue of result.error.issues) {
    const params = paramsOf(issue);
    if (isFailureCode(params['failure'])) throw new Failure(params['failure'], failureParamsOf(params), issues);
  }
  throw new Failure('invalid_input', {}, issues);
}

function toIssue(issue: z.core.$ZodIssue): FailureIssue {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  // Only the outermost shape (a payload that is no object) has no sentence of its own.
  return {
    path,
    message: issue.path.length === 0 && issue.code !== 'custom' ? failureMessage('invalid_input') : issue.message,
  };
}

function paramsOf(issue: z.core.$ZodIssue): FailureParams {
  return issue.code === 'custom' && issue.params !== undefined ? issue.params : {};
}

function failureParamsOf(params: FailureParams): FailureParams {
  const inner = params['failureParams'];
  return typeof inner === 'object' && inner !== null ? { ...inner } : {};
}
