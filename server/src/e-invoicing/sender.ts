import { defineLeasedSender, writtenDown } from '#platform/leased-sender';
import type { LeasedSender } from '#platform/leased-sender';
import type { Services } from '#platform/services';

import { PlatformTrouble } from './platform-client.ts';
import type { Deposit, PlatformClient } from './platform-client.ts';
import { platformInUse } from './settings.ts';

/** A kind of deposits: the SQL of its queue, and each of its rows as a deposit, whose tracking id is the row's own. */
export type Outgoing<Row> = {
  readonly task: string;
  readonly what: string;
  /** Finds a row where something is due, without taking it. */
  readonly due: string;
  readonly claim: string;
  /** Functions of an id and an attempt: says that it is sent now; writes down what came of it. */
  readonly begin: string;
  readonly settle: string;
  readonly deposit: (row: Row) => Deposit;
};

type Claim = {
  readonly attempts: number;
  readonly refused_flows: readonly string[];
};

type InvoiceClaim = Claim & { readonly paper_id: string; readonly label: string; readonly bytes: Buffer };

type Outcome = {
  readonly outcome: 'deposited' | 'refused' | 'later';
  readonly flowId?: string;
  readonly words?: string;
  readonly retryAfter?: number | null;
};

/** EI-01: self-billed invoices and their credit notes. */
export function defineEInvoiceSender(services: Services, timeoutMs: number): LeasedSender {
  return definePlatformSender<InvoiceClaim>(services, timeoutMs, {
    task: 'send_e_invoices',
    what: 'Electronic invoices',
    due: `select from private.e_invoices where state = 'waiting' and run_at <= now() and leased_until < now() limit 1`,
    claim: 'select * from private.claim_e_invoices()',
    begin: 'private.begin_e_invoice',
    settle: 'private.settle_e_invoice',
    deposit: ({ paper_id: trackingId, label, bytes }) => ({
      trackingId,
      name: `${label}.pdf`,
      bytes,
      syntax: 'Factur-X',
    }),
  });
}

/**
 * Deposits what waits. The platform is asked first whether it has it already: an answer may have been lost, a node may have died,
 * or the database been restored. So nothing is lost and nothing leaves twice.
 */
export function definePlatformSender<Row extends Claim>(
  services: Services,
  timeoutMs: number,
  outgoing: Outgoing<Row>,
): LeasedSender {
  const { db } = services;
  const { task } = outgoing;
  const platform = platformInUse(services, timeoutMs);

  async function claim(): Promise<readonly Row[]> {
    const { rows: due } = await db.queryAsService(task, { text: outgoing.due }, { readOnly: true });
    if (due.length === 0) return [];
    const { rows } = await db.queryAsService<Row>(task, { text: outgoing.claim });
    return rows;
  }

  async function sent(client: PlatformClient, claimed: Row, stopping: AbortSignal): Promise<Outcome | null> {
    const { attempts, refused_flows: refused } = claimed;
    const deposit = outgoing.deposit(claimed);
    const found = async (): Promise<Outcome | null> => {
      const flowId = await client.find(deposit, refused, stopping);
      return flowId === null ? null : { outcome: 'deposited', flowId };
    };
    const had = await found();
    if (had !== null) return had;
    const { rows } = await db.queryAsService<{ is_ours: boolean }>(task, {
      text: `select ${outgoing.begin}($1, $2) as is_ours`,
      values: [deposit.trackingId, attempts],
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

  async function deliver(claimed: Row, stopping: AbortSignal): Promise<number | null> {
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

  async function settle(claimed: Row, settled: Outcome): Promise<number | null> {
    const { outcome, flowId = null, words = null, retryAfter = null } = settled;
    const { rows } = await db.queryAsService<{ next_s: number | null }>(task, {
      text: `select ${outgoing.settle}($1, $2, $3, $4, $5, $6) as next_s`,
      values: [outgoing.deposit(claimed).trackingId, claimed.attempts, outcome, flowId, words, retryAfter],
    });
    return rows[0]?.next_s ?? null;
  }

  return defineLeasedSender(services, { task, what: outgoing.what, claim, deliver });
}
