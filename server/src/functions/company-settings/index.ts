import { Failure } from '@parrain/domain/failure';
import { companyNameForm } from '@parrain/domain/forms/company-name';
import { companySecurityForm } from '@parrain/domain/forms/company-security';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { settingsSaved } from '@parrain/domain/messages';
import type { CompanySettingsRow } from '@parrain/domain/wire';

import { forgetOtherLogos, keepLogo, logoImage, publicObjectPath, storeLogo, uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { Answer, ProductFunction, UserCall } from '../call.ts';

/** F-03, F-04, F-05: the company's name, logo and rules, read by every signed-in user, changed by an admin. */
export default {
  get: { method: 'GET', callers: ['admin', 'commercial', 'client'], run: getSettings },
  upload_logo: { callers: ['admin'], run: uploadLogo },
  update_name: { callers: ['admin'], run: updateName },
  update_security: { callers: ['admin'], run: updateSecurity },
} satisfies ProductFunction;

type SettingsRow = CompanySettingsRow & { readonly require_admin_two_factor: boolean };

async function getSettings(call: UserCall): Promise<Answer> {
  const { rows } = await call.db.queryAs<SettingsRow>(
    call.identity,
    { text: 'select company_name, logo_url, require_admin_two_factor from public.company_settings' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0] });
}

/** V-07. */
async function updateName(call: UserCall): Promise<Answer> {
  const { companyName } = parsePayload(companyNameForm, call.body ?? {});
  const { rows } = await call.db.queryAs<CompanySettingsRow>(call.identity, {
    text: 'select company_name, logo_url from private.update_company_name($1)',
    values: [companyName],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** AU-17: whether every admin needs a second factor. Whoever asks it of the others has one themselves. */
async function updateSecurity(call: UserCall): Promise<Answer> {
  const { requireAdminTwoFactor } = parsePayload(companySecurityForm, call.body ?? {});
  const { rows } = await call.db.queryAs<SettingsRow>(call.identity, {
    text: 'select company_name, logo_url, require_admin_two_factor from private.require_admin_two_factor($1)',
    values: [requireAdminTwoFactor],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0] });
}

/** V-06, ST-01: the image is re-encoded and stored under a new name, and the old one deleted, in one transaction. */
async function uploadLogo(call: UserCall): Promise<Answer> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file } = await uploadedFile(call.request, 'file');
  const logo = await keepLogo(call.services, await logoImage(file));
  return call.db.transactionAs(call.identity, async (tx) => {
    const name = await storeLogo(tx, logo, call.userId);
    const { rows } = await tx.query<CompanySettingsRow>(
      'select company_name, logo_url from private.set_company_logo($1)',
      [publicObjectPath(name)],
    );
    await forgetOtherLogos(tx, name);
    return answer({ success: true, message: settingsSaved, logo_url: rows[0]?.logo_url, data: rows[0] });
  });
}
