import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { scaleColumns, scalesOf, type Scale } from './commission-rates.ts';

/** A scale, with the one whose place it took and the one that took its place, where there are (S-12). */
export interface ScaleDetail {
  scale: Scale;
  before: OtherScale | null;
  after: OtherScale | null;
}

export interface OtherScale {
  id: string;
  name: string;
}

/** NV-02: one scale with everything about it, for its side panel. */
export function scaleQuery(id: string) {
  return queryOptions({ queryKey: ['commission-rates', 'one', id], queryFn: () => readScale(id), ...live });
}

async function readScale(id: string): Promise<ScaleDetail> {
  const client = await supabase();
  const row = rowsOf(
    await client
      .from('commission_rates')
      .select(`${scaleColumns},replaces_id`)
      .eq('id', id)
      .single<{ replaces_id: string | null }>(),
  );
  const others = rowsOf(
    await client
      .from('commission_rates')
      .select('id,name')
      .or(row.replaces_id === null ? `replaces_id.eq.${id}` : `replaces_id.eq.${id},id.eq.${row.replaces_id}`)
      .overrideTypes<OtherScale[], { merge: false }>(),
  );
  const [scale] = await scalesOf([row]);
  if (scale === undefined) throw new Error('A row is a scale');
  return {
    scale,
    before: others.find((other) => other.id === row.replaces_id) ?? null,
    after: others.find((other) => other.id !== row.replaces_id) ?? null,
  };
}
