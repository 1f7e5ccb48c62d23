import { z } from 'zod';

import { fullNameFrom, phoneFrom, requireEmail } from '../accounts/identity-fields.ts';
import { requirePhone, requirePhoneProvider } from '../accounts/phone.ts';
import { challengeFields, challengeOf } from '../codes/pkce-code.ts';
import { requireChannel } from '../codes/sms-code.ts';
import { AuthError, signupDisabled, validationFailed } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { signUpAnonymously } from './anonymously.ts';
import { SIGN_UP_LIMIT, signUp } from './by-email.ts';
import { signUpByPhone } from './by-phone.ts';
import { newUser } from './invented-user.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().default(''),
  data: z.record(z.string(), z.unknown()).default({}),
  channel: z.string().default(''),
  ...challengeFields,
});

/** POST /signup (AU-01): a session where accounts are confirmed at once, else the user alone and a mail or text message. */
export const signup: Operation = {
  method: 'POST',
  url: '/signup',
  access: 'public',
  limit: SIGN_UP_LIMIT,
  isForPeople: true,
  async handle(call) {
    const { settings } = call;
    if (settings.isSignupDisabled) throw signupDisabled();
    const given = parseBody(call.request, body);
    const { email, phone, password, data } = given;
    if (email !== '' && phone !== '') {
      throw validationFailed('Only an email address or phone number should be provided on signup.');
    }
    if (email === '' && phone === '') return { body: await sessionObject(call, await signUpAnonymously(call, data)) };
    if (password === '') throw validationFailed('Signup requires a valid password');
    const challenge = challengeOf(given);
    if (email === '') {
      if (challenge !== null) throw validationFailed('PKCE is not supported with a phone number');
      requireChannel(given.channel);
      requirePhoneProvider(settings, 400, 'signups');
      return { body: await signUpByPhone(call, { phone: requirePhone(phone), password, data }) };
    }

    const outcome = await signUp(call, {
      email,
      password,
      data,
      fullName: fullNameFrom(data, email),
      phone: phoneFrom(data),
      redirectTo: redirectTarget(queryValue(call.request, 'redirect_to'), settings),
      challenge,
      opensSession: true,
    });
    switch (outcome.kind) {
      case 'signed_in':
        return { body: await sessionObject(call, outcome.session) };
      case 'created':
      case 'pending':
        return { body: newUser(call, 'email', outcome.account.email ?? '', { data, account: outcome.account }) };
      case 'taken':
        if (settings.isAutoconfirmed) throw new AuthError(422, 'user_already_exists', 'User already registered');
        return { body: newUser(call, 'email', requireEmail(email), { data, account: null }) };
    }
  },
};
