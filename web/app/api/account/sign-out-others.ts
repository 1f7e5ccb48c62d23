import { ApiError } from '../transport/api-error.ts';
import { supabase } from '../transport/client.ts';

/** CO-11, CL-09: ends every session of mine but this one. */
export async function signOutOthers(): Promise<void> {
  const client = await supabase();
  const { error } = await client.auth.signOut({ scope: 'others' });
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected' });
}
