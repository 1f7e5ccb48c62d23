import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

export interface CompanySettings {
  companyName: string;
  logoUrl: string | null;
  /** AU-17: every admin needs a second step. */
  requireAdminTwoFactor: boolean;
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
    return {
      companyName: data?.company_name?.trim() || defaultCompanyName,
      logoUrl: data?.logo_url ?? null,
      requireAdminTwoFactor: data?.require_admin_two_factor === true,
    };
  },
});

interface Row {
  company_name: string | null;
  logo_url: string | null;
  require_admin_two_factor?: boolean;
}
