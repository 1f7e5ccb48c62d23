import { zodResolver } from '@hookform/resolvers/zod';
import { releaseAboveForm } from '@parrain/domain/forms/company-payments';
import { formatAmount } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updateReleaseAbove } from '#api/payments/update-release-above';
import { useEdit } from '#api/transport/use-edit';
import { AmountInput } from '#ui/amount-input';
import { Field } from '#ui/field';
import { useToast } from '#ui/toast';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';

/** PO-01, AC-05: above an amount, who prepares a batch does not release it, and a waiver or an adjustment waits for another admin. */
export function FourEyesSetting({ title, settings: { releaseAbove } }: SettingProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ release_above: releaseAbove === null ? '' : formatAmount(releaseAbove) });
  const form = useForm({ resolver: zodResolver(releaseAboveForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => updateReleaseAbove(edit.changes()),
    onSuccess: ({ message, waits }) => {
      // A change that waits for another admin is not what the company has.
      if (waits !== true) edit.saved();
      toast.success(message);
    },
    onError: edit.showChanged,
  });
  return (
    <SettingForm
      title={title}
      description={t(
        'Au-dessus de ce montant, un virement groupé, l’abandon d’une dette et un ajustement en faveur d’un bénéficiaire sont validés par un autre administrateur que celui qui les a préparés. Les abandons et les ajustements d’une même personne se comptent ensemble, sur douze mois. Relever ou retirer ce montant demande l’accord d’un autre administrateur, ou 72 heures.',
      )}
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Enregistrer la double validation')}
    >
      <Field
        label={t('Montant à partir duquel il faut être deux')}
        optional
        hint={t('Vide : jamais.')}
        error={form.formState.errors.release_above?.message}
      >
        <AmountInput {...form.register('release_above')} />
      </Field>
    </SettingForm>
  );
}
