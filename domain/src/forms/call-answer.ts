import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { contactChannels } from '../call-consent.ts';
import { across, choice, optionalPhone, report } from './fields.ts';
import { ownPhoneError } from './own-phone.ts';

/** A friend's answer by the link of their mail: may they be called, and at which number where none is known (CS-03). */
export const callAnswerForm = z.pipe(
  z
    .object({
      answer: z.enum(['oui', 'non'], messages.decisionRequired),
      phone: optionalPhone(),
      needsPhone: z.boolean(),
    })
    .check(
      across(({ answer, phone, needsPhone }, context) => {
        if (answer !== 'oui' || !needsPhone) return;
        const error =
          typeof phone === 'string' ? ownPhoneError(phone, 'call') : phone === null ? messages.phoneToBeCalled : null;
        if (error !== null) report(context, error, ['phone']);
      }),
    ),
  z.transform(({ answer, phone }) => ({ isGiven: answer === 'oui', phone })),
);

/** Another of the three ways to be reached, chosen by whoever sent the public form (UI-03). */
export const channelAnswerForm = z
  .object({
    channel: choice(contactChannels, messages.decisionRequired),
    phone: optionalPhone(),
    needsPhone: z.boolean(),
  })
  .check(
    across((form: { channel: unknown; phone: unknown; needsPhone: boolean }, context) => {
      const channel = contactChannels.find((word) => word === form.channel);
      if (!form.needsPhone || channel === undefined || channel === 'email') return;
      const error =
        typeof form.phone === 'string'
          ? ownPhoneError(form.phone, channel)
          : form.phone === null
            ? phoneToBeReached
            : null;
      if (error !== null) report(context, error, ['phone']);
    }),
  );

const phoneToBeReached = 'Pour un appel ou un SMS, donnez un numéro de téléphone';
