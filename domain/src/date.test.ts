import { expect, onTestFinished, test, vi } from 'vitest';
import { daysSince, formatDate, formatDateTime, formatDay, formatTime } from './date.ts';

test('[I-02] dates are those of France, in French', () => {
  expect(formatDate('2026-11-21T14:32:00Z')).toBe('21 nov. 2026');
  expect(formatDate('2026-06-30T22:30:00+00:00')).toBe('1er juil. 2026');
  expect(formatDate('2026-07-11T12:00:00Z')).toBe('11 juil. 2026');
  expect(formatDateTime('2026-11-21T14:32:00Z')).toBe('21 nov. 2026 à 15:32');
  expect(formatTime('2026-06-30T22:05:00Z')).toBe('00:05');
  expect(formatDay('2026-06-30T22:05:00Z')).toBe('mercredi 1er juillet 2026');
});

test('[I-02] the days since an instant are whole, and none of one to come', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(daysSince('2026-11-20T12:00:00Z', now)).toBe(1);
  expect(daysSince('2026-11-20T12:00:01Z', now)).toBe(0);
  expect(daysSince('2026-11-22T12:00:00Z', now)).toBe(0);
});

test('[DF-91] the day and the hour are read part by part, whatever order and signs a locale writes them with', async () => {
  // As ICU 72 wrote the months of « en-CA »: « 11/2026 ».
  const formatter = Intl.DateTimeFormat.prototype;
  const format = Object.getOwnPropertyDescriptor(formatter, 'format') ?? {};
  Object.defineProperty(formatter, 'format', { configurable: true, get: () => () => '11/2026' });
  onTestFinished(() => void Object.defineProperty(formatter, 'format', format));
  vi.spyOn(Date.prototype, 'toLocaleDateString').mockReturnValue('11/2026');
  onTestFinished(() => void vi.restoreAllMocks());
  vi.resetModules();
  const { dayOf, hourOf } = await import('./date.ts');
  const { monthsOf } = await import('./period.ts');
  const now = new Date('2026-11-30T23:30:00Z');
  expect(dayOf(now)).toBe('2026-12-01');
  expect(hourOf(now)).toBe(0);
  expect(hourOf(new Date('2026-07-01T05:00:00Z'))).toBe(7);
  expect(monthsOf('mois', now)).toEqual({ fromMonth: '2026-12-01', toMonth: '2027-01-01' });
});
