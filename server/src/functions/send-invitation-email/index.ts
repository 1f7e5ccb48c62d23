import { mailboxOf } from '@parrain/domain/email-address';
import { Failure } from '@parrain/domain/failure';
import { friendInvitationForm } from '@parrain/domain/forms/friend-invitation';
import type { FriendInvitation } from '@parrain/domain/forms/friend-invitation';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { friendInvitedAs } from '@parrain/domain/messages';

import { readSender } from '#platform/mail-layout';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { callAnswerPage, discoverPage, friendOptOutPage, friendToken, knownMarks } from '../friend-link.ts';
import { limitInvitations, limitTries, stateOf } from '../invitation.ts';
import { friendInvitation } from '../mails/friend-invitation.ts';
import { onceThen } from '../once.ts';
import { oneClickAddress } from '../one-click-address.ts';
import { keepingRefusals } from '../refused-referral.ts';

/** F-15, S-07, V-12: a client refers a friend: the referral and the friend's one mail are one transaction. */
export default { '': { callers: ['client'], run: inviteFriend } } satisfies ProductFunction;

type Invited = { readonly sale: unknown; readonly mailId: string | null };

/** The people a friend's mail names, as the client's own rights let them be read. */
type Referrer = {
  readonly full_name: string;
  readonly email: string;
  readonly commercial_name: string | null;
  readonly is_consent_required: boolean;
};

async function inviteFriend(call: UserCall): Promise<FunctionResponse> {
  const friend = parsePayload(friendInvitationForm, call.body ?? {});
  await limitTries(call);
  const { services } = call;
  const attempt = { by: { clientId: call.userId }, email: friend.email, phone: friend.phone };
  return keepingRefusals(services, attempt, () =>
    onceThen<Invited>(
      call,
      async (tx) => {
        await limitInvitations(tx, call, friend.email);
        const { rows } = await tx.query<Referrer>(
          `select me.full_name, me.email, c.full_name as commercial_name,
           (select s.require_call_consent from public.company_settings s) as is_consent_required
         from public.profiles me left join public.profiles c on c.id = me.commercial_id where me.id = $1`,
          [call.userId],
        );
        const [referrer] = rows;
        // Deleted since this transaction began.
        if (referrer === undefined) throw new Failure('session_expired', { role: 'client' });
        checkNamedReferrer(friend, call.userId, referrer);
        await tx.query(
          'select private.require_contactable($1)',
          await knownMarks(tx, services, [{ email: friend.email, phone: null }]),
        );
        const created = await tx.query<{ sale: { readonly id: string } }>(
          'select to_json(s) as sale from private.invite_friend($1, $2, $3, $4, $5) s',
          [friend.name, friend.email, friend.phone, friend.personalMessage, services.mail.isConfigured],
        );
        const sale = created.rows[0]?.sale;
        if (sale === undefined) throw new Error('The invitation made no referral');
        const token = friendToken(services, sale.id, friend.email);
        const mailId = await services.mail.enqueue(
          tx,
          friendInvitation(await readSender(tx, services.publicUrl()), {
            name: friend.name,
            email: friend.email,
            referrerName: referrer.full_name,
            commercialName: referrer.commercial_name,
            personalMessage: friend.personalMessage,
            isConsentRequired: referrer.is_consent_required,
            answerUrl: callAnswerPage(services, token),
            discoverUrl: discoverPage(services, token),
            optOut: { url: `${friendOptOutPage(services)}#${token}`, oneClickUrl: oneClickAddress(services, token) },
          }),
        );
        return { sale, mailId };
      },
      async ({ sale, mailId }) => {
        const emailState = stateOf(await services.mail.waitForFate(mailId));
        return answer({
          success: true,
          emailSent: emailState === 'sent',
          emailState,
          message: friendInvitedAs[emailState],
          data: sale,
        });
      },
    ),
  );
}

/**
 * P-07: what the payload says of its sender is compared with the token's person, and then forgotten. The name alone is not
 * compared: another tab may still show the former one.
 */
function checkNamedReferrer(named: FriendInvitation, userId: string, referrer: Referrer): void {
  const isOther = (given: unknown, isKnown: (text: string) => boolean): boolean =>
    given !== undefined && given !== null && given !== '' && !(typeof given === 'string' && isKnown(given));
  if (
    isOther(named.clientId, (id) => id.trim().toLowerCase() === userId) ||
    isOther(named.clientEmail, (email) => mailboxOf(email) === mailboxOf(referrer.email))
  ) {
    throw new Failure('forbidden');
  }
}
