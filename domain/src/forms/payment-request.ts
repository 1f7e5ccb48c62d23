import * as z from 'zod/mini';
import { failureMessage } from '../failure.ts';
import { parseIban } from '../iban.ts';
import * as messages from '../messages.ts';
import { isTooPrecise, parseEuros, toWire, type Cents } from '../money.ts';
import { paymentMethods, type PaymentDetails, type PaymentMethod, type SameAccount } from '../payment-request.ts';
import { requestRulesDefault, type RequestRules } from '../request-rules.ts';
import { paymentDetailsToWire } from '../wire.ts';
import { abroadFields, abroadOf, checkAbroad } from './account-abroad.ts';
import { across, choice, id, optionalLine, rawAmount, refuse, report, requiredLine, requiredText } from './fields.ts';
import { ibanLengthMax, notesLengthMax } from './limits.ts';

/** A payment being requested (CL-07). */
export interface PaymentRequestInput {
  readonly amount: Cents;
  readonly details: PaymentDetails | SameAccount;
}

const iban = z.pipe(
  requiredLine(messages.ibanRequired, ibanLengthMax),
  z.transform((raw, context) => parseIban(raw) ?? refuse(context, messages.ibanInvalid)),
);

/** The details each method needs (D-09, V-15). */
export const paymentDetailsForms = {
  virement: z.pipe(
    z
      .object({ iban, beneficiary_name: requiredLine(messages.beneficiaryNameRequired), ...abroadFields })
      .check(across(checkAbroad)),
    z.transform((form): PaymentDetails => ({
      method: 'virement',
      iban: form.iban,
      beneficiaryName: form.beneficiary_name,
      abroad: abroadOf(form),
    })),
  ),
  cheque_cadeau: z.pipe(
    z.object({ gift_card_type: requiredLine(messages.giftCardTypeRequired) }),
    z.transform((form): PaymentDetails => ({ method: 'cheque_cadeau', giftCardType: form.gift_card_type })),
  ),
  association: z.pipe(
    z.object({
      association_name: requiredLine(messages.associationNameRequired),
      association_details: requiredText(messages.associationDetailsRequired, notesLengthMax),
    }),
    z.transform((form): PaymentDetails => ({
      method: 'association',
      associationName: form.association_name,
      associationDetails: form.association_details,
    })),
  ),
  remise_societe: z.pipe(
    z.object({ company_account: optionalLine() }),
    z.transform((form): PaymentDetails => ({ method: 'remise_societe', companyAccount: form.company_account })),
  ),
} as const satisfies Readonly<Record<PaymentMethod, z.ZodMiniType<PaymentDetails>>>;

/** UI-10: a transfer without an IBAN, to the account of an earlier request of the same client. */
const sameAccountForm = z.pipe(
  z.object({
    same_as: id(messages.ibanRequired),
    beneficiary_name: requiredLine(messages.beneficiaryNameRequired),
  }),
  z.transform((form): SameAccount => ({
    method: 'virement',
    sameAs: form.same_as,
    beneficiaryName: form.beneficiary_name,
  })),
);

function detailsForm(method: PaymentMethod, details: RawRequest['payment_details']) {
  const isSame = method === 'virement' && Boolean(details?.['same_as']) && !details?.['iban'];
  return isSame ? sameAccountForm : paymentDetailsForms[method];
}

/**
 * The request form and the payload of payment-request create (V-14, V-15, V-17, F-10), for someone who has `available`
 * left to ask: any amount that is not a decimal of at most two places between the smallest and that is refused with both
 * bounds, any means that the company does not offer too (PO-06). Days of requests are the database's to check.
 */
export function paymentRequestForm(
  available: Cents,
  { smallest, methods }: Pick<RequestRules, 'smallest' | 'methods'> = requestRulesDefault,
) {
  const within = (raw: RawRequest['amount']) => amountWithin(raw, smallest, available);
  return z.pipe(
    z
      .object({
        amount: rawAmount,
        payment_method: choice(paymentMethods, messages.paymentMethodRequired),
        payment_details: z.optional(z.nullable(z.record(z.string(), z.unknown(), { error: messages.textInvalid }))),
      })
      .check(
        across((form: RawRequest, context) => {
          if (isTooPrecise(form.amount ?? '')) report(context, messages.amountInvalid, ['amount']);
          else if (within(form.amount) === null) {
            report(context, messages.amountOutOfRange(available, smallest), ['amount'], {
              failure: 'amount_out_of_range',
              failureParams: { available: toWire(available), smallest: toWire(smallest) },
            });
          }
          const method = paymentMethods.find((known) => known === form.payment_method);
          if (method === undefined) return;
          if (!methods.includes(method))
            report(context, failureMessage('method_not_offered'), ['payment_method'], {
              failure: 'method_not_offered',
            });
          const details = detailsForm(method, form.payment_details).safeParse(form.payment_details ?? {});
          for (const issue of details.error?.issues ?? []) {
            report(context, issue.message, ['payment_details', ...issue.path.map(String)]);
          }
        }),
      ),
    z.transform((form): PaymentRequestInput => {
      const amount = within(form.amount);
      if (amount === null) throw new Error('A checked amount is within its bounds');
      const details = detailsForm(form.payment_method, form.payment_details).parse(form.payment_details ?? {});
      return { amount, details };
    }),
  );
}

/** The payload of payment-request create, its amount as decimal text (F-10). */
export function paymentRequestPayload(input: PaymentRequestInput) {
  return {
    action: 'create',
    amount: toWire(input.amount),
    payment_method: input.details.method,
    payment_details: detailsToWire(input.details),
  } as const;
}

function detailsToWire(details: PaymentRequestInput['details']) {
  return 'sameAs' in details
    ? { same_as: details.sameAs, beneficiary_name: details.beneficiaryName }
    : paymentDetailsToWire(details);
}

interface RawRequest {
  readonly amount?: string | number | null | undefined;
  readonly payment_method: PaymentMethod;
  readonly payment_details?: Readonly<Record<string, unknown>> | null | undefined;
}

function amountWithin(raw: RawRequest['amount'], smallest: Cents, available: Cents): Cents | null {
  if (typeof raw !== 'string' && typeof raw !== 'number') return null;
  const amount = parseEuros(raw);
  return amount !== null && amount >= smallest && amount <= available ? amount : null;
}
