import { credentialsToPassOn } from '@parrain/domain/messages';
import { KeyRound, MailCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { InvitationOutcome } from '#api/invite-client';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Facts } from '#ui/facts';
import { EmailText } from './contact-links.tsx';

export interface InvitationResultProps {
  /** The invitation that was just made; undefined while there is none to tell of. */
  invited: { name: string; outcome: InvitationOutcome } | undefined;
  onClose: () => void;
}

/** What became of an invitation (E-03): a mail left, or the login and temporary password are shown to pass on, once (V-19). */
export function InvitationResult({ invited, onClose }: InvitationResultProps) {
  const { t } = useTranslation();
  const outcome = invited?.outcome;
  return (
    <Dialog
      open={invited !== undefined}
      onOpenChange={onClose}
      size="sm"
      title={outcome?.emailSent === false ? t('Identifiants à transmettre') : t('Invitation envoyée avec succès !')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {outcome?.emailSent === false ? t("J'ai transmis les identifiants") : t('Terminé')}
        </Button>
      }
    >
      {invited &&
        outcome &&
        (outcome.emailSent ? (
          <Sent name={invited.name} email={outcome.email} />
        ) : (
          <ToPassOn name={invited.name} {...outcome} />
        ))}
    </Dialog>
  );
}

function Sent({ name, email }: { name: string; email: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex items-start gap-3">
      <MailCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-green" />
      <div className="min-w-0">
        <p>{t("Un email d'invitation a été envoyé.")}</p>
        <p className="mt-1 break-words text-encre-soft">
          {name} · {email}
        </p>
      </div>
    </div>
  );
}

function ToPassOn({ name, email, temporaryPassword }: { name: string; email: string; temporaryPassword: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-4">
      <p>
        {t(
          "L'email n'a pas pu être envoyé. Transmettez vous-même ces identifiants à {{name}} : ils ne seront plus affichés.",
          { name },
        )}
      </p>
      <div className="rounded-field border border-hairline bg-papier px-4 py-1">
        <Facts
          items={[
            { label: t('Email de connexion'), value: <EmailText email={email} /> },
            {
              label: t('Mot de passe temporaire'),
              value: <code className="font-mono text-base break-all select-all">{temporaryPassword}</code>,
            },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={temporaryPassword} label={t('Copier le mot de passe')} />
        <CopyButton text={credentialsToPassOn(email, temporaryPassword)} label={t('Copier les deux')} />
      </div>
      <p className="flex gap-2 text-sm text-encre-faint">
        <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
        {t('Valable 72 heures, pour une seule connexion : un nouveau mot de passe sera demandé.')}
      </p>
    </div>
  );
}
