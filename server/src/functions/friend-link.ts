import { createHmac } from 'node:crypto';
import { z } from 'zod';

import type { Services } from '#platform/services';

const PURPOSE = 'friend-opt-out';

/** What opens the page where a referred friend says no, without an account (F-15). */
export function friendToken({ secrets }: Pick<Services, 'secrets'>, saleId: string): string {
  return secrets.seal(PURPOSE, saleId).toString('base64url');
}

/** That page; the token goes into its fragment, which stays out of every server's log. */
export function friendOptOutPage({ publicUrl }: Pick<Services, 'publicUrl'>): string {
  return `${publicUrl()}/ne-plus-me-contacter`;
}

/** The page where a friend says whether they may be called (CS-03). */
export function callAnswerPage({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/accord?token=${token}`;
}

/** The page of what is kept of a friend (CS-04). */
export function ownDataPage({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/vos-donnees?token=${token}`;
}

/**
 * The friend of a referral is never written to again; said twice, it is the same.
 * @param isErased the contract of this very referral, if there is one, forgets them too (CS-04).
 */
export async function forgetFriend(
  services: Pick<Services, 'db' | 'secrets'>,
  saleId: string,
  { isErased = false }: { readonly isErased?: boolean } = {},
): Promise<void> {
  await services.db.asService('a friend asks not to be contacted', async (tx) => {
    const { rows } = await tx.query<{ email: string | null; phone: string | null; number: string | null }>(
      `select referred_contact_email as email, referred_contact_phone as phone, private.phone_of(referred_contact_phone) as number
       from public.sales where id = $1`,
      [saleId],
    );
    const { email = null, phone = null, number = null } = rows[0] ?? {};
    const contact = email ?? number;
    if (isErased && contact !== null) {
      await tx.query('select private.erase_contact($1, $2)', [saleId, markOf(services, contact)]);
    }
    if (email !== null) await tx.query('select private.opt_out_contact($1, $2)', [email, markOf(services, email)]);
    else if (number !== null) await tx.query('select private.opt_out_phone($1, $2)', [phone, markOf(services, number)]);
    // Already forgotten, with the first click or with the referral: the answer is the same.
  });
}

/** The referral that a link is about; null where it is not one of ours. */
export function saleOfLink({ secrets }: Pick<Services, 'secrets'>, token: string): string | null {
  try {
    return z.uuid().parse(secrets.open(PURPOSE, Buffer.from(token, 'base64url')).toString());
  } catch {
    return null;
  }
}

/** Recognises an address, or a number in its one form (`private.phone_of`), that said no, without being it. */
export function markOf({ secrets }: Pick<Services, 'secrets'>, email: string): Buffer {
  return createHmac('sha256', secrets.derive('opted-out-mark')).update(email.trim().toLowerCase()).digest();
}
