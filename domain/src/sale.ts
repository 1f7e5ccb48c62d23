import { contractIncreased, contractReduced, validationCancelled } from './messages.ts';
import type { Standing } from './standing.ts';
import type { CommissionScale } from './commission.ts';
import type { Cents } from './money.ts';
import { unreachable } from './unreachable.ts';

/** The statuses the database stores. */
export const saleStatuses = ['pending', 'contacted', 'in_negotiation', 'validated', 'rejected'] as const;
export type SaleStatus = (typeof saleStatuses)[number];

/** The six statuses a commercial may pick, in the order of the modal (S-01, S-02). */
export const saleChoices = [
  'pending',
  'contacted',
  'in_negotiation',
  'pending_validation',
  'validated',
  'rejected',
] as const;
export type SaleChoice = (typeof saleChoices)[number];

/** The state of a sale: its status and its two flags read together. */
export const saleStates = [
  'pending',
  'contacted',
  'in_negotiation',
  /** pending + ready for validation (S-03). */
  'awaiting_final_validation',
  /** validated by the commercial, not yet by the admin (S-05). */
  'awaiting_admin_validation',
  'validated',
  'rejected',
  /** The opposite entry of a sale whose validation was cancelled (S-11). */
  'correction',
] as const;
export type SaleState = (typeof saleStates)[number];

/** The columns that decide the state of a sale. */
export interface SaleFacts {
  readonly status: SaleStatus;
  readonly readyForValidation: boolean;
  readonly adminValidated: boolean;
  readonly correctsSaleId: string | null;
  /** Of a correction in part, what it leaves of the contract; null of any other sale, and where nothing is left (LG-04). */
  readonly contractLeft?: Cents | null;
  /** Below zero of a correction that takes back; above, of one that adds (UI-11). */
  readonly contractAmount?: Cents | null;
}

/** A referral, from invitation to contract (D-02). */
export interface Sale extends SaleFacts {
  readonly id: string;
  readonly createdAt: string;
  readonly referredContactName: string;
  readonly referredContactEmail: string | null;
  readonly referredContactPhone: string | null;
  readonly personalMessage: string | null;
  readonly contractAmount: Cents | null;
  readonly contractDescription: string | null;
  readonly commercialNotes: string | null;
  readonly commercialId: string | null;
  readonly clientReferrerId: string | null;
  readonly friendReferrerId: string | null;
  /** The scale chosen for the sale, by its id; its terms at that moment are in `scale` (S-12). */
  readonly commissionRateId: string | null;
  readonly scale: CommissionScale | null;
  readonly rejectionReason: string | null;
  readonly validatedAt: string | null;
  readonly validatedBy: string | null;
  readonly clientCommissionAmount: Cents | null;
  readonly commercialCommissionAmount: Cents | null;
  /** Why a validation was cancelled, on the opposite entry alone (S-11). */
  readonly correctionReason: string | null;
  /** Grows with each change: the admin decides on the version that was seen (AD-12). */
  readonly version: number;
  readonly isTest: boolean;
  readonly commercialName: string | null;
  readonly clientReferrerName: string | null;
  readonly friendReferrerName: string | null;
  /** Obstacles to its validation (DF-40), in rows that an admin reads to decide. */
  readonly standing?: readonly Standing[];
}

/** The referrer's name: the friend referrer, else the client referrer (M-02). */
export function referrerName(sale: Pick<Sale, 'friendReferrerName' | 'clientReferrerName'>): string | null {
  return sale.friendReferrerName ?? sale.clientReferrerName;
}

export type SaleActor = 'commercial' | 'admin';

const everyChoice: readonly SaleState[] = [
  'pending',
  'contacted',
  'in_negotiation',
  'awaiting_final_validation',
  'awaiting_admin_validation',
  'rejected',
];

/**
 * The legal moves, per actor and state. The commercial picks any of the six until the sale is validated (S-02);
 * the admin decides what awaits validation (S-04, S-06), or gives it back to be corrected (UI-11). Nobody edits a validated sale: its correction is a new row (S-11).
 */
export const saleMoves: Readonly<Record<SaleActor, Readonly<Record<SaleState, readonly SaleState[]>>>> = {
  commercial: {
    pending: everyChoice,
    contacted: everyChoice,
    in_negotiation: everyChoice,
    awaiting_final_validation: everyChoice,
    awaiting_admin_validation: [],
    validated: [],
    rejected: everyChoice,
    correction: [],
  },
  admin: {
    pending: [],
    contacted: [],
    in_negotiation: [],
    awaiting_final_validation: ['validated', 'rejected', 'in_negotiation'],
    awaiting_admin_validation: ['validated', 'rejected', 'in_negotiation'],
    validated: [],
    rejected: [],
    correction: [],
  },
};

/** Reads the status and the flags of a sale as one state (S-03, S-05). */
export function saleState(sale: SaleFacts): SaleState {
  if (sale.correctsSaleId !== null) return 'correction';
  switch (sale.status) {
    case 'pending':
      return sale.readyForValidation ? 'awaiting_final_validation' : 'pending';
    case 'validated':
      return sale.adminValidated ? 'validated' : 'awaiting_admin_validation';
    case 'contacted':
    case 'in_negotiation':
    case 'rejected':
      return sale.status;
    default:
      return unreachable(sale.status);
  }
}

/** True if the actor may move the sale to that state. */
export function canMoveSale(actor: SaleActor, sale: SaleFacts, to: SaleState): boolean {
  return saleMoves[actor][saleState(sale)].includes(to);
}

/** The columns stored for a choice of the commercial (S-03). `pending_final_validation` is the wire's word for `pending_validation`. */
export function statusToStored(choice: SaleChoice | 'pending_final_validation'): {
  readonly status: SaleStatus;
  readonly readyForValidation: boolean;
} {
  switch (choice) {
    case 'pending_validation':
    case 'pending_final_validation':
      return { status: 'pending', readyForValidation: true };
    case 'validated':
      return { status: 'validated', readyForValidation: true };
    case 'pending':
    case 'contacted':
    case 'in_negotiation':
    case 'rejected':
      return { status: choice, readyForValidation: false };
    default:
      return unreachable(choice);
  }
}

/** The choice of the modal that matches a sale as it is: the inverse of {@link statusToStored}. */
export function saleChoiceOf(sale: SaleFacts): SaleChoice {
  return sale.status === 'pending' && sale.readyForValidation ? 'pending_validation' : sale.status;
}

/** The word the wire carries for a choice (S-01). */
export function saleChoiceToWire(choice: SaleChoice): string {
  return choice === 'pending_validation' ? 'pending_final_validation' : choice;
}

/** Choices that need the amount and the description of the contract (V-09). */
export function needsContractDetails(choice: SaleChoice): boolean {
  return choice === 'validated' || choice === 'pending_validation';
}

/** True if the sale awaits the admin: ready for validation and pending, or validated by the commercial alone (S-06). */
export function isAwaitingValidation(sale: SaleFacts): boolean {
  if (!sale.readyForValidation || sale.correctsSaleId !== null) return false;
  return sale.status === 'pending' || (sale.status === 'validated' && !sale.adminValidated);
}

/** The stored statuses of a referral that is still to be followed up, as long as it is not ready for validation; its states too. */
export const openStatuses = ['pending', 'contacted', 'in_negotiation'] as const;

/** True if nobody has decided or signed anything yet: the referral is still to be followed up (TM-05). */
export function isOpen(sale: SaleFacts): boolean {
  const state = saleState(sale);
  return openStatuses.some((open) => open === state);
}

/** True if nobody contacted the referral within the company's days (TM-05); never where it has none. */
export function isLate(sale: SaleFacts & Pick<Sale, 'createdAt'>, followUpDays: number | null, now: Date): boolean {
  return (
    followUpDays !== null &&
    saleState(sale) === 'pending' &&
    now.getTime() - Date.parse(sale.createdAt) >= followUpDays * 86_400_000
  );
}

/** True if the sale's commissions are earned; those of any other sale are pending at best (S-08). */
export function isEarned(sale: Pick<SaleFacts, 'status' | 'adminValidated'>): boolean {
  return sale.status === 'validated' && sale.adminValidated;
}

/** True if the commercial may still change the sale; else « Validé - Non modifiable » (S-02, CO-03). */
export function isEditableByCommercial(sale: SaleFacts): boolean {
  return saleMoves.commercial[saleState(sale)].length > 0;
}

/** True if the admin may cancel the validation by an opposite entry (S-11). The caller knows if that was already done. */
export function isCancellable(sale: SaleFacts): boolean {
  return saleState(sale) === 'validated';
}

/** Colour of a badge; the same tone means the same thing on every screen. */
export type Tone = 'amber' | 'blue' | 'indigo' | 'purple' | 'green' | 'red' | 'neutral';

export type SaleAudience = 'commercial' | 'admin' | 'client';

const saleTones: Readonly<Record<SaleState, Tone>> = {
  pending: 'amber',
  contacted: 'blue',
  in_negotiation: 'indigo',
  awaiting_final_validation: 'purple',
  awaiting_admin_validation: 'purple',
  validated: 'green',
  rejected: 'red',
  correction: 'neutral',
};

/** The tone of a state on the commercial's screens (S-03: purple for what awaits final validation). */
export function saleTone(state: SaleState): Tone {
  return saleTones[state];
}

/** The name of a correction: of a whole contract, of a part of it, or of what was added to it (S-11, LG-04, UI-11). */
export function correctionLabel({
  contractLeft = null,
  contractAmount = null,
}: Pick<SaleFacts, 'contractLeft' | 'contractAmount'>): string {
  if (contractLeft === null) return validationCancelled;
  return isAdded(contractAmount) ? contractIncreased : contractReduced;
}

/** True if a correction of that amount adds to its contract. */
export function isAdded(contractAmount: Cents | null): boolean {
  return contractAmount !== null && contractAmount > 0n;
}

/** The labels of the modal (S-01). */
export const saleChoiceLabels: Readonly<Record<SaleChoice, string>> = {
  pending: 'En attente',
  contacted: 'Contacté',
  in_negotiation: 'En négociation',
  pending_validation: 'En attente validation finale',
  validated: 'Contrat signé et validé',
  rejected: 'Refusé',
};

/** The client's labels (S-07). `invited` is a word of the wire that no row is stored with. */
export const clientSaleLabels: Readonly<Record<'invited' | SaleStatus, string>> = {
  invited: 'Invité',
  pending: 'En cours',
  contacted: 'En cours',
  in_negotiation: 'En cours',
  validated: 'Contrat signé',
  rejected: 'Rejeté',
};

/** The commercial's label (S-01, S-03). */
export function commercialSaleLabel(sale: SaleFacts): string {
  return sale.correctsSaleId === null ? saleChoiceLabels[saleChoiceOf(sale)] : correctionLabel(sale);
}

/** The admin's label (S-05): « En attente » unless validated or refused. */
export function adminSaleLabel(sale: SaleFacts & { readonly rejectionReason: string | null }): string {
  const state = saleState(sale);
  switch (state) {
    case 'validated':
      return 'Validé par admin';
    case 'awaiting_admin_validation':
      return 'À valider par admin';
    case 'pending':
    case 'contacted':
    case 'in_negotiation':
    case 'awaiting_final_validation':
      return 'En attente';
    case 'rejected':
      return sale.rejectionReason === null ? 'Refusé' : `Refusé: ${sale.rejectionReason}`;
    case 'correction':
      return correctionLabel(sale);
    default:
      return unreachable(state);
  }
}

/** The client's label (S-07). */
export function clientSaleLabel(
  sale: Pick<SaleFacts, 'correctsSaleId' | 'contractLeft' | 'contractAmount'> & { status: 'invited' | SaleStatus },
): string {
  return sale.correctsSaleId === null ? clientSaleLabels[sale.status] : correctionLabel(sale);
}

/**
 * Word, tone and second line of a badge for an audience. Whatever the word, a sale on which the admin must decide is violet,
 * and says that it waits for the company where its word does not.
 */
export function saleBadge(
  sale: SaleFacts & { readonly rejectionReason: string | null },
  audience: SaleAudience,
): { readonly label: string; readonly tone: Tone; readonly isAwaitingCompany: boolean } {
  const state = saleState(sale);
  const tone = saleTone(state);
  const awaits = state === 'awaiting_final_validation' || state === 'awaiting_admin_validation';
  switch (audience) {
    case 'commercial':
      return {
        label: commercialSaleLabel(sale),
        tone,
        isAwaitingCompany: state === 'awaiting_admin_validation',
      };
    case 'admin': {
      const label = adminSaleLabel(sale);
      return {
        label,
        tone: label === 'En attente' && !awaits ? 'amber' : tone,
        isAwaitingCompany: state === 'awaiting_final_validation',
      };
    }
    case 'client': {
      const label = clientSaleLabel(sale);
      return {
        label,
        tone: label === clientSaleLabels.pending && !awaits ? 'amber' : tone,
        isAwaitingCompany: awaits,
      };
    }
    default:
      return unreachable(audience);
  }
}
