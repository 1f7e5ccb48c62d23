import { ApiError } from './api-error.ts';
import { supabase } from './client.ts';

/** CO-11, CL-09: a new password for the person who is signed in. */
export async function updateOwnPassword(password: string): Promise<void> {
  const client = await supabase();
  const { error } = await client.auth.updateUser({ password });
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected', message: error.message });
}
