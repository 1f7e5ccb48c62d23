import { saleStatusUndone, saleStatusUpdated } from '@parrain/domain/messages';
import { callFunction } from '../transport/call-function.ts';
import { readAgain } from '../transport/refresh.ts';
import type { Changes } from '../transport/use-edit.ts';

interface Moved {
  /** The server's sentence. */
  message: string;
  /** The version that the move made: it names the move that `undoSaleStatus` takes back. */
  version: number;
}

/** F-12: the commercial moves a referral; an emptied field takes back what was there. */
export async function updateSaleStatus({ saleId, changes }: { saleId: string; changes: Changes }): Promise<Moved> {
  const { message = saleStatusUpdated, data } = await callFunction<{ message?: string; data: { version: number } }>(
    'sales-management',
    { body: { action: 'update_status', sale_id: saleId, ...changes } },
  );
  await readAgain();
  return { message, version: data.version };
}

/** NV-09: the referral is as it was before that move; the journal keeps both. Gives the server's sentence. */
export async function undoSaleStatus(move: { saleId: string; version: number }): Promise<string> {
  const answer = await callFunction<{ message?: string }>('sales-management', {
    body: { action: 'undo_status', sale_id: move.saleId, seen_version: move.version },
  });
  return answer.message ?? saleStatusUndone;
}
