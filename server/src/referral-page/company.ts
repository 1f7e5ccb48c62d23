import type { Company } from './page.ts';

export type CompanyRow = {
  readonly company_name: string;
  readonly logo_url: string | null;
  readonly brand_color: string | null;
  readonly presentation: string | null;
  readonly friend_gain: string | null;
  readonly answer_days: number | null;
  readonly picture_url: string | null;
  readonly contact_months: number;
  readonly rules_version: number | null;
};

/** Columns that a public page reads of the company, whose row the query names `c`. */
export const COMPANY_COLUMNS = `c.company_name, c.logo_url, c.brand_color, c.presentation, c.friend_gain, c.answer_days, c.picture_url,
  c.contact_months,
  (select max(version) from private.programme_rules) as rules_version`;

/** The company of its row of settings. */
export function companyOf({
  company_name: name,
  logo_url: logo,
  brand_color: color,
  presentation,
  friend_gain: gain,
  answer_days: answerDays,
  picture_url: picture,
  contact_months: contactMonths,
  rules_version: rulesVersion,
}: CompanyRow): Company {
  return { name, logo, color, presentation, gain, answerDays, picture, contactMonths, rulesVersion };
}
