import type { Services } from '#platform/services';

import { lifeCycleSteps } from './life-cycle.ts';
import { PAGE, PlatformTrouble, reasonsOf } from './platform-client.ts';
import type { Flow, PlatformClient } from './platform-client.ts';
import { platformInUse } from './settings.ts';

const TASK = 'read_e_invoice_statuses';
/** Deposits that one run asks about, and pages of statuses that it reads: others wait for the next. */
const BATCH = 200;
const PAGES_MAX = 50;
/** Statuses may become readable a little after their time. */
const REWIND_MS = 3_600_000;
const SEEN_MAX = 10_000;

/** Reads what platforms say of what was deposited: the acknowledgement of each invoice and answer, then the steps of invoices' lives. */
export function defineEInvoiceStatuses(services: Services, timeoutMs: number): { readonly stop: () => void } {
  const { db, jobs, log } = services;
  const platform = platformInUse(services, timeoutMs);
  const stopping = new AbortController();
  /** Statuses that this process has read: the beginning of each reading is the end of the one before. */
  const seen = new Set<string>();

  jobs.define(TASK, async () => {
    const inUse = await platform();
    if (inUse === null) return;
    try {
      await readAcknowledgements(inUse.client);
      await readAnswersTaken(inUse.client);
      await readLifeCycles(inUse.client, inUse.readUntil);
    } catch (error) {
      if (!(error instanceof PlatformTrouble)) throw error;
      log.warn({ err: error }, 'Statuses of electronic invoices are read later');
    }
  });
  jobs.schedule(TASK, '*/5 * * * *', { maxAttempts: 1 });

  async function readAcknowledgements(client: PlatformClient): Promise<void> {
    const { rows } = await db.queryAsService<{ paper_id: string; flow_id: string }>(TASK, {
      text: 'select * from private.e_invoices_to_check($1)',
      values: [BATCH],
    });
    for (const { paper_id: paperId, flow_id: flowId } of rows) {
      const said = await acknowledged(client, flowId);
      if (said !== null) await say(paperId, said.isTaken ? 'accepted' : 'refused', reasonsOf(said.flow), said.flow);
    }
  }

  /** EI-02: the same of our answers to invoices that came in, approved or refused. */
  async function readAnswersTaken(client: PlatformClient): Promise<void> {
    const { rows } = await db.queryAsService<{ id: string; flow_id: string }>(TASK, {
      text: 'select * from private.received_statuses_to_check($1)',
      values: [BATCH],
    });
    for (const { id, flow_id: flowId } of rows) {
      const said = await acknowledged(client, flowId);
      if (said === null) continue;
      const words = said.isTaken ? '' : reasonsOf(said.flow);
      await db.queryAsService(TASK, {
        text: 'select private.say_received_acknowledgement($1, $2, $3, $4)',
        values: [id, flowId, said.isTaken, words === '' ? null : words],
      });
    }
  }

  /** The platform's word on a deposit; null as long as there is none. */
  async function acknowledged(
    client: PlatformClient,
    flowId: string,
  ): Promise<{ readonly flow: Flow; readonly isTaken: boolean } | null> {
    const flow = await client.flow(flowId, stopping.signal).catch((error: unknown) => {
      // Another platform's, from before the company changed.
      if (error instanceof PlatformTrouble && error.status === 404) return null;
      throw error;
    });
    const status = flow?.acknowledgement?.status.toLowerCase();
    return flow === null || (status !== 'ok' && status !== 'error') ? null : { flow, isTaken: status === 'ok' };
  }

  async function readLifeCycles(client: PlatformClient, readUntil: Date): Promise<void> {
    let after = new Date(readUntil.getTime() - REWIND_MS).toISOString();
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const flows = await client.statusesAfter(after, stopping.signal);
      for (const flow of flows) {
        if (seen.has(flow.flowId) || flow.flowType?.endsWith('LC') !== true) continue;
        const xml = await client.message(flow.flowId, stopping.signal);
        for (const { invoice, code, words } of lifeCycleSteps(xml)) {
          const paperId = await paperOf(invoice);
          if (paperId !== null) await say(paperId, code, words, flow);
        }
        if (seen.size >= SEEN_MAX) seen.clear();
        seen.add(flow.flowId);
      }
      const last = flows
        .flatMap(({ updatedAt }) => updatedAt ?? [])
        .toSorted((a, b) => Date.parse(a) - Date.parse(b))
        .at(-1);
      if (last === undefined || Date.parse(last) <= Date.parse(after)) return;
      after = last;
      await db.queryAsService(TASK, {
        text: 'update private.e_invoicing set read_until = greatest(read_until, $1::timestamptz)',
        values: [last],
      });
      if (flows.length < PAGE) return;
    }
  }

  async function paperOf(label: string): Promise<string | null> {
    const [, series, year, number] = /^([FA]\d{9})-(\d{4})-(\d{4,9})$/u.exec(label) ?? [];
    if (series === undefined) return null;
    const { rows } = await db.queryAsService<{ id: string }>(TASK, {
      text: 'select p.id from public.papers p where p.series = $1 and p.year = $2::integer and p.number = $3::integer',
      values: [series, year, number],
    });
    return rows[0]?.id ?? null;
  }

  async function say(paperId: string, code: string, words: string, { flowId, updatedAt }: Flow): Promise<void> {
    const at = updatedAt && !Number.isNaN(Date.parse(updatedAt)) ? updatedAt : services.clock.now().toISOString();
    await db.queryAsService(TASK, {
      text: 'select private.say_e_invoice_status($1, $2, $3, $4, $5)',
      values: [paperId, code, words === '' ? null : words, at, flowId],
    });
  }

  return { stop: () => stopping.abort() };
}
