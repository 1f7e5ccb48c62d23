import { firstSteps, stepState, type FirstStep, type FirstSteps as Steps } from '@parrain/domain/first-steps';
import { useMutation } from '@tanstack/react-query';
import { ArrowRight, Check, Send } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { skipFirstStep } from '#api/company/first-steps';
import { sendTrialMail } from '#api/company/system-state';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { useToast } from '#ui/toast';
import { lazyPart } from '#ui/lazy-part';
import type { SectionProps } from '../../shell/sections.ts';

const LegalNoticeDialog = lazyPart(() => import('../reglages/legal-notice-dialog.tsx'));
const CompanySettingsDialog = lazyPart(() => import('../reglages/company-settings-dialog.tsx'));

/** NV-08: « Démarrer », in place of « À faire » while nothing has happened yet; each step is done by what there is, or skipped. */
export default function FirstSteps({ steps, openSection }: { steps: Steps } & Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  const [settingsOpen, setSettingsOpen] = useState(false);
  const [noticeOpen, setNoticeOpen] = useState(false);
  const left = firstSteps.filter((step) => stepState(steps, step) === 'open');
  const words: Readonly<Record<FirstStep, { title: string; text: string; action: ReactNode }>> = {
    company: {
      title: t('Le nom et le logo de votre entreprise'),
      text: t('Vos commerciaux et vos clients les voient en tête de leur espace et dans leurs e-mails.'),
      action: (
        <StepButton isNext={left[0] === 'company'} onClick={() => setSettingsOpen(true)}>
          {t('Donner un nom et un logo')}
        </StepButton>
      ),
    },
    scale: {
      title: t('Votre premier barème'),
      text: t('Ce que gagnent le client et le commercial sur un contrat validé : un pourcentage ou un montant fixe.'),
      action: (
        <StepButton isNext={left[0] === 'scale'} onClick={() => openSection('commissions')}>
          {t('Créer un barème')}
        </StepButton>
      ),
    },
    commercial: {
      title: t('Votre premier commercial'),
      text: t('C’est lui qui invite vos clients, rappelle leurs amis et déclare les contrats.'),
      action: (
        <StepButton isNext={left[0] === 'commercial'} onClick={() => openSection('commerciaux')}>
          {t('Inviter un commercial')}
        </StepButton>
      ),
    },
    mail: {
      title: t('Le serveur d’e-mail'),
      text: steps.isMailConfigured
        ? t('Il porte les invitations et les mots de passe : un message d’essai dit s’ils arriveront.')
        : t(
            'Aucun n’est configuré : rien ne part, et les identifiants des personnes invitées s’affichent à l’écran. La personne qui s’occupe du serveur peut en indiquer un (SMTP_URL).',
          ),
      action: steps.isMailConfigured ? (
        <TrialButton isNext={left[0] === 'mail'} />
      ) : (
        <StepButton isNext={false} onClick={() => openSection('etat-du-systeme')}>
          {t('Voir l’état du système')}
        </StepButton>
      ),
    },
    legal: {
      title: t('Vos mentions légales'),
      text: t('La loi oblige tout site à dire qui l’édite, qui l’héberge et comment vous joindre.'),
      action: (
        <StepButton isNext={left[0] === 'legal'} onClick={() => setNoticeOpen(true)}>
          {t('Remplir les mentions légales')}
        </StepButton>
      ),
    },
  };
  return (
    <Card className="overflow-clip">
      <CardHeader
        level={3}
        title={t('Démarrer')}
        description={t('{{done}} sur {{count}} : le premier parrainage peut ensuite arriver.', {
          done: firstSteps.length - left.length,
          count: firstSteps.length,
        })}
      />
      <ol className="divide-y divide-hairline">
        {firstSteps.map((step, index) => {
          const state = stepState(steps, step);
          const { title, text, action } = words[step];
          return (
            <li
              key={step}
              className="grid grid-cols-[1.75rem_1fr] items-center gap-x-4 px-4 py-4 max-sm:gap-x-3 sm:px-5"
            >
              <StepMark number={index + 1} state={state} />
              <p className="font-medium">
                {title}
                {state !== 'open' && (
                  <span className="ml-2 text-sm font-normal text-encre-faint">
                    {state === 'done' ? t('fait') : t('passé')}
                  </span>
                )}
              </p>
              {/* A phone has no room to spare beside them. */}
              {state !== 'done' && (
                <div className="max-sm:col-span-2 max-sm:mt-1 sm:col-start-2">
                  {state === 'open' && <p className="max-w-[72ch] text-encre-soft">{text}</p>}
                  <div className="mt-3 flex flex-wrap items-center gap-2">
                    {state === 'open' && action}
                    <SkipButton step={step} title={title} isSkipped={state === 'skipped'} />
                  </div>
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {noticeOpen && <LegalNoticeDialog onClose={() => setNoticeOpen(false)} />}
      {settingsOpen && <CompanySettingsDialog onClose={() => setSettingsOpen(false)} />}
    </Card>
  );
}

function StepMark({ number, state }: { number: number; state: ReturnType<typeof stepState> }) {
  return (
    <span
      aria-hidden
      className={
        state === 'done'
          ? 'flex size-7 shrink-0 items-center justify-center rounded-full bg-sapin text-on-sapin [&_svg]:size-4'
          : 'tabular-digits flex size-7 shrink-0 items-center justify-center rounded-full border border-edge text-sm font-medium text-encre-soft'
      }
    >
      {state === 'done' ? <Check /> : number}
    </span>
  );
}

interface StepButtonProps {
  /** The first step that is still to do has the one green button. */
  isNext: boolean;
  onClick: () => void;
  children: ReactNode;
}

function StepButton({ isNext, onClick, children }: StepButtonProps) {
  return (
    <Button size="sm" variant={isNext ? 'primary' : 'secondary'} icon={<ArrowRight />} onClick={onClick}>
      {children}
    </Button>
  );
}

function SkipButton({ step, title, isSkipped }: { step: FirstStep; title: string; isSkipped: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const skip = useMutation({
    mutationFn: () => skipFirstStep(step, !isSkipped),
    onError: (error) => toast.error(messageOf(error, t('L’étape n’a pas pu être enregistrée. Réessayez.'))),
  });
  return (
    <Button
      size="sm"
      variant="quiet"
      pending={skip.isPending}
      aria-label={isSkipped ? t('Reprendre : {{title}}', { title }) : t('Passer : {{title}}', { title })}
      onClick={() => skip.mutate()}
    >
      {isSkipped ? t('Reprendre') : t('Passer')}
    </Button>
  );
}

/** A message to oneself; the mail server's own answer is told. */
function TrialButton({ isNext }: { isNext: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const trial = useMutation({
    mutationFn: sendTrialMail,
    onSuccess: ({ fate, message }) => {
      if (fate === 'accepted') toast.success(message);
      else if (fate === 'under_way') toast.info(message);
      else toast.error(message);
      refresh();
    },
    onError: (error) => toast.error(messageOf(error, t('Le message n’a pas pu être envoyé. Réessayez.'))),
  });
  return (
    <Button
      size="sm"
      variant={isNext ? 'primary' : 'secondary'}
      icon={<Send />}
      pending={trial.isPending}
      onClick={() => trial.mutate()}
    >
      {t('Envoyer un message d’essai')}
    </Button>
  );
}
