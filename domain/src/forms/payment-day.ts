import * as z from 'zod/mini';
import { isDay } from '../period.ts';
import { optionalLine, refuse } from './fields.ts';

const paymentDayRefused = 'Choisissez le jour du paiement, au plus tard aujourd’hui.';

/** Payment's own day (AC-01), « 2026-11-26 », null where it is not said: it is today then. The database compares it with the payment. */
export const paymentDay = z.pipe(
  optionalLine(10),
  z.transform((day, context) =>
    day === null || isDay(day) ? day : refuse(context, paymentDayRefused, { failure: 'payment_day_refused' }),
  ),
);
