import {
  noticeDeliveries,
  noticeDeliveryDefault,
  noticeDeliveryLabels,
  noticeTopicLabels,
  noticeTopicsFor,
  type NoticeDelivery,
  type NoticeTopic,
} from '@parrain/domain/notice';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { chooseNotices, noticeChoicesQuery } from '#api/account/notices';
import { signInWaysQuery } from '#api/account/sign-in-ways';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';

/** TM-02: what the person is mailed, and when; in force as soon as it is chosen. */
export function MessagesCard() {
  const { t } = useTranslation();
  const { role } = useProfile();
  const choices = useQuery(noticeChoicesQuery);
  const { data: ways } = useQuery(signInWaysQuery);
  return (
    <Card>
      <CardHeader title={t('E-mails')} level={4} />
      <CardBody className="flex flex-col gap-4">
        {ways?.sendsMail === false && (
          <Notice tone="info">
            {t('Cette plateforme n’envoie pas d’e-mails pour l’instant : vos nouvelles se lisent en haut de page.')}
          </Notice>
        )}
        {choices.data ? (
          noticeTopicsFor[role].map(({ topic, holds }) => (
            <Choice key={topic} topic={topic} holds={holds} chosen={choices.data.get(topic) ?? noticeDeliveryDefault} />
          ))
        ) : choices.isError ? (
          <ErrorState onRetry={() => void choices.refetch()} pending={choices.isFetching} />
        ) : (
          <Skeleton className="h-32 w-full" />
        )}
        <p className="text-sm text-encre-soft">
          {t(
            'Les messages sur la sécurité de votre compte et sur vos droits vous parviennent toujours. « Chaque matin » : un seul message, vers 7:30, s’il y a du nouveau que vous n’avez pas lu.',
          )}
        </p>
      </CardBody>
    </Card>
  );
}

function Choice({ topic, holds, chosen }: { topic: NoticeTopic; holds: string; chosen: NoticeDelivery }) {
  const { t } = useTranslation();
  const toast = useToast();
  const choose = useMutation({
    mutationFn: (delivery: NoticeDelivery) => chooseNotices(topic, delivery),
    onSuccess: () => toast.success(t('Préférence enregistrée')),
    onError: (error) => toast.error(messageOf(error, t('Votre choix n’a pas pu être enregistré. Réessayez.'))),
  });
  return (
    <Field label={t(noticeTopicLabels[topic])} hint={t(holds)}>
      <Select
        className="max-w-60"
        value={choose.isPending ? choose.variables : chosen}
        options={noticeDeliveries.map((value) => ({ value, label: t(noticeDeliveryLabels[value]) }))}
        onValueChange={(delivery) => choose.mutate(delivery)}
      />
    </Field>
  );
}
