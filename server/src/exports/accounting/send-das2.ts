import { das2Missing, das2Reason, das2State, das2StateLabels, das2Threshold } from '@parrain/domain/das2';
import type { Das2Sums } from '@parrain/domain/das2';
import { fromWire, toWire } from '@parrain/domain/money';
import { isPayeeStatus, payeeStatusLabels } from '@parrain/domain/payee';
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
  /** Words made of what was paid, what of it counts, whether pay slips declare it, and whether it is known who the payee is. */
  const derivedText = (label: string, words: (sums: Das2Sums, isKnown: boolean) => string | null): ListColumn => ({
    ...text(label, `concat_ws(' ', t0.paid, t0.counted, t0.is_employee, t0.status is not null)`),
    words: (value) => {
      const [paid = '0', counted = '0', isEmployee, isKnown] = value.split(' ');
      const sums = { paid: fromWire(paid), counted: fromWire(counted), isEmployee: isEmployee === 't' };
      return words(sums, isKnown === 't') ?? '';
    },
  });
  return [
    derivedText('État', (sums) => das2StateLabels[das2State(year, sums)]),
    derivedText('Motif d’exclusion', (sums) => das2Reason(year, sums)),
    derivedText('Il manque', (sums, isKnown) => das2Missing(das2State(year, sums), { isKnown })),
    text('Nom', 't0.full_name'),
    text('Nom légal', 't0.legal_name'),
    {
      ...text('Statut', 't0.status'),
      words: (status) => (isPayeeStatus(status) ? payeeStatusLabels[status] : status),
    },
    text('SIREN', 't0.siren'),
    text('RNA', 't0.rna'),
    text('Adresse', 't0.street'),
    text('Code postal', 't0.postal_code'),
    text('Ville', 't0.city'),
    amount('Payé dans l’année', 't0.paid'),
    amount('dont chèques cadeaux', 't0.gift_cards'),
    amount('dont remises', 't0.discounts'),
    amount('Compté', 't0.counted'),
    // A figure of the law, and no text of anybody's.
    amount('Seuil', toWire(das2Threshold(year))),
    text('Identifiant', 't0.id'),
  ];
}
