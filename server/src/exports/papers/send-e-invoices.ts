import { eInvoiceStateLabels } from '@parrain/domain/e-invoice';
import type { EInvoiceState } from '@parrain/domain/e-invoice';
import { formatDate } from '@parrain/domain/date';
import { Failure } from '@parrain/domain/failure';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { paperKindLabels, paperKindOf } from '@parrain/domain/paper';
import { statementDays } from '@parrain/domain/statement';
import type { StatementPeriod } from '@parrain/domain/statement';

import { callerOf } from '#platform/identity';
import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { zip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { noonOf } from './paper.ts';
import type { PaymentPaper } from './paper.ts';
import { PAPER_COLUMNS, paperFile, PAPERS_OF_PERIOD } from './paper-files.ts';
import { paperName, PDF_BYTES } from './send-papers.ts';
import type { Asked } from './send-papers.ts';

/** Invoices that nobody has sent yet, as far as the product knows; an exported one may be taken again. */
const TO_SEND: ReadonlySet<EInvoiceState> = new Set(['unsent', 'refused', 'exported']);
/** States that an export takes: one that waits too, where no platform is on; the database says which. */
const TO_EXPORT: ReadonlySet<EInvoiceState> = TO_SEND.union(new Set(['waiting'] as const));

type Invoice = PaymentPaper & { readonly state: EInvoiceState };

/**
 * Self-billed invoices and credit notes of a period that are still to be sent, with what to do with them, for who has no platform here (EI-01).
 * What an admin takes is noted as exported; an accountant's reading notes nothing.
 */
export async function sendEInvoices(
  services: Services,
  { request, reply, identity, pdfs, period }: Asked & { readonly period: StatementPeriod },
): Promise<void> {
  const { db } = callerOf(request);
  const { invoices, toSend } = await db.transactionAs(identity, async (tx) => {
    const { rows: who } = await tx.query<{ role: string }>(
      `select private.user_role() as role from private.require_role('admin', 'comptable')`,
    );
    const { rows: papers } = await tx.query<PaymentPaper>(`select ${PAPER_COLUMNS} ${PAPERS_OF_PERIOD}`, [
      period.fromDay,
      period.beforeDay,
    ]);
    const states = await statesOf(tx, papers);
    const all = papers.flatMap((paper): Invoice[] => {
      const state = states.get(paper.id);
      return state === undefined ? [] : [{ ...paper, state }];
    });
    if (who[0]?.role !== 'admin') return { invoices: all, toSend: all.filter(({ state }) => TO_SEND.has(state)) };
    await tx.query('select private.mark_e_invoices($1, null)', [
      all.filter(({ state }) => TO_EXPORT.has(state)).map(({ id }) => id),
    ]);
    const after = await statesOf(tx, papers);
    return { invoices: all, toSend: all.filter(({ id }) => after.get(id) === 'exported') };
  });
  if (invoices.length === 0) throw new Failure('papers_none');
  await recordExport(request, identity, ['e-invoices', 'zip', toSend.length, period.name]);
  const entries = async function* (): AsyncGenerator<ZipEntry> {
    yield { name: 'LISEZ-MOI.txt', parts: [Buffer.from(readMe(period, invoices, toSend.length))] };
    for (const invoice of toSend) {
      yield { name: paperName(invoice), parts: [await paperFile(services, pdfs, invoice)] };
    }
  };
  await sendFile(reply, {
    name: `Factures électroniques ${period.name}.zip`,
    type: 'application/zip',
    length: toSend.length * PDF_BYTES,
    parts: zip(entries()),
  });
}

async function statesOf(tx: Transaction, papers: readonly PaymentPaper[]): Promise<ReadonlyMap<string, EInvoiceState>> {
  const { rows } = await tx.query<{ data: readonly { paper_id: string; state: EInvoiceState }[] }>(
    'select private.e_invoices_shown($1) as data',
    [papers.map(({ id }) => id)],
  );
  return new Map(rows[0]?.data.map((one) => [one.paper_id, one.state]));
}

function readMe(period: StatementPeriod, invoices: readonly Invoice[], count: number): string {
  const line = ({ series, label, issued_on: day, amount, content, state }: Invoice): string =>
    `${paperKindLabels[paperKindOf(series)]} ${label}, ${formatDate(noonOf(day))}, ${content.payee.legal_name ?? content.payee.name}, ` +
    `${formatEuros(fromWire(amount))} : ${withSmallInitial(eInvoiceStateLabels[state])}`;
  const text = `FACTURES ÉLECTRONIQUES À DÉPOSER

Période : ${period.label}, ${statementDays(period)}
Factures et avoirs de la période : ${invoices.length}
À déposer, dans ce dossier : ${count}

QUE FAIRE

1. Ouvrez le site de votre plateforme agréée, à la page de dépôt des factures.
2. Déposez-y chaque PDF de ce dossier, sans le modifier ni l’imprimer : ses données Factur-X sont dedans.
   Ce sont des autofactures : vous les déposez au nom du bénéficiaire, selon son mandat. L’acheteur est votre entreprise.
3. Dans Parrain, « Comptabilité », ouvrez la pièce et notez le jour du dépôt : elle ne sera plus dans ce dossier.

ÉTAT DE CHAQUE PIÈCE, AVANT CET EXPORT

${invoices.map(line).join('\n')}

Ces fichiers contiennent des données personnelles : ne les transmettez qu’à qui en a besoin.
`;
  return `\uFEFF${text.replaceAll('\n', '\r\n')}`;
}

function withSmallInitial(words: string): string {
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
