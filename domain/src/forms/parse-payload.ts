import type * as z from 'zod/mini';
import { Failure, isFailureCode, type FailureParams } from '../failure.ts';
import { toIssue } from './parse-form.ts';
import { inputInvalid } from '../messages.ts';

/**
 * Parses a payload on arrival, by the schema of the form that sent it. Throws a Failure that carries every issue;
 * its code is the first exact one an issue names (« contract_details_required »), else « invalid_input ».
 */
export function parsePayload<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  // Errors for which a form has no message are in French too.
  const result = schema.safeParse(input, { error: () => inputInvalid });
  if (result.success) return result.data;
  const issues = result.error.issues.map(toIssue);
  for (const issue of result.error.issues) {
    const params = paramsOf(issue);
    if (isFailureCode(params['failure'])) throw new Failure(params['failure'], failureParamsOf(params), issues);
  }
  throw new Failure('invalid_input', {}, issues);
}

function paramsOf(issue: z.core.$ZodIssue): FailureParams {
  return issue.code === 'custom' && issue.params !== undefined ? issue.params : {};
}

function failureParamsOf(params: FailureParams): FailureParams {
  const inner = params['failureParams'];
  return typeof inner === 'object' && inner !== null ? { ...inner } : {};
}
