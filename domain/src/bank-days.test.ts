import { describe, expect, test } from 'vitest';
import { idOfReference, isBankDay, nextBankDay, sepaReference } from './sepa.ts';

// The closing days of TARGET as the European Central Bank published the rule (1 January, Good Friday, Easter Monday, 1 May, 25 and
// 26 December), with the Easter Sundays of the calendars of these years. Copied, not computed.
const easterSundays: readonly (readonly [goodFriday: string, sunday: string, monday: string])[] = [
  ['2025-04-18', '2025-04-20', '2025-04-21'],
  ['2026-04-03', '2026-04-05', '2026-04-06'],
  ['2027-03-26', '2027-03-28', '2027-03-29'],
  ['2028-04-14', '2028-04-16', '2028-04-17'],
  ['2029-03-30', '2029-04-01', '2029-04-02'],
  ['2030-04-19', '2030-04-21', '2030-04-22'],
  ['2031-04-11', '2031-04-13', '2031-04-14'],
  ['2032-03-26', '2032-03-28', '2032-03-29'],
  ['2033-04-15', '2033-04-17', '2033-04-18'],
  ['2034-04-07', '2034-04-09', '2034-04-10'],
  ['2035-03-23', '2035-03-25', '2035-03-26'],
];

/** Number of bank days of each year: 365 or 366, less the weekends and the closing days that fall on none. */
const bankDays: Readonly<Record<string, number>> = {
  2025: 255,
  2026: 256,
  2027: 258,
  2028: 255,
  2029: 255,
  2030: 255,
  2031: 255,
  2032: 259,
  2033: 257,
  2034: 255,
  2035: 255,
};

function daysOf(year: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${year}-01-01T00:00:00Z`); ; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (!day.startsWith(year)) return days;
    days.push(day);
  }
}

describe('the calendar of bank days', () => {
  test.for(easterSundays)(
    '[DF-61] %s, %s and %s are Good Friday, Easter and its Monday: closed',
    ([friday, sunday, monday]) => {
      expect([friday, sunday, monday].map(isBankDay)).toEqual([false, false, false]);
      const year = friday.slice(0, 4);
      const closed = new Set(
        ['01-01', '05-01', '12-25', '12-26'].map((day) => `${year}-${day}`).concat([friday, monday]),
      );
      // Every other weekday of the year is open: Ascension, Whit Monday, 14 July and 11 November among them.
      for (const day of daysOf(year)) {
        const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
        expect([day, isBankDay(day)]).toEqual([day, weekday > 0 && weekday < 6 && !closed.has(day)]);
      }
      expect(daysOf(year).filter(isBankDay)).toHaveLength(bankDays[year] ?? 0);
    },
  );

  test('[DF-61] holidays of France alone are days on which banks pay', () => {
    for (const day of ['2026-05-08', '2026-05-14', '2026-05-25', '2026-07-14', '2026-11-11'])
      expect(isBankDay(day)).toBe(true);
    for (const wrong of ['', '2026-13-01', 'demain']) expect(isBankDay(wrong)).toBe(false);
  });

  test.for([
    // A Thursday before Good Friday, in France: the next is Tuesday.
    ['2026-04-02T10:00:00Z', '2026-04-07'],
    ['2026-12-24T10:00:00Z', '2026-12-28'],
    ['2027-12-31T10:00:00Z', '2028-01-03'],
    ['2026-04-30T10:00:00Z', '2026-05-04'],
    // Half past eleven in the evening of Greenwich is the next day in Paris.
    ['2026-11-23T23:30:00Z', '2026-11-25'],
    ['2026-11-27T12:00:00Z', '2026-11-30'],
  ] as const)('[DF-61] after %s the first bank day is %s', ([instant, day]) => {
    expect(nextBankDay(new Date(instant))).toBe(day);
  });
});

test('[DF-61] a reference leads back to its request, as any bank writes it', () => {
  const id = '0190f3c4-7b1a-7c2d-8e3f-a1b2c3d4e5f6';
  expect(sepaReference(id)).toBe('0190f3c47b1a7c2d8e3fa1b2c3d4e5f6');
  expect(idOfReference(' 0190F3C47B1A7C2D8E3FA1B2C3D4E5F6 ')).toBe(id);
  for (const wrong of ['', 'NOTPROVIDED', `${sepaReference(id)}0`, id]) expect(idOfReference(wrong)).toBeNull();
});
