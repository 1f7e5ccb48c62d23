import * as z from 'zod/mini';
import { across, report } from './fields.ts';
import { optionalCount } from './optional-count.ts';

/** After how many days a referral that nobody contacted is reminded of; null is never (TM-05). */
export interface FollowUpSettings {
  readonly days: number | null;
  /** Days more until the admins are told. */
  readonly adminDays: number | null;
}

export const followUpDaysMax = 90;
const invalid = 'Indiquez un nombre de jours, de 1 à 90.';

const days = optionalCount(followUpDaysMax, invalid);

/** The company's reminders, as the settings and the wire write them. */
export const companyFollowUpsForm = z.pipe(
  z.object({ follow_up_days: days, follow_up_admin_days: days }).check(
    across((form: { follow_up_days: number | null; follow_up_admin_days: number | null }, context) => {
      if (form.follow_up_admin_days !== null && form.follow_up_days === null) {
        report(context, 'Indiquez d’abord quand le commercial est relancé.', ['follow_up_days']);
      }
    }),
  ),
  z.transform((form): FollowUpSettings => ({ days: form.follow_up_days, adminDays: form.follow_up_admin_days })),
);
