import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, newPassword, report } from './fields.ts';

/** A new password, typed twice: after a recovery link, a temporary password (V-19), or from the profile (CO-11). */
export const newPasswordForm = z.pipe(
  z.object({ password: newPassword(), password_confirmation: z.optional(z.nullable(z.string())) }).check(
    across((form: { password: unknown; password_confirmation?: unknown }, context) => {
      if (typeof form.password === 'string' && form.password !== form.password_confirmation) {
        report(context, messages.passwordsDiffer, ['password_confirmation']);
      }
    }),
  ),
  z.transform((form) => ({ password: form.password })),
);
export type NewPassword = z.output<typeof newPasswordForm>;
