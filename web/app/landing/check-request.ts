import { appointmentRequestForm } from '@parrain/domain/forms/appointment-request';
import { parseForm } from '@parrain/domain/forms/parse-form';
import type { FailureIssue } from '@parrain/domain/failure';

/** Issues of a request for a demonstration (L-04), by field. Loaded when the form is near: the page is read without it. */
export function issuesOfRequest(payload: unknown): readonly FailureIssue[] {
  const parsed = parseForm(appointmentRequestForm, payload);
  return parsed.ok ? [] : parsed.issues;
}
