import * as z from 'zod/mini';
import { id } from './fields.ts';

/** An appointment that a visitor asked for, which an admin has answered (DF-10). */
export const appointmentForm = z.pipe(
  z.object({ appointment_id: id('Indiquez « appointment_id » : la demande de rendez-vous.') }),
  z.transform((form) => ({ appointmentId: form.appointment_id })),
);
