import { ApiError } from './api-error.ts';

/** Puts what the server found wrong under the fields it names; tells whether there was anything to put. */
export function showIssues(error: unknown, fields: readonly string[], setError: (field: string, issue: { message: string }) => void): boolean {
  if (!(error instanceof ApiError)) return false;
  const known = error.issues.filter((issue) => fields.includes(issue.path.join('.')));
  for (const issue of known) setError(issue.path.join('.'), { message: issue.message });
  return known.length > 0;
}
