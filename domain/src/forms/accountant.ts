import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { statementPeriodOf } from '../statement.ts';
import { email, personName, refuse } from './fields.ts';

const periodRequired = 'Choisissez une période.';

/** Access for the company's accountant (UI-12). */
export const accountantInvitationForm = z.object({
  name: personName(messages.nameAndEmailRequired),
  email: email(messages.nameAndEmailRequired),
});
export type AccountantInvitation = z.output<typeof accountantInvitationForm>;

/** The period whose dossier the accountant is told of: a year or a month. */
export const dossierSendingForm = z.object({
  period: z.pipe(
    z.optional(z.nullable(z.string({ error: periodRequired }))),
    z.transform((name, context) => statementPeriodOf(name ?? '') ?? refuse(context, periodRequired)),
  ),
});
