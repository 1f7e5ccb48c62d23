import { formatDate } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { roleLabels } from '@parrain/domain/role';
import { statementDays } from '@parrain/domain/statement';
import { shortId } from '@parrain/domain/short-id';

import type { ExportedRow } from '../csv.ts';
import type { PaperDocument, PaperRow } from '../pdf/tagged-pdf.ts';
import { dueOf, statementColumns } from './read-statement.ts';
import type { Statement } from './read-statement.ts';

const placeOf = (label: string): number => statementColumns.findIndex((column) => column.label === label);
const AT = {
  date: placeOf('Date'),
  operation: placeOf('Opération'),
  contact: placeOf('Contrat'),
  method: placeOf('Mode de paiement'),
  reason: placeOf('Raison'),
  balance: placeOf('Disponible après'),
  debit: placeOf('Compte débité'),
  credit: placeOf('Compte crédité'),
  amount: placeOf('Montant'),
};

/** Layout of a statement's PDF: the opening balance, the movements, the closing balance, and every line. */
export function statementPaper(statement: Statement, rows: readonly ExportedRow[]): PaperDocument {
  const { period, isOver, payee, companyName, opening, closing, earned, reversed, paid, repaid, vat } = statement;
  const [due, dueBefore] = [dueOf(closing), dueOf(opening)];
  const others = due - dueBefore - earned + reversed + paid - repaid;
  const line = (label: string, cents: Cents): PaperRow => ({ cells: [label, formatEuros(cents)] });
  return {
    title: `Relevé de compte – ${period.label}`,
    // Of the data, so that the same lines are the same bytes.
    madeAt: new Date(`${rows.at(-1)?.[AT.date]?.slice(0, 10) ?? period.fromDay}T00:00:00Z`),
    sender: companyName,
    footer: `${companyName} · ${payee.fullName} · relevé ${statementDays(period)}`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Bénéficiaire', `${payee.fullName} (${roleLabels[payee.role].toLowerCase()}, n° ${shortId(payee.id)})`],
          [
            'Période',
            isOver ? statementDays(period) : `${statementDays(period)}, en cours : arrêtée à la dernière opération`,
          ],
        ],
      },
      { kind: 'heading', text: 'Solde' },
      {
        kind: 'table',
        columns: [
          { label: 'Ligne', share: 4 },
          { label: 'Montant', share: 1.3, isNumber: true },
        ],
        rows: [
          line('Dû par l’entreprise au début de la période', dueBefore),
          line('Commissions gagnées', earned),
          ...(reversed === 0n ? [] : [line('Commissions reprises (contrats annulés ou réduits)', -reversed)]),
          ...(others === 0n ? [] : [line('Ajustements', others)]),
          ...(repaid === 0n ? [] : [line('Dettes remboursées à l’entreprise', repaid)]),
          line('Paiements', -paid),
          { ...line('Dû par l’entreprise à la fin de la période', due), isTotal: true },
          ...(closing.held === 0n ? [] : [line('dont à venir (délai du barème)', closing.held)]),
          ...(closing.reserved === 0n ? [] : [line('dont demandé, pas encore payé', closing.reserved)]),
          line(closing.available < 0n ? 'dont à rembourser' : 'dont disponible', closing.available),
          // Of no balance: it is what the transfers of the period carried beside it.
          ...(vat === 0n
            ? []
            : [
                line('TVA payée en plus des paiements', vat),
                line('Paiements de la période, TVA comprise', paid + vat),
              ]),
        ],
      },
      { kind: 'heading', text: 'Opérations' },
      {
        kind: 'table',
        columns: [
          { label: 'Date', share: 1.35 },
          { label: 'Opération', share: 4 },
          { label: 'De → vers', share: 2.4 },
          { label: 'Montant', share: 1.45, isNumber: true },
          { label: 'Disponible', share: 1.45, isNumber: true },
        ],
        rows: [
          balanceRow('Disponible au début de la période', opening.available),
          ...rows.map((row) => ({ cells: cellsOf(row) })),
          { ...balanceRow('Disponible à la fin de la période', closing.available), isTotal: true },
        ],
      },
      {
        kind: 'text',
        isNote: true,
        text:
          'Chaque ligne est une écriture du grand livre, dans l’ordre des jours de France. ' +
          'Le calcul de chaque commission, pas à pas, est sur votre compte : « Pourquoi ? » à côté de sa ligne. ' +
          'Ce relevé ne remplace ni une facture ni un reçu.',
      },
    ],
  };
}

function balanceRow(label: string, cents: Cents): PaperRow {
  return { cells: ['', label, '', '', formatEuros(cents)] };
}

function cellsOf(row: ExportedRow): readonly string[] {
  const shown = (at: number): string | null => {
    const value = row[at] ?? null;
    return value === null ? null : (statementColumns[at]?.words?.(value) ?? value);
  };
  const amount = (at: number): string => formatEuros(fromWire(row[at] ?? '0'));
  const subject = [shown(AT.contact), shown(AT.method), shown(AT.reason)].filter((text) => text !== null);
  return [
    formatDate(`${(row[AT.date] ?? '').slice(0, 10)}T12:00:00Z`),
    [shown(AT.operation), ...subject].join(' · '),
    `${shown(AT.debit)} → ${shown(AT.credit)}`,
    amount(AT.amount),
    amount(AT.balance),
  ];
}
