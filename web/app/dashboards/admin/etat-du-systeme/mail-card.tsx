import { mailFailureReason } from '@parrain/domain/mail-failure';
import { groupThousands } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { RotateCw, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import {
  sendTrialMail,
  tryMailAgain,
  type FailedMail,
  type MailFate,
  type SystemState,
} from '#api/company/system-state';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { EmailText } from '../../parts/email-text.tsx';
import { StateLine } from './state-line.tsx';
import { mailName } from './words.ts';

/** E-mails that wait, that failed, to whom and why; « Renvoyer » and a message of trial (FX-29). */
export function MailCard({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  const tell = useFate();
  const trial = useMutation({ mutationFn: sendTrialMail, onSuccess: tell, onError: tell.failed });
  const { mail, failedMails } = state;
  const waiting = mail.queued + mail.sending;
  return (
    <Card className="overflow-clip" aria-label={t('E-mails')}>
      <CardHeader
        title={t('E-mails')}
        level={3}
        actions={
          mail.isConfigured && (
            <Button size="sm" icon={<Send />} pending={trial.isPending} onClick={() => trial.mutate()}>
              {t('Envoyer un message d’essai')}
            </Button>
          )
        }
      />
      {!mail.isConfigured && (
        <CardBody>
          <Notice tone="warning" title={t('Aucun serveur d’e-mail n’est configuré')}>
            {t(
              'Rien ne part : les identifiants des personnes invitées s’affichent à l’écran, à transmettre vous-même. La personne qui s’occupe du serveur peut en indiquer un (SMTP_URL).',
            )}
          </Notice>
        </CardBody>
      )}
      <dl className="divide-y divide-hairline">
        <StateLine
          label={t('En attente ou en cours d’envoi')}
          hint={t('Ils partent d’ordinaire en quelques secondes.')}
          value={<span className="figures">{groupThousands(String(waiting))}</span>}
        />
        <StateLine
          label={t('Refusés pour l’instant')}
          hint={
            mail.retried === 0
              ? t('Aucun. Un message refusé pour l’instant est réessayé de lui-même pendant 16 heures.')
              : t('{{reason}}. Ils sont réessayés d’eux-mêmes pendant 16 heures.', {
                  reason: t(mailFailureReason(mail.lastError)),
                })
          }
          value={<span className="figures">{groupThousands(String(mail.retried))}</span>}
        />
        <StateLine
          label={t('Non partis')}
          hint={
            mail.failed === 0
              ? t('Aucun message n’a été refusé définitivement.')
              : t('Refusés définitivement, ou après 12 essais : ils ne partiront pas d’eux-mêmes.')
          }
          value={
            <span className={mail.failed > 0 ? 'figures font-semibold text-danger' : 'figures'}>
              {groupThousands(String(mail.failed))}
            </span>
          }
        />
      </dl>
      {failedMails.length > 0 && (
        <ul className="divide-y divide-hairline border-t border-hairline" aria-label={t('E-mails non partis')}>
          {failedMails.map((failed) => (
            <FailedLine key={failed.id} failed={failed} isConfigured={mail.isConfigured} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function FailedLine({ failed, isConfigured }: { failed: FailedMail; isConfigured: boolean }) {
  const { t } = useTranslation();
  const tell = useFate();
  const again = useMutation({ mutationFn: () => tryMailAgain(failed.id), onSuccess: tell, onError: tell.failed });
  const name = t(mailName(failed.template));
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium wrap-anywhere">
          {failed.recipient === null ? t('Destinataire effacé') : <EmailText email={failed.recipient} />}
        </p>
        <p className="text-sm text-encre-soft">
          {name} · <DateText value={failed.failedAt} withTime />
        </p>
        <p className="text-sm text-encre-soft">
          {t(mailFailureReason(failed.error))}
          {failed.error !== null && <span className="figures text-encre-faint"> ({failed.error})</span>}
        </p>
      </div>
      {isConfigured && failed.isWorthTrying ? (
        <Button
          size="sm"
          icon={<RotateCw />}
          pending={again.isPending}
          aria-label={t('Renvoyer : {{name}}, {{recipient}}', { name, recipient: failed.recipient ?? '' })}
          onClick={() => again.mutate()}
        >
          {t('Renvoyer')}
        </Button>
      ) : (
        <p className="max-w-[36ch] text-sm text-encre-soft">
          {failed.recipient === null
            ? t('Son texte n’est plus gardé.')
            : t('Ce qu’il contenait n’est plus valable : il faut refaire la demande.')}
        </p>
      )}
    </li>
  );
}

/** Says what became of a mail that was just sent. */
function useFate() {
  const { t } = useTranslation();
  const toast = useToast();
  const tell = ({ fate, message }: { fate: MailFate; message: string }) => {
    if (fate === 'accepted') toast.success(message);
    else if (fate === 'under_way') toast.info(message);
    else toast.error(message);
  };
  return Object.assign(tell, {
    failed: (error: unknown) => toast.error(messageOf(error, t('Le message n’a pas pu être envoyé. Réessayez.'))),
  });
}
