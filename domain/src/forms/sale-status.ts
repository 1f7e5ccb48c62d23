import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import type { Cents } from '../money.ts';
import { needsContractDetails, saleChoices, type SaleChoice } from '../sale.ts';
import { callBackOfOpenOnly, isOpenChoice } from '../today.ts';
import { across, choice, id, optionalAmount, optionalText, report, seenVersion } from './fields.ts';
import { followUpFields } from './follow-up.ts';
import { contractDescriptionLengthMax } from './limits.ts';

/** The commercial's choice of status for a sale (CO-03). */
export interface SaleStatusUpdate {
  readonly saleId: string;
  readonly choice: SaleChoice;
  readonly contractAmount: Cents | null;
  readonly contractDescription: string | null;
  readonly commercialNotes: string | null;
  /** For the company alone, as the day below; of a payload without them they are null, and nothing is to be written. */
  readonly privateNote: string | null;
  /** A day of France: « 2026-11-24 ». */
  readonly callBackOn: string | null;
}

const wireChoices = [...saleChoices, 'pending_final_validation'] as const;

/** The status modal and the payload of sales-management's update_status (V-09, V-10, F-12), with what follows from it (UI-06). */
export const saleStatusForm = z.pipe(
  z
    .object({
      sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
      status: choice(wireChoices, messages.saleStatusRequired),
      contract_amount: optionalAmount(),
      contract_description: optionalText(contractDescriptionLengthMax),
      commercial_notes: optionalText(),
      ...followUpFields,
    })
    .check(
      across((form: StatusFields, context) => {
        if (form.contract_amount === 0n) report(context, messages.contractAmountNotPositive, ['contract_amount']);
        if (form.call_back_on !== null && !isOpenChoice(toChoice(form.status)))
          report(context, callBackOfOpenOnly, ['call_back_on']);
        if (!needsContractDetails(toChoice(form.status))) return;
        for (const field of ['contract_amount', 'contract_description'] as const) {
          if (form[field] === null) {
            report(context, messages.contractDetailsRequired, [field], { failure: 'contract_details_required' });
          }
        }
      }),
    ),
  z.transform((form): SaleStatusUpdate => ({
    saleId: form.sale_id,
    choice: toChoice(form.status),
    contractAmount: form.contract_amount,
    contractDescription: form.contract_description,
    commercialNotes: form.commercial_notes,
    privateNote: form.private_note,
    callBackOn: form.call_back_on,
  })),
);

/** A move that is taken back, by the version it made (NV-09). */
export const saleStatusUndoForm = z.pipe(
  z.object({
    sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
    seen_version: seenVersion(),
  }),
  z.transform((form) => ({ saleId: form.sale_id, seenVersion: form.seen_version })),
);

type WireChoice = (typeof wireChoices)[number];

interface StatusFields {
  status: WireChoice;
  contract_amount: unknown;
  contract_description: unknown;
  call_back_on: unknown;
}

function toChoice(status: WireChoice): SaleChoice {
  return status === 'pending_final_validation' ? 'pending_validation' : status;
}
