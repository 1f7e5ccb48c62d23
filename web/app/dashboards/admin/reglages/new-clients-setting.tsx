import { zodResolver } from '@hookform/resolvers/zod';
import { companyNewClientsForm } from '@parrain/domain/forms/company-new-clients';
import { newClientsGiven, newClientsLabels } from '@parrain/domain/new-clients';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { RadioGroup } from '#ui/radio-group';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { SettingForm } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';
import { useSetting } from './use-setting.ts';

/** DF-06: to whom the clients who register alone go. */
export function NewClientsSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  const [opened] = useState({ new_clients: settings.newClients, new_clients_to: settings.newClientsTo });
  const form = useForm({ resolver: zodResolver(companyNewClientsForm), mode: 'onTouched', defaultValues: opened });
  const change = useSetting(form, opened, 'update_new_clients');
  const given = useWatch({ control: form.control, name: 'new_clients' });
  return (
    <SettingForm
      title={title}
      description={t('Un client qui s’inscrit seul ne peut inviter personne tant qu’aucun commercial ne le suit.')}
      onSubmit={form.handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Appliquer l’attribution')}
    >
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
    </SettingForm>
  );
}
