import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** Reference of a referral in another tool (WH-03). */
export interface ExternalReference {
  source: string;
  reference: string;
}

/** The references of a sale, by their tools. */
export function externalReferencesQuery(saleId: string) {
  return queryOptions({
    queryKey: ['sales', 'external-references', saleId],
    queryFn: async (): Promise<readonly ExternalReference[]> => {
      const client = await supabase();
      return rowsOf(
        await client
          .from('external_references')
          .select('source,reference')
          .eq('sale_id', saleId)
          .order('source')
          .overrideTypes<ExternalReference[], { merge: false }>(),
      );
    },
  });
}

const foundMax = 25;

/** The sales that a tool calls exactly so: a reference is pasted, not remembered. */
export async function salesOfReference(text: string): Promise<readonly string[]> {
  if (text.trim() === '') return [];
  const client = await supabase();
  const rows = rowsOf(
    await client
      .from('external_references')
      .select('sale_id')
      .eq('reference', text.trim())
      .limit(foundMax)
      .overrideTypes<{ sale_id: string }[], { merge: false }>(),
  );
  return rows.map((row) => row.sale_id);
}
