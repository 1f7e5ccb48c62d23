import { paymentRequestMinCents, type Cents } from './money.ts';
import { paymentMethods, type PaymentMethod } from './payment-request.ts';

/** Limits that the company sets on payment requests (PO-06). */
export interface RequestRules {
  readonly smallest: Cents;
  readonly methods: readonly PaymentMethod[];
  /** Null where requests are taken on any day. */
  readonly days: RequestDays | null;
}

/** Days of the month, both included; from the 25th to the 5th goes over the end of the month. */
export interface RequestDays {
  readonly from: number;
  readonly to: number;
}

/** Rules of the specification (V-14, V-15). */
export const requestRulesDefault: RequestRules = {
  smallest: paymentRequestMinCents,
  methods: paymentMethods,
  days: null,
};

/** True when requests are accepted on a day, « 2026-11-23 ». */
export function acceptsRequestsOn(day: string, days: RequestDays | null): boolean {
  if (days === null) return true;
  const number = Number.parseInt(day.slice(8, 10), 10);
  return days.from <= days.to ? number >= days.from && number <= days.to : number >= days.from || number <= days.to;
}

/** « du 1er au 10 de chaque mois ». */
export function requestDaysText({ from, to }: RequestDays): string {
  const word = (day: number) => (day === 1 ? '1er' : String(day));
  return from === to ? `le ${word(from)} de chaque mois` : `du ${word(from)} au ${word(to)} de chaque mois`;
}
