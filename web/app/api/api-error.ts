/** One thing wrong in what was sent: where, and the French sentence. */
export interface ApiIssue {
  path: readonly (string | number)[];
  message: string;
}

/** A call that the server refused or that never arrived. `message` is the French sentence to show. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** A failure code of the domain, `unavailable` where nothing answered, `unexpected` where the answer made no sense. */
  readonly code: string;
  readonly issues: readonly ApiIssue[];
  /** The answer as it came, for the sentences that quote it (« Erreur {status}: {body} »). */
  readonly body: string;

  constructor(failure: { status: number; code: string; message: string; issues?: readonly ApiIssue[]; body?: string }) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.issues = failure.issues ?? [];
    this.body = failure.body ?? '';
  }
}

/** The failure of an answer of the product's functions, of the REST layer or of the authentication service. */
export function apiErrorFrom(status: number, body: string): ApiError {
  const said = parseObject(body);
  const message = text(said['error']) ?? text(said['message']) ?? text(said['msg']);
  return new ApiError({
    status,
    code: failureCodeIn(said) ?? (status === 401 ? 'session_expired' : 'unexpected'),
    message: message ?? (status >= 500 ? unexpectedMessage : `Erreur ${status}`),
    issues: Array.isArray(said['issues']) ? (said['issues'] as ApiIssue[]) : [],
    body,
  });
}

/** The REST layer says one of our refusals by its SQLSTATE, and which one in the details. */
function failureCodeIn(said: Record<string, unknown>): string | undefined {
  const code = text(said['code']) ?? text(said['error_code']);
  return code === 'PR001' || code === 'PR401' ? (text(said['details']) ?? code) : code;
}

/** The failure of a call that got no answer. */
export function unreachableError(): ApiError {
  return new ApiError({
    status: 0,
    code: 'unavailable',
    message: 'Le serveur ne répond pas. Vérifiez votre connexion, puis réessayez.',
  });
}

/** The sentence to show for anything that was thrown; `fallback` where it carries none. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.message !== '' ? error.message : fallback;
}

/** Whether the one row that was asked for is not there, or not for this reader: the REST layer answers both alike. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PGRST116';
}

const unexpectedMessage = 'Une erreur inattendue est survenue. Réessayez dans un instant.';

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
