import {
  formatCommissionSide,
  type CommissionPaymentType,
  type CommissionRate,
  type CommissionScale,
  type CommissionSide,
} from '@parrain/domain/commission';
import { dayOf } from '@parrain/domain/date';
import type { ExtraRulesJson, RuledScale } from '@parrain/domain/scale-rules';
import { commissionRateRow, commissionRateToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { firstPage, readPage, type Page, type PageMark } from '../transport/read-page.ts';

/** A scale with the rules of the version that is in force, and the last day that it has (SC-02). */
export interface Scale extends CommissionRate {
  scale: RuledScale;
  /** Each side in a few characters: « 3 % à 5 % ». */
  short: Readonly<Record<CommissionPaymentType, string>>;
  lastDay: string | null;
}

/** Columns that `scaleOf` reads. */
export const scaleColumns =
  'id,name,description,client_commission_type,client_commission_amount,commercial_commission_type,' +
  'commercial_commission_amount,client_hold_days,from_contract_amount,created_at,is_default,archived_at,' +
  'client_rules,commercial_rules,last_day';

const pageSize = 24;
/** More scales than anyone chooses among. */
const choicesMax = 50;

/** RE-11, AD-08: the scales in force, the default one first; or the archived ones (S-12). */
export function commissionRatesQuery({ archived, page }: { archived: boolean; page: PageMark }) {
  return queryOptions({
    queryKey: ['commission-rates', archived, page],
    queryFn: () => readCommissionRates(archived, page, pageSize),
    // From page to page the list stays, and the focus with it; the archived scales are another list.
    placeholderData: (before: Page<Scale> | undefined, query) => (query?.queryKey[1] === archived ? before : undefined),
    ...live,
  });
}

/** The scales a sale may be validated with, the default one first (AD-12): none whose last day is over (SC-02). */
export const liveCommissionRatesQuery = queryOptions({
  queryKey: ['commission-rates', 'live'],
  queryFn: async () => {
    const page = await readCommissionRates(false, firstPage, choicesMax);
    return { ...page, rows: page.rows.filter((scale) => !isOver(scale, dayOf(new Date()))) };
  },
  ...live,
});

async function readCommissionRates(archived: boolean, mark: PageMark, size: number): Promise<Page<Scale>> {
  const client = await supabase();
  const page = await readPage(
    (options) => {
      const query = client.from('commission_rates').select(scaleColumns, options);
      return archived ? query.not('archived_at', 'is', null) : query.is('archived_at', null);
    },
    {
      mark,
      pageSize: size,
      order: [{ column: 'is_default', desc: true }, { column: 'created_at', desc: true }, { column: 'id' }],
    },
    (row) => row,
  );
  return { ...page, rows: await scalesOf(page.rows) };
}

/** The scales of some rows. */
export async function scalesOf(rows: readonly unknown[]): Promise<Scale[]> {
  return Promise.all(
    rows.map(async (row) => {
      const rate = commissionRateToDomain(commissionRateRow.parse(row));
      const more = row as RulesRow & { last_day: string | null };
      return { ...rate, ...(await withRules(rate.scale, more)), lastDay: more.last_day };
    }),
  );
}

/** A scale with the rules of its row. The code of rules beyond a rate or an amount comes where there are some. */
export async function withRules(scale: CommissionScale, row: RulesRow): Promise<Pick<Scale, 'scale' | 'short'>> {
  const isRich = row.client_rules !== null || row.commercial_rules !== null;
  const rules = isRich ? await import('@parrain/domain/scale-rules') : undefined;
  const short = rules?.sideShort ?? formatCommissionSide;
  const ruled = (side: CommissionSide, json: ExtraRulesJson | null) => {
    const extra = json === null ? undefined : rules?.extraRulesOf(json);
    return extra === undefined ? side : { ...side, extra };
  };
  const client = ruled(scale.client, row.client_rules);
  const commercial = ruled(scale.commercial, row.commercial_rules);
  return { scale: { client, commercial }, short: { client: short(client), commercial: short(commercial) } };
}

/** True on a day in France after the last one of a scale (SC-02). */
export function isOver({ lastDay }: Pick<Scale, 'lastDay'>, day: string): boolean {
  return lastDay !== null && lastDay < day;
}

/** Columns of a scale with the rules of its sides, null of a side that is a rate or an amount. */
export interface RulesRow {
  client_rules: ExtraRulesJson | null;
  commercial_rules: ExtraRulesJson | null;
}
