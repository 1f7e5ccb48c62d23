import type { SimulationTotals } from '@parrain/domain/forms/scale-version';
import { termsOf, type ScaleVersion, type VersionRules } from '@parrain/domain/scale-version';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { totalsOf } from './simulate-scale.ts';

/** SC-01: all versions of a scale, the newest first, those withdrawn among them. */
export function scaleVersionsQuery(scaleId: string) {
  return queryOptions({
    queryKey: ['commission-rates', 'versions', scaleId],
    queryFn: () => readVersions(scaleId),
    ...live,
  });
}

async function readVersions(scaleId: string): Promise<readonly ScaleVersion[]> {
  const client = await supabase();
  const rows = rowsOf(
    await client
      .from('scale_versions')
      .select(
        'id,number,name,description,first_day,rules,published_at,withdrawn_at,simulation,publisher:profiles(full_name)',
      )
      .eq('rate_id', scaleId)
      .order('number', { ascending: false })
      .overrideTypes<Row[], { merge: false }>(),
  );
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    name: row.name,
    description: row.description,
    firstDay: row.first_day,
    publishedAt: row.published_at,
    publishedBy: row.publisher?.full_name ?? null,
    withdrawnAt: row.withdrawn_at,
    simulated: row.simulation && totalsOf(row.simulation),
    ...termsOf(row.rules),
  }));
}

interface Row {
  id: string;
  number: number;
  name: string;
  description: string | null;
  first_day: string;
  rules: VersionRules;
  published_at: string;
  withdrawn_at: string | null;
  simulation: SimulationTotals | null;
  publisher: { full_name: string } | null;
}
