import { ApiError } from './api-error.ts';
import { callFunction } from './call-function.ts';
import { randomKey } from './random-key.ts';

/** Keys of the calls whose answer is not known. */
const unanswered = new Map<string, string>();

/**
 * Calls a product function whose answer is told once. Where it was lost on the way, the same call made again takes the same key, has one
 * effect, and gets the answer that was lost (V-20).
 */
export function callOnce<ResponseBody>(name: string, body: Readonly<Record<string, unknown>>): Promise<ResponseBody> {
  return withKeptKey(JSON.stringify([name, body]), (idempotencyKey) =>
    callFunction<ResponseBody>(name, { body, idempotencyKey }),
  );
}

/** Sends a call under the key that it was sent with before, as long as no answer to it has come. */
export async function withKeptKey<Answer>(
  call: string,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const key = unanswered.get(call) ?? randomKey();
  unanswered.set(call, key);
  try {
    const answer = await send(key);
    unanswered.delete(call);
    return answer;
  } catch (error) {
    // A refusal is an answer: nothing was done.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) unanswered.delete(call);
    throw error;
  }
}
