import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { email, optionalLine, optionalPhone, optionalText, personName } from './fields.ts';

/** The request for a 30-minute demo, where no booking service is configured (L-04). */
export const appointmentRequestForm = z.pipe(
  z.object({
    name: personName(messages.nameRequired),
    email: email(),
    phone: optionalPhone(),
    preferred_slot: optionalLine(),
    message: optionalText(),
  }),
  z.transform(({ preferred_slot: preferredSlot, ...form }) => ({ ...form, preferredSlot })),
);
export type AppointmentRequest = z.output<typeof appointmentRequestForm>;
