import { Failure } from '@parrain/domain/failure';
import type { FailureCode } from '@parrain/domain/failure';
import { friendDataForm } from '@parrain/domain/forms/friend-data';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import type { FastifyInstance } from 'fastify';

import { callAnswerPage, forgetFriend, knownMarks } from '../functions/index.ts';
import { failureOf, rateLimited, retryAfterOf } from '../platform/errors.ts';
import { networkOf } from '../platform/network.ts';
import type { Bucket } from '../platform/rate-limit.ts';
import type { Services } from '../platform/services.ts';
import { readFriendData, tokenOf } from './friend-data.ts';
import { erasedPage, ownDataPage } from './own-data-page.ts';
import type { DataFields } from './own-data-page.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';

/** One network's corrections: a bound on asking, by another address, whom the company knows. */
const CORRECTIONS: Bucket = { capacity: 30, perSeconds: 3600 };
/** One friend’s corrections: each is an entry of the trail (DF-28). */
const OF_ONE_FRIEND: Bucket = { capacity: 12, perSeconds: 86_400 };
/** One answer to each: it does not say whether an address is a client's, a member's of the company, or was referred. */
const KNOWN_ALREADY: ReadonlySet<FailureCode> = new Set([
  'friend_is_client',
  'friend_opted_out',
  'friend_referred_before',
]);

/**
 * `/vos-donnees?token=…` (CS-04): a friend sees what is kept of them, corrects it or has it erased, without an account or a script.
 * To open it changes nothing, for programs that inspect mails open every link.
 */
export function ownDataRoutes(app: FastifyInstance, services: Services): void {
  app.get('/vos-donnees', async (request, reply) => {
    const token = tokenOf(request.query);
    const friend = await readFriendData(services, token);
    if (friend === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    return sendPage(reply, 200, ownDataPage({ friend, ...addressesOf(services, token) }));
  });

  app.post('/vos-donnees', { bodyLimit: 10_000 }, async (request, reply) => {
    const network = networkOf(request.ip);
    const token = tokenOf(request.query);
    const friend = await readFriendData(services, token);
    if (friend === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    const given = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    if (given.get('act') === 'effacer') {
      await forgetFriend(services, friend, { isErased: true });
      return sendPage(reply, 200, erasedPage(friend));
    }
    const text = (name: string): string => given.get(name) ?? '';
    const fields: DataFields = { name: text('name'), email: text('email'), phone: text('phone') };
    const page = { friend, fields, ...addressesOf(services, token) };
    try {
      const { name, email, phone } = parsePayload(friendDataForm, fields);
      const again = await services.rateLimit.takeToken(`own-data:from:${network}`, CORRECTIONS);
      if (again > 0) throw rateLimited(again);
      const wait = await services.rateLimit.takeToken(`own-data:of:${friend.saleId}`, OF_ONE_FRIEND);
      if (wait > 0) throw rateLimited(wait);
      await services.db.asService('a friend corrects what is kept of them', async (tx) => {
        if (email !== null && email !== friend.email) {
          await tx.query(
            'select private.require_contactable($1)',
            await knownMarks(tx, services, [{ email, phone: null }]),
          );
        }
        await tx.query('select private.correct_contact($1, $2, $3, $4)', [friend.saleId, name, email, phone]);
      });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'invalid_input' && failure.issues.length > 0) {
        const errors = new Map(
          failure.issues.toReversed().map(({ path, message }) => [String(path[0] ?? ''), message]),
        );
        return sendPage(reply, failure.status, ownDataPage({ ...page, errors }));
      }
      if (KNOWN_ALREADY.has(failure.code)) {
        const errors = new Map([['email', `${friend.company.name} ne peut pas prendre cette adresse ou ce numéro.`]]);
        return sendPage(reply, 409, ownDataPage({ ...page, errors }));
      }
      const retryAfter = retryAfterOf(failure);
      if (retryAfter === null) throw error;
      void reply.header('retry-after', String(retryAfter));
      return sendPage(reply, failure.status, ownDataPage({ ...page, errors: new Map([['', failure.message]]) }));
    }
    const now = await readFriendData(services, token);
    if (now === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    return sendPage(reply, 200, ownDataPage({ friend: now, isSaved: true, ...addressesOf(services, token) }));
  });
}

function addressesOf(services: Services, token: string) {
  return { answerUrl: callAnswerPage(services, token), publicUrl: services.publicUrl() };
}
