import { friendMessageForm } from '@parrain/domain/forms/friend-message';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { friendWrittenAs, friendWrittenByHand } from '@parrain/domain/messages';
import { shortName } from '@parrain/domain/short-name';

import { readSender } from '#platform/mail-layout';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { callAnswerPage, friendOptOutPage, friendToken, knownMarks } from '../friend-link.ts';
import { limitInvitations, limitTries, stateOf } from '../invitation.ts';
import { friendMessageMail } from '../mails/friend-message.ts';
import { onceThen } from '../once.ts';
import { oneClickAddress } from '../one-click-address.ts';

type Written = { readonly writtenAt: string; readonly mailId: string | null };

type Friend = {
  readonly name: string;
  readonly email: string;
  readonly referrer: string | null;
  readonly commercial_name: string;
  readonly commercial_email: string;
  readonly written_at: string;
};

/**
 * CS-03: a commercial writes once to a friend who has not said whether they may be called. The act and its mail are one transaction;
 * where no mail server is configured the act alone is kept, and the answer's `byHand` says that the commercial's own program writes.
 */
export async function writeToFriend(call: UserCall): Promise<FunctionResponse> {
  const { saleId, message } = parsePayload(friendMessageForm, call.body);
  await limitTries(call);
  const { services } = call;
  return onceThen<Written>(
    call,
    async (tx) => {
      // The statement's own snapshot is older than the row that it makes.
      const written = await tx.query<{ id: string }>('select id from private.write_to_friend($1)', [saleId]);
      if (written.rows.length === 0) throw new Error('The message made no row');
      const { rows } = await tx.query<Friend>(
        `select s.referred_contact_name as name, s.referred_contact_email as email, r.full_name as referrer,
           c.full_name as commercial_name, c.email as commercial_email, m.written_at::text
         from public.sales s
         join public.friend_messages m on m.sale_id = s.id
         join public.profiles c on c.id = m.written_by
         left join public.profiles r on r.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
         where s.id = $1`,
        [saleId],
      );
      const [friend] = rows;
      if (friend === undefined) throw new Error('The message is not read by who wrote it');
      await limitInvitations(tx, call, friend.email);
      await tx.query(
        'select private.require_contactable($1)',
        await knownMarks(tx, services, [{ email: friend.email, phone: null }]),
      );
      const token = friendToken(services, saleId, friend.email);
      const mailId = await services.mail.enqueue(
        tx,
        friendMessageMail(await readSender(tx, services.publicUrl()), {
          name: friend.name,
          email: friend.email,
          referrerName: friend.referrer === null ? null : shortName(friend.referrer),
          commercial: { name: friend.commercial_name, email: friend.commercial_email },
          message,
          answerUrl: callAnswerPage(services, token),
          optOut: { url: `${friendOptOutPage(services)}#${token}`, oneClickUrl: oneClickAddress(services, token) },
        }),
      );
      return { writtenAt: friend.written_at, mailId };
    },
    async ({ writtenAt, mailId }) => {
      const written = { success: true, written_at: writtenAt };
      if (mailId === null) return answer({ ...written, byHand: true, message: friendWrittenByHand });
      const emailState = stateOf(await services.mail.waitForFate(mailId));
      return answer({ ...written, byHand: false, emailState, message: friendWrittenAs[emailState] });
    },
  );
}
