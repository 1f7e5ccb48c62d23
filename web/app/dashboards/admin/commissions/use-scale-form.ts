import { zodResolver } from '@hookform/resolvers/zod';
import type { CommissionRate, CommissionSide } from '@parrain/domain/commission';
import { commissionScaleForm, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { scaleCreated } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { commissionSideToWire } from '@parrain/domain/wire';
import { useMutation } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { createCommissionRate } from '#api/scales/create-commission-rate';
import { setServerIssues } from '#api/transport/form-issues';
import { useDraft } from '#api/transport/use-draft';
import { useToast } from '#ui/toast';

interface ScaleFormOptions {
  /** The scale of which a new version is made; null for a new one. */
  replaces: CommissionRate | null;
  /** The name of a new one, where the form asks for none. */
  name?: string;
  onCreated: () => void;
}

/** The form of a scale and what creates it (AD-08, S-12), for the dialog and for the first steps. */
export function useScaleForm({ replaces, name = '', onCreated }: ScaleFormOptions) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useForm({
    resolver: zodResolver(commissionScaleForm),
    mode: 'onTouched',
    defaultValues: {
      name: replaces?.name ?? name,
      description: replaces?.description ?? '',
      client_commission_type: replaces?.scale.client.type ?? 'percentage',
      client_commission_amount: typed(replaces?.scale.client),
      commercial_commission_type: replaces?.scale.commercial.type ?? 'percentage',
      commercial_commission_amount: typed(replaces?.scale.commercial),
      client_hold_days: String(replaces?.clientHoldDays ?? 0),
      from_contract_amount: replaces?.fromContractAmount ? toWire(replaces.fromContractAmount).replace('.', ',') : '',
    },
  });
  useDraft(form, `scale/${replaces?.id ?? ''}`);
  const values = useWatch({ control: form.control });
  const creation = useMutation({
    mutationFn: (input: CommissionScaleInput) => createCommissionRate(input, replaces?.id ?? null),
    onSuccess: () => {
      toast.success(t(scaleCreated), replaces ? { description: t('La version précédente est archivée.') } : {});
      onCreated();
    },
    onError: (error) =>
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
      ),
  });
  return { form, values, creation };
}

/** A side's number as a French hand would type it. */
function typed(side: CommissionSide | undefined): string {
  return side === undefined ? '' : commissionSideToWire(side).amount.replace('.', ',');
}
