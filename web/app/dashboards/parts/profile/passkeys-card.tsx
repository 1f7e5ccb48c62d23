import { useMutation, useQuery } from '@tanstack/react-query';
import { Fingerprint, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { addPasskey, passkeysQuery, removePasskey, renamePasskey, type Passkey } from '#api/account/passkeys';
import { queryClient } from '#api/transport/query-client';
import { canUsePasskeys } from '#api/account/can-use-passkeys';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { IconButton } from '#ui/icon-button';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { deviceOf } from './device-name.ts';
import { Line } from './line.tsx';

type Opened = { kind: 'rename' | 'remove'; passkey: Passkey };

/** « Clés d’accès »: signing in with the device itself, without a password. */
export function PasskeysCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const passkeys = useQuery(passkeysQuery);
  const [opened, setOpened] = useState<Opened>();
  const done = (title: string) => {
    toast.success(title);
    setOpened(undefined);
    void queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey });
  };
  const addition = useMutation({
    mutationFn: () => addPasskey(deviceOf(navigator.userAgent).name),
    onSuccess: () => done(t('Clé d’accès ajoutée')),
  });
  return (
    <Card>
      <CardHeader title={t('Clés d’accès')} level={4} />
      <CardBody className="flex flex-col gap-4">
        <p className="text-encre-soft">
          {t('Connectez-vous avec votre empreinte, votre visage ou le code de votre appareil, sans mot de passe.')}
        </p>
        {addition.isError && (
          <Notice tone="error">
            {messageOf(addition.error, t('La clé d’accès n’a pas pu être ajoutée. Réessayez.'))}
          </Notice>
        )}
        {passkeys.data === undefined ? (
          passkeys.isError ? (
            <ErrorState onRetry={() => void passkeys.refetch()} pending={passkeys.isFetching} />
          ) : (
            <Skeleton className="h-12 w-full" />
          )
        ) : (
          passkeys.data.length > 0 && (
            <ul className="divide-y divide-hairline border-y border-hairline">
              {passkeys.data.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} onOpen={(kind) => setOpened({ kind, passkey })} />
              ))}
            </ul>
          )
        )}
        {canUsePasskeys() ? (
          <Button
            icon={<Fingerprint aria-hidden />}
            className="self-start"
            pending={addition.isPending}
            onClick={() => addition.mutate()}
          >
            {t('Ajouter une clé d’accès')}
          </Button>
        ) : (
          <p className="text-sm text-encre-faint">{t('Ce navigateur ne connaît pas les clés d’accès.')}</p>
        )}
      </CardBody>
      {opened?.kind === 'rename' && (
        <RenameDialog
          passkey={opened.passkey}
          onClose={() => setOpened(undefined)}
          onDone={() => done(t('Clé d’accès renommée'))}
        />
      )}
      {opened?.kind === 'remove' && (
        <RemoveDialog
          passkey={opened.passkey}
          onClose={() => setOpened(undefined)}
          onDone={() => done(t('Clé d’accès retirée'))}
        />
      )}
    </Card>
  );
}

function PasskeyLine({ passkey, onOpen }: { passkey: Passkey; onOpen: (kind: Opened['kind']) => void }) {
  const { t } = useTranslation();
  const name = passkey.name || t('Clé d’accès');
  return (
    <Line
      icon={<Fingerprint />}
      title={name}
      detail={
        passkey.lastUsedAt === null ? (
          <>
            {t('Ajoutée le')} <DateText value={passkey.createdAt} />
          </>
        ) : (
          <>
            {t('Utilisée le')} <DateText value={passkey.lastUsedAt} withTime />
          </>
        )
      }
      actions={
        <>
          <IconButton icon={<Pencil />} label={t('Renommer {{name}}', { name })} onClick={() => onOpen('rename')} />
          <IconButton
            tone="danger"
            icon={<Trash2 />}
            label={t('Retirer {{name}}', { name })}
            onClick={() => onOpen('remove')}
          />
        </>
      }
    />
  );
}

interface PasskeyDialogProps {
  passkey: Passkey;
  onClose: () => void;
  onDone: () => void;
}

function RenameDialog({ passkey, onClose, onDone }: PasskeyDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(passkey.name);
  const renaming = useMutation({ mutationFn: () => renamePasskey(passkey.id, name.trim()), onSuccess: onDone });
  const error = name.trim() === '' ? t('Le nom est requis') : undefined;
  return (
    <FormDialog
      size="sm"
      title={t('Renommer la clé d’accès')}
      onClose={onClose}
      action={t('Renommer')}
      pending={renaming.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        if (!error) renaming.mutate();
      }}
      failure={renaming.isError ? messageOf(renaming.error, t('Le nom n’a pas pu être changé. Réessayez.')) : undefined}
    >
      <Field label={t('Nom')} error={error}>
        <TextInput value={name} maxLength={60} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

function RemoveDialog({ passkey, onClose, onDone }: PasskeyDialogProps) {
  const { t } = useTranslation();
  const removal = useMutation({ mutationFn: () => removePasskey(passkey.id), onSuccess: onDone });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Retirer {{name}} ?', { name: passkey.name || t('cette clé d’accès') })}
      description={t('Elle n’ouvrira plus votre compte. Pensez à la supprimer aussi des réglages de votre appareil.')}
      confirmLabel={t('Retirer')}
      pending={removal.isPending}
      error={removal.isError ? messageOf(removal.error, t('Le retrait n’a pas abouti. Réessayez.')) : undefined}
      onConfirm={() => removal.mutate()}
    />
  );
}
