import { formatDate } from '@parrain/domain/date';
import { repaymentMethodLabel } from '@parrain/domain/debt';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { roleLabels } from '@parrain/domain/role';
import type { Role } from '@parrain/domain/role';
import { shortId } from '@parrain/domain/short-id';

import type { PaperDocument } from '../pdf/tagged-pdf.ts';

/** A debt that was paid back, whole or in part, as its receipt says it. */
export type Repayment = {
  readonly id: string;
  readonly payee_id: string;
  readonly name: string;
  readonly role: Role;
  readonly company: string;
  readonly amount: string;
  readonly debt: string;
  readonly at: Date;
  readonly created_at: Date;
  readonly method: string;
  readonly reference: string | null;
  readonly annulled_at: Date | null;
  readonly annulled_reason: string | null;
};

/** Layout of a repayment's receipt: who paid what, when and how, and what was left of the debt. */
export function receiptPaper(repayment: Repayment): PaperDocument {
  const { id, payee_id: payeeId, name, role, company, at, method, reference } = repayment;
  const [amount, debt] = [fromWire(repayment.amount), fromWire(repayment.debt)];
  const number = shortId(id);
  const day = formatDate(at.toISOString());
  return {
    title: 'Reçu de remboursement',
    madeAt: repayment.annulled_at ?? repayment.created_at,
    sender: company,
    footer: `${company} · reçu de remboursement ${number}`,
    blocks: [
      ...(repayment.annulled_at === null
        ? []
        : [
            {
              kind: 'text' as const,
              text: `Annulé le ${formatDate(repayment.annulled_at.toISOString())} : ${repayment.annulled_reason ?? ''}. Ce reçu ne vaut plus.`,
            },
          ]),
      {
        kind: 'text',
        text: `${company} a reçu ${ofName(name)} la somme de ${formatEuros(amount)}, en remboursement de ce qui lui avait été versé en trop.`,
      },
      {
        kind: 'facts',
        facts: [
          ['Reçu', number],
          ['Payé par', `${name} (${roleLabels[role].toLowerCase()}, n° ${shortId(payeeId)})`],
          ['Jour du remboursement', day],
          ['Moyen', repaymentMethodLabel(method)],
          ...(reference === null ? [] : [['Référence', reference] as const]),
        ],
      },
      {
        kind: 'table',
        columns: [
          { label: 'Ligne', share: 4 },
          { label: 'Montant', share: 1.3, isNumber: true },
        ],
        rows: [
          { cells: ['Dette avant ce remboursement', formatEuros(debt)] },
          { cells: ['Remboursé', formatEuros(-amount)] },
          { cells: ['Reste dû après ce remboursement', formatEuros(debt - amount)], isTotal: true },
        ],
      },
      {
        kind: 'text',
        isNote: true,
        text: 'Ce reçu vient du grand livre. Il n’est ni une facture ni un avoir.',
      },
    ],
  };
}
