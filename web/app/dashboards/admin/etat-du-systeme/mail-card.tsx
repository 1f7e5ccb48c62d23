import { mailFailureReason } from '@parrain/domain/mail-failure';
import { groupThousands } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { Mails, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { sendTrialMail, type SystemState } from '#api/company/system-state';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Notice } from '#ui/notice';
import type { SectionProps } from '../../shell/sections.ts';
import { useMailFate } from '../parts/use-mail-fate.ts';
import { StateLine } from './state-line.tsx';

/** E-mails that wait and that failed, with the list of each (TM-04); and a message of trial, with the mail server's own answer. */
export function MailCard({ state, openSection }: { state: SystemState; openSection: SectionProps['openSection'] }) {
  const { t } = useTranslation();
  const tell = useMailFate();
  const trial = useMutation({ mutationFn: sendTrialMail, onSuccess: tell, onError: tell.failed });
  const { mail } = state;
  const waiting = mail.queued + mail.sending;
  return (
    <Card className="overflow-clip" aria-label={t('E-mails')}>
      <CardHeader
        title={t('E-mails')}
        level={3}
        actions={
          <div className="flex flex-wrap gap-2">
            <Button size="sm" icon={<Mails />} onClick={() => openSection('messages-envoyes')}>
              {t('Messages envoyés')}
            </Button>
            {mail.isConfigured && (
              <Button size="sm" icon={<Send />} pending={trial.isPending} onClick={() => trial.mutate()}>
                {t('Envoyer un message d’essai')}
              </Button>
            )}
          </div>
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
          value={<span className="tabular-digits">{groupThousands(String(waiting))}</span>}
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
          value={<span className="tabular-digits">{groupThousands(String(mail.retried))}</span>}
        />
        <StateLine
          label={t('Non partis')}
          hint={
            mail.failed === 0
              ? t('Aucun message n’a été refusé définitivement.')
              : t('Refusés définitivement, ou après 12 essais : ils ne partiront pas d’eux-mêmes.')
          }
          value={
            <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1 sm:justify-end">
              <span className={mail.failed > 0 ? 'tabular-digits font-semibold text-danger' : 'tabular-digits'}>
                {groupThousands(String(mail.failed))}
              </span>
              {mail.failed > 0 && (
                <Button size="sm" onClick={() => openSection('messages-envoyes', { etat: 'failed' })}>
                  {t('Voir lesquels')}
                </Button>
              )}
            </span>
          }
        />
      </dl>
    </Card>
  );
}
