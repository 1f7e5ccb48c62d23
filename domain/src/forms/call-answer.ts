import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, optionalPhone, report } from './fields.ts';

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
        if (answer === 'oui' && needsPhone && phone === null) report(context, messages.phoneToBeCalled, ['phone']);
      }),
    ),
  z.transform(({ answer, phone }) => ({ isGiven: answer === 'oui', phone })),
);
