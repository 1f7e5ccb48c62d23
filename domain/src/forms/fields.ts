import * as z from 'zod/mini';
import type { FailureCode, FailureParams } from '../failure.ts';
import { emailAddress } from '../email-address.ts';
import * as messages from '../messages.ts';
import { hasLink, hasPhoneNumber, hasSentence, hasSite, isLine } from '../name.ts';
import { parseEuros, type Cents } from '../money.ts';
import { writtenPhone } from '../phone.ts';
import { isVisible } from '../visible-text.ts';
import { nameLengthMax, notesLengthMax, passwordBytesMax, passwordLengthMin, phoneLengthMax } from './limits.ts';

// The fields that forms are made of. Each takes what an input or a payload holds (a text, null, or nothing at all),
// says in French what is wrong with it, and gives the value in its one normal form; what is optional and empty is null.

/** Extra data of a schema issue: lets the server answer with a more exact failure than « invalid_input ». */
export interface IssueParams {
  readonly failure?: FailureCode;
  readonly failureParams?: FailureParams;
}

interface Context {
  readonly issues: unknown[];
}

/** Adds an issue to a form; a schema reports every one it finds, not the first. */
export function report(context: Context, message: string, path: readonly string[], params: IssueParams = {}): void {
  context.issues.push({ code: 'custom', message, path: [...path], params, input: undefined });
}

/** Adds the issue of a field, which then has no value. */
export function refuse(context: Context, message: string, params: IssueParams = {}): never {
  report(context, message, [], params);
  return z.NEVER;
}

/**
 * A check across fields. It runs whatever is wrong with the fields themselves, for every issue is reported:
 * a field that is not valid then holds anything, and one that is optional and empty holds null.
 */
export function across<Form>(check: (form: Form, context: Context) => void) {
  return z.check<Form>((payload) => check(payload.value, payload), {
    when: ({ value }) => typeof value === 'object' && value !== null,
  });
}

const rawText = z.optional(z.nullable(z.string({ error: messages.textInvalid })));
/** An amount before parsing: text, or any number, so that NaN too reaches the rule of its form. */
export const rawAmount = z.optional(
  z.custom<string | number | null>((raw) => raw === null || typeof raw === 'string' || typeof raw === 'number', {
    error: messages.amountInvalid,
  }),
);

// As in a line (isLine), but that \n and \t are allowed.
const forbiddenInText = /[^\P{Cc}\n\t]|[\p{Cs}\p{Bidi_Control}]/u;

function isText(value: string): boolean {
  return !forbiddenInText.test(value);
}

/** One line that must be given. */
export function requiredLine(required: string, lengthMax = nameLengthMax, params: IssueParams = {}) {
  return z.pipe(
    rawText,
    z.transform((raw, context) => {
      const value = raw?.trim() ?? '';
      if (!isVisible(value) && isLine(value)) return refuse(context, required, params);
      if (value.length > lengthMax) return refuse(context, messages.textTooLong(lengthMax));
      return isLine(value) ? value : refuse(context, messages.textInvalid);
    }),
  );
}

/** One line, null where empty. */
export function optionalLine(lengthMax = nameLengthMax) {
  return z.pipe(
    rawText,
    z.transform((raw, context): string | null => {
      const value = raw?.trim() ?? '';
      if (!isVisible(value) && isLine(value)) return null;
      if (value.length > lengthMax) return refuse(context, messages.textTooLong(lengthMax));
      return isLine(value) ? value : refuse(context, messages.textInvalid);
    }),
  );
}

/** A person's name, which must be given: no address of a site or of a mailbox, no telephone number, no sentence. */
export function personName(required: string) {
  return z.pipe(
    requiredLine(required),
    z.transform((value, context) => {
      if (hasSite(value)) return refuse(context, messages.nameWithSite);
      return hasPhoneNumber(value) || hasSentence(value) ? refuse(context, messages.nameWithText) : value;
    }),
  );
}

/** The company's own name: it may be that of its site, but no link. */
export function companyName(required: string) {
  return z.pipe(
    requiredLine(required),
    z.transform((value, context) => (hasLink(value) ? refuse(context, messages.nameWithSite) : value)),
  );
}

/** A message to a recipient who did not ask for it: no link; null where empty. */
export function optionalMessage(lengthMax: number) {
  return z.pipe(
    optionalText(lengthMax),
    z.transform((value, context) =>
      value !== null && hasLink(value) ? refuse(context, messages.messageWithLink) : value,
    ),
  );
}

/** Several lines that must be given. */
export function requiredText(required: string, lengthMax = notesLengthMax, params: IssueParams = {}) {
  return z.pipe(
    optionalText(lengthMax),
    z.transform((value, context) => value ?? refuse(context, required, params)),
  );
}

/** Several lines, null where empty. */
export function optionalText(lengthMax = notesLengthMax) {
  return z.pipe(
    rawText,
    z.transform((raw, context): string | null => {
      const value = raw?.replaceAll('\r\n', '\n').trim() ?? '';
      if (!isVisible(value) && isText(value)) return null;
      if (value.length > lengthMax) return refuse(context, messages.textTooLong(lengthMax));
      return isText(value) ? value : refuse(context, messages.textInvalid);
    }),
  );
}

/** An e-mail address in its one form, as accounts are told apart (DF-30). */
export function email(required: string = messages.emailRequired) {
  return z.pipe(
    optionalEmail(),
    z.transform((value, context) => value ?? refuse(context, required)),
  );
}

/** An e-mail address as `email` has it, null where empty. */
export function optionalEmail() {
  return z.pipe(
    rawText,
    z.transform((raw, context): string | null =>
      raw && isVisible(raw) ? (emailAddress(raw) ?? refuse(context, messages.emailInvalid)) : null,
    ),
  );
}

/** A phone number as people write it, null where empty. */
export function optionalPhone() {
  return z.pipe(
    rawText,
    z.transform((raw, context): string | null =>
      raw && isVisible(raw) ? (writtenPhone(raw, phoneLengthMax) ?? refuse(context, messages.phoneInvalid)) : null,
    ),
  );
}

/** A password that already exists: given, whatever its shape. */
export function currentPassword() {
  return z.pipe(
    rawText,
    z.transform((raw, context) => (raw ? raw : refuse(context, messages.passwordRequired))),
  );
}

/** A password being chosen: 10 characters or more, kept exactly as typed. */
export function newPassword() {
  return z.pipe(
    rawText,
    z.transform((raw, context) => {
      if (!raw) return refuse(context, messages.passwordRequired);
      if ([...raw].length < passwordLengthMin) return refuse(context, messages.passwordTooShort(passwordLengthMin));
      if (raw.length > passwordBytesMax || new TextEncoder().encode(raw).length > passwordBytesMax) {
        return refuse(context, messages.passwordTooLong);
      }
      return isLine(raw) ? raw : refuse(context, messages.textInvalid);
    }),
  );
}

const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** The id of a row that must be named. */
export function id(required: string, params: IssueParams = {}) {
  return z.pipe(
    z.optional(z.nullable(z.string({ error: required }))),
    z.transform((raw, context) => {
      const value = raw ?? '';
      return uuidPattern.test(value) ? value.toLowerCase() : refuse(context, required, params);
    }),
  );
}

/** The id of a row, null where none is named. */
export function optionalId(invalid: string) {
  return z.pipe(
    z.optional(z.nullable(z.string({ error: invalid }))),
    z.transform((raw, context): string | null => {
      if (!raw) return null;
      return uuidPattern.test(raw) ? raw.toLowerCase() : refuse(context, invalid);
    }),
  );
}

/** An amount in euros, typed or sent, null where empty (V-17). */
export function optionalAmount(invalid: string = messages.amountInvalid) {
  return z.pipe(
    rawAmount,
    z.transform((raw, context): Cents | null => {
      if (raw === null || raw === undefined || (typeof raw === 'string' && raw.trim() === '')) return null;
      return parseEuros(raw) ?? refuse(context, invalid);
    }),
  );
}

/** The version of a row that was on screen, null where it is not said (FX-11). */
export function seenVersion() {
  return z.pipe(
    z.optional(z.nullable(z.int({ error: messages.seenVersionInvalid }))),
    z.transform((raw): number | null => raw ?? null),
  );
}

/** One word of a closed list. */
export function choice<const Word extends string>(words: readonly Word[], required: string, params: IssueParams = {}) {
  return z.pipe(
    z.unknown(),
    z.transform((raw, context) => words.find((word) => word === raw) ?? refuse(context, required, params)),
  );
}
