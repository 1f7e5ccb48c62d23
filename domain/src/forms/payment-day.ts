import * as z from 'zod/mini';
import { optionalLine, refuse } from './fields.ts';

const paymentDayRefused = 'Choisissez le jour du paiement, au plus tard aujourd’hui.';

/** Payment's own day (AC-01), « 2026-11-26 », null where it is not said: it is today then. The database compares it with the payment. */
export const paymentDay = z.pipe(
  optionalLine(10),
  z.transform((day, context) => {
    if (day === null) return null;
    const instant = /^\d{4}-\d\d-\d\d$/u.test(day) ? Date.parse(`${day}T12:00:00Z`) : Number.NaN;
    // 30 February is read as a day of March.
    return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day)
      ? day
      : refuse(context, paymentDayRefused, { failure: 'payment_day_refused' });
  }),
);
