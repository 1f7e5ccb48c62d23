import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { takeTurns } from './turns.ts';

test('threat 77: short work waits for short work, in order, and never for long work', async () => {
  const inTurn = takeTurns(2, 20);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const short = (number: number): Promise<void> =>
    inTurn(async () => {
      most = Math.max(most, (running += 1));
      await wait(1);
      running -= 1;
      order.push(number);
    });
  await Promise.all(Array.from({ length: 10 }, (_, number) => short(number)));
  expect(most).toBe(2);
  expect(order).toEqual([...order].sort((one, other) => one - other));

  const { promise: end, resolve } = Promise.withResolvers<string>();
  const long = [inTurn(() => end), inTurn(() => end)];
  // The two that hold both places end after it, and not before.
  await short(10);
  resolve('late');
  expect(await Promise.all(long)).toEqual(['late', 'late']);
});

test('threat 77: work that fails gives its turn back', async () => {
  const inTurn = takeTurns(1, 1000);
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inTurn(() => Promise.resolve('yes'))).toBe('yes');
});
