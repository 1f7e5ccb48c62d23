import { eInvoiceStatusText } from '@parrain/domain/e-invoice';
import { fromWire } from '@parrain/domain/money';
import { isCreditNote, matchReceived, receivedToDomain, receivedToWire } from '@parrain/domain/received-invoice';
import type { MatchFacts, ReceivedInvoiceRow, ReceivedReason } from '@parrain/domain/received-invoice';
import type { Invoiced } from '@parrain/domain/payee-invoice';

import { ibanMark } from '#platform/iban-mark';
import type { LeasedSender } from '#platform/leased-sender';
import type { Services } from '#platform/services';

import { lifeCycleMessage } from './life-cycle.ts';
import { PAGE, PlatformTrouble } from './platform-client.ts';
import type { PlatformClient } from './platform-client.ts';
import { readInvoice } from './read-invoice.ts';
import { definePlatformSender } from './sender.ts';
import { platformInUse } from './settings.ts';

const TASK = 'read_received_e_invoices';
/** Flows may become readable a little after their time. */
const REWIND_MS = 3_600_000;
/** Pages that one run reads, documents that it takes, invoices that it compares: others wait for the next. */
const PAGES_MAX = 50;
const DOCUMENTS_MAX = 400;
const MATCHES_MAX = 200;
/** Of a page whose flows all have one time, which no search can divide. */
const LARGEST_PAGE = 1600;
/** Troubles in a row after which the platform is left alone until the next run. */
const TROUBLES_MAX = 3;

type Claim = { readonly id: string; readonly attempts: number; readonly flow_id: string };

/** EI-02: brings in the invoices that payees send through their own platforms, and matches them to what is due. */
export function defineEInvoiceReceiver(services: Services, timeoutMs: number): { readonly stop: () => void } {
  const { db, jobs, log } = services;
  const platform = platformInUse(services, timeoutMs);
  const stopping = new AbortController();

  jobs.define(TASK, async () => {
    const inUse = await platform();
    if (inUse !== null) {
      try {
        await noteFlows(inUse.client, inUse.host, inUse.receivedUntil);
      } catch (error) {
        if (!(error instanceof PlatformTrouble)) throw error;
        log.warn({ err: error }, 'Invoices that came in are looked for later');
      }
      await readDocuments(inUse.client, inUse.host);
    }
    await matchAll();
  });
  jobs.schedule(TASK, '*/5 * * * *', { maxAttempts: 1 });

  /** Notes each flow once, whatever the platform says twice; only then is its time passed. */
  async function noteFlows(client: PlatformClient, host: string, receivedUntil: Date): Promise<void> {
    let after = receivedUntil.getTime() - REWIND_MS;
    let limit = PAGE;
    const seen = new Set<string>();
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const found = await client.receivedAfter(new Date(after).toISOString(), limit, stopping.signal);
      // What a platform does not filter is left out here.
      const flows = found.filter(
        ({ flowType, flowDirection, flowSyntax }) =>
          flowType === 'SupplierInvoice' && flowDirection?.toLowerCase() === 'in' && flowSyntax !== 'CDAR',
      );
      const fresh = flows.filter(({ flowId }) => !seen.has(flowId));
      for (const { flowId } of fresh) seen.add(flowId);
      const last = Math.max(...found.map(({ updatedAt }) => Date.parse(updatedAt ?? '')).filter(Number.isFinite));
      await db.queryAsService(TASK, {
        text: 'select private.note_received_invoices($1, $2, $3)',
        values: [host, fresh.map(({ flowId }) => flowId), new Date(Number.isFinite(last) ? last : after).toISOString()],
      });
      if (found.length === 0 || !Number.isFinite(last)) return;
      // Others may have the time of the last one: the next page begins with it once more.
      if (last - 1 > after) {
        after = last - 1;
        limit = PAGE;
      } else if (found.length < limit) return;
      else if (limit < LARGEST_PAGE) limit *= 4;
      else if (fresh.length === 0) return;
      else after = last;
    }
  }

  async function readDocuments(client: PlatformClient, host: string): Promise<void> {
    let troubles = 0;
    for (let read = 0; read < DOCUMENTS_MAX && troubles < TROUBLES_MAX;) {
      const { rows } = await db.queryAsService<Claim>(TASK, {
        text: 'select * from private.claim_received_invoices($1)',
        values: [host],
      });
      if (rows.length === 0) return;
      for (const claim of rows) {
        read += 1;
        troubles = (await readDocument(client, claim)) ? 0 : troubles + 1;
      }
    }
  }

  /** @returns false where the platform did not give it. */
  async function readDocument(client: PlatformClient, { id, attempts, flow_id: flowId }: Claim): Promise<boolean> {
    let bytes: Buffer | null;
    try {
      bytes = await client.document(flowId, stopping.signal);
    } catch (error) {
      if (!(error instanceof PlatformTrouble)) throw error;
      await db.queryAsService(TASK, {
        text: 'select private.retry_received_invoice($1, $2, $3, $4)',
        values: [id, attempts, error.message, error.retryAfter],
      });
      return false;
    }
    const read = bytes === null ? null : readInvoice(bytes);
    const reason: ReceivedReason | null = bytes === null ? 'too_large' : read === null ? 'unreadable' : null;
    await db.queryAsService(TASK, {
      text: 'select private.keep_received_invoice($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [
        id,
        attempts,
        fileName(read?.invoice.number ?? flowId, bytes),
        bytes,
        read === null ? null : JSON.stringify(receivedToWire(read.invoice)),
        read !== null && isCreditNote(read.invoice),
        (read?.ibans ?? []).map((iban) => ibanMark(services.secrets, iban)),
        reason,
      ],
    });
    return true;
  }

  /** Compares what waits with what is due now: a request may have been made since. */
  async function matchAll(): Promise<void> {
    const { rows } = await db.queryAsService<{ id: string; data: ReceivedInvoiceRow; facts: FactsRow }>(TASK, {
      text: 'select * from private.received_invoices_to_match($1)',
      values: [MATCHES_MAX],
    });
    for (const { id, data, facts } of rows) {
      const { payeeId, due, reason } = matchReceived(receivedToDomain(data), factsOf(facts));
      await db.queryAsService(TASK, {
        text: 'select private.match_received_invoice($1, $2, $3, $4, $5)',
        values: [id, payeeId, due?.of === 'request' ? due.id : null, reason, due?.of === 'month' ? due.id : null],
      });
    }
  }

  return { stop: () => stopping.abort() };
}

type DueRow = { readonly id: string; readonly amount: string };

type FactsRow = {
  readonly company_siren: string | null;
  readonly today: string;
  readonly sellers: readonly {
    readonly id: string;
    readonly siren: string | null;
    readonly vat_number: string | null;
    readonly has_iban: boolean;
    readonly is_offered: boolean;
    readonly charges_vat: boolean;
    readonly from: string | null;
    readonly is_number_taken: boolean;
    readonly of: Invoiced;
    readonly requests: readonly DueRow[];
    readonly months: readonly DueRow[];
  }[];
};

function factsOf({ company_siren: companySiren, today, sellers }: FactsRow): MatchFacts {
  return {
    companySiren,
    today,
    sellers: sellers.map((seller) => ({
      id: seller.id,
      siren: seller.siren,
      vatNumber: seller.vat_number,
      hasIban: seller.has_iban,
      isOffered: seller.is_offered,
      chargesVat: seller.charges_vat,
      from: seller.from,
      isNumberTaken: seller.is_number_taken,
      of: seller.of,
      dues: (seller.of === 'month' ? seller.months : seller.requests).map(({ id, amount }) => ({
        id,
        amount: fromWire(amount),
      })),
    })),
  };
}

/** « Facture FA-2026-7.pdf ». */
function fileName(number: string, bytes: Buffer | null): string {
  const isPdf = bytes?.subarray(0, 5).toString('latin1') === '%PDF-';
  const plain = number.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 100);
  return `Facture ${plain}.${isPdf ? 'pdf' : 'xml'}`;
}

type StatusClaim = {
  readonly id: string;
  readonly attempts: number;
  readonly code: string;
  readonly reason: string | null;
  readonly at: Date;
  readonly data: ReceivedInvoiceRow;
  readonly company_siren: string | null;
  readonly refused_flows: readonly string[];
};

/** Sends the company's word on the invoices that came in: approved (205) or refused (210), for the seller's platform. */
export function defineReceivedStatusSender(services: Services, timeoutMs: number): LeasedSender {
  return definePlatformSender<StatusClaim>(services, timeoutMs, {
    task: 'send_received_statuses',
    what: 'Statuses of invoices that came in',
    due: `select from private.received_invoice_statuses where state = 'waiting' and run_at <= now() and leased_until < now() limit 1`,
    claim: 'select * from private.claim_received_statuses()',
    begin: 'private.begin_received_status',
    settle: 'private.settle_received_status',
    deposit: ({ id, code, reason, at, data, company_siren: buyerSiren }) => ({
      trackingId: id,
      name: `${id}.xml`,
      syntax: 'CDAR',
      bytes: lifeCycleMessage({
        id,
        code,
        words: eInvoiceStatusText(code),
        reason,
        at,
        buyerSiren: buyerSiren ?? data.buyerSiren ?? '',
        sellerSiren: data.sellerSiren,
        invoice: { number: data.number ?? '', day: data.day, type: data.type ?? '380' },
      }),
    }),
  });
}
