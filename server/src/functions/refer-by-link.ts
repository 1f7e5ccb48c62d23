import { answerDelayText } from '@parrain/domain/answer-delay';
import {
  callConsentStatement,
  callConsentVersion,
  contactConsentStatement,
  contactConsentVersion,
} from '@parrain/domain/call-consent';
import type { FormerFriendRequest, FriendRequest } from '@parrain/domain/forms/friend-request';
import { shortName } from '@parrain/domain/short-name';

import { readSender } from '#platform/mail-layout';
import { networkOf } from '#platform/network';
import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { callAnswerPage, friendOptOutPage, friendTicket, friendToken, knownMarks } from './friend-link.ts';
import { limitMailByLink } from './invitation.ts';
import { friendRequestMail } from './mails/friend-request.ts';
import { oneClickAddress } from './one-click-address.ts';
import { keepingRefusals } from './refused-referral.ts';

/**
 * CS-01: a friend comes in by a personal link: referral, proof of consent and the friend's one mail are one transaction.
 * @param submission the name of this sending of the form, at most one of which has an effect.
 * @param userAgent the friend's browser, compared with those of the link's owner and not kept (FD-01).
 * @returns the ticket by which whoever sent the form takes this request back, and nothing more (DF-20), the same where this very sending was
 *   done before; null where that one was of somebody else.
 * @throws Failure those of F-15, `personal_link_closed`, `rate_limited`, `mail_limit`
 */
export async function referByLink(
  services: Services,
  link: string,
  friend: FriendRequest | FormerFriendRequest,
  {
    submission,
    ip,
    userAgent,
  }: { readonly submission: string; readonly ip: string; readonly userAgent: string | null },
): Promise<string | null> {
  const { mail } = services;
  const attempt = { by: { link }, email: friend.email, phone: friend.phone };
  return keepingRefusals(services, attempt, () =>
    services.db.asService('a friend comes in by a personal link', async (tx) => {
      const taken = await tx.query<{ wait: number }>('select private.take_token($1, 1, 86400)::float8 as wait', [
        `referral-page:sent:${submission}`,
      ]);
      if ((taken.rows[0]?.wait ?? 0) > 0) return ticketOf(tx, services, link, friend);
      await tx.query('select private.require_contactable($1)', await knownMarks(tx, services, [friend]));
      const sender = await readSender(tx, services.publicUrl());
      const consent = consentOf(friend, sender.companyName);
      const { rows } = await tx.query<{
        id: string;
        referrer: string;
        commercial: string | null;
        answer_days: number | null;
      }>(
        `select s.id, r.full_name as referrer, c.full_name as commercial,
         (select answer_days from public.company_settings) as answer_days
       from private.refer_by_link($1, $2, $3, $4, $5, $6, $7, $8, $9) s
       join public.profiles r on r.id = s.friend_referrer_id left join public.profiles c on c.id = s.commercial_id`,
        [
          link,
          friend.name,
          friend.email,
          friend.phone,
          friend.message,
          mail.isConfigured,
          consent.statement,
          consent.version,
          consent.channel,
        ],
      );
      const [referral] = rows;
      if (referral === undefined) throw new Error('The request made no referral');
      await tx.query('select private.doubt_device($1, $2, $3)', [referral.id, ip, userAgent]);
      if (friend.email !== null) {
        const token = friendToken(services, referral.id, friend.email);
        await limitMailByLink(tx, services, friend.email, networkOf(ip));
        await mail.enqueue(
          tx,
          friendRequestMail(sender, {
            name: friend.name,
            email: friend.email,
            referrerName: shortName(referral.referrer),
            commercialName: referral.commercial,
            mayCall: consent.channel === 'call',
            delay: answerDelayText(referral.answer_days),
            answerUrl: callAnswerPage(services, token),
            optOut: { url: `${friendOptOutPage(services)}#${token}`, oneClickUrl: oneClickAddress(services, token) },
          }),
        );
      }
      return friendTicket(services, referral.id, friend);
    }),
  );
}

/** Of the request that was made by this link, within the life of a form, with this contact. */
async function ticketOf(
  tx: Transaction,
  services: Services,
  link: string,
  friend: FriendRequest | FormerFriendRequest,
) {
  const { rows } = await tx.query<{ id: string }>(
    `select s.id from private.read_personal_link($1, $2) l join public.sales s on s.friend_referrer_id = l.client_id
      where s.referred_contact_email is not distinct from $3 and s.referred_contact_phone is not distinct from $4
        and s.created_at > private.now() - interval '1 day' order by s.created_at desc limit 1`,
    [link, services.mail.isConfigured, friend.email, friend.phone],
  );
  return rows[0] === undefined ? null : friendTicket(services, rows[0].id, friend);
}

/**
 * Consent of a friend, in the words of the page that they filled in; the former page had a box for calls, and an empty one records nothing.
 */
function consentOf(friend: FriendRequest | FormerFriendRequest, companyName: string) {
  if (!('mayCall' in friend)) {
    const { channel } = friend;
    return { channel, statement: contactConsentStatement(channel, companyName), version: contactConsentVersion };
  }
  const agreed = friend.mayCall ? ({ channel: 'call', statement: callConsentStatement(companyName) } as const) : null;
  return { channel: agreed?.channel ?? null, statement: agreed?.statement ?? null, version: callConsentVersion };
}
