import { maskedIban } from '@parrain/domain/iban';
import type { PaymentDetails } from '@parrain/domain/payment-request';
import { paymentDetailsToWire } from '@parrain/domain/wire';
import { z } from 'zod';

import { ibanMark } from '#platform/iban-mark';
import type { Secrets } from '#platform/secrets';

const PURPOSE = 'payment-details';
const clearDetails = z.record(z.string(), z.string().nullable());

/** Payment details in the wire's words (D-09). */
type WireDetails = Readonly<Record<string, string | null>>;

/** Details as they are kept (V-18): what everyone who sees the request may read, the rest sealed, and what recognises the account (PO-04). */
export function toStored(
  secrets: Secrets,
  details: PaymentDetails,
): { readonly shown: WireDetails; readonly sealed: Buffer | null; readonly ibanMark: Buffer | null } {
  const clear = paymentDetailsToWire(details);
  if (details.method !== 'virement') return { shown: clear, sealed: null, ibanMark: null };
  const { iban, beneficiaryName, abroad } = details;
  return {
    shown: { iban: maskedIban(iban), beneficiary_name: beneficiaryName, ...(abroad && { bic: abroad.bic }) },
    sealed: secrets.seal(PURPOSE, JSON.stringify(clear)),
    ibanMark: ibanMark(secrets, details.iban),
  };
}

/** The details in clear, for their owner, or for an admin whose reading is recorded. */
export function inClear(secrets: Secrets, shown: WireDetails, sealed: Buffer | null): WireDetails {
  return sealed === null ? shown : openDetails(secrets, sealed);
}

/** Sealed details in clear. */
export function openDetails(secrets: Secrets, sealed: Buffer): WireDetails {
  return clearDetails.parse(JSON.parse(secrets.open(PURPOSE, sealed).toString()));
}
