import { expect, test } from 'vitest';

import type { CommissionScale } from './commission.ts';
import {
  canonicalRules,
  termsOf,
  versionChanges,
  versionOn,
  versionState,
  type ScaleVersion,
} from './scale-version.ts';

const scale: CommissionScale = {
  client: { type: 'percentage', basisPoints: 1000n },
  commercial: { type: 'fixed', amount: 5000n },
};
const version = (number: number, firstDay: string, more: Partial<ScaleVersion> = {}): ScaleVersion => ({
  id: `v${number}`,
  number,
  name: 'Standard',
  description: null,
  firstDay,
  publishedAt: '2026-01-01T09:00:00Z',
  publishedBy: null,
  withdrawnAt: null,
  scale,
  clientHoldDays: 0,
  fromContractAmount: null,
  lastDay: null,
  ...more,
});

test('[SC-01] the version of a day is the greatest of those that have begun; of one day, the last published; a withdrawn one never', () => {
  const versions = [
    version(1, '2026-01-10'),
    version(2, '2026-03-01'),
    version(3, '2026-06-01', { withdrawnAt: '2026-04-01T09:00:00Z' }),
    version(4, '2026-03-01'),
    version(5, '2026-02-01'),
  ];
  const chosen = (day: string) => versionOn(versions, day)?.number;
  expect(chosen('2026-01-09')).toBe(1);
  expect(chosen('2026-01-10')).toBe(1);
  expect(chosen('2026-02-28')).toBe(5);
  expect(chosen('2026-03-01')).toBe(4);
  expect(chosen('2027-01-01')).toBe(4);
  expect(versionOn([], '2026-01-01')).toBeUndefined();
  expect(versions.map((each) => versionState(each, versions, '2026-02-15'))).toEqual([
    'over',
    'to_come',
    'withdrawn',
    'to_come',
    'in_force',
  ]);
});

test('[SC-01] the text that is signed has its keys in the order of their bytes, and no rule that nobody made', () => {
  const terms = { scale, clientHoldDays: 0, fromContractAmount: null, lastDay: null };
  expect(canonicalRules(terms)).toBe(
    '{"client":{"kind":"percentage","value":1000},"commercial":{"kind":"fixed","value":5000}}',
  );
  const whole = { scale, clientHoldDays: 30, fromContractAmount: 1_500_000n, lastDay: null };
  const text = canonicalRules(whole);
  expect(text).toBe(
    '{"client":{"kind":"percentage","value":1000},"client_hold_days":30,"commercial":{"kind":"fixed","value":5000},"from_contract_amount":1500000}',
  );
  expect(termsOf(JSON.parse(text))).toEqual(whole);
});

test('[SC-01] what a version changes is one sentence', () => {
  const before = version(1, '2026-01-01');
  expect(versionChanges(before, version(2, '2026-03-01', { name: 'Autre' }))).toBeNull();
  expect(
    versionChanges(
      before,
      version(2, '2026-03-01', {
        scale: { ...scale, client: { type: 'fixed', amount: 3000n } },
        clientHoldDays: 1,
        fromContractAmount: 1_500_000n,
        lastDay: null,
      }),
    ),
  ).toBe(
    'Client 30,00\u00a0€ au lieu de 10\u00a0%, délai de 1\u00a0jour au lieu de 0\u00a0jours, proposé à partir de 15\u202f000,00\u00a0€.',
  );
});
