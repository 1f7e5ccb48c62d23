import { zodResolver } from '@hookform/resolvers/zod';
import {
  companyAccountForm,
  releaseAboveForm,
  requestRulesForm,
  type CompanyAccount,
} from '@parrain/domain/forms/company-payments';
import { settingsSaved } from '@parrain/domain/messages';
import { formatAmount, type Cents } from '@parrain/domain/money';
import { paymentMethodLabels, paymentMethods } from '@parrain/domain/payment-request';
import type { RequestRules } from '@parrain/domain/request-rules';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import { companyAccountQuery, updateCompanyAccount } from '#api/payments/company-account';
import { updateReleaseAbove } from '#api/payments/update-release-above';
import { editCompanySettings } from '#api/company/edit-company-settings';
import { useEdit } from '#api/transport/use-edit';
import { messageOf } from '#api/transport/api-error';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { Checkbox } from '#ui/checkbox';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Field, FieldError } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { Sought } from '#ui/sought';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { IbanField } from '../../parts/iban-field.tsx';

/** « Réglages des paiements »: the account the company pays from (PO-04), and what it accepts of requests (PO-06). */
export default function PaymentSettingsDialog({
  onClose,
  sought,
}: {
  onClose: () => void;
  /** The block that it was opened for, by the address. */ sought: string | undefined;
}) {
  const { t } = useTranslation();
  const settings = useQuery(companySettings);
  const account = useQuery(companyAccountQuery);
  const failed = [settings, account].find((query) => query.isError && query.data === undefined);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Réglages des paiements')}
      description={t('Le compte qui paie, et ce que vos clients peuvent demander.')}
      footer={<Button onClick={onClose}>{t('Fermer')}</Button>}
    >
      {failed ? (
        <ErrorState onRetry={() => void failed.refetch()} pending={failed.isFetching} />
      ) : settings.data === undefined || account.data === undefined ? (
        <div className="flex flex-col gap-4">
          <Skeleton className="h-28 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      ) : (
        <div className="flex flex-col gap-6">
          <Sought isSought={sought === 'compte'}>
            <Account account={account.data} />
          </Sought>
          <Sought isSought={sought === 'validation'}>
            <FourEyes releaseAbove={settings.data.releaseAbove} />
          </Sought>
          <Sought isSought={sought === 'demandes'}>
            <Rules rules={settings.data.requestRules} />
          </Sought>
        </div>
      )}
    </Dialog>
  );
}

/** The account as it is kept, masked, and its form. A kept IBAN is never shown again: another one is typed whole. */
function Account({ account }: { account: CompanyAccount | null }) {
  const { t } = useTranslation();
  const [isEdited, setEdited] = useState(account === null);
  return (
    <section className="flex flex-col gap-4">
      <div>
        <h3 className="text-base">{t('Compte de l’entreprise')}</h3>
        <p className="text-sm text-encre-soft">{t('Celui que débitent les virements groupés.')}</p>
      </div>
      {account !== null && !isEdited ? (
        <>
          <Facts
            items={[
              { label: t('Titulaire'), value: account.holder },
              { label: t('IBAN'), value: <span className="tabular-digits">{account.iban}</span> },
              ...(account.bic === null
                ? []
                : [{ label: t('BIC'), value: <span className="tabular-digits">{account.bic}</span> }]),
            ]}
          />
          <Button size="sm" className="self-start" onClick={() => setEdited(true)}>
            {t('Changer de compte')}
          </Button>
        </>
      ) : (
        <AccountForm account={account} onDone={() => setEdited(false)} />
      )}
    </section>
  );
}

function AccountForm({ account, onDone }: { account: CompanyAccount | null; onDone: () => void }) {
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
    <form
      method="post"
      noValidate
      aria-label={t('Compte de l’entreprise')}
      className="flex flex-col gap-4"
      onSubmit={(event) => void handleSubmit(() => change.mutate())(event)}
    >
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
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
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary" pending={change.isPending}>
          {t('Enregistrer le compte')}
        </Button>
        {account !== null && (
          <Button size="sm" onClick={onDone} disabled={change.isPending}>
            {t('Annuler')}
          </Button>
        )}
      </div>
    </form>
  );
}

/** PO-01: above an amount, who prepares a batch does not release it. */
function FourEyes({ releaseAbove }: { releaseAbove: Cents | null }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({ release_above: releaseAbove === null ? '' : formatAmount(releaseAbove) });
  const form = useForm({ resolver: zodResolver(releaseAboveForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, formState } = form;
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
    <form
      method="post"
      noValidate
      aria-label={t('Double validation')}
      className="flex flex-col gap-4 border-t border-hairline pt-6"
      onSubmit={(event) => void handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Double validation')}</h3>
        <p className="text-sm text-encre-soft">
          {t(
            'Au-dessus de ce montant, un virement groupé est validé par un autre administrateur que celui qui l’a préparé. Relever ou retirer ce montant demande l’accord d’un autre administrateur, ou 72 heures.',
          )}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Field
        label={t('Montant du virement groupé')}
        optional
        hint={t('Vide : jamais.')}
        error={formState.errors.release_above?.message}
      >
        <AmountInput {...register('release_above')} />
      </Field>
      <Button type="submit" size="sm" variant="primary" className="self-start" pending={change.isPending}>
        {t('Enregistrer la double validation')}
      </Button>
    </form>
  );
}

function Rules({ rules }: { rules: RequestRules }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [opened] = useState({
    smallest_request: formatAmount(rules.smallest),
    payment_methods: [...rules.methods],
    requests_from_day: String(rules.days?.from ?? ''),
    requests_to_day: String(rules.days?.to ?? ''),
  });
  const form = useForm({ resolver: zodResolver(requestRulesForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, formState } = form;
  const { errors } = formState;
  const edit = useEdit(form, opened);
  const change = useMutation({
    mutationFn: () => editCompanySettings('update_request_rules', edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  const day = { type: 'number', min: 1, inputMode: 'numeric', className: 'max-w-28' } as const;
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Demandes de paiement')}
      className="flex flex-col gap-4 border-t border-hairline pt-6"
      onSubmit={(event) => void handleSubmit(() => change.mutate())(event)}
    >
      <div>
        <h3 className="text-base">{t('Demandes de paiement')}</h3>
        <p className="text-sm text-encre-soft">
          {t('S’applique aux nouvelles demandes : celles qui attendent ne changent pas.')}
        </p>
      </div>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Field label={t('Montant le plus petit d’une demande')} error={errors.smallest_request?.message}>
        <AmountInput {...register('smallest_request')} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t('Moyens de paiement proposés')}</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {paymentMethods.map((method) => (
            <Checkbox
              key={method}
              label={t(paymentMethodLabels[method])}
              value={method}
              {...register('payment_methods')}
            />
          ))}
        </div>
        <FieldError error={errors.payment_methods?.message} />
      </fieldset>
      <fieldset>
        <legend className="text-sm font-medium">{t('Jours où une demande peut être faite')}</legend>
        <p className="mt-1 text-sm text-encre-faint">
          {t('Chaque mois, les deux jours compris. Vides : tous les jours.')}
        </p>
        <div className="mt-3 grid grid-cols-2 gap-4 sm:max-w-80">
          <Field label={t('Du')} optional error={errors.requests_from_day?.message}>
            <TextInput {...day} max={28} {...register('requests_from_day')} />
          </Field>
          <Field label={t('Au')} optional error={errors.requests_to_day?.message}>
            <TextInput {...day} max={31} {...register('requests_to_day')} />
          </Field>
        </div>
      </fieldset>
      <Button type="submit" size="sm" variant="primary" className="self-start" pending={change.isPending}>
        {t('Enregistrer les règles')}
      </Button>
    </form>
  );
}
