import type { Cents } from './money.ts';
import type { NoticeKind } from './notice.ts';

/** Notices of a request that say what was asked, which is what the account holds for it: its tax is known, and may change, after them. */
export const noticesBeforeTax: readonly NoticeKind[] = [
  'payment_received',
  'payment_to_decide',
  'payment_approved',
  'payment_refused',
  'payment_annulled',
];

/** The sum that a notice of a payment says. */
export const noticeSum = (kind: NoticeKind, amount: Cents, vat: Cents): Cents =>
  noticesBeforeTax.includes(kind) ? amount : amount + vat;
