import type { CompanyAccount } from '@parrain/domain/forms/company-payments';
import { z } from 'zod';

import type { Secrets } from '#platform/secrets';

const PURPOSE = 'company-account';

/** The account the company pays from, as it is kept (PO-04). */
export function sealAccount(secrets: Secrets, account: CompanyAccount): Buffer {
  return secrets.seal(PURPOSE, JSON.stringify(account));
}

const accountSchema = z.object({ holder: z.string(), iban: z.string(), bic: z.nullable(z.string()) });

/** The account in clear, for the maker of a bank file. */
export function openAccount(secrets: Secrets, sealed: Buffer): CompanyAccount {
  return accountSchema.parse(JSON.parse(secrets.open(PURPOSE, sealed).toString()));
}
