import { pushEndpointLengthMax } from '@parrain/domain/forms/limits';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { phoneChoiceForm, subscriptionForm } from '@parrain/domain/forms/phone';
import { Failure } from '@parrain/domain/failure';
import { inputInvalid } from '@parrain/domain/messages';
import { ECDH } from 'node:crypto';

import { answer, issue } from '../call.ts';
import type { Call, FunctionResponse, UserCall } from '../call.ts';
import { addressFault } from '#platform/public-address';
import { readPushKey } from './push-key.ts';
import type { Subscription } from './push-message.ts';

/** UI-16: the key to subscribe with, and one's own devices; of each, whether it is this one. */
export async function readPhones(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<Record<string, unknown>>(
    call.identity,
    { text: 'select endpoint, user_agent, created_at, is_current from private.my_phones()' },
    { readOnly: true },
  );
  const { publicKey } = await readPushKey(call.services);
  return answer({ success: true, data: { public_key: publicKey, devices: rows } });
}

export async function choosePhone(call: UserCall): Promise<FunctionResponse> {
  const { topic, on_phone: onPhone } = parsePayload(phoneChoiceForm, call.body ?? {});
  await call.db.queryAs(call.identity, {
    text: 'select from private.choose_phone($1, $2)',
    values: [topic, onPhone],
  });
  return answer({ success: true, message: 'Préférence enregistrée' });
}

/** The browser of the caller's session, and of no other: no id is taken. */
export async function subscribePhone(call: UserCall): Promise<FunctionResponse> {
  const { endpoint, p256dh, auth } = checkedSubscription(call, parsePayload(subscriptionForm, call.body ?? {}));
  await call.db.queryAs(call.identity, {
    text: 'select from private.subscribe_phone($1, $2, $3)',
    values: [endpoint, p256dh, auth],
  });
  return answer({ success: true, message: 'Cet appareil reçoit vos notifications' });
}

export async function unsubscribePhone(call: UserCall): Promise<FunctionResponse> {
  await call.db.queryAs(call.identity, { text: 'select from private.unsubscribe_phone()' });
  return answer({ success: true, message: 'Cet appareil ne reçoit plus vos notifications' });
}

/**
 * Checks a browser's subscription: the endpoint is an address of the public internet, the key a point of the curve.
 * @throws Failure invalid_input
 */
export function checkedSubscription(
  { services }: Pick<Call, 'services'>,
  { endpoint, keys }: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } },
): Subscription {
  const url = URL.parse(endpoint);
  const p256dh = Buffer.from(keys.p256dh, 'base64url');
  const auth = Buffer.from(keys.auth, 'base64url');
  const isAddress =
    url !== null && `${url.username}${url.password}${url.hash}` === '' && url.href.length <= pushEndpointLengthMax;
  if (!isAddress || (!services.config.isOfThisMachine && addressFault(url) !== null)) {
    throw new Failure('invalid_input', {}, [issue('endpoint', inputInvalid)]);
  }
  if (!isPoint(p256dh) || auth.length !== 16) throw new Failure('invalid_input', {}, [issue('keys', inputInvalid)]);
  return { endpoint: url.href, p256dh, auth };
}

function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
