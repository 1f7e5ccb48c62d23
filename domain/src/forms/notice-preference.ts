import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { noticeDeliveries, noticeTopics } from '../notice.ts';

/** Time at which a topic is mailed to me (TM-02). */
export const noticePreferenceForm = z.object({
  topic: z.enum(noticeTopics, messages.inputInvalid),
  delivery: z.enum(noticeDeliveries, messages.inputInvalid),
});
