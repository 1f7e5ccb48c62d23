import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { email, optionalPhone, personName } from './fields.ts';

/** « Ajouter un commercial » and the payload of invite-commercial (V-08, F-06). */
export const commercialInvitationForm = z.object({
  name: personName(messages.nameAndEmailRequired),
  email: email(messages.nameAndEmailRequired),
  phone: optionalPhone(),
});
export type CommercialInvitation = z.output<typeof commercialInvitationForm>;
