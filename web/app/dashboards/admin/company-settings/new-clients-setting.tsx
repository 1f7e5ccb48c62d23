import { zodResolver } from '@hookform/resolvers/zod';
import { companyNewClientsForm } from '@parrain/domain/forms/company-new-clients';
import { settingsSaved } from '@parrain/domain/messages';
import { newClientsGiven, newClientsLabels } from '@parrain/domain/new-clients';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import type { CompanySettings } from '#api/company/company-settings';
import { editCompanySettings } from '#api/company/edit-company-settings';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { useToast } from '#ui/toast';
import { CommercialPicker } from '../parts/commercial-picker.tsx';

/** DF-06: to whom the clients who register alone go; saved on its own. */
export function NewClientsSetting({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ new_clients: settings.newClients, new_clients_to: settings.newClientsTo });
  const form = useForm({ resolver: zodResolver(companyNewClientsForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_new_clients', edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  const given = useWatch({ control: form.control, name: 'new_clients' });
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Nouveaux clients')}
      className="flex flex-col gap-4 border-t border-hairline pt-5"
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Nouveaux clients')}</h3>
        <p className="text-sm text-encre-soft">
          {t('Un client qui s’inscrit seul ne peut inviter personne tant qu’aucun commercial ne le suit.')}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <RadioGroup
        legend={t('Les attribuer d’office')}
        options={newClientsGiven.map((value) => ({ value, label: t(newClientsLabels[value]) }))}
        {...form.register('new_clients')}
      />
      {given === 'to_one' && (
        <Field label={t('Commercial qui les reçoit')} error={form.formState.errors.new_clients_to?.message}>
          <Controller
            control={form.control}
            name="new_clients_to"
            render={({ field }) => (
              <CommercialPicker activeOnly commercialId={field.value ?? null} onChange={field.onChange} />
            )}
          />
        </Field>
      )}
      <Button type="submit" size="sm" className="self-start" pending={change.isPending}>
        {t('Appliquer l’attribution')}
      </Button>
    </form>
  );
}
