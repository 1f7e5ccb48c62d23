import { zodResolver } from '@hookform/resolvers/zod';
import type { CommissionSide, CommissionType } from '@parrain/domain/commission';
import {
  commissionScaleForm,
  commissionScalePayload,
  type CommissionScaleInput,
} from '@parrain/domain/forms/commission-scale';
import type { ScaleVersionTarget } from '@parrain/domain/forms/scale-version';
import { firstScaleExists, scaleCreated, scaleVersionPublished } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import type { SimulatedTotals } from '@parrain/domain/scale-simulation';
import { commissionSideToWire } from '@parrain/domain/wire';
import { useMutation } from '@tanstack/react-query';
import { useForm, useWatch, type Resolver } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Scale } from '#api/scales/commission-rates';
import { createCommissionRate } from '#api/scales/create-commission-rate';
import { publishScaleVersion } from '#api/scales/publish-scale-version';
import { totalsToSend } from '#api/scales/simulate-scale';
import { ApiError } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import { useToast } from '#ui/toast';
import { draftOf, rulesToSend, type RulesDraft } from './rules-draft.ts';

/** The form as it is typed. */
export interface ScaleValues {
  name: string;
  description: string;
  client_commission_type: CommissionType;
  client_commission_amount: string;
  commercial_commission_type: CommissionType;
  commercial_commission_amount: string;
  client_hold_days: string;
  from_contract_amount: string;
  client_rules: RulesDraft;
  commercial_rules: RulesDraft;
  /** Null where it has none; empty where no day of the calendar is typed. */
  last_day: string | null;
}

const checked = zodResolver(commissionScaleForm);
const resolver: Resolver<ScaleValues, unknown, CommissionScaleInput> = (values, context, options) =>
  checked(typedScale(values), context, options as unknown as Parameters<typeof checked>[2]) as ReturnType<
    Resolver<ScaleValues, unknown, CommissionScaleInput>
  >;

/** Values as they are typed, in the shape that the form's schema takes. */
export function typedScale(values: ScaleValues) {
  return {
    ...values,
    client_rules: rulesToSend(values.client_rules, values.client_commission_type),
    commercial_rules: rulesToSend(values.commercial_rules, values.commercial_commission_type),
  };
}

/** A simulation that stands on screen: the terms that it is of, and what it said (SC-05). */
export interface Simulated {
  readonly terms: string;
  readonly totals: SimulatedTotals;
}

/** The terms of a draft, to tell whether another has the same: its name and its description change nothing. */
export function termsKey(input: CommissionScaleInput): string {
  return JSON.stringify(commissionScalePayload({ ...input, name: '', description: null }));
}

/** Totals to publish with: of a simulation of these very terms alone. */
function seenOf(input: CommissionScaleInput, simulated: Simulated | undefined) {
  return simulated?.terms === termsKey(input) ? totalsToSend(simulated.totals) : null;
}

interface ScaleFormOptions {
  /** The scale of which a new version is published; null for a new one. */
  replaces: Scale | null;
  /** Its newest version when the form was opened, and the day on which this one begins: null from now on (SC-01). */
  version?: (Pick<ScaleVersionTarget, 'seenNumber' | 'firstDay'> & { simulated: Simulated | undefined }) | undefined;
  /** Name of the company's first, whose form asks for none: it is made only where there is none (UI-07). */
  firstName?: string;
  onCreated: () => void;
}

/** The form of a scale and what creates it (AD-08, S-12), for the dialog and for the first steps. */
export function useScaleForm({ replaces, version, firstName, onCreated }: ScaleFormOptions) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useForm<ScaleValues, unknown, CommissionScaleInput>({
    resolver,
    mode: 'onTouched',
    defaultValues: {
      name: replaces?.name ?? firstName ?? '',
      description: replaces?.description ?? '',
      client_commission_type: replaces?.scale.client.type ?? 'percentage',
      client_commission_amount: typed(replaces?.scale.client),
      commercial_commission_type: replaces?.scale.commercial.type ?? 'percentage',
      commercial_commission_amount: typed(replaces?.scale.commercial),
      client_hold_days: String(replaces?.clientHoldDays ?? 0),
      from_contract_amount: replaces?.fromContractAmount ? toWire(replaces.fromContractAmount).replace('.', ',') : '',
      client_rules: draftOf(replaces?.scale.client),
      commercial_rules: draftOf(replaces?.scale.commercial),
      last_day: replaces?.lastDay ?? null,
    },
  });
  useDraft(form, `scale/${replaces?.id ?? ''}`);
  const values = useWatch({ control: form.control }) as ScaleValues;
  const creation = useMutation({
    mutationFn: (input: CommissionScaleInput) =>
      replaces === null
        ? createCommissionRate(input, { isFirst: firstName !== undefined })
        : publishScaleVersion(input, {
            scaleId: replaces.id,
            seenNumber: version?.seenNumber ?? 0,
            firstDay: version?.firstDay ?? null,
            seenSimulation: seenOf(input, version?.simulated),
          }),
    onSuccess: () => {
      toast.success(t(replaces === null ? scaleCreated : scaleVersionPublished));
      onCreated();
    },
    onError: (error) => {
      // Another window has made it: the step is done.
      if (error instanceof ApiError && error.code === 'first_scale_exists') {
        toast.info(t(firstScaleExists));
        refresh();
      }
      setServerIssues(
        error,
        [
          'name',
          'description',
          'client_commission_amount',
          'commercial_commission_amount',
          'client_hold_days',
          'from_contract_amount',
        ],
        form.setError,
      );
    },
  });
  return { form, values, creation };
}

/** A side's number as a French hand would type it. */
function typed(side: CommissionSide | undefined): string {
  return side === undefined ? '' : commissionSideToWire(side).amount.replace('.', ',');
}
