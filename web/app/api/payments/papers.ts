import type { PaperRules } from '@parrain/domain/forms/payee';
import { paperKindOf, type PaperKind } from '@parrain/domain/paper';
import type { PayeeDetails, PayeeStatus } from '@parrain/domain/payee';
import type { ReverseChargeObstacle } from '@parrain/domain/reverse-charge';
import type { Role } from '@parrain/domain/role';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { SpecimenName } from '@parrain/domain/specimen';
import { quarterFrom } from '@parrain/domain/statement';
import { queryOptions } from '@tanstack/react-query';
import { downloadExport } from '../company/export-list.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { das2Key } from './das2.ts';
import { regularKey } from './regular-count.ts';

const pageSize = 12;

/** A numbered paper of a payment (PP-02). */
export interface Paper {
  id: string;
  label: string;
  kind: PaperKind;
  payeeName: string;
  /** « 3e trimestre 2026 », of the statement of a quarter; null of a payment's paper. */
  quarter: string | null;
  /** A day, « 2026-11-23 ». */
  issuedOn: string;
  amount: Cents;
}

/** The papers of a payee, or of everybody for an admin and the accountant, the latest first. */
export function papersQuery(payeeId: string | null, page: PageMark) {
  return queryOptions({
    queryKey: ['payment_requests', 'papers', payeeId, page],
    queryFn: async (): Promise<Page<Paper>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          const papers = client
            .from('papers')
            .select(
              'id,label,series,quarter,issued_on,amount,payee:profiles(full_name),named:content->payee->>name',
              options,
            );
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
    placeholderData: previousPage,
    ...live,
  });
}

/** The file of a paper, of all papers of a period, or of an example. */
export function downloadPaper(
  wanted: { id: string } | { specimen: SpecimenName } | { period: string },
  signal: AbortSignal,
): Promise<File> {
  const file =
    'id' in wanted ? `${wanted.id}.pdf` : 'specimen' in wanted ? `${wanted.specimen}.pdf` : `${wanted.period}.zip`;
  return downloadExport(`papers/${file}`, { onProgress: () => undefined, signal });
}

function paperToDomain(row: PaperRow): Paper {
  return {
    id: row.id,
    label: row.label,
    kind: paperKindOf(row.series),
    payeeName: row.payee?.full_name ?? row.named ?? '',
    quarter: row.quarter === null ? null : quarterFrom(row.quarter).label,
    issuedOn: row.issued_on,
    amount: fromWire(row.amount),
  };
}

interface PaperRow {
  id: string;
  label: string;
  series: string;
  quarter: string | null;
  issued_on: string;
  amount: string;
  /** Null for an accountant, who reads the paper and not the person. */
  payee: { full_name: string } | null;
  named: string | null;
}

/** Rules that the company's papers are made by; null before it has ever set them (PP-01). */
export type PaperSettings = PaperRules;

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
        siret: data.siret,
        legalForm: data.legal_form,
        capital: data.capital === null ? null : fromWire(data.capital),
        registryCity: data.registry_city,
        vatNumber: data.vat_number,
        vatFranchise: data.vat_franchise,
        contestDays: data.contest_days,
      }
    );
  },
});

/** Saves the changed fields of these settings (DF-34). */
export async function updatePaperSettings(changes: Changes): Promise<void> {
  await callFunction('papers', { body: { action: 'update_company', ...changes } });
  await queryClient.invalidateQueries({ queryKey: paperSettingsQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: ['payee'] });
}

/** Details of a payee on papers, and whether a payment waits for them. */
export interface Payee {
  role: Role;
  isAsked: boolean;
  details: PayeeDetails | null;
  /** The last one that they accepted. */
  mandate: Mandate | null;
  /** The text that they may accept today; null where none is asked for. */
  offeredMandate: string | null;
  /** True of a business that writes invoices, abroad too, once papers are made (AC-04). */
  mayInvoice: boolean;
  /** Under which nobody else is paid; null before it is said. */
  companySiren: string | null;
  /** Why the company can pay no business abroad with reverse charge (AC-08); null where it can, or makes no papers. */
  reverseChargeObstacle: ReverseChargeObstacle | null;
  /** The number that the invoice of a business abroad names the company by; null of anybody else. */
  companyVatNumber: string | null;
}

/** A mandate of self-billing, word for word (PP-05). */
export interface Mandate {
  version: string;
  text: string;
  acceptedAt: string;
  revokedAt: string | null;
  /** False too where the payee or the company has another SIREN since. */
  isInForce: boolean;
}

export function payeeQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['payee', payeeId],
    queryFn: async (): Promise<Payee> => {
      const { data } = await callFunction<{ data: PayeeRow }>('papers', {
        body: { action: 'payee', payee_id: payeeId },
      });
      return {
        role: data.role,
        isAsked: data.is_asked,
        details: data.details && detailsToDomain(data.details),
        mandate: data.mandate && {
          version: data.mandate.version,
          text: data.mandate.text,
          acceptedAt: data.mandate.accepted_at,
          revokedAt: data.mandate.revoked_at,
          isInForce: data.mandate.is_in_force,
        },
        offeredMandate: data.mandate_offered,
        mayInvoice: data.may_invoice,
        companySiren: data.company_siren,
        reverseChargeObstacle: data.reverse_charge_obstacle,
        companyVatNumber: data.company_vat_number,
      };
    },
  });
}

/** Saves the changed fields of a payee's details (DF-34). */
export async function updatePayee(payeeId: string, changes: Changes): Promise<void> {
  await callFunction('papers', { body: { action: 'update_payee', payee_id: payeeId, ...changes } });
  for (const queryKey of [das2Key, regularKey, payeeQuery(payeeId).queryKey]) {
    await queryClient.invalidateQueries({ queryKey });
  }
}

/** Accepts the text that is on screen, for oneself. */
export async function acceptMandate(payeeId: string, text: string): Promise<void> {
  try {
    await callFunction('papers', { body: { action: 'accept_mandate', seen_text: text } });
  } finally {
    // A text that changed meanwhile is shown anew.
    await queryClient.invalidateQueries({ queryKey: payeeQuery(payeeId).queryKey });
  }
}

export async function revokeMandate(payeeId: string): Promise<void> {
  await callFunction('papers', { body: { action: 'revoke_mandate' } });
  await queryClient.invalidateQueries({ queryKey: payeeQuery(payeeId).queryKey });
}

/** DF-23: an admin accepts the VAT that is on screen. */
export async function acceptVat(payeeId: string, vatNumber: string): Promise<void> {
  try {
    await callFunction('papers', { body: { action: 'accept_vat', payee_id: payeeId, vat_number: vatNumber } });
  } finally {
    await queryClient.invalidateQueries({ queryKey: payeeQuery(payeeId).queryKey });
  }
}

function detailsToDomain(row: DetailsRow): PayeeDetails {
  const { street, postal_code: postalCode, city } = row;
  return {
    status: row.status,
    legalName: row.legal_name,
    firstName: row.first_name,
    lastName: row.last_name,
    address: street === null || postalCode === null || city === null ? null : { street, postalCode, city },
    country: row.country,
    numberAbroad: row.number_abroad,
    siren: row.siren,
    siret: row.siret,
    rna: row.rna,
    chargesVat: row.charges_vat,
    vatNumber: row.vat_number,
    legalForm: row.legal_form,
    capital: row.capital === null ? null : fromWire(row.capital),
    registryCity: row.registry_city,
    vatAcceptedAt: row.vat_accepted_at,
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
  vat_franchise: boolean;
  contest_days: number;
  siret: string | null;
  legal_form: string | null;
  capital: number | null;
  registry_city: string | null;
}

interface PayeeRow {
  role: Role;
  is_asked: boolean;
  details: DetailsRow | null;
  mandate: {
    version: string;
    text: string;
    accepted_at: string;
    revoked_at: string | null;
    is_in_force: boolean;
  } | null;
  mandate_offered: string | null;
  may_invoice: boolean;
  company_siren: string | null;
  reverse_charge_obstacle: ReverseChargeObstacle | null;
  company_vat_number: string | null;
}

interface DetailsRow {
  status: PayeeStatus;
  legal_name: string | null;
  first_name: string | null;
  last_name: string | null;
  street: string | null;
  postal_code: string | null;
  city: string | null;
  country: string;
  number_abroad: string | null;
  siren: string | null;
  siret: string | null;
  rna: string | null;
  charges_vat: boolean | null;
  vat_number: string | null;
  legal_form: string | null;
  capital: number | null;
  registry_city: string | null;
  vat_accepted_at: string | null;
}
