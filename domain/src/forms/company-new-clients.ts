import * as z from 'zod/mini';
import { commercialInvalid } from '../messages.ts';
import { newClientsGiven } from '../new-clients.ts';
import type { NewClientsGiven } from '../new-clients.ts';
import { across, optionalId, report } from './fields.ts';

/** To whom the clients who register alone go, as the settings and the wire write it (DF-06). */
export const companyNewClientsForm = z.pipe(
  z
    .object({
      new_clients: z.enum(newClientsGiven, 'Choisissez à qui vont les nouveaux clients.'),
      new_clients_to: optionalId(commercialInvalid),
    })
    .check(
      across((form: { new_clients: NewClientsGiven; new_clients_to: string | null }, context) => {
        if (form.new_clients === 'to_one' && form.new_clients_to === null)
          report(context, 'Choisissez le commercial qui les reçoit.', ['new_clients_to']);
      }),
    ),
  z.transform((form) => ({
    given: form.new_clients,
    to: form.new_clients === 'to_one' ? form.new_clients_to : null,
  })),
);
