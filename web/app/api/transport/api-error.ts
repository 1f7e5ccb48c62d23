import { responseFailed } from '@parrain/domain/messages';

/** One thing wrong in what was sent: where, and the French sentence. */
export interface ApiIssue {
  path: readonly (string | number)[];
  message: string;
  /** Current value of the field, where somebody else changed it meanwhile (DF-34). */
  current?: unknown;
}

interface ApiFailure {
  status: number;
  code: string;
  /** The server's own French text, or ours for its code; none where it gave nothing that a person can read. */
  text?: string | undefined;
  /** The next step where there is no text. */
  advice?: string;
  issues?: readonly ApiIssue[];
}

/** A call that the server refused or that never arrived. What a screen says of it: `messageOf`, `reasonOf`, `responseMessageOf`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** A failure code of the domain, `unavailable` where nothing answered, `unexpected` where the answer made no sense. */
  readonly code: string;
  readonly text: string | undefined;
  readonly issues: readonly ApiIssue[];

  constructor({ status, code, text, advice = tryAgain, issues = [] }: ApiFailure) {
    super(text ?? advice);
    this.status = status;
    this.code = code;
    this.text = text;
    this.issues = issues;
  }
}

/** The sentence of the first field that the server refused; undefined where it refused none. */
export function issueOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.issues[0]?.message : undefined;
}

/** The failure of an answer of the product's functions or of the REST layer. */
export function apiErrorFrom(status: number, body: string): ApiError {
  const fields = parseObject(body);
  return new ApiError({
    status,
    code: failureCodeIn(fields) ?? (status === 401 ? 'session_expired' : 'unexpected'),
    text: textOf(fields, body),
    issues: Array.isArray(fields['issues']) ? (fields['issues'] as ApiIssue[]) : [],
  });
}

const isRule = (code: unknown): boolean => code === 'PR001' || code === 'PR401';

/** The REST layer says one of our refusals by its SQLSTATE, and which one in the details. */
function failureCodeIn(fields: Record<string, unknown>): string | undefined {
  const code = textIn(fields['code']) ?? textIn(fields['error_code']);
  return isRule(code) ? (textIn(fields['details']) ?? code) : code;
}

const PLAIN_TEXT_LENGTH_MAX = 300;

/** A sentence for people: not the REST layer's English for developers, and not a proxy's page. */
function textOf(fields: Record<string, unknown>, body: string): string | undefined {
  const ours = textIn(fields['error']) ?? (isRule(fields['code']) ? textIn(fields['message']) : undefined);
  const isPlain = body.length <= PLAIN_TEXT_LENGTH_MAX && !/^\s*(?:[<{[]|$)/u.test(body);
  return ours ?? (isPlain ? body.trim() : undefined);
}

/** The failure of a call that got no answer. */
export function unreachableError(): ApiError {
  return new ApiError({
    status: 0,
    code: 'unavailable',
    advice: 'Le serveur ne répond pas. Vérifiez votre connexion, puis réessayez.',
  });
}

const tryAgain = 'Réessayez dans un instant.';

/** The reason of a failure, after a title or a colon: the server's own text, else the next step. */
export function reasonOf(error: unknown): string {
  return error instanceof ApiError ? error.message : tryAgain;
}

/**
 * The one rule of what a failure says (section 8 of the specification): the server's own text where it gave one, else the
 * catalogue's, and after it what we know besides.
 */
export function messageOf(error: unknown, catalogued: string): string {
  if (error instanceof ApiError && error.text !== undefined) return error.text;
  const sentence = catalogued.replace(/ Réessayez\.$/u, '').replace(/([^.!?])$/u, '$1.');
  return `${sentence} ${reasonOf(error)}`;
}

/**
 * « Erreur {status}: {body} », as the commercial's screens say a refusal; the body is the server's own text. Of fields to be mended the
 * sentence alone is said: each is marked.
 */
export function responseMessageOf(error: unknown, catalogued: string): string {
  const isQuoted =
    error instanceof ApiError && error.text !== undefined && error.status >= 400 && error.issues.length === 0;
  return isQuoted ? responseFailed(error.status, error.message) : messageOf(error, catalogued);
}

/** True where the one row asked for is missing or hidden from this reader: the REST layer answers both alike. */
export function isGone(error: unknown): boolean {
  // An address may hold anything where an id should be: that names nothing either.
  return error instanceof ApiError && (error.code === 'PGRST116' || error.code === '22P02');
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
