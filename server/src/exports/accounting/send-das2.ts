import { countryName } from '@parrain/domain/country';
import {
  das2Missing,
  das2Profession,
  das2Reason,
  das2RepaidLeft,
  das2State,
  das2StateLabels,
  das2Threshold,
  das2ToCheck,
} from '@parrain/domain/das2';
import type { Das2Identity, Das2Sums } from '@parrain/domain/das2';
import { fromWire, toWire } from '@parrain/domain/money';
import { france, payeeStatusLabel } from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity, Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { csvFile } from '../csv.ts';
import type { ListColumn } from '../lists.ts';
import { openList } from '../read-list.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';

/** For the bar of progress. */
const LINE_BYTES = 200;

/** Everybody who was paid in a year, for the accountant's DAS2: who is declared, and who is not and why (PP-04). */
export async function sendDas2(
  services: Services,
  asked: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly identity: Identity;
    readonly year: number;
  },
): Promise<void> {
  const { request, reply, identity, year } = asked;
  await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      const { name, rowCount, parts } = await openDas2(tx, year);
      await recordExport(request, identity, ['das2', 'csv', rowCount, String(year)]);
      await sendFile(reply, {
        name,
        type: 'text/csv; charset=utf-8',
        length: rowCount * LINE_BYTES,
        parts: parts(),
      }).catch((error: unknown) => request.log.warn({ err: error }, 'An export was cut'));
    },
    { readOnly: true, isSnapshot: true },
  );
}

/** Opens the declaration of a year inside a snapshot, as CSV; for the admin. */
export async function openDas2(tx: Transaction, year: number) {
  const columns = columnsOf(year);
  const { rowCount, batches } = await openList(
    tx,
    { relation: 'payment_requests', columns },
    {
      from: 'private.das2_payees($1::integer, null) t0',
      where: '',
      order: ' order by t0.is_employee, t0.counted desc, t0.id',
      values: [year],
    },
  );
  return { name: `DAS2 ${year}.csv`, rowCount, parts: () => csvFile(columns, batches()) };
}

const text = (label: string, sql: string): ListColumn => ({ label, kind: 'text', sql });
// A sum of nothing is « 0,00 » too.
const amount = (label: string, sql: string): ListColumn => ({ label, kind: 'amount', sql: `round(${sql}, 2)` });

function columnsOf(year: number): readonly ListColumn[] {
  /** Words made of the row. */
  const derivedText = (label: string, words: (row: Das2Row) => string | null): ListColumn => ({
    ...text(label, 'to_jsonb(t0)::text'),
    words: (value) => words(rowFrom(value)) ?? '',
  });
  return [
    derivedText('État', (sums) => das2StateLabels[das2State(year, sums)]),
    derivedText('Motif d’exclusion', (sums) => das2Reason(year, sums)),
    derivedText('Il manque', (row) => das2Missing(das2State(year, row), row)),
    text('Bénéficiaire', 't0.full_name'),
    text('Nom', 't0.last_name'),
    text('Prénom', 't0.first_name'),
    text('Raison sociale', `case when t0.status in ('societe', 'association') then t0.legal_name end`),
    derivedText('Profession', ({ status, role }) => das2Profession(status, role)),
    text('Nom légal', 't0.legal_name'),
    derivedText('Statut', ({ status, country }) =>
      status === null ? null : payeeStatusLabel(status, country ?? france),
    ),
    text('SIREN', 't0.siren'),
    text('SIRET', 't0.siret'),
    text('RNA', 't0.rna'),
    text('Adresse', 't0.street'),
    text('Code postal', 't0.postal_code'),
    text('Ville', 't0.city'),
    derivedText('Pays', ({ country }) => (country === null ? null : countryName(country))),
    amount('Payé dans l’année', 't0.paid'),
    amount('dont chèques cadeaux', 't0.gift_cards'),
    amount('dont remises', 't0.discounts'),
    amount('Compté', 't0.counted'),
    // A figure of the law, and no text of anybody's.
    amount('Seuil', toWire(das2Threshold(year))),
    text('Identifiant', 't0.id'),
    derivedText('À vérifier', das2ToCheck),
    amount('Remboursé dans l’année', 't0.repaid'),
    derivedText('Remboursé de plus que compté', (row) => das2RepaidLeft(year, row)),
  ];
}

/** A payee of the year, as its words need them. */
type Das2Row = Das2Sums & Das2Identity & { readonly role: Role };

function rowFrom(json: string): Das2Row {
  const row = JSON.parse(json) as WireRow;
  return {
    paid: fromWire(row.paid),
    counted: fromWire(row.counted),
    repaid: fromWire(row.repaid),
    repaidLeft: fromWire(row.repaid_left),
    isEmployee: row.is_employee,
    role: row.role,
    status: row.status,
    lastName: row.last_name,
    country: row.country,
    siren: row.siren,
    siret: row.siret,
  };
}

type WireRow = {
  readonly paid: number;
  readonly counted: number;
  readonly repaid: number;
  readonly repaid_left: number;
  readonly is_employee: boolean;
  readonly role: Role;
  readonly status: Das2Identity['status'];
  readonly last_name: string | null;
  readonly country: string | null;
  readonly siren: string | null;
  readonly siret: string | null;
};
