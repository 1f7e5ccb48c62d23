import { zodResolver } from '@hookform/resolvers/zod';
import { accountUseHints, accountUseLabels, accountUses, type AccountingSettings } from '@parrain/domain/accounting';
import { accountingForm } from '@parrain/domain/forms/accounting';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updateAccounting } from '#api/payments/accounting';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

const monthFormat = new Intl.DateTimeFormat('fr-FR', { timeZone: 'UTC', month: 'long' });
const months = Array.from({ length: 12 }, (_, place) => ({
  value: String(place + 1),
  label: monthFormat.format(Date.UTC(2026, place)),
}));

/** EX-02, AC-02, AC-03, AC-06: the journal's name, what it contains, and the account of each kind of movement. */
export default function AccountingDialog({ settings, onClose }: { settings: AccountingSettings; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    journal_code: settings.journalCode,
    journal_label: settings.journalLabel,
    accounts: settings.accounts,
    posts_payments: settings.postsPayments,
    posts_payroll: settings.postsPayroll,
    accrues: settings.accrues,
    year_ends_in: settings.yearEndsIn,
  });
  const form = useForm({ resolver: zodResolver(accountingForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => updateAccounting(edit.changes()),
    onSuccess: () => {
      onClose();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  const { errors } = form.formState;
  const errorOf = (use: string): { number?: { message?: string }; label?: { message?: string } } | undefined =>
    (errors.accounts as Record<string, { number?: { message?: string }; label?: { message?: string } }> | undefined)?.[
      use
    ];
  return (
    <FormDialog
      size="lg"
      title={t('Réglages du journal')}
      description={t(
        'Les comptes proposés sont ceux du plan comptable général les plus courants : votre comptable décide. Les mois clos gardent les leurs.',
      )}
      onClose={onClose}
      pending={change.isPending}
      onSubmit={form.handleSubmit(() => change.mutate())}
      failure={change.isError ? messageOf(change.error, t('Les comptes n’ont pas pu être enregistrés.')) : undefined}
    >
      <div className="grid gap-4 sm:grid-cols-[9rem_1fr]">
        <Field label={t('Code du journal')} error={errors.journal_code?.message}>
          <TextInput {...form.register('journal_code')} />
        </Field>
        <Field label={t('Nom du journal')} error={errors.journal_label?.message}>
          <TextInput {...form.register('journal_label')} />
        </Field>
      </div>
      <div className="grid gap-3">
        <Checkbox
          label={t('Écrire les paiements')}
          description={t('Décochez si votre journal de banque les solde contre le compte du bénéficiaire.')}
          {...form.register('posts_payments')}
        />
        <Checkbox
          label={t('Écrire les commissions des salariés (641 et 428)')}
          description={t('Sinon elles sont dans l’export pour la paie seulement, qui les comptabilise.')}
          {...form.register('posts_payroll')}
        />
        <Checkbox
          label={t('Écrire les factures non parvenues en fin d’exercice (408)')}
          description={t('Ce qui est gagné et pas encore payé, extourné le premier jour de l’exercice suivant.')}
          {...form.register('accrues')}
        />
      </div>
      <Controller
        control={form.control}
        name="year_ends_in"
        render={({ field }) => (
          <Field label={t('Dernier mois de l’exercice')} className="sm:max-w-60">
            <Select
              options={months}
              value={String(field.value)}
              onValueChange={(month) => field.onChange(Number.parseInt(month, 10))}
              onBlur={field.onBlur}
            />
          </Field>
        )}
      />
      {accountUses.map((use) => (
        <fieldset key={use} className="min-w-0 border-t border-hairline pt-4">
          <legend className="float-left mb-2 w-full font-medium">{t(accountUseLabels[use])}</legend>
          <div className="clear-both grid gap-4 sm:grid-cols-[9rem_1fr]">
            <Field label={t('Compte')} error={errorOf(use)?.number?.message}>
              <TextInput inputMode="numeric" {...form.register(`accounts.${use}.number`)} />
            </Field>
            <Field label={t('Libellé')} error={errorOf(use)?.label?.message}>
              <TextInput {...form.register(`accounts.${use}.label`)} />
            </Field>
          </div>
          {accountUseHints[use] && <p className="mt-2 text-sm text-encre-soft">{t(accountUseHints[use])}</p>}
        </fieldset>
      ))}
    </FormDialog>
  );
}
