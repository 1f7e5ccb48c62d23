import type { CompanyAccount } from '@parrain/domain/forms/company-payments';

import type { Secrets } from '#platform/secrets';

const PURPOSE = 'company-account';

/** The account the company pays from, as it is kept (PO-04). */
export function sealAccount(secrets: Secrets, account: CompanyAccount): Buffer {
  return secrets.seal(PURPOSE, JSON.stringify(account));
}
