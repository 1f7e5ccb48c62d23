import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createKeyedSemaphore, createLruCache, createSemaphore } from './concurrency.ts';

test('[D-77] short work waits for short work, in order, and never for long work', async () => {
  // Nothing here is long, however slow the machine.
  const patient = createSemaphore({ slots: 2, patienceMs: 300_000 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const short = (number: number, withSlot = patient): Promise<void> =>
    withSlot(async () => {
      most = Math.max(most, (running += 1));
      await wait(0);
      running -= 1;
      order.push(number);
    });
  await Promise.all(Array.from({ length: 10 }, (_, number) => short(number)));
  expect(most).toBe(2);
  expect(order).toEqual([...order].sort((one, other) => one - other));

  const { promise: end, resolve } = Promise.withResolvers<string>();
  const impatient = createSemaphore({ slots: 2, patienceMs: 20 });
  const long = [impatient(() => end), impatient(() => end)];
  // The two that hold both places end after it, and not before.
  await short(10, impatient);
  resolve('late');
  expect(await Promise.all(long)).toEqual(['late', 'late']);
});

test('[D-77] work that fails frees its slot', async () => {
  const withSlot = createSemaphore({ slots: 1, patienceMs: 1000 });
  await expect(withSlot(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withSlot(() => Promise.resolve('yes'))).toBe('yes');
});

test('[D-77] beyond those that may wait, work is refused and never begun', async () => {
  const withSlot = createSemaphore({ slots: 1, waitingMax: 1, refusal: () => new RangeError('full') });
  const { promise: end, resolve } = Promise.withResolvers<string>();
  const first = withSlot(() => end);
  const second = withSlot(() => Promise.resolve('second'));
  let isBegun = false;
  await expect(
    withSlot(() => {
      isBegun = true;
      return Promise.resolve('third');
    }),
  ).rejects.toThrow(RangeError);
  resolve('first');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect(isBegun).toBe(false);
});

test('[D-77] each key has its own slots', async () => {
  const withSlot = createKeyedSemaphore({ slots: 1 });
  const { promise: end, resolve } = Promise.withResolvers<string>();
  const slow = withSlot('one', () => end);
  const behind = withSlot('one', () => Promise.resolve('behind'));
  expect(await withSlot('two', () => Promise.resolve('beside'))).toBe('beside');
  resolve('slow');
  expect(await Promise.all([slow, behind])).toEqual(['slow', 'behind']);
  expect(await withSlot('one', () => Promise.resolve('after'))).toBe('after');
});

test('an LRU cache evicts the entry that was used least recently, and says which', () => {
  const evicted: [string, number][] = [];
  const cache = createLruCache<string, number>(2, (key, value) => evicted.push([key, value]));
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), evicted]).toEqual([1, undefined, 3, [['b', 2]]]);
  cache.delete('a');
  cache.set('d', 4);
  expect([cache.get('c'), cache.get('d'), evicted.length]).toEqual([3, 4, 1]);
});
