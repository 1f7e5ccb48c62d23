import type { CallAnswer } from '@parrain/domain/call-consent';
import { fromWire, sum, type Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { toSale } from './sale-columns.ts';

/** A sale as those who follow it see it: what a later cancellation says of it (S-11) comes with it. */
export interface Referral extends Sale {
  cancellation: { reason: string } | null;
  /** The last time its amount was corrected (LG-04, UI-11): what the contract was when it was signed, and why it is another. */
  amended: { from: Cents; reason: string } | null;
  /** Last correction that its commercial was asked for (UI-11); null to its referrer. */
  correction: { message: string; askedAt: string } | null;
  /** The commercial's day to call back and private note, where the reader may know them (TM-05). */
  followUp: { note: string | null; callBackOn: string | null } | null;
  /** Friend's last answer on how they may be reached; null where they gave none, or the reader may not know (CS-03, UI-03). */
  callAnswer: CallAnswer;
  /** Instant of the commercial's one message to a friend who had not answered; null where they wrote none (CS-03). */
  writtenAt: string | null;
  /** Instant of the referrer's last request for news. */
  newsAskedAt: string | null;
}

/** The opposite entries of the sale, where its validation was cancelled in whole or in part. */
export const saleCorrection =
  'corrections:sales!corrects_sale_id(correction_reason,created_at,contract_amount,contract_left,client_commission_amount,commercial_commission_amount)';

/** The commercial's own follow-up; `!inner` leaves out the referrals without one. */
export const saleFollowUp = 'follow_up:follow_ups(private_note,call_back_on)';
export const saleToCorrect = 'correction:correction_requests(message,asked_at)';
export const saleMessage = 'message:friend_messages(written_at)';
export const saleNews = 'news:news_requests(asked_at)';

/** Row that {@link saleFollowUp} reads. */
export interface FollowUpRow {
  private_note: string | null;
  call_back_on: string | null;
}

export function toFollowUp(row: FollowUpRow | null | undefined): Referral['followUp'] {
  return row ? { note: row.private_note, callBackOn: row.call_back_on } : null;
}

/** Row that {@link saleToCorrect} reads. */
export interface CorrectionRequestRow {
  message: string;
  asked_at: string;
}

export function toCorrection(row: CorrectionRequestRow | null | undefined): Referral['correction'] {
  return row ? { message: row.message, askedAt: row.asked_at } : null;
}

/** A row read with {@link saleCorrection}, in the domain's words. */
export function toReferral(row: unknown): Referral {
  const { corrections, correction, follow_up, news, message } = row as {
    corrections: readonly CorrectionRow[];
    correction?: CorrectionRequestRow | null;
    follow_up?: FollowUpRow | null;
    message?: { written_at: string } | null;
    news?: { asked_at: string } | null;
  };
  const sale = toSale(row);
  const cancelled = corrections.find((each) => each.contract_left === null);
  // As they were made: the database gives each an instant of its own.
  const last = corrections.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1)).at(-1);
  return {
    ...sale,
    cancellation: cancelled ? { reason: cancelled.correction_reason } : null,
    amended: last && !cancelled ? { from: sale.contractAmount ?? 0n, reason: last.correction_reason } : null,
    correction: toCorrection(correction),
    followUp: toFollowUp(follow_up),
    // Read by those alone who answer the friend.
    callAnswer: null,
    writtenAt: message?.written_at ?? null,
    newsAskedAt: news?.asked_at ?? null,
  };
}

/**
 * A referral as it stands, read with {@link saleCorrection}: of a contract that was corrected, its amount now and its commissions.
 * For lists where the corrections are no lines of their own.
 */
export function toStandingReferral(row: unknown): Referral {
  const referral = toReferral(row);
  const { corrections } = row as { corrections: readonly CorrectionRow[] };
  if (referral.amended === null) return referral;
  const changed = (
    before: Cents | null,
    column: 'contract_amount' | 'client_commission_amount' | 'commercial_commission_amount',
  ) => (before ?? 0n) + sum(corrections.map((each) => fromWire(each[column])));
  return {
    ...referral,
    contractAmount: changed(referral.contractAmount, 'contract_amount'),
    clientCommissionAmount: changed(referral.clientCommissionAmount, 'client_commission_amount'),
    commercialCommissionAmount: changed(referral.commercialCommissionAmount, 'commercial_commission_amount'),
  };
}

interface CorrectionRow {
  correction_reason: string;
  created_at: string;
  contract_amount: string | number;
  contract_left: string | number | null;
  client_commission_amount: string | number;
  commercial_commission_amount: string | number;
}
