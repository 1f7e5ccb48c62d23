import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { sendTrialMail } from '#api/company/system-state';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';
import { ShareButton } from '#ui/share-button';
import { useMailFate } from '../../parts/use-mail-fate.ts';
import type { StepProps } from './first-run.tsx';

/** Step on sending mails: a message to oneself where they leave; else what that changes, and words for whoever looks after the server. */
export function MailStep({ isConfigured, ...props }: StepProps & { isConfigured: boolean }) {
  return isConfigured ? <Trial {...props} /> : <NoMail foot={props.foot} />;
}

function Trial({ foot, onDone }: StepProps) {
  const { t } = useTranslation();
  const tell = useMailFate();
  const trial = useMutation({
    mutationFn: sendTrialMail,
    onSuccess: (sent) => {
      tell(sent);
      refresh();
      if (sent.fate === 'accepted') onDone();
    },
    onError: tell.failed,
  });
  return (
    <div className="flex flex-col gap-5">
      <p>{t('Envoyez-vous un message : s’il arrive dans votre boîte, les invitations arriveront aussi.')}</p>
      {foot(
        <Button variant="primary" icon={<Send />} pending={trial.isPending} onClick={() => trial.mutate()}>
          {t('Envoyer un message d’essai')}
        </Button>,
      )}
    </div>
  );
}

function NoMail({ foot }: Pick<StepProps, 'foot'>) {
  const { t } = useTranslation();
  const request = t(
    'Bonjour, notre application de parrainage n’envoie pas encore d’e-mails. Pouvez-vous lui indiquer notre serveur d’envoi ? C’est le réglage SMTP_URL du serveur, décrit dans sa documentation.',
  );
  return (
    <div className="flex flex-col gap-5">
      <Notice title={t('Pour l’instant, aucun e-mail ne part')}>
        {t(
          'Vous pouvez commencer sans : les identifiants de chaque personne invitée s’affichent, et vous les partagez.',
        )}
      </Notice>
      <div className="flex flex-col items-start gap-3">
        <p>{t('Pour qu’ils partent seuls, envoyez ce message à la personne qui s’occupe de votre site :')}</p>
        <blockquote className="w-full border-l-2 border-edge pl-4 text-encre-soft">{request}</blockquote>
        <ShareButton text={request} title={t('Envoi des e-mails')} label={t('Copier ce message')} />
      </div>
      {foot(null, t('Continuer sans e-mail'))}
    </div>
  );
}
