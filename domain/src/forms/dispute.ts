import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { id, requiredText, seenVersion } from './fields.ts';

const body = () => requiredText(messages.disputeMessageRequired, undefined, { failure: 'message_required' });
const disputeId = () => id(messages.disputeNotSelected, { failure: 'dispute_not_found' });

/** LG-06: a payee questions a line of their account, by its number there. */
export const disputeOpeningForm = z.object({
  entry_id: z.string().check(z.regex(/^\d{1,18}$/u, messages.lineNotSelected)),
  message: body(),
});

/** A further message of either party. */
export const disputeAnswerForm = z.object({ dispute_id: disputeId(), message: body() });

/** The company's last word, on the thread that was on screen. */
export const disputeClosingForm = z.object({ dispute_id: disputeId(), message: body(), seen_version: seenVersion() });

/** What the message box checks before anything is sent. */
export const disputeMessageForm = z.object({ message: body() });
