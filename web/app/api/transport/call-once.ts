import { ApiError } from './api-error.ts';
import { callFunction } from './call-function.ts';
import { randomKey } from './random-key.ts';

/** Keys of the calls whose answer is not known. */
const unanswered = new Map<string, string>();

/**
 * Calls a product function whose answer is told once. Where it was lost on the way, the same call made again takes the same key, has one
 * effect, and gets the answer that was lost (V-20).
 */
export async function callOnce<ResponseBody>(
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<ResponseBody> {
  const call = JSON.stringify([name, body]);
  const idempotencyKey = unanswered.get(call) ?? randomKey();
  unanswered.set(call, idempotencyKey);
  try {
    const answer = await callFunction<ResponseBody>(name, { body, idempotencyKey });
    unanswered.delete(call);
    return answer;
  } catch (error) {
    // A refusal is an answer: nothing was done.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) unanswered.delete(call);
    throw error;
  }
}
