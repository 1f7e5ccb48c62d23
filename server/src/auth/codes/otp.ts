import { randomInt } from 'node:crypto';
import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { registerByPhone, retryOnDuplicate } from '../accounts/create-account.ts';
import { fullNameFrom, requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { accountByPhone, requirePhone, requirePhoneProvider } from '../accounts/phone.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { OperationReply, Call, Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { requestMail } from './mail-requests.ts';
import { challengeFields, challengeOf } from './pkce-code.ts';
import { kindOfWayIn, requireChannel, sendCode } from './sms-code.ts';
import type { SmsKind } from './sms-code.ts';
import { requestText } from './text-requests.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  create_user: z.boolean().default(true),
  data: z.record(z.string(), z.unknown()).default({}),
  channel: z.string().default(''),
  ...challengeFields,
});

async function handle(call: Call): Promise<OperationReply> {
  const given = parseBody(call.request, body);
  const { email, phone, channel } = given;
  if (email !== '' && phone !== '') throw validationFailed('Only an email address or phone number should be provided');
  if (email === '' && phone === '') throw validationFailed('One of email or phone must be set');
  if (email !== '' && channel !== '') throw validationFailed('Channel should only be specified with Phone OTP');
  const challenge = challengeOf(given);
  requireBoundedMetadata(given.data, call);
  return phone === '' ? byMail(call, given, challenge) : byPhone(call, given, challenge);
}

type Given = z.output<typeof body>;

/** Known and unknown addresses get the same answer, where the request forbids opening an account as well. */
async function byMail(call: Call, given: Given, challenge: string | null): Promise<OperationReply> {
  const email = requireEmail(given.email);
  const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
  await requestMail(call, {
    kind: 'sign_in',
    email,
    redirectTo,
    challenge,
    ...(given.create_user ? { newAccount: given.data } : {}),
  });
  return { body: {} };
}

async function byPhone(call: Call, given: Given, challenge: string | null): Promise<OperationReply> {
  const phone = requirePhone(given.phone);
  requirePhoneProvider(call.settings, 400, 'logins');
  if (challenge !== null) throw validationFailed('PKCE is not supported with a phone number');
  requireChannel(given.channel);
  if (!mayOpen(call, given)) {
    await requestText(call, { kind: 'sign_in', phone });
    return { body: {} };
  }
  await sendCode(call, { ...(await retryOnDuplicate(() => phoneAccount(call, given, phone))), phone });
  return { body: {} };
}

type Addressee = {
  readonly userId: string;
  readonly kind: SmsKind;
  readonly isWithheld: boolean;
};

/** The account of a number, opened where there is none. */
function phoneAccount(call: Call, given: Given, phone: string): Promise<Addressee> {
  return call.db.asService('auth: otp', async (tx) => {
    const account = await accountByPhone(tx, phone);
    // A barred person gets no message, and the answer does not reveal it.
    if (account !== null) {
      // Defence against a timing attack: the work of an unknown number is done and rolled back, so that the latency
      // does not reveal that an account exists.
      await tx.query('savepoint timing_decoy');
      await openPhoneAccount(tx, call, given, `99${randomInt(10 ** 11, 10 ** 12)}`);
      await tx.query('rollback to savepoint timing_decoy');
      return { userId: account.id, kind: kindOfWayIn(account), isWithheld: account.is_barred };
    }
    return { userId: await openPhoneAccount(tx, call, given, phone), kind: 'confirmation', isWithheld: false };
  });
}

function mayOpen(call: Call, given: Given): boolean {
  return given.create_user && !call.settings.isSignupDisabled;
}

async function openPhoneAccount(tx: Transaction, call: Call, given: Given, phone: string): Promise<string> {
  const { data } = given;
  const fullName = fullNameFrom(data, '');
  return registerByPhone(tx, call.origin, { phone, passwordHash: null, fullName, data, method: 'otp' });
}

const limit = { name: 'otp', capacity: 30, perSeconds: 300 };

/** POST /otp (AU-07): a link and a code by mail, or a code by text message. */
export const otp: Operation = { method: 'POST', url: '/otp', access: 'public', limit, isForPeople: true, handle };

/** POST /magiclink: the same, by its former name. */
export const magicLink: Operation = {
  method: 'POST',
  url: '/magiclink',
  access: 'public',
  limit,
  isForPeople: true,
  handle,
};
