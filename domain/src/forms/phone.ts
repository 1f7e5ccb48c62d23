import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { noticeTopics } from '../notice.ts';
import { pushEndpointLengthMax } from './limits.ts';

/** Choice of a topic for push messages on my phones (UI-16). */
export const phoneChoiceForm = z.object({
  topic: z.enum(noticeTopics, messages.inputInvalid),
  on_phone: z.boolean(messages.inputInvalid),
});

const bytes = z.string(messages.inputInvalid).check(z.regex(/^[\w-]{1,200}={0,2}$/u, messages.inputInvalid));

/** Push subscription of a browser (`PushSubscription.toJSON`). The server decides which addresses it accepts. */
export const subscriptionForm = z.object({
  endpoint: z
    .string(messages.inputInvalid)
    .check(
      z.regex(/^https?:\/\/[^\s\p{Cc}]+$/u, messages.inputInvalid),
      z.maxLength(pushEndpointLengthMax, messages.inputInvalid),
    ),
  keys: z.object({ p256dh: bytes, auth: bytes }, messages.inputInvalid),
});

/** The subscription of a browser that another takes the place of, known by its address and its secret. */
export const renewalForm = z.object({
  former: z.object(
    { endpoint: subscriptionForm.shape.endpoint, keys: z.object({ auth: bytes }, messages.inputInvalid) },
    messages.inputInvalid,
  ),
  subscription: subscriptionForm,
});
