import { fromWire, type Cents } from '@parrain/domain/money';
import type { NewClientsGiven } from '@parrain/domain/new-clients';
import { requestRulesDefault, type RequestRules } from '@parrain/domain/request-rules';
import { requestRulesToDomain, type RequestRulesRow } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

export interface CompanySettings {
  companyName: string;
  logoUrl: string | null;
  /** « #0b5a40 », of the company's mails; null is the product's own. */
  brandColor: string | null;
  /** CS-03: only friends who agreed are called. */
  requireCallConsent: boolean;
  /** CS-02: for how many months the first referral of a person counts; null is never. */
  firstReferralMonths: number | null;
  /** CS-04: for how many months a contact without contract is kept. */
  contactMonths: number;
  /** CS-05: the version of the rules that this client has still to accept; null for everybody else. */
  rulesToAccept: number | null;
  /** AU-17: every admin needs a second step. */
  requireAdminTwoFactor: boolean;
  /** TM-05: days before a referral that nobody contacted is late, then days until the admins are told; null is never. */
  followUpDays: number | null;
  followUpAdminDays: number | null;
  /** UI-03: within how many working days a friend is promised an answer; null promises nothing. */
  answerDays: number | null;
  /** DF-06: to whom the clients who register alone go, and the one commercial where it is always the same. */
  newClients: NewClientsGiven;
  newClientsTo: string | null;
  /** PO-06: what is accepted of payment requests. */
  requestRules: RequestRules;
  /** PO-01: above how much a second admin releases a batch; null is never. */
  releaseAbove: Cents | null;
}

/** The name shown until one is set (H-01). */
export const defaultCompanyName = 'Mon Entreprise';

/** F-03: the company's name and logo, for the header and the settings dialog. Invalidate `companySettings.queryKey` after a change. */
export const companySettings = queryOptions({
  queryKey: ['company-settings'],
  staleTime: 5 * 60_000,
  queryFn: async (): Promise<CompanySettings> => {
    const { data } = await callFunction<{ data: Row | null }>('company-settings', {
      method: 'GET',
      query: { action: 'get' },
    });
    const releaseAbove = data?.release_above ?? null;
    return {
      companyName: data?.company_name?.trim() || defaultCompanyName,
      logoUrl: data?.logo_url ?? null,
      brandColor: data?.brand_color ?? null,
      requireCallConsent: data?.require_call_consent === true,
      firstReferralMonths: data?.first_referral_months ?? null,
      contactMonths: data?.contact_months ?? 36,
      rulesToAccept: data?.rules_to_accept ?? null,
      requireAdminTwoFactor: data?.require_admin_two_factor === true,
      followUpDays: data?.follow_up_days ?? null,
      followUpAdminDays: data?.follow_up_admin_days ?? null,
      answerDays: data?.answer_days ?? null,
      newClients: data?.new_clients ?? 'by_hand',
      newClientsTo: data?.new_clients_to ?? null,
      releaseAbove: releaseAbove === null ? null : fromWire(releaseAbove),
      // An accountant is told of the company's name and look alone.
      requestRules: data?.smallest_request === undefined ? requestRulesDefault : requestRulesToDomain(data),
    };
  },
});

interface Row extends RequestRulesRow {
  release_above: number | string | null;
  company_name: string | null;
  logo_url: string | null;
  brand_color?: string | null;
  require_call_consent?: boolean;
  first_referral_months?: number | null;
  contact_months?: number;
  rules_to_accept?: number | null;
  require_admin_two_factor?: boolean;
  follow_up_days?: number | null;
  follow_up_admin_days?: number | null;
  answer_days?: number | null;
  new_clients?: NewClientsGiven;
  new_clients_to?: string | null;
}
