import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, optionalEmail, optionalMessage, optionalPhone, personName, report } from './fields.ts';
import { personalMessageLengthMax } from './limits.ts';

/** What a friend fills in on the public page of somebody's personal link (CS-01). A box that is not ticked is not sent. */
export const friendRequestForm = z
  .object({
    name: personName(messages.nameRequired),
    email: optionalEmail(),
    phone: optionalPhone(),
    message: optionalMessage(personalMessageLengthMax),
    mayCall: z.pipe(
      z.optional(z.unknown()),
      z.transform((ticked) => ticked === 'oui'),
    ),
  })
  .check(
    across(({ email, phone, mayCall }, context) => {
      if (email === null && phone === null) report(context, messages.emailOrPhoneRequired, ['email']);
      else if (mayCall && phone === null) report(context, messages.phoneToBeCalled, ['phone']);
    }),
  );
export type FriendRequest = z.output<typeof friendRequestForm>;
