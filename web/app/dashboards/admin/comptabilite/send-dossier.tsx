import { formatDateTime } from '@parrain/domain/date';
import { placePath } from '@parrain/domain/notice-place';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountantsQuery, dossierSentQuery, sendDossier, type DossierSending } from '#api/people/accountants';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { lazyPart } from '#ui/lazy-part';
import { useToast } from '#ui/toast';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import { useOnce } from '../../parts/use-once.ts';

const InviteAccountantDialog = lazyPart(() => import('./invite-accountant-dialog.tsx'));

/**
 * « Envoyer à mon comptable » (UI-12): one press tells them; where nobody has access yet, they are invited first; where no mail leaves,
 * the link is there to pass on.
 */
export function SendDossier({ period }: { period: string }) {
  const { t } = useTranslation();
  const accountants = useQuery(accountantsQuery);
  const sentAt = useQuery(dossierSentQuery(period)).data ?? null;
  const [isInviting, setInviting] = useState(false);
  const isDialogKnown = useOnce(isInviting);
  const sendsMail = useSendsMail();
  const path = placePath('comptable', { section: 'comptabilite', detail: { periode: period } });
  const tell = useTellOfSending();
  const sending = useMutation({ mutationFn: () => sendDossier(period), onSuccess: tell.sent, onError: tell.failed });
  const isKnown = accountants.data?.some(({ hasAccess }) => hasAccess) ?? false;
  return (
    <div className="flex grow flex-wrap items-center gap-x-3 gap-y-1 sm:grow-0">
      {isKnown && !sendsMail ? (
        <CopyButton
          size="md"
          text={window.location.origin + path}
          label={t('Copier le lien pour mon comptable')}
          copiedLabel={t('Lien copié')}
        />
      ) : (
        <Button
          className="max-sm:grow"
          icon={<Send aria-hidden />}
          pending={sending.isPending}
          disabled={accountants.data === undefined}
          onClick={() => (isKnown ? sending.mutate() : setInviting(true))}
        >
          {t('Envoyer à mon comptable')}
        </Button>
      )}
      {sentAt !== null && (
        <p className="text-sm text-encre-soft">{t('Envoyé le {{when}}', { when: formatDateTime(sentAt) })}</p>
      )}
      {isDialogKnown && (
        <InviteAccountantDialog
          open={isInviting}
          onClose={() => setInviting(false)}
          andSend={sending.mutate}
          path={path}
        />
      )}
    </div>
  );
}

/** Says what became of a press: sent, sent a moment ago already, or not. */
function useTellOfSending() {
  const { t } = useTranslation();
  const toast = useToast();
  return {
    sent: ({ state, isAlready, sentAt, names }: DossierSending) => {
      const when = sentAt === null ? '' : formatDateTime(sentAt);
      if (isAlready)
        toast.info(t('Déjà envoyé le {{when}}', { when }), { description: t('Renvoyez-le dans dix minutes.') });
      else if (state === 'not_sent')
        toast.error(t('L’e-mail n’est pas parti'), {
          description: t('Voyez « Messages envoyés » et « État du système ».'),
        });
      else toast.success(t('Dossier envoyé à {{names}}', { names: names.join(', ') }));
    },
    failed: (error: Error) => toast.error(t('Le dossier n’a pas été envoyé'), { description: messageOf(error, '') }),
  };
}
