import { createHmac } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { mailboxOf } from '@parrain/domain/email-address';
import { phoneOf } from '@parrain/domain/phone';
import { z } from 'zod';

import type { Transaction } from '#platform/database';
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
    const { rows } = await tx.query<Contact>(
      'select referred_contact_email as email, referred_contact_phone as phone from public.sales where id = $1',
      [saleId],
    );
    const contact = rows[0] ?? { email: null, phone: null };
    const mark = markOf(services, contact);
    if (isErased && (contact.email ?? contact.phone) !== null) {
      await tx.query('select private.erase_contact($1, $2)', [saleId, mark]);
    }
    if (contact.email !== null) await tx.query('select private.opt_out_contact($1, $2)', [contact.email, mark]);
    else if (contact.phone !== null) await tx.query('select private.opt_out_phone($1, $2)', [contact.phone, mark]);
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

/** How a friend is reached: by their address, or by their telephone where they gave no address. */
interface Contact {
  readonly email: string | null;
  readonly phone: string | null;
}

/** Recognises the mailbox, or the number, that said no, without being it: however it is written, it is one (DF-30, DF-36). */
export function markOf({ secrets }: Pick<Services, 'secrets'>, { email, phone }: Contact): Buffer {
  return digest(secrets, email === null ? (phoneOf(phone ?? '') ?? '') : mailboxOf(email));
}

/**
 * The marks under which contacts are looked up: that of who said no before 0.10 is of the address as it was written then, so it is
 * told where it is there.
 */
export async function knownMarks(
  tx: Transaction,
  { secrets }: Pick<Services, 'secrets'>,
  contacts: readonly Contact[],
): Promise<Buffer[]> {
  const former = contacts.map((contact) => formerContacts(contact).map((text) => digest(secrets, text)));
  const kept = await tx.asService('read who said no', async () => {
    const { rows } = await tx.query<{ mark: Buffer }>('select mark from private.opted_out where mark = any ($1)', [
      former.flat(),
    ]);
    return new Set(rows.map(({ mark }) => mark.toString('hex')));
  });
  return contacts.map(
    (contact, place) => former[place]?.find((mark) => kept.has(mark.toString('hex'))) ?? markOf({ secrets }, contact),
  );
}

/** How marks were made once: of an address as written, and of a number whose overseas forms were several. */
function formerContacts({ email, phone }: Contact): readonly string[] {
  if (email !== null) {
    const [name = '', domain = ''] = email.trim().toLowerCase().split('@');
    return [`${name}@${domain}`, `${name}@${domainToUnicode(domain)}`];
  }
  const number = phoneOf(phone ?? '') ?? '';
  return ['262', '590', '594', '596'].map((region) => `00${region}${number.slice(1)}`);
}

function digest(secrets: Services['secrets'], text: string): Buffer {
  return createHmac('sha256', secrets.derive('opted-out-mark')).update(text).digest();
}
