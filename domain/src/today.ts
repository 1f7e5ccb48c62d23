import { dayOf, daysSince } from './date.ts';
import { isLate, isOpen, saleState, type Sale, type SaleChoice, type SaleFacts } from './sale.ts';

const dayMs = 86_400_000;
/** A weekend between them, what came on Friday is still new on Monday morning. */
const newForMs = 3 * dayMs;

/** A referral to act on today, why, and for how many days: since it is late, since the day to call back, since it came. */
export interface TodayReason {
  readonly why: 'late' | 'due' | 'to_correct' | 'new' | 'waiting';
  readonly days: number;
}

/** The columns that decide it; `callBackOn` is a day of France: « 2026-11-24 ». */
export interface TodayFacts extends SaleFacts, Pick<Sale, 'createdAt'> {
  readonly followUp: { readonly callBackOn: string | null } | null;
  /** Correction of its contract that the admin asked for (UI-11). */
  readonly correction?: { readonly askedAt: string } | null;
}

/**
 * Reason for which an open referral is in « Aujourd'hui » (UI-06), in the order of the list: nobody contacted it within the company's
 * days, its day to call back has come or its contract is to be corrected, it came these days and nobody contacted it yet, it has waited
 * since. Null where nothing is to be done today: who set a later day has
 * answered for today. `private.today_rank` says the same in the database.
 */
export function todayReason(referral: TodayFacts, followUpDays: number | null, now: Date): TodayReason | null {
  const callBackOn = referral.followUp?.callBackOn ?? null;
  const today = dayOf(now);
  if (!isOpen(referral) || (callBackOn !== null && callBackOn > today)) return null;
  const age = now.getTime() - Date.parse(referral.createdAt);
  if (followUpDays !== null && isLate(referral, followUpDays, now))
    return { why: 'late', days: Math.floor(age / dayMs) - followUpDays };
  if (referral.correction)
    return {
      why: 'to_correct',
      days: daysSince(referral.correction.askedAt, now.getTime()),
    };
  if (callBackOn !== null) return { why: 'due', days: (Date.parse(today) - Date.parse(callBackOn)) / dayMs };
  if (saleState(referral) !== 'pending') return null;
  return { why: age < newForMs ? 'new' : 'waiting', days: daysSince(referral.createdAt, now.getTime()) };
}

/** True if the referral is still to be followed up after that choice; a form asks it of whatever was sent. */
export function isOpenChoice(choice: SaleChoice): boolean {
  return choice !== 'pending_validation' && choice !== 'validated' && choice !== 'rejected';
}

/** Of a day to call back beside a choice after which nobody follows the referral up. */
export const callBackOfOpenOnly = 'Seul un parrainage encore à suivre se relance.';
