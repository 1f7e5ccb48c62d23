import * as z from 'zod/mini';
import { isSepaIban, parseBic, parseIban } from '../iban.ts';
import * as messages from '../messages.ts';
import { parseEuros, paymentRequestMinCents, type Cents } from '../money.ts';
import { paymentMethods, type AccountAbroad } from '../payment-request.ts';
import type { RequestRules } from '../request-rules.ts';
import { sepaText } from '../sepa.ts';
import { abroadFields, abroadOf, bicInvalid, checkAbroad } from './account-abroad.ts';
import { across, optionalLine, rawAmount, refuse, report, requiredLine } from './fields.ts';
import { ibanLengthMax, sepaNameLengthMax } from './limits.ts';

/** The account the company pays from (PO-04). */
export interface CompanyAccount {
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | null;
}

/** An account that a SEPA transfer reaches. */
const sepaAccount = {
  holder: requiredLine('Indiquez le nom du titulaire du compte.', sepaNameLengthMax),
  iban: z.pipe(
    requiredLine(messages.ibanRequired, ibanLengthMax),
    z.transform((raw, context) => {
      const iban = parseIban(raw);
      if (iban === null) return refuse(context, messages.ibanInvalid);
      return isSepaIban(iban) ? iban : refuse(context, 'Ce compte n’est pas dans la zone SEPA.');
    }),
  ),
};

/** The account that a commercial who is an agent or a company is paid on (PO-05). */
export interface BankAccount {
  readonly holder: string;
  readonly iban: string;
  readonly abroad?: AccountAbroad | undefined;
}

export const bankAccountForm = z.pipe(
  z.object({ ...sepaAccount, ...abroadFields }).check(
    across((form: { holder: unknown }, context) => {
      if (typeof form.holder === 'string' && sepaText(form.holder, sepaNameLengthMax) === '')
        report(context, 'Écrivez ce nom en lettres latines, comme votre banque.', ['holder']);
    }),
    across(checkAbroad),
  ),
  z.transform((form): BankAccount => ({ holder: form.holder, iban: form.iban, abroad: abroadOf(form) })),
);

/** The account the company pays from, as the settings and the wire write it. */
export const companyAccountForm = z.pipe(
  z.object({
    ...sepaAccount,
    bic: z.pipe(
      optionalLine(15),
      z.transform((raw, context) => (raw === null ? null : (parseBic(raw) ?? refuse(context, bicInvalid)))),
    ),
  }),
  z.transform((form): CompanyAccount => form),
);

/** Above how much a batch is released by a second admin (PO-01); null is never. It is said, be it empty. */
export const releaseAboveForm = z.pipe(
  z.object({
    release_above: z.pipe(
      z.nullable(z.union([z.string(), z.number()], { error: messages.amountInvalid })),
      z.transform((raw, context): Cents | null =>
        raw === null || raw === '' ? null : (parseEuros(raw) ?? refuse(context, messages.amountInvalid)),
      ),
    ),
  }),
  z.transform((form) => ({ releaseAbove: form.release_above })),
);

/** The largest that the smallest request may be. */
export const smallestRequestMaxCents: Cents = 1_000_000n;

const smallest = z.pipe(
  rawAmount,
  z.transform((raw, context): Cents => {
    const cents = typeof raw === 'string' || typeof raw === 'number' ? parseEuros(raw) : null;
    return cents !== null && cents >= paymentRequestMinCents && cents <= smallestRequestMaxCents
      ? cents
      : refuse(context, 'Indiquez un montant de 1 € à 10 000 €.');
  }),
);

const day = (last: number) =>
  z.pipe(
    // Said, be it empty: a window is not lifted by a payload that forgets it.
    z.nullable(z.union([z.string(), z.number()], { error: `Indiquez un jour, de 1 à ${last}.` })),
    z.transform((value, context): number | null => {
      if (value === null || value === '') return null;
      const text = String(value).trim();
      const number = /^\d{1,2}$/u.test(text) ? Number.parseInt(text, 10) : 0;
      return number >= 1 && number <= last ? number : refuse(context, `Indiquez un jour, de 1 à ${last}.`);
    }),
  );

interface RawRules {
  readonly payment_methods: unknown;
  readonly requests_from_day: number | null;
  readonly requests_to_day: number | null;
}

/** Limits on payment requests, as the settings and the wire write them (PO-06). */
export const requestRulesForm = z.pipe(
  z
    .object({
      smallest_request: smallest,
      payment_methods: z.array(z.enum(paymentMethods), { error: messages.paymentMethodRequired }),
      requests_from_day: day(28),
      requests_to_day: day(31),
    })
    .check(
      across((form: RawRules, context) => {
        if (Array.isArray(form.payment_methods) && form.payment_methods.length === 0)
          report(context, 'Proposez au moins un moyen de paiement.', ['payment_methods']);
        if ((form.requests_from_day === null) !== (form.requests_to_day === null))
          report(context, 'Indiquez le premier et le dernier jour, ou aucun des deux.', [
            form.requests_from_day === null ? 'requests_from_day' : 'requests_to_day',
          ]);
      }),
    ),
  z.transform((form): RequestRules => ({
    smallest: form.smallest_request,
    methods: paymentMethods.filter((method) => form.payment_methods.includes(method)),
    days:
      form.requests_from_day === null || form.requests_to_day === null
        ? null
        : { from: form.requests_from_day, to: form.requests_to_day },
  })),
);
