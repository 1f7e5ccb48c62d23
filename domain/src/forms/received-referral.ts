import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { saleChoices } from '../sale.ts';
import {
  across,
  choice,
  optionalAmount,
  optionalEmail,
  optionalPhone,
  optionalText,
  personName,
  report,
  requiredLine,
} from './fields.ts';
import { contractDescriptionLengthMax, referenceLengthMax, sourceLengthMax } from './limits.ts';

const given = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** WH-03: a referral as another tool says it: its own reference, whose it is, and where it stands. */
export const receivedReferralForm = z
  .object({
    source: requiredLine('Indiquez « source » : le nom de votre logiciel, toujours le même.', sourceLengthMax),
    reference: requiredLine(
      'Indiquez « reference » : l’identifiant du parrainage dans votre logiciel.',
      referenceLengthMax,
    ),
    referrer_email: optionalEmail(),
    name: z.optional(z.nullable(personName('Indiquez « name » : le nom de la personne recommandée.'))),
    email: optionalEmail(),
    phone: optionalPhone(),
    status: z.optional(z.nullable(choice(saleChoices, `« status » vaut l’un de : ${saleChoices.join(', ')}.`))),
    contract_amount: optionalAmount(),
    contract_description: optionalText(contractDescriptionLengthMax),
  })
  .check(
    across(
      (
        form: { status?: unknown; contract_amount: unknown; name?: unknown; email: unknown; phone: unknown },
        context,
      ) => {
        if (form.contract_amount === 0n) report(context, messages.contractAmountNotPositive, ['contract_amount']);
        if (form.contract_amount !== null && !given(form.status)) {
          report(context, 'Indiquez « status » avec le contrat.', ['status']);
        }
        if (given(form.name) && form.email === null && form.phone === null) {
          report(context, 'Indiquez « email » ou « phone » de la personne recommandée.', ['email']);
        }
      },
    ),
  );
