import { expect, test } from 'vitest';
import { addMonths, daysOf, monthsBetween, monthsOf, ownDays, periodOf } from './period.ts';

const now = new Date('2026-11-22T12:00:00Z');

test('[PI-01] a period is whole months, the present one included', () => {
  expect(monthsOf('mois', now)).toEqual({ fromMonth: '2026-11-01', toMonth: '2026-12-01' });
  expect(monthsOf('mois-dernier', now)).toEqual({ fromMonth: '2026-10-01', toMonth: '2026-11-01' });
  expect(monthsOf('trimestre', now)).toEqual({ fromMonth: '2026-10-01', toMonth: '2027-01-01' });
  expect(monthsOf('annee', now)).toEqual({ fromMonth: '2026-01-01', toMonth: '2027-01-01' });
  expect(monthsOf('12-mois', now)).toEqual({ fromMonth: '2025-12-01', toMonth: '2026-12-01' });
  expect(monthsOf('12-mois', new Date('2026-01-31T22:59:59Z')).fromMonth).toBe('2025-02-01');
  expect(monthsOf('mois', new Date('2026-01-31T23:00:00Z')).fromMonth).toBe('2026-02-01');
});

test('[PI-01] months are counted across years, and an unknown period is the default one', () => {
  expect(addMonths('2026-01-01', -1)).toBe('2025-12-01');
  expect(addMonths('2026-12-01', 13)).toBe('2028-01-01');
  expect(monthsBetween('2025-11-01', '2026-02-01')).toEqual(['2025-11-01', '2025-12-01', '2026-01-01']);
  expect([periodOf('annee'), periodOf('jamais'), periodOf(undefined)]).toEqual(['annee', '12-mois', '12-mois']);
});

test('[NV-05] the period of a list is days: a named one, or two days of one’s own, both within', () => {
  expect(daysOf('mois', now)).toEqual({ fromDay: '2026-11-01', beforeDay: '2026-12-01' });
  expect(daysOf('trimestre', now)).toEqual({ fromDay: '2026-10-01', beforeDay: '2027-01-01' });
  expect(daysOf('2026-01-15..2026-02-28', now)).toEqual({ fromDay: '2026-01-15', beforeDay: '2026-03-01' });
  expect(daysOf('2026-01-15..', now)).toEqual({ fromDay: '2026-01-15', beforeDay: null });
  expect(daysOf('..2026-12-31', now)).toEqual({ fromDay: null, beforeDay: '2027-01-01' });
  for (const none of [
    undefined,
    '',
    '..',
    'jamais',
    '12-mois',
    '2026-02-30..',
    '2026-01-01',
    'a..b',
    '2026-01-01..2026-01-02..',
  ])
    expect([none, daysOf(none, now)]).toEqual([none, null]);
  expect(ownDays('..')).toEqual({ first: '', last: '' });
  expect(ownDays('mois')).toBeNull();
});

test('[DF-91] a text that is no month is refused, and gives no month of another year', () => {
  expect(() => addMonths('11/2026-01', -1)).toThrow(RangeError);
  expect(() => addMonths('', 1)).toThrow(RangeError);
});
