import * as z from 'zod/mini';
import { answerDaysMax } from '../answer-delay.ts';
import { optionalText } from './fields.ts';
import { optionalCount } from './optional-count.ts';

/** Here and not among the limits, which the public page's own script carries. */
export const presentationLengthMax = 500;
export const friendGainLengthMax = 300;

/**
 * Company details of the page of a personal link (CS-01, UI-03): its presentation, what a friend gains, the working days within which it
 * answers; null shows nothing.
 */
export const companyPresentationForm = z.object({
  presentation: optionalText(presentationLengthMax),
  friend_gain: optionalText(friendGainLengthMax),
  answer_days: z.pipe(
    z.optional(z.unknown()),
    z.pipe(
      z.transform((value) => value ?? null),
      optionalCount(answerDaysMax, `Indiquez un nombre de jours, de 1 à ${answerDaysMax}.`),
    ),
  ),
});
