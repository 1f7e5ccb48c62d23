import { mailFailureReason } from '@parrain/domain/mail-failure';
import { mailKindOf, mailStateMeanings } from '@parrain/domain/sent-mail';
import { useMutation, useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { sentMailQuery, type SentMail } from '#api/company/sent-mails';
import { tryMailAgain } from '#api/company/system-state';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { EmailText } from '../../parts/email-text.tsx';
import { useLast } from '../../parts/use-last.ts';
import { useMailFate } from '../parts/use-mail-fate.ts';
import { MailStateBadge } from './mail-state-badge.tsx';

export interface MailPanelProps {
  mailId: string | undefined;
  onClose: () => void;
  neighbours: Neighbours;
}

/** TM-04: one mail's record, why it failed, and « Renvoyer » where that may be. */
export function MailPanel({ mailId, onClose, neighbours }: MailPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(mailId);
  const found = useQuery({ ...sentMailQuery(shownId ?? ''), enabled: mailId !== undefined });
  const tell = useMailFate();
  const again = useMutation({ mutationFn: tryMailAgain, onSuccess: tell, onError: tell.failed });
  const mail = found.data;
  return (
    <SidePanel
      open={mailId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={mail ? t(mailKindOf(mail.template).label) : t('Message')}
      subtitle={mail && <MailStateBadge state={mail.state} />}
      footer={
        mail?.maySendAgain && (
          <Button variant="primary" icon={<RotateCw />} pending={again.isPending} onClick={() => again.mutate(mail.id)}>
            {t('Renvoyer')}
          </Button>
        )
      }
    >
      {mail ? (
        <Detail mail={mail} />
      ) : (
        <AbsentRecord
          query={found}
          goneTitle={t('Ce message n’est plus gardé')}
          goneDescription={t('Les messages sont gardés 90 jours.')}
          onClose={onClose}
          loading={t('Chargement du message')}
          skeletons={['h-40 w-full']}
        />
      )}
    </SidePanel>
  );
}

function Detail({ mail }: { mail: SentMail }) {
  const { t } = useTranslation();
  const hasFailed = mail.state === 'refused' || mail.state === 'given_up';
  return (
    <div className="flex flex-col gap-5">
      <Notice
        tone={hasFailed ? 'error' : mail.state === 'retried' ? 'warning' : 'info'}
        title={mail.error === null || mail.state === 'accepted' ? undefined : t(mailFailureReason(mail.error))}
      >
        {t(mailStateMeanings[mail.state])}
      </Notice>
      <Facts
        items={[
          {
            label: t('Destinataire'),
            value: mail.recipient === null ? t('Destinataire effacé') : <EmailText email={mail.recipient} />,
          },
          ...(mail.recipientName === null ? [] : [{ label: t('Nom'), value: mail.recipientName }]),
          { label: t('Demandé le'), value: <DateText value={mail.createdAt} withTime /> },
          { label: t('Dans cet état depuis le'), value: <DateText value={mail.stateSince} withTime /> },
          { label: t('Essais'), value: <span className="tabular-digits">{mail.attempts}</span> },
          ...(mail.error === null
            ? []
            : [
                {
                  label: t('Réponse du serveur d’e-mail'),
                  value: <span className="tabular-digits">{mail.error}</span>,
                },
              ]),
        ]}
      />
      {hasFailed && !mail.maySendAgain && (
        <p className="text-sm text-encre-soft">
          {mail.isSecret
            ? t(
                'Il contenait un code, un mot de passe ou un lien de connexion : il n’est ni gardé ni renvoyé. Il faut refaire la demande ou l’invitation.',
              )
            : t('Son texte n’est plus gardé : il ne peut pas être renvoyé.')}
        </p>
      )}
    </div>
  );
}
