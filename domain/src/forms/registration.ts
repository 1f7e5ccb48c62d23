import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, email, newPassword, optionalPhone, personName, report } from './fields.ts';

/** A new client's account; the role is not theirs to name. */
export interface Registration {
  readonly fullName: string;
  readonly email: string;
  readonly phone: string | null;
  readonly password: string;
}

const fields = {
  full_name: personName(messages.nameRequired),
  email: email(),
  phone: optionalPhone(),
  password: newPassword(),
};

/** The page's form, with its confirmation (V-01). */
export const registrationForm = z.pipe(
  z.object({ ...fields, password_confirmation: z.optional(z.nullable(z.string())) }).check(
    across((form: { password: unknown; password_confirmation?: unknown }, context) => {
      if (typeof form.password === 'string' && form.password !== form.password_confirmation) {
        report(context, messages.passwordsDiffer, ['password_confirmation']);
      }
    }),
  ),
  z.transform(toRegistration),
);

/** The payload of auth-signup (F-02). */
export const registrationPayload = z.pipe(z.object(fields), z.transform(toRegistration));

function toRegistration(form: {
  full_name: string;
  email: string;
  phone: string | null;
  password: string;
}): Registration {
  return { fullName: form.full_name, email: form.email, phone: form.phone, password: form.password };
}
