import { zodResolver } from '@hookform/resolvers/zod';
import { formatDateTime } from '@parrain/domain/date';
import { isOutsideEea } from '@parrain/domain/eea';
import { bankAccountForm } from '@parrain/domain/forms/company-payments';
import { isNever } from '@parrain/domain/never';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { bankAccountQuery, updateBankAccount, type KeptBankAccount } from '#api/payments/bank-account';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { AbroadFields } from '../abroad-fields.tsx';
import { noAbroad } from '../no-abroad.ts';
import { IbanField } from '../iban-field.tsx';
import { useSendsMail } from '../use-sends-mail.ts';

/** PO-05: the account on which a commercial who is an agent or a company is paid. It is never shown whole again: another is typed. */
export function BankAccountCard() {
  const { t } = useTranslation();
  const profile = useProfile();
  const account = useQuery(bankAccountQuery(profile.id)).data;
  const [isEdited, setEdited] = useState(false);
  return (
    <Card>
      <CardHeader
        title={t('Compte bancaire')}
        level={4}
        actions={
          account !== undefined &&
          !isEdited && (
            <Button onClick={() => setEdited(true)}>
              {account === null ? t('Donner un compte') : t('Changer de compte')}
            </Button>
          )
        }
      />
      <CardBody className="flex flex-col gap-4">
        <p className="text-encre-soft">
          {t(
            'Vos commissions y sont virées si vous êtes agent commercial ou société. Salarié, vous êtes payé avec la paie.',
          )}
        </p>
        {account === undefined ? (
          <Skeleton className="h-16 w-full" />
        ) : account === null ? (
          !isEdited && <p className="font-medium">{t('Aucun compte pour le moment.')}</p>
        ) : (
          <StoredAccount account={account} />
        )}
        {isEdited && <AccountForm onClose={() => setEdited(false)} />}
      </CardBody>
    </Card>
  );
}

function StoredAccount({ account }: { account: KeptBankAccount }) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const [now] = useState(() => new Date());
  return (
    <>
      <Facts
        items={[
          { label: t('Titulaire'), value: account.holder },
          { label: t('IBAN'), value: <span className="tabular-digits">{account.iban}</span> },
          ...(account.bic === null ? [] : [{ label: t('BIC'), value: account.bic }]),
        ]}
      />
      {isNever(account.usableFrom) && (
        <Notice tone="warning" title={t('Compte refusé par la banque')}>
          {t('Rien n’y est plus viré : donnez l’IBAN d’un autre compte.')}
        </Notice>
      )}
      {account.bic === null && isOutsideEea(account.iban) && (
        <Notice tone="warning" title={t('BIC et adresse manquants')}>
          {t('Hors de l’Espace économique européen, rien n’est viré sans eux : donnez ce compte de nouveau.')}
        </Notice>
      )}
      {new Date(account.usableFrom) > now && !isNever(account.usableFrom) && (
        <Notice tone="warning" title={t('Compte changé')}>
          {t(
            sendsMail
              ? 'Rien n’y est viré avant le {{when}}, sauf si vous le confirmez par le lien de votre e-mail.'
              : 'Rien n’y est viré avant le {{when}}.',
            { when: formatDateTime(account.usableFrom) },
          )}
        </Notice>
      )}
    </>
  );
}

function AccountForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { fullName } = useProfile();
  const { register, control, handleSubmit, formState } = useForm({
    resolver: zodResolver(bankAccountForm),
    mode: 'onTouched',
    defaultValues: { holder: fullName, iban: '', ...noAbroad },
  });
  const { errors } = formState;
  const iban = useWatch({ control, name: 'iban' });
  const change = useMutation({
    mutationFn: updateBankAccount,
    onSuccess: () => {
      toast.success(t('Compte bancaire enregistré'));
      onClose();
    },
  });
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Compte bancaire')}
      className="flex flex-col gap-5 border-t border-hairline pt-5"
      onSubmit={(event) => void handleSubmit((asked) => change.mutate(asked))(event)}
    >
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le compte n’a pas pu être enregistré. Réessayez.'))}</Notice>
      )}
      <Field label={t('Titulaire du compte')} hint={t('Tel que la banque le connaît.')} error={errors.holder?.message}>
        <TextInput autoComplete="off" {...register('holder')} />
      </Field>
      <IbanField control={control} name="iban" error={errors.iban?.message} />
      {isOutsideEea(iban ?? '') && (
        <AbroadFields
          control={control}
          register={register}
          nameOf={(field) => field}
          errorOf={(field) => errors[field]?.message}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={change.isPending}>
          {t('Enregistrer le compte')}
        </Button>
        <Button variant="quiet" disabled={change.isPending} onClick={onClose}>
          {t('Annuler')}
        </Button>
      </div>
    </form>
  );
}
