import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { callFunction } from './call-function.ts';
import { callOnce } from './call-once.ts';

vi.mock(import('./call-function.ts'));

const keys = () => vi.mocked(callFunction).mock.calls.map(([, call]) => call?.idempotencyKey);
const fail = (status: number, code: string) =>
  vi.mocked(callFunction).mockRejectedValueOnce(new ApiError({ status, code }));

beforeEach(() => {
  vi.mocked(callFunction).mockReset();
  vi.mocked(callFunction).mockResolvedValue({ success: true });
});

test('[V-20] [E-03] an invitation whose answer was lost is sent again with its key, until the answer is known', async () => {
  const invite = (name = 'Paul') => callOnce('invite-client', { name });
  fail(0, 'unavailable');
  await expect(invite()).rejects.toThrow(ApiError);
  fail(503, 'unexpected');
  await expect(invite()).rejects.toThrow(ApiError);
  await invite('Léa');
  await invite();
  await invite();
  const [first, second, other, third, fourth] = keys();
  expect(first).toBeTypeOf('string');
  expect([second, third]).toEqual([first, first]);
  // Another invitation, or the same one made anew after its answer, is another call.
  expect(new Set([first, other, fourth]).size).toBe(3);
});

test('[V-20] a refusal is an answer: what is sent next is evaluated anew', async () => {
  fail(409, 'email_taken');
  await expect(callOnce('invite-client', { name: 'Paul' })).rejects.toThrow(ApiError);
  await callOnce('invite-client', { name: 'Paul' });
  expect(new Set(keys()).size).toBe(2);
});
