import type { EInvoiceState } from '@parrain/domain/e-invoice';
import type { EInvoicingFacts } from '@parrain/domain/e-invoicing-notice';
import { queryOptions } from '@tanstack/react-query';
import { downloadExport } from '../company/export-list.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import { previousPage } from '../transport/read-page.ts';

const settingsKey = ['e-invoicing'] as const;
const invoicesKey = ['payment_requests', 'e-invoices'] as const;

/** A plateforme agréée as the company relied on it, without its secret (EI-01). */
export interface EInvoicingPlatform {
  flowUrl: string;
  directoryUrl: string;
  tokenUrl: string;
  clientId: string;
  triedAt: string;
}

export interface EInvoicing extends EInvoicingFacts {
  platform: EInvoicingPlatform | null;
  /** Invoices and credit notes that nothing was done of yet. */
  never: number;
  waiting: number;
  refused: number;
  /** Why invoices wait, in the words of the last try. */
  trouble: string | null;
}

/** The platform and what there is to send, for admins. */
export const eInvoicingQuery = queryOptions({
  queryKey: settingsKey,
  queryFn: async (): Promise<EInvoicing> => {
    const { data } = await callFunction<{ data: SettingsRow }>('e-invoicing', {
      method: 'GET',
      query: { action: 'read' },
    });
    const { platform } = data;
    return {
      platform: platform && {
        flowUrl: platform.flow_url,
        directoryUrl: platform.directory_url,
        tokenUrl: platform.token_url,
        clientId: platform.client_id,
        triedAt: platform.tried_at,
      },
      isLinked: platform !== null,
      isOn: platform?.is_on ?? false,
      siren: data.siren,
      issuesPapers: data.issues_papers,
      mandates: data.mandates,
      invoices: data.invoices,
      unsent: data.unsent,
      never: data.never,
      waiting: data.waiting,
      refused: data.refused,
      trouble: data.trouble,
    };
  },
  ...live,
});

/** Form of a platform: its addresses, and the company's access to it. */
export type PlatformForm = Record<'flow_url' | 'directory_url' | 'token_url' | 'client_id', string> & {
  client_secret: string | null;
};

export async function connectPlatform(form: PlatformForm): Promise<void> {
  await callFunction('e-invoicing', { body: { action: 'connect', ...form } });
  await queryClient.invalidateQueries({ queryKey: settingsKey });
}

export async function tryPlatform(): Promise<void> {
  await callFunction('e-invoicing', { body: { action: 'try' } });
}

export async function switchPlatform(isOn: boolean): Promise<void> {
  await callFunction('e-invoicing', { body: { action: 'switch', is_on: isOn } });
  await queryClient.invalidateQueries({ queryKey: settingsKey });
}

/** An invoice or a credit note on its way out, with its last step. */
export interface EInvoice {
  paperId: string;
  state: EInvoiceState;
  /** The last step of its life that the platform told: « 205 ». */
  code: string | null;
  words: string | null;
  depositedAt: string | null;
  exportedAt: string | null;
  /** A day, « 2026-11-23 ». */
  elsewhereOn: string | null;
  nextAt: string | null;
}

/** The states of these papers, by their ids; of invoices and credit notes alone. */
export function eInvoicesQuery(paperIds: readonly string[]) {
  return queryOptions({
    queryKey: [...invoicesKey, paperIds],
    queryFn: async (): Promise<ReadonlyMap<string, EInvoice>> => {
      const { data } = await callFunction<{ data: InvoiceRow[] }>('e-invoicing', {
        body: { action: 'states', paper_ids: paperIds },
      });
      return new Map(
        data.map((row) => [
          row.paper_id,
          {
            paperId: row.paper_id,
            state: row.state,
            code: row.code,
            words: row.words,
            depositedAt: row.deposited_at,
            exportedAt: row.exported_at,
            elsewhereOn: row.elsewhere_on,
            nextAt: row.next_at,
          },
        ]),
      );
    },
    enabled: paperIds.length > 0,
    placeholderData: previousPage,
    ...live,
  });
}

export interface EInvoiceStep {
  code: string;
  words: string | null;
  at: string;
}

export function eInvoiceHistoryQuery(paperId: string) {
  return queryOptions({
    queryKey: [...invoicesKey, 'history', paperId],
    queryFn: async (): Promise<EInvoiceStep[]> => {
      const { data } = await callFunction<{ data: EInvoiceStep[] }>('e-invoicing', {
        body: { action: 'history', paper_id: paperId },
      });
      return data;
    },
  });
}

/** True once the company has made a self-billed invoice, a test one too. */
export const hasInvoicesQuery = queryOptions({
  queryKey: [...invoicesKey, 'some'],
  queryFn: async (): Promise<boolean> => {
    const client = await supabase();
    const { data } = await client
      .from('papers')
      .select('id')
      // Ranges: below a row's rights « like » reads no index.
      .or('and(series.gte.F,series.lt.G),and(series.gte.TF,series.lt.TG)')
      .limit(1)
      .throwOnError();
    return data.length > 0;
  },
});

/** Has an invoice sent, for the first time or once more. */
export async function depositEInvoice(paperId: string): Promise<void> {
  await change({ action: 'deposit', paper_ids: [paperId] });
}

/** Has everything sent that nothing was done of yet. */
export async function depositAllEInvoices(): Promise<void> {
  await change({ action: 'deposit_all' });
}

/** Says that an invoice was sent otherwise on this day. */
export async function markEInvoice(paperId: string, day: string): Promise<void> {
  await change({ action: 'mark', paper_ids: [paperId], day });
}

/** Invoices of a period that are still to be sent by hand, as one archive; they are then exported. */
export async function downloadEInvoices(period: string, signal: AbortSignal): Promise<File> {
  const file = await downloadExport(`e-invoices/${period}.zip`, { onProgress: () => undefined, signal });
  await readAgain();
  return file;
}

async function change(body: Readonly<Record<string, unknown>>): Promise<void> {
  await callFunction('e-invoicing', { body });
  await readAgain();
}

async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: invoicesKey });
  await queryClient.invalidateQueries({ queryKey: settingsKey });
}

interface SettingsRow {
  platform: {
    flow_url: string;
    directory_url: string;
    token_url: string;
    client_id: string;
    tried_at: string;
    is_on: boolean;
  } | null;
  siren: string | null;
  issues_papers: boolean;
  mandates: number;
  invoices: number;
  unsent: number;
  never: number;
  waiting: number;
  refused: number;
  trouble: string | null;
}

interface InvoiceRow {
  paper_id: string;
  state: EInvoiceState;
  code: string | null;
  words: string | null;
  deposited_at: string | null;
  exported_at: string | null;
  elsewhere_on: string | null;
  next_at: string | null;
}
