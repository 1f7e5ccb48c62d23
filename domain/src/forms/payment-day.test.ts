import { expect, test } from 'vitest';
import { paymentDay } from './payment-day.ts';

test('[AC-01] a payment’s day is a day of the calendar, or is not said', () => {
  for (const day of ['2026-11-26', '2024-02-29', ' 2026-12-31 ']) expect(paymentDay.parse(day)).toBe(day.trim());
  for (const none of [undefined, null, '', '  ']) expect(paymentDay.parse(none)).toBeNull();
  for (const wrong of ['2026-02-30', '2026-13-01', '26/11/2026', '2026-11-26T10:00', 'hier', 20261126])
    expect(paymentDay.safeParse(wrong).success).toBe(false);
});
