import { createHmac } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { mailboxOf } from '@parrain/domain/email-address';
import { phoneOf } from '@parrain/domain/phone';
import { z } from 'zod';

import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

const PURPOSE = 'friend-opt-out';
const PAGE_PURPOSE = 'friend-page';

/**
 * Scope of a friend's link: their referral, and the mark of the mailbox that it was mailed to. Null of a link from before 1.0, which the
 * page of the form showed too: it proves no mailbox.
 */
export type FriendScope = { readonly saleId: string; readonly proves: Buffer | null };

/**
 * Token of the opt-out pages, where a referred friend needs no account (F-15). It proves the mailbox, hence travels by mail to that very
 * address and stands on no page (DF-20).
 */
export function friendToken(services: Pick<Services, 'secrets'>, saleId: string, email: string): string {
  return sealed(services, PURPOSE, saleId, markOf(services, { email, phone: null }));
}

/**
 * Ticket that the page of a sent form gives to its sender: it proves nothing, and acts on that one request.
 * @param contact as it was given; the ticket is over once the referral has another.
 */
export function friendTicket(services: Pick<Services, 'secrets'>, saleId: string, contact: Contact): string {
  return sealed(services, PAGE_PURPOSE, saleId, markOf(services, contact));
}

function sealed({ secrets }: Pick<Services, 'secrets'>, purpose: string, saleId: string, mark: Buffer): string {
  return secrets.seal(purpose, `${saleId}.${mark.toString('base64url')}`).toString('base64url');
}

/** That page; the token goes into its fragment, which stays out of every server's log. */
export function friendOptOutPage({ publicUrl }: Pick<Services, 'publicUrl'>): string {
  return `${publicUrl()}/ne-plus-me-contacter`;
}

/** The page where a friend says whether they may be called (CS-03). */
export function callAnswerPage({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/accord?token=${token}`;
}

/** The page where whoever sent the public form takes that request back, or says whether they may be called (DF-20). */
export function sentRequestPage({ publicUrl }: Pick<Services, 'publicUrl'>, ticket: string): string {
  return `${publicUrl()}/ma-demande?ticket=${ticket}`;
}

/** The page of the company for a friend, to whom somebody recommended it (DF-09). */
export function discoverPage({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/decouvrir?token=${token}`;
}

/** The page of what is kept of a friend (CS-04). */
export function ownDataPage({ publicUrl }: Pick<Services, 'publicUrl'>, token: string): string {
  return `${publicUrl()}/vos-donnees?token=${token}`;
}

/**
 * The friend of a referral is never written to again; said twice, it is the same. Where the link was mailed to the address that the
 * referral has, all that the company holds of that address goes; else this one referral does, and the mailbox that got the link is
 * left alone from now on (DF-20).
 * @param isErased the contract of this very referral, if there is one, forgets them too (CS-04).
 */
export async function forgetFriend(
  services: Pick<Services, 'db' | 'secrets'>,
  { saleId, proves }: FriendScope,
  { isErased = false }: { readonly isErased?: boolean } = {},
): Promise<void> {
  await services.db.asService('a friend asks not to be contacted', async (tx) => {
    const { rows } = await tx.query<Contact>(
      'select referred_contact_email as email, referred_contact_phone as phone from public.sales where id = $1',
      [saleId],
    );
    const contact = rows[0] ?? { email: null, phone: null };
    const isKept = (contact.email ?? contact.phone) !== null;
    if (isErased && isKept) {
      await tx.query('select private.erase_contact($1, $2)', [saleId, markOf(services, contact)]);
    }
    if (contact.email !== null && proves?.equals(markOf(services, contact)) === true) {
      await tx.query('select private.opt_out_contact($1, $2)', [contact.email, proves]);
      return;
    }
    // Already forgotten, with the first click or with the referral: the answer is the same.
    if (isKept && !isErased) await tx.query('select private.withdraw_referral($1, $2)', [saleId, 'mailed_link']);
    if (proves !== null) await tx.query('select private.keep_refusal($1)', [proves]);
  });
}

/** Scope of a mailed link; null where it is not one of ours. */
export function scopeOfLink(services: Pick<Services, 'secrets'>, token: string): FriendScope | null {
  const opened = openedToken(services, PURPOSE, token);
  return opened === null ? null : { saleId: opened.saleId, proves: opened.mark };
}

/** The request that a page's ticket is about, and the mark of who made it; null where it is not one of ours. */
export function requestOfTicket(
  services: Pick<Services, 'secrets'>,
  ticket: string,
): { readonly saleId: string; readonly mark: Buffer } | null {
  const { saleId, mark = null } = openedToken(services, PAGE_PURPOSE, ticket) ?? {};
  return saleId === undefined || mark === null ? null : { saleId, mark };
}

function openedToken({ secrets }: Pick<Services, 'secrets'>, purpose: string, token: string) {
  try {
    const [saleId, mark] = secrets.open(purpose, Buffer.from(token, 'base64url')).toString().split('.');
    return { saleId: z.uuid().parse(saleId), mark: mark === undefined ? null : Buffer.from(mark, 'base64url') };
  } catch {
    return null;
  }
}

/** Contact details of a friend: their address, or their telephone where they gave no address. */
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

/** Contacts as former versions marked them: an address as written, and a number in its several overseas forms. */
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
