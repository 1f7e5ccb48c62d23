import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { id, optionalMessage, refuse } from './fields.ts';
import { personalMessageLengthMax } from './limits.ts';

export const friendMessageRequired = 'Veuillez écrire votre message';

/** The one message of a commercial to a friend who did not say whether they may be called (CS-03). */
export interface FriendMessage {
  readonly saleId: string;
  readonly message: string;
}

export const friendMessageForm = z.pipe(
  z.object({
    sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
    message: z.pipe(
      optionalMessage(personalMessageLengthMax),
      z.transform((value, context) => value ?? refuse(context, friendMessageRequired)),
    ),
  }),
  z.transform((form): FriendMessage => ({ saleId: form.sale_id, message: form.message })),
);
