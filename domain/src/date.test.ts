import { expect, test } from 'vitest';
import { formatDate, formatDateTime, formatDay, formatTime } from './date.ts';

test('[I-02] dates are those of France, in French', () => {
  expect(formatDate('2026-11-21T14:32:00Z')).toBe('21 nov. 2026');
  expect(formatDate('2026-06-30T22:30:00+00:00')).toBe('1 juil. 2026');
  expect(formatDateTime('2026-11-21T14:32:00Z')).toBe('21 nov. 2026 à 15:32');
  expect(formatTime('2026-06-30T22:05:00Z')).toBe('00:05');
  expect(formatDay('2026-06-30T22:05:00Z')).toBe('mercredi 1er juillet 2026');
});
