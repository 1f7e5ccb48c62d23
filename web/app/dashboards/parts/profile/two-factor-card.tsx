import { zodResolver } from '@hookform/resolvers/zod';
import { requiredLine } from '@parrain/domain/forms/fields';
import { factorNameLengthMax } from '@parrain/domain/forms/limits';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, KeyRound, LifeBuoy, MessageSquareText, ShieldAlert, Smartphone, Trash2 } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { messageOf } from '#api/transport/api-error';
import { canUsePasskeys } from '#api/account/can-use-passkeys';
import { queryClient } from '#api/transport/query-client';
import { addSecurityKey, secondFactorsQuery, type SecondFactor } from '#api/account/second-factors';
import { signInWaysQuery } from '#api/account/sign-in-ways';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { IconButton } from '#ui/icon-button';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { lazyPart } from '#ui/lazy-part';
import { AddPhoneDialog } from './add-phone-dialog.tsx';
import { Line } from './line.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RemoveFactorDialog } from './remove-factor-dialog.tsx';

const TotpEnrolment = lazyPart(
  async () => ({ default: (await import('../../../account/totp-enrolment.tsx')).TotpEnrolment }),
  <Skeleton className="h-72 w-full" />,
);

type Opened = { kind: 'totp' | 'webauthn' | 'phone' } | { kind: 'remove'; factor: SecondFactor };

/** « Double authentification »: what is asked after the password (AU-17). */
export function TwoFactorCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const factors = useQuery(secondFactorsQuery);
  const ways = useQuery(signInWaysQuery);
  const [opened, setOpened] = useState<Opened>();
  const steps = factors.data?.filter((factor) => factor.kind !== 'recovery-codes') ?? [];
  const isOn = steps.length > 0;
  const added = (title: string) => {
    toast.success(title);
    setOpened(undefined);
    void queryClient.invalidateQueries({ queryKey: secondFactorsQuery.queryKey });
  };
  return (
    <Card>
      <CardHeader
        title={t('Double authentification')}
        level={4}
        actions={
          factors.data &&
          (isOn ? (
            <Badge tone="green" icon={<CircleCheck aria-hidden />}>
              {t('Activée')}
            </Badge>
          ) : (
            <Badge tone="amber" icon={<ShieldAlert aria-hidden />}>
              {t('Désactivée')}
            </Badge>
          ))
        }
      />
      <CardBody className="flex flex-col gap-4">
        <p className="text-encre-soft">
          {isOn
            ? t(
                'Après votre mot de passe, une deuxième étape vous est demandée. Gardez-en deux : l’une dépanne l’autre.',
              )
            : t(
                'Un mot de passe volé ne suffit plus : à la connexion, un code de votre téléphone ou votre clé de sécurité est demandé en plus.',
              )}
        </p>
        {factors.data === undefined ? (
          factors.isError ? (
            <ErrorState onRetry={() => void factors.refetch()} pending={factors.isFetching} />
          ) : (
            <Skeleton className="h-12 w-full" />
          )
        ) : (
          isOn && (
            <ul className="divide-y divide-hairline border-y border-hairline">
              {steps.map((factor) => (
                <FactorLine key={factor.id} factor={factor} onRemove={() => setOpened({ kind: 'remove', factor })} />
              ))}
              <RecoveryCodes areThere={factors.data.length > steps.length} />
            </ul>
          )
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            variant={isOn || factors.data === undefined ? 'secondary' : 'primary'}
            icon={<Smartphone aria-hidden />}
            disabled={factors.data === undefined}
            onClick={() => setOpened({ kind: 'totp' })}
          >
            {t('Ajouter une application')}
          </Button>
          {canUsePasskeys() && (
            <Button
              icon={<KeyRound aria-hidden />}
              disabled={factors.data === undefined}
              onClick={() => setOpened({ kind: 'webauthn' })}
            >
              {t('Ajouter une clé de sécurité')}
            </Button>
          )}
          {ways.data?.phoneFactor === true && steps.every((factor) => factor.kind !== 'phone') && (
            <Button
              icon={<MessageSquareText aria-hidden />}
              disabled={factors.data === undefined}
              onClick={() => setOpened({ kind: 'phone' })}
            >
              {t('Ajouter un numéro')}
            </Button>
          )}
        </div>
      </CardBody>
      {opened?.kind === 'phone' && (
        <AddPhoneDialog
          name={freeName(t('Codes par SMS'), new Set(steps.map((factor) => factor.name)))}
          onClose={() => setOpened(undefined)}
          onDone={() => added(t('Numéro ajouté : la double authentification est activée'))}
        />
      )}
      {opened?.kind === 'totp' && (
        <AddTotpDialog
          taken={factors.data ?? []}
          onClose={() => setOpened(undefined)}
          onDone={() => added(t('Application ajoutée : la double authentification est activée'))}
        />
      )}
      {opened?.kind === 'webauthn' && (
        <AddKeyDialog
          taken={factors.data ?? []}
          onClose={() => setOpened(undefined)}
          onDone={() => added(t('Clé ajoutée : la double authentification est activée'))}
        />
      )}
      {opened?.kind === 'remove' && (
        <RemoveFactorDialog
          factor={opened.factor}
          steps={steps}
          hasRecoveryCodes={(factors.data?.length ?? 0) > steps.length}
          onClose={() => setOpened(undefined)}
          onDone={() => added(t('Deuxième étape retirée'))}
        />
      )}
    </Card>
  );
}

function FactorLine({ factor, onRemove }: { factor: SecondFactor; onRemove: () => void }) {
  const { t } = useTranslation();
  const kind =
    factor.kind === 'webauthn'
      ? t('Clé de sécurité')
      : factor.kind === 'phone'
        ? t('Téléphone')
        : t('Application d’authentification');
  const name = factor.name || kind;
  return (
    <Line
      icon={icons[factor.kind]}
      title={name}
      detail={
        <>
          {name !== kind && `${kind}, `}
          {t('ajoutée le')} <DateText value={factor.createdAt} />
        </>
      }
      actions={
        <IconButton tone="danger" icon={<Trash2 />} label={t('Retirer {{name}}', { name })} onClick={onRemove} />
      }
    />
  );
}

const icons: Readonly<Record<SecondFactor['kind'], ReactNode>> = {
  totp: <Smartphone />,
  webauthn: <KeyRound />,
  phone: <MessageSquareText />,
  'recovery-codes': <LifeBuoy />,
};

interface AddDialogProps {
  taken: readonly SecondFactor[];
  onClose: () => void;
  onDone: () => void;
}

/** First its name, then the picture and the first code. */
function AddTotpDialog({ taken, onClose, onDone }: AddDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState<string>();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Ajouter une application')}
      description={t('Une application de votre téléphone affichera les codes de connexion.')}
    >
      {name === undefined ? (
        <NameForm
          taken={taken}
          suggestion={t('Mon téléphone')}
          action={t('Continuer')}
          onName={setName}
          onCancel={onClose}
        />
      ) : (
        <TotpEnrolment name={name} onDone={onDone} onCancel={onClose} />
      )}
    </Dialog>
  );
}

function AddKeyDialog({ taken, onClose, onDone }: AddDialogProps) {
  const { t } = useTranslation();
  const addition = useMutation({ mutationFn: addSecurityKey, onSuccess: onDone });
  return (
    <Dialog
      open
      onOpenChange={() => !addition.isPending && onClose()}
      title={t('Ajouter une clé de sécurité')}
      description={t('Une clé USB ou NFC, ou cet appareil lui-même : votre navigateur vous guidera.')}
    >
      <NameForm
        taken={taken}
        suggestion={t('Ma clé de sécurité')}
        action={t('Enregistrer la clé')}
        pending={addition.isPending}
        failure={
          addition.isError ? messageOf(addition.error, t('La clé n’a pas pu être ajoutée. Réessayez.')) : undefined
        }
        onName={(name) => addition.mutate(name)}
        onCancel={onClose}
      />
    </Dialog>
  );
}

interface NameFormProps {
  taken: readonly SecondFactor[];
  suggestion: string;
  action: string;
  pending?: boolean | undefined;
  failure?: string | undefined;
  onName: (name: string) => void;
  onCancel: () => void;
}

function NameForm({ taken, suggestion, action, pending = false, failure, onName, onCancel }: NameFormProps) {
  const { t } = useTranslation();
  const names = useMemo(() => new Set(taken.map((factor) => factor.name)), [taken]);
  const form = useForm({
    resolver: zodResolver(nameForm),
    mode: 'onTouched',
    defaultValues: { name: freeName(suggestion, names) },
  });
  return (
    <form
      method="post"
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) =>
        void form.handleSubmit(({ name }) => {
          if (names.has(name)) form.setError('name', { message: t('Ce nom est déjà pris.') });
          else onName(name);
        })(event)
      }
    >
      {failure && <Notice tone="error">{failure}</Notice>}
      <Field
        label={t('Nom')}
        hint={t('Pour la reconnaître dans la liste et à la connexion.')}
        error={form.formState.errors.name?.message}
      >
        <TextInput autoComplete="off" {...form.register('name')} />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={pending}>
          {action}
        </Button>
        <Button variant="quiet" disabled={pending} onClick={onCancel}>
          {t('Annuler')}
        </Button>
      </div>
    </form>
  );
}

const nameForm = z.object({ name: requiredLine('Le nom est requis', factorNameLengthMax) });

/** « Mon téléphone », then « Mon téléphone 2 »: two never have the same. */
function freeName(suggestion: string, taken: ReadonlySet<string>): string {
  let name = suggestion;
  for (let count = 2; taken.has(name); count += 1) name = `${suggestion} ${count}`;
  return name;
}
