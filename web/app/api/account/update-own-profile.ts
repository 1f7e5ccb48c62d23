import { profileForm } from '@parrain/domain/forms/profile';
import { changedMeanwhile, recordChanged } from '@parrain/domain/messages';
import { ApiError, type ApiIssue } from '../transport/api-error.ts';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';
import { refreshProfile } from '../transport/session.ts';
import type { Changes } from '../transport/use-edit.ts';

const columns = ['full_name', 'phone'] as const;

/**
 * CO-11, CL-09: one's own name and phone, the only columns a person writes; the header follows. What was changed alone is written, where
 * it still holds what the form saw (DF-34).
 * @throws ApiError changed_meanwhile, as the product's functions answer it
 */
export async function updateOwnProfile(profileId: string, { seen, ...changed }: Changes): Promise<void> {
  if (Object.keys(changed).length === 0) return;
  const client = await supabase();
  // As the form has them: a telephone pasted with invisible characters is kept without.
  const written = Object.fromEntries(
    Object.entries(changed).map(([column, value]) => [column, profileForm.shape[column as 'phone'].parse(value)]),
  );
  let update = client.from('profiles').update(written).eq('id', profileId);
  for (const [column, value] of Object.entries(seen)) {
    update = value === '' || value === null ? update.is(column, null) : update.eq(column, value);
  }
  const rows = rowsOf(await update.select('id')) as readonly unknown[];
  if (rows.length === 0)
    throw new ApiError({ status: 409, code: 'changed_meanwhile', ...(await changesNow(profileId, seen)) });
  await refreshProfile();
}

/** Form issues for the columns that hold another value than was seen. */
async function changesNow(profileId: string, seen: Changes['seen']) {
  const client = await supabase();
  const reply = await client.from('profiles').select(columns.join(',')).eq('id', profileId).single();
  const now = rowsOf(reply) as unknown as Readonly<Record<string, string | null>>;
  const issues = columns
    .filter((column) => column in seen && (now[column] ?? '') !== (seen[column] ?? ''))
    .map((column): ApiIssue => ({
      path: [column],
      message: changedMeanwhile(now[column] ?? ''),
      current: now[column],
    }));
  return { text: recordChanged, issues };
}
