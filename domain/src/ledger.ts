import { sum, type Cents } from './money.ts';
import { paymentMethodLabel, paymentMethods } from './payment-request.ts';

/** The acts that move money between two accounts of a payee (LG-01, decision 0030). */
export const ledgerActs = [
  'validation',
  'release',
  'correction',
  'adjustment',
  'deduction',
  'repayment',
  'repayment_annulment',
  'waiver',
  'waiver_annulment',
  'request',
  'refusal',
  'settlement',
  'return',
  'payroll',
  'vat',
  'vat_return',
] as const;
export type LedgerAct = (typeof ledgerActs)[number];

export const ledgerActLabels: Readonly<Record<LedgerAct, string>> = {
  validation: 'Commission',
  release: 'Fin du délai\u00a0: commission disponible',
  correction: 'Commission reprise\u00a0: contrat annulé ou réduit',
  adjustment: 'Ajustement en plus',
  deduction: 'Ajustement en moins',
  repayment: 'Remboursement reçu',
  repayment_annulment: 'Remboursement annulé',
  waiver: 'Dette abandonnée',
  waiver_annulment: 'Abandon de dette annulé',
  request: 'Demande de paiement',
  refusal: 'Demande refusée\u00a0: montant de nouveau disponible',
  settlement: 'Paiement effectué',
  return: 'Virement revenu de la banque\u00a0: montant de nouveau disponible',
  payroll: 'Commissions payées',
  vat: 'TVA payée en plus',
  vat_return: 'TVA revenue de la banque',
};

/** Between which accounts: « Dû par l’entreprise → Disponible ». */
export const ledgerAccounts = [
  'charged',
  'adjusted',
  'repaid',
  'held',
  'available',
  'reserved',
  'paid',
  'vat',
  'vat_paid',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

export const ledgerAccountLabels: Readonly<Record<LedgerAccount, string>> = {
  charged: 'À la charge de l’entreprise',
  adjusted: 'Ajustements',
  repaid: 'Remboursé à l’entreprise',
  held: 'À venir',
  available: 'Disponible',
  reserved: 'Demandé',
  paid: 'Payé',
  vat: 'TVA de l’entreprise',
  vat_paid: 'TVA payée',
};

/** Acts as the control counts them: those of what is held apart (LG-03). */
export type ControlAct = LedgerAct | 'validation_held' | 'correction_held';

/** Amounts that an act moved, as the ledger has them and as the lists of commissions and requests have them. */
export interface ControlMove {
  readonly act: ControlAct;
  /** The side of a commission, the means of a payment; null of other acts. */
  readonly detail: string | null;
  readonly ledgerBefore: Cents;
  readonly listsBefore: Cents;
  readonly ledger: Cents;
  readonly lists: Cents;
}

/** A line of « Contrôle des comptes » (LG-02). */
export interface ControlLine {
  readonly id: string;
  readonly label: string;
  readonly ledger: Cents;
  readonly lists: Cents;
}

const flows: readonly {
  readonly id: string;
  readonly acts: readonly ControlAct[];
  readonly detail: string | null;
  readonly label: string;
  /** Left out where nothing moved. */
  readonly isRare?: boolean;
}[] = [
  { id: 'earned-client', acts: ['validation', 'validation_held'], detail: 'client', label: 'Gagné par les clients' },
  { id: 'earned-commercial', acts: ['validation'], detail: 'commercial', label: 'Gagné par les commerciaux' },
  {
    id: 'reversed-client',
    acts: ['correction', 'correction_held'],
    detail: 'client',
    label: 'Repris aux clients (annulations)',
  },
  {
    id: 'reversed-commercial',
    acts: ['correction'],
    detail: 'commercial',
    label: 'Repris aux commerciaux (annulations)',
  },
  { id: 'released', acts: ['release'], detail: null, label: 'Devenu disponible à la fin du délai', isRare: true },
  { id: 'adjusted-up', acts: ['adjustment'], detail: null, label: 'Ajusté en plus', isRare: true },
  { id: 'adjusted-down', acts: ['deduction'], detail: null, label: 'Ajusté en moins', isRare: true },
  { id: 'repaid', acts: ['repayment'], detail: null, label: 'Dettes remboursées à l’entreprise', isRare: true },
  {
    id: 'repaid-annulled',
    acts: ['repayment_annulment'],
    detail: null,
    label: 'Remboursements de dettes annulés',
    isRare: true,
  },
  { id: 'waived', acts: ['waiver'], detail: null, label: 'Dettes abandonnées', isRare: true },
  {
    id: 'waived-annulled',
    acts: ['waiver_annulment'],
    detail: null,
    label: 'Abandons de dettes annulés',
    isRare: true,
  },
  { id: 'asked', acts: ['request'], detail: null, label: 'Demandé' },
  { id: 'refused', acts: ['refusal'], detail: null, label: 'Refusé, de nouveau disponible' },
  ...paymentMethods.map((method) => ({
    id: `paid-${method}`,
    // The months of agents and companies are paid by transfer too (PO-05).
    acts: method === 'virement' ? (['settlement', 'payroll'] as const) : (['settlement'] as const),
    detail: method,
    label: `Payé\u00a0: ${paymentMethodLabel(method)}`,
    isRare: method !== 'virement',
  })),
  {
    id: 'returned',
    acts: ['return'],
    detail: 'virement',
    label: 'Revenu de la banque, de nouveau disponible',
    isRare: true,
  },
  { id: 'paid-paie', acts: ['payroll'], detail: 'paie', label: 'Payé aux commerciaux, par mois', isRare: true },
  { id: 'vat-virement', acts: ['vat'], detail: 'virement', label: 'TVA payée par virement', isRare: true },
  { id: 'vat-paie', acts: ['vat'], detail: 'paie', label: 'TVA payée aux commerciaux, par mois', isRare: true },
  { id: 'vat-returned', acts: ['vat_return'], detail: 'virement', label: 'TVA revenue de la banque', isRare: true },
];

/** Movements of the period, one line for each kind; rare kinds without a movement are left out. */
export function controlFlows(moves: readonly ControlMove[]): ControlLine[] {
  return flows.flatMap(({ id, acts, detail, label, isRare = false }) => {
    const found = moves.filter((move) => acts.includes(move.act) && move.detail === detail);
    if (found.length === 0 && isRare) return [];
    return {
      id,
      label,
      ledger: sum(found.map((move) => move.ledger)),
      lists: sum(found.map((move) => move.lists)),
    };
  });
}

/** Balance of each account at the end of the period, over all movements since the beginning. A debt is a negative available balance. */
export function controlBalances(moves: readonly ControlMove[]): ControlLine[] {
  const line = (id: string, label: string, signs: Partial<Record<ControlAct, 1n | -1n>>): ControlLine => {
    const of = (side: 'ledger' | 'lists'): Cents =>
      sum(moves.map((move) => (signs[move.act] ?? 0n) * (move[`${side}Before`] + move[side])));
    return { id, label, ledger: of('ledger'), lists: of('lists') };
  };
  return [
    line('held', 'À venir (délai du barème)', { validation_held: 1n, release: -1n, correction_held: -1n }),
    line('available', 'Disponible, dettes déduites', {
      validation: 1n,
      release: 1n,
      correction: -1n,
      adjustment: 1n,
      deduction: -1n,
      repayment: 1n,
      repayment_annulment: -1n,
      waiver: 1n,
      waiver_annulment: -1n,
      request: -1n,
      refusal: 1n,
      return: 1n,
      payroll: -1n,
    }),
    line('reserved', 'Demandé, pas encore payé', { request: 1n, refusal: -1n, settlement: -1n }),
    line('paid', 'Payé depuis le début', { settlement: 1n, return: -1n, payroll: 1n }),
    ...(moves.some(({ act }) => act === 'repayment')
      ? [line('repaid', 'Dettes remboursées depuis le début', { repayment: 1n, repayment_annulment: -1n })]
      : []),
    ...(moves.some(({ act }) => act === 'vat')
      ? [line('vat', 'TVA payée depuis le début', { vat: 1n, vat_return: -1n })]
      : []),
  ];
}

/** Sum of the absolute differences between the ledger and the lists: zero in a sound company. */
export function controlDifference(moves: readonly ControlMove[]): Cents {
  const distance = (one: Cents, other: Cents): Cents => (one > other ? one - other : other - one);
  return sum(moves.map((move) => distance(move.ledger, move.lists) + distance(move.ledgerBefore, move.listsBefore)));
}
