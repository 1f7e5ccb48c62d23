import { Failure } from '@parrain/domain/failure';
import { companyCallConsentForm } from '@parrain/domain/forms/company-call-consent';
import { companyContactMonthsForm } from '@parrain/domain/forms/company-contact-months';
import { companyColorForm } from '@parrain/domain/forms/company-color';
import { companyFirstReferralForm } from '@parrain/domain/forms/company-first-referral';
import { companyFollowUpsForm } from '@parrain/domain/forms/company-follow-ups';
import { companyNameForm } from '@parrain/domain/forms/company-name';
import { companyNewClientsForm } from '@parrain/domain/forms/company-new-clients';
import { companyAccountForm, releaseAboveForm, requestRulesForm } from '@parrain/domain/forms/company-payments';
import { companyPresentationForm } from '@parrain/domain/forms/company-presentation';
import { companySecurityForm } from '@parrain/domain/forms/company-security';
import { firstStepForm } from '@parrain/domain/forms/first-step';
import { legalNoticeForm } from '@parrain/domain/forms/legal-notice';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { maskedIban } from '@parrain/domain/iban';
import { settingsSaved } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { newClientsLabels } from '@parrain/domain/new-clients';
import type { NewClientsGiven } from '@parrain/domain/new-clients';
import { paymentMethodLabels } from '@parrain/domain/payment-request';
import { roles } from '@parrain/domain/role';
import type { FirstStep } from '@parrain/domain/first-steps';
import type { CompanySettingsRow, RequestRulesRow } from '@parrain/domain/wire';

import type { Transaction } from '#platform/database';
import {
  forgetOtherImages,
  keepLogo,
  logoImage,
  pageImage,
  publicObjectPath,
  storeImage,
  uploadedFile,
} from '#storage';

import { sealAccount } from '../company-account.ts';
import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';
import { endAlarms } from '../system-state/alarms.ts';
import { changeControl, confirmControl, readControls, withdrawControl } from './controls.ts';

/** The company's row, whose columns are the fields of every form of its settings. */
const settings: Edited = {
  name: () => 'company-settings',
  labels: { payment_methods: paymentMethodLabels, new_clients: newClientsLabels },
  read: async (tx) => {
    const { rows } = await tx.query<Record<string, unknown>>(
      `select company_name, brand_color, presentation, friend_gain, answer_days, require_call_consent, first_referral_months, contact_months, follow_up_days,
        follow_up_admin_days, new_clients, new_clients_to, smallest_request, payment_methods, requests_from_day, requests_to_day, release_above
      from public.company_settings`,
    );
    return rows[0];
  },
};

/** The account that the company pays from, its IBAN masked. */
const companyAccount: Edited = {
  name: () => 'company-account',
  read: async (tx) => {
    const { rows } = await tx.query<{ account: ShownAccount | null }>(
      'select private.company_account_shown() as account',
    );
    return rows[0]?.account ?? undefined;
  },
};

/** Legal notice of the public pages: publisher and host. */
const legalNotice: Edited = {
  name: () => 'legal-notice',
  read: async (tx) => {
    const { rows } = await tx.query<{ notice: Record<string, unknown> | null }>(
      'select private.legal_notice_shown() as notice',
    );
    return rows[0]?.notice ?? undefined;
  },
};

/** F-03, F-04, F-05: the company's name, logo and rules, read by every signed-in user, changed by an admin. */
export default {
  get: { method: 'GET', callers: roles, run: getSettings },
  upload_logo: { callers: ['admin'], run: uploadLogo },
  upload_picture: { callers: ['admin'], run: uploadPicture },
  remove_picture: { callers: ['admin'], run: removePicture },
  update_name: { callers: ['admin'], run: keepingOthers(settings, updateName) },
  update_color: { callers: ['admin'], run: keepingOthers(settings, updateColor) },
  update_presentation: { callers: ['admin'], run: keepingOthers(settings, updatePresentation) },
  update_call_consent: { callers: ['admin'], run: keepingOthers(settings, updateCallConsent) },
  update_first_referral: { callers: ['admin'], run: keepingOthers(settings, updateFirstReferral) },
  update_contact_months: { callers: ['admin'], run: keepingOthers(settings, updateContactMonths) },
  update_follow_ups: { callers: ['admin'], run: keepingOthers(settings, updateFollowUps) },
  update_new_clients: { callers: ['admin'], run: keepingOthers(settings, updateNewClients) },
  update_request_rules: { callers: ['admin'], run: keepingOthers(settings, updateRequestRules) },
  update_release_above: { callers: ['admin'], run: keepingOthers(settings, updateReleaseAbove) },
  controls: { method: 'GET', callers: ['admin'], run: readControls },
  confirm_control: { callers: ['admin'], run: confirmControl },
  withdraw_control: { callers: ['admin'], run: withdrawControl },
  account: { method: 'GET', callers: ['admin'], run: readAccount },
  update_account: { callers: ['admin'], run: keepingOthers(companyAccount, updateAccount) },
  legal_notice: { method: 'GET', callers: ['admin'], run: readLegalNotice },
  update_legal_notice: { callers: ['admin'], run: keepingOthers(legalNotice, updateLegalNotice) },
  update_security: { callers: ['admin'], run: updateSecurity },
  first_steps: { method: 'GET', callers: ['admin'], run: readFirstSteps },
  skip_step: { callers: ['admin'], run: skipStep },
} satisfies ProductFunction;

type SettingsRow = CompanySettingsRow &
  RequestRulesRow & {
    readonly release_above: string | null;
    readonly brand_color: string | null;
    readonly presentation: string | null;
    readonly friend_gain: string | null;
    readonly answer_days: number | null;
    readonly picture_url: string | null;
    readonly require_call_consent: boolean;
    readonly first_referral_months: number | null;
    readonly contact_months: number;
    /** CS-05: the version that this client has still to accept; null where there is none, and for everybody else. */
    readonly rules_to_accept: number | null;
    readonly require_admin_two_factor: boolean;
    readonly follow_up_days: number | null;
    readonly follow_up_admin_days: number | null;
    readonly new_clients: NewClientsGiven;
    readonly new_clients_to: string | null;
  };

async function getSettings(call: UserCall): Promise<FunctionResponse> {
  if (call.role === 'comptable') return getLook(call);
  const { rows } = await call.db.queryAs<SettingsRow>(
    call.identity,
    {
      text: `select company_name, logo_url, brand_color, presentation, friend_gain, answer_days, picture_url, require_call_consent, first_referral_months, contact_months,
          require_admin_two_factor, follow_up_days, follow_up_admin_days, new_clients, new_clients_to,
          smallest_request, payment_methods, requests_from_day, requests_to_day, release_above,
          private.rules_to_accept() as rules_to_accept
        from public.company_settings`,
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0] });
}

/** UI-12: the accountant sees whose accounting it is, and nothing of how the company runs its programme. */
async function getLook({ db, identity }: UserCall): Promise<FunctionResponse> {
  return db.transactionAs(
    identity,
    async (tx) => {
      await tx.query('select private.read_as_accountant()');
      const { rows } = await tx.query<Partial<SettingsRow>>(
        'select company_name, logo_url, brand_color from public.company_settings',
      );
      return answer({ success: true, data: rows[0] });
    },
    { readOnly: true },
  );
}

/** V-07. */
async function updateName(call: UserCall): Promise<FunctionResponse> {
  const { companyName } = parsePayload(companyNameForm, call.body ?? {});
  const { rows } = await call.db.queryAs<CompanySettingsRow>(call.identity, {
    text: 'select company_name, logo_url from private.update_company_name($1)',
    values: [companyName],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** TM-01: the colour of the company's mails; null is the product's own. */
async function updateColor(call: UserCall): Promise<FunctionResponse> {
  const { brandColor } = parsePayload(companyColorForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, brand_color from private.set_company_color($1)',
    values: [brandColor],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** CS-01, UI-03: what the company says of itself on the page of a personal link; null says nothing, what is not named stays. */
async function updatePresentation(call: UserCall): Promise<FunctionResponse> {
  const body = call.body ?? {};
  const form = Object.entries(parsePayload(companyPresentationForm, body));
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, presentation, friend_gain, answer_days from private.set_public_page($1)',
    values: [Object.fromEntries(form.filter(([field]) => Object.hasOwn(body, field)))],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** CS-03: whether only friends who agreed are called. */
async function updateCallConsent(call: UserCall): Promise<FunctionResponse> {
  const { requireCallConsent } = parsePayload(companyCallConsentForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, require_call_consent from private.set_require_call_consent($1)',
    values: [requireCallConsent],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** CS-02: for how many months the first referral of a person counts; null is never. */
async function updateFirstReferral(call: UserCall): Promise<FunctionResponse> {
  const { months } = parsePayload(companyFirstReferralForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, first_referral_months from private.set_first_referral_months($1)',
    values: [months],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** CS-04: for how many months a contact without contract is kept. */
async function updateContactMonths(call: UserCall): Promise<FunctionResponse> {
  const { months } = parsePayload(companyContactMonthsForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, contact_months from private.set_contact_months($1)',
    values: [months],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** TM-05: after how many days a referral that nobody contacted is reminded of. */
async function updateFollowUps(call: UserCall): Promise<FunctionResponse> {
  const { days, adminDays } = parsePayload(companyFollowUpsForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, follow_up_days, follow_up_admin_days from private.set_follow_ups($1, $2)',
    values: [days, adminDays],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** DF-06: who receives the clients who register alone. */
async function updateNewClients(call: UserCall): Promise<FunctionResponse> {
  const { given, to } = parsePayload(companyNewClientsForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, new_clients, new_clients_to from private.set_new_clients($1, $2)',
    values: [given, to],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** PO-06: the smallest payment request, the means of payment offered, and the days on which requests are taken. */
async function updateRequestRules(call: UserCall): Promise<FunctionResponse> {
  const { smallest, methods, days } = parsePayload(requestRulesForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: `select smallest_request, payment_methods, requests_from_day, requests_to_day
      from private.set_request_rules($1::numeric, $2, $3, $4)`,
    values: [toWire(smallest), methods, days?.from ?? null, days?.to ?? null],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** PO-01: above how much a batch is released by another admin than its maker; null is never. */
async function updateReleaseAbove(call: UserCall): Promise<FunctionResponse> {
  const { releaseAbove } = parsePayload(releaseAboveForm, call.body ?? {});
  return changeControl(call, 'release_above', {
    text: 'select release_above from private.set_release_above($1::numeric)',
    values: [releaseAbove === null ? null : toWire(releaseAbove)],
  });
}

type ShownAccount = { readonly holder: string; readonly iban: string; readonly bic: string | null };

/** PO-04: the account the company pays from, its IBAN masked; null where there is none. */
async function readAccount(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ account: ShownAccount | null }>(
    call.identity,
    { text: 'select private.company_account_shown() as account' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.account ?? null });
}

/** PO-04: the account is kept sealed, and read in clear by nobody but the maker of a bank file. */
async function updateAccount(call: UserCall): Promise<FunctionResponse> {
  const account = parsePayload(companyAccountForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ account: ShownAccount }>(call.identity, {
    text: 'select private.set_company_account($1, $2, $3, $4) as account',
    values: [account.holder, maskedIban(account.iban), account.bic, sealAccount(call.services.secrets, account)],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0]?.account });
}

/** AU-17: whether every admin needs a second factor. Whoever asks it of the others has one themselves. */
async function updateSecurity(call: UserCall): Promise<FunctionResponse> {
  const { requireAdminTwoFactor } = parsePayload(companySecurityForm, call.body ?? {});
  return changeControl(call, 'require_admin_two_factor', {
    text: 'select company_name, logo_url, require_admin_two_factor from private.require_admin_two_factor($1)',
    values: [requireAdminTwoFactor],
  });
}

type FirstStepsRow = {
  readonly done: readonly FirstStep[];
  readonly skipped: readonly FirstStep[];
  readonly is_empty: boolean;
  readonly has_test_data: boolean;
};

/** NV-08: where the company stands in its first steps. */
/** Null before it was ever written (DF-47). */
async function readLegalNotice(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ notice: unknown }>(
    call.identity,
    { text: 'select private.legal_notice_shown() as notice' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.notice ?? null });
}

async function updateLegalNotice(call: UserCall): Promise<FunctionResponse> {
  const notice = parsePayload(legalNoticeForm, call.body ?? {});
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows } = await tx.query<{ notice: unknown }>('select private.set_legal_notice($1) as notice', [notice]);
    await tx.asService('the legal notice is there', () => endAlarms(call.services, tx, ['legal_notice_missing']));
    return answer({ success: true, message: settingsSaved, data: rows[0]?.notice });
  });
}

async function readFirstSteps(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<FirstStepsRow>(
    call.identity,
    { text: 'select done, skipped, is_empty, has_test_data from private.first_steps()' },
    { readOnly: true },
  );
  return answer({ success: true, data: { ...rows[0], is_mail_configured: call.services.mail.isConfigured } });
}

/** NV-08: a step that is skipped, or taken up again. */
async function skipStep(call: UserCall): Promise<FunctionResponse> {
  const { step, skipped } = parsePayload(firstStepForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.skip_first_step($1, $2)', values: [step, skipped] });
  return answer({ success: true });
}

/** V-06, ST-01: the image is re-encoded and stored under a new name, and the old one deleted, in one transaction. */
async function uploadLogo(call: UserCall): Promise<FunctionResponse> {
  const logo = await keepLogo(call.services, await logoImage(await sentImage(call)));
  return call.db.transactionAs(call.identity, async (tx) => {
    const name = await storeImage(tx, 'logo', logo, call.userId);
    const { rows } = await tx.query<CompanySettingsRow>(
      'select company_name, logo_url from private.set_company_logo($1)',
      [publicObjectPath(name)],
    );
    await forgetOtherImages(tx, 'logo', name);
    return answer({ success: true, message: settingsSaved, logo_url: rows[0]?.logo_url, data: rows[0] });
  });
}

/** UI-03: the picture of the public page, as a logo is kept. */
async function uploadPicture(call: UserCall): Promise<FunctionResponse> {
  const picture = await keepLogo(call.services, await pageImage(await sentImage(call)));
  return call.db.transactionAs(call.identity, async (tx) => {
    const name = await storeImage(tx, 'picture', picture, call.userId);
    return setPicture(tx, name);
  });
}

async function sentImage(call: UserCall): Promise<Uint8Array> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  return (await uploadedFile(call.request, 'file')).file;
}

async function removePicture(call: UserCall): Promise<FunctionResponse> {
  return call.db.transactionAs(call.identity, (tx) => setPicture(tx, null));
}

async function setPicture(tx: Transaction, name: string | null): Promise<FunctionResponse> {
  const { rows } = await tx.query<SettingsRow>(
    'select company_name, logo_url, picture_url from private.set_page_picture($1)',
    [name === null ? null : publicObjectPath(name)],
  );
  await forgetOtherImages(tx, 'picture', name);
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}
