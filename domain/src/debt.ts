import type { Cents } from './money.ts';

/** The ways in which a debt ends but by the next commissions (AC-05, decision 0097). */
export const debtActKinds = ['repayment', 'waiver'] as const;
export type DebtActKind = (typeof debtActKinds)[number];

/** Means by which a payee pays the company back. */
export const repaymentMethods = ['virement', 'cheque', 'especes', 'autre'] as const;
export type RepaymentMethod = (typeof repaymentMethods)[number];

export const repaymentMethodLabels: Readonly<Record<RepaymentMethod, string>> = {
  virement: 'Virement',
  cheque: 'Chèque',
  especes: 'Espèces',
  autre: 'Autre moyen',
};

/** The label of a means as the database has it. */
export function repaymentMethodLabel(method: string): string {
  const known = repaymentMethods.find((one) => one === method);
  return known === undefined ? method : repaymentMethodLabels[known];
}

/** Debt of an account: what was paid beyond what was earned. A request that waits was never paid, and is none. */
export function debtOf({ available, reserved }: { readonly available: Cents; readonly reserved: Cents }): Cents {
  const missing = -(available + reserved);
  return missing > 0n ? missing : 0n;
}

export const repaymentRecorded = 'Remboursement enregistré';
export const debtWaived = 'Dette abandonnée';
export const waiverWaits = 'Abandon demandé : un autre administrateur doit le confirmer';
export const waiverConfirmed = 'Abandon confirmé';
export const waiverGivenUp = 'Abandon retiré';
export const debtActAnnulled = 'Opération annulée';
export const accountAdjusted = 'Compte ajusté';
export const adjustmentWaits = 'Ajustement demandé : un autre administrateur doit le confirmer';

/** Sentence beside an act that waits for another admin, for who asked for it and for the others. */
export function secondAdminSentence(isMine: boolean): string {
  return isMine
    ? 'Au-dessus du montant que vous décidez seul : un autre administrateur doit le confirmer.'
    : 'Au-dessus du montant qu’un administrateur décide seul : à vous de le confirmer ou de le retirer.';
}

export const debtReasonRequired = 'Dites pourquoi : la personne le lira';
export const debtAmountRequired = 'Indiquez un montant, au plus celui de la dette';
export const debtNotSelected = 'Choisissez une opération';
