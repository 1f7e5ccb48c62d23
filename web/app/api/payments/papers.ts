import type { CompanyIdentity, PayeeDetails, PayeeStatus } from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import { fromWire, type Cents } from '@parrain/domain/money';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { downloadExport } from '../company/export-list.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';

const pageSize = 12;

/** A numbered paper of a payment: a receipt, or what takes one back (PP-02). */
export interface Paper {
  id: string;
  label: string;
  isReceipt: boolean;
  payeeName: string;
  /** A day, « 2026-11-23 ». */
  issuedOn: string;
  amount: Cents;
}

/** The papers of a payee, or of everybody for an admin, the latest first. */
export function papersQuery(payeeId: string | null, page: PageMark) {
  return queryOptions({
    queryKey: ['payment_requests', 'papers', payeeId, page],
    queryFn: async (): Promise<Page<Paper>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          const papers = client
            .from('papers')
            .select('id,label,series,issued_on,amount,payee:profiles(full_name)', options);
          return payeeId === null ? papers : papers.eq('payee_id', payeeId);
        },
        {
          mark: page,
          pageSize,
          order: [
            { column: 'issued_on', desc: true },
            { column: 'id', desc: true },
          ],
        },
        (row) => paperToDomain(row as PaperRow),
      );
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** The file of a paper, or of all papers of a period. */
export function downloadPaper(wanted: { id: string } | { period: string }, signal: AbortSignal): Promise<File> {
  const file = 'id' in wanted ? `${wanted.id}.pdf` : `${wanted.period}.zip`;
  return downloadExport(`papers/${file}`, { onProgress: () => undefined, signal });
}

function paperToDomain(row: PaperRow): Paper {
  return {
    id: row.id,
    label: row.label,
    isReceipt: row.series === 'R' || row.series === 'TR',
    payeeName: row.payee?.full_name ?? '',
    issuedOn: row.issued_on,
    amount: fromWire(row.amount),
  };
}

interface PaperRow {
  id: string;
  label: string;
  series: 'R' | 'AR' | 'TR' | 'TAR';
  issued_on: string;
  amount: string;
  payee: { full_name: string } | null;
}

/** The company as papers name it, and whether it has them made; null before it has ever said so (PP-01). */
export type PaperSettings = CompanyIdentity & { issuesPapers: boolean };

export const paperSettingsQuery = queryOptions({
  queryKey: ['paper-settings'],
  queryFn: async (): Promise<PaperSettings | null> => {
    const { data } = await callFunction<{ data: SettingsRow | null }>('papers', {
      method: 'GET',
      query: { action: 'company' },
    });
    return (
      data && {
        issuesPapers: data.issues_papers,
        legalName: data.legal_name,
        address: { street: data.street, postalCode: data.postal_code, city: data.city },
        siren: data.siren,
        vatNumber: data.vat_number,
      }
    );
  },
});

export async function updatePaperSettings({ address, ...settings }: PaperSettings): Promise<void> {
  await callFunction('papers', {
    body: {
      action: 'update_company',
      issues_papers: settings.issuesPapers,
      legal_name: settings.legalName,
      ...addressToWire(address),
      siren: settings.siren,
      vat_number: settings.vatNumber,
    },
  });
  await queryClient.invalidateQueries({ queryKey: paperSettingsQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: ['payee'] });
}

/** What papers say of a payee, and whether a payment waits for it. */
export interface Payee {
  role: Role;
  isAsked: boolean;
  details: PayeeDetails | null;
}

export function payeeQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['payee', payeeId],
    queryFn: async (): Promise<Payee> => {
      const { data } = await callFunction<{ data: PayeeRow }>('papers', {
        body: { action: 'payee', payee_id: payeeId },
      });
      return { role: data.role, isAsked: data.is_asked, details: data.details && detailsToDomain(data.details) };
    },
  });
}

export async function updatePayee(payeeId: string, details: PayeeDetails): Promise<void> {
  await callFunction('papers', {
    body: {
      action: 'update_payee',
      payee_id: payeeId,
      status: details.status,
      legal_name: details.legalName,
      ...(details.address && addressToWire(details.address)),
      siren: details.siren,
      rna: details.rna,
      charges_vat: details.chargesVat,
      vat_number: details.vatNumber,
    },
  });
  await queryClient.invalidateQueries({ queryKey: payeeQuery(payeeId).queryKey });
}

function addressToWire({ street, postalCode, city }: CompanyIdentity['address']) {
  return { street, postal_code: postalCode, city };
}

function detailsToDomain(row: DetailsRow): PayeeDetails {
  const { street, postal_code: postalCode, city } = row;
  return {
    status: row.status,
    legalName: row.legal_name,
    address: street === null || postalCode === null || city === null ? null : { street, postalCode, city },
    siren: row.siren,
    rna: row.rna,
    chargesVat: row.charges_vat,
    vatNumber: row.vat_number,
  };
}

interface SettingsRow {
  issues_papers: boolean;
  legal_name: string;
  street: string;
  postal_code: string;
  city: string;
  siren: string;
  vat_number: string | null;
}

interface PayeeRow {
  role: Role;
  is_asked: boolean;
  details: DetailsRow | null;
}

interface DetailsRow {
  status: PayeeStatus;
  legal_name: string | null;
  street: string | null;
  postal_code: string | null;
  city: string | null;
  siren: string | null;
  rna: string | null;
  charges_vat: boolean | null;
  vat_number: string | null;
}
