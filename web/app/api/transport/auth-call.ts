import { authFailureMessage, type AuthMoment } from '@parrain/domain/failure-auth';
import { ApiError, unreachableError } from './api-error.ts';
import { sessions } from './client.ts';
import type { AuthClient } from './official-client.ts';

interface AuthRefusal {
  message: string;
  status?: number | undefined;
  code?: string | undefined;
  reasons?: readonly string[];
}

/** The data of the official client's result without an error. */
type DataOf<Result> = Result extends { error: null; data: infer Data } ? Data : never;

/**
 * A call of the authentication service by the official client: what it gives, or an ApiError in French.
 * `moment` is for the codes that mean something particular there.
 */
export async function authCall<Result extends { data: unknown; error: AuthRefusal | null }>(
  work: (auth: AuthClient) => Promise<Result>,
  moment?: AuthMoment,
): Promise<DataOf<Result>> {
  const auth = await sessions().catch(() => {
    throw unreachableError();
  });
  let { data, error } = await work(auth);
  // A token that is over before this computer's clock says so: renewed once, and asked again (DF-35).
  if (error?.code === 'bad_jwt' && (await auth.refreshSession()).error === null) ({ data, error } = await work(auth));
  if (error === null) return data as DataOf<Result>;
  const code = error.code ?? 'unexpected';
  // A ceremony of the browser (a key, a passkey) fails without an answer of the server; anything else without one never arrived.
  const isCeremony = code.startsWith('ERROR_') || error.message.includes('WebAuthn');
  if (!isCeremony && (!error.status || error.status >= 502)) throw unreachableError();
  const status = error.status ?? 0;
  throw new ApiError({
    status,
    code,
    text: authFailureMessage(code, { moment, reasons: error.reasons, isCeremony }),
  });
}
