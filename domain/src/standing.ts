import type { DoubtfulCaseStatus } from './doubt.ts';

/** Those that their code alone says. */
const plainCodes = ['closed', 'debt', 'incomplete', 'abroad', 'vat', 'invoice'] as const;

/** Something that stands against a decision on a contract or a payment (DF-40), as the database says it with the row. */
export type Standing =
  | { readonly code: (typeof plainCodes)[number] }
  | {
      readonly code: 'case';
      readonly caseId: string;
      readonly status: DoubtfulCaseStatus;
      /** An approval waits for what is decided of it. */
      readonly isHeld: boolean;
    }
  | { readonly code: 'batch'; readonly batchId: string; readonly batchNumber: number }
  | { readonly code: 'iban'; readonly from: string }
  | { readonly code: 'shared_iban'; readonly names: string };

/** A decision that something may stand against. */
export type Decision = 'validated' | 'approved' | 'rejected' | 'paid';

const toPay: readonly Decision[] = ['paid'];
const toApprove: readonly Decision[] = ['approved', 'paid'];
const stopped: Readonly<Record<Standing['code'], readonly Decision[]>> = {
  closed: toApprove,
  debt: toApprove,
  incomplete: toApprove,
  abroad: toApprove,
  case: ['approved'],
  batch: toPay,
  iban: toPay,
  invoice: toPay,
  shared_iban: [],
  vat: [],
};

/** True where the decision would be refused; of a changed account, until its wait is lifted. */
export function stops(one: Standing, decision: Decision): boolean {
  return stopped[one.code].includes(decision) && (one.code !== 'case' || one.isHeld);
}

/** True where a bulk act leaves it to a decision of its own: what would be refused, and what deserves a look. */
export function setsAside(one: Standing, decision: Decision): boolean {
  return stops(one, decision) || (one.code === 'case' && decision !== 'rejected');
}

interface Said {
  readonly code: string;
  readonly case_id?: string;
  readonly case_status?: DoubtfulCaseStatus;
  readonly is_held?: boolean;
  readonly batch_id?: string;
  readonly batch_number?: number;
  readonly from?: string;
  readonly names?: string;
}

/** As rows have it. What this program does not know is left out: the decision itself is checked by the database. */
export function standingFromWire(said: unknown): readonly Standing[] {
  if (!Array.isArray(said)) return [];
  return (said as readonly Said[]).flatMap((one): readonly Standing[] => {
    const plain = plainCodes.find((code) => code === one.code);
    if (plain !== undefined) return [{ code: plain }];
    switch (one.code) {
      case 'case':
        return [
          {
            code: 'case',
            caseId: one.case_id ?? '',
            status: one.case_status ?? 'open',
            isHeld: one.is_held === true,
          },
        ];
      case 'batch':
        return [{ code: 'batch', batchId: one.batch_id ?? '', batchNumber: one.batch_number ?? 0 }];
      case 'iban':
        return [{ code: 'iban', from: one.from ?? '' }];
      case 'shared_iban':
        return [{ code: 'shared_iban', names: one.names ?? '' }];
      default:
        return [];
    }
  });
}
