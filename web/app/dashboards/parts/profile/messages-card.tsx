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
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseNotices, noticeChoicesQuery, type NoticeChoice } from '#api/account/notices';
import { choosePhone, thisPhoneQuery } from '#api/account/phones';
import { signInWaysQuery } from '#api/account/sign-in-ways';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Checkbox } from '#ui/checkbox';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { ThisPhone } from './this-phone.tsx';

/** TM-02: what the person is mailed, and when; UI-16: what their phones tell them of. In force as soon as it is chosen. */
export function MessagesCard() {
  const { t } = useTranslation();
  const { role } = useProfile();
  const choices = useQuery(noticeChoicesQuery);
  const { data: ways } = useQuery(signInWaysQuery);
  const { data: phone } = useQuery(thisPhoneQuery);
  const sendsMail = ways?.sendsMail !== false;
  const isNoDeviceOn = phone?.devices === 0;
  return (
    <Card>
      <CardHeader title={t('E-mails et téléphone')} level={4} />
      <CardBody className="flex flex-col gap-4">
        {!sendsMail && (
          <Notice tone="info">
            {t('Cette plateforme n’envoie pas d’e-mails pour l’instant : vos nouvelles se lisent en haut de page.')}
          </Notice>
        )}
        {choices.data && (
          <div className="-mb-2 text-sm text-encre-soft">
            {isNoDeviceOn && (
              <p className="mb-2">
                {t('« Notification » se coche une fois qu’un de vos appareils en reçoit : aucun n’en reçoit encore.')}
              </p>
            )}
            <p aria-hidden>{sendsMail ? t('E-mail') : t('E-mail (aucun ne part pour l’instant)')}</p>
          </div>
        )}
        {choices.data ? (
          noticeTopicsFor[role].map(({ topic, holds }) => (
            <Choice
              key={topic}
              topic={topic}
              holds={holds}
              chosen={choices.data.get(topic) ?? unchosen}
              isNoDeviceOn={isNoDeviceOn}
            />
          ))
        ) : choices.isError ? (
          <ErrorState onRetry={() => void choices.refetch()} pending={choices.isFetching} />
        ) : (
          <Skeleton className="h-32 w-full" />
        )}
        {choices.data && <ThisPhone isAnyTopicOn={[...choices.data.values()].some(({ onPhone }) => onPhone)} />}
        <p className="text-sm text-encre-soft">
          {t(
            'Les messages sur la sécurité de votre compte et sur vos droits vous parviennent toujours. « Chaque matin » : un seul message, vers 7 h 30, s’il y a du nouveau que vous n’avez pas lu.',
          )}
        </p>
      </CardBody>
    </Card>
  );
}

const unchosen: NoticeChoice = { delivery: noticeDeliveryDefault, onPhone: false };

interface ChoiceProps {
  topic: NoticeTopic;
  holds: string;
  chosen: NoticeChoice;
  isNoDeviceOn: boolean;
}

function Choice({ topic, holds, chosen, isNoDeviceOn }: ChoiceProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const told = {
    onSuccess: () => toast.success(t('Préférence enregistrée')),
    onError: (error: Error) => toast.error(messageOf(error, t('Votre choix n’a pas pu être enregistré. Réessayez.'))),
  };
  const choose = useMutation({ mutationFn: (delivery: NoticeDelivery) => chooseNotices(topic, delivery), ...told });
  // Held from the press on: a mutation says that it is under way an instant later, and the tick would go out meanwhile.
  const [asked, setAsked] = useState<boolean>();
  const ring = useMutation({
    ...told,
    mutationFn: (onPhone: boolean) => choosePhone(topic, onPhone),
    onSettled: () => setAsked(undefined),
  });
  const label = t(noticeTopicLabels[topic]);
  return (
    <Field label={label} hint={t(holds)}>
      <div role="group" aria-label={label} className="flex flex-wrap gap-2">
        <Select
          className="max-w-60 min-w-36 flex-1 basis-36"
          value={choose.isPending ? choose.variables : chosen.delivery}
          options={noticeDeliveries.map((value) => ({ value, label: t(noticeDeliveryLabels[value]) }))}
          onValueChange={(delivery) => choose.mutate(delivery)}
        />
        <Checkbox
          className="py-2"
          label={t('Notification')}
          disabled={isNoDeviceOn}
          checked={asked ?? chosen.onPhone}
          onChange={(event) => {
            setAsked(event.target.checked);
            ring.mutate(event.target.checked);
          }}
        />
      </div>
    </Field>
  );
}
