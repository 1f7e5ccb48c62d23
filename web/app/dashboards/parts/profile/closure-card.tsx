import { zodResolver } from '@hookform/resolvers/zod';
import { accountClosureForm } from '@parrain/domain/forms/account-closure';
import { reasonLengthMax } from '@parrain/domain/forms/limits';
import { useMutation, useQuery } from '@tanstack/react-query';
import { DoorOpen } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ownClosureQuery, requestClosure, withdrawClosure } from '#api/account/account-closure';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { useSendsMail } from '../use-sends-mail.ts';

/** « Fermeture du compte »: asked here, decided by the company, with what the law keeps said before (CO-11, CL-09). */
export function ClosureCard() {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const toast = useToast();
  const profile = useProfile();
  const { data: request } = useQuery(ownClosureQuery(profile.id));
  const [isAsking, setAsking] = useState(false);
  const withdrawal = useMutation({
    mutationFn: withdrawClosure,
    onSuccess: () => toast.success(t('Votre demande de fermeture est annulée')),
  });
  const isPending = request?.status === 'pending';
  return (
    <Card>
      <CardHeader title={t('Fermeture du compte')} level={4} />
      <CardBody className="flex flex-col gap-4">
        {withdrawal.isError && (
          <Notice tone="error">{messageOf(withdrawal.error, t('La demande n’a pas pu être annulée.'))}</Notice>
        )}
        {isPending && (
          <Notice
            tone="warning"
            title={t('Demande en attente')}
            action={
              <Button size="sm" pending={withdrawal.isPending} onClick={() => withdrawal.mutate()}>
                {t('Annuler ma demande')}
              </Button>
            }
          >
            {t('Envoyée le')} <DateText value={request.requestedAt} />.{' '}
            {t(
              sendsMail
                ? 'Votre entreprise a un mois pour y répondre ; vous recevrez sa décision par e-mail.'
                : 'Votre entreprise a un mois pour y répondre.',
            )}
          </Notice>
        )}
        {request?.status === 'rejected' && (
          <Notice tone="info" title={t('Votre dernière demande n’a pas été acceptée')}>
            <span className="wrap-anywhere whitespace-pre-line">{request.notes}</span>
          </Notice>
        )}
        <p className="text-encre-soft">
          {t(
            'Votre accès est supprimé et vos coordonnées effacées. Les contrats, commissions et paiements sont conservés dix ans avec votre nom : la loi l’impose aux entreprises (article L123-22 du Code de commerce).',
          )}
        </p>
        {!isPending && (
          <Button icon={<DoorOpen aria-hidden />} className="self-start" onClick={() => setAsking(true)}>
            {t('Demander la fermeture')}
          </Button>
        )}
      </CardBody>
      {isAsking && (
        <AskDialog
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false);
            toast.success(t('Votre demande de fermeture est enregistrée'));
          }}
        />
      )}
    </Card>
  );
}

function AskDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation();
  const { role } = useProfile();
  const form = useForm({
    resolver: zodResolver(accountClosureForm),
    mode: 'onTouched',
    defaultValues: { personal_message: '' },
  });
  const asking = useMutation({
    mutationFn: (message: string | null) => requestClosure(message),
    onSuccess: onDone,
  });
  const submit = form.handleSubmit(({ personal_message: message }) => asking.mutate(message));
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Demander la fermeture de votre compte ?')}
      description={
        role === 'client'
          ? t(
              'Demandez d’abord vos commissions disponibles : elles ne pourront plus vous être versées. Rien n’est fermé avant la réponse de votre entreprise.',
            )
          : t('Rien n’est fermé avant la réponse de votre entreprise. D’ici là, vous pouvez changer d’avis.')
      }
      confirmLabel={t('Envoyer la demande')}
      pending={asking.isPending}
      error={asking.isError ? messageOf(asking.error, t('La demande n’a pas pu être envoyée. Réessayez.')) : undefined}
      onConfirm={() => void submit()}
    >
      <form method="post" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          label={t('Votre raison')}
          optional
          hint={t('Lue par les administrateurs seulement.')}
          error={form.formState.errors.personal_message?.message}
        >
          <Textarea rows={3} counterMax={reasonLengthMax} {...form.register('personal_message')} />
        </Field>
      </form>
    </ConfirmDialog>
  );
}
