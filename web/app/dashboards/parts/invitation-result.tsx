import { credentialsToPassOn } from '@parrain/domain/messages';
import { useQuery } from '@tanstack/react-query';
import { Hourglass, KeyRound, MailCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { invitationOutcomeQuery, type InvitationOutcome } from '#api/people/invitation-outcome';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Facts } from '#ui/facts';
import { ShareButton } from '#ui/share-button';
import { EmailText } from './email-text.tsx';
import { useSendsMail } from './use-sends-mail.ts';

export interface InvitationResultProps {
  /** The invitation that was just made; undefined while there is none to tell of. */
  invited: { name: string; outcome: InvitationOutcome } | undefined;
  onClose: () => void;
  /** The page to sign in at, where credentials are passed on; it may be one that leads further. */
  path?: string | undefined;
  /** The account was there: it got another password. */
  isRenewal?: boolean;
}

/**
 * The outcome of an invitation (E-03): a mail left; or it is still on its way, and is asked for until that is known (FX-08);
 * or the login and temporary password are shown to pass on, once (V-19): no Escape and no press beside them loses them.
 */
export function InvitationResult({ invited, onClose, path = '/auth/login', isRenewal = false }: InvitationResultProps) {
  const { t } = useTranslation();
  const first = invited?.outcome;
  const settled = useQuery(invitationOutcomeQuery(first?.state === 'sending' ? first : undefined));
  const outcome = first?.state === 'sending' ? (settled.data ?? first) : first;
  return (
    <Dialog
      open={invited !== undefined}
      onOpenChange={onClose}
      size="sm"
      isFirm={outcome !== undefined && outcome.state !== 'sent'}
      title={t(isRenewal && outcome?.state === 'sent' ? newPasswordSent : titles[outcome?.state ?? 'sent'])}
      footer={
        <Button variant={outcome?.state === 'sending' ? 'secondary' : 'primary'} onClick={onClose}>
          {t(closings[outcome?.state ?? 'sent'])}
        </Button>
      }
    >
      {invited && outcome && (
        <div aria-live="polite">
          {outcome.state === 'sent' && <Sent isRenewal={isRenewal} name={invited.name} email={outcome.email} />}
          {outcome.state === 'sending' && <Sending isRenewal={isRenewal} name={invited.name} email={outcome.email} />}
          {outcome.state === 'not_sent' && <ToPassOn name={invited.name} path={path} {...outcome} />}
        </div>
      )}
    </Dialog>
  );
}

const titles = {
  sent: 'Invitation envoyée avec succès !',
  sending: 'Envoi en cours',
  not_sent: 'Identifiants à transmettre',
} as const;

const newPasswordSent = 'Nouveau mot de passe envoyé';

const closings = {
  sent: 'Terminé',
  sending: 'Ne pas attendre',
  not_sent: 'J’ai transmis les identifiants',
} as const;

interface MailedProps {
  name: string;
  email: string;
  isRenewal: boolean;
}

function Sending({ name, email, isRenewal }: MailedProps) {
  const { t } = useTranslation();
  return (
    <div className="flex items-start gap-3">
      <Hourglass aria-hidden className="mt-0.5 size-5 shrink-0 text-blue" />
      <div className="min-w-0">
        <p>
          {isRenewal
            ? t('Le mot de passe est changé ; l’e-mail est en train de partir.')
            : t('Le compte est créé ; l’e-mail d’invitation est en train de partir.')}
        </p>
        <Addressee name={name} email={email} />
        <p className="mt-2 text-sm text-encre-faint">
          {t(
            'Gardez cette fenêtre ouverte pour en voir l’issue : si l’e-mail ne peut pas partir, les identifiants s’affichent ici.',
          )}
        </p>
      </div>
    </div>
  );
}

function Sent({ name, email, isRenewal }: MailedProps) {
  const { t } = useTranslation();
  return (
    <div className="flex items-start gap-3">
      <MailCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-green" />
      <div className="min-w-0">
        <p>
          {isRenewal
            ? t('Un e-mail avec le nouveau mot de passe a été envoyé.')
            : t('Un e-mail d’invitation a été envoyé.')}
        </p>
        <Addressee name={name} email={email} />
      </div>
    </div>
  );
}

function Addressee({ name, email }: { name: string; email: string }) {
  return (
    <p className="mt-1 text-encre-soft wrap-anywhere">
      {name}
      <br />
      <EmailText email={email} />
    </p>
  );
}

interface ToPassOnProps {
  name: string;
  path: string;
  email: string;
  temporaryPassword: string;
}

function ToPassOn({ name, path, email, temporaryPassword }: ToPassOnProps) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const address = window.location.origin + path;
  return (
    <div className="flex flex-col gap-4">
      <p>
        {sendsMail && t('L’e-mail n’a pas pu être envoyé.')}{' '}
        {t('Transmettez vous-même ces identifiants à {{name}} : ils ne seront plus affichés.', { name })}
      </p>
      <div className="rounded-field border border-hairline bg-papier px-4 py-1">
        <Facts
          items={[
            { label: t('Adresse pour se connecter'), value: <span className="break-all select-all">{address}</span> },
            { label: t('E-mail de connexion'), value: <EmailText email={email} /> },
            {
              label: t('Mot de passe temporaire'),
              value: <code className="font-mono text-base break-all select-all">{temporaryPassword}</code>,
            },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <ShareButton
          text={credentialsToPassOn(address, email, temporaryPassword)}
          title={t('Identifiants')}
          label={t('Copier le message')}
          copiedLabel={t('Message copié')}
        />
        <CopyButton text={temporaryPassword} label={t('Copier le mot de passe')} />
      </div>
      <p className="flex gap-2 text-sm text-encre-faint">
        <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
        {t('Valable 72 heures, pour une seule connexion : un nouveau mot de passe sera demandé.')}
      </p>
    </div>
  );
}
