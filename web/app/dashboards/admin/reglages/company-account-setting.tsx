import { zodResolver } from '@hookform/resolvers/zod';
import { companyAccountForm, type CompanyAccount } from '@parrain/domain/forms/company-payments';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { companyAccountQuery, updateCompanyAccount } from '#api/payments/company-account';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { IbanField } from '../../parts/iban-field.tsx';
import { SettingCard, SettingForm, SettingWaits } from './setting-card.tsx';

interface CompanyAccountSettingProps {
  title: string;
  level?: 3 | 4 | undefined;
}

/** PO-04: the account the company pays from, masked, and its form. A kept IBAN is never shown again: another one is typed whole. */
export function CompanyAccountSetting({ title, level }: CompanyAccountSettingProps) {
  const account = useQuery(companyAccountQuery);
  return account.data === undefined ? (
    <SettingWaits title={title} query={account} />
  ) : (
    <Account title={title} level={level} account={account.data} />
  );
}

function Account({ title, level, account }: CompanyAccountSettingProps & { account: CompanyAccount | null }) {
  const { t } = useTranslation();
  const [isEdited, setEdited] = useState(account === null);
  const description = t('Celui que débitent les virements groupés.');
  if (account === null || isEdited)
    return (
      <AccountForm
        title={title}
        level={level}
        description={description}
        account={account}
        onDone={() => setEdited(false)}
      />
    );
  const { holder, iban, bic } = account;
  return (
    <SettingCard title={title} level={level} description={description}>
      <Facts
        items={[
          { label: t('Titulaire'), value: holder },
          { label: t('IBAN'), value: <span className="tabular-digits">{iban}</span> },
          ...(bic === null ? [] : [{ label: t('BIC'), value: <span className="tabular-digits">{bic}</span> }]),
        ]}
      />
      <Button size="sm" className="self-start" onClick={() => setEdited(true)}>
        {t('Changer de compte')}
      </Button>
    </SettingCard>
  );
}

interface AccountFormProps extends CompanyAccountSettingProps {
  description: string;
  account: CompanyAccount | null;
  onDone: () => void;
}

function AccountForm({ title, level, description, account, onDone }: AccountFormProps) {
  const { t } = useTranslation();
  const toast = useToast();
  // A kept account is replaced whole: what its form saw is the one in place, masked.
  const [opened] = useState({ holder: account?.holder ?? '', iban: account?.iban ?? '', bic: account?.bic ?? '' });
  const form = useForm({
    resolver: zodResolver(companyAccountForm),
    mode: 'onTouched',
    defaultValues: { ...opened, iban: '', bic: '' },
  });
  const { register, control, handleSubmit, formState } = form;
  const edit = useEdit(form, opened);
  const { errors } = formState;
  const change = useMutation({
    mutationFn: () => updateCompanyAccount(edit.changes()),
    onSuccess: () => {
      toast.success(t(settingsSaved));
      onDone();
    },
    onError: edit.showChanged,
  });
  return (
    <SettingForm
      title={title}
      level={level}
      description={description}
      onSubmit={handleSubmit(() => change.mutate())}
      change={change}
      submit={t('Enregistrer le compte')}
      foot={
        account !== null && (
          <Button size="sm" className="self-start" onClick={onDone} disabled={change.isPending}>
            {t('Annuler')}
          </Button>
        )
      }
    >
      <Field label={t('Titulaire du compte')} hint={t('Tel que la banque le connaît.')} error={errors.holder?.message}>
        <TextInput autoComplete="organization" {...register('holder')} />
      </Field>
      <IbanField control={control} name="iban" error={errors.iban?.message} />
      <Field label={t('BIC')} optional error={errors.bic?.message}>
        <TextInput
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          className="tabular-digits max-w-56"
          {...register('bic')}
        />
      </Field>
    </SettingForm>
  );
}
