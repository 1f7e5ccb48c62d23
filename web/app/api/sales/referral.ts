import type { Sale } from '@parrain/domain/sale';
import { toSale } from './sale-columns.ts';

/** A sale as those who follow it see it: what a later cancellation says of it (S-11) comes with it. */
export interface Referral extends Sale {
  cancellation: { reason: string; at: string } | null;
  /** The commercial's day to call back and private note, where the reader may know them (TM-05). */
  followUp: { note: string | null; callBackOn: string | null } | null;
  /** When the referrer last asked for news. */
  newsAskedAt: string | null;
}

/** The opposite entry of the sale, where its validation was cancelled. */
export const saleCorrection = 'correction:sales!corrects_sale_id(correction_reason,validated_at)';

/** The commercial's own follow-up; `!inner` leaves out the referrals without one. */
export const saleFollowUp = 'follow_up:follow_ups(private_note,call_back_on)';
export const saleNews = 'news:news_requests(asked_at)';

/** What {@link saleFollowUp} reads. */
export interface FollowUpRow {
  private_note: string | null;
  call_back_on: string | null;
}

export function toFollowUp(row: FollowUpRow | null | undefined): Referral['followUp'] {
  return row ? { note: row.private_note, callBackOn: row.call_back_on } : null;
}

/** A row read with {@link saleCorrection}, in the domain's words. */
export function toReferral(row: unknown): Referral {
  const { correction, follow_up, news } = row as {
    correction: { correction_reason: string; validated_at: string } | null;
    follow_up?: FollowUpRow | null;
    news?: { asked_at: string } | null;
  };
  return {
    ...toSale(row),
    cancellation: correction && { reason: correction.correction_reason, at: correction.validated_at },
    followUp: toFollowUp(follow_up),
    newsAskedAt: news?.asked_at ?? null,
  };
}
