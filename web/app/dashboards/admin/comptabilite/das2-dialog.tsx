import { zodResolver } from '@hookform/resolvers/zod';
import { das2SettingsForm, regularFromMax } from '@parrain/domain/forms/das2';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updateDas2Settings, type Das2Settings } from '#api/payments/das2';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

/** PP-04: which payments in kind count towards the declared sums. AC-10: from how many contracts a particulier is regular. */
export default function Das2Dialog({ settings, onClose }: { settings: Das2Settings; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    counts_gift_cards: settings.countsGiftCards,
    counts_discounts: settings.countsDiscounts,
    regular_from: String(settings.regularFrom),
  });
  const form = useForm({ resolver: zodResolver(das2SettingsForm), defaultValues: opened });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => updateDas2Settings(edit.changes()),
    onSuccess: () => {
      onClose();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  return (
    <FormDialog
      title={t('Réglages de la DAS2')}
      description={t(
        'Les virements et les dons aux associations sont toujours comptés. Votre comptable décide du reste.',
      )}
      onClose={onClose}
      pending={change.isPending}
      onSubmit={form.handleSubmit(() => change.mutate())}
      failure={change.isError ? messageOf(change.error, t('Le réglage n’a pas pu être enregistré.')) : undefined}
    >
      <Checkbox label={t('Compter les chèques cadeaux')} {...form.register('counts_gift_cards')} />
      <Checkbox label={t('Compter les remises')} {...form.register('counts_discounts')} />
      <Field
        label={t('Particulier régulier : contrats en douze mois')}
        hint={t('À partir de ce nombre, « À faire » vous le signale. La loi ne fixe aucun plafond ; 3 par défaut.')}
        error={form.formState.errors.regular_from?.message}
      >
        <TextInput
          type="number"
          min={1}
          max={regularFromMax}
          inputMode="numeric"
          className="max-w-28"
          {...form.register('regular_from')}
        />
      </Field>
    </FormDialog>
  );
}
