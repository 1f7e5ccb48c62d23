import { formatDate } from '@parrain/domain/date';
import { ledgerActLabels, ledgerActs } from '@parrain/domain/ledger';
import { legalReferences, referenceOn } from '@parrain/domain/legal-references';
import { formatEuros, fromWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { payeeStatusLabels } from '@parrain/domain/payee';
import { formatPercent, percentFromWire } from '@parrain/domain/percent';
import { quarterFrom, statementDays } from '@parrain/domain/statement';

import type { PaperDocument, PaperRow } from '../pdf/tagged-pdf.ts';
import { nameOf, noonOf, partyBlock } from './paper.ts';
import type { QuarterLine, QuarterPaper } from './paper.ts';

/** The quarterly statement of an agent commercial (C. com. R134-3): every line of the quarter and what it was worked out from. */
export function quarterDocument({
  label,
  is_test: isTest,
  issued_on: issuedOn,
  quarter,
  content,
}: QuarterPaper): PaperDocument {
  const { company, payee, lines, contest_until: contestUntil } = content;
  const period = quarterFrom(quarter);
  const [opening, closing] = [fromWire(content.opening), fromWire(content.closing)];
  const sumOf = (...acts: readonly string[]): Cents =>
    lines.reduce((sum, { act, amount }) => (acts.includes(act) ? sum + fromWire(amount) : sum), 0n);
  const line = (text: string, cents: Cents, isTotal = false): PaperRow => ({
    cells: [text, formatEuros(cents)],
    isTotal,
  });
  const day = formatDate(noonOf(issuedOn));
  const [companyName, payeeName] = [company.legal_name ?? '', nameOf(payee, payee.name)];
  return {
    title: `Relevé de commissions n°\u00a0${label}`,
    madeAt: new Date(`${issuedOn}T00:00:00Z`),
    sender: companyName,
    footer: `${companyName} · ${label} · ${day}`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Établi le', day],
          ['Trimestre', `${period.label}, ${statementDays(period)}`],
        ],
      },
      { kind: 'heading', text: 'Entreprise' },
      partyBlock(companyName, company),
      { kind: 'heading', text: 'Agent commercial' },
      partyBlock(payeeName, payee, [['Statut', payeeStatusLabels.agent]]),
      { kind: 'heading', text: 'Commissions dues' },
      {
        kind: 'table',
        columns: [
          { label: 'Ligne', share: 4 },
          { label: 'Montant', share: 1.3, isNumber: true },
        ],
        rows: [
          line('Reporté du trimestre d’avant', opening),
          line('Commissions du trimestre', sumOf('validation')),
          line('Commissions reprises (contrats annulés ou réduits)', sumOf('correction')),
          line('Ajustements', sumOf('adjustment', 'deduction', 'waiver', 'waiver_annulment')),
          ...(lines.some(({ act }) => act === 'repayment')
            ? [line('Dettes remboursées à l’entreprise', sumOf('repayment', 'repayment_annulment'))]
            : []),
          line('Payé dans le trimestre', sumOf('payroll', 'request', 'refusal', 'return')),
          line(closing < 0n ? 'À reprendre sur le trimestre suivant' : 'Reste dû à la fin du trimestre', closing, true),
        ],
      },
      { kind: 'heading', text: 'Éléments de calcul' },
      {
        kind: 'table',
        columns: [
          { label: 'Date', share: 1.35 },
          { label: 'Opération', share: 3 },
          { label: 'Calcul', share: 3 },
          { label: 'Montant', share: 1.45, isNumber: true },
        ],
        rows: [
          ...lines.map((one) => ({
            cells: [formatDate(one.at), operationOf(one), calculationOf(one), formatEuros(fromWire(one.amount))],
          })),
          { cells: ['', 'Total du trimestre', '', formatEuros(closing - opening)], isTotal: true },
        ],
      },
      {
        kind: 'text',
        isNote: true,
        text: [
          ...(isTest ? ['Spécimen : données de test, sans valeur.'] : []),
          `Relevé établi selon l’${referenceOn(issuedOn, legalReferences.quarterlyStatement)}, au plus tard le dernier jour du mois qui suit le trimestre.`,
          'Vous pouvez demander à l’entreprise un extrait de ses documents comptables pour vérifier ces montants.',
          'Une reprise en part est ce que le barème donne de ce qui reste du contrat, moins ce qu’il avait donné.',
          ...(payee.vat_number ? ['Les montants s’entendent hors taxes : votre facture porte la TVA.'] : []),
          `Ce relevé peut être contesté auprès de l’entreprise jusqu’au ${formatDate(noonOf(contestUntil))}.`,
          'Pièce numérotée sans interruption et conservée telle qu’elle a été établie.',
        ].join(' '),
      },
    ],
  };
}

function operationOf({ act, contract }: QuarterLine): string {
  const known = ledgerActs.find((name) => name === act);
  const words = known === undefined ? act : ledgerActLabels[known];
  return contract === null ? words : `${words}, contrat CTR-${contract}`;
}

/** « 10 % de 1 234,56 € », « forfait de 50,00 € ». */
function calculationOf({ type, rate, contract_amount: amount, contract_left: left }: QuarterLine): string {
  if (type === null || rate === null || amount === null) return '';
  const share =
    type === 'percentage'
      ? `${formatPercent(percentFromWire(rate))} de ${formatEuros(fromWire(amount))}`
      : `forfait de ${formatEuros(fromWire(rate))} pour un contrat de ${formatEuros(fromWire(amount))}`;
  return left === null ? share : `${share}, reste ${formatEuros(fromWire(left))}`;
}
