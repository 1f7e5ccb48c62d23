import { defineLeasedSender, writtenDown } from '#platform/leased-sender';
import type { LeasedSender } from '#platform/leased-sender';
import type { Services } from '#platform/services';

import { PlatformTrouble } from './platform-client.ts';
import type { PlatformClient } from './platform-client.ts';
import { platformInUse } from './settings.ts';

const TASK = 'send_e_invoices';

type Claim = {
  readonly paper_id: string;
  readonly attempts: number;
  readonly label: string;
  readonly bytes: Buffer;
  readonly refused_flows: readonly string[];
};

type Outcome = {
  readonly outcome: 'deposited' | 'refused' | 'later';
  readonly flowId?: string;
  readonly words?: string;
  readonly retryAfter?: number | null;
};

/**
 * Deposits what waits. The platform is asked first whether it has the invoice already: an answer may have been lost, a node may have died,
 * or the database been restored. So none is lost and none leaves twice.
 */
export function defineEInvoiceSender(services: Services, timeoutMs: number): LeasedSender {
  const { db } = services;
  const platform = platformInUse(services, timeoutMs);

  async function claim(): Promise<readonly Claim[]> {
    const { rows: due } = await db.queryAsService(
      TASK,
      {
        text: `select from private.e_invoices where state = 'waiting' and run_at <= now() and leased_until < now() limit 1`,
      },
      { readOnly: true },
    );
    if (due.length === 0) return [];
    const { rows } = await db.queryAsService<Claim>(TASK, { text: 'select * from private.claim_e_invoices()' });
    return rows;
  }

  async function sent(client: PlatformClient, claimed: Claim, stopping: AbortSignal): Promise<Outcome | null> {
    const { paper_id: trackingId, attempts, label, bytes, refused_flows: refused } = claimed;
    const deposit = { trackingId, name: `${label}.pdf`, bytes };
    const found = async (): Promise<Outcome | null> => {
      const flowId = await client.find(deposit, refused, stopping);
      return flowId === null ? null : { outcome: 'deposited', flowId };
    };
    const had = await found();
    if (had !== null) return had;
    const { rows } = await db.queryAsService<{ is_ours: boolean }>(TASK, {
      text: 'select private.begin_e_invoice($1, $2) as is_ours',
      values: [trackingId, attempts],
    });
    if (rows[0]?.is_ours !== true) return null;
    try {
      return { outcome: 'deposited', flowId: await client.deposit(deposit, stopping) };
    } catch (error) {
      if (!(error instanceof PlatformTrouble) || !error.isFinal) throw error;
      // Some platforms refuse the second of two: then the first is there.
      const first = error.status === 409 ? await found() : null;
      return first ?? { outcome: 'refused', words: error.message };
    }
  }

  async function deliver(claimed: Claim, stopping: AbortSignal): Promise<number | null> {
    let outcome: Outcome | null;
    try {
      const inUse = await platform();
      outcome = inUse === null ? { outcome: 'later' } : await sent(inUse.client, claimed, stopping);
    } catch (error) {
      if (error instanceof PlatformTrouble) {
        outcome = { outcome: 'later', words: error.message, retryAfter: error.retryAfter };
      } else if (stopping.aborted) {
        // It may be on its way: whoever takes it over waits, and looks first.
        await settle(claimed, { outcome: 'later' });
        return null;
      } else throw error;
    }
    if (outcome === null) return null;
    const settled = outcome;
    return writtenDown(services, () => settle(claimed, settled), stopping);
  }

  async function settle({ paper_id: paperId, attempts }: Claim, settled: Outcome): Promise<number | null> {
    const { outcome, flowId = null, words = null, retryAfter = null } = settled;
    const { rows } = await db.queryAsService<{ next_s: number | null }>(TASK, {
      text: 'select private.settle_e_invoice($1, $2, $3, $4, $5, $6) as next_s',
      values: [paperId, attempts, outcome, flowId, words, retryAfter],
    });
    return rows[0]?.next_s ?? null;
  }

  return defineLeasedSender(services, { task: TASK, what: 'Electronic invoices', claim, deliver });
}
