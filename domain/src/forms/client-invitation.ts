import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { email, id, optionalId, optionalLine, optionalPhone, optionalText, personName } from './fields.ts';
import { companyLengthMax } from './limits.ts';

/** A client being invited, by their commercial or by the admin for one (CO-06, AD-06). */
export interface ClientInvitation {
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly company: string | null;
  readonly notes: string | null;
  /** The commercial to attach to, named by the admin alone (AD-06). */
  readonly commercialId: string | null;
}

/** « Ajouter un client » and the payload of invite-client (V-11, F-13). */
export const clientInvitationForm = z.pipe(
  z.object({
    name: personName(messages.nameAndEmailRequired),
    email: email(messages.nameAndEmailRequired),
    phone: optionalPhone(),
    company: optionalLine(companyLengthMax),
    notes: optionalText(),
    commercial_id: optionalId(messages.commercialInvalid),
  }),
  z.transform(({ commercial_id: commercialId, ...form }): ClientInvitation => ({ ...form, commercialId })),
);

/** The payload of delete-client (F-14). */
export const clientDeletionPayload = z.pipe(
  z.object({ client_id: id(messages.clientNotSelected, { failure: 'client_not_found' }) }),
  z.transform((form) => ({ clientId: form.client_id })),
);
