import type { Tone } from './sale.ts';

/** Statuses of a commercial's month (PO-05). */
export const commissionPeriodStatuses = ['open', 'due', 'in_batch', 'carried', 'paid'] as const;
export type CommissionPeriodStatus = (typeof commissionPeriodStatuses)[number];

export const commissionPeriodLabels: Readonly<Record<CommissionPeriodStatus, string>> = {
  open: 'En cours',
  due: 'À payer',
  in_batch: 'Virement en cours',
  carried: 'Reporté',
  paid: 'Payé',
};

export const commissionPeriodTones: Readonly<Record<CommissionPeriodStatus, Tone>> = {
  open: 'blue',
  due: 'amber',
  in_batch: 'indigo',
  carried: 'neutral',
  paid: 'green',
};
