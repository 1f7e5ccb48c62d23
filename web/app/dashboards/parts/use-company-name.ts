import { useQuery } from '@tanstack/react-query';
import { companySettings, defaultCompanyName } from '#api/company/company-settings';

/** The company's name; undefined until it is known, so that no other one is shown first. The default one where it cannot be read. */
export function useCompanyName(): string | undefined {
  const { data, isError } = useQuery(companySettings);
  return data?.companyName ?? (isError ? defaultCompanyName : undefined);
}
