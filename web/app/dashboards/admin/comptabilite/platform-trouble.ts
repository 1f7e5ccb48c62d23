import { ApiError } from '#api/transport/api-error';

/** A platform's trouble as the server says it, of a field. */
export function troubleOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.issues[0]?.message : undefined;
}
