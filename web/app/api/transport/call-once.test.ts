import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { withKeptKey } from './call-once.ts';

/** A server that answers as it is told, and the keys that it was sent. */
function aServer() {
  const keys: string[] = [];
  const send = (call: string, refusal?: { status: number; code: string }) =>
    withKeptKey(call, async (key) => {
      keys.push(key);
      if (refusal) throw new ApiError(refusal);
      return { success: true };
    });
  return { keys, send };
}

test('[V-20] [E-03] an invitation whose answer was lost is sent again with its key, until the answer is known', async () => {
  const { keys, send } = aServer();
  const invite = (refusal?: { status: number; code: string }) => send('invite-client Paul', refusal);
  await expect(invite({ status: 0, code: 'unavailable' })).rejects.toThrow(ApiError);
  await expect(invite({ status: 503, code: 'unexpected' })).rejects.toThrow(ApiError);
  await send('invite-client Léa');
  await invite();
  await invite();
  const [first, second, other, third, fourth] = keys;
  expect(first).toBeTypeOf('string');
  expect([second, third]).toEqual([first, first]);
  // Another invitation, or the same one made anew after its answer, is another call.
  expect(new Set([first, other, fourth]).size).toBe(3);
});

test('[V-20] a refusal is an answer: what is sent next is evaluated anew', async () => {
  const { keys, send } = aServer();
  await expect(send('invite-client Paul', { status: 409, code: 'email_taken' })).rejects.toThrow(ApiError);
  await send('invite-client Paul');
  expect(new Set(keys).size).toBe(2);
});
