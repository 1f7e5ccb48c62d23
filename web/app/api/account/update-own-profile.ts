import type { ProfileInput } from '@parrain/domain/forms/profile';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';
import { refreshProfile } from '../transport/session.ts';

/** CO-11, CL-09: one's own name and phone, the only columns a person writes; the header follows. */
export async function updateOwnProfile(profileId: string, input: ProfileInput): Promise<void> {
  const client = await supabase();
  rowsOf(
    await client
      .from('profiles')
      .update({ full_name: input.full_name, phone: input.phone })
      .eq('id', profileId)
      .select('id')
      .single(),
  );
  await refreshProfile();
}
