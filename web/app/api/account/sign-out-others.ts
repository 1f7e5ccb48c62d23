import { ApiError } from '../transport/api-error.ts';
import { sessions } from '../transport/client.ts';

/** CO-11, CL-09: ends every session of mine but this one. */
export async function signOutOthers(): Promise<void> {
  const auth = await sessions();
  const { error } = await auth.signOut({ scope: 'others' });
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected' });
}
