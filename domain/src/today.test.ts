import { describe, expect, test } from 'vitest';
import { isOpen, saleChoices, statusToStored } from './sale.ts';
import { isOpenChoice, todayReason, type TodayFacts } from './today.ts';

const now = new Date('2026-11-28T09:00:00Z');

function referral(facts: Partial<TodayFacts> & { callBackOn?: string } = {}): TodayFacts {
  const { callBackOn, ...others } = facts;
  return {
    status: 'pending',
    readyForValidation: false,
    adminValidated: false,
    correctsSaleId: null,
    createdAt: '2026-11-27T08:00:00Z',
    followUp: callBackOn === undefined ? null : { callBackOn },
    ...others,
  };
}

describe('« Aujourd’hui »', () => {
  test('[UI-06] a referral that nobody contacted is new for three days, then waiting, then late, with its days', () => {
    expect(todayReason(referral(), 7, now)).toEqual({ why: 'new', days: 1 });
    expect(todayReason(referral({ createdAt: '2026-11-25T10:00:00Z' }), 7, now)).toEqual({ why: 'new', days: 2 });
    expect(todayReason(referral({ createdAt: '2026-11-25T09:00:00Z' }), 7, now)).toEqual({ why: 'waiting', days: 3 });
    expect(todayReason(referral({ createdAt: '2026-11-28T10:00:00Z' }), 7, now)).toEqual({ why: 'new', days: 0 });
    expect(todayReason(referral({ createdAt: '2026-11-21T09:00:00Z' }), 7, now)).toEqual({ why: 'late', days: 0 });
    expect(todayReason(referral({ createdAt: '2026-11-18T08:00:00Z' }), 7, now)).toEqual({ why: 'late', days: 3 });
    expect(todayReason(referral({ createdAt: '2026-11-18T08:00:00Z' }), null, now)).toEqual({
      why: 'waiting',
      days: 10,
    });
  });

  test.each(['pending', 'contacted', 'in_negotiation'] as const)(
    '[UI-06] a %s whose day to call back has come is due; one whose day is to come has been answered for today',
    (status) => {
      expect(todayReason(referral({ status, callBackOn: '2026-11-28' }), 7, now)).toEqual({ why: 'due', days: 0 });
      expect(todayReason(referral({ status, callBackOn: '2026-11-25' }), 7, now)).toEqual({ why: 'due', days: 3 });
      expect(todayReason(referral({ status, callBackOn: '2026-11-29' }), 7, now)).toBeNull();
    },
  );

  test('[UI-11] a contract to correct is of today, for as long as it was asked, unless a later day was set', () => {
    const correction = { askedAt: '2026-11-26T09:00:00Z' };
    const asked = referral({ status: 'in_negotiation', correction });
    expect(todayReason(asked, 7, now)).toEqual({ why: 'to_correct', days: 2 });
    expect(
      todayReason(referral({ status: 'in_negotiation', correction, callBackOn: '2026-11-29' }), 7, now),
    ).toBeNull();
    expect(todayReason(referral({ readyForValidation: true, correction }), 7, now)).toBeNull();
  });

  test('[UI-06] late comes before due; a later day answers for a late one too', () => {
    const createdAt = '2026-11-01T08:00:00Z';
    expect(todayReason(referral({ createdAt, callBackOn: '2026-11-28' }), 7, now)).toMatchObject({ why: 'late' });
    expect(todayReason(referral({ createdAt, callBackOn: '2026-11-29' }), 7, now)).toBeNull();
  });

  test('[UI-06] who was contacted, who is decided, and a correction ask for nothing today', () => {
    for (const facts of [
      { status: 'contacted' },
      { status: 'in_negotiation' },
      { readyForValidation: true },
      { status: 'validated', readyForValidation: true },
      { status: 'rejected', callBackOn: '2026-11-20' },
      { correctsSaleId: 'x' },
    ] as const) {
      expect(todayReason(referral(facts), 7, now)).toBeNull();
    }
  });
});

test('[UI-06] the choices that leave a referral open are those whose state is', () => {
  expect(saleChoices.filter(isOpenChoice)).toEqual(
    saleChoices.filter((choice) => isOpen({ ...statusToStored(choice), adminValidated: false, correctsSaleId: null })),
  );
});
