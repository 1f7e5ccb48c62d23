import { describe, expect, test } from 'vitest';

import { accountantYear, quarterFrom, statementDays, statementPeriodOf, statementPeriods } from './statement.ts';

describe('[PP-03] the period of a statement', () => {
  test('[PP-03] is a month, a quarter or a year by its name', () => {
    expect(statementPeriodOf('2026-02')).toEqual({
      name: '2026-02',
      label: 'Février 2026',
      fromDay: '2026-02-01',
      beforeDay: '2026-03-01',
    });
    expect(statementPeriodOf('2026-t4')).toEqual({
      name: '2026-t4',
      label: '4e trimestre 2026',
      fromDay: '2026-10-01',
      beforeDay: '2027-01-01',
    });
    expect(statementPeriodOf('2026-t1')?.label).toBe('1er trimestre 2026');
    expect(statementPeriodOf('2026')).toEqual({
      name: '2026',
      label: 'Année 2026',
      fromDay: '2026-01-01',
      beforeDay: '2027-01-01',
    });
    for (const other of ['', '2026-13', '2026-00', '2026-t5', '2026-1', '1999', '20265', '2026-02-01', 'tout']) {
      expect([other, statementPeriodOf(other)]).toEqual([other, null]);
    }
  });

  test('[PP-02] a quarter is named by its first day', () => {
    expect(['2026-01-01', '2026-07-01', '2025-10-01'].map((day) => quarterFrom(day).label)).toEqual([
      '1er trimestre 2026',
      '3e trimestre 2026',
      '4e trimestre 2025',
    ]);
  });

  test('[PP-03] goes back to the first line’s, by the days of France', () => {
    // Half past eleven in the evening of 31 August in Greenwich is 1 September in France.
    const first = new Date('2025-08-31T22:30:00Z');
    const now = new Date('2026-01-15T12:00:00Z');
    const names = (length: 'mois' | 'trimestre' | 'annee') =>
      statementPeriods(length, first, now).map(({ name }) => name);
    expect(names('mois')).toEqual(['2026-01', '2025-12', '2025-11', '2025-10', '2025-09']);
    expect(names('trimestre')).toEqual(['2026-t1', '2025-t4', '2025-t3']);
    expect(names('annee')).toEqual(['2026', '2025']);
    for (const length of ['mois', 'trimestre', 'annee'] as const) {
      for (const period of statementPeriods(length, first, now)) expect(statementPeriodOf(period.name)).toEqual(period);
    }
  });

  test('[UI-12] an accountant asks for the last year that is over, or for the present one where the company began in it', () => {
    const now = new Date('2026-01-15T12:00:00Z');
    expect(accountantYear(new Date('2024-05-02T12:00:00Z'), now).name).toBe('2025');
    // Half past eleven in the evening in Greenwich is the next year in France.
    expect(accountantYear(new Date('2025-12-31T23:30:00Z'), now).name).toBe('2026');
    expect(accountantYear(now, now).name).toBe('2026');
  });

  test('[PP-03] says its first and its last day', () => {
    const days = (name: string) => {
      const period = statementPeriodOf(name);
      return period && statementDays(period).replaceAll('\u00a0', ' ');
    };
    expect(days('2024-02')).toBe('du 1er au 29 février 2024');
    expect(days('2026-t4')).toBe('du 1er octobre au 31 décembre 2026');
    expect(days('2026')).toBe('du 1er janvier au 31 décembre 2026');
  });
});
