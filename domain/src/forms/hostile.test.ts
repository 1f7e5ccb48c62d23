import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { parseEuros } from '../money.ts';
import { accountClosureForm, closureDecisionForm } from './account-closure.ts';
import { appointmentRequestForm } from './appointment-request.ts';
import { clientInvitationForm } from './client-invitation.ts';
import { commercialInvitationForm } from './commercial-invitation.ts';
import { commissionScaleForm } from './commission-scale.ts';
import { companyNameForm } from './company-name.ts';
import { contractDecisionForm } from './contract-decision.ts';
import { forgotPasswordForm } from './forgot-password.ts';
import { friendInvitationForm } from './friend-invitation.ts';
import { friendOptOutForm } from './friend-opt-out.ts';
import { newPasswordForm } from './new-password.ts';
import { parseForm } from './parse-form.ts';
import { paymentDecisionForm } from './payment-decision.ts';
import { paymentRequestForm } from './payment-request.ts';
import { profileForm } from './profile.ts';
import { registrationForm } from './registration.ts';
import { saleStatusForm } from './sale-status.ts';
import { signInForm } from './sign-in.ts';

const forms: Readonly<Record<string, z.ZodMiniType>> = {
  accountClosureForm,
  closureDecisionForm,
  appointmentRequestForm,
  clientInvitationForm,
  commercialInvitationForm,
  commissionScaleForm,
  companyNameForm,
  contractDecisionForm,
  forgotPasswordForm,
  friendInvitationForm,
  friendOptOutForm,
  newPasswordForm,
  paymentDecisionForm,
  paymentRequestForm: paymentRequestForm(100_000n),
  profileForm,
  registrationForm,
  saleStatusForm,
  signInForm,
};

/** Inputs that make a backtracking pattern take exponential time. */
const length = 50_000;
const nasty: Readonly<Record<string, string>> = {
  spaces: `${' '.repeat(length)}x`,
  'spaces around': `x${' '.repeat(length)}x`,
  digits: `${'1'.repeat(length)}x`,
  'groups of digits': `${'1 '.repeat(length)}x`,
  'dots and digits': `${'1.'.repeat(length)},`,
  'at signs': '@'.repeat(length),
  'an endless domain': `a@${'a.'.repeat(length)}`,
  'an endless address': `${'a.'.repeat(length)}@`,
  'endless phone': `+${'(0) '.repeat(length)}`,
  quotes: `"${'\\'.repeat(length)}"`,
  brackets: '('.repeat(length),
  hexadecimal: `${'a'.repeat(length)}-`,
  'line ends': '\r\n'.repeat(length),
  'combining marks': `e${'\u0301'.repeat(length)}`,
  'an endless IBAN': `FR76${'0 '.repeat(length)}`,
};

/** Every name that a form asks for: read by what it asks of its input. */
function fieldsOf(form: z.ZodMiniType): string[] {
  const asked = new Set<string>();
  const input = new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name === 'string') asked.add(name);
        return undefined;
      },
      has: () => true,
    },
  );
  parseForm(form, input);
  return [...asked];
}

test.for(Object.entries(forms))('[X-73] %s: no text stops it', ([, form]) => {
  const fields = fieldsOf(form);
  expect(fields.length).toBeGreaterThan(0);
  for (const [name, text] of Object.entries(nasty)) {
    const started = process.cpuUsage();
    parseForm(form, Object.fromEntries(fields.map((field) => [field, text])));
    // Ten milliseconds of this process for each field, and some for what the compiler does meanwhile.
    expect([name, process.cpuUsage(started).user / 1000]).toEqual([
      name,
      expect.toSatisfy((ms: number) => ms < 50 + 10 * fields.length),
    ]);
  }
});

test('[X-73] a sum of texts does not either', () => {
  for (const text of Object.values(nasty)) {
    const started = process.cpuUsage();
    parseEuros(text);
    expect(process.cpuUsage(started).user).toBeLessThan(50_000);
  }
});
