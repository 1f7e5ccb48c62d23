import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { isDay } from '../period.ts';
import { id, refuse, seenVersion } from './fields.ts';

/** The scale that a version is published of; its terms are those of the form of a scale (SC-01). */
export interface ScaleVersionTarget {
  readonly scaleId: string;
  /** Number of the newest version on screen: where another was published since, it is looked at first. */
  readonly seenNumber: number;
  /** Its first day in France, « 2026-03-01 »; null from now on. */
  readonly firstDay: string | null;
  /** Totals of a simulation of this draft, as they were seen; null where it was not simulated (SC-05). */
  readonly seenSimulation: SimulationTotals | null;
}

/** Contracts of the last twelve months, and the cents that they gave and would have given (SC-05). */
export interface SimulationTotals {
  readonly contracts: number;
  readonly before: number;
  readonly after: number;
}

/** A day in France that may be left empty: the one on which a version begins, or the last one of its offer. */
export const optionalDay = z.pipe(
  z.optional(z.nullable(z.string())),
  z.transform((text, context): string | null => {
    if (!text) return null;
    return isDay(text) ? text : refuse(context, messages.dateInvalid);
  }),
);

const cents = z.int({ error: messages.seenRequired });

/** Of the payload of publish_scale_version, what the form of a scale has not. */
export const scaleVersionForm = z.pipe(
  z.object({
    commission_rate_id: id(messages.scaleInvalid, { failure: 'scale_not_found' }),
    seen_number: z.pipe(
      seenVersion(),
      z.transform((number, context) => number ?? refuse(context, messages.seenRequired, { failure: 'seen_required' })),
    ),
    first_day: optionalDay,
    seen_simulation: z.optional(z.nullable(z.object({ contracts: cents, before: cents, after: cents }))),
  }),
  z.transform((form): ScaleVersionTarget => ({
    scaleId: form.commission_rate_id,
    seenNumber: form.seen_number,
    firstDay: form.first_day,
    seenSimulation: form.seen_simulation ?? null,
  })),
);
