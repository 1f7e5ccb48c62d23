import type { Company } from './page.ts';

export type CompanyRow = {
  readonly company_name: string;
  readonly logo_url: string | null;
  readonly brand_color: string | null;
  readonly presentation: string | null;
};

/** The company of its row of settings. */
export function companyOf({
  company_name: name,
  logo_url: logo,
  brand_color: color,
  presentation,
}: CompanyRow): Company {
  return { name, logo, color, presentation };
}
